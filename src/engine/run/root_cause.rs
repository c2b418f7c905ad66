//! One root cause, one finding: a malformed answer, an operation that does not exist, or an endpoint that is missing or breaks at
//! every call, is found once for a lane. The other checks that needed the answer are blocked and name that finding.

use std::rc::Rc;

use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{ErrorName, Operation, StreamEvent};
use crate::a2a::rule::Rule;
use crate::engine::check::Scope;
use crate::engine::event::Row;
use crate::engine::options::Options;
use crate::engine::requirement::{self, Level, Requirement};
use crate::engine::shared_requests::SharedQuestion;
use crate::engine::transcript::{Lane, Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict, VerdictBasis};

/// The scenario that first calls a lane: when it gets no answer, the lane's others are blocked.
pub(super) const PROBE: &str = "probe";
/// The check that judges whether calls over JSON-RPC get a response of JSON-RPC.
const FORM_CHECK: &str = "jsonrpc.response-object";

/// The checks that say more than the form of the answer: that a valid message, a task that exists, or a message with a part that
/// the agent cannot read is not answered at all.
const OWN_FINDING: [&str; 3] = [ACCEPTS_TEXT, "get.returns-task", "send.media-type-answered"];
/// The check that shows most clearly that an agent cannot be used at all.
pub(super) const ACCEPTS_TEXT: &str = "send.accepts-text";

/// The checks that say that the methods of the version are missing, with that of 1.0 first.
const NAME_CHECKS: [&str; 2] = ["jsonrpc.method-names", "send.known"];

/// The checks that say that an interface does not answer in its binding, and that its endpoint does not take what is posted.
const ACCURATE: &str = "card.interface-accurate";
const ACCEPTS_POST: &str = "jsonrpc.accepts-json-post";

/// The scenario that sends the first message, which is a plain one, and its step.
pub(super) const SEND: &str = "send";

/// The scenario that lists tasks, its step that asks for the first page, and the check of the members that a list has.
const LIST: &str = "list";
const FIRST_PAGE: &str = "page";
const LIST_MEMBERS: &str = "list.response-fields";

/// The check that judges whether the answers of a lane have the form of its binding.
fn form_check(lane: &Lane) -> &'static str {
    if lane.binding.slug == JSONRPC.slug { FORM_CHECK } else { "rest.error-body" }
}

/// The operations that every agent has, each with a call that needs no task, and the check that says whether it exists.
const OPERATIONS: [(Operation, SharedQuestion, &str); 2] = [
    (Operation::GetTask, SharedQuestion::GetUnknown, "get.not-found"),
    (Operation::CancelTask, SharedQuestion::CancelUnknown, "cancel.not-found"),
];

/// The verdict of a finding that has the same root cause as that of another check, which it names.
pub(super) struct BlockedFinding {
    pub(super) verdict: Verdict,
    /// The check that has the finding.
    pub(super) by: &'static str,
}

impl BlockedFinding {
    pub(super) fn new(by: &'static str, why: &str, finding: &Verdict) -> Self {
        let mut verdict = Verdict::blocked(format!("{why}: see {by}"));
        verdict.exchanges.clone_from(&finding.exchanges);
        Self { verdict, by }
    }
}

/// A finding of a check, with all that its root cause is looked for in.
#[derive(Clone, Copy)]
pub(super) struct FindingContext<'a> {
    pub(super) row: &'a Row,
    pub(super) finding: &'a Verdict,
    pub(super) transcript: &'a Transcript,
    pub(super) options: &'a Options,
}

