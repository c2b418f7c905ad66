//! Headers are there, not there, or hidden: what a page sees of an agent that exposes some of them, all, or none. A check
//! that needs a hidden one is not observable and names it; what a page knows to be missing counts as missing.

use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{StreamedResponse, Transport, Visibility};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::support::{FinishedRun, SECURE_AGENT, check_on, host};
use a2a_conformance::agent::fault::Faults;

/// Fetch §CORS-safelisted response-header name.
const SAFE: [&str; 7] =
    ["cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma"];

/// The agent as a browser shows it to a page, when the agent exposes these headers.
struct Shown {
    inner: Rc<dyn Transport>,
    exposed: &'static str,
}

impl Transport for Shown {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (sent, exposed) = (self.inner.send(request), self.exposed);
        async move {
            let mut answer = sent.await?;
            let is_seen = |name: &str| {
                let name = name.to_ascii_lowercase();
                SAFE.contains(&name.as_str()) || exposed == "*" || exposed.split(", ").any(|known| known == name)
            };
            let all = answer.head.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
            let all = all.chain([("access-control-expose-headers".to_owned(), exposed.to_owned())]);
            answer.head.headers = all.filter(|(name, _)| is_seen(name)).collect();
            Ok(answer)
        }
        .boxed_local()
    }
}

fn check(faults: &[&str], exposed: &'static str) -> FinishedRun {
    let (host, clock) = host(faults);
    let inner = Rc::clone(&host.transport);
    let host = a2a_conformance::host::Host {
        transport: Rc::new(Shown { inner, exposed }),
        visibility: Visibility::PAGE,
        ..host
    };
    let known = Faults::parse(faults.iter().copied()).unwrap();
    let address = if faults.contains(&"https") { SECURE_AGENT.to_owned() } else { String::new() };
    check_on(host, &clock, Options { address, headers: known.credentials(), ..Options::default() })
}

/// Every check that goes by a header which is not on the safelist, with the header, the variant in which the agent sends it,
/// and the fault of which it does not.
const ROWS: [(&str, &str, &str, &str); 4] = [
    ("discovery.etag", "ETag", "", "card-no-etag"),
    ("auth.challenge", "WWW-Authenticate", "protected", "auth-no-challenge"),
    ("transport.hsts", "Strict-Transport-Security", "https", "no-hsts"),
    ("error.rate-limit", "Retry-After", "", "rate-limited"),
];

fn outcome(told: &FinishedRun, check: &str) -> (Outcome, String) {
    let result = told.results.iter().find(|result| result.row.check.id == check).expect(check);
    (result.verdict.outcome, result.verdict.message.clone())
}

#[test]
fn a_check_that_needs_a_hidden_header_is_not_observable_and_names_it() {
    for (check_id, header, variant, fault) in ROWS {
        for faults in [vec![variant], vec![variant, fault]] {
            let faults: Vec<_> = faults.into_iter().filter(|id| !id.is_empty()).collect();
            if check_id == "error.rate-limit" && !faults.contains(&fault) {
                continue;
            }
            let (found, message) = outcome(&check(&faults, ""), check_id);
            assert_eq!(found, Outcome::NotObservable, "{check_id} {faults:?}: {message}");
            assert!(message.contains(header) && message.contains("Access-Control-Expose-Headers"), "{message}");
        }
    }
    // Checks that depend on a hidden header are hidden as well.
    let (found, message) = outcome(&check(&[], ""), "discovery.conditional-get");
    assert!(found == Outcome::NotObservable && message.contains("ETag"), "{message}");
    let told = check(&["extensions"], "");
    let hidden: Vec<_> =
        told.results.iter().filter(|result| result.verdict.outcome == Outcome::NotObservable).collect();
    assert!(hidden.iter().any(|result| result.verdict.message.contains("A2A-Extensions")));
}

#[test]
fn an_unsent_header_is_known_to_be_missing_when_the_agent_exposes_everything() {
    for (check_id, _, variant, fault) in ROWS {
        let faults: Vec<_> = [variant, fault].into_iter().filter(|id| !id.is_empty()).collect();
        let (found, message) = outcome(&check(&faults, "*"), check_id);
        assert_eq!(found, Outcome::Fail, "{check_id}: {message}");
    }
}

#[test]
fn a_header_that_is_exposed_is_judged() {
    let exposed = "www-authenticate, etag, retry-after, a2a-extensions, strict-transport-security";
    for (check_id, _, variant, _) in ROWS {
        let faults: Vec<_> = [variant].into_iter().filter(|id| !id.is_empty()).collect();
        if check_id != "error.rate-limit" {
            let (found, message) = outcome(&check(&faults, exposed), check_id);
            assert_eq!(found, Outcome::Pass, "{check_id}: {message}");
        }
    }
    let told = check(&[], exposed);
    assert_eq!(outcome(&told, "discovery.conditional-get").0, Outcome::Pass);
}

#[test]
fn nothing_fails_for_a_header_that_is_hidden() {
    for variant in ["", "protected", "https", "extensions"] {
        let faults: Vec<_> = [variant].into_iter().filter(|id| !id.is_empty()).collect();
        for exposed in ["", "*"] {
            let told = check(&faults, exposed);
            let failed: Vec<_> = told
                .results
                .iter()
                .filter(|result| result.verdict.outcome == Outcome::Fail)
                .map(|result| result.row.check.id)
                .collect();
            assert_eq!(failed, Vec::<&str>::new(), "{faults:?} {exposed:?}");
        }
    }
}
