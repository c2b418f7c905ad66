//! The waits of a run: each is named, can be made longer, and can be given up. A request that was given up never counts
//! against an agent.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::user_waits::{Waiting, Waits};
use a2a_conformance::engine::verdict::{Outcome, Status};
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{once, pending};
use futures_util::{FutureExt, StreamExt};

use crate::support::{FinishedRun, check_watched, host};

/// Called while a request is not answered.
type Meanwhile = fn(&Waits, &[Waiting]);

/// The part of a late answer that is late.
#[derive(Clone, Copy, PartialEq)]
enum Late {
    /// Before its head.
    Head,
    /// After the first chunk of its body.
    Body,
}

/// Answers one request late or never, and notes what the run waits for in between.
struct Hanging {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    waits: Waits,
    /// The number of the request, from 1.
    nth: u32,
    late: Late,
    /// When something is done about it, and when it is answered at last.
    times_ms: (f64, f64),
    meanwhile: Meanwhile,
    count: Cell<u32>,
    seen: Rc<RefCell<Vec<Waiting>>>,
}

impl Transport for Hanging {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.count.set(self.count.get() + 1);
        let answer = self.inner.send(request);
        if self.count.get() != self.nth {
            return answer;
        }
        let (clock, waits, seen) = (Rc::clone(&self.clock), self.waits.clone(), Rc::clone(&self.seen));
        let ((first_ms, then_ms), meanwhile, late) = (self.times_ms, self.meanwhile, self.late);
        let hang = async move {
            clock.sleep(first_ms).await;
            let list = waits.list();
            meanwhile(&waits, &list);
            seen.replace(list);
            if then_ms.is_infinite() {
                std::future::pending::<()>().await;
            }
            clock.sleep(then_ms).await;
        };
        async move {
            if late == Late::Head {
                hang.await;
                return answer.await;
            }
            let mut answer = answer.await?;
            let first = answer.body.next().await;
            let rest = once(hang).filter_map(|()| async { None });
            answer.body =
                futures_util::stream::iter(first).chain(rest).chain(answer.body).chain(pending().take(0)).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

fn check(nth: u32, late: Late, times_ms: (f64, f64), meanwhile: Meanwhile) -> (FinishedRun, Vec<Waiting>, u32) {
    let (host, clock) = host(&[]);
    let (waits, seen) = (Waits::default(), Rc::default());
    let transport = Rc::new(Hanging {
        inner: Rc::clone(&host.transport),
        clock: Rc::clone(&host.clock),
        waits: waits.clone(),
        nth,
        late,
        times_ms,
        meanwhile,
        count: Cell::default(),
        seen: Rc::clone(&seen),
    });
    let options =
        Options { only: vec!["get.*".to_owned(), "send.*".to_owned(), "stream.*".to_owned()], ..Options::default() };
    let counted: Rc<dyn Transport> = Rc::clone(&transport) as _;
    let told = check_watched(Host { transport: counted, ..host }, &clock, suite::AREAS, options, waits.clone());
    assert!(waits.list().is_empty(), "nothing is awaited after a run");
    (told, seen.take(), transport.count.get())
}

const NEVER: f64 = f64::INFINITY;

fn give_up(waits: &Waits, list: &[Waiting]) {
    // All of them: which one hangs, the test does not know.
    for wait in list {
        waits.give_up(wait.id);
    }
}

fn wait_longer(waits: &Waits, list: &[Waiting]) {
    for wait in list {
        waits.wait_longer(wait.id);
    }
}

fn outcomes(told: &FinishedRun) -> BTreeMap<String, Outcome> {
    told.results.iter().map(|result| (result.row.key(), result.verdict.outcome)).collect()
}

#[test]
fn what_is_awaited_has_a_name_a_time_and_a_limit() {
    let mut names = Vec::new();
    for nth in (1..=40).step_by(3) {
        let (_, seen, _) = check(nth, Late::Head, (4_000.0, 0.0), |_, _| {});
        let longest = seen.first().unwrap_or_else(|| panic!("nothing is awaited at request {nth}"));
        assert!((4_000.0..4_100.0).contains(&longest.waited_ms), "{longest:?}");
        // What costs the agent no work is waited for by what its other answers took.
        assert!([5_000.0, 30_000.0, 45_000.0].contains(&longest.limit_ms.round()), "{longest:?}");
        names.push(longest.what.clone());
    }
    assert_eq!(names[0], "the agent card");
    assert!(
        names.iter().any(|name| name == "GetTask") && names.iter().any(|name| name.starts_with("Send")),
        "{names:?}"
    );
}

#[test]
fn what_is_given_up_is_not_held_against_the_agent() {
    let (_, _, requests) = check(0, Late::Head, (0.0, 0.0), give_up);
    assert!(requests > 30, "{requests}");
    for late in [Late::Head, Late::Body] {
        let mut unjudged = 0;
        // A few of each conversation; all of them take minutes.
        for nth in (1..=requests).step_by(13) {
            let (told, _, _) = check(nth, late, (3_000.0, NEVER), give_up);
            for result in &told.results {
                let verdict = &result.verdict;
                let found = verdict.outcome.status() == Status::Fail || verdict.outcome == Outcome::Note;
                assert!(!found, "request {nth}: {}: {}", result.row.key(), verdict.message);
            }
            unjudged +=
                told.results.iter().filter(|result| result.verdict.message.contains("you gave up after 3 s")).count();
        }
        assert!(unjudged > 5, "{unjudged}");
    }
}

#[test]
fn who_waits_longer_sees_what_comes_and_all_that_follows() {
    let (usual, _, requests) = check(0, Late::Head, (0.0, 0.0), |_, _| {});
    for late in [Late::Head, Late::Body] {
        let mut helped = 0;
        for nth in (2..requests).step_by(11) {
            // Until shortly before the limit, and then longer than its conversation may take.
            let (patient, seen, _) = check(nth, late, (29_000.0, 40_000.0), wait_longer);
            let (hasty, _, _) = check(nth, late, (29_000.0, 45_000.0), |_, _| {});
            if seen.is_empty() {
                continue;
            }
            assert_eq!(outcomes(&patient), outcomes(&usual), "request {nth}");
            helped += u32::from(outcomes(&hasty) != outcomes(&usual));
        }
        assert!(helped > 1, "{helped}");
    }
}
