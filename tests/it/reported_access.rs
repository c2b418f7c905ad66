//! Agents that let nobody in without a refusal, and agents that are elsewhere than their card says: what people reported of checkers, rebuilt
//! on the wire.

use std::cell::Cell;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::VerdictWord;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::reported::{Changing, asks_for_credentials, failed_musts, is_card, only, verdict};
use crate::support::{AGENT, FinishedRun, JumpClock, check_on, host, report_of};

/// Where every call is redirected to, as transports report it.
#[derive(Debug, Clone, Copy)]
enum Led {
    /// It was followed, and a page came from there.
    Followed(&'static str),
    /// It leads to another origin, and was not followed.
    Unfollowed(&'static str),
}

/// A page that nothing but its address shows to be one where people sign in.
const PAGE: &str = "<!doctype html><title>Portal</title><form action=/session><input name=user></form>";

/// An agent all of whose calls are redirected.
struct Leading {
    agent: Rc<dyn Transport>,
    led: Led,
    calls: Rc<Cell<u32>>,
}

impl Transport for Leading {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if is_card(&request) {
            return self.agent.send(request);
        }
        self.calls.set(self.calls.get() + 1);
        let answer = match self.led {
            Led::Followed(to) => Ok(StreamedResponse {
                head: ResponseHead {
                    status: 200,
                    headers: [("content-type", "text/html; charset=utf-8")].into_iter().collect(),
                    url: to.to_owned(),
                    redirected: true,
                },
                body: iter([Ok(PAGE.as_bytes().to_vec())]).boxed_local(),
            }),
            Led::Unfollowed(to) => Err(TransportError {
                kind: TransportErrorKind::Redirect,
                detail: format!("redirected to {to}, another origin; the redirect was not followed"),
            }),
        };
        ready(answer).boxed_local()
    }
}

/// Checks an agent whose calls are redirected.
#[track_caller]
fn check_led(faults: &[&str], led: Led, options: Options) -> FinishedRun {
    let (host, clock): (Host, JumpClock) = host(faults);
    let calls = Rc::new(Cell::new(0));
    let leading = Leading { agent: Rc::clone(&host.transport), led, calls: Rc::clone(&calls) };
    let told = check_on(Host { transport: Rc::new(leading), ..host }, &clock, options);
    assert_ne!(calls.get(), 0, "{led:?}: no call was redirected");
    told
}

/// A version, and one of its interfaces alone.
fn one_interface(version: &str, binding: &str) -> Options {
    let chosen = version.strip_prefix('/').map(str::to_owned);
    Options { version: chosen, bindings: vec![binding.to_owned()], ..only(version) }
}

const HERE: &str = "http://agent.test/login?next=%2Frpc";
const ELSEWHERE: &str = "https://login.example.com/authorize?client_id=agent";

#[test]
fn a_redirect_to_where_people_sign_in_is_a_refusal() {
    for (version, bindings) in
        [("", &["jsonrpc", "rest"][..]), ("/0.3", &["jsonrpc", "rest"]), ("/0.2", &["jsonrpc"]), ("/0.1", &["jsonrpc"])]
    {
        for binding in bindings {
            for (led, said) in [
                (Led::Followed(HERE), "it answers with a page where people sign in, http://agent.test/login"),
                (Led::Unfollowed(ELSEWHERE), "a call was redirected to https://login.example.com/authorize"),
            ] {
                let case = format!("{version} {binding} {led:?}");
                let told = check_led(&["protected"], led, one_interface(version, binding));
                asks_for_credentials(&told, said, &case);
                assert_eq!(verdict(&told, "card.interface-accurate").outcome, Outcome::Blocked, "{case}");
                let of = verdict(&told, "send.accepts-text");
                assert_eq!(of.outcome, Outcome::Blocked, "{case}: {}", of.message);
                assert!(of.message.starts_with("the agent requires credentials: "), "{case}: {}", of.message);
            }
        }
    }
}

/// An agent that asks for nothing, or has moved to https, has not said that credentials are missing.
#[test]
fn a_redirect_alone_is_not_a_matter_of_credentials() {
    let asking = |told: &FinishedRun| {
        let told = told.results.iter().map(|result| &result.verdict.message).chain(&told.cause);
        told.filter(|text| text.to_lowercase().contains("agent requires credentials")).cloned().collect::<Vec<_>>()
    };
    for (faults, led) in [
        (&[][..], Led::Unfollowed(ELSEWHERE)),
        (&[], Led::Unfollowed("https://moved.example.com/rpc")),
        (&["protected"], Led::Unfollowed("https://agent.test/rpc")),
    ] {
        for binding in ["jsonrpc", "rest"] {
            let told = check_led(faults, led, one_interface("", binding));
            let case = format!("{faults:?} {binding} {led:?}");
            assert_eq!(failed_musts(&told), Vec::<String>::new(), "{case}");
            let report = report_of(&told);
            assert_eq!(report.word, VerdictWord::Incomplete, "{case}");
            let why = report.assessment.rating.to_string();
            assert!(why.contains("did not answer the first call") && why.contains("redirected to"), "{case}: {why}");
            assert_eq!(asking(&told), Vec::<String>::new(), "{case}");
        }
    }
    // Where the transport followed, the page there is what the interface returns.
    let told = check_led(&[], Led::Followed("https://moved.example.com/signin"), one_interface("", "jsonrpc"));
    assert_eq!(verdict(&told, "card.interface-accurate").outcome, Outcome::Fail);
    assert_eq!(asking(&told), Vec::<String>::new());
}

/// An agent whose endpoint over JSON-RPC is elsewhere than where its card says, and that has nothing at other addresses.
struct Moved {
    agent: Rc<dyn Transport>,
    /// Where the scripted agent has its endpoint, and where this one has it.
    from: String,
    to: String,
    /// What is answered everywhere else.
    status: u16,
    answered: Rc<Cell<u32>>,
}

impl Transport for Moved {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if is_card(&request) {
            return self.agent.send(request);
        }
        if request.url == self.to {
            self.answered.set(self.answered.get() + 1);
            request.url.clone_from(&self.from);
            return self.agent.send(request);
        }
        let head = ResponseHead {
            status: self.status,
            headers: [("content-type", "text/plain")].into_iter().collect(),
            url: request.url,
            redirected: false,
        };
        ready(Ok(StreamedResponse { head, body: iter([Ok(b"no".to_vec())]).boxed_local() })).boxed_local()
    }
}

