//! The content of every answer of a lane: names, states, roles, timestamps, parts, artifacts, messages, and the ids of new tasks.

use std::rc::Rc;

use super::kept_messages::{as_sent, has_follow_ups};
use super::traffic::everywhere;
use crate::a2a::binding::ReplyKind;
use crate::a2a::cursor::Cursor;
use crate::a2a::model::Operation;
use crate::a2a::rule::{Notes, Rule};
use crate::a2a::snake_case::{SNAKE, has_own_names};
use crate::engine::plural;
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict};
use crate::engine::verdict::Outcome;
use crate::suite::errors::ODD_ROLE;
use crate::suite::noted_failure::broken;
use crate::wire::json::parse;

pub(super) static SCENARIO: Scenario = Scenario::of_traffic("formats", "Check the content of every response", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "json.camel-case",
        title: "Member names are camelCase",
        why: "Clients do not find a member that has another name.",
        fix: "Serialise with camelCase names (ProtoJSON): contextId, messageId, artifactId, not context_id.",
        judge: camel_case,
        ..Check::tripped_by(&["snake-case"])
    },
    Check {
        id: "enum.task-state",
        title: "States have the names of their version",
        why: "Clients look states up by name; any other spelling is an unknown state.",
        fix: "Write states as TASK_STATE_COMPLETED and so on, with the prefix and with one L in CANCELED; before 1.0, \
              as completed, canceled, input-required.",
        requirements: &["enum.task-state", "enum.v03.task-state", "enum.v01.task-state"],
        judge: |t| everywhere(t, Rule::TaskState, "task"),
        ..Check::tripped_by(&["states-lowercase", "states-of-proto"])
    },
    Check {
        id: "enum.task-state-unspecified",
        title: "No state or role is left unspecified",
        why: "The zero value carries no information.",
        fix: "Set a state and a role before responding; the zero values mean \"not set\".",
        judge: |t| everywhere(t, Rule::Unspecified, "state or role"),
        ..Check::tripped_by(&["state-unspecified"])
    },
    Check {
        id: "enum.role",
        title: "Roles have the names of their version",
        why: "Clients tell by the role who wrote a message.",
        fix: "Write roles as ROLE_USER and ROLE_AGENT; before 1.0, as user and agent.",
        requirements: &["enum.role", "enum.v03.role"],
        judge: role,
        ..Check::tripped_by(&["roles-lowercase", "roles-of-proto"])
    },
    Check {
        id: "enum.agent-role",
        title: "The agent's own messages have ROLE_AGENT",
        why: "Otherwise a client shows the agent's messages as the user's.",
        fix: "Give messages that the agent creates, including status messages, the role ROLE_AGENT.",
        requirements: &["enum.role"],
        judge: |t| everywhere(t, Rule::AgentRole, "message of its own"),
        ..Check::tripped_by(&["agent-speaks-as-user"])
    },
    Check {
        id: "timestamp.utc",
        title: "Timestamps are UTC with Z",
        why: "Clients may read a time without Z in their own time zone.",
        fix: "Write timestamps in UTC as 2026-02-03T04:05:06.789Z.",
        judge: |t| everywhere(t, Rule::Timestamp, "timestamp"),
        ..Check::tripped_by(&["timestamps-offset"])
    },
    Check {
        id: "timestamp.millis",
        title: "Timestamps have millisecond precision",
        why: "Milliseconds keep quick updates in order; the specification recommends them and allows leaving them out.",
        fix: "Write timestamps with three fractional digits: 2026-02-03T04:05:06.789Z.",
        advisory: Some("fractions may be left out, and ProtoJSON prints 0, 3, 6 or 9 digits (1.0 §5.6.1)"),
        judge: |t| everywhere(t, Rule::TimestampMillis, "timestamp").map(Verdict::as_note),
        ..Check::tripped_by(&["timestamps-seconds"])
    },
    Check {
        id: "part.oneof",
        title: "Each part has exactly one content",
        why: "Clients drop or misread a part with two contents, or with none.",
        fix: "Give every part exactly one of text, raw, url and data.",
        judge: |t| everywhere(t, Rule::PartContent, "part"),
        ..Check::tripped_by(&["part-two-contents"])
    },
    Check {
        id: "part.tagged",
        title: "Parts are tagged",
        why: "Clients read a part by its tag, and drop or misread one with a missing or wrong tag.",
        fix: "Tag every part with kind (0.2, 0.3) or type (0.1): text, file or data, and give it the member of that \
              name.",
        requirements: &["part.v03.kind", "part.v01.type"],
        judge: |t| everywhere(t, Rule::PartContent, "part"),
        ..Check::tripped_by(&["part-untagged", "part-tagged-type"])
    },
    Check {
        id: "object.kind",
        title: "Tasks and messages have their kind",
        why: "0.2 and 0.3 distinguish objects by kind, and strict clients refuse an object without it.",
        fix: "Write kind \"task\" on every task and \"message\" on every message, including those in history and \
              status.",
        requirements: &["send.v03.task-shape", "send.v03.message-shape"],
        judge: |t| everywhere(t, Rule::Kind, "object"),
        ..Check::tripped_by(&["task-no-kind"])
    },
    Check {
        id: "timestamp.iso",
        title: "Timestamps are ISO 8601",
        why: "Clients cannot use a time they cannot parse.",
        fix: "Write timestamps as ISO 8601, preferably in UTC: 2026-02-03T04:05:06Z.",
        requirements: &["timestamp.v03.iso"],
        judge: |t| everywhere(t, Rule::Timestamp, "timestamp"),
        ..Check::tripped_by(&["timestamps-odd"])
    },
    Check {
        id: "part.raw-base64",
        title: "Inline files are base64",
        why: "Clients decode raw as base64 and fail on anything else.",
        fix: "Encode raw as base64.",
        judge: |t| everywhere(t, Rule::PartRaw, "inline file"),
        ..Check::tripped_by(&["raw-not-base64"])
    },
    Check {
        id: "part.no-kind",
        title: "1.0 objects have no kind",
        why: "1.0 distinguishes objects by their members; kind belongs to older versions, and strict clients refuse \
              it.",
        fix: "Leave kind out of tasks, messages and parts on a 1.0 interface.",
        requirements: &["part.no-kind", "version.semantics"],
        judge: |t| everywhere(t, Rule::NoKind, "object"),
        ..Check::tripped_by(&["kind-members"])
    },
    Check {
        id: "artifact.shape",
        title: "Artifacts have an id and parts",
        why: "Clients store artifacts by id and show their parts.",
        fix: "Give every artifact a non-empty artifactId (in 0.1 an index) and at least one part.",
        requirements: &["artifact.shape", "artifact.v01.shape"],
        judge: |t| everywhere(t, Rule::Artifact, "artifact"),
        ..Check::tripped_by(&["artifact-no-id", "artifact-no-parts"])
    },
    Check {
        id: "artifact.unique-ids",
        title: "A task's artifacts have different ids",
        why: "Of two artifacts with the same id, the later overwrites the earlier.",
        fix: "Generate a new artifactId for every artifact of a task.",
        judge: |t| everywhere(t, Rule::ArtifactIds, "artifact"),
        ..Check::tripped_by(&["artifact-ids-repeat"])
    },
    Check {
        id: "send.message-shape",
        title: "Messages have an id and parts",
        why: "Clients use messageId to find duplicates and replies, and they show the parts.",
        fix: "Give every message, including those in history and status, a messageId (not in 0.1), a role and at \
              least one part.",
        requirements: &["send.message-shape", "send.v03.message-shape", "send.v01.message-shape"],
        judge: |t| everywhere(t, Rule::MessageMembers, "message"),
        ..Check::tripped_by(&["message-no-id", "message-no-parts"])
    },
    Check {
        id: "history.as-sent",
        title: "A message in the history is the one that was sent",
        why: "Another client, or the user who comes back, reads the conversation from the history.",
        fix: "Store the client's message as it came: every part with its name, media type and metadata, and the message's own \
              metadata, extensions and referenceTaskIds, and write all of it in each binding.",
        judge: as_sent,
        ..Check::tripped_by(&["history-drops-members", "history-drops-metadata"])
    },
    Check {
        id: "history.follow-ups",
        title: "The history has the messages that went on with the task",
        why: "A conversation that shows the answers without the questions cannot be read, by people or by the model.",
        fix: "Add each message of the client's to the task's history, the follow-ups too.",
        judge: has_follow_ups,
        ..Check::tripped_by(&["history-drops-follow-ups"])
    },
    Check {
        id: "send.server-message-context",
        title: "A Message response has its contextId",
        why: "Without it, the next message cannot join the conversation.",
        fix: "Set the contextId on messages that the agent returns.",
        advisory: Some("agents may work without contexts (1.0 §3.4.1)"),
        judge: |t| everywhere(t, Rule::MessageContext, "message as an answer"),
        ..Check::tripped_by(&["message-no-context"])
    },
    Check {
        id: "send.task-shape",
        title: "Tasks have an id and a status",
        why: "A client needs both for everything it does with a task.",
        fix: "Give every task an id and a status with a state, and in 0.2 and 0.3 a contextId; every other member has \
              its defined type or is omitted.",
        requirements: &["send.task-shape", "send.v03.task-shape", "send.v03.rest-task-shape"],
        judge: task_shape,
        ..Check::tripped_by(&["task-no-id", "task-context-number"])
    },
    Check {
        id: "send.task-ids-unique",
        title: "New tasks get their own ids",
        why: "Clients treat two tasks with one id as one task.",
        fix: "Generate a new id (a UUID) for every new task.",
        judge: ids_unique,
        ..Check::tripped_by(&["task-ids-reused"])
    },
];

