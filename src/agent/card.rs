//! The agent card, and how it is served.

use serde_json::{Value, json};

use super::fault::FaultId;
use super::state::set;
use super::{ScriptedAgent, answer, html_page, json_answer, not_found};
use crate::host::Answer;
use crate::wire::http::{Headers, Request};

/// Where a card is (1.0 §8.2).
pub(super) const PATH: &str = "/.well-known/agent-card.json";
/// Where it was before 0.3.
pub(super) const LEGACY_PATH: &str = "/.well-known/agent.json";

impl ScriptedAgent {
    /// Answers a GET of the card under one of the two paths.
    pub(super) fn serve_card(&self, request: &Request, path: &str) -> Answer {
        let has = |fault| self.0.faults.has(fault);
        let home = if has(FaultId::CardLegacyPath) { LEGACY_PATH } else { PATH };
        if has(FaultId::CardMissing) || path != home {
            return not_found();
        }
        if has(FaultId::CardHtml) {
            return html_page(200, "Welcome");
        }
        let mut card = self.card();
        if has(FaultId::CardEtagStale) {
            let fetches = self.0.card_fetches.get() + 1;
            self.0.card_fetches.set(fetches);
            set(&mut card, "version", Some(format!("{}+{fetches}", env!("CARGO_PKG_VERSION"))));
        }
        if has(FaultId::CardWrapped) {
            card = json!({ "agentCard": card });
        }
        let body = card.to_string().into_bytes();
        let mut headers = Headers::new();
        if !has(FaultId::CardNoCacheControl) {
            headers.push("cache-control", "public, max-age=60");
        }
        let etag =
            if has(FaultId::CardEtagStale) { "\"card\"".to_owned() } else { format!("\"{:016x}\"", hash(&body)) };
        if !has(FaultId::CardNoEtag) {
            headers.push("etag", etag.as_str());
        }
        headers.push("last-modified", self.0.born.as_str());
        let conditional = !has(FaultId::CardNoEtag) && !has(FaultId::CardEtagStale);
        let known = request.headers.get("if-none-match").is_some_and(|tags| matches(tags, &etag));
        if conditional && known {
            return answer(304, headers, Vec::new());
        }
        let media_type = if has(FaultId::CardTextPlain) { "text/plain" } else { "application/json" };
        let mut served = json_answer(200, media_type, body);
        headers.iter().for_each(|(name, value)| served.head.headers.push(name, value));
        served
    }

    /// The card: the conformant one, and what the chosen faults change about it.
    pub(super) fn card(&self) -> Value {
        let data = |text: &str| {
            let text = text.replace("{base}", &self.0.base).replace("{release}", env!("CARGO_PKG_VERSION"));
            // The texts are ours, and a test reads every one of them.
            serde_json::from_str(&text).unwrap_or_default()
        };
        let mut card = data(CARD);
        for (fault, pointer, text) in PATCHES {
            if self.0.faults.has(*fault) {
                change(&mut card, pointer, text.map(data));
            }
        }
        card
    }
}

/// The conformant card. `{base}` and `{release}` are filled in.
const CARD: &str = include_str!("card.json");

/// What a fault changes: the place as a JSON pointer, and the new value there. `-` at the end of a pointer appends to an
/// array, and no value takes the member away.
type Patch = (FaultId, &'static str, Option<&'static str>);

