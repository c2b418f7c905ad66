//! Reads what cards of all versions have alike: name, capabilities, extensions, skills, and whether credentials are needed.

use crate::a2a::cursor::Cursor;
use crate::a2a::model::{Card, Skill};
use crate::wire::json::Value;

/// The members that name a security scheme in 1.0 (§4.5.1), and the types of 0.3 (§5.5.3) that mean the same.
pub const SCHEME_KINDS: [(&str, &str); 5] = [
    ("apiKeySecurityScheme", "apiKey"),
    ("httpAuthSecurityScheme", "http"),
    ("oauth2SecurityScheme", "oauth2"),
    ("openIdConnectSecurityScheme", "openIdConnect"),
    ("mtlsSecurityScheme", "mutualTLS"),
];

/// What the cards of all versions have alike.
pub(super) fn common(card: &Cursor<'_>) -> Card {
    let capabilities = card.member("capabilities");
    let can = |name: &str| capabilities.as_ref().is_some_and(|capabilities| capabilities.flag(name));
    let extensions = capabilities.iter().flat_map(|capabilities| capabilities.elements_of("extensions"));
    // What has a line end, a blank or a character beyond ASCII is no URI (RFC 3986 §2), and cannot stand in the header that names it.
    let is_uri = |uri: &String| uri.bytes().all(|byte| byte.is_ascii_graphic());
    let named = |entry: Cursor<'_>| Some((entry.text("uri").filter(is_uri)?, entry.flag("required")));
    let skills = card.elements_of("skills");
    Card {
        name: card.text("name"),
        version: card.text("version"),
        streaming: can("streaming"),
        push_notifications: can("pushNotifications"),
        extensions: extensions.filter_map(named).collect(),
        skills: skills
            .map(|skill| Skill { id: skill.text("id").unwrap_or_default(), examples: strings(&skill, "examples") })
            .collect(),
        input_modes: strings(card, "defaultInputModes"),
        requires_auth: requires_auth(card),
        raw: card.value.clone(),
        ..Card::default()
    }
}

pub(super) fn strings(cursor: &Cursor<'_>, name: &str) -> Vec<String> {
    cursor.elements_of(name).filter_map(|element| element.value.as_str().map(str::to_owned)).collect()
}

/// Whether some credential is needed. Any one of the alternatives suffices, and an empty one means that nothing is needed
/// (1.0 §4.4.1; 0.3 §5.5).
fn requires_auth(card: &Cursor<'_>) -> bool {
    let asks_for_some = |alternative: &Value| {
        let schemes = alternative.get("schemes").unwrap_or(alternative);
        schemes.as_object().is_some_and(|map| !map.is_empty())
    };
    let list = card.member("securityRequirements").or_else(|| card.member("security"));
    let alternatives = list.as_ref().and_then(|list| list.value.as_array()).map(Vec::as_slice).unwrap_or_default();
    !alternatives.is_empty() && alternatives.iter().all(asks_for_some)
}
