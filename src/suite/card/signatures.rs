//! The form of the card's signatures. Whether they verify is another matter.

use super::{card, finding, listed, missing};
use crate::a2a::look::Look;
use crate::engine::check::{anyone, silent};
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::wire::json::{Pointer, Value, brief, parse};

scenario! {
    "card-signatures", "Look at the card's signatures", in Card, scope: Agent,
    messages: 0, streams: 0, after: ["discovery"], needs: anyone, drive: silent,
    checks: {
        /// A signature that cannot even be read makes careful clients refuse the whole card.
        ///
        /// Fix: Write each entry of signatures as a JWS in its JSON form: protected and signature are base64url strings,
        /// header, if there, is an object.
        "card.signature-fields", "Signature entries are well formed",
        requires: ["card.signature-fields"], faults: ["card-signature-malformed"], judge: fields;

        /// Without alg and kid in the protected header nobody can tell how, and with whose key, to verify.
        ///
        /// Fix: Put alg (not none) and kid into the protected header before signing.
        "card.signature-protected-header", "The protected header has alg and kid",
        requires: ["card.signature-protected-header"], faults: ["card-signature-no-kid"], judge: protected_header;

        /// By typ a reader knows that a JWS is one.
        ///
        /// Fix: Put "typ": "JOSE" into the protected header before signing.
        "card.signature-typ", "The protected header has typ JOSE",
        requires: ["card.signature-typ"], faults: ["card-signature-no-typ"], judge: typ;
    }
}

fn signatures<'a>(look: &Look<'a>) -> Result<Vec<Look<'a>>, Verdict> {
    listed(look, "signatures", || Verdict::not_applicable("the card is not signed"))
}

fn fields(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for entry in signatures(&look)? {
        for name in ["protected", "signature"] {
            match entry.member(name) {
                Some(member) if member.value.as_str().is_some_and(|text| base64url(text).is_some()) => {}
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
fn protected(t: &Take) -> Result<(u32, Vec<(Pointer, Value)>), Verdict> {
    let (id, look) = card(t)?;
    let mut headers = Vec::new();
    for entry in signatures(&look)? {
        let decoded = entry.text("protected").and_then(|text| base64url(&text)).and_then(|bytes| parse(&bytes).value);
        let Some(header) = decoded.filter(Value::is_object) else {
            return Err(Verdict::blocked("a protected header cannot be read"));
        };
        headers.push((entry.at.key("protected"), header));
    }
    Ok((id, headers))
}

fn protected_header(t: &Take) -> Judged {
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

fn typ(t: &Take) -> Judged {
    let (id, headers) = protected(t)?;
    for (place, header) in headers {
        if header.get("typ").and_then(Value::as_str) != Some("JOSE") {
            let actual = header.get("typ").map_or_else(|| "no typ".to_owned(), |typ| brief(typ, 40));
            return Ok(Verdict::fail(id, "typ \"JOSE\" in the protected header", actual).at(place.as_str()));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

/// Decodes base64url without padding (RFC 7515 §2).
fn base64url(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    (text.len() % 4 != 1 && !text.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::base64url;

    #[test]
    fn base64url_decodes_what_jws_writes() {
        assert_eq!(base64url("eyJhbGciOiJFUzI1NiJ9").as_deref(), Some(br#"{"alg":"ES256"}"#.as_slice()));
        assert_eq!(base64url("_-8").as_deref(), Some([0xff, 0xef].as_slice()));
        for bad in ["", "a b", "a", "ab=="] {
            assert_eq!(base64url(bad), None, "{bad}");
        }
    }
}