impl FindingContext<'_> {
    /// The verdict when the root cause is the finding of another check.
    pub(super) fn blocked_by(&self, by: &'static str, why: &str) -> BlockedFinding {
        BlockedFinding::new(by, why, self.finding)
    }

    /// The same, if that is so: the other check is not the finding's own, and the user wants it.
    pub(super) fn blocked_if(&self, is_so: bool, by: &'static str, why: &str) -> Option<BlockedFinding> {
        (is_so && self.row.check.id != by && self.options.wants(by)).then(|| self.blocked_by(by, why))
    }

    /// Every step that a finding may rest on: a comparison of two lanes rests on what either has recorded before.
    pub(super) fn all_steps(&self) -> impl Iterator<Item = &Rc<Step>> {
        let peers = self.transcript.peer.iter().flat_map(|peer| &peer.transcripts).flat_map(|earlier| &earlier.steps);
        self.transcript.with_earlier_steps().chain(peers)
    }

    /// The root cause of a finding when the answer does not have the form of the binding. `None` where the check of the form does
    /// not apply.
    pub(super) fn malformed_reply(&self) -> Option<BlockedFinding> {
        let lane = self.transcript.lane.as_ref()?;
        let check = form_check(lane);
        // The probe's own checks say whether the interface is what the card says.
        let is_open = self.row.scenario.scope == Scope::Lane
            && self.row.scenario.id != PROBE
            && !OWN_FINDING.contains(&self.row.check.id);
        if !is_open || !self.options.wants(check) {
            return None;
        }
        let step = shown(self.finding, self.transcript)?;
        let what = if check == FORM_CHECK {
            malformed_answer(step, lane)?
        } else {
            malformed_error(step, lane, self.finding)?
        };
        let request = self.transcript.request_name(step);
        Some(self.blocked_by(check, &format!("{request} was answered with {what}")))
    }

    /// The root cause of a finding on a lane of which the agent knows no method, or on one that is compared with such a lane.
    pub(super) fn no_known_method(&self) -> Option<BlockedFinding> {
        if NAME_CHECKS.contains(&self.row.check.id) {
            return None;
        }
        let named =
            NAME_CHECKS.into_iter().find(|check| applies(check, self.row)).filter(|check| self.options.wants(check))?;
        let shows_it = |id: &u32| {
            let mut of_exchange = self.all_steps().filter(|step| step.exchange.id == *id);
            of_exchange.any(|step| step.sent.operation.is_some() && is_unknown(&step.reply.kind))
        };
        let version = self.transcript.lane.as_ref().map_or(self.row.version, |lane| lane.dialect.version);
        let why = format!("the agent knows none of the methods of {version}");
        self.finding.exchanges.iter().any(shows_it).then(|| self.blocked_by(named, &why))
    }

    /// The root cause when no message is accepted or streamed: the agent has other names or routes for the operations.
    pub(super) fn renamed_operation(&self) -> Option<BlockedFinding> {
        let [_, send_known] = NAME_CHECKS;
        let why = format!("the operation is not known by the name that A2A {} gives it", self.row.version);
        let explained = || self.blocked_by(send_known, &why);
        let step = shown(self.finding, self.transcript)?;
        if step.sent.operation == Some(Operation::SendStreamingMessage) && is_unknown(&step.reply.kind) {
            let sent = self.transcript.earlier(SEND).ok()?.step(SEND).ok()?;
            let is_told = applies(send_known, self.row)
                && self.options.wants(send_known)
                && self.row.scenario.scope == Scope::Lane;
            return (is_told && is_unknown(&sent.reply.kind)).then(explained);
        }
        let binding = self.row.lane.as_ref().map(|lane| lane.binding.slug);
        let beside = self
            .row
            .scenario
            .checks
            .iter()
            .find(|check| check.id == send_known && check.applies(self.row.version, binding));
        let known = beside.filter(|check| self.row.check.id == ACCEPTS_TEXT && self.options.wants(check.id))?;
        let verdict = (known.judge)(self.transcript).ok()?;
        let is_same = verdict.outcome == Outcome::Fail && verdict.exchanges.first() == self.finding.exchanges.first();
        is_same.then(explained)
    }

    /// The root cause when an endpoint does not speak its binding: it does not exist, does not accept POST requests with JSON, or breaks.
    pub(super) fn no_endpoint(&self) -> Option<BlockedFinding> {
        let step = shown(self.finding, self.transcript)?;
        let status = step.exchange.status()?;
        let form = self.row.lane.as_ref().map(|lane| (form_check(lane), lane.binding.form));
        let has_methods = self.row.lane.as_ref().is_some_and(|lane| lane.binding.slug == JSONRPC.slug);
        let (by, why) = match (self.row.check.id, status) {
            (ACCEPTS_POST, 404 | 405) => (ACCURATE, "nothing takes calls at the interface's URL"),
            (ACCURATE, 406 | 415) if has_methods => (ACCEPTS_POST, "the endpoint does not accept JSON by POST"),
            // What breaks is there: the form of its answer is wrong, and not the URL.
            (ACCURATE, 500) => {
                let is_it = |rule| step.reply.notes.broken(rule).is_some() && self.transcript.breaks_at_each_call(rule);
                let (check, _) = form.filter(|(_, rule)| is_it(*rule))?;
                (check, "what is at the interface's URL breaks at each call")
            }
            _ => return None,
        };
        self.blocked_if(true, by, why)
    }

    /// The root cause when a stream begins with an event that the version does not have: it is a finding about all events.
    pub(super) fn unknown_event(&self) -> Option<BlockedFinding> {
        const FIRST_EVENT: &str = "stream.first-event";
        const EVENTS: &str = "stream.oneof";
        let step = shown(self.finding, self.transcript)?;
        let ReplyKind::Stream(items) = &step.reply.kind else { return None };
        let is_unknown = matches!(items.first()?.kind, StreamItemKind::Event(StreamEvent::Other(_)));
        let is_it = self.row.check.id == FIRST_EVENT && is_unknown;
        self.blocked_if(is_it, EVENTS, "the events are none of the kinds that a stream has")
    }

    /// The root cause when the details of errors are looked for where no array is: that there is none is one finding.
    pub(super) fn unlisted_details(&self) -> Option<BlockedFinding> {
        const INFO: &str = "error.info-jsonrpc";
        const DETAILS: &str = "error.data-array";
        let broken = |step: &Step, rule| step.reply.notes.broken(rule).is_some();
        let mut lacking = self.transcript.steps.iter().filter(|step| broken(step, Rule::ErrorInfo));
        // An error without any details is another mistake.
        let is_same = lacking.all(|step| broken(step, Rule::ErrorDataArray));
        self.blocked_if(self.row.check.id == INFO && is_same, DETAILS, "error.data is not an array of details")
    }

    /// The root cause of a finding when the operation does not exist at all.
    pub(super) fn no_operation(&self) -> Option<BlockedFinding> {
        let lane = self.transcript.lane.as_ref()?;
        let step = shown(self.finding, self.transcript)?;
        let known = OPERATIONS.into_iter().find(|(operation, ..)| step.sent.operation == Some(*operation));
        let (operation, question, check) = known?;
        let has_methods = lane.binding.slug == JSONRPC.slug;
        let check = if has_methods { check } else { "rest.verbs" };
        // Where the other is only advice, this finding says more.
        let is_must = is_must(check, self.row.version, lane);
        let is_missing = |step: &Step| {
            let is_refused = step.exchange.status() == Some(405) && !matches!(step.reply.kind, ReplyKind::Result(_));
            if has_methods { is_unknown(&step.reply.kind) } else { is_refused }
        };
        if self.row.scenario.scope != Scope::Lane || !is_must || !is_missing(step) {
            return None;
        }
        let never = lane.asked.answer(question).is_some_and(|unknown| is_missing(&unknown));
        let method = lane.dialect.method(operation)?;
        let why = if has_methods { "does not exist" } else { "has another HTTP method" };
        self.blocked_if(never, check, &format!("{method} {why}"))
    }

    /// The root cause of a finding about a list when the agent answers with an object that has none of a list's members. The first
    /// page, which is not filtered, decides: where default values are left out, no more than `{}` may be left of a list without tasks.
    pub(super) fn no_list(&self) -> Option<BlockedFinding> {
        let page = self.transcript.steps.iter().find(|step| step.name == FIRST_PAGE)?;
        let document = page.reply.document.as_deref()?;
        let list = document.get("result").unwrap_or(document).as_object()?;
        let is_answer = self.row.scenario.id == LIST && matches!(page.reply.kind, ReplyKind::Result(_));
        let is_list =
            ["tasks", "nextPageToken", "pageSize", "totalSize"].iter().any(|member| list.contains_key(*member));
        let request = self.transcript.request_name(page);
        let why = format!("{request} was answered with an object that has none of a list's members");
        self.blocked_if(is_answer && !is_list, LIST_MEMBERS, &why)
    }
}

