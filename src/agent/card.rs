//! The agent card, which is `card.json` with the changes of faults, and how it is served: paths, ETag, signatures, and the extended
//! card.

use serde_json::Value;

use super::fault::FaultId;
use super::form_faults::mutate_object;
use super::hosted_files::digest;
use super::json_values::{data, fill, set, set_text, wrap};
use super::responses::{html_page, not_found, response, typed_response};
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use super::shape::Shape;
use crate::a2a::model::Operation;
use crate::host::StreamedResponse;
use crate::wire::base64::URL_SAFE;
use crate::wire::http::{Headers, Request};

/// The path of the card (1.0 §8.2).
pub(super) const PATH: &str = "/.well-known/agent-card.json";
/// Its path before 0.3.
pub(super) const LEGACY_PATH: &str = "/.well-known/agent.json";

impl ScriptedAgent {
    /// Answers a GET of the card under one of the two paths.
    pub(super) fn serve_card(&self, served_version: &ServedVersion, request: &Request, path: &str) -> StreamedResponse {
        let served_at = match &served_version.older {
            _ if self.has(FaultId::CardLegacyPath) => LEGACY_PATH,
            Some(older) if !self.has(FaultId::CardCurrentPathOnly) => older.card_path,
            _ => PATH,
        };
        if self.has(FaultId::CardMissing) || path != served_at {
            return not_found();
        }
        if self.has(FaultId::CardHtml) {
            return html_page(200, "Welcome");
        }
        let mut card = self.translate_card(served_version, self.card());
        self.0.addressed.get().adapt_card(&self.0.base, &mut card);
        if self.has(FaultId::CardEtagStale) {
            let fetches = self.0.card_fetches.get() + 1;
            self.0.card_fetches.set(fetches);
            set_text(&mut card, "version", &format!("{}+{fetches}", env!("CARGO_PKG_VERSION")));
        }
        if self.has(FaultId::CardWrapped) {
            card = wrap("agentCard", card);
        }
        let mut body = card.to_string().into_bytes();
        if self.has(FaultId::CardCutOff) {
            body.truncate(body.len() / 2);
        }
        let mut headers = Headers::new();
        if !self.has(FaultId::CardNoCacheControl) {
            headers.push("cache-control", "public, max-age=60");
        }
        let etag = if self.has(FaultId::CardEtagStale) {
            "\"card\"".to_owned()
        } else {
            format!("\"{:016x}\"", digest(&body))
        };
        if !self.has(FaultId::CardNoEtag) {
            headers.push("etag", etag.as_str());
        }
        headers.push("last-modified", self.0.created.as_str());
        let conditional = !self.has(FaultId::CardNoEtag) && !self.has(FaultId::CardEtagStale);
        let unchanged = request.headers.get("if-none-match").is_some_and(|tags| etag_matches(tags, &etag));
        if conditional && unchanged {
            return response(304, headers, Vec::new());
        }
        let media_type = if self.has(FaultId::CardTextPlain) { "text/plain" } else { "application/json" };
        let mut answer = typed_response(200, media_type, body);
        headers.iter().for_each(|(name, value)| answer.head.headers.push(name, value));
        answer
    }

    /// The card, with the changes that the faults make to it.
    pub(super) fn card(&self) -> Value {
        let mut card = data(CARD, &[]);
        mutate_object(&self.0.faults, Shape::Card, &mut card);
        if self.has(FaultId::CardSignatureForeign) {
            let header = data(FOREIGN_HEADER, &[("{base}", &self.0.base)]).to_string();
            let protected = URL_SAFE.encode(header.as_bytes());
            let signature = URL_SAFE.encode(&[7; 64]);
            set(&mut card, "signatures", data(SIGNATURES, &[("{protected}", &protected), ("{signature}", &signature)]));
        }
        fill(&mut card, &[("{base}", &self.0.base), ("{release}", env!("CARGO_PKG_VERSION"))]);
        card
    }

    /// A card of 1.0 as a version writes it, with the base URL filled in.
    pub(super) fn translate_card(&self, served_version: &ServedVersion, card: Value) -> Value {
        let mut card = served_version.translate_card(&self.0.faults, card);
        fill(&mut card, &[("{base}", &self.0.base)]);
        card
    }

    pub(super) fn extended_card(&self) -> Value {
        let mut card = self.card();
        mutate_object(&self.0.faults, Shape::Result(Operation::GetExtendedCard), &mut card);
        card
    }
}

const FOREIGN_HEADER: &str = r#"{"alg":"ES256","typ":"JOSE","kid":"key-1","jku":"{base}/jwks.json"}"#;
const SIGNATURES: &str = r#"[{"protected":"{protected}","signature":"{signature}"}]"#;
/// The key of RFC 7515 §A.3.1, which did not make the signature of the card.
pub(super) const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"key-1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;

/// The conformant card. `{base}` and `{release}` are filled in.
pub(super) const CARD: &str = include_str!("card.json");

/// Whether an `If-None-Match` has this tag. Tags compare weakly here (RFC 9110 §13.1.2).
fn etag_matches(tags: &str, etag: &str) -> bool {
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}
