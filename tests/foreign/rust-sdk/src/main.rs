//! A real agent on the Rust SDK of the A2A project, to try the checks on a server that is not ours.
//!
//! The text of a message chooses the behaviour, so that one agent shows many: see `EchoAgent::script`.
//! With a token as its argument it lets in only those who have it, and has an extended card for them.
//! It speaks JSON-RPC at `/rpc` and HTTP+JSON under `/rest`, and prints `listening http://127.0.0.1:PORT` once it answers.

use std::sync::Arc;
use std::time::Duration;

use a2a::{
    A2AError, AgentCapabilities, AgentCard, AgentInterface, AgentProvider, AgentSkill, Artifact, Message, Part, Role,
    StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent, new_artifact_id,
};
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::push::HttpPushSenderConfig;
use a2a_server::rest::rest_router;
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, HttpPushSender, InMemoryPushConfigStore, InMemoryTaskStore,
    StaticAgentCard,
};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use serde_json::json;

/// What the agent says, and how long it thinks before.
type Script = Vec<(Duration, StreamResponse)>;

/// Echoes the text in an artifact, or does what the text's first word names.
struct EchoAgent;

impl EchoAgent {
    fn script(context: &ExecutorContext) -> Script {
        let Some(message) = &context.message else { return Vec::new() };
        let text: String = message.parts.iter().filter_map(Part::as_text).collect();
        let word = text.split_whitespace().next().unwrap_or_default();
        let echo = format!("echo: {text}");
        // A new task comes along as one that has not started, or not at all.
        let goes_on = context.stored_task.as_ref().is_some_and(|task| task.status.state != TaskState::Submitted);

        if word == "message-only" && !goes_on {
            let mut answer = Message::new(Role::Agent, vec![Part::text(echo)]);
            answer.context_id = Some(context.context_id.clone());
            return vec![at_once(StreamResponse::Message(answer))];
        }

        let mut script = vec![at_once(task(context, message)), at_once(status(context, TaskState::Working, None))];
        // A task that asked for input goes on asking until it hears "done".
        if word == "input-required" || (goes_on && word != "done") {
            script.push(at_once(status(context, TaskState::InputRequired, Some("More, please; \"done\" ends it."))));
        } else if word == "fail" {
            script.push(at_once(status(context, TaskState::Failed, Some("Failed, as asked."))));
        } else if word == "reject" {
            script.push(at_once(status(context, TaskState::Rejected, Some("Rejected, as asked."))));
        } else if word == "auth-required" {
            script.push(at_once(status(context, TaskState::AuthRequired, Some("Please allow me to open the safe."))));
        } else if word == "data-types" {
            let mut update = artifact(context, &new_artifact_id(), "every kind of part", "text");
            update.artifact.parts.extend([
                Part::data(json!({"answer": 42, "nested": [null, true, "ü"]})),
                Part::raw(b"\x00\xff file".to_vec())
                    .with_media_type("application/octet-stream")
                    .with_filename("file.bin"),
                Part::url("https://example.org/file.png").with_media_type("image/png").with_filename("file.png"),
            ]);
            script.push(at_once(StreamResponse::ArtifactUpdate(update)));
            script.push(at_once(status(context, TaskState::Completed, None)));
        } else if word == "streaming" {
            let id = new_artifact_id();
            let chunks = ["one ", "two ", "three ", "four"];
            for (index, chunk) in chunks.iter().enumerate() {
                let mut update = artifact(context, &id, "chunks", chunk);
                update.append = Some(index > 0);
                update.last_chunk = Some(index + 1 == chunks.len());
                script.push((Duration::from_millis(150), StreamResponse::ArtifactUpdate(update)));
            }
            script.push(at_once(status(context, TaskState::Completed, None)));
        } else {
            if word == "slow" {
                for step in 1..=12 {
                    let said = format!("step {step} of 12");
                    script.push((Duration::from_millis(250), status(context, TaskState::Working, Some(&said))));
                }
            }
            let update = artifact(context, &new_artifact_id(), "echo", &echo);
            script.push(at_once(StreamResponse::ArtifactUpdate(update)));
            script.push(at_once(status(context, TaskState::Completed, None)));
        }
        script
    }
}

impl AgentExecutor for EchoAgent {
    fn execute(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        play(Self::script(&context))
    }

    fn cancel(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        play(vec![at_once(status(&context, TaskState::Canceled, None))])
    }
}

fn play(script: Script) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
    let events = stream::iter(script).then(|(pause, event)| async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Ok(event)
    });
    Box::pin(events)
}

fn at_once(event: StreamResponse) -> (Duration, StreamResponse) {
    (Duration::ZERO, event)
}

/// The task as it is when the work begins, with the message that began it.
fn task(context: &ExecutorContext, message: &Message) -> StreamResponse {
    let mut task = context.stored_task.clone().unwrap_or_else(|| Task {
        id: context.task_id.clone(),
        context_id: context.context_id.clone(),
        status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: None },
        artifacts: None,
        history: None,
        metadata: None,
    });
    let history = task.history.get_or_insert_with(Vec::new);
    // The SDK has put it there already when it is not asked for a stream.
    if history.last().is_none_or(|last| last.message_id != message.message_id) {
        history.push(message.clone());
    }
    StreamResponse::Task(task)
}

