//! Agents behind every kind of credentials: each is checked fully, each secret goes only where the user agreed to, and is
//! found nowhere afterwards.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::load::LoadOptions;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::options::{FixedCredentials, OAuthClient};
use a2a_conformance::engine::security_schemes::SecurityScheme;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, StreamedResponse, Transport};
use a2a_conformance::report::{Environment, Format, ReportBuilder, write_or_raw};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Method, Request, ResponseHead};
use a2a_conformance::wire::url::decode;
use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::support::{AGENT, FinishedRun, JumpClock, check_on, host};

const TOKENS: &str = "https://id.test/token";
const CODES: &str = "https://id.test/code";
const CANARY: &str = "c4nary/+ \u{e4}";
/// The part of the canary that is the same in every form in which it can be written.
const TRACE: &str = "c4nary";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Bearer,
    Basic,
    Key,
    QueryKey,
    OAuth,
    OpenId,
    Device,
}

/// A gate before the scripted agent, which admits only requests with credentials of one kind; and an authorization server.
struct Gate {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    kind: Kind,
    /// For how many requests a token is good.
    uses: u32,
    /// How long the server says that a token lives.
    expires_in: Option<u32>,
    /// The URL of the interfaces, as the card gives it.
    moved: Option<&'static str>,
    tokens: Rc<Cell<u32>>,
    /// The server's answers to the question whether somebody has agreed, the last one first.
    words: RefCell<Vec<&'static str>>,
    left: Cell<u32>,
    sent: Rc<RefCell<Vec<Request>>>,
}

