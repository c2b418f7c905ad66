//! The form of the card's signatures, and whether they verify with the keys that they name.

use futures_util::future::LocalBoxFuture;

use super::reading::{card, finding, listed, missing};
use crate::a2a::canonical::forms;
use crate::a2a::cursor::Cursor;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::run::DISCOVERY;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::host::Signed;
use crate::wire::base64::URL_SAFE;
use crate::wire::http::Request;
use crate::wire::json::{Pointer, Value, brief, parse};
use crate::wire::mask::MASK;
use crate::wire::url::Url;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "card-signatures",
    title: "Check the card's signatures",
    scope: Scope::Agent,
    after: &["discovery"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "card.signature-fields",
        title: "Signature entries are well formed",
        why: "A malformed signature makes strict clients refuse the whole card.",
        fix: "Write each entry of signatures as a JWS in JSON form: protected and signature are base64url strings, \
              and header, if present, is an object.",
        faults: tripped_by(&["card-signature-malformed"]),
        judge: fields,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.signature-protected-header",
        title: "The protected header has alg and kid",
        why: "Without alg and kid in the protected header, nobody can tell how to verify the signature or with whose \
              key.",
        fix: "Put alg (not none) and kid into the protected header before signing.",
        faults: tripped_by(&["card-signature-no-kid"]),
        judge: protected_header,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.signature-typ",
        title: "The protected header has typ JOSE",
        why: "typ identifies the header as belonging to a JWS.",
        fix: "Put \"typ\": \"JOSE\" into the protected header before signing.",
        faults: tripped_by(&["card-signature-no-typ"]),
        judge: typ,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.signature-verifies",
        title: "A signature verifies with the key it names",
        why: "A signature that does not verify is worse than none: strict clients treat the card as a forgery.",
        fix: "Sign the card as it is served, without signatures and in the canonical form of RFC 8785, and sign it \
              again after every change; publish the key under its kid at jku.",
        faults: tripped_by(&["card-signature-foreign"]),
        judge: verifies,
        ..Check::DEFAULTS
    },
];

fn signatures<'a>(look: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(look, "signatures", || Verdict::not_applicable("the card is not signed"))
}

fn fields(t: &Transcript) -> Judged {
    let (id, look) = card(t)?;
    for entry in signatures(&look)? {
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
    let (id, look) = card(t)?;
    let mut headers = Vec::new();
    for entry in signatures(&look)? {
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
    for (place, header) in headers {
        if header.get("typ").and_then(Value::as_str) != Some("JOSE") {
            let actual = header.get("typ").map_or_else(|| "no typ".to_owned(), |typ| brief(typ, 40));
            return Ok(Verdict::fail(id, "typ \"JOSE\" in the protected header", actual).at(place.as_str()));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

/// More signatures than these are not tried.
const ENOUGH: usize = 5;

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(Ok(card)) = d.earlier(DISCOVERY).map(|transcript| transcript.step("card").cloned()) else { return };
        let Some(document) = &card.reply.document else { return };
        let list = document.get("signatures").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for entry in list.iter().take(ENOUGH) {
            match signed_form(d, document, entry).await {
                Ok(Some(form)) => d.record_finding("verified", &card, form.into()),
                Ok(None) => d.record_finding("unverified", &card, Value::Null),
                Err(why) => d.record_finding("untried", &card, why.into()),
            }
        }
        if list.len() > ENOUGH {
            d.record_finding("untried", &card, "there are too many signatures".into());
        }
    })
}

/// The bytes of base64url; a signature of no bytes is none.
fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE.decode(text).filter(|bytes| !bytes.is_empty())
}

/// Which form of the card a signature is of, if of any; or why that cannot be told.
async fn signed_form(d: &Driver, card: &Value, entry: &Value) -> Result<Option<&'static str>, String> {
    let text = |holder: &Value, name: &str| holder.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (protected, signature) = (text(entry, "protected"), decoded(&text(entry, "signature")));
    let header = decoded(&protected).and_then(|bytes| parse(&bytes).value);
    let (Some(header), Some(signature)) = (header, signature) else {
        return Err("it cannot be read".to_owned());
    };
    if header.get("crit").is_some() {
        return Err("it has critical header parameters".to_owned());
    }
    if card.to_string().contains(MASK) {
        return Err("the card contains your credentials, which were masked before it was checked".to_owned());
    }
    let forms = forms(card)?;
    let key = key(d, &text(&header, "jku"), &text(&header, "kid")).await?;
    for (form, payload) in forms {
        let signed = Signed {
            algorithm: text(&header, "alg"),
            key: key.clone(),
            bytes: format!("{protected}.{}", URL_SAFE.encode(payload.as_bytes())).into_bytes(),
            signature: signature.clone(),
        };
        if d.verify(signed).await? {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// The key of that id in the key set at that address.
async fn key(d: &Driver, jku: &str, kid: &str) -> Result<Value, String> {
    if jku.is_empty() {
        return Err("its header has no jku, and this checker does not know its key".to_owned());
    }
    let address = Url::parse(jku).map_err(|problem| format!("its jku is not a usable address: {problem}"))?;
    // A card from afar has no business with what is near: it shall not make us call a private address.
    let near = d.address().parsed().is_local();
    if (address.is_local() && !near) || (address.scheme != "https" && !address.is_local()) {
        return Err("its jku is not an https address on a public host".to_owned());
    }
    let step = d.fetch_without_credentials("keys", Request::get(jku)).await;
    let document = step.reply.document.as_ref().filter(|_| step.exchange.status() == Some(200));
    let Some(keys) = document.and_then(|document| document.get("keys")).and_then(Value::as_array) else {
        return Err("no key set could be read from its jku".to_owned());
    };
    let named = keys.iter().find(|key| key.get("kid").and_then(Value::as_str) == Some(kid));
    named.cloned().ok_or_else(|| "the key set at its jku has no key with its kid".to_owned())
}

fn verifies(t: &Transcript) -> Judged {
    let (id, look) = card(t)?;
    signatures(&look)?;
    let found = |name| t.every(name).next().and_then(|step| step.reply.document.as_ref());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(form) = found("verified") {
        return Ok(Verdict::pass_with(format!("it matches {}", text(form))).seen_in(id));
    }
    // One signature suffices (1.0 §8.4.3), so that one which could not be tried may be it.
    if let Some(why) = found("untried") {
        return Err(Verdict::inconclusive(format!("a signature could not be verified: {}", text(why))).seen_in(id));
    }
    if found("unverified").is_none() {
        return Err(Verdict::inconclusive("no signature was verified"));
    }
    let actual = "a signature of no canonical form of the card";
    Ok(Verdict::fail(id, "a signature that verifies with its key", actual).at("/signatures"))
}
