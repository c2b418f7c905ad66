//! One lane of a run: its scenarios side by side, as far as the agent and the browser can take it, and the comparison of two lanes.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use super::{PROBE, Run, empty};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::check::{Scenario, Scope};
use crate::engine::event::Event;
use crate::engine::plan::Planned;
use crate::engine::transcript::{Lane, Peer, RunFacts, Transcript, unavailable};
use crate::engine::verdict::Verdict;

/// How many event streams may be open at once: a browser has six connections for one host, and calls need some.
const MAX_STREAMS: u32 = 2;

/// A lane that is not called again after its first calls.
pub(super) struct UnresponsiveLane {
    /// The verdict of everything that would have come.
    pub(super) verdict: Verdict,
    /// Whether the agent was seen to be at fault; else something kept us from seeing anything.
    pub(super) seen: bool,
}

impl Run {
    /// Runs a lane's plan; answers its takes, and why it is dead if it is.
    pub(super) async fn lane(
        &self,
        lane: &Rc<Lane>,
        planned: Vec<Planned>,
        facts: &Rc<RunFacts>,
        concurrency: usize,
        mut dead: Option<UnresponsiveLane>,
    ) -> (Vec<Rc<Transcript>>, Option<UnresponsiveLane>) {
        let (traffic, mut waiting): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Traffic);
        let mut done: Vec<Rc<Transcript>> = Vec::new();
        let mut order: Vec<Rc<Transcript>> = Vec::new();
        let mut running = FuturesUnordered::new();
        let mut streams = 0;
        // Who waits for the agent's work costs it nothing: that frees a place, unless the user wants one thing at a time.
        let resting: Rc<Cell<usize>> = Rc::default();
        let mut patient = 0;
        let strict = self.options.concurrency <= 1;
        let ids: Vec<&'static str> = waiting.iter().map(|planned| planned.scenario.id).collect();
        loop {
            let mut index = 0;
            while let Some(next) = waiting.get(index) {
                let ready =
                    next.scenario.after.iter().all(|id| Transcript::of(&done, id).is_some() || !ids.contains(id));
                let held = streams + next.scenario.streams > MAX_STREAMS && next.scenario.streams > 0 && streams > 0;
                let idle = if strict { 0 } else { resting.get() + patient };
                let waits = !strict && next.scenario.streams > 0;
                if !ready || held || (!waits && running.len() - idle.min(running.len()) >= concurrency.max(1)) {
                    index += 1;
                    continue;
                }
                let next = waiting.remove(index);
                let before = before(next.scenario, &done);
                let stopped = next.without.clone().or_else(|| dead.as_ref().map(|dead| dead.verdict.clone()));
                let stopped = stopped.or_else(|| self.session.over().map(Verdict::not_run));
                if let Some(why) = stopped {
                    let transcript = Rc::new(Transcript {
                        before,
                        stopped: Some(why),
                        ..empty(next.scenario.id, Some(lane), facts)
                    });
                    self.judge(&next, &transcript);
                    done.push(transcript);
                    index = 0;
                    continue;
                }
                streams += next.scenario.streams;
                patient += usize::from(next.scenario.streams > 0);
                self.session.emit(Event::ScenarioStarted { scenario: next.scenario, lane: Some(Rc::clone(lane)) });
                let driver = self.driver(next.scenario, Some(lane), facts, before, None, &resting);
                running.push(
                    async move {
                        (next.scenario.drive)(&driver).await;
                        (next, driver.finish())
                    }
                    .boxed_local(),
                );
            }
            let rested = resting.get();
            let next = poll_fn(|cx| match running.poll_next_unpin(cx) {
                Poll::Ready(ended) => Poll::Ready(Some(ended)),
                Poll::Pending if resting.get() > rested && !waiting.is_empty() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            });
            let Some(ended) = next.await else { continue };
            let Some((planned, transcript)) = ended else { break };
            streams -= planned.scenario.streams;
            patient -= usize::from(planned.scenario.streams > 0);
            let transcript = Rc::new(transcript);
            if planned.scenario.id == PROBE {
                dead = unreachable(&transcript);
                if let Some(why) = self.reach.of_lane(&transcript).await
                    && let Some(dead) = &mut dead
                {
                    dead.verdict = why.verdict(dead.verdict.exchanges.first().copied().unwrap_or_default());
                }
            }
            self.judge(&planned, &transcript);
            done.push(Rc::clone(&transcript));
            order.push(transcript);
        }
        if dead.is_none() {
            self.reach.of_rest(&order).await;
        }
        let steps: Vec<_> = order.iter().flat_map(|transcript| transcript.steps.iter().cloned()).collect();
        for planned in traffic {
            let stopped = planned.without.clone().or_else(|| dead.as_ref().map(|dead| dead.verdict.clone()));
            let transcript =
                Transcript { steps: steps.clone(), stopped, ..empty(planned.scenario.id, Some(lane), facts) };
            self.judge(&planned, &Rc::new(transcript));
        }
        (order, dead)
    }

    /// Compares a lane with the first one of its version.
    pub(super) async fn compare(
        &self,
        lane: &Rc<Lane>,
        planned: &Planned,
        peer: Option<&Rc<Lane>>,
        ended: &[Rc<Peer>],
        facts: &Rc<RunFacts>,
    ) {
        let of = |lane: &Rc<Lane>| ended.iter().find(|done| done.lane.id == lane.id).cloned();
        let before = of(lane).map(|done| done.transcripts.clone()).unwrap_or_default();
        let peer = peer.and_then(of);
        // Where a lane came to nothing there is nothing to compare.
        let is_silent = |transcripts: &[Rc<Transcript>]| {
            Transcript::of(transcripts, PROBE)
                .is_none_or(|transcript| transcript.steps.is_empty() || unreachable(transcript).is_some())
        };
        let silent = is_silent(&before) || peer.as_ref().is_none_or(|peer| is_silent(&peer.transcripts));
        let over = self.session.over();
        let transcript = if silent || planned.without.is_some() || over.is_some() {
            let why =
                over.map_or_else(|| Verdict::blocked("one of the two interfaces does not answer"), Verdict::not_run);
            Transcript { stopped: Some(why), before, peer, ..empty(planned.scenario.id, Some(lane), facts) }
        } else {
            self.session.emit(Event::ScenarioStarted { scenario: planned.scenario, lane: Some(Rc::clone(lane)) });
            let driver = self.driver(planned.scenario, Some(lane), facts, before, peer, &Rc::default());
            (planned.scenario.drive)(&driver).await;
            driver.finish()
        };
        self.judge(planned, &Rc::new(transcript));
    }
}

/// Why a lane whose first calls came to nothing is not called again.
fn unreachable(probe: &Transcript) -> Option<UnresponsiveLane> {
    let step = probe.steps.last()?;
    let twice = probe.steps.len() > 1;
    let (why, seen) = match &step.reply.kind {
        ReplyKind::NoAnswer(why) => {
            (Verdict::blocked(format!("the interface did not answer the first call: {why}")), false)
        }
        ReplyKind::Unavailable(status) => (unavailable(*status), false),
        ReplyKind::Unreadable(what) if twice => {
            (Verdict::blocked(format!("the interface does not speak its binding: it returns {what}")), true)
        }
        ReplyKind::Error(error) if twice && error.name == Some(ErrorName::VersionNotSupported) => {
            (Verdict::blocked("the interface refuses the protocol version that the card declares for it"), true)
        }
        _ => return None,
    };
    Some(UnresponsiveLane { verdict: why.seen_in(step.exchange.id), seen })
}

fn before(scenario: &Scenario, done: &[Rc<Transcript>]) -> Vec<Rc<Transcript>> {
    scenario.after.iter().filter_map(|id| Transcript::of(done, id).cloned()).collect()
}