impl Gate {
    fn schemes(&self) -> Value {
        let flows = match self.kind {
            Kind::Device => {
                json!({ "deviceCode": { "deviceAuthorizationUrl": CODES, "tokenUrl": TOKENS, "scopes": {} } })
            }
            _ => json!({ "clientCredentials": { "tokenUrl": TOKENS, "scopes": { "all": "Everything" } } }),
        };
        json!({ "way": match self.kind {
            Kind::Bearer => json!({ "httpAuthSecurityScheme": { "scheme": "Bearer" } }),
            Kind::Basic => json!({ "httpAuthSecurityScheme": { "scheme": "Basic" } }),
            Kind::Key => json!({ "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } }),
            Kind::QueryKey => json!({ "apiKeySecurityScheme": { "location": "query", "name": "key" } }),
            Kind::OAuth | Kind::Device => json!({ "oauth2SecurityScheme": { "flows": flows } }),
            Kind::OpenId => json!({ "openIdConnectSecurityScheme": { "openIdConnectUrl": "https://id.test/about" } }),
        } })
    }

    fn token(&self) -> String {
        format!("{TRACE}-token-{}", self.tokens.get())
    }

    fn knows(&self, request: &Request) -> bool {
        let header = |name: &str| request.headers.get(name).unwrap_or_default().to_owned();
        let coded = a2a_conformance::wire::base64::STANDARD.encode(format!("me:{CANARY}").as_bytes());
        match self.kind {
            Kind::Bearer => header("authorization") == format!("Bearer {TRACE}-given"),
            Kind::Basic => header("authorization") == format!("Basic {coded}"),
            Kind::Key => header("x-key") == format!("{TRACE}-key"),
            Kind::QueryKey => {
                let query = request.url.split_once('?').map(|(_, query)| query).unwrap_or_default();
                query.split('&').any(|pair| pair.strip_prefix("key=").is_some_and(|value| decode(value) == CANARY))
            }
            Kind::OAuth | Kind::OpenId | Kind::Device => {
                let known = self.left.get() > 0 && header("authorization") == format!("Bearer {}", self.token());
                self.left.set(self.left.get().saturating_sub(u32::from(known)));
                known
            }
        }
    }

    /// RFC 8628 §3.2.
    fn ask(&self, request: &Request) -> StreamedResponse {
        assert_eq!(request.body.as_deref(), Some(b"client_id=me&scope=all".as_slice()));
        answered(
            200,
            json!({
                "device_code": format!("{TRACE}-device"), "user_code": "ABCD-EFGH", "expires_in": 60, "interval": 2,
                "verification_uri": "https://id.test/confirm",
            }),
        )
    }

    /// RFC 6749 §4.4.2, by a server that knows clients with a secret by the Authorization header only; of those without one
    /// it takes codes (RFC 8628 §3.4) and each refresh token once (RFC 6749 §6).
    fn give(&self, request: &Request) -> StreamedResponse {
        let form = String::from_utf8(request.body.clone().unwrap_or_default()).unwrap();
        if self.kind == Kind::Device {
            let refresh = format!("grant_type=refresh_token&refresh_token={}-again&client_id=me", self.token());
            if let Some(word) = self.words.borrow_mut().pop().filter(|_| form != refresh) {
                assert!(form.ends_with(&format!("device_code&device_code={TRACE}-device&client_id=me")), "{form}");
                if !word.is_empty() {
                    return answered(400, json!({ "error": word }));
                }
            } else {
                assert_eq!(form, refresh);
            }
            self.tokens.set(self.tokens.get() + 1);
            self.left.set(self.uses);
            let token = self.token();
            return answered(200, json!({ "access_token": token, "refresh_token": format!("{token}-again") }));
        }
        assert!(form.starts_with("grant_type=client_credentials&scope=all"), "{form}");
        let Some(shown) = request.headers.get("authorization") else {
            return answered(401, json!({ "error": "invalid_client", "error_description": form }));
        };
        // RFC 6749 §2.3.1: both are percent-encoded before.
        let coded = a2a_conformance::wire::base64::STANDARD.encode(b"me:c4nary%2F%2B%20%C3%A4");
        assert_eq!(shown, format!("Basic {coded}"));
        self.tokens.set(self.tokens.get() + 1);
        self.left.set(self.uses);
        answered(200, json!({ "access_token": self.token(), "token_type": "Bearer", "expires_in": self.expires_in }))
    }
}

fn answered(status: u16, document: Value) -> StreamedResponse {
    let headers = [("content-type", "application/json")].into_iter().collect();
    let head = ResponseHead { status, headers, url: String::new(), redirected: false };
    StreamedResponse { head, body: stream::iter([Ok(document.to_string().into_bytes())]).boxed_local() }
}

impl Transport for Gate {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.sent.borrow_mut().push(request.clone());
        if request.url == TOKENS {
            let (answer, thinking) = (self.give(&request), self.clock.sleep(50.0));
            // Meanwhile others are refused for the same reason.
            return Box::pin(async move {
                thinking.await;
                Ok(answer)
            });
        }
        if request.url == CODES {
            let answer = self.ask(&request);
            return Box::pin(async { Ok(answer) });
        }
        if request.url == "https://id.test/about" {
            return Box::pin(async { Ok(answered(200, json!({ "token_endpoint": TOKENS }))) });
        }
        let known = self.knows(&request);
        let echo = format!("{} {:?}", request.url, request.headers);
        request.headers.remove("authorization");
        if known {
            request.headers.push("authorization", "Bearer open-sesame");
        }
        if self.kind == Kind::QueryKey {
            let (path, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
            let rest: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("key=") && !pair.is_empty()).collect();
            request.url = if rest.is_empty() { path.to_owned() } else { format!("{path}?{}", rest.join("&")) };
        }
        let is_read = request.method == Method::Get;
        let (answering, schemes, moved) = (self.inner.send(request), self.schemes(), self.moved);
        let scopes: &[&str] =
            if matches!(self.kind, Kind::OAuth | Kind::OpenId | Kind::Device) { &["all"] } else { &[] };
        Box::pin(async move {
            let StreamedResponse { mut head, body } = answering.await?;
            head.headers.push("x-echo", echo);
            if head.headers.media_type().as_deref() == Some("text/event-stream") {
                return Ok(StreamedResponse { head, body });
            }
            let mut bytes = Vec::new();
            let mut body = body;
            while let Some(chunk) = body.next().await {
                bytes.extend(chunk.unwrap());
            }
            if let Ok(mut document) = serde_json::from_slice::<Value>(&bytes) {
                let card =
                    if document.get("result").is_some() { document.get_mut("result") } else { Some(&mut document) };
                if let Some(card) = card.filter(|card| card.get("securitySchemes").is_some()) {
                    card["securitySchemes"] = schemes;
                    card["securityRequirements"] = json!([{ "schemes": { "way": { "list": scopes } } }]);
                    if let Some(moved) = moved.filter(|_| is_read) {
                        card["supportedInterfaces"][1]["url"] = json!(moved);
                    }
                    bytes = document.to_string().into_bytes();
                }
            }
            Ok(StreamedResponse { head, body: stream::iter([Ok(bytes)]).boxed_local() })
        })
    }
}

/// An agent behind a gate, and what came of checking it.
struct CheckedRow {
    told: FinishedRun,
    tokens: u32,
    sent: Vec<Request>,
}

fn behind(kind: Kind, shape: impl FnOnce(&mut Gate), options: Options) -> CheckedRow {
    let (mut host, clock): (_, JumpClock) = host(&["protected"]);
    let (tokens, sent) = (Rc::new(Cell::new(0)), Rc::new(RefCell::default()));
    let mut gate = Gate {
        inner: Rc::clone(&host.transport),
        clock: Rc::clone(&host.clock),
        kind,
        uses: u32::MAX,
        expires_in: None,
        moved: None,
        tokens: Rc::clone(&tokens),
        words: RefCell::new(vec!["", "slow_down", "authorization_pending"]),
        left: Cell::new(0),
        sent: Rc::clone(&sent),
    };
    shape(&mut gate);
    host.transport = Rc::new(gate);
    let told = check_on(host, &clock, options);
    CheckedRow { told, tokens: tokens.get(), sent: sent.take() }
}

fn header(name: &str, value: String) -> Vec<(String, String)> {
    vec![(name.to_owned(), value)]
}

fn client(origins: &[&str]) -> Options {
    let client = OAuthClient { id: "me".into(), secret: CANARY.into(), scope: "all".into(), ..OAuthClient::default() };
    Options { client: Some(client), ..client_options(origins) }
}

fn right(kind: Kind) -> Options {
    let coded = || a2a_conformance::wire::base64::STANDARD.encode(format!("me:{CANARY}").as_bytes());
    match kind {
        Kind::Bearer => {
            Options { headers: header("Authorization", format!("Bearer {TRACE}-given")), ..Options::default() }
        }
        Kind::Basic => Options { headers: header("Authorization", format!("Basic {}", coded())), ..Options::default() },
        Kind::Key => Options { headers: header("X-Key", format!("{TRACE}-key")), ..Options::default() },
        Kind::QueryKey => Options { query: header("key", CANARY.to_owned()), ..Options::default() },
        Kind::OAuth | Kind::OpenId => client(&["https://id.test"]),
        Kind::Device => person(&["https://id.test"]),
    }
}

/// A client without a secret, for whom a person has to agree.
fn person(origins: &[&str]) -> Options {
    // The scope is the one that the card requires.
    let client = OAuthClient { id: "me".into(), ..OAuthClient::default() };
    Options { client: Some(client), ..client_options(origins) }
}

fn client_options(origins: &[&str]) -> Options {
    Options { origins: origins.iter().map(|origin| (*origin).to_owned()).collect(), ..Options::default() }
}

/// Everything that leaves the run, in every form.
fn exports(told: &FinishedRun) -> Vec<String> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    for event in &told.events {
        recorder.apply(event);
    }
    let report = recorder.report();
    let written = [Format::Json, Format::Markdown, Format::JUnit].map(|format| write_or_raw(&report, format).text);
    let mut all = vec![a2a_conformance::report::fallback::write(&report), format!("{:?}", told.events)];
    all.extend(written);
    for exchange in &told.exchanges {
        all.push(format!("{exchange:?}"));
        all.extend(exchange.request.body.iter().map(|body| String::from_utf8_lossy(body).into_owned()));
        all.extend(exchange.response.iter().map(|response| String::from_utf8_lossy(&response.body).into_owned()));
    }
    all
}