/// The address of a card's only interface.
fn name_interface(card: &mut Value, url: &str) {
    if card["supportedInterfaces"].is_array() {
        let interface = json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
        card["supportedInterfaces"] = json!([interface]);
    }
    if card["url"].is_string()
        && let Some(card) = card.as_object_mut()
    {
        card.insert("url".to_owned(), json!(url));
        card.remove("additionalInterfaces");
    }
}

#[test]
fn wherever_the_agent_of_a_wrong_url_answers_its_address_is_named() {
    for version in ["", "/0.3", "/0.2"] {
        for to in ["/", "/v1", "/a2a"] {
            for status in [404, 405] {
                let case = format!("{version} {to} {status}");
                let (host, clock) = host(&[]);
                let answered = Rc::new(Cell::new(0));
                let moved = Rc::new(Moved {
                    agent: Rc::clone(&host.transport),
                    from: format!("{AGENT}{version}/rpc"),
                    to: format!("{AGENT}{to}"),
                    status,
                    answered: Rc::clone(&answered),
                });
                let change = |request: &Request, document: &mut Value| {
                    if is_card(request) {
                        name_interface(document, &format!("{AGENT}/api/v2"));
                    }
                };
                let transport = Rc::new(Changing { agent: moved, change });
                let told = check_on(Host { transport, ..host }, &clock, one_interface(version, "jsonrpc"));
                assert_ne!(answered.get(), 0, "{case}: nothing was asked there");
                let of = verdict(&told, "card.interface-accurate");
                assert_eq!(of.outcome, Outcome::Fail, "{case}: {}", of.message);
                let actual = of.actual.as_deref().unwrap_or_default();
                assert!(actual.contains(&format!("HTTP {status}")), "{case}: {actual}");
                assert!(actual.ends_with(&format!("; {AGENT}{to} answers such calls")), "{case}: {actual}");
                let failed = failed_musts(&told);
                let [only] = failed.as_slice() else { panic!("{case}: {failed:#?}") };
                assert!(only.starts_with("card.interface-accurate@"), "{case}: {only}");
            }
        }
    }
}
