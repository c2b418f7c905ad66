//! A second identity that gets its tokens from an authorization server: as a client with a secret, and as a person who
//! agrees; what happens when it gets none; and that neither identity goes with the other's token.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::agent::fault::{SECOND_TOKEN, TOKEN};
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::{OAuthClient, Options};
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{StreamedResponse, Transport};
use a2a_conformance::report::{Environment, Format, ReportBuilder, fallback, write_or_raw};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Request, ResponseHead};
use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::support::{FinishedRun, check_on, host};

const TOKENS: &str = "https://id.test/token";
const CODES: &str = "https://id.test/code";
/// A text that is in every secret, by which a leak is found.
const TRACE: &str = "c4nary";

/// An authorization server, before an agent that has two users.
struct Server {
    inner: Rc<dyn Transport>,
    /// For how many calls a token is good.
    uses: usize,
    /// The tokens, each with its client and the calls that it is good for.
    tokens: Rc<RefCell<Vec<(String, usize)>>>,
    /// The requests to the agent, each with the identity that was admitted.
    sent: Rc<RefCell<Vec<Request>>>,
    asked_for_device: Cell<bool>,
}

impl Server {
    fn answer(&self, request: &Request) -> StreamedResponse {
        let form = String::from_utf8(request.body.clone().unwrap_or_default()).unwrap();
        let field = |name: &str| {
            let pair = form.split('&').filter_map(|pair| pair.split_once('='));
            pair.filter(|(known, _)| *known == name).map(|(_, value)| value.to_owned()).next().unwrap_or_default()
        };
        let client = field("client_id");
        if request.url == CODES {
            self.asked_for_device.set(true);
            let codes = json!({ "device_code": format!("{TRACE}-device"), "user_code": "ABCD-EFGH", "interval": 1,
                "expires_in": 60, "verification_uri": "https://id.test/confirm" });
            return answered(200, &codes);
        }
        let is_known = match field("grant_type").as_str() {
            "client_credentials" => field("client_secret") == format!("{TRACE}-of-{client}"),
            _ => client == "app" && field("device_code") == format!("{TRACE}-device"),
        };
        if !is_known {
            return answered(401, &json!({ "error": "invalid_client", "error_description": form }));
        }
        self.tokens.borrow_mut().push((client, self.uses));
        let token = format!("{TRACE}-token-{}", self.tokens.borrow().len());
        answered(200, &json!({ "access_token": token, "token_type": "Bearer" }))
    }

    /// The agent's own token for whoever a token was given to.
    fn user(&self, request: &Request) -> Option<&'static str> {
        let number = request.headers.get("authorization")?.strip_prefix(&format!("Bearer {TRACE}-token-"))?;
        let mut tokens = self.tokens.borrow_mut();
        let (client, left) = tokens.get_mut(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        *left = left.checked_sub(1)?;
        Some(if client == "me" { TOKEN } else { SECOND_TOKEN })
    }
}

fn answered(status: u16, document: &Value) -> StreamedResponse {
    let headers = [("content-type", "application/json")].into_iter().collect();
    let head = ResponseHead { status, headers, url: String::new(), redirected: false };
    StreamedResponse { head, body: stream::iter([Ok(document.to_string().into_bytes())]).boxed_local() }
}

impl Transport for Server {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if [TOKENS, CODES].contains(&request.url.as_str()) {
            let answer = self.answer(&request);
            return Box::pin(async { Ok(answer) });
        }
        self.sent.borrow_mut().push(request.clone());
        let user = self.user(&request);
        request.headers.remove("authorization");
        if let Some(user) = user {
            request.headers.push("authorization", format!("Bearer {user}"));
        }
        let answer = self.inner.send(request);
        Box::pin(async move {
            let mut answer = answer.await?;
            let body: Vec<u8> = match answer.head.headers.media_type().as_deref() {
                Some("text/event-stream") => return Ok(answer),
                _ => answer.body.map(Result::unwrap).concat().await,
            };
            let flows = json!({
                "clientCredentials": { "tokenUrl": TOKENS, "scopes": {} },
                "deviceCode": { "deviceAuthorizationUrl": CODES, "tokenUrl": TOKENS, "scopes": {} },
            });
            let changed = serde_json::from_slice::<Value>(&body).map(|mut document| {
                let is_extended = document["result"].get("securitySchemes").is_some();
                let card = if is_extended { &mut document["result"] } else { &mut document };
                if card.get("securitySchemes").is_some() {
                    card["securitySchemes"] = json!({ "way": { "oauth2SecurityScheme": { "flows": flows } } });
                    card["securityRequirements"] = json!([{ "schemes": { "way": { "list": [] } } }]);
                }
                document.to_string().into_bytes()
            });
            answer.body = stream::iter([Ok(changed.unwrap_or(body))]).boxed_local();
            Ok(answer)
        })
    }
}

