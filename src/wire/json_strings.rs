//! Secrets that lie across several texts of JSON: an agent that streams what a model says sends a word in pieces.

use std::ops::Range;

use super::mask::{MASK, replaced};
use super::secret_forms::{SHORTEST_IN_OTHER_FORMS, SecretForms};

/// The member that holds the text of a part, in every version.
const TEXT: &[u8] = b"text";

/// Masks the secrets that begin in a `text` of these documents and end in a later one: the first part becomes the mask, and the others
/// nothing.
pub(super) fn mask_across_texts(secrets: &SecretForms, documents: &mut [Vec<u8>]) {
    let mut joined = Vec::new();
    // Where each text begins in the joined one, the number of its document, and where it stands there.
    let mut texts = Vec::new();
    for (document, json) in documents.iter().enumerate() {
        each_text(json, &mut |place| {
            texts.push((joined.len(), document, place.start));
            joined.extend_from_slice(json.get(place).unwrap_or_default());
        });
    }
    if texts.len() < 2 {
        return;
    }
    let mut parts: Vec<Vec<(Range<usize>, &str)>> = vec![Vec::new(); documents.len()];
    let places = secrets.find(&joined);
    let mut places = places.iter().filter(|place| place.len() >= SHORTEST_IN_OTHER_FORMS).peekable();
    for (number, (start, document, at)) in texts.iter().enumerate() {
        let end = texts.get(number + 1).map_or(joined.len(), |(next, ..)| *next);
        while let Some(place) = places.peek().filter(|place| place.start < end) {
            // Within one text it is found there.
            let is_across = place.start < *start || place.end > end;
            if let Some(parts) = parts.get_mut(*document).filter(|_| is_across) {
                let part = place.start.max(*start) - start + at..place.end.min(end) - start + at;
                parts.push((part, if place.start < *start { "" } else { MASK }));
            }
            if place.end > end {
                break;
            }
            places.next();
        }
    }
    for (json, parts) in documents.iter_mut().zip(parts) {
        *json = replaced(std::mem::take(json), &parts);
    }
}

/// Takes the place of each text of a document, which is read as no more than its quotation marks and colons: it may be anything.
fn each_text(json: &[u8], take: &mut dyn FnMut(Range<usize>)) {
    let mut at = 0;
    // Whether the name came last, and then whether a colon did, blanks apart.
    let (mut is_named, mut is_value) = (false, false);
    while let Some(byte) = json.get(at) {
        at += 1;
        if byte.is_ascii_whitespace() {
            continue;
        }
        let was_value = std::mem::replace(&mut is_value, is_named && *byte == b':');
        is_named = false;
        if *byte == b'"' {
            let start = at;
            while let Some(byte) = json.get(at).filter(|byte| **byte != b'"') {
                at += if *byte == b'\\' { 2 } else { 1 };
            }
            let place = start..at.min(json.len());
            at += 1;
            is_named = json.get(place.clone()) == Some(TEXT);
            if was_value {
                take(place);
                is_named = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(documents: &[&str]) -> Vec<String> {
        let mut secrets = SecretForms::default();
        secrets.add(b"secret-5f0c9-end");
        let mut documents: Vec<Vec<u8>> = documents.iter().map(|text| text.as_bytes().to_vec()).collect();
        mask_across_texts(&secrets, &mut documents);
        documents.into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn a_secret_is_masked_that_comes_in_pieces() {
        assert_eq!(
            masked(&[r#"{"text":"It is sec","id":"1"}"#, r#"{"text" : "ret-5f","id":"2"}"#, r#"{"text":"0c9-end."}"#]),
            [r#"{"text":"It is [redacted]","id":"1"}"#, r#"{"text" : "","id":"2"}"#, r#"{"text":"."}"#]
        );
        let letters: Vec<String> = "secret-5f0c9-end".chars().map(|c| format!(r#"{{"text":"{c}"}}"#)).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        let all = masked(&letters);
        assert_eq!(
            (all[0].as_str(), all[1].as_str(), all[15].as_str()),
            (r#"{"text":"[redacted]"}"#, r#"{"text":""}"#, r#"{"text":""}"#)
        );
        // The parts of one document, some of it escaped.
        assert_eq!(
            masked(&[r#"{"parts":[{"text":"\"sec\u0072"},{"text":"et-5f0c9-end\\"}]}"#]),
            [r#"{"parts":[{"text":"\"[redacted]"},{"text":"\\"}]}"#]
        );
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            r#"{"text":"sec","other":"ret-5f0c9-end"}"#,
            r#"["sec","ret-5f0c9-end"]"#,
            r#"{"text":"sec"},{"text":"ret"}"#,
            "\"",
            r#"{"text":""#,
            "{\"text\":\"\\",
            "not JSON: \"x\": \"y",
            "",
        ] {
            assert_eq!(masked(&[text, text]), [text, text]);
        }
        // Within one string it is left to those who look at each.
        assert_eq!(masked(&[r#"{"text":"secret-5f0c9-end"}"#; 2]), [r#"{"text":"secret-5f0c9-end"}"#; 2]);
    }
}
