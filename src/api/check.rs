//! `check`: one run from beginning to end, and the updates that its caller hears of.

use std::cell::RefCell;
use std::rc::Rc;

use super::host::Host;
use super::options::Options;
use super::report::{CheckResult, Report};
use crate::engine::event::Event;
use crate::engine::run::run;
use crate::report::{CheckedRow, Environment, ReportBuilder};
use crate::suite::areas_for;

/// An event of a run. More kinds may come.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Update {
    /// This many more results will come, at the price of at most this many messages to the agent.
    Planned {
        /// Results that this part of the plan adds.
        results: usize,
        /// Messages that it sends at most.
        messages: u32,
    },
    /// A check was judged.
    Judged(CheckResult),
}

/// Checks an agent and answers the report. `sink` is told of each result as it comes.
///
/// The run needs no runtime of its own: it waits by the clock of its host only. It is single-threaded, so its future is not
/// `Send`. Dropping the future stops the run and aborts its requests. An address that cannot be checked, or an agent that
/// cannot be reached, is a report whose verdict is incomplete and says why.
///
/// ```
/// use a2a_conformance::{Options, ScriptedAgent, VerdictWord, VirtualClock, check};
///
/// let clock = VirtualClock::default();
/// let agent = ScriptedAgent::new(&clock, ["get-wrapped"]).expect("a known fault");
/// let options = Options::new(agent.address()).only("get.*");
/// let report = clock.block_on(check(agent.host(), options, |_| ()));
///
/// assert_eq!(report.verdict(), VerdictWord::NotConformant);
/// let failed: Vec<_> = report.results().filter(|result| result.is_failure()).map(|result| result.check).collect();
/// assert!(failed.contains(&"get.returns-task"));
/// ```
pub async fn check(host: Host, options: Options, sink: impl FnMut(Update) + 'static) -> Report {
    let builder = Rc::new(RefCell::new(ReportBuilder::new(Environment::on(host.name))));
    let emit = {
        let builder = Rc::clone(&builder);
        let sink = RefCell::new(sink);
        move |event: Event| {
            builder.borrow_mut().apply(&event);
            let update = match &event {
                Event::Planned { rows, messages } => Update::Planned { results: rows.len(), messages: *messages },
                Event::Judged { result, .. } => Update::Judged(CheckResult::new(&CheckedRow::judged(result))),
                _ => return,
            };
            (sink.borrow_mut())(update);
        }
    };
    run(host.inner, areas_for(&options.inner), options.inner, Rc::new(emit)).await;
    let report = builder.borrow().report();
    Report::new(report)
}
