//! The accessors of a transcript by which checks get the answer that they judge, or the verdict that says why there is none.

use std::rc::Rc;

use super::{MESSAGE_INSTEAD, NEVER_ANSWERED, NumberedEvents, Step, Transcript, unavailable};
use crate::a2a::binding::{CallCost, ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::headers::is_exposed;
use crate::a2a::model::{AgentError, ErrorName, Operation, Payload, Task, TaskList};
use crate::a2a::rule::Rule;
use crate::engine::plural::count;
use crate::engine::verdict::Verdict;

/// What an agent answers that never answers some call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredInstead {
    /// Calls of other operations.
    OtherCalls,
    /// Requests for its card, and no call so far.
    CardAlone,
}

impl Transcript {
    /// Whether the conversation went on to its end, or why it ended early.
    pub fn ran_to_its_end(&self) -> Result<(), Verdict> {
        self.stopped.clone().map_or(Ok(()), Err)
    }

    /// Whether anything was answered that was asked at this time or later, in milliseconds since the run began.
    #[must_use]
    pub fn is_answered_after(&self, at_ms: f64) -> bool {
        self.steps.iter().any(|step| step.exchange.sent_ms >= at_ms && is_answer(step))
    }

    /// Whether a call got no answer for a time in which the agent answers many times over what costs it no work, and is there: it answered the next
    /// call.
    #[must_use]
    pub fn is_never_answered(&self, step: &Step) -> bool {
        self.what_it_answers_instead(step).is_some()
    }

    /// For such a call, what the agent does answer: other calls, or requests for its card alone.
    #[must_use]
    pub fn what_it_answers_instead(&self, step: &Step) -> Option<AnsweredInstead> {
        let asks_after = |other: &&Rc<Step>| {
            other.exchange.scenario == step.exchange.scenario && other.exchange.sent_ms >= step.exchange.end_ms
        };
        let answered = self.asides.iter().filter(|other| other.name == NEVER_ANSWERED);
        let other = answered.filter(|_| step.is_unanswered_in_time()).find(asks_after)?;
        Some(if other.sent.operation.is_some() { AnsweredInstead::OtherCalls } else { AnsweredInstead::CardAlone })
    }

    /// Why what was not seen until the end may still have come, if that is so: the run was cut short, or its last request was not answered,
    /// so that the agent may be gone (T-ERR-16).
    #[must_use]
    pub fn cut_short(&self) -> Option<Verdict> {
        let last = || self.steps.iter().max_by(|one, other| one.exchange.sent_ms.total_cmp(&other.exchange.sent_ms));
        let silent =
            || last().filter(|step| !is_answer(step)).map(|step| step.blocked("the agent gave no more answers"));
        self.run_cut_short.clone().or_else(silent)
    }

    /// A step that got an answer of some kind. *Blocked* when nothing came, or a status that keeps us out; *not applicable* when the
    /// binding has no such call.
    pub fn answered(&self, name: &str) -> Result<&Rc<Step>, Verdict> {
        let step = self.step(name)?;
        match &step.reply.kind {
            ReplyKind::NoAnswer(why) => Err(step.blocked(format!("{}: {why}", self.request_name(step)))),
            ReplyKind::Unavailable(status) => Err(unavailable(*status).seen_in(step.exchange.id)),
            ReplyKind::NotExpressible(why) => Err(Verdict::not_applicable(why.as_str())),
            _ => Ok(step),
        }
    }

    /// The same, but a refusal for lack of credentials counts as an answer.
    pub fn answered_or_unauthorized(&self, name: &str) -> Result<&Rc<Step>, Verdict> {
        let step = self.step(name)?;
        match &step.reply.kind {
            ReplyKind::Unavailable(401 | 403) => Ok(step),
            _ => self.answered(name),
        }
    }

    /// A step that succeeded, and its payload. *Blocked* when it did not: another check reports that.
    pub fn succeeded(&self, name: &str) -> Result<(&Rc<Step>, &Payload), Verdict> {
        let step = self.answered(name)?;
        match &step.reply.kind {
            ReplyKind::Result(payload) => Ok((step, payload)),
            _ => Err(self.answered_otherwise(step)),
        }
    }

    /// The verdict of a step that was answered with something else than what is judged.
    fn answered_otherwise(&self, step: &Step) -> Verdict {
        step.blocked(format!("{} was answered with {}", self.request_name(step), step.reply.kind.describe()))
    }