fn role(t: &Transcript) -> Judged {
    let verdict = everywhere(t, Rule::Role, "message")?;
    // The values that this check planted are not all the agent's.
    let planted = |step: &Step| {
        step.sent.what == Some(ODD_ROLE) && matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_))
    };
    if verdict.outcome == Outcome::Fail && t.steps.iter().any(|step| planted(step)) {
        let message = format!(
            "{}; the agent accepted {ODD_ROLE} from this run (see send.invalid-enum), and what it shows may be that one",
            verdict.message
        );
        return Ok(verdict.because(message));
    }
    Ok(verdict)
}

fn camel_case(t: &Transcript) -> Judged {
    let mut notes = Notes::default();
    for step in &t.steps {
        let frames = step.exchange.response.iter().flat_map(|response| &response.frames);
        let events = frames.filter_map(|timed| parse(timed.frame.data.as_bytes()).value.map(Rc::new));
        for document in step.reply.document.iter().cloned().chain(events) {
            walk(&Cursor::root(&document), &mut notes);
        }
        if let Some(place) = notes.broken(Rule::CamelCase) {
            return Ok(broken(step, place));
        }
    }
    match notes.seen(Rule::CamelCase) {
        0 => Err(t.stopped_or(|| Verdict::not_applicable("the agent sent no JSON object"))),
        count => Ok(Verdict::pass_with(format!("{} checked", plural::count(count, "member name")))),
    }
}