fn unchecked(told: &FinishedRun) -> Vec<String> {
    let open = |outcome| matches!(outcome, Outcome::Blocked | Outcome::HarnessError | Outcome::NotRun);
    let rows = told.results.iter().filter(|result| open(result.verdict.outcome));
    rows.map(|result| format!("{}: {}", result.row.check.id, result.verdict.message)).collect()
}

#[test]
fn an_agent_behind_any_kind_of_credentials_is_checked_fully_and_no_secret_is_left() {
    for kind in [Kind::Bearer, Kind::Basic, Kind::Key, Kind::QueryKey, Kind::OAuth, Kind::OpenId, Kind::Device] {
        let CheckedRow { told, .. } = behind(kind, |_| {}, right(kind));
        assert_eq!(told.completion, Completion::Complete, "{kind:?}");
        assert_eq!(told.tally.failed, 0, "{kind:?}: {:?}", told.tripped());
        assert_eq!(unchecked(&told), Vec::<String>::new(), "{kind:?}");
        let passed: Vec<_> = told.passed().into_iter().map(|(check, _)| check).collect();
        for check in
            ["auth.valid-credentials", "auth.invalid-credentials", "auth.other-scheme", "auth.missing-credentials"]
        {
            assert!(passed.contains(&check), "{kind:?}: {check}");
        }
        let bearer = matches!(kind, Kind::Bearer | Kind::OAuth | Kind::OpenId | Kind::Device);
        assert_eq!(passed.contains(&"auth.expired-credentials"), bearer, "{kind:?}");
        for export in exports(&told) {
            let coded = a2a_conformance::wire::base64::STANDARD.encode(format!("me:{CANARY}").as_bytes());
            let at = export.find(TRACE).or_else(|| export.find(&coded));
            let near = at.map(|at| export.get(at.saturating_sub(80)..at + 40).unwrap_or("(at a boundary)").to_owned());
            assert_eq!(near, None, "{kind:?}");
        }
    }
}