    /// The task that a step answered, of a send or of a get. *Inconclusive* when the agent answered with a Message, *blocked* when it did
    /// not succeed.
    pub fn task(&self, name: &str) -> Result<(&Rc<Step>, &Task), Verdict> {
        let (step, payload) = self.succeeded(name)?;
        match payload {
            Payload::Task(task) | Payload::Sent { task: Some(task), .. } => Ok((step, task)),
            Payload::Sent { message: Some(_), .. } => Err(step.inconclusive(MESSAGE_INSTEAD)),
            _ => Err(step.blocked(format!("{} did not return a task", self.request_name(step)))),
        }
    }

    /// Why none of the messages of this transcript made a task.
    pub fn no_task(&self) -> Verdict {
        let sends = || self.steps.iter().filter(|step| step.is_send());
        let succeeded = |step: &Rc<Step>| match &step.reply.kind {
            ReplyKind::Result(_) => true,
            ReplyKind::Stream(items) => items.iter().any(|item| matches!(item.kind, StreamItemKind::Event(_))),
            _ => false,
        };
        if sends().any(succeeded) {
            return Verdict::inconclusive(MESSAGE_INSTEAD);
        }
        // A message that is odd on purpose may be refused by right.
        let first = sends().find(|step| step.sent.what.is_none()).or_else(|| sends().next());
        first.map_or_else(
            || Verdict::inconclusive("no message was sent"),
            |step| step.blocked(format!("every send failed: {}", step.reply.kind.describe())),
        )
    }

    /// The list of tasks that a step answered; *blocked* when it did not.
    pub fn list(&self, name: &str) -> Result<(&Rc<Step>, &TaskList), Verdict> {
        let (step, payload) = self.succeeded(name)?;
        match payload {
            Payload::Tasks(list) => Ok((step, list)),
            _ => Err(step.blocked(format!("{} did not return a list", self.request_name(step)))),
        }
    }

    /// The error with which a step was refused. *Blocked* when it was not refused with an error of the protocol: that is the finding of
    /// the check of the refusal.
    pub fn refused(&self, name: &str) -> Result<(&Rc<Step>, &AgentError), Verdict> {
        let step = self.answered(name)?;
        match &step.reply.kind {
            ReplyKind::Error(error) => Ok((step, error)),
            _ => Err(self.answered_otherwise(step)),
        }
    }

    /// The events of a stream; *blocked* when there was none.
    pub fn stream(&self, name: &str) -> Result<(&Rc<Step>, &[StreamItem]), Verdict> {
        let step = self.answered(name)?;
        match &step.reply.kind {
            ReplyKind::Stream(items) => Ok((step, items)),
            _ => Err(self.answered_otherwise(step)),
        }
    }

