//! Which media types agents take and put out by their cards, and whether two of them meet.

use crate::a2a::model::Card;
use crate::wire::json::Value;
use crate::wire::limits::MOST_MODES;
use crate::wire::place_index::IdentitySet;

/// Media types, each once. Lists may be long: whether one of them fits is found without looking through them.
#[derive(Default)]
pub(in crate::suite) struct Modes {
    listed: Vec<String>,
    halves: IdentitySet,
}

impl Modes {
    /// The types of these lists, in lower case and without parameters.
    fn of<'a>(lists: impl Iterator<Item = &'a Value>) -> Self {
        let texts = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        let essence = |mode: &str| mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut modes = Self::default();
        for mode in texts.map(essence).filter(|mode| !mode.is_empty()) {
            let (kind, form) = halves(&mode);
            modes.halves.add(&[kind, ANY]);
            modes.halves.add(&[ANY, form]);
            if modes.halves.add(&[kind, form, &mode]) {
                modes.halves.add(&[kind, form]);
                modes.listed.push(mode);
            }
        }
        modes
    }

    /// They, in their order.
    pub(in crate::suite) fn listed(&self) -> &[String] {
        &self.listed
    }

    /// Whether an agent with these modes takes a media type. Cards of older versions name modes by bare words.
    pub(in crate::suite) fn takes(&self, media_type: &str) -> bool {
        let (kind, form) = halves(media_type);
        let has = |kind, form| self.halves.has(&[kind, form]);
        match (kind, form) {
            ("*", "*") => !self.listed.is_empty(),
            (kind, "*") => has(kind, ANY) || has("*", ANY),
            ("*", form) => has(ANY, form) || has(ANY, "*"),
            (kind, form) => has(kind, form) || has(kind, "*") || has("*", form) || has("*", "*"),
        }
    }
}

/// Stands for either half of a media type, whatever it is: no half of one has a slash.
const ANY: &str = "/";

/// The halves of a media type. A bare word is one with any second half.
fn halves(mode: &str) -> (&str, &str) {
    mode.split_once('/').unwrap_or((mode, "*"))
}

/// What an agent takes.
pub(in crate::suite) fn inputs(card: &Card) -> Modes {
    modes(card, "defaultInputModes", "inputModes")
}

/// What an agent puts out.
pub(in crate::suite) fn outputs(card: &Card) -> Modes {
    modes(card, "defaultOutputModes", "outputModes")
}

/// What an agent takes whichever of its skills a message is for: a skill may name modes of its own in place of the card's.
pub(in crate::suite) fn inputs_of_every_skill(card: &Card) -> Modes {
    let lists = skills(card).filter_map(|skill| skill.get("inputModes"));
    let lists: Vec<Modes> =
        lists.map(|list| Modes::of(std::iter::once(list))).filter(|list| !list.listed.is_empty()).collect();
    let default = Modes::of(card.raw.get("defaultInputModes").into_iter());
    let taken = inputs(card).listed.into_iter().take(MOST_MODES);
    let taken = taken
        .filter(|mode| (default.listed.is_empty() || default.takes(mode)) && lists.iter().all(|list| list.takes(mode)));
    let taken: Value = taken.collect();
    Modes::of(std::iter::once(&taken))
}

fn skills(card: &Card) -> impl Iterator<Item = &Value> {
    card.raw.get("skills").and_then(Value::as_array).into_iter().flatten()
}

/// The modes of the card and of all its skills.
fn modes(card: &Card, default: &str, of_skill: &str) -> Modes {
    Modes::of(card.raw.get(default).into_iter().chain(skills(card).filter_map(|skill| skill.get(of_skill))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Modes, inputs_of_every_skill};
    use crate::a2a::model::Card;

    #[test]
    fn what_only_one_skill_takes_is_not_taken_whatever_the_skill() {
        let taken = |default: &[&str], skills: &[&[&str]]| {
            let skills: Vec<_> = skills.iter().map(|modes| json!({ "inputModes": modes })).collect();
            let raw = json!({ "defaultInputModes": default, "skills": skills });
            inputs_of_every_skill(&Card { raw, ..Card::default() }).listed
        };
        assert_eq!(taken(&["text/plain", "application/json"], &[&[]]), ["text/plain", "application/json"]);
        assert_eq!(taken(&["text/plain"], &[&["text/plain", "image/png"], &[]]), ["text/plain"]);
        assert_eq!(taken(&["text/plain", "image/png"], &[&["text/plain; charset=utf-8"]]), ["text/plain"]);
        assert_eq!(taken(&[], &[&["image/png"], &["text/plain", "image/png"]]), ["image/png"]);
    }

    #[test]
    fn modes_meet_by_wildcards_and_bare_words() {
        let fits = |mode: &str, other: &str| Modes::of(std::iter::once(&json!([mode]))).takes(other);
        for (mode, other, expected) in [
            ("text/plain", "text/plain", true),
            ("text/plain", "text/html", false),
            ("text/*", "text/html", true),
            ("*/*", "image/png", true),
            ("*", "image/png", true),
            ("*/png", "image/png", true),
            ("*/png", "image/gif", false),
            ("text", "text/plain", true),
            ("text", "application/json", false),
            ("video/mp4", "text/plain", false),
        ] {
            assert_eq!(fits(mode, other), expected, "{mode} {other}");
            assert_eq!(fits(other, mode), expected, "{other} {mode}");
        }
    }
}
