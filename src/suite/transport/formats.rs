//! The content of everything a lane sent: names, enums, timestamps, required members.

use super::everywhere;
use crate::a2a::binding::Said;
use crate::a2a::look::Look;
use crate::a2a::model::{Operation, Payload, StreamEvent};
use crate::a2a::rule::{Notes, Rule};
use crate::engine::check::{anyone, silent};
use crate::engine::take::{MESSAGE_INSTEAD, Take};
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::suite::broken;
use crate::wire::json::parse;

scenario! {
    "formats", "Look at the content of every answer", in Transport, scope: Traffic,
    messages: 0, streams: 0, after: [], needs: anyone, drive: silent,
    checks: {
        /// A member under another name is a member that is not there.
        ///
        /// Fix: Serialise with camelCase names (ProtoJSON): contextId, messageId, artifactId, not context_id.
        "json.camel-case", "Member names are camelCase",
        requires: ["json.camel-case"], faults: ["snake-case"], judge: camel_case;

        /// Clients map the state by its name; another spelling is an unknown state.
        ///
        /// Fix: Write states as TASK_STATE_COMPLETED and so on, with the prefix and CANCELED with one L; before 1.0 as
        /// completed, canceled, input-required.
        "enum.task-state", "States have the names of the version",
        requires: ["enum.task-state", "enum.v03.task-state", "enum.v01.task-state"], faults: ["states-lowercase", "states-of-proto"], judge: |t| everywhere(t, Rule::TaskState, "task");

        /// A placeholder says nothing about the task.
        ///
        /// Fix: Set a state and a role before answering; the zero values are for "not set".
        "enum.task-state-unspecified", "No unspecified states or roles",
        requires: ["enum.task-state-unspecified"], faults: ["state-unspecified"],
        judge: |t| everywhere(t, Rule::Unspecified, "state or role");

        /// Clients tell by the role who speaks.
        ///
        /// Fix: Write roles as ROLE_USER and ROLE_AGENT; before 1.0 as user and agent.
        "enum.role", "Roles have the names of the version",
        requires: ["enum.role", "enum.v03.role"], faults: ["roles-lowercase", "roles-of-proto"], judge: |t| everywhere(t, Rule::Role, "message");

        /// A client shows the agent's words as the user's otherwise.
        ///
        /// Fix: Give messages that the agent makes, status messages included, the role ROLE_AGENT.
        "enum.agent-role", "The agent speaks as ROLE_AGENT",
        requires: ["enum.role"], faults: ["agent-speaks-as-user"],
        judge: |t| everywhere(t, Rule::AgentRole, "message of its own");

        /// A time without Z is read in the reader's own zone.
        ///
        /// Fix: Write timestamps in UTC as 2026-02-03T04:05:06.789Z.
        "timestamp.utc", "Timestamps are UTC with Z",
        requires: ["timestamp.utc"], faults: ["timestamps-offset"],
        judge: |t| everywhere(t, Rule::Timestamp, "timestamp");

        /// Milliseconds keep the order of quick updates; the text wishes for them and allows to leave them out.
        ///
        /// Fix: Write timestamps with three fraction digits: 2026-02-03T04:05:06.789Z.
        "timestamp.millis", "Timestamps have millisecond precision",
        requires: ["timestamp.millis"], faults: ["timestamps-seconds"],
        advisory: "fractions may be left out, and ProtoJSON prints 0, 3, 6 or 9 digits (1.0 §5.6.1)",
        judge: |t| everywhere(t, Rule::TimestampMillis, "timestamp").map(Verdict::as_note);

        /// A part that is two things at once, or nothing, is dropped or misread.
        ///
        /// Fix: Give every part exactly one of text, raw, url and data.
        "part.oneof", "Each part has exactly one content",
        requires: ["part.oneof"], faults: ["part-two-contents"], judge: |t| everywhere(t, Rule::PartContent, "part");

        /// A reader goes by the tag; without it, or with another member behind it, the part is dropped or misread.
        ///
        /// Fix: Tag every part with kind (0.2, 0.3) or type (0.1): text, file or data, and give it the member of that name.
        "part.tagged", "Parts say what they are",
        requires: ["part.v03.kind", "part.v01.type"], faults: ["part-untagged", "part-tagged-type"],
        judge: |t| everywhere(t, Rule::PartContent, "part");

        /// 0.2 and 0.3 tell objects apart by kind; strict readers refuse an object without it.
        ///
        /// Fix: Write kind "task" on every task and "message" on every message, those in history and status included.
        "object.kind", "Tasks and messages say their kind",
        requires: ["send.v03.task-shape", "send.v03.message-shape"], faults: ["task-no-kind"],
        judge: |t| everywhere(t, Rule::Kind, "object");

        /// A time that cannot be read is no time.
        ///
        /// Fix: Write timestamps as ISO 8601, best in UTC: 2026-02-03T04:05:06Z.
        "timestamp.iso", "Timestamps are ISO 8601",
        requires: ["timestamp.v03.iso"], faults: ["timestamps-odd"], judge: |t| everywhere(t, Rule::Timestamp, "timestamp");

        /// Readers decode raw as base64 and fail on anything else.
        ///
        /// Fix: Encode raw as base64.
        "part.raw-base64", "Inline files are base64",
        requires: ["part.raw-base64"], faults: ["raw-not-base64"], judge: |t| everywhere(t, Rule::PartRaw, "inline file");

        /// 1.0 tells objects apart by their members; kind belongs to older versions and strict readers refuse it.
        ///
        /// Fix: Leave kind out of tasks, messages and parts on a 1.0 interface.
        "part.no-kind", "1.0 objects carry no kind",
        requires: ["part.no-kind", "version.semantics"], faults: ["kind-members"], judge: |t| everywhere(t, Rule::NoKind, "object");

        /// Clients store artifacts by their id and show their parts.
        ///
        /// Fix: Give every artifact a non-empty artifactId (in 0.1 an index) and at least one part.
        "artifact.shape", "Artifacts have an id and parts",
        requires: ["artifact.shape", "artifact.v01.shape"], faults: ["artifact-no-id", "artifact-no-parts"], judge: |t| everywhere(t, Rule::Artifact, "artifact");

        /// The later of two artifacts with one id overwrites the earlier.
        ///
        /// Fix: Make a new artifactId for every artifact of a task.
        "artifact.unique-ids", "Artifact ids of a task differ",
        requires: ["artifact.unique-ids"], faults: ["artifact-ids-repeat"],
        judge: |t| everywhere(t, Rule::ArtifactIds, "artifact");

        /// Clients find duplicates and answers by messageId, and show parts.
        ///
        /// Fix: Give every message, in answers, history and status, a messageId (not in 0.1), a role and at least one part.
        "send.message-shape", "Messages have an id and parts",
        requires: ["send.message-shape", "send.v03.message-shape", "send.v01.message-shape"], faults: ["message-no-id", "message-no-parts"],
        judge: |t| everywhere(t, Rule::MessageMembers, "message");

        /// Without it the next message cannot join the conversation.
        ///
        /// Fix: Put the contextId on messages that the agent answers with.
        "send.server-message-context", "An answering message names its context",
        requires: ["send.server-message-context"], faults: ["message-no-context"],
        advisory: "agents may go without contexts (1.0 §3.4.1)",
        judge: |t| everywhere(t, Rule::MessageContext, "message as an answer");

        /// Everything a client does with a task goes by these.
        ///
        /// Fix: Give every task an id and a status with a state, and in 0.2 and 0.3 a contextId; the other members have their
        /// types or are left out.
        "send.task-shape", "Tasks have an id and a status",
        requires: ["send.task-shape", "send.v03.task-shape"], faults: ["task-no-id", "task-context-number"], judge: task_shape;

        /// Two tasks under one id are one task to everybody else.
        ///
        /// Fix: Make a fresh id (a UUID) for every new task.
        "send.task-ids-unique", "New tasks get ids of their own",
        requires: ["send.task-ids-unique"], faults: ["task-ids-reused"], judge: ids_unique;
    }
}