#[test]
fn an_expired_token_is_replaced_once_and_the_request_repeated() {
    let CheckedRow { told, tokens, .. } = behind(Kind::OAuth, |gate| gate.uses = 90, right(Kind::OAuth));
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert_eq!(unchecked(&told), Vec::<String>::new());
    assert!((3..20).contains(&tokens), "{tokens} tokens");
    // The token's lifetime that the server gives is believed, before the agent has to refuse the token.
    let CheckedRow { told, tokens, .. } = behind(Kind::OAuth, |gate| gate.expires_in = Some(5), right(Kind::OAuth));
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert!((2..200).contains(&tokens), "{tokens} tokens");
    // One that lives longer than the run is asked for once.
    let CheckedRow { told, tokens, .. } = behind(Kind::OAuth, |gate| gate.expires_in = Some(3600), right(Kind::OAuth));
    assert_eq!((told.tally.failed, tokens), (0, 1), "{:?}", told.tripped());
    // Also of the calls of a load, which are not on the record.
    let load = LoadOptions { duration_ms: 3_000.0, rate: 20.0, conversations: 50, is_owned: true };
    let options = Options { load: Some(load), only: vec!["load.*".to_owned()], ..right(Kind::OAuth) };
    let CheckedRow { told, tokens, .. } = behind(Kind::OAuth, |gate| gate.uses = 90, options);
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert!((3..20).contains(&tokens), "{tokens} tokens");
    let passed = told.passed();
    assert!(passed.iter().any(|(check, _)| check.starts_with("load.")), "{:?}", told.results);
}

#[test]
fn a_token_whose_endpoint_is_named_is_asked_for_before_the_card_and_a_code_only_behind_it() {
    for (kind, is_before) in [(Kind::OAuth, true), (Kind::Device, false)] {
        let mut options = right(kind);
        let client = options.client.as_mut().unwrap();
        client.token_url = TOKENS.to_owned();
        let CheckedRow { told, sent, .. } = behind(kind, |_| {}, options);
        assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
        let place = |of: &str| sent.iter().position(|request| request.url.contains(of)).unwrap();
        assert_eq!(place(TOKENS) < place("agent-card.json"), is_before, "{kind:?}");
    }
}

