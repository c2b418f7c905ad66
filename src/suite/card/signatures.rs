//! The form of the card's signatures, and whether one verifies with the key that it names; how many are tried.

use super::reading::{card, card_step, finding, listed, missing, unless};
use crate::a2a::canonical::forms;
use crate::a2a::cursor::Cursor;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Transcript, Verdict};
use crate::engine::run::DISCOVERY;
use crate::host::Signed;
use crate::suite::signing_keys::{decoded, has_kid, keys_to_try, published_keys, trusted_keys};
use crate::wire::base64::URL_SAFE;
use crate::wire::json::{Pointer, Value, brief, parse};
use crate::wire::limits::MOST_SIGNATURES;
use crate::wire::mask::MASK;
use crate::wire::url::Url;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "card-signatures",
    title: "Check the card's signatures",
    scope: Scope::Agent,
    after: &["discovery"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "card.signature-fields",
        title: "Signature entries are well formed",
        why: "A malformed signature makes strict clients refuse the whole card.",
        fix: "Write each entry of signatures as a JWS in JSON form: protected and signature are base64url strings, \
              and header, if present, is an object.",
        judge: fields,
        ..Check::tripped_by(&["card-signature-malformed"])
    },
    Check {
        id: "card.signature-protected-header",
        title: "The protected header has alg and kid",
        why: "Without alg and kid in the protected header, nobody can tell how to verify the signature or with whose \
              key.",
        fix: "Put alg (not none) and kid into the protected header before signing.",
        judge: protected_header,
        ..Check::tripped_by(&["card-signature-no-kid"])
    },
    Check {
        id: "card.signature-typ",
        title: "The protected header has typ JOSE",
        why: "typ identifies the header as belonging to a JWS.",
        fix: "Put \"typ\": \"JOSE\" into the protected header before signing.",
        judge: typ,
        ..Check::tripped_by(&["card-signature-no-typ"])
    },
    Check {
        id: "card.signature-verifies",
        title: "A signature verifies with the key it names",
        why: "A signature that does not verify is worse than none: strict clients treat the card as a forgery.",
        fix: "Sign the card as it is served, without signatures and in the canonical form of RFC 8785, and sign it \
              again after every change; publish the key under its kid at jku.",
        judge: verifies,
        ..Check::tripped_by(&["card-signature-foreign"])
    },
];

fn signatures<'a>(cursor: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(cursor, "signatures", || Verdict::excluded_by_card("the card is not signed"))
}

