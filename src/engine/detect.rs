//! Which version a card is of, and how that was detected. Where the card leaves it open, the agent's answers decide.

use super::transcript::Transcript;
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::{DIALECTS, Dialect, v0_1::V0_1, v0_2::V0_2, v0_3::V0_3, v1_0::V1_0};
use crate::a2a::model::{Card, Interface, Operation};
use crate::wire::json::Value;

/// The version of a card.
#[derive(Debug, Clone)]
pub struct Detected {
    /// The version whose rules the card is judged by.
    pub dialect: &'static Dialect,
    /// How it was detected, in a sentence for people.
    pub why: String,
    /// Whether the card fits two versions, so that the agent's answers must decide.
    pub open: bool,
    /// Whether the card is of the release candidate of 1.0, which is a dialect of its own.
    pub candidate: bool,
}

/// The step that reads the card which the agent shows to clients of 1.0.
pub const NEWER_CARD: &str = "card-1.0";
/// The steps that ask an agent whose card leaves its version open, each with a method of one version and without
/// parameters.
pub const VERSION_QUESTIONS: [(&str, &Dialect); 2] = [("speaks-0.2", &V0_2), ("speaks-0.1", &V0_1)];

/// Detects the version from the card alone.
#[must_use]
pub fn detect(document: &Value) -> Detected {
    let card = Cursor::root(document);
    let found =
        |dialect: &'static Dialect, why: &str| Detected { dialect, why: why.to_owned(), open: false, candidate: false };
    if card.member("supportedInterfaces").is_some_and(|list| list.value.as_array().is_some_and(|list| !list.is_empty()))
    {
        // T-VER-8: in the candidate the versions stood in the card itself, in 1.0 each interface has one.
        let named = card
            .member("supportedInterfaces")
            .is_some_and(|list| list.elements().any(|entry| entry.member("protocolVersion").is_some()));
        if card.member("protocolVersions").is_some() && !named {
            let why = "the card has protocolVersions at the top level, as in the release candidate of 1.0";
            return Detected { candidate: true, ..found(&V1_0, why) };
        }
        let hybrid = card.member("url").is_some();
        return found(
            &V1_0,
            if hybrid {
                "the card lists supportedInterfaces; its members of older versions are for older clients"
            } else {
                "the card lists supportedInterfaces"
            },
        );
    }
    if card.member("url").is_none() && card.member("protocolVersion").is_none() {
        return found(&V1_0, "the card has neither supportedInterfaces nor url");
    }
    if let Some(version) = card.text("protocolVersion") {
        let known = Dialect::of(&version);
        let kind = format!("the card declares protocolVersion {version}");
        return match known {
            Some(dialect) => found(dialect, &kind),
            // No such version was published; the layout is closest to that of 0.3.
            None => found(&V0_3, &format!("{kind}, which is unknown, and has the layout of 0.3")),
        };
    }
    // 0.2 introduced these, and declared no version before 0.2.5.
    let of_0_2 =
        ["securitySchemes", "security", "supportsAuthenticatedExtendedCard", "additionalInterfaces", "iconUrl"];
    if let Some(name) = of_0_2.into_iter().find(|name| card.member(name).is_some()) {
        return found(&V0_2, &format!("the card has url and {name}, but no protocolVersion"));
    }
    if card.member("authentication").is_some() {
        return found(&V0_1, "the card has url and authentication");
    }
    if card.member("description").is_none() || card.member("defaultInputModes").is_none() {
        return found(&V0_1, "the card has url, but lacks members that later versions require");
    }
    // T-01-3: the samples of 0.1 wrote "text" where a media type belongs.
    Detected { open: true, ..found(&V0_2, "the card has url, but nothing specific to one version") }
}

/// Decides an open version by the answers to [`VERSION_QUESTIONS`].
#[must_use]
pub fn settle(detected: Detected, discovery: &Transcript) -> Detected {
    if !detected.open {
        return detected;
    }
    // An agent that knows the method complains about its parameters; another says that there is no such method or request.
    let knows = |name: &str| {
        let step = discovery.step(name).ok()?;
        let code = step.reply.document.as_ref()?.get("error")?.get("code")?.as_i64()?;
        Some(!matches!(code, -32601 | -32600))
    };
    let answers = VERSION_QUESTIONS.map(|(name, _)| knows(name));
    let (dialect, why) = match answers {
        [Some(false), Some(true)] => (&V0_1, "it knows tasks/send but not message/send"),
        [Some(true), _] => (&V0_2, "it knows message/send"),
        _ => (&V0_2, "its answers did not show it either"),
    };
    Detected { dialect, why: format!("{}; {why}", detected.why), open: false, candidate: false }
}

