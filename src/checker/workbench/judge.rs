//! Which passive checks judge a single answer of the workbench, and the result in words that claim no more than one answer shows. A
//! check that needs more than this one answer is left to a run.

use std::cmp::Reverse;
use std::rc::Rc;

use crate::a2a::binding::{ReplyKind, SentCall};
use crate::a2a::model::Operation;
use crate::engine::event::Row;
use crate::engine::plural::count_of;
use crate::engine::requirement::Level;
use crate::engine::transcript::{Lane, RunFacts, Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict};
use crate::suite;
use crate::view_model::workbench::{AnswerJudgement, BrokenRule};
use crate::wire::exchange::Exchange;
use crate::wire::order;

/// The scenarios whose checks judge every answer by itself.
const OF_ANY_ANSWER: [&str; 3] = ["envelope", "formats", "http-form"];

/// Checks of other scenarios that look at a rule of the form alone, each with the step at which they look for it.
const OF_FORM: [(&str, &str); 13] = [
    ("jsonrpc.sse-envelope", "stream"),
    ("jsonrpc.sse-id", "stream"),
    ("stream.oneof", "stream"),
    ("stream.status-event-fields", "stream"),
    ("stream.artifact-event-fields", "stream"),
    ("stream.no-legacy-members", "stream"),
    ("sse.framing", "stream"),
    ("sse.data-json", "stream"),
    ("part.file", "send"),
    ("list.response-fields", "page"),
    ("list.next-page-token", "page"),
    ("push.list-shape", "list"),
    ("push.delete-result", "delete"),
];

/// Checks whose finding may be about what the agent was sent.
const OF_CONTENT: &str = "formats";

/// One answer, and what it is an answer to.
pub(super) struct Answer<'a> {
    pub(super) lane: &'a Rc<Lane>,
    pub(super) facts: &'a Rc<RunFacts>,
    pub(super) sent: SentCall,
    pub(super) exchange: Rc<Exchange>,
    /// Whether the agent was sent a message before that breaks rules, and may repeat it.
    pub(super) may_repeat: bool,
}

pub(super) fn not_judged(why: &str) -> AnswerJudgement {
    AnswerJudgement { tone: "skip".to_owned(), sentence: format!("Not judged: {why}."), broken: Vec::new() }
}

impl Answer<'_> {
    /// The step as a check looks for it.
    fn step(&self) -> Step {
        let name = match self.sent.operation {
            Some(Operation::SendStreamingMessage | Operation::SubscribeToTask) => "stream",
            Some(Operation::ListTasks) => "page",
            Some(Operation::ListPushConfigs) => "list",
            Some(Operation::DeletePushConfig) => "delete",
            _ => "send",
        };
        let reply = self.lane.binding.reply(self.lane.dialect, &self.sent, &self.exchange);
        Step { name, exchange: Rc::clone(&self.exchange), sent: self.sent.clone(), reply }
    }

    pub(super) fn judge(&self) -> AnswerJudgement {
        let step = self.step();
        match &step.reply.kind {
            ReplyKind::NoAnswer(why) => return not_judged(why),
            ReplyKind::Unavailable(status) => {
                return not_judged(&format!("HTTP {status} says that access was refused"));
            }
            _ => {}
        }
        let name = step.name;
        let transcript = self.transcript(step);
        let (mut looked, mut left_out) = (0_usize, 0_usize);
        let mut broken = Vec::new();
        for row in self.rows(name) {
            let verdict = match (row.check.judge)(&transcript) {
                Ok(verdict) | Err(verdict) => verdict,
            };
            match verdict.outcome {
                Outcome::Pass => looked += 1,
                Outcome::Fail | Outcome::Note if self.is_the_users(&row, &verdict) => left_out += 1,
                Outcome::Fail | Outcome::Note => {
                    looked += 1;
                    broken.push(found(&row, &verdict));
                }
                _ => {}
            }
        }
        order::sort_by_key(&mut broken, |broken: &BrokenRule| Reverse(broken.level));
        summed_up(looked, left_out, broken)
    }

    fn transcript(&self, step: Step) -> Transcript {
        Transcript { steps: vec![Rc::new(step)], ..Transcript::without_steps("workbench", Some(self.lane), self.facts) }
    }

    /// The rows whose checks can look at an answer to that step.
    fn rows(&self, step: &str) -> impl Iterator<Item = Row> {
        let (version, lane) = (self.lane.dialect.version, Some(Rc::clone(self.lane)));
        let declared = suite::declarations().filter(move |(_, scenario, check)| {
            let of_form = OF_FORM.iter().any(|(id, at)| *id == check.id && *at == step);
            (OF_ANY_ANSWER.contains(&scenario.id) || of_form) && check.applies(version, Some(self.lane.binding.slug))
        });
        declared.map(move |(area, scenario, check)| Row { check, scenario, area, lane: lane.clone(), version })
    }

    /// Whether what was found may be what the agent was sent, and not its own.
    fn is_the_users(&self, row: &Row, verdict: &Verdict) -> bool {
        if row.scenario.id != OF_CONTENT {
            return false;
        }
        let name = verdict.actual.as_deref().unwrap_or_default();
        let sent = self.exchange.request.body.as_deref().unwrap_or_default();
        let is_in_request = !name.is_empty() && String::from_utf8_lossy(sent).contains(name);
        self.may_repeat || is_in_request
    }
}

fn found(row: &Row, verdict: &Verdict) -> BrokenRule {
    let words = match (&verdict.expected, &verdict.actual) {
        (Some(expected), Some(actual)) => format!("expected {expected}, got {actual}"),
        _ => verdict.message.clone(),
    };
    let place = verdict.pointer.as_deref().filter(|place| !place.is_empty());
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    BrokenRule {
        key: row.key(),
        title: row.check.title.to_owned(),
        level: if verdict.outcome == Outcome::Note { Level::May } else { row.level() },
        found: format!("{words}{place}"),
    }
}

/// The result in words that claim no more than was looked at.
fn summed_up(looked: usize, left_out: usize, broken: Vec<BrokenRule>) -> AnswerJudgement {
    let by = format!("by the {} of form that apply to this one answer", count_of(looked, "rule"));
    let musts = broken.iter().filter(|broken| broken.level == Level::Must).count();
    let (tone, mut sentence) = match (looked, broken.len(), musts) {
        (0, ..) => return not_judged("no rule of form applies to this answer by itself"),
        (_, 0, _) => ("pass", format!("Judged {by}: nothing wrong seen.")),
        (_, all, 0) => ("advisory", format!("Judged {by}: {} not kept, none of them required.", is_are(all))),
        (_, all, _) => ("fail", format!("Judged {by}: {} broken.", is_are(all))),
    };
    if left_out > 0 {
        sentence.push_str(" Parts that may repeat what was sent are not held against the agent.");
    }
    sentence.push_str(" Whether it is the right answer was not looked at.");
    AnswerJudgement { tone: tone.to_owned(), sentence, broken }
}

fn is_are(count: usize) -> String {
    format!("{} {}", count_of(count, "rule"), if count == 1 { "is" } else { "are" })
}
