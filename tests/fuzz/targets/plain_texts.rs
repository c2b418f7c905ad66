//! URLs, timestamps and base64: what is read is written as it was, and reads back.

use a2a_conformance::wire::url::{Url, decode, encode, is_absolute_uri, with_parameter};
use a2a_conformance::wire::{base64, timestamp};

use super::input::Input;

/// Any text, and any bytes.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let kind = input.below(3);
    let text = input.clone().text();
    match kind {
        0 => url(&text),
        1 => time(&text),
        _ => {
            coded(&text);
            let bytes = input.rest();
            for alphabet in [base64::STANDARD, base64::URL_SAFE] {
                assert_eq!(alphabet.decode(&alphabet.encode(bytes)).as_deref(), Some(bytes));
            }
        }
    }
}

fn url(text: &str) {
    assert_eq!(decode(&encode(text)), text, "encoded and decoded");
    let _ = (decode(text), is_absolute_uri(text));
    let Ok(url) = Url::parse(text) else { return };
    let written = url.to_string();
    let again = Url::parse(&written).expect("a URL that was written is a URL");
    assert_eq!(again.to_string(), written);
    assert_eq!((again.origin(), again.reach(), again.is_public()), (url.origin(), url.reach(), url.is_public()));
    assert!(!(url.is_public() && url.is_local()), "{written}");
    let longer = Url::parse(&with_parameter(&written, "a b", "c&d")).expect("a URL with one more parameter");
    assert_eq!(longer.origin(), url.origin());
}

fn time(text: &str) {
    let Some((seconds, nanos)) = timestamp::parse(text) else { return };
    assert!(nanos < 1_000_000_000);
    // Only the years 1 to 9999 can be written, and an offset may lead out of them.
    let Some(written) = timestamp::write(seconds, nanos) else { return };
    assert_eq!(timestamp::parse(&written), Some((seconds, nanos)), "{written}");
}

fn coded(text: &str) {
    for alphabet in [base64::STANDARD, base64::URL_SAFE] {
        if let Some(bytes) = alphabet.decode(text) {
            assert_eq!(alphabet.decode(&alphabet.encode(&bytes)), Some(bytes));
            assert!(base64::decode_any(text).is_some());
        }
    }
    assert!(!base64::is_base64(text) || base64::decode_any(text).is_some());
}

/// A few of each.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let urls = [
        "https://user:pw@Agent.Example.com:8443/a/../b%20c;x?y=z&a+b#f",
        "http://[::ffff:127.0.0.1]:80/",
        "http://0x7f.1/",
        "http://xn--bcher-kva.example./",
        "urn:a:b",
    ];
    let times = ["2026-02-29T23:59:60.123456789Z", "2024-02-29t00:00:00+14:00", "0001-01-01T00:00:00Z"];
    let coded = ["aGVsbG8=", "_-8", "+/8=", "a b"];
    let with = |kind: u8, texts: &[&str]| -> Vec<Vec<u8>> {
        texts.iter().map(|text| [&[kind], text.as_bytes()].concat()).collect()
    };
    [with(0, &urls), with(1, &times), with(2, &coded)].concat()
}
