//! One root cause, one finding: the agent accepts calls without credentials.

use super::root_cause::{BlockedFinding, FindingContext};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::Operation;
use crate::engine::event::Row;
use crate::engine::options::Options;
use crate::engine::transcript::{Step, Transcript};

/// The check that says that calls without credentials are let in.
const OPEN_CHECK: &str = "auth.missing-credentials";
/// The check that says that a task is shown to those who have none.
const TASK_CHECK: &str = "auth.task-without-credentials";
/// The scenario of the first, and its calls: one that needs no work, and a message.
const AUTH: &str = "auth";
const OPEN_CALL: &str = "list-none";
const OPEN_SEND: &str = "send-none";
/// The scenario of the second, and its call.
const TASKS: &str = "auth-tasks";
const TASK_CALL: &str = "get";

/// The checks that find nothing new where the agent ignores credentials, each with its scenario and call.
const OPEN: [(&str, &str, &str); 4] = [
    ("auth.invalid-credentials", AUTH, "list-wrong"),
    ("auth.expired-credentials", AUTH, "list-expired"),
    ("auth.other-scheme", AUTH, "list-foreign"),
    (TASK_CHECK, TASKS, TASK_CALL),
];

impl FindingContext<'_> {
    /// The root cause of a finding about credentials when the agent accepts calls without any.
    pub(super) fn unprotected(&self) -> Option<BlockedFinding> {
        if only_shows_tasks(self.transcript) && self.options.wants(TASK_CHECK) {
            let is_about_tasks = self.row.check.id != TASK_CHECK
                && (self.row.check.id == OPEN_CHECK || OPEN.iter().any(|(check, ..)| *check == self.row.check.id))
                && !is_accepted(self.transcript, AUTH, "send-wrong");
            let why = "GetTask alone answers without credentials";
            return is_about_tasks.then(|| self.blocked_by(TASK_CHECK, why));
        }
        let (check, scenario, call) = OPEN.into_iter().find(|(check, ..)| *check == self.row.check.id)?;
        let explained = self.options.wants(OPEN_CHECK) && is_accepted(self.transcript, AUTH, OPEN_CALL);
        (explained && is_accepted(self.transcript, scenario, call) && !finds_more(check, self.transcript))
            .then(|| self.blocked_by(OPEN_CHECK, "calls without credentials are not refused"))
    }
}

/// The checks that find no more than that calls without credentials are let in.
pub(super) fn checks_it_explains(row: &Row, transcript: &Transcript, options: &Options) -> Vec<&'static str> {
    let is_open =
        is_accepted(transcript, AUTH, OPEN_CALL) && !(only_shows_tasks(transcript) && options.wants(TASK_CHECK));
    if row.check.id != OPEN_CHECK || !is_open {
        return Vec::new();
    }
    let open = OPEN.into_iter().filter(|(_, scenario, call)| is_accepted(transcript, scenario, call));
    let open = open.map(|(check, ..)| check).filter(|check| !finds_more(check, transcript));
    open.filter(|check| options.wants(check)).collect()
}

/// Whether invalid credentials let in what none do not.
fn finds_more(check: &str, transcript: &Transcript) -> bool {
    let sends = |call: &str| is_accepted(transcript, AUTH, call);
    check == "auth.invalid-credentials" && sends("send-wrong") && !sends(OPEN_SEND)
}

/// Whether all that is let in without credentials is a reading of a task. Without lists it is what both scenarios try.
fn only_shows_tasks(transcript: &Transcript) -> bool {
    let reads =
        find_call(transcript, AUTH, OPEN_CALL).is_some_and(|step| step.sent.operation == Some(Operation::GetTask));
    let both = is_accepted(transcript, AUTH, OPEN_CALL) && is_accepted(transcript, TASKS, TASK_CALL);
    reads && both && !is_accepted(transcript, AUTH, OPEN_SEND)
}

/// The call of a scenario, which is this one's or one before it.
fn find_call<'a>(transcript: &'a Transcript, scenario: &str, call: &str) -> Option<&'a Step> {
    let recorded = if transcript.scenario == scenario {
        Some(transcript)
    } else {
        transcript.earlier(scenario).ok().map(AsRef::as_ref)
    };
    recorded.and_then(|recorded| recorded.step(call).ok()).map(AsRef::as_ref)
}

/// Whether a call of that scenario was let in.
fn is_accepted(transcript: &Transcript, scenario: &str, call: &str) -> bool {
    find_call(transcript, scenario, call).is_some_and(|step| matches!(step.reply.kind, ReplyKind::Result(_)))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::a2a::model::{ErrorName, Payload};
    use crate::engine::check::{Area, Check, Scenario};
    use crate::engine::transcript::examples::{call, error, recorded};
    use crate::engine::verdict::Verdict;

    #[test]
    fn only_a_call_that_succeeded_was_let_in() {
        let list = |name, kind| call(name, 1, Operation::ListTasks, kind);
        let auth = recorded(
            AUTH,
            [
                list(OPEN_CALL, ReplyKind::Result(Payload::Nothing)),
                list("list-wrong", ReplyKind::Unavailable(401)),
                list("list-foreign", error(ErrorName::Internal)),
            ],
        );
        let later = Transcript { before: vec![Rc::new(auth.clone())], ..recorded(TASKS, []) };
        for transcript in [&auth, &later] {
            assert!(is_accepted(transcript, AUTH, OPEN_CALL));
            for call in ["list-wrong", "list-foreign", "list-expired"] {
                assert!(!is_accepted(transcript, AUTH, call), "{call}");
            }
        }
    }

    #[test]
    fn what_is_let_in_with_wrong_credentials_is_no_second_finding_where_none_are_needed() {
        static AREA: Area = Area::EMPTY;
        static SCENARIO: Scenario = Scenario::judged_by(&[]);
        static INVALID: Check = Check { id: "auth.invalid-credentials", ..Check::tripped_by(&["a"]) };
        let let_in = || ReplyKind::Result(Payload::Nothing);
        let refused = || ReplyKind::Unavailable(401);
        for (none, wrong, send_wrong, send_none, is_explained) in [
            (let_in(), let_in(), refused(), refused(), true),
            (refused(), let_in(), refused(), refused(), false),
            (let_in(), refused(), refused(), refused(), false),
            // A message is let in with wrong credentials, and with none it is not.
            (let_in(), let_in(), let_in(), refused(), false),
            (let_in(), let_in(), let_in(), let_in(), true),
        ] {
            let list = |name, kind| call(name, 1, Operation::ListTasks, kind);
            let send = |name, kind| call(name, 2, Operation::SendMessage, kind);
            let steps = [
                list(OPEN_CALL, none),
                list("list-wrong", wrong),
                send("send-wrong", send_wrong),
                send(OPEN_SEND, send_none),
            ];
            let (transcript, options, finding) = (recorded(AUTH, steps), Options::default(), Verdict::pass());
            let row = Row { check: &INVALID, scenario: &SCENARIO, area: &AREA, lane: None, version: "1.0" };
            let context = FindingContext { row: &row, finding: &finding, transcript: &transcript, options: &options };
            assert_eq!(context.unprotected().is_some(), is_explained, "{transcript:?}");
        }
    }
}