/// Whether a requirement is a must in that version over the binding of a lane.
pub(super) fn is_must(id: &str, version: &str, lane: &Lane) -> bool {
    let holds = |known: &Requirement| known.holds_for(version, Some(lane.binding.slug));
    requirement::find(id).is_some_and(|known| holds(known) && known.level_in(version) == Level::Must)
}

/// The step that a finding shows first.
pub(super) fn shown<'a>(finding: &Verdict, transcript: &'a Transcript) -> Option<&'a Step> {
    let id = finding.exchanges.first()?;
    transcript.steps.iter().find(|step| step.exchange.id == *id).map(AsRef::as_ref)
}

/// What a finding says of a route that returns the same for tasks that exist and for others, as one that is missing does: HTTP+JSON
/// has no error for that.
pub(super) fn no_route(finding: &Verdict, transcript: &Transcript) -> Option<String> {
    let lane = transcript.lane.as_ref().filter(|lane| lane.binding.slug != JSONRPC.slug)?;
    let unknown = lane.asked.answer(SharedQuestion::CancelUnknown)?;
    let is_nameless = is_nameless(&unknown.reply.kind);
    let refusal = words(&unknown).filter(|(status, _)| is_nameless && matches!(status, 404 | 501))?;
    let mut seen = transcript.steps_behind(finding).peekable();
    seen.peek()?;
    let is_same =
        seen.all(|step| step.sent.operation == Some(Operation::CancelTask) && words(step).as_ref() == Some(&refusal));
    let method = lane.dialect.method(Operation::CancelTask)?;
    is_same.then(|| format!("{method} returns the same for every task, as if its route did not exist"))
}

