//! Which version a card is of, and how that was detected. Where the card leaves it open, the agent's answers decide;
//! `version_questions.rs` asks.

use std::rc::Rc;

use super::transcript::{Step, Transcript};
use super::version_questions::version_answered;
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::{DIALECTS, Dialect, v0_1::V0_1, v0_2::V0_2, v0_3::V0_3, v1_0::V1_0};
use crate::a2a::model::{Card, Interface, Operation};
use crate::wire::json::Value;
use crate::wire::limits::MOST_NAMED_VERSIONS;
use crate::wire::place_index::IdentitySet;

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
    /// Whether an open version may be the newest.
    pub may_be_newest: bool,
}

impl Detected {
    /// A version that is certain.
    #[must_use]
    pub fn new(dialect: &'static Dialect, why: &str) -> Self {
        Self { dialect, why: why.to_owned(), open: false, candidate: false, may_be_newest: false }
    }
}

/// The step that reads the card which the agent shows to clients of the newest version.
pub const NEWER_CARD: &str = "card-1.0";

/// Detects the version from the card alone.
#[must_use]
pub fn detect(document: &Value) -> Detected {
    let card = Cursor::root(document);
    let found = Detected::new;
    let open = |dialect, why: &str| Detected { open: true, ..found(dialect, why) };
    if card.member("supportedInterfaces").is_some_and(|list| list.value.as_array().is_some_and(|list| !list.is_empty()))
    {
        return detect_by_interfaces(&card);
    }
    if card.member("url").is_none() && card.member("protocolVersion").is_none() {
        return found(Dialect::newest(), "the card has neither supportedInterfaces nor url");
    }
    if let Some(version) = card.text("protocolVersion") {
        let known = Dialect::of_version(&version);
        let kind = format!("the card declares protocolVersion {version}");
        // T-VER-10: the members of the card are not those of the version that it names.
        if lists_interfaces(&version) && card.member("url").is_some() {
            let why = format!("{kind}, but has the layout of 0.3: url, and no supportedInterfaces");
            return Detected { open: true, may_be_newest: true, ..found(&V0_3, &why) };
        }
        return match known {
            Some(dialect) => found(dialect, &kind),
            // No such version was published; the layout is closest to that of 0.3.
            None => open(&V0_3, &format!("{kind}, which is unknown, and has the layout of 0.3")),
        };
    }
    if let Some((name, version)) = misspelt_version(&card) {
        // Cards that list their interfaces have another layout.
        let meant = Dialect::of_version(&version).filter(|dialect| !dialect.lists_interfaces()).unwrap_or(&V0_3);
        return open(meant, &format!("the card has url and {name} {version}, most likely meant as protocolVersion"));
    }
    // 0.2 introduced these, and declared no version before 0.2.5.
    let of_0_2 =
        ["securitySchemes", "security", "supportsAuthenticatedExtendedCard", "additionalInterfaces", "iconUrl"];
    if let Some(name) = of_0_2.into_iter().find(|name| card.member(name).is_some()) {
        return open(&V0_2, &format!("the card has url and {name}, but no protocolVersion"));
    }
    // Agents of later versions are met whose cards look like this.
    if card.member("authentication").is_some() {
        return open(&V0_1, "the card has url and authentication");
    }
    if card.member("description").is_none() || card.member("defaultInputModes").is_none() {
        return open(&V0_1, "the card has url, but lacks members that later versions require");
    }
    // T-01-3: the samples of 0.1 wrote "text" where a media type belongs.
    open(&V0_2, "the card has url, but nothing specific to one version")
}

/// How a card that lists `supportedInterfaces` is read: by the newest version, or as one of the release candidate of 1.0.
fn detect_by_interfaces(card: &Cursor<'_>) -> Detected {
    // T-VER-8: in the candidate the versions stood in the card itself, in 1.0 each interface has one.
    let named = card
        .member("supportedInterfaces")
        .is_some_and(|list| list.elements().any(|entry| entry.member("protocolVersion").is_some()));
    if card.member("protocolVersions").is_some() && !named {
        let why = "the card has protocolVersions at the top level, as in the release candidate of 1.0";
        return Detected { candidate: true, ..Detected::new(&V1_0, why) };
    }
    let hybrid = card.member("url").is_some();
    let why = if hybrid {
        "the card lists supportedInterfaces; its members of older versions are for older clients"
    } else {
        "the card lists supportedInterfaces"
    };
    Detected::new(Dialect::newest(), &format!("{why}{}", unknown_versions(card)))
}