#[test]
fn the_device_flow_shows_a_code_and_polls_no_faster_than_the_server_allows() {
    let CheckedRow { told, tokens, .. } = behind(Kind::Device, |gate| gate.uses = 90, right(Kind::Device));
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert_eq!(unchecked(&told), Vec::<String>::new());
    assert!((3..20).contains(&tokens), "{tokens} tokens");
    let shown: Vec<_> = told.events.iter().filter(|event| matches!(event, Event::Confirm { .. })).collect();
    let [Event::Confirm { url, code, .. }] = shown.as_slice() else { panic!("{shown:?}") };
    assert_eq!((url.as_str(), code.as_str()), ("https://id.test/confirm", "ABCD-EFGH"));
    let asked: Vec<f64> =
        told.exchanges.iter().filter(|known| known.step == "token").map(|known| known.sent_ms).collect();
    let pauses: Vec<f64> = asked.windows(2).take(2).map(|pair| pair[1] - pair[0]).collect();
    // The server thinks for 50 ms each time.
    assert_eq!(pauses, [2050.0, 7050.0]);

    // A user who does not react, one who declines, and a server that was not allowed.
    for (words, origins, why) in [
        (vec!["authorization_pending"; 99], &["https://id.test"][..], "expired before anybody confirmed it"),
        (vec!["access_denied"], &["https://id.test"], "access_denied"),
        (vec![""], &[], "--allow-origin https://id.test"),
    ] {
        let CheckedRow { told, sent, .. } = behind(Kind::Device, |gate| *gate.words.get_mut() = words, person(origins));
        let Completion::Incomplete(said) = &told.completion else { panic!("{:?}", told.completion) };
        assert!(said.contains(why), "{said}");
        assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
        assert_eq!(sent.iter().any(|request| request.url == CODES), !origins.is_empty());
    }
    // A card without such a flow is named as the reason.
    let CheckedRow { told, .. } = behind(Kind::OAuth, |_| {}, person(&["https://id.test"]));
    assert!(
        matches!(&told.completion, Completion::Incomplete(why) if why.contains("device flow")),
        "{:?}",
        told.completion
    );
}

#[test]
fn a_refresh_token_replaces_an_expired_token_after_signing_in() {
    let options = || {
        let client = OAuthClient {
            id: "me".into(),
            token_url: TOKENS.into(),
            refresh: format!("{TRACE}-token-0-again"),
            ..OAuthClient::default()
        };
        let headers = header("Authorization", format!("Bearer {TRACE}-token-0"));
        Options { client: Some(client), headers, ..Options::default() }
    };
    let good = |gate: &mut Gate| {
        gate.words = RefCell::default();
        gate.uses = 60;
        gate.left = Cell::new(30);
    };
    let CheckedRow { told, tokens, .. } = behind(Kind::Device, good, options());
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert_eq!(unchecked(&told), Vec::<String>::new());
    assert!((2..20).contains(&tokens), "{tokens} tokens");
    assert!(exports(&told).iter().all(|export| !export.contains(TRACE)));
}

#[test]
fn a_token_that_never_worked_is_fetched_once() {
    let CheckedRow { told, tokens, .. } = behind(Kind::OAuth, |gate| gate.uses = 0, right(Kind::OAuth));
    assert_eq!(tokens, 1);
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    assert!(matches!(told.completion, Completion::Incomplete(_)));
}

#[test]
fn a_client_secret_is_not_sent_to_an_endpoint_that_only_the_card_names() {
    for kind in [Kind::OAuth, Kind::OpenId] {
        let CheckedRow { told, sent, .. } = behind(kind, |_| {}, client(&[]));
        assert!(sent.iter().all(|request| request.url != TOKENS));
        let Completion::Incomplete(why) = &told.completion else { panic!("{:?}", told.completion) };
        assert!(why.contains("--allow-origin https://id.test"), "{why}");
        assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    }
    // A user who types the endpoint has agreed to it.
    let mut options = client(&[]);
    options.client.as_mut().unwrap().token_url = TOKENS.to_owned();
    assert_eq!(behind(Kind::OAuth, |_| {}, options).told.completion, Completion::Complete);
}