/// Reads a card in the form of its version. An interface of an older card gets the detected version if its own is another.
#[must_use]
pub fn read(document: &Value, detected: &Detected) -> Card {
    let mut card = (detected.dialect.read_card)(&Cursor::root(document));
    if detected.dialect.version != V1_0.version {
        for interface in &mut card.interfaces {
            let fits = Dialect::of(&interface.version).is_some_and(|known| std::ptr::eq(known, detected.dialect));
            if !fits {
                interface.version = detected.dialect.version.to_owned();
            }
        }
    }
    card
}

/// The card as the version that the user chose: with its interfaces of that version, or with all as if they were.
#[must_use]
pub fn force(document: &Value, dialect: &'static Dialect) -> (Card, Detected) {
    let seen = detect(document);
    let mut card = read(document, &seen);
    let fits =
        |interface: &Interface| Dialect::of(&interface.version).is_some_and(|known| std::ptr::eq(known, dialect));
    if card.interfaces.iter().any(fits) {
        card.interfaces.retain(fits);
    } else {
        for interface in &mut card.interfaces {
            interface.version = dialect.version.to_owned();
        }
    }
    let why = format!("you chose it; {}", seen.why);
    // The card itself is judged by its own version, if that is clear.
    let of = if seen.open { dialect } else { seen.dialect };
    (card, Detected { dialect: of, why, open: false, ..seen })
}

/// Adds the interfaces that only an older card of the same agent lists: one URL may serve both.
pub fn join(card: &mut Card, older: &Card) {
    for interface in &older.interfaces {
        let listed = card.interfaces.iter().any(|known| {
            known.binding == interface.binding
                && Dialect::of(&known.version).map(|known| known.version)
                    == Dialect::of(&interface.version).map(|known| known.version)
        });
        if !listed {
            card.interfaces.push(interface.clone());
        }
    }
}

/// The body of a request that shows whether the agent knows a version's method. It lacks parameters, so that nothing is done.
#[must_use]
pub fn version_question(dialect: &Dialect) -> Vec<u8> {
    let method = dialect.method(Operation::SendMessage).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","id":"speaks","method":"{method}","params":{{}}}}"#).into_bytes()
}

/// The versions that can be forced, newest first.
pub fn versions() -> impl Iterator<Item = &'static str> {
    DIALECTS.iter().map(|dialect| dialect.version)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(card: &Value) -> (&'static str, bool, bool) {
        let found = detect(card);
        (found.dialect.version, found.open, found.candidate)
    }

    #[test]
    fn cards_are_told_by_their_layout_and_what_they_declare() {
        let interface = json!([{ "url": "https://a.test/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }]);
        let bare = json!([{ "url": "https://a.test/", "protocolBinding": "JSONRPC" }]);
        for (card, found) in [
            (json!({ "supportedInterfaces": interface }), ("1.0", false, false)),
            (
                json!({ "supportedInterfaces": interface, "url": "x", "protocolVersion": "0.3.0" }),
                ("1.0", false, false),
            ),
            (json!({ "supportedInterfaces": bare, "protocolVersions": ["1.0"] }), ("1.0", false, true)),
            (json!({ "supportedInterfaces": interface, "protocolVersions": ["1.0"] }), ("1.0", false, false)),
            (json!({}), ("1.0", false, false)),
            (json!({ "url": "https://a.test/", "protocolVersion": "0.3.0" }), ("0.3", false, false)),
            (json!({ "url": "https://a.test/", "protocolVersion": "0.2.9" }), ("0.2", false, false)),
            (json!({ "url": "https://a.test/", "protocolVersion": "0.9" }), ("0.3", false, false)),
            (json!({ "url": "https://a.test/", "securitySchemes": {} }), ("0.2", false, false)),
            (json!({ "url": "https://a.test/", "authentication": { "schemes": [] } }), ("0.1", false, false)),
            (json!({ "url": "https://a.test/", "name": "x" }), ("0.1", false, false)),
            (
                json!({ "url": "https://a.test/", "description": "x", "defaultInputModes": ["text"] }),
                ("0.2", true, false),
            ),
        ] {
            assert_eq!(of(&card), found, "{card}");
        }
    }

    #[test]
    fn a_forced_version_is_that_of_the_lanes() {
        let card = json!({ "url": "https://a.test/", "protocolVersion": "0.3.0" });
        let (card, found) = force(&card, &V0_2);
        assert_eq!(card.interfaces.first().map(|interface| interface.version.as_str()), Some("0.2"));
        assert_eq!(found.dialect.version, "0.3");
    }
}