/// The versions among the interfaces that this build does not know, and by which it judges them; a clause.
fn unknown_versions(card: &Cursor<'_>) -> String {
    let mut clause = String::new();
    let mut named = 0;
    for entry in card.member("supportedInterfaces").iter().flat_map(Cursor::elements) {
        let version = entry.text("protocolVersion").unwrap_or_default();
        if let (None, Some(nearest)) = (Dialect::of_version(&version), Dialect::nearest(&version)) {
            let one =
                format!("; {version} is judged by {}, the nearest version that this checker knows", nearest.version);
            if clause.contains(&one) {
                continue;
            }
            if named == MOST_NAMED_VERSIONS {
                clause.push_str("; and so are others");
                break;
            }
            clause.push_str(&one);
            named += 1;
        }
    }
    clause
}

/// A member that is nearly `protocolVersion`, and the version in it.
fn misspelt_version(card: &Cursor<'_>) -> Option<(String, String)> {
    let name = near_name(card, "protocolVersion")?;
    let version = card.text(&name).filter(|version| !version.is_empty())?;
    Some((name, version))
}

/// The member of an object whose name is that one in another spelling: in snake_case, or in other capitals.
#[must_use]
pub fn near_name(object: &Cursor<'_>, name: &str) -> Option<String> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let is_near = |known: &str| known != name && plain(known) == plain(name);
    object.members().map(|(known, _)| known).find(|known| is_near(known)).map(str::to_owned)
}

/// Decides an open version by what the agent answered when it was asked.
#[must_use]
pub fn settle(detected: Detected, discovery: &Transcript) -> Detected {
    if !detected.open {
        return detected;
    }
    let method = |dialect: &Dialect| dialect.method(Operation::SendMessage);
    let Some(known) = version_answered(&discovery.steps) else {
        let why = format!("{}; its answers did not show it either", detected.why);
        return Detected { why, open: false, ..detected };
    };
    // 0.2 and 0.3 have the method in common.
    let dialect = if method(known) == method(detected.dialect) { detected.dialect } else { known };
    // It was asked for the method of the next newer versions before, unless its card rules them out.
    let mut newer = DIALECTS.iter().rev().skip_while(|newer| newer.version != known.version);
    let unknown = newer.find(|newer| method(newer) != method(known));
    let unknown =
        unknown.filter(|newer| detected.may_be_newest || !newer.lists_interfaces()).and_then(|newer| method(newer));
    let but = unknown.map(|name| format!(" but not {name}")).unwrap_or_default();
    Detected::new(dialect, &format!("{}; it knows {}{but}", detected.why, method(known).unwrap_or_default()))
}

/// The step of the card that the agent shows to clients of the newest version alone: where it shows another one to others (T-VER-6).
#[must_use]
pub fn newer_card(discovery: &Transcript) -> Option<&Rc<Step>> {
    let newer = discovery.step(NEWER_CARD).ok()?;
    let document = newer.reply.document.as_deref().filter(|document| document.is_object());
    document.is_some_and(|document| detect(document).dialect.is_newest()).then_some(newer)
}

/// Whether the cards of a declared version list their interfaces.
#[must_use]
pub fn lists_interfaces(version: &str) -> bool {
    Dialect::nearest(version).is_some_and(Dialect::lists_interfaces)
}

/// Reads a card in the form of its version. An interface of an older card gets the detected version if its own is another.
#[must_use]
pub fn read(document: &Value, detected: &Detected) -> Card {
    let root = Cursor::root(document);
    let mut card = (detected.dialect.read_card)(&root);
    // An agent whose card has an older layout than its version is reached where clients of 0.3 would.
    let older = root.member("supportedInterfaces").is_none() && root.member("url").is_some();
    if older && detected.dialect.lists_interfaces() {
        card.interfaces = (V0_3.read_card)(&root).interfaces;
    }
    if older || !detected.dialect.lists_interfaces() {
        for interface in &mut card.interfaces {
            if !is_of(interface, detected.dialect) {
                interface.version = detected.dialect.version.to_owned();
            }
        }
    }
    card
}

fn is_of(interface: &Interface, dialect: &Dialect) -> bool {
    Dialect::of_version(&interface.version).is_some_and(|known| std::ptr::eq(known, dialect))
}

