//! Which media types agents take and put out by their cards, and whether two of them meet.

use crate::a2a::model::Card;
use crate::wire::json::Value;

/// What an agent takes.
pub(in crate::suite) fn inputs(card: &Card) -> Vec<String> {
    modes(card, "defaultInputModes", "inputModes")
}

/// What an agent puts out.
pub(in crate::suite) fn outputs(card: &Card) -> Vec<String> {
    modes(card, "defaultOutputModes", "outputModes")
}

/// What an agent takes whichever of its skills a message is for: a skill may name modes of its own in place of the card's.
pub(in crate::suite) fn inputs_of_every_skill(card: &Card) -> Vec<String> {
    let skills = card.raw.get("skills").and_then(Value::as_array).into_iter().flatten();
    let lists: Vec<Vec<String>> =
        skills.map(|skill| listed(skill.get("inputModes"))).filter(|list| !list.is_empty()).collect();
    let mut taken = inputs(card);
    let default = listed(card.raw.get("defaultInputModes"));
    taken.retain(|mode| (default.is_empty() || takes(&default, mode)) && lists.iter().all(|list| takes(list, mode)));
    taken
}

/// The modes of one list, in lower case and without parameters.
fn listed(list: Option<&Value>) -> Vec<String> {
    let modes = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let essence = |mode: &str| mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    modes.map(essence).filter(|mode| !mode.is_empty()).collect()
}

/// The modes of the card and of all its skills, each once.
fn modes(card: &Card, default: &str, of_skill: &str) -> Vec<String> {
    let skills = card.raw.get("skills").and_then(Value::as_array).into_iter().flatten();
    let lists = card.raw.get(default).into_iter().chain(skills.filter_map(|skill| skill.get(of_skill)));
    let mut found: Vec<String> = Vec::new();
    for mode in lists.flat_map(|list| listed(Some(list))) {
        if !found.contains(&mode) {
            found.push(mode);
        }
    }
    found
}

/// Whether an agent with these modes takes a media type. Cards of older versions name modes by bare words.
pub(in crate::suite) fn takes(modes: &[String], media_type: &str) -> bool {
    modes.iter().any(|mode| fits(mode, media_type))
}

/// Whether two modes can name the same media type.
fn fits(mode: &str, other: &str) -> bool {
    let halves = |mode: &str| match mode.split_once('/') {
        Some((kind, form)) => (kind.to_owned(), form.to_owned()),
        None => (if mode == "*" { "*".to_owned() } else { mode.to_owned() }, "*".to_owned()),
    };
    let is_same = |one: &str, two: &str| one == two || one == "*" || two == "*";
    let ((kind, form), (other_kind, other_form)) = (halves(mode), halves(other));
    is_same(&kind, &other_kind) && is_same(&form, &other_form)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fits, inputs_of_every_skill};
    use crate::a2a::model::Card;

    #[test]
    fn what_only_one_skill_takes_is_not_taken_whatever_the_skill() {
        let taken = |default: &[&str], skills: &[&[&str]]| {
            let skills: Vec<_> = skills.iter().map(|modes| json!({ "inputModes": modes })).collect();
            let raw = json!({ "defaultInputModes": default, "skills": skills });
            inputs_of_every_skill(&Card { raw, ..Card::default() })
        };
        assert_eq!(taken(&["text/plain", "application/json"], &[&[]]), ["text/plain", "application/json"]);
        assert_eq!(taken(&["text/plain"], &[&["text/plain", "image/png"], &[]]), ["text/plain"]);
        assert_eq!(taken(&["text/plain", "image/png"], &[&["text/plain; charset=utf-8"]]), ["text/plain"]);
        assert_eq!(taken(&[], &[&["image/png"], &["text/plain", "image/png"]]), ["image/png"]);
    }

    #[test]
    fn modes_meet_by_wildcards_and_bare_words() {
        for (mode, other, expected) in [
            ("text/plain", "text/plain", true),
            ("text/plain", "text/html", false),
            ("text/*", "text/html", true),
            ("*/*", "image/png", true),
            ("text", "text/plain", true),
            ("text", "application/json", false),
            ("video/mp4", "text/plain", false),
        ] {
            assert_eq!(fits(mode, other), expected, "{mode} {other}");
            assert_eq!(fits(other, mode), expected, "{other} {mode}");
        }
    }
}