#[rustfmt::skip]
const PATCHES: &[Patch] = &[
    (FaultId::UndeclaredStreaming, "/capabilities/streaming", Some("false")),
    (FaultId::CardNoDescription, "/description", None),
    (FaultId::CardVersionPatch, "/supportedInterfaces/0/protocolVersion", Some(r#""1.0.1""#)),
    (FaultId::CardEmptyModes, "/defaultOutputModes", Some("[]")),
    (FaultId::CardModeBareWord, "/defaultInputModes", Some(r#"["text","text/plain"]"#)),
    (FaultId::CardBadDocumentationUrl, "/documentationUrl", Some(r#""see the wiki""#)),
    (FaultId::CardProviderIncomplete, "/provider", Some(r#"{"organization":"a2a-conformance"}"#)),
    (FaultId::CardCapabilityText, "/capabilities/pushNotifications", Some(r#""false""#)),
    (FaultId::CardExtensionNoUri, "/capabilities/extensions", Some(r#"[{"description":"An extension without a name.","required":false}]"#)),
    (FaultId::CardExtendedLegacyFlag, "/supportsAuthenticatedExtendedCard", Some("true")),
    (FaultId::CardSignatureMalformed, "/signatures", Some(r#"[{"protected":5,"signature":"a b"}]"#)),
    // {"alg":"ES256","typ":"JOSE"} and some bytes.
    (FaultId::CardSignatureNoKid, "/signatures", Some(r#"[{"protected":"eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UifQ","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    (FaultId::CardNoInterfaces, "/supportedInterfaces", Some("[]")),
    (FaultId::CardInterfaceIncomplete, "/supportedInterfaces/-", Some(r#"{"url":"{base}/rpc","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceRelative, "/supportedInterfaces/-", Some(r#"{"url":"/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceHttpPublic, "/supportedInterfaces/-", Some(r#"{"url":"http://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardBindingMisspelled, "/supportedInterfaces/-", Some(r#"{"url":"https://agent.example.com/rest","protocolBinding":"REST","protocolVersion":"1.0"}"#)),
    (FaultId::CardTenantNumber, "/supportedInterfaces/-", Some(r#"{"url":"https://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0","tenant":7}"#)),
    (FaultId::CardSecret, "/skills/7/description", Some(r#""Shows every kind of content. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a""#)),
    (FaultId::CardSkillNoTags, "/skills/7/tags", Some("[]")),
    (FaultId::CardSkillIncomplete, "/skills/7/description", None),
    (FaultId::CardSkillDuplicate, "/skills/-", Some(r#"{"id":"data-types","name":"Data types","description":"The same id again.","tags":["task"]}"#)),
    (FaultId::CardEmptySkills, "/skills", Some("[]")),
    (FaultId::AuthRequired, "/securitySchemes", Some(BEARER)),
    (FaultId::AuthRequired, "/securityRequirements", Some(r#"[{"schemes":{"tok":{"list":[]}}}]"#)),
    (FaultId::CardSchemeFlat, "/securitySchemes", Some(r#"{"tok":{"type":"http","scheme":"bearer"}}"#)),
    (FaultId::CardSchemeIncomplete, "/securitySchemes", Some(r#"{"key":{"apiKeySecurityScheme":{"location":"header"}}}"#)),
    // The empty alternative lets anybody in, so that nothing but the form is wrong.
    (FaultId::CardRequirementsFlat, "/securitySchemes", Some(BEARER)),
    (FaultId::CardRequirementsFlat, "/securityRequirements", Some(r#"[{"tok":[]},{}]"#)),
    (FaultId::CardRequirementsDangling, "/securitySchemes", Some(BEARER)),
    (FaultId::CardRequirementsDangling, "/securityRequirements", Some(r#"[{"schemes":{"other":{"list":[]}}},{}]"#)),
];

const BEARER: &str = r#"{"tok":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}}"#;

/// Changes one place of the card.
fn change(card: &mut Value, pointer: &str, value: Option<Value>) {
    let (holder, name) = pointer.rsplit_once('/').unwrap_or_default();
    match (card.pointer_mut(holder), value) {
        (Some(Value::Array(list)), Some(value)) => list.push(value),
        (Some(Value::Object(map)), Some(value)) => drop(map.insert(name.to_owned(), value)),
        (Some(Value::Object(map)), None) => drop(map.shift_remove(name)),
        _ => {}
    }
}

/// Whether a list of entity tags holds this one; tags compare weakly here (RFC 9110 §13.1.2).
fn matches(tags: &str, etag: &str) -> bool {
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_card_is_json_and_its_place_exists() {
        let card: Value = serde_json::from_str(CARD).unwrap();
        for (fault, pointer, text) in PATCHES {
            let (holder, _) = pointer.rsplit_once('/').unwrap();
            assert!(card.pointer(holder).is_some(), "{}: {pointer}", fault.as_str());
            if let Some(text) = text {
                serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{}: {error}", fault.as_str()));
            }
        }
        let skills: Vec<_> =
            card["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap()).collect();
        assert_eq!(skills, super::super::script::KEYWORDS);
    }
}