/// Names that A2A writes in camelCase and that servers are known to write with underscores.
const SNAKE: [&str; 26] = [
    "context_id",
    "message_id",
    "task_id",
    "artifact_id",
    "status_update",
    "artifact_update",
    "last_chunk",
    "media_type",
    "protocol_version",
    "protocol_binding",
    "reference_task_ids",
    "next_page_token",
    "page_size",
    "total_size",
    "supported_interfaces",
    "default_input_modes",
    "default_output_modes",
    "input_modes",
    "output_modes",
    "push_notifications",
    "extended_agent_card",
    "security_schemes",
    "security_requirements",
    "documentation_url",
    "icon_url",
    "task_push_notification_config",
];

fn camel_case(t: &Take) -> Judged {
    let mut notes = Notes::default();
    for step in &t.steps {
        let frames = step.exchange.response.iter().flat_map(|response| &response.frames);
        let events = frames.filter_map(|timed| parse(timed.frame.data.as_bytes()).value);
        for document in step.reply.document.iter().cloned().chain(events) {
            walk(&Look::root(&document), &mut notes);
        }
        if let Some(place) = notes.broken(Rule::CamelCase) {
            return Ok(broken(step, place));
        }
    }
    match (notes.seen(Rule::CamelCase), &t.stopped) {
        (0, Some(why)) => Err(why.clone()),
        (0, None) => Err(Verdict::not_applicable("the agent sent no JSON object")),
        (count, _) => Ok(Verdict::pass_with(format!("{count} member names looked at"))),
    }
}

