//! Redaction: a secret is found however it is escaped, wherever it stands in an exchange, and nothing else is touched.

use a2a_conformance::wire::base64::{STANDARD, URL_SAFE};
use a2a_conformance::wire::exchange::{End, Exchange, Response, TimedFrame};
use a2a_conformance::wire::http::{Headers, Request};
use a2a_conformance::wire::mask::MASK;
use a2a_conformance::wire::redact::Redactor;
use a2a_conformance::wire::sse::{Frame, Oddity};

use super::input::Input;

/// Characters of secrets: of tokens and passwords, those that are escaped, and those that begin an escape.
const CHARACTERS: [char; 24] = [
    'a', 'b', 'Z', '7', '0', '-', '_', '.', '~', '+', '/', '=', '%', '2', '5', 'u', '\\', '"', ' ', '&', '<', 'ä', '€',
    '😀',
];

fn percent(text: &str, sign: &str, upper: bool) -> String {
    let code = |byte: u8| if upper { format!("{sign}{byte:02X}") } else { format!("{sign}{byte:02x}") };
    text.bytes().map(code).collect()
}

fn by_number(character: char, upper: bool) -> String {
    let unit = |unit: &u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    character.encode_utf16(&mut [0; 2]).iter().map(unit).collect()
}

/// The shortest secret that is masked in other case and backwards, and of which a half is at the end of a text.
const SHORTEST_IN_OTHER_FORMS: usize = 8;

/// A character as some writer may put it.
fn escaped(character: char, how: usize) -> String {
    let text = character.to_string();
    match how {
        1 => by_number(character, false),
        2 => by_number(character, true),
        3 => percent(&text, "%", true),
        4 => percent(&text, "%", false),
        5 => percent(&text, "%25", true),
        6 if matches!(character, '"' | '\\' | '/') => format!("\\{character}"),
        7 => by_number(character, false).replace('\\', "\\\\"),
        _ => text,
    }
}

/// The base64 of some bytes at each place that they may have among others: the characters that are the same whatever stands around them.
fn base64_among_others(bytes: &[u8]) -> impl Iterator<Item = String> {
    (0..3).map(move |before| {
        let [low, high] = [0, 255].map(|other| STANDARD.encode(&[&[other; 3][..before], bytes, &[other; 3]].concat()));
        low.chars().zip(high.chars()).filter(|(low, high)| low == high && *low != '=').map(|(low, _)| low).collect()
    })
}

/// A text of base64 in the alphabet for URLs.
fn of_urls(coded: &str) -> String {
    coded.replace('+', "-").replace('/', "_")
}

/// Whether a text without escapes holds a form of the secret, by nothing but plain comparison. libFuzzer sees what redaction compares, and
/// writes it where it likes: there it has to be masked.
fn holds(text: &str, secret: &str) -> bool {
    let is_in = |form: &str, text: &str| {
        // Of what the end of a text cuts off, half is enough.
        let half = SHORTEST_IN_OTHER_FORMS.max(form.len() / 2);
        text.contains(form) || (half..form.len()).any(|length| text.as_bytes().ends_with(&form.as_bytes()[..length]))
    };
    let text = text.replace(['\r', '\n'], "");
    let small = text.to_ascii_lowercase();
    if secret.len() >= SHORTEST_IN_OTHER_FORMS {
        let own = secret.to_ascii_lowercase();
        if is_in(&own, &small) || is_in(&backwards(&own), &small) {
            return true;
        }
    }
    let digits = small.replace([' ', ':', '-', ',', '.', '_'], "");
    let by_digits = percent(secret, "", false);
    let standard = text.replace('-', "+").replace('_', "/");
    is_in(&by_digits, &digits)
        || is_in(&by_digits, &digits.replace("0x", ""))
        || base64_among_others(secret.as_bytes()).any(|coded| {
            is_in(&coded, &standard)
                || [of_urls(&coded), coded]
                    .iter()
                    .any(|coded| base64_among_others(coded.as_bytes()).any(|twice| is_in(&twice, &standard)))
        })
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}