    /// Those of them that could be read, with their numbers from 1; *blocked* when there is none.
    pub fn events(&self, name: &str) -> Result<NumberedEvents<'_>, Verdict> {
        let (step, items) = self.stream(name)?;
        let events: Vec<_> =
            items.iter().enumerate().filter_map(|(index, item)| Some((index + 1, item.kind.event()?))).collect();
        if events.is_empty() {
            let cut = step.exchange.end.cut().map(|cut| format!(": {cut}")).unwrap_or_default();
            return Err(step.blocked(format!("the stream contained no readable event{cut}")));
        }
        Ok((step, events))
    }

    /// The value of a header of a step's answer; `None` when it is known not to be there. *Not observable* when this host hides what the
    /// agent does not expose, and so may hide it (Fetch §CORS-safelisted response-header name). The message names the header, for that is
    /// what the agent's author has to expose.
    pub fn header<'a>(&self, step: &'a Step, name: &str) -> Result<Option<&'a str>, Verdict> {
        let Some(response) = &step.exchange.response else { return Ok(None) };
        let value = response.headers.get(name);
        // An agent that exposes this header, or all of them, hides nothing: what is not seen is not there.
        let is_exposed = is_exposed(&response.headers, name);
        if value.is_none() && !is_exposed && self.facts.visibility.is_limited_by_cors {
            return Err(Verdict::not_observable(format!(
                "a page can read {name} only if the agent lists it in Access-Control-Expose-Headers"
            ))
            .seen_in(step.exchange.id));
        }
        Ok(value)
    }

    /// Judges a step that must be refused with one of these errors; *blocked* when nothing came back. `what` names the request for the
    /// finding.
    pub fn refused_as(&self, name: &str, what: &str, wanted: &[ErrorName]) -> Result<Verdict, Verdict> {
        if let Some(verdict) = self.never_refused(name, what) {
            return Ok(verdict);
        }
        let step = self.answered(name)?;
        let dialect = self.lane.as_ref().map(|lane| lane.dialect);
        // Errors that the version does not have are not expected of it.
        let named = wanted.iter().filter(|name| dialect.is_none_or(|dialect| dialect.error_code(**name) != 0));
        let expected = named
            .map(|name| match self.lane.as_deref() {
                Some(lane) => format!("{} ({})", name.as_str(), lane.error_code(*name)),
                None => name.as_str().to_owned(),
            })
            .collect::<Vec<_>>()
            .join(" or ");
        let fits = matches!(&step.reply.kind, ReplyKind::Error(error) if wanted.iter().any(|name| error.is(*name)));
        if fits {
            return Ok(Verdict::pass().seen_in(step.exchange.id));
        }
        // Where the operation is missing altogether, its errors are not what the author has to look at. Errors about tasks
        // are expected of operations that the agent has or declares.
        let about_task = [ErrorName::TaskNotFound, ErrorName::TaskNotCancelable];
        let declared = wanted.iter().all(|name| about_task.contains(name));
        let missing = self.missing(step);
        if let Some(method) = self.lane.as_deref().zip(missing).and_then(|(lane, operation)| lane.method(operation))
            && declared
        {
            let expected = format!("the operation {method} to exist");
            return Ok(Verdict::fail(step.exchange.id, expected, step.reply.kind.describe()).lacking(missing));
        }
        let pointer = match &step.reply.kind {
            ReplyKind::Error(error) => format!("{}/code", error.at.as_str()),
            _ => String::new(),
        };
        let expected = format!("{expected} for {what}");
        // Nobody has to implement what the card does not declare.
        let missing = missing.filter(|operation| self.facts.offers(*operation));
        Ok(Verdict::not_refused(step.exchange.id, expected, step.reply.kind.describe()).at(pointer).lacking(missing))
    }

    /// The same of a step whose refusal is the claim of another check: *blocked* when it was not refused with an error of the protocol.
    pub fn refused_with_code(&self, name: &str, what: &str, wanted: &[ErrorName]) -> Result<Verdict, Verdict> {
        self.refused(name)?;
        self.refused_as(name, what, wanted)
    }

    /// The operation that a step called, if the answer says that the agent does not have it.
    #[must_use]
    pub fn missing(&self, step: &Step) -> Option<Operation> {
        let no_route = [405, 501];
        let is_missing = match &step.reply.kind {
            ReplyKind::Error(error) => error.name == Some(ErrorName::MethodNotFound) || error.is_no_route(&no_route),
            ReplyKind::Unreadable(_) => step.exchange.status().is_some_and(|status| no_route.contains(&status)),
            _ => false,
        };
        let dialect = self.lane.as_ref()?.dialect;
        step.sent.operation.filter(|operation| is_missing && dialect.method(*operation).is_some())
    }

    /// Whether every answer of a lane that the rule about the form of answers looked at, and there was one, came with a status of a server
    /// that breaks: then the form is to blame, and not the URL.
    #[must_use]
    pub fn breaks_at_each_call(&self, form: Rule) -> bool {
        let mut answers = self.steps.iter().filter(|step| step.reply.notes.seen(form) > 0).peekable();
        answers.peek().is_some() && answers.all(|step| step.exchange.status() == Some(500))
    }

    /// The finding about several requests at once for one unknown task, if an answer says anything but that the task does not exist.
    #[must_use]
    pub fn misled_at_once(&self, name: &str) -> Option<Verdict> {
        let is_answered =
            |step: &&Rc<Step>| !matches!(step.reply.kind, ReplyKind::NoAnswer(_) | ReplyKind::Unavailable(_));
        let is_right = |step: &Step| step.reply.kind.is_error(ErrorName::TaskNotFound);
        let (right, others): (Vec<_>, Vec<_>) = self.every(name).filter(is_answered).partition(|step| is_right(step));
        let other = others.first()?;
        let expected = format!("TaskNotFoundError for each of {} at once for one task", right.len() + others.len());
        let actual = format!("{} for {} of them", other.reply.kind.describe(), others.len());
        let verdict = Verdict::not_refused(other.exchange.id, expected, actual);
        Some(right.iter().fold(verdict, |verdict, step| verdict.seen_in(step.exchange.id)))
    }

    /// The finding that a step that must be refused was never answered. Refusing takes no work, and a stream shows work when it begins; the
    /// answer to a message may take as long as the work that an agent took it for (T-TASK-4).
    fn never_refused(&self, name: &str, what: &str) -> Option<Verdict> {
        let step = self.step(name).ok()?;
        let may_work = step.sent.cost != CallCost::LookUp && !step.sent.operation.is_some_and(Operation::streams);
        // An agent that answers nothing at all has one fault, which another check reports.
        let is_silent = matches!(step.reply.kind, ReplyKind::NoAnswer(_))
            && self.what_it_answers_instead(step) == Some(AnsweredInstead::OtherCalls);
        (is_silent && !may_work).then(|| {
            let actual = format!("{}, while it answers other calls", step.exchange.end.no_answer());
            Verdict::not_refused(step.exchange.id, format!("an error for {what}"), actual)
        })
    }

    /// The same of a step that must be refused with any error.
    pub fn refused_somehow(&self, name: &str, what: &str) -> Result<Verdict, Verdict> {
        if let Some(verdict) = self.never_refused(name, what) {
            return Ok(verdict);
        }
        let step = self.answered(name)?;
        Ok(match &step.reply.kind {
            ReplyKind::Error(_) => Verdict::pass().seen_in(step.exchange.id),
            // Refused too, by a layer before the binding; another check judges the form of the answer.
            ReplyKind::Unreadable(_) if step.exchange.status().is_some_and(|status| (400..500).contains(&status)) => {
                Verdict::pass_with(format!("refused with {}", step.reply.kind.describe())).seen_in(step.exchange.id)
            }
            other => Verdict::not_refused(step.exchange.id, format!("an error for {what}"), other.describe()),
        })
    }

    /// Judges a rule over every step: fails if it was broken anywhere, is `none` if it never applied, else passes.
    pub fn rule(&self, rule: Rule, none: impl FnOnce() -> Verdict) -> Verdict {
        self.rule_in(rule, |_| true, none)
    }

    /// Judges a rule over some of the steps.
    pub fn rule_in(&self, rule: Rule, which: impl Fn(&Step) -> bool, none: impl FnOnce() -> Verdict) -> Verdict {
        let mut places = 0;
        let mut broken: Option<Verdict> = None;
        let mut breaches = 0;
        for step in self.steps.iter().filter(|step| which(step)) {
            let notes = &step.reply.notes;
            places += notes.seen(rule);
            breaches += notes.breaches(rule);
            let Some(deviation) = notes.broken(rule) else { continue };
            let verdict = broken.take().unwrap_or_else(|| {
                Verdict::fail(step.exchange.id, deviation.expected.as_str(), deviation.actual.as_str())
                    .at(deviation.pointer.as_str())
            });
            // A few exchanges are enough evidence.
            broken = Some(if verdict.exchanges.len() < 5 { verdict.seen_in(step.exchange.id) } else { verdict });
        }
        match broken {
            Some(verdict) if breaches > 1 => {
                let message = format!("{} ({breaches} of {places} places)", verdict.message);
                verdict.because(message)
            }
            Some(verdict) => verdict,
            None if places == 0 => none(),
            None => Verdict::pass_with(format!("{} checked", count(places, "place"))),
        }
    }
}

/// Whether a step got an answer that the agent may have sent, and no status that keeps us out.
fn is_answer(step: &Step) -> bool {
    step.has_answer() && !matches!(step.reply.kind, ReplyKind::Unavailable(_))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::engine::transcript::examples::{recorded, step};
    use crate::wire::exchange::{End, Exchange};

    #[test]
    fn what_an_agent_answers_instead_is_what_was_asked_behind_the_call_in_the_same_conversation() {
        for (scenario, number, is_it) in [("a", 3, true), ("b", 3, false), ("a", 1, false)] {
            let of = |name, number, scenario: &str, end| {
                let step = step(name, number, ReplyKind::NoAnswer("nothing".to_owned()));
                let exchange = Exchange { scenario: scenario.to_owned(), end, ..Exchange::clone(&step.exchange) };
                Step { exchange: Rc::new(exchange), ..step }
            };
            let silent = of("call", 2, "a", End::Deadline("the 45 s allowed".to_owned()));
            let mut t = recorded("a", [silent.clone()]);
            t.asides.push(Rc::new(of(NEVER_ANSWERED, number, scenario, End::Complete)));
            assert_eq!(t.what_it_answers_instead(&silent).is_some(), is_it, "{scenario} {number}");
        }
    }
}