fn fields(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for entry in signatures(&cursor)? {
        for name in ["protected", "signature"] {
            match entry.member(name) {
                Some(member) if member.value.as_str().is_some_and(|text| decoded(text).is_some()) => {}
                Some(member) => return Ok(finding(id, &member, "a base64url string")),
                None => return Ok(missing(id, &entry, name, "a base64url string")),
            }
        }
        if let Some(header) = entry.member("header").filter(|header| !header.value.is_object()) {
            return Ok(finding(id, &header, "an object"));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

/// The protected headers, with their places.
fn protected(t: &Transcript) -> Result<(u32, Vec<(Pointer, Value)>), Verdict> {
    let (id, cursor) = card(t)?;
    let mut headers = Vec::new();
    for entry in signatures(&cursor)? {
        let decoded = entry.text("protected").and_then(|text| decoded(&text)).and_then(|bytes| parse(&bytes).value);
        let Some(header) = decoded.filter(Value::is_object) else {
            return Err(Verdict::blocked("a protected header cannot be read"));
        };
        headers.push((entry.at.key("protected"), header));
    }
    Ok((id, headers))
}

fn protected_header(t: &Transcript) -> Judged {
    let (id, headers) = protected(t)?;
    for (place, header) in headers {
        for name in ["alg", "kid"] {
            let value = header.get(name).and_then(Value::as_str).unwrap_or_default();
            if value.is_empty() || (name == "alg" && value.eq_ignore_ascii_case("none")) {
                let actual = if value.is_empty() { "missing".to_owned() } else { format!("\"{value}\"") };
                return Ok(Verdict::fail(id, format!("{name} in the protected header"), actual).at(place.as_str()));
            }
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn typ(t: &Transcript) -> Judged {
    let (id, headers) = protected(t)?;
    let odd = headers.into_iter().find(|(_, header)| header.get("typ").and_then(Value::as_str) != Some("JOSE"));
    unless(
        id,
        odd.map(|(place, header)| {
            let actual = header.get("typ").map_or_else(|| "no typ".to_owned(), |typ| brief(typ, 40));
            Verdict::fail(id, "typ \"JOSE\" in the protected header", actual).at(place.as_str())
        }),
    )
}

/// How much of a key's id and of its address is quoted, in characters.
const LONGEST_KID: usize = 60;
const LONGEST_URL: usize = 200;

/// The steps that record what came of a signature: it verifies with a key that the user trusts, with the key that the card
/// names, or with none; or that could not be found out.
const TRUSTED: &str = "trusted";
const VERIFIED: &str = "verified";
const UNVERIFIED: &str = "unverified";
const UNTRIED: &str = "untried";

async fn drive(d: &Driver) {
    let Some(Ok(card)) = d.earlier(DISCOVERY).map(|found| card_step(found, d.facts()).cloned()) else { return };
    let Some(document) = &card.reply.document else { return };
    let list = document.get("signatures").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if list.is_empty() {
        return;
    }
    let trusted = trusted_keys(d).await;
    for entry in list.iter().take(MOST_SIGNATURES) {
        let (outcome, words) = tried(d, document, entry, &trusted).await.unwrap_or_else(|why| (UNTRIED, why));
        d.record_finding(outcome, &card, words.into());
    }
    if list.len() > MOST_SIGNATURES {
        d.record_finding(UNTRIED, &card, "there are too many signatures".into());
    }
}

/// Whether any signature of a card verifies; `None` where that cannot be told.
pub(in crate::suite) async fn signature_verifies(d: &Driver, card: &Value) -> Option<bool> {
    let trusted = trusted_keys(d).await;
    let list = card.get("signatures").and_then(Value::as_array)?;
    let mut found = None;
    for entry in list.iter().take(MOST_SIGNATURES) {
        match tried(d, card, entry, &trusted).await {
            Ok((UNVERIFIED, _)) => found = found.or(Some(false)),
            Ok(_) => return Some(true),
            Err(_) => {}
        }
    }
    found
}

struct Signature<'a> {
    card: &'a Value,
    header: Value,
    protected: String,
    bytes: Vec<u8>,
}

impl Signature<'_> {
    fn text(&self, name: &str) -> &str {
        self.header.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Which form of the card it is of, by this key, if of any; or why that cannot be told.
    async fn form(&self, d: &Driver, key: &Value) -> Result<Option<&'static str>, String> {
        for (form, payload) in forms(self.card)? {
            let signed = Signed {
                algorithm: self.text("alg").to_owned(),
                key: key.clone(),
                bytes: format!("{}.{}", self.protected, URL_SAFE.encode(payload.as_bytes())).into_bytes(),
                signature: self.bytes.clone(),
            };
            if d.verify(signed).await? {
                return Ok(Some(form));
            }
        }
        Ok(None)
    }
}

/// The result of a signature, and its words; or why it cannot be told. Whose a key is, only the user can say: a card
/// that names its own key vouches for itself (T-CARD-19).
async fn tried(
    d: &Driver,
    card: &Value,
    entry: &Value,
    trusted: &Result<Vec<Value>, String>,
) -> Result<(&'static str, String), String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (protected, bytes) = (text("protected"), decoded(&text("signature")));
    let header = decoded(&protected).and_then(|bytes| parse(&bytes).value);
    let (header, bytes) = header.zip(bytes).ok_or_else(|| "it cannot be read".to_owned())?;
    if header.get("crit").is_some() {
        return Err("it has critical header parameters".to_owned());
    }
    if card.to_string().contains(MASK) {
        return Err("the card contains your credentials, which were masked before it was checked".to_owned());
    }
    let signature = Signature { card, header, protected, bytes };
    let kid = signature.text("kid");
    let shown_kid = brief(&kid.into(), LONGEST_KID);
    let keys = trusted.as_deref().unwrap_or_default();
    let own = |key: &&Value| has_kid(key, kid) || key.get("kid").is_none();
    for key in keys_to_try(keys, kid)?.into_iter().filter(own) {
        if let Ok(Some(form)) = signature.form(d, key).await {
            return Ok((TRUSTED, format!("it verifies with the key {shown_kid}, which you trust, and matches {form}")));
        }
    }
    let remark = match trusted {
        Err(why) => format!("; {why}"),
        Ok(keys) if keys.is_empty() => String::new(),
        Ok(_) => "; it does not verify with any key that you trust".to_owned(),
    };
    // The kid alone does not say that the two are one key, so that a key that is trusted proves no signature wrong.
    let named = named_key(d, &signature).await.map_err(|why| format!("{why}{remark}"))?;
    let Some(form) = signature.form(d, &named.key).await? else {
        return Ok((UNVERIFIED, String::new()));
    };
    let elsewhere = if named.is_elsewhere { ", at another origin than the card" } else { "" };
    let url = brief(&named.url.into(), LONGEST_URL);
    let words = format!(
        "it verifies under the key {shown_kid}, published at {url}{elsewhere}, which the card itself names: this proves \
         integrity, not who signed (it matches {form}){remark}"
    );
    Ok((VERIFIED, words))
}

/// The key that a signature names by its jku and kid.
struct NamedKey {
    key: Value,
    /// Where it was published, after redirects.
    url: String,
    /// Whether that is another origin than the card's.
    is_elsewhere: bool,
}

/// Fetches the key that a signature names. Certificates (x5u, x5c) and a key in the header itself (jwk) are not used: they
/// would prove no more, and nobody says what they are worth (RFC 7515 §10.3).
async fn named_key(d: &Driver, signature: &Signature<'_>) -> Result<NamedKey, String> {
    let (jku, kid) = (signature.text("jku"), signature.text("kid"));
    if jku.is_empty() {
        let other = ["x5u", "x5c", "jwk"].into_iter().find(|name| signature.header.get(name).is_some());
        let other = other.map(|name| format!(", and no key is taken from {name}")).unwrap_or_default();
        return Err(format!(
            "its header has no jku{other}; to verify it, give the keys that you trust (on the command line: --jwks)"
        ));
    }
    let address = Url::parse(jku).map_err(|problem| format!("its jku is not a usable address: {problem}"))?;
    // A card from afar has no business with what is near: it shall not make us call a private address.
    let near = d.address().parsed().is_local();
    if (address.is_local() && !near) || (address.scheme != "https" && !address.is_local()) {
        return Err("its jku is not an https address on a public host".to_owned());
    }
    let (keys, step) = published_keys(d, "keys", jku).await;
    let keys = keys.ok_or_else(|| "no key set could be read from its jku".to_owned())?;
    let key = keys.into_iter().find(|key| has_kid(key, kid));
    let key = key.ok_or_else(|| "the key set at its jku has no key with its kid".to_owned())?;
    let url = step.exchange.response.as_ref().map_or(jku, |response| response.url.as_str());
    let origin = |url: &str| Url::parse(url).map(|url| url.origin()).ok();
    let card =
        d.earlier(DISCOVERY).and_then(|transcript| transcript.step("card").ok()).map(|card| card.exchange.asked_url());
    let is_elsewhere = card.is_none_or(|card| origin(&card) != origin(url));
    Ok(NamedKey { key, url: url.to_owned(), is_elsewhere })
}

fn verifies(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    signatures(&cursor)?;
    let found = |name| t.every(name).next().and_then(|step| step.reply.document.as_deref());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // One signature suffices (1.0 §8.4.3), best of all one whose key is trusted.
    if let Some(words) = found(TRUSTED).or_else(|| found(VERIFIED)) {
        return Ok(Verdict::pass_with(text(words)).seen_in(id));
    }
    // So one that could not be tried may be it.
    if let Some(why) = found(UNTRIED) {
        return Err(Verdict::inconclusive(format!("a signature could not be verified: {}", text(why))).seen_in(id));
    }
    if found(UNVERIFIED).is_none() {
        return Err(Verdict::inconclusive("no signature was verified"));
    }
    let actual = "a signature of no canonical form of the card";
    Ok(Verdict::fail(id, "a signature that verifies with its key", actual).at("/signatures"))
}
