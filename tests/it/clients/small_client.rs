//! A small client, which keeps to the specification unless it is told to misbehave.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::binding::{Binding, Call};
use a2a_conformance::a2a::dialect::Dialect;
use a2a_conformance::a2a::dialect::write::{ListQuery, Outgoing, PushConfigRequest};
use a2a_conformance::a2a::grpc_codec::to_wire;
use a2a_conformance::a2a::model::{Card, Interface, Operation};
use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::agent::gateway::Gateway;
use a2a_conformance::clients::ClientWatch;
use a2a_conformance::engine::detect::{detect, force, read};
use a2a_conformance::host::Clock;
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::server::{ExchangeRecorder, Situation, Situations, moved_cards, served_cards};
use a2a_conformance::wire::http::Request;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::misbehaviours::{alter, skips};
use crate::support::{AGENT, CountedIds, JumpClock};

/// The lanes that the client is run on: binding, version, and where the card is.
pub(super) const LANES: [&str; 7] =
    ["jsonrpc-1.0", "rest-1.0", "grpc-1.0", "jsonrpc-0.3", "rest-0.3", "jsonrpc-0.2", "jsonrpc-0.1"];

/// A request before it is sent.
pub(super) struct Draft {
    /// The step of the conversation.
    pub(super) step: &'static str,
    pub(super) request: Request,
    /// The body, where it is JSON.
    pub(super) body: Option<Value>,
    /// Whether the parameters are in an envelope.
    pub(super) is_rpc: bool,
    pub(super) version: &'static str,
}

impl Draft {
    /// The parameters in the body.
    pub(super) fn params(&mut self) -> Option<&mut Value> {
        let is_rpc = self.is_rpc;
        let body = self.body.as_mut()?;
        if is_rpc { body.get_mut("params") } else { Some(body) }
    }

    /// The message in the body.
    pub(super) fn message(&mut self) -> Option<&mut Value> {
        self.params()?.get_mut("message")
    }
}

pub(super) struct SmallClient {
    agent: ScriptedAgent,
    recorder: ExchangeRecorder,
    pub(super) misbehaviour: &'static str,
    dialect: &'static Dialect,
    binding: &'static Binding,
    interface: Interface,
    card: Card,
    card_url: String,
    token: bool,
    sent: u32,
}

/// What an answer told.
#[derive(Default)]
pub(super) struct Answer {
    status: u16,
    text: String,
    etag: String,
    location: String,
}