#[test]
fn credentials_are_not_sent_to_another_origin_until_it_is_allowed() {
    let elsewhere = "https://evil.test/rest";
    let moved = |gate: &mut Gate| gate.moved = Some(elsewhere);
    let CheckedRow { told, sent, .. } = behind(Kind::Bearer, moved, right(Kind::Bearer));
    assert!(sent.iter().all(|request| !request.url.starts_with("https://evil.test")));
    assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
    let blocked = unchecked(&told);
    assert!(blocked.iter().any(|row| row.contains("--allow-origin https://evil.test")), "{blocked:?}");
    assert!(told.cause.is_some_and(|cause| cause.contains("https://evil.test")));
    let agent = told.events.iter().find_map(|event| match event {
        Event::Agent(agent) => Some(agent.clone()),
        _ => None,
    });
    let agent = agent.expect("a card");
    assert_eq!(agent.elsewhere, ["https://evil.test"]);
    assert_eq!(agent.asks, [SecurityScheme::Bearer]);

    let allowed = Options { origins: vec!["https://evil.test".to_owned()], ..right(Kind::Bearer) };
    let CheckedRow { sent, .. } = behind(Kind::Bearer, moved, allowed);
    let there: Vec<_> = sent.iter().filter(|request| request.url.starts_with(elsewhere)).collect();
    assert!(there.iter().any(|request| request.headers.get("authorization").is_some()));
}

#[test]
fn a_lane_may_have_credentials_of_its_own() {
    let own = FixedCredentials { headers: header("Authorization", format!("Bearer {TRACE}-given")), query: Vec::new() };
    let options = Options {
        headers: header("Authorization", "Bearer others".to_owned()),
        lanes: vec![("rest-1.0".to_owned(), own)],
        ..Options::default()
    };
    let CheckedRow { told, sent, .. } = behind(Kind::Bearer, |_| {}, options);
    let rest = told.passed().into_iter().filter(|(_, lane)| lane.as_deref() == Some("rest-1.0")).count();
    let rpc = told.passed().into_iter().filter(|(_, lane)| lane.as_deref() == Some("jsonrpc-1.0")).count();
    // A gate that refuses requests without credentials refuses those of others too.
    assert!(rest > 100 && rpc < 10, "{rest} {rpc}");
    assert!(sent.iter().all(|request| request.url.starts_with(AGENT)));
    assert!(exports(&told).iter().all(|export| !export.contains(TRACE)));
}

#[test]
fn credentials_for_an_unknown_interface_are_reported_before_any_message_is_sent() {
    let own = FixedCredentials { headers: header("Authorization", format!("Bearer {TRACE}-given")), query: Vec::new() };
    let options = Options { lanes: vec![("rest-2.0".to_owned(), own)], ..Options::default() };
    let CheckedRow { told, .. } = behind(Kind::Bearer, |_| {}, options);
    let why = "credentials were given for the interface rest-2.0, which this agent does not have; it has jsonrpc-1.0, rest-1.0";
    assert_eq!(told.cause.as_deref(), Some(why));
    assert_eq!(told.tally.messages, 0);
}

#[test]
fn credentials_that_were_refused_are_not_said_to_be_missing() {
    let options = |headers: Vec<(String, String)>| Options { address: AGENT.to_owned(), headers, ..Options::default() };
    let messages = |headers| {
        let (host, clock): (_, JumpClock) = host(&["protected"]);
        let told = check_on(host, &clock, options(headers));
        told.results.iter().map(|row| format!("{}: {}", row.row.check.id, row.verdict.message)).collect::<Vec<_>>()
    };
    let none_given = |text: &String| text.contains("no credentials were given");
    let wrong = messages(vec![("Authorization".to_owned(), "Bearer wrong".to_owned())]);
    assert!(wrong.iter().any(|text| text.starts_with("auth.valid-credentials: your token was refused")), "{wrong:#?}");
    assert!(!wrong.iter().any(none_given), "{wrong:#?}");
    let hidden = wrong.iter().filter(|text| text.contains("did not run") || text.contains("no task was listed"));
    assert_eq!(hidden.collect::<Vec<_>>(), Vec::<&String>::new());
}