fn client(id: &str, secret: &str) -> Option<OAuthClient> {
    Some(OAuthClient { id: id.to_owned(), secret: secret.to_owned(), ..OAuthClient::default() })
}

/// The result of a run.
struct Ran {
    told: FinishedRun,
    /// The clients that tokens were given to, in order.
    clients: Vec<String>,
    sent: Vec<Request>,
}

fn ran(faults: &[&str], uses: usize, second_client: Option<OAuthClient>) -> Ran {
    let (mut host, clock) = host(faults);
    let (tokens, sent) = (Rc::new(RefCell::default()), Rc::new(RefCell::default()));
    host.transport = Rc::new(Server {
        inner: Rc::clone(&host.transport),
        uses,
        tokens: Rc::clone(&tokens),
        sent: Rc::clone(&sent),
        asked_for_device: Cell::default(),
    });
    let (client, origins) = (client("me", "c4nary-of-me"), vec!["https://id.test".to_owned()]);
    let told = check_on(host, &clock, Options { client, second_client, origins, ..Options::default() });
    let clients = tokens.take().into_iter().map(|(client, _)| client).collect();
    Ran { told, clients, sent: sent.take() }
}

/// How the checks of two identities ended.
fn foreign(told: &FinishedRun) -> Vec<(&'static str, Outcome, String)> {
    let ours = told.results.iter().filter(|result| result.row.check.id.starts_with("auth.foreign-"));
    ours.map(|result| (result.row.check.id, result.verdict.outcome, result.verdict.message.clone())).collect()
}

fn exports(told: &FinishedRun) -> String {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    told.events.iter().for_each(|event| recorder.apply(event));
    let report = recorder.report();
    let written = [Format::Json, Format::Markdown, Format::JUnit].map(|format| write_or_raw(&report, format).text);
    format!("{} {} {:?} {:?}", written.concat(), fallback::write(&report), told.events, told.exchanges)
}

#[test]
fn a_second_client_gets_tokens_of_its_own_and_new_ones_when_they_expire() {
    let Ran { told, clients, sent } = ran(&["two-users"], 60, client("other", "c4nary-of-other"));
    assert_eq!(told.completion, Completion::Complete);
    assert_eq!(told.tripped(), [""; 0]);
    for (id, outcome, message) in foreign(&told) {
        assert_eq!(outcome, Outcome::Pass, "{id}: {message}");
    }
    assert!(clients.iter().filter(|client| *client == "me").count() > 1, "{clients:?}");
    assert!(clients.iter().any(|client| client == "other"), "{clients:?}");
    let text = exports(&told);
    let at = text.find(TRACE);
    assert_eq!(at.and_then(|at| text.get(at.saturating_sub(80)..at + 40)), None);
    assert!(format!("{sent:?}").contains(TRACE));
    assert!(text.contains("oauth client of the second identity"));

    // Few calls are the second's, so its token has to be good for fewer to expire.
    let Ran { told, clients, .. } = ran(&["two-users"], 12, client("other", "c4nary-of-other"));
    assert!(clients.iter().filter(|client| *client == "other").count() > 1, "{clients:?}");
    assert_eq!(told.tripped(), [""; 0]);
}

#[test]
fn an_agent_that_mixes_the_users_up_is_found_with_clients_too() {
    let Ran { told, .. } = ran(&["foreign-task-read"], 1000, client("other", "c4nary-of-other"));
    assert_eq!(told.tripped(), ["auth.foreign-get"]);
}

#[test]
fn a_second_person_agrees_and_is_told_for_whom() {
    let Ran { told, clients, .. } = ran(&["two-users"], 1000, client("app", ""));
    assert_eq!(clients, ["me", "app"]);
    let whom = told.events.iter().filter_map(|event| match event {
        Event::Confirm { whom, .. } => Some(*whom),
        _ => None,
    });
    assert_eq!(whom.collect::<Vec<_>>(), ["the second identity"]);
    assert!(foreign(&told).iter().all(|(_, outcome, _)| *outcome == Outcome::Pass));
}

#[test]
fn without_its_token_only_what_needs_the_second_identity_is_left_open() {
    let Ran { told, sent, .. } = ran(&["two-users"], 1000, client("other", "c4nary-of-nobody"));
    assert_eq!(told.completion, Completion::Complete);
    assert_eq!(told.tripped(), [""; 0]);
    let foreign = foreign(&told);
    assert!(foreign.len() >= 8);
    for (id, outcome, message) in foreign {
        assert_eq!(outcome, Outcome::Blocked, "{id}: {message}");
        assert!(message.contains("second identity") && message.contains("invalid_client"), "{id}: {message}");
        assert!(!message.contains(TRACE), "{message}");
    }
    assert!(!sent.is_empty());
    assert!(told.exchanges.iter().all(|exchange| exchange.scenario != "auth-foreign-tasks"));
}