impl Answer {
    /// The first string with this name, wherever it stands.
    fn find(&self, name: &str) -> String {
        let key = format!("\"{name}\":\"");
        let rest = self.text.split_once(&key).map(|(_, rest)| rest).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

/// The report on the client on a lane, with a misbehaviour or none, against an agent with these faults and, behind an @, situations.
pub(super) fn watched(lane: &str, misbehaviour: &'static str, faults: &[&str]) -> Report {
    watched_when(lane, misbehaviour, faults, false)
}

/// The same; everything is judged anew after each message, or only in the end.
pub(super) fn watched_when(lane: &str, misbehaviour: &'static str, faults: &[&str], after_each: bool) -> Report {
    let clock = JumpClock::default();
    let report = Rc::new(RefCell::new(ReportBuilder::new(Environment::default())));
    clock.block_on(async {
        let situations = faults.iter().filter_map(|name| Situation::parse(name.strip_prefix('@')?));
        let situations = Situations::from(situations.collect::<Vec<_>>());
        let faults = faults.iter().copied().filter(|name| !name.starts_with('@'));
        let ids = faults.chain(lane.starts_with("grpc").then_some("grpc"));
        let faults = Faults::parse(ids).unwrap();
        let shared: Rc<dyn Clock> = Rc::new(clock.clone());
        let agent = ScriptedAgent::new(AGENT, Rc::clone(&shared), Rc::new(CountedIds::default()), faults.clone());
        let mut cards = served_cards(&agent, &faults).await;
        cards.extend(moved_cards(&cards, AGENT, &situations));
        let emit = {
            let report = Rc::clone(&report);
            Rc::new(move |event| report.borrow_mut().apply(&event))
        };
        let watch = Rc::new(RefCell::new(ClientWatch::new(AGENT, shared.wall_ms(), &cards, emit)));
        let recorder = {
            let watch = Rc::clone(&watch);
            ExchangeRecorder::in_situations(shared, situations, move |received| {
                watch.borrow_mut().receive(received);
                if after_each {
                    watch.borrow_mut().judge();
                }
            })
        };
        let client = SmallClient::new(agent, recorder.clone(), lane, misbehaviour, &faults).await;
        if let Some(mut client) = client {
            client.converse().await;
        }
        recorder.flush();
        watch.borrow_mut().finish(clock.now_ms());
    });
    report.borrow().report()
}

impl SmallClient {
    /// Reads the card, and chooses the interface of the lane.
    async fn new(
        agent: ScriptedAgent,
        recorder: ExchangeRecorder,
        lane: &str,
        misbehaviour: &'static str,
        faults: &Faults,
    ) -> Option<Self> {
        let (slug, version) = lane.split_once('-').unwrap();
        let path = match version {
            "1.0" => "/.well-known/agent-card.json",
            "0.3" => "/0.3/.well-known/agent-card.json",
            "0.2" => "/0.2/.well-known/agent.json",
            _ => "/0.1/.well-known/agent.json",
        };
        let card_url = format!("{AGENT}{path}");
        let mut client = Self {
            agent,
            recorder,
            misbehaviour,
            dialect: Dialect::of_version(version).unwrap(),
            binding: Binding::named(match slug {
                "jsonrpc" => "JSONRPC",
                "rest" => "HTTP+JSON",
                _ => "GRPC",
            })
            .unwrap(),
            interface: Interface::default(),
            card: Card::default(),
            card_url: card_url.clone(),
            token: !faults.credentials().is_empty(),
            sent: 0,
        };
        let answer = client.read_card(misbehaviour).await?;
        let document: Value = serde_json::from_str(&answer.text).unwrap();
        client.card = match version {
            "1.0" => read(&document, &detect(&document)),
            _ => force(&document, client.dialect).0,
        };
        let is_its = |known: &&Interface| {
            let is_of_version = Dialect::of_version(&known.version).is_some_and(|dialect| dialect.version == version);
            known.binding == client.binding.id && is_of_version
        };
        let mut interface = client.card.interfaces.iter().find(is_its).unwrap().clone();
        interface.url = (client.binding.url)(&interface.url).unwrap();
        client.interface = interface;
        client.dialect = client.dialect.over(client.binding.id);
        let again = Request::get(client.card_url.clone());
        let again =
            if misbehaviour == "card-refetched" { again } else { again.with_header("if-none-match", answer.etag) };
        client.exchange(again).await;
        Some(client)
    }

    /// Fetches the card, wherever it has moved to; `None` where it does not look.
    async fn read_card(&mut self, misbehaviour: &str) -> Option<Answer> {
        let answer = self.exchange(Request::get(self.card_url.clone())).await;
        if answer.location.is_empty() {
            return Some(answer);
        }
        if misbehaviour == "redirect-not-followed" {
            return None;
        }
        self.card_url.clone_from(&answer.location);
        Some(self.exchange(Request::get(answer.location)).await)
    }

    /// Sends a request and reads the whole answer; follows what has moved, and repeats what was lost.
    async fn exchange(&mut self, request: Request) -> Answer {
        let Some(answer) = self.attempt(request.clone()).await else {
            return self.attempt(repeated(self.misbehaviour, request)).await.unwrap_or_default();
        };
        match answer.status {
            307 => {
                let mut request = Request { url: answer.location, ..request };
                if self.misbehaviour != "credentials-forwarded" {
                    request.headers.remove("authorization");
                }
                self.attempt(request).await.unwrap_or_default()
            }
            410 if self.misbehaviour != "move-not-noticed" => {
                let card = self.attempt(Request::get(self.card_url.clone())).await.unwrap_or_default();
                assert!(card.text.contains("/moved/"), "{}", card.text);
                let moved = |url: &str| url.replacen(AGENT, &format!("{AGENT}/moved"), 1);
                self.interface.url = moved(&self.interface.url);
                self.attempt(Request { url: moved(&request.url), ..request }).await.unwrap_or_default()
            }
            _ => answer,
        }
    }

    /// The answer to a request, if one comes.
    async fn attempt(&self, request: Request) -> Option<Answer> {
        let request = request.with_header("user-agent", "small-client/1.0");
        let agent = Gateway::before(self.agent.clone());
        let answer = self.recorder.respond(&agent, request, "127.0.0.1:50000").await.ok()?;
        let field = |name: &str| answer.head.headers.get(name).unwrap_or_default().to_owned();
        let (status, etag, location) = (answer.head.status, field("etag"), field("location"));
        let chunks: Vec<_> = answer.body.collect().await;
        let bytes: Vec<u8> = chunks.into_iter().filter_map(Result::ok).flatten().collect();
        Some(Answer { status, text: String::from_utf8_lossy(&bytes).into_owned(), etag, location })
    }

    /// Makes the request of a call, as it ought to be or not.
    fn request(&mut self, step: &'static str, operation: Operation, params: Value) -> Option<Request> {
        if skips(self.misbehaviour, step) {
            return None;
        }
        self.sent += 1;
        let required = self.card.extensions.iter().filter(|(_, required)| *required).map(|(uri, _)| uri.clone());
        let call = Call {
            operation: Some(operation),
            params: Some(params),
            id: Value::from(self.sent),
            extensions: Some(required.collect()),
            ..Call::default()
        };
        let mut request = (self.binding.request)(self.dialect, &self.interface, &call).ok()?;
        if self.token {
            request = request.with_header("authorization", "Bearer open-sesame");
        }
        let body = request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
        let is_rpc = self.binding.id == "JSONRPC";
        let mut draft = Draft { step, request, body, is_rpc, version: self.dialect.version };
        let before = draft.body.clone();
        alter(self.misbehaviour, &mut draft);
        if draft.body != before {
            draft.request.body = draft.body.as_ref().map(|body| body.to_string().into_bytes());
        }
        Some(draft.request)
    }

    async fn call(&mut self, step: &'static str, operation: Operation, params: Value) -> Answer {
        let Some(request) = self.request(step, operation, params) else { return Answer::default() };
        let is_grpc = self.binding.id == "GRPC";
        let request = if is_grpc { to_wire(&request, true).unwrap_or(request) } else { request };
        self.exchange(request).await
    }

    async fn send(&mut self, step: &'static str, text: &str, task: Option<(&str, &str)>) -> Answer {
        let operation = if step == "stream" { Operation::SendStreamingMessage } else { Operation::SendMessage };
        let own = (self.dialect.version == "0.1").then(|| format!("task-{step}"));
        let outgoing = Outgoing {
            message_id: format!("m-{}", self.sent + 1),
            text: text.to_owned(),
            accepted_output_modes: vec!["text/plain".to_owned()],
            task_id: task.map(|(task, _)| task.to_owned()).or(own),
            context_id: task.map(|(_, context)| context.to_owned()).filter(|context| !context.is_empty()),
            return_immediately: (step == "begin").then_some(true),
            ..Outgoing::default()
        };
        let params = (self.dialect.send_params)(self.dialect, &outgoing);
        self.call(step, operation, params).await
    }

    /// The ids of the task in an answer, and of its context. Over gRPC the record has them.
    fn ids(&self, answer: &Answer) -> (String, String) {
        if self.binding.id == "GRPC" {
            let ids: Vec<&str> =
                answer.text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').filter(|id| id.len() == 36).collect();
            return (
                ids.first().copied().unwrap_or_default().to_owned(),
                ids.get(1).copied().unwrap_or_default().to_owned(),
            );
        }
        let named = |name: &str| {
            let at = answer.text.find("\"task\":{").or_else(|| answer.text.find("\"result\":{")).unwrap_or(0);
            Answer { text: answer.text[at..].to_owned(), ..Answer::default() }.find(name)
        };
        (named("id"), named("contextId"))
    }

    /// Every operation once, as its answers allow it.
    async fn converse(&mut self) {
        let bad = self.misbehaviour;
        self.send("message", "message-only hello", None).await;
        let finished = self.begin("task", "task-lifecycle").await;
        let turn = self.begin("ask", "multi-turn start").await;
        self.send("follow-up", "done", Some((&turn.0, &turn.1))).await;
        let begun = self.begin("begin", "task-cancel start").await;
        self.call("get", Operation::GetTask, (self.dialect.task_params)(&begun.0, Some(1))).await;
        if self.dialect.method(Operation::ListTasks).is_some() {
            let query = ListQuery { page_size: Some(10), ..ListQuery::default() };
            self.call("list", Operation::ListTasks, (self.dialect.list_params)(self.dialect, &query)).await;
        }
        if self.card.push_notifications || bad == "push-undeclared" {
            self.configure(&begun.0).await;
        }
        if self.card.streaming || bad == "stream-undeclared" {
            self.stream(&begun.0).await;
        }
        if self.card.extended_card || bad == "extended-undeclared" {
            self.call("extended", Operation::GetExtendedCard, json!({})).await;
        }
        self.call("cancel", Operation::CancelTask, (self.dialect.task_params)(&begun.0, None)).await;
        match bad {
            "message-to-finished-task" => drop(self.send("late", "more", Some((&finished.0, &finished.1))).await),
            "subscription-to-finished-task" => {
                let params = (self.dialect.task_params)(&finished.0, None);
                self.call("late", Operation::SubscribeToTask, params).await;
            }
            _ => {}
        }
        self.send("goodbye", "message-only goodbye", None).await;
    }

    /// Sends a message that begins a task; its ids.
    async fn begin(&mut self, step: &'static str, text: &str) -> (String, String) {
        let answer = self.send(step, text, None).await;
        self.ids(&answer)
    }

    async fn configure(&mut self, task: &str) {
        for (step, config, path) in [("push-1", "c-1", "first"), ("push-2", "c-2", "second")] {
            let wanted = PushConfigRequest {
                task_id: task.to_owned(),
                config_id: Some(config.to_owned()),
                url: format!("https://hooks.example.com/{path}"),
            };
            let mut params = (self.dialect.push_params)(Operation::CreatePushConfig, &wanted);
            let place = if params.get("pushNotificationConfig").is_some() { "/pushNotificationConfig" } else { "" };
            if let Some(config) = params.pointer_mut(place) {
                config["token"] = Value::from(format!("push-token-{step}"));
            }
            self.call(step, Operation::CreatePushConfig, params).await;
        }
        let named =
            PushConfigRequest { task_id: task.to_owned(), config_id: Some("c-1".to_owned()), ..Default::default() };
        let params = (self.dialect.push_params)(Operation::GetPushConfig, &named);
        self.call("push-get", Operation::GetPushConfig, params).await;
    }

    /// Streams a task and reads it afterwards, and subscribes to another, which it leaves after the first event.
    async fn stream(&mut self, running: &str) {
        let (task, _) = self.begin("stream", "streaming output").await;
        // The list and the cancel of another task would be asking, too.
        if self.misbehaviour == "stream-not-resumed" {
            self.send("ask-again", "message-only hello again", None).await;
        } else if !task.is_empty() {
            self.call("after-stream", Operation::GetTask, (self.dialect.task_params)(&task, None)).await;
        }
        let params = (self.dialect.task_params)(running, None);
        let Some(request) = self.request("subscribe", Operation::SubscribeToTask, params) else { return };
        let request = if self.binding.id == "GRPC" { to_wire(&request, true).unwrap_or(request) } else { request };
        let request = request.with_header("user-agent", "small-client/1.0");
        if let Ok(mut answer) =
            self.recorder.respond(&Gateway::before(self.agent.clone()), request, "127.0.0.1:50000").await
        {
            answer.body.next().await;
        }
    }
}

/// The second attempt, with the id of the first one or not.
fn repeated(misbehaviour: &str, request: Request) -> Request {
    let text = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let body = text.replace("\"messageId\":\"m-", "\"messageId\":\"again-").into_bytes();
    if misbehaviour == "retry-with-new-id" { Request { body: Some(body), ..request } } else { request }
}
