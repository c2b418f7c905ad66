//! Tries the examples of an ordinary agent's skills, and how many: what they bring about is known from then on, so that scenarios
//! find the messages that they need. Once per run, on the first lane that answers.

use futures_util::future::{LocalBoxFuture, join_all};

use super::root_cause::PROBE;
use crate::a2a::model::TaskState;
use crate::engine::check::Scenario;
use crate::engine::drive::{Driver, task_of};
use crate::engine::plan::Planned;
use crate::engine::transcript::RunFacts;
use crate::wire::limits::MOST_EXAMPLES;

/// The most messages of a run to an ordinary agent that examples may use up.
const MESSAGE_BUDGET: u32 = 60;
/// How many are tried all the same: no example shows more than one behaviour, so that most of what is planned for behaviours
/// is not sent when there are only few.
const MIN_EXAMPLES: usize = 4;

/// The conversation. Nothing is judged by it but what all traffic is.
pub static EXAMPLES_SCENARIO: Scenario = Scenario {
    id: "examples",
    title: "Try the examples of the agent's skills",
    rounds: 2,
    after: &[PROBE],
    drive,
    ..Scenario::DEFAULTS
};

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let prompts = &d.facts().prompts;
        let texts = prompts.examples_to_try().iter().take(prompts.learned.allowance.get());
        let mut attempts = texts.map(|text| try_example(d, text));
        // In which form the agent accepts messages is found out once.
        if d.dialect().other_form.is_some()
            && let Some(first) = attempts.next()
        {
            first.await;
        }
        join_all(attempts).await;
    })
}

/// Sends a text, and follows the task until it is known where it leads.
async fn try_example(d: &Driver, text: &str) {
    let sent = d.send("example", &d.outgoing(text)).await;
    let is_open = |state: TaskState| !state.is_terminal() && !state.is_interrupted();
    let open = task_of(&sent.reply).filter(|task| task.state.is_some_and(is_open)).and_then(|task| task.id.clone());
    let settled = match &open {
        Some(id) => d.poll_until_settled("example-settled", id).await,
        None => task_of(&sent.reply).cloned(),
    };
    d.learn(text, &sent, settled.as_ref());
}

/// How many examples are tried in a run that sends these messages besides. None when no check would use what they show.
pub(super) fn allowance<'a>(facts: &RunFacts, plans: impl Iterator<Item = &'a [Planned]>, messages: u32) -> usize {
    let is_used = plans
        .flatten()
        .any(|planned| planned.without.is_none() && planned.scenario.after.contains(&EXAMPLES_SCENARIO.id));
    let room = usize::try_from(MESSAGE_BUDGET.saturating_sub(messages)).unwrap_or(MOST_EXAMPLES);
    if is_used { facts.prompts.examples_to_try().len().min(room.clamp(MIN_EXAMPLES, MOST_EXAMPLES)) } else { 0 }
}