/// Names inside metadata, data and error details are the agent's own.
fn walk(look: &Cursor<'_>, notes: &mut Notes) {
    for (name, member) in look.members() {
        if SNAKE.contains(&name) {
            notes.breaks(Rule::CamelCase, &member.at, "camelCase names", name);
        } else {
            notes.holds(Rule::CamelCase);
        }
        if !has_own_names(name) {
            walk(&member, notes);
        }
    }
    for element in look.elements() {
        walk(&element, notes);
    }
}

fn task_shape(t: &Transcript) -> Judged {
    let rules = [Rule::TaskId, Rule::TaskStatus, Rule::TaskMembers];
    let broken = rules.into_iter().map(|rule| t.rule(rule, Verdict::pass)).find(|verdict| verdict.expected.is_some());
    broken.map_or_else(|| everywhere(t, Rule::TaskId, "task"), Ok)
}

/// 1.0 §3.4.2: every send without a taskId that makes a task makes a new one.
fn ids_unique(t: &Transcript) -> Judged {
    let mut made: Vec<(&str, u32)> = Vec::new();
    for step in &t.steps {
        let sends = matches!(step.sent.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
        let names = |place: &str| step.sent.params.as_ref().is_some_and(|params| params.pointer(place).is_some());
        // Whether a message in a context makes a new task is judged by `context.new-task-in-context`.
        if !sends || names("/message/taskId") || names("/message/contextId") {
            continue;
        }
        let Some(id) = step.whole_tasks().first().and_then(|task| task.id.as_deref()) else { continue };
        if let Some((_, earlier)) = made.iter().find(|(known, _)| *known == id) {
            return Ok(step.fail("a new id for a new task", format!("\"{id}\" a second time")).seen_in(*earlier));
        }
        made.push((id, step.exchange.id));
    }
    match made.len() {
        0 => Err(t.stopped_or(|| t.no_task())),
        1 => Err(Verdict::inconclusive("the agent created only one task")),
        count => Ok(Verdict::pass_with(format!("{} compared", plural::count_of(count, "task")))),
    }
}
