//! The way to the agent, examined after an exchange whose answer could not be seen.

use std::cell::RefCell;
use std::rc::Rc;

use crate::a2a::binding::{Reply, SentCall};
use crate::engine::event::Event;
use crate::engine::reach::{ReachMonitor, StageResult};
use crate::engine::session::Session;
use crate::engine::transcript::{Lane, RunFacts, Step, Transcript};
use crate::view_model::reach::ReachView;
use crate::wire::exchange::Exchange;

/// Finds out what kept the answer of an exchange from being seen. The scenario is the name under which it was recorded.
pub(super) async fn way_of(
    scenario: &'static str,
    session: &Rc<Session>,
    lane: &Rc<Lane>,
    facts: Rc<RunFacts>,
    exchange: &Rc<Exchange>,
    reply: Option<Reply>,
) -> ReachView {
    let stages: Rc<RefCell<Vec<StageResult>>> = Rc::default();
    let seen = Rc::clone(&stages);
    let reach = ReachMonitor::new(
        session,
        &(Rc::new(move |event: Event| {
            if let Event::Reach(stage) = event {
                seen.borrow_mut().push(stage);
            }
        }) as Rc<dyn Fn(Event)>),
    );
    let step = Step {
        name: scenario,
        exchange: Rc::clone(exchange),
        sent: SentCall::default(),
        reply: reply.unwrap_or_default(),
    };
    let transcript =
        Transcript { steps: vec![Rc::new(step)], ..Transcript::without_steps(scenario, Some(lane), &facts) };
    reach.after_probe(&transcript).await;
    ReachView::from_stages(&stages.take())
}