/// Whether an answer names no error of A2A, as where there is no route.
pub(super) fn is_nameless(kind: &ReplyKind) -> bool {
    match kind {
        ReplyKind::Error(error) => error.name.is_none(),
        kind => matches!(kind, ReplyKind::Unreadable(_)),
    }
}

/// Whether that check of the suite judges the version of a row over JSON-RPC, which has methods.
fn applies(check: &str, row: &Row) -> bool {
    let holds = |id: &str| requirement::holds(id, row.version, Some(JSONRPC.slug));
    // The names of older versions are judged by a check that judges other requirements too.
    if check == "send.known" {
        holds("jsonrpc.v03.method-names") || holds("jsonrpc.v01.method-names")
    } else {
        holds(check)
    }
}

/// Whether the agent knew no method of the version, in a probe that tried all that every agent has.
pub(super) fn knows_no_method(probe: &Transcript) -> bool {
    let mut calls = probe.steps.iter().filter(|step| step.sent.operation.is_some()).peekable();
    let sent = probe.steps.iter().any(|step| step.sent.operation == Some(Operation::SendMessage));
    let has_methods = probe.lane.as_ref().is_some_and(|lane| lane.binding.slug == JSONRPC.slug);
    has_methods && sent && calls.peek().is_some() && calls.all(|step| is_unknown(&step.reply.kind))
}

fn is_unknown(kind: &ReplyKind) -> bool {
    matches!(kind, ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound))
}

/// The answer to a step, if the check of the form counts it as malformed.
fn malformed_answer(step: &Step, lane: &Lane) -> Option<String> {
    Some(step.reply.notes.broken(lane.binding.form)?.actual.clone())
}

/// The answer where an error was expected, if it is an error in another form than that of the binding.
fn malformed_error(step: &Step, lane: &Lane, finding: &Verdict) -> Option<String> {
    let form = lane.binding.form;
    let holds = requirement::holds(form_check(lane), lane.dialect.version, Some(lane.binding.slug));
    if !holds || finding.basis != VerdictBasis::Refusal || !matches!(step.reply.kind, ReplyKind::Unreadable(_)) {
        return None;
    }
    // The form is not judged behind a route that may be missing. There it is the agent that answers, if the answer is the one
    // that it gives about other tasks that do not exist.
    let is_own = || {
        let unknown = lane.asked.answer(SharedQuestion::GetUnknown)?;
        unknown.reply.notes.broken(form)?;
        (words(&unknown)? == words(step)?).then_some(())
    };
    let explained = step.reply.notes.broken(form).is_some() || is_own().is_some();
    explained.then(|| step.reply.kind.describe())
}

/// The status and the body of an answer, without the task that was asked for.
pub(super) fn words(step: &Step) -> Option<(u16, String)> {
    let response = step.exchange.response.as_ref()?;
    let mut body = String::from_utf8_lossy(&response.body).into_owned();
    let params = step.sent.params.as_ref();
    for place in ["/id", "/taskId", "/message/taskId"] {
        if let Some(id) = params.and_then(|params| params.pointer(place)?.as_str()).filter(|id| !id.is_empty()) {
            body = body.replace(id, "");
        }
    }
    Some((response.status, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::check::{Area, Check, Scenario};
    use crate::engine::transcript::examples::{call, error, recorded, step};

    #[test]
    fn only_a_call_of_an_operation_shows_that_its_method_is_not_known() {
        static AREA: Area = Area::EMPTY;
        static SCENARIO: Scenario = Scenario::judged_by(&[]);
        static CHECK: Check = Check { id: "get.returns-task", ..Check::tripped_by(&["a"]) };
        let row = Row { check: &CHECK, scenario: &SCENARIO, area: &AREA, lane: None, version: "1.0" };
        let (options, finding) = (Options::default(), Verdict::fail(7, "a task", "an error"));
        for (found, is_shown) in [
            (call("get", 7, Operation::GetTask, error(ErrorName::MethodNotFound)), true),
            (call("get", 7, Operation::GetTask, error(ErrorName::TaskNotFound)), false),
            (call("get", 8, Operation::GetTask, error(ErrorName::MethodNotFound)), false),
            (step("other-name", 7, error(ErrorName::MethodNotFound)), false),
        ] {
            let transcript = recorded("get", [found]);
            let context = FindingContext { row: &row, finding: &finding, transcript: &transcript, options: &options };
            assert_eq!(context.no_known_method().is_some(), is_shown, "{transcript:?}");
        }
    }
}