/// The first bytes are the secret, the next say in which form it is written and how each character of that, and the rest is what stands
/// around it.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let length = 5 + input.below(20);
    // No word of the protocol, and not to be found in what stands around it.
    let secret: String = std::iter::once('Q').chain((0..length).map(|_| *input.pick(&CHARACTERS))).collect();
    // Blanks at the end of a value are not part of it.
    let secret = secret.trim_end();
    if secret.len() < 6 {
        return;
    }
    let form = input.below(16);
    let mut each = |text: &str| text.chars().map(|character| escaped(character, input.below(9))).collect();
    let written: String = match form {
        0 => STANDARD.encode(secret.as_bytes()),
        1 => URL_SAFE.encode(secret.as_bytes()),
        2 => {
            let quoted = serde_json::Value::from(secret).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        }
        3 => each(&percent(secret, "", true)),
        4 => each(&percent(secret, " ", false)[1..]),
        5 if secret.len() >= SHORTEST_IN_OTHER_FORMS => each(&backwards(secret)),
        6 if secret.len() >= SHORTEST_IN_OTHER_FORMS => each(&secret.to_ascii_uppercase()),
        7 => each(&STANDARD.encode(secret.as_bytes())),
        8 => each(&URL_SAFE.encode(STANDARD.encode(secret.as_bytes()).as_bytes())),
        _ => each(secret),
    };
    // No escape begins in what stands around it.
    let around = input.text().replace(['Q', '%', '\\', '+'], "q").replace('&', "& ");
    if holds(&around, secret) {
        return;
    }
    let (before, after) =
        around.split_at(around.char_indices().nth(around.chars().count() / 2).map_or(0, |(at, _)| at));
    let redactor = Redactor::default();
    redactor.learn(secret);
    // No form has the sign beside it, so that none goes on there.
    let text = format!("{before}|{written}|{after}");
    let masked = redactor.text(&text);
    let rest =
        masked.strip_prefix(&format!("{before}|{MASK}")).and_then(|rest| rest.strip_suffix(&format!("|{after}")));
    // Of base64 the end stays, which holds no byte of it: of base64 of base64 five characters at most, each an escape of seven.
    let is_whole = rest.is_some_and(|rest| match form {
        0 | 1 => rest.trim_start_matches('=').is_empty(),
        7 | 8 => rest.len() <= 5 * 7,
        _ => rest.is_empty(),
    });
    assert!(is_whole, "{secret:?} as {written:?}: {masked:?}");
    assert!(!masked.contains(secret) && !masked.contains(&written), "{secret:?} as {written:?}: {masked:?}");
    assert_eq!(redactor.bytes(text.clone().into_bytes()), masked.clone().into_bytes());
    assert_eq!(redactor.text(&masked), masked, "masked twice");
    assert_eq!(redactor.text(&around), around, "a text without it");
    let mut exchange = everywhere(&text, secret);
    redactor.exchange(&mut exchange);
    let shown = format!("{exchange:?}");
    let body = exchange.response.as_ref().map(|response| String::from_utf8_lossy(&response.body).into_owned());
    let sent = String::from_utf8_lossy(exchange.request.body.as_deref().unwrap_or_default()).into_owned();
    for text in [shown, sent, body.unwrap_or_default()] {
        assert!(!text.contains(secret) && !text.contains(&written), "{secret:?} as {written:?}: {text}");
    }
}

/// An exchange with a text in every place that an agent, or a connection to it, can write to.
fn everywhere(text: &str, secret: &str) -> Exchange {
    let frame =
        Frame { event: Some(text.to_owned()), data: text.to_owned(), id: Some(text.to_owned()), ..Frame::default() };
    let headers: Headers = [("www-authenticate", text), ("x-a", text), ("set-cookie", text)].into_iter().collect();
    let mut exchange = Exchange::begun(1, Request::post(format!("http://h/?k={text}"), "text/plain", text), 0.0);
    exchange.request = exchange.request.clone().with_header("authorization", format!("Bearer {secret}"));
    exchange.end = End::Broken(text.to_owned());
    exchange.response = Some(Response {
        status: 200,
        headers,
        url: format!("http://h/{text}?k={text}"),
        body: text.as_bytes().to_vec(),
        frames: vec![TimedFrame { at_ms: 0.0, frame }],
        oddities: vec![Oddity::UnknownField(text.to_owned()), Oddity::BadRetry(text.to_owned())],
        ..Response::default()
    });
    exchange
}

/// Each form once.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    (0..16_u8)
        .map(|form| {
            let secret = [15, 0, 1, 12, 13, 14, 16, 17, 18, 21, 22, 23, 9, 10, 11, 3, 4, 5, 6, 7, 8];
            let ways = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2];
            [&secret[..], &[form], &ways, b"{\"error\": \"not for you\"}"].concat()
        })
        .collect()
}
