//! The form of the messages that a client sends: required members, role, parts and their content.

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use crate::a2a::dialect::Tags;
use crate::a2a::model::Role;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value, brief};

/// How much of a value a finding shows.
const SHOWN: usize = 60;
/// For a rule about messages when there are none.
pub(super) const NO_MESSAGE: &str = "the client sent no message";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.message-fields",
        title: "Messages have every member that the version requires",
        why: "An agent refuses a message that lacks a required member, or cannot tell it from others.",
        fix: "Set messageId, role and parts on each message; in 0.2 and 0.3 kind as well.",
        requirements: &["client.message-fields", "client.message-fields-0x"],
        ..Check::tripped_by(&["no-message-id", "no-role", "no-kind", "no-parts"])
    }
    .judging_clients_by(fields),
    Check {
        id: "client.role",
        title: "Messages of a client have the role of the user",
        why: "A message with another role reads as if the agent had written it.",
        fix: "Set role to ROLE_USER in 1.0 and to user in older versions.",
        requirements: &["client.role", "client.role-0x"],
        ..Check::tripped_by(&["role-agent", "role-of-another-version"])
    }
    .judging_clients_by(role),
    Check {
        id: "client.parts-nonempty",
        title: "Messages have at least one part",
        why: "A message without parts says nothing, and agents refuse it.",
        fix: "Put the content of the message into at least one part.",
        ..Check::tripped_by(&["empty-parts"])
    }
    .judging_clients_by(parts_nonempty),
    Check {
        id: "client.part-content",
        title: "Each part has the one content that its version allows",
        why: "An agent does not find the content of a part that has the form of another version.",
        fix: "Give a part one of text, raw, url and data in 1.0; kind with text, file or data in 0.2 and 0.3; type in 0.1.",
        requirements: &["client.part-content", "client.part-kind"],
        ..Check::tripped_by(&["part-without-content", "part-with-two-contents", "part-of-another-version"])
    }
    .judging_clients_by(part_content),
];

fn fields(c: &ClientConversation<'_>) -> Judged {
    judge_places(c.messages(), NO_MESSAGE, |call, (message, at)| {
        let missing = missing_member(call, message)?;
        let actual = message.get(missing).map_or_else(|| "none".to_owned(), |given| brief(given, SHOWN));
        Some(call.fail(missing, actual).at(at.key(missing)))
    })
}

/// The first required member that a message lacks. What a role and a list of parts hold are checks of their own.
fn missing_member(call: &ClientCall, message: &Value) -> Option<&'static str> {
    let forms = &call.dialect().forms;
    let lacks_text = |name: &'static str| text(message, name).is_none().then_some(name);
    let id = forms.ids.then(|| lacks_text("messageId")).flatten();
    let role = || message.get("role").is_none().then_some("role");
    let parts = || (!message.get("parts").is_some_and(Value::is_array)).then_some("parts");
    let kind = || {
        let has_kind = forms.tags != Tags::Kind || message.get("kind").and_then(Value::as_str) == Some("message");
        (!has_kind).then_some("kind")
    };
    id.or_else(role).or_else(parts).or_else(kind)
}

fn role(c: &ClientConversation<'_>) -> Judged {
    let with_role = c.messages().filter_map(|(call, (message, at))| Some((call, (message.get("role")?, at))));
    judge_places(with_role, NO_MESSAGE, |call, (role, at)| {
        let expected = call.dialect().role_name(Role::User);
        (role.as_str() != Some(expected)).then(|| call.fail(expected, brief(role, SHOWN)).at(at.key("role")))
    })
}

fn parts_nonempty(c: &ClientConversation<'_>) -> Judged {
    let with_parts =
        c.messages().filter_map(|(call, (message, at))| Some((call, (message.get("parts")?.as_array()?, at))));
    judge_places(with_parts, NO_MESSAGE, |call, (parts, at)| {
        parts.is_empty().then(|| call.fail("at least one part", "an empty list").at(at.key("parts")))
    })
}

fn part_content(c: &ClientConversation<'_>) -> Judged {
    let parts = c.messages().flat_map(|(call, (message, at))| {
        let list = message.get("parts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().enumerate().map(move |(index, part)| (call, (part, at.key("parts").index(index))))
    });
    judge_places(parts, "the client sent no part", |call, (part, at)| match call.dialect().forms.tags {
        Tags::Members => by_members(call, part, &at),
        Tags::Kind => by_tag(call, part, &at, "kind"),
        Tags::Type => by_tag(call, part, &at, "type"),
        Tags::Either => None,
    })
}

/// A part of 1.0, which has one of four members.
fn by_members(call: &ClientCall, part: &Value, at: &Pointer) -> Option<Verdict> {
    const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];
    // A part of data may hold null.
    let is_set = |name: &&str| part.get(*name).is_some_and(|value| !value.is_null() || *name == "data");
    let found: Vec<&str> = CONTENTS.into_iter().filter(is_set).collect();
    let actual = match found.len() {
        1 => return None,
        0 => brief(part, SHOWN),
        _ => found.join(" and "),
    };
    Some(call.fail("one of text, raw, url and data", actual).at(at))
}

/// A part of an older version, which says of what kind it is.
fn by_tag(call: &ClientCall, part: &Value, at: &Pointer, tag: &str) -> Option<Verdict> {
    const KINDS: [&str; 3] = ["text", "file", "data"];
    let kind = part.get(tag).and_then(Value::as_str).filter(|kind| KINDS.contains(kind));
    let expected = match kind {
        Some(kind) if part.get(kind).is_some_and(|value| !value.is_null()) => return None,
        Some(kind) => format!("the member {kind}"),
        None => format!("{tag} with the value text, file or data"),
    };
    Some(call.fail(expected, brief(part, SHOWN)).at(at))
}