/// Names inside metadata, data and error details are the agent's own.
fn walk(look: &Look<'_>, notes: &mut Notes) {
    for (name, member) in look.members() {
        if SNAKE.contains(&name) {
            notes.breaks(Rule::CamelCase, &member.at, "camelCase names", name);
        } else {
            notes.holds(Rule::CamelCase);
        }
        if !matches!(name, "metadata" | "data" | "params" | "header") {
            walk(&member, notes);
        }
    }
    for element in look.elements() {
        walk(&element, notes);
    }
}

fn task_shape(t: &Take) -> Judged {
    for rule in [Rule::TaskId, Rule::TaskStatus, Rule::TaskMembers] {
        let verdict = t.rule(rule, Verdict::pass);
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    everywhere(t, Rule::TaskId, "task")
}

/// 1.0 §3.4.2: every send without a taskId that makes a task makes a new one.
fn ids_unique(t: &Take) -> Judged {
    let mut made: Vec<(&str, u32)> = Vec::new();
    for step in &t.steps {
        let sends = matches!(step.sent.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
        let names_task = step.sent.params.as_ref().is_some_and(|params| params.pointer("/message/taskId").is_some());
        if !sends || names_task {
            continue;
        }
        let task = match &step.reply.said {
            Said::Result(Payload::Sent { task: Some(task), .. }) => task.id.as_deref(),
            Said::Stream(items) => items.iter().find_map(|item| match &item.kind {
                crate::a2a::binding::StreamItemKind::Event(StreamEvent::Task(task)) => task.id.as_deref(),
                _ => None,
            }),
            _ => None,
        };
        let Some(id) = task else { continue };
        if let Some((_, earlier)) = made.iter().find(|(known, _)| *known == id) {
            let actual = format!("\"{id}\" a second time");
            return Ok(Verdict::fail(step.exchange.id, "an id of its own for a new task", actual).seen_in(*earlier));
        }
        made.push((id, step.exchange.id));
    }
    match (made.len(), &t.stopped) {
        (0, Some(why)) => Err(why.clone()),
        (0, None) => Err(Verdict::inconclusive(MESSAGE_INSTEAD)),
        (1, _) => Err(Verdict::inconclusive("the agent made only one task")),
        (count, _) => Ok(Verdict::pass_with(format!("{count} tasks compared"))),
    }
}
