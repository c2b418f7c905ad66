//! The skills of a card: their members, tags and unique ids; and whether its modes are media types.

use super::reading::{card, finding, is_list_of_texts, lacks_text, missing, of_card, skills, unless};
use crate::a2a::cursor::Cursor;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};
use crate::wire::place_index::IdentitySet;

pub(super) static SCENARIO: Scenario = of_card("card-skills", "Check the card's skills", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "card.skill-required-fields",
        title: "Each skill has id, name, description and tags",
        why: "Clients choose an agent by its skills; a skill without a description is never chosen.",
        fix: "Give every skill an id, a name, a description and an array of tags.",
        judge: required,
        ..Check::tripped_by(&["card-skill-incomplete", "card-skill-untagged"])
    },
    Check {
        id: "card.skill-tags-nonempty",
        title: "Each skill has at least one tag",
        why: "Registries search by tags.",
        fix: "Put at least one keyword into each skill's tags.",
        advisory: Some("schemas of earlier versions allowed an empty list"),
        judge: tags,
        ..Check::tripped_by(&["card-skill-no-tags"])
    },
    Check {
        id: "card.skill-ids-unique",
        title: "Skill ids are unique",
        why: "When a client names a skill by its id, exactly one skill must match.",
        fix: "Rename one of the skills that share an id.",
        judge: unique,
        ..Check::tripped_by(&["card-skill-duplicate"])
    },
    Check {
        id: "card.modes-are-media-types",
        title: "Input and output modes are media types",
        why: "Clients match these against the media types they support; a bare word matches none.",
        fix: "Write modes as media types: text/plain, not text; application/json, not json.",
        judge: modes,
        ..Check::tripped_by(&["card-mode-bare-word"])
    },
];

fn required(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for skill in skills(&cursor)? {
        if let Some(finding) = lacks_text(id, &skill, &["id", "name", "description"]) {
            return Ok(finding);
        }
        // ProtoJSON, which 1.0 writes, leaves an empty array out; whether it may be empty is the next check's.
        if !cursor.has("supportedInterfaces") && skill.member("tags").is_none() {
            return Ok(missing(id, &skill, "tags", "an array of strings"));
        }
        if let Some(tags) = skill.member("tags").filter(|tags| !is_list_of_texts(tags.value)) {
            return Ok(finding(id, &tags, "an array of strings"));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn tags(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let has_tags = |skill: &Cursor<'_>| skill.member("tags").is_some_and(|tags| tags.elements().next().is_some());
    let untagged = skills(&cursor)?.into_iter().find(|skill| !has_tags(skill));
    unless(id, untagged.map(|skill| missing(id, &skill, "tags", "at least one tag")))
}

fn unique(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut known = IdentitySet::default();
    let repeated = skills(&cursor)?.into_iter().find_map(|skill| {
        let name = skill.text("id").filter(|name| !known.add(&[name]))?;
        let verdict = Verdict::fail(id, "an id that no other skill has", format!("\"{name}\" a second time"));
        Some(verdict.at(skill.at.key("id").as_str()))
    });
    unless(id, repeated)
}

fn modes(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut lists = vec![cursor.member("defaultInputModes"), cursor.member("defaultOutputModes")];
    for skill in cursor.member("skills").iter().flat_map(Cursor::elements) {
        lists.extend(["inputModes", "outputModes"].map(|name| skill.member(name)));
    }
    // T-01-3: the samples of 0.1 wrote "text".
    let takes_text = !cursor.has("supportedInterfaces") && !cursor.has("protocolVersion");
    let is_known =
        |mode: &Cursor<'_>| takes_text && mode.value == "text" || mode.value.as_str().is_some_and(is_media_type);
    let odd = lists.iter().flatten().flat_map(Cursor::elements).find(|mode| !is_known(mode));
    unless(id, odd.map(|mode| finding(id, &mode, "a media type, type/subtype")))
}

/// `type/subtype` with optional parameters; `*/*` and `type/*` count.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let token =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+*".contains(&b));
    essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

#[cfg(test)]
mod tests {
    use super::is_media_type;

    #[test]
    fn media_types_are_told_from_bare_words() {
        for good in
            ["text/plain", "application/a2a+json", "*/*", "image/*", "text/plain; charset=utf-8", "application/vnd.x.y"]
        {
            assert!(is_media_type(good), "{good}");
        }
        for bad in ["text", "json", "", "text/", "/plain", "text plain", "a/b/c"] {
            assert!(!is_media_type(bad), "{bad}");
        }
    }
}
