//! The diagnosis of the way where a page would see no causes, when the agent itself is broken: a lamp is about all calls or
//! all streams, and never contradicts the rows.

use std::rc::Rc;

use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::engine::reach::{Stage, StageStatus};
use a2a_conformance::host::probe::{AddressSpace, PageOrigin, Permission, Probe, ProbeOutcome, Prober};
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::view_model::test_call::{self, TestCall};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, pending, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, FinishedRun, check_on, host};

/// A browser on the agent's own machine, for which every probe is answered.
struct OwnMachine;

impl Prober for OwnMachine {
    fn home(&self) -> PageOrigin {
        PageOrigin::from_address("http://localhost:8080/")
    }

    fn is_offline(&self) -> bool {
        false
    }

    fn is_barred_by_policy(&self, _origin: &str) -> bool {
        false
    }

    fn permission(&self, _space: AddressSpace) -> LocalBoxFuture<'static, Permission> {
        ready(Permission::Unknown).boxed_local()
    }

    fn permission_changed(&self, _space: AddressSpace, _was: Permission) -> LocalBoxFuture<'static, ()> {
        pending().boxed_local()
    }

    fn probe(&self, _probe: Probe) -> LocalBoxFuture<'static, ProbeOutcome> {
        ready(ProbeOutcome::Answer(200)).boxed_local()
    }
}

/// An agent whose event streams break off after the first piece, those that this is true of.
struct Cut(Rc<dyn Transport>, fn(&str) -> bool);

impl Transport for Cut {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let cuts = (self.1)(&request.url);
        let answer = self.0.send(request);
        async move {
            let mut answer = answer.await?;
            if cuts && answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                answer.body = answer.body.take(1).chain(iter([Err("reset".to_owned())])).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// An agent that lets in so many calls, and refuses all that come after with 429.
struct Limited(Rc<dyn Transport>, std::cell::Cell<u32>);

impl Transport for Limited {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if request.url.contains("/.well-known/") {
            return self.0.send(request);
        }
        if let Some(left) = self.1.get().checked_sub(1) {
            self.1.set(left);
            return self.0.send(request);
        }
        let head = ResponseHead { status: 429, headers: Headers::new(), url: request.url, redirected: false };
        ready(Ok(StreamedResponse { head, body: iter([]).boxed_local() })).boxed_local()
    }
}

fn check(at: &str, transport: impl FnOnce(Rc<dyn Transport>) -> Rc<dyn Transport>) -> FinishedRun {
    let (plain, clock) = host(&[]);
    let behind = Host { transport: transport(Rc::clone(&plain.transport)), prober: Some(Rc::new(OwnMachine)), ..plain };
    check_on(behind, &clock, Options { address: format!("{AGENT}{at}"), ..Options::default() })
}

/// Everything that was said of a stage, in order.
fn said(told: &FinishedRun, stage: Stage) -> Vec<StageStatus> {
    let of_stage = told.events.iter().filter_map(|event| match event {
        Event::Reach(reached) if reached.stage == stage => Some(reached.status),
        _ => None,
    });
    of_stage.collect()
}

#[test]
fn a_subscription_that_breaks_does_not_block_the_streams_that_arrive() {
    for at in ["/0.3", ""] {
        let told = check(at, |agent| Rc::new(Cut(agent, |url| url.contains(":subscribe"))));
        let said = said(&told, Stage::Stream);
        assert!(!said.is_empty() && said.iter().all(|status| *status == StageStatus::Passed), "{at}: {said:?}");
        assert!(told.cause.as_deref().is_none_or(|cause| !cause.contains("broke off")), "{at}: {:?}", told.cause);
    }
    // When every stream breaks off, something may be in between.
    let told = check("", |agent| Rc::new(Cut(agent, |_| true)));
    assert!(said(&told, Stage::Stream).contains(&StageStatus::Blocked));
}

#[test]
fn calls_that_are_turned_away_do_not_work() {
    for let_in in [0, 2] {
        let told = check("", |agent| Rc::new(Limited(agent, let_in.into())));
        assert_eq!(said(&told, Stage::Write).last(), Some(&StageStatus::Refused), "{let_in}");
    }
    let told = check("", |agent| agent);
    assert!(said(&told, Stage::Write).iter().all(|status| *status == StageStatus::Passed));
}

#[test]
fn there_is_no_way_to_a_card_that_was_handed_over() {
    let (plain, clock) = host(&[]);
    let source = Source::Card(br#"{"name":"A"}"#.to_vec());
    let options = Options { address: "a card".to_owned(), source, ..Options::default() };
    let told = check_on(Host { prober: Some(Rc::new(OwnMachine)), ..plain }, &clock, options);
    assert!(!told.results.is_empty() && !told.events.iter().any(|event| matches!(event, Event::Reach(_))));
}

#[test]
fn a_test_call_says_in_one_sentence_what_came() {
    let bearer = |token: &str| vec![("Authorization".to_owned(), format!("Bearer {token}"))];
    let refused = "your token was refused (HTTP 401: Bearer realm=\"scripted agent\")";
    for (faults, headers, says) in [
        (&["protected"] as &[&str], bearer("open-sesame"), "a call with these credentials was answered"),
        (&["protected"], bearer("not-the-token"), refused),
        (&["protected"], Vec::new(), "the agent requires credentials (HTTP 401: Bearer realm=\"scripted agent\")"),
        (
            &["card-missing"],
            Vec::new(),
            "no agent card found here; tried http://agent.test/.well-known/agent-card.json (HTTP 404), \
             http://agent.test/.well-known/agent.json (HTTP 404)",
        ),
    ] {
        let (host, clock) = host(faults);
        let only = vec![test_call::CHECK.to_owned()];
        let told = check_on(host, &clock, Options { headers, only, ..Options::default() });
        let mut call = TestCall::default();
        told.events.iter().for_each(|event| call.apply(event));
        assert_eq!(call.result(), says, "{faults:?}");
        assert_eq!(told.tally.messages, 0, "it makes the agent do nothing");
    }
}