fn status(context: &ExecutorContext, state: TaskState, said: Option<&str>) -> StreamResponse {
    let message = said.map(|text| {
        let mut message = Message::new(Role::Agent, vec![Part::text(text)]);
        message.task_id = Some(context.task_id.clone());
        message.context_id = Some(context.context_id.clone());
        message
    });
    StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
        task_id: context.task_id.clone(),
        context_id: context.context_id.clone(),
        status: TaskStatus { state, message, timestamp: None },
        metadata: None,
    })
}

fn artifact(context: &ExecutorContext, id: &str, name: &str, text: &str) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent {
        task_id: context.task_id.clone(),
        context_id: context.context_id.clone(),
        artifact: Artifact {
            artifact_id: id.to_owned(),
            name: Some(name.to_owned()),
            description: None,
            parts: vec![Part::text(text)],
            metadata: None,
            extensions: None,
        },
        append: None,
        last_chunk: None,
        metadata: None,
    }
}

fn capabilities(token: Option<&str>) -> AgentCapabilities {
    AgentCapabilities {
        streaming: Some(true),
        push_notifications: Some(true),
        extensions: None,
        extended_agent_card: Some(token.is_some()),
    }
}

fn card(base: &str, token: Option<&str>) -> AgentCard {
    let mut card = open_card(base);
    card.capabilities = capabilities(token);
    if token.is_some() {
        let schemes = json!({
            "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
            "oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {
                "tokenUrl": "https://example.org/token",
                "scopes": {"echo": "Have texts echoed"},
            }}}},
        });
        card.security_schemes = serde_json::from_value(schemes).expect("schemes as the crate writes them");
        let requirement = |scheme: &str, scopes: Vec<String>| [(scheme.to_owned(), scopes)].into();
        card.security_requirements =
            Some(vec![requirement("bearer", Vec::new()), requirement("oauth", vec!["echo".to_owned()])]);
    }
    card
}

fn open_card(base: &str) -> AgentCard {
    AgentCard {
        name: "Rust SDK echo".to_owned(),
        description: "An echo on the Rust SDK, for tests.".to_owned(),
        version: "1.0.0".to_owned(),
        supported_interfaces: vec![
            AgentInterface::new(format!("{base}/rpc"), "JSONRPC"),
            AgentInterface::new(format!("{base}/rest"), "HTTP+JSON"),
        ],
        capabilities: capabilities(None),
        default_input_modes: vec!["text/plain".to_owned()],
        default_output_modes: vec!["text/plain".to_owned()],
        skills: vec![AgentSkill {
            id: "echo".to_owned(),
            name: "Echo".to_owned(),
            description: "Sends the text back in an artifact.".to_owned(),
            tags: vec!["echo".to_owned(), "test".to_owned()],
            examples: Some(["hello", "slow", "streaming", "input-required"].map(str::to_owned).to_vec()),
            input_modes: None,
            output_modes: None,
            security_requirements: None,
        }],
        provider: Some(AgentProvider {
            organization: "a2a-conformance".to_owned(),
            url: "https://example.org/".to_owned(),
        }),
        documentation_url: None,
        icon_url: None,
        security_schemes: None,
        security_requirements: None,
        signatures: None,
    }
}

/// Answers 401 to everybody who has not got the token.
async fn keep_door(token: Option<String>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes().to_vec());
    match token {
        Some(token) if given != Some(format!("Bearer {token}").into_bytes()) => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "Who are you?").into_response()
        }
        _ => next.run(request).await,
    }
}

/// What a user would paste behind the line that makes `app`, when the build was given a file with it.
#[cfg(feature = "pasted")]
fn share(app: axum::Router) -> axum::Router {
    include!(env!("A2A_PASTED_CORS"))
}

/// Everything is open to pages.
#[cfg(not(feature = "pasted"))]
fn share(app: axum::Router) -> axum::Router {
    use tower_http::cors::{AllowHeaders, Any, CorsLayer};
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(Any);
    app.layer(cors)
}

fn app(base: &str, token: Option<String>, is_shared: bool) -> axum::Router {
    let card = card(base, token.as_deref());
    // The SDK waits for each delivery, so it gives up soon; and it has to be told that webhooks may be on this machine.
    let sender = HttpPushSender::new(Some(HttpPushSenderConfig {
        timeout: Duration::from_millis(500),
        validate_urls: false,
        ..HttpPushSenderConfig::default()
    }));
    let mut handler = DefaultRequestHandler::new(EchoAgent, InMemoryTaskStore::new())
        .with_push_notifications(InMemoryPushConfigStore::new(), sender)
        .with_capabilities(capabilities(token.as_deref()))
        .with_default_input_modes(vec!["text/plain".to_owned()]);
    if token.is_some() {
        let mut extended = card.clone();
        extended.description.push_str(" You are known here.");
        handler = handler.with_extended_agent_card(extended);
    }
    let handler = Arc::new(handler);
    let app = axum::Router::new()
        .nest("/rpc", jsonrpc_router(handler.clone()))
        .nest("/rest", rest_router(handler))
        .layer(middleware::from_fn(move |request, next| keep_door(token.clone(), request, next)))
        .merge(agent_card_router(Arc::new(StaticAgentCard::new(card))));
    if is_shared { share(app) } else { app }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}", listener.local_addr()?);
    // The listener is open, so a client that connects now waits until the server accepts.
    println!("listening {base}");
    // `--no-cors` keeps pages of other origins out; any other word is the token.
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word == "--no-cors");
    axum::serve(listener, app(&base, words.into_iter().next(), flags.is_empty())).await
}