/// The card as the version that the user chose: with its interfaces of that version, or with all as if they were.
#[must_use]
pub fn force(document: &Value, dialect: &'static Dialect) -> (Card, Detected) {
    let seen = detect(document);
    let mut card = read(document, &seen);
    if card.interfaces.iter().any(|interface| is_of(interface, dialect)) {
        card.interfaces.retain(|interface| is_of(interface, dialect));
    } else {
        for interface in &mut card.interfaces {
            interface.version = dialect.version.to_owned();
        }
    }
    // A card of another layout has none of the members that the version's rules are about.
    if !seen.open && seen.dialect.card_lists != dialect.card_lists {
        let why = format!("{}; for its interfaces you chose {}", seen.why, dialect.version);
        return (card, Detected { why, ..seen });
    }
    (card, Detected { dialect, why: format!("you chose it; {}", seen.why), open: false, ..seen })
}

/// Adds the interfaces that only an older card of the same agent lists: one URL may serve both.
pub fn join(card: &mut Card, older: &Card) {
    let mut listed = IdentitySet::default();
    let mut is_new = |interface: &Interface| {
        let version = Dialect::of_version(&interface.version).map_or("", |known| known.version);
        listed.add(&[&interface.binding, version])
    };
    for interface in &card.interfaces {
        is_new(interface);
    }
    card.interfaces.extend(older.interfaces.iter().filter(|interface| is_new(interface)).cloned());
}

/// The versions that can be forced, newest first.
pub fn versions() -> impl Iterator<Item = &'static str> {
    VERSIONS.into_iter()
}

/// Listed while it is compiled, so that a form which offers the versions does not carry their dialects.
#[expect(clippy::indexing_slicing, reason = "all of this runs while it is compiled, where a wrong index is an error")]
const VERSIONS: [&str; DIALECTS.len()] = {
    let mut versions = [""; DIALECTS.len()];
    let mut at = 0;
    while at < versions.len() {
        versions[at] = DIALECTS[at].version;
        at += 1;
    }
    versions
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn look_at(card: &Value) -> (&'static str, bool, bool) {
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
            (json!({ "url": "https://a.test/", "protocolVersion": "0.9" }), ("0.3", true, false)),
            (json!({ "url": "https://a.test/", "protocol_version": "0.3.0" }), ("0.3", true, false)),
            (json!({ "url": "https://a.test/", "ProtocolVersion": "0.2.5" }), ("0.2", true, false)),
            (json!({ "url": "https://a.test/", "protocol_version": "1.0" }), ("0.3", true, false)),
            (json!({ "url": "https://a.test/", "securitySchemes": {} }), ("0.2", true, false)),
            (json!({ "url": "https://a.test/", "authentication": { "schemes": [] } }), ("0.1", true, false)),
            (json!({ "url": "https://a.test/", "name": "x" }), ("0.1", true, false)),
            (
                json!({ "url": "https://a.test/", "description": "x", "defaultInputModes": ["text"] }),
                ("0.2", true, false),
            ),
        ] {
            assert_eq!(look_at(&card), found, "{card}");
        }
    }

    #[test]
    fn a_forced_version_is_that_of_the_lanes_and_of_a_card_of_its_layout() {
        let interface = json!([{ "url": "https://a.test/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }]);
        for (card, forced, judged) in [
            (json!({ "url": "https://a.test/", "protocolVersion": "0.3.0" }), &V0_2, "0.2"),
            (json!({ "url": "https://a.test/", "authentication": {} }), &V0_3, "0.3"),
            (json!({ "url": "https://a.test/" }), &V0_3, "0.3"),
            (json!({ "supportedInterfaces": interface }), &V0_3, "1.0"),
        ] {
            let (read, found) = force(&card, forced);
            assert_eq!(read.interfaces.first().map(|interface| interface.version.as_str()), Some(forced.version));
            assert_eq!(found.dialect.version, judged, "{card}");
        }
    }

    #[test]
    fn a_card_whose_version_may_be_meant_otherwise_says_so() {
        let found = detect(&json!({ "url": "https://a.test/", "protocolVersion": "1.0" }));
        assert!(found.may_be_newest && found.why.contains("but has the layout of 0.3"), "{}", found.why);
        let interface = |version: &str| json!({ "url": "https://a.test/", "protocolVersion": version });
        let found = detect(&json!({ "supportedInterfaces": [interface("1.0"), interface("1.7"), interface("1.7")] }));
        let clause = "1.7 is judged by 1.0, the nearest version that this checker knows";
        assert_eq!(found.why.matches(clause).count(), 1, "{}", found.why);
    }
}
