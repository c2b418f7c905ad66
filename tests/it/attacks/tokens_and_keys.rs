//! Servers of tokens (RFC 6749, RFC 8628) and of keys (RFC 7517) that are hostile.

use super::attack::Attack;
use super::attack::Place::{Everything, Tokens};
use super::harm::{Harm, acts, body, flood, json_head, raw, send, stall};
use super::server::JSON;

const CLIENT: [&str; 6] =
    ["--client-id", "client", "--client-secret", super::judge::CLIENT_SECRET, "--token-url", "{origin}/token"];
const KEYS: [&str; 4] = ["--jwks", "{origin}/keys", "--only", "card.*"];

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    tokens()
        .into_iter()
        .map(|attack| attack.with(&CLIENT))
        .chain(keys().into_iter().map(|attack| attack.with(&KEYS)))
        .chain(device())
        .collect()
}

fn tokens() -> Vec<Attack> {
    let answered = |name, text: &str| Attack::new(name, Tokens, body(text.to_owned()));
    vec![
        Attack::new("no token at all, 100 MB of blanks", Tokens, flood(json_head(), vec![b' '; 65536], 1600)),
        Attack::new("a token server that says nothing", Tokens, stall("")).with(&[
            "--reach-timeout",
            "2",
            "--answer-timeout",
            "2",
            "--timeout",
            "4",
        ]),
        Attack::new(
            "a token of 1 MB",
            Tokens,
            body(format!("{{\"access_token\":\"{}\",\"token_type\":\"Bearer\"}}", "t".repeat(1 << 20))),
        ),
        answered("a token with a line end", "{\"access_token\":\"abc\\r\\nX-Injected: 1\",\"token_type\":\"Bearer\"}"),
        answered("a token beyond ASCII", "{\"access_token\":\"\u{4711}\u{202e}\",\"token_type\":\"Bearer\"}"),
        Attack::new(
            "a token that is our own secret",
            Tokens,
            body(format!("{{\"access_token\":\"{}\",\"token_type\":\"Bearer\"}}", super::judge::CLIENT_SECRET)),
        ),
        answered(
            "a token of two kinds",
            "{\"access_token\":\"abcdefgh12345678\",\"token_type\":\"Bearer\",\"access_token\":\"x\",\"token_type\":\"mac\"}",
        ),
        answered("a token that is a number", "{\"access_token\":12345678,\"token_type\":\"Bearer\"}"),
        answered(
            "a token that has expired long ago",
            "{\"access_token\":\"abcdefgh12345678\",\"token_type\":\"Bearer\",\"expires_in\":-99999999999}",
        ),
        answered(
            "a token that expires at once",
            "{\"access_token\":\"abcdefgh12345678\",\"token_type\":\"Bearer\",\"expires_in\":0}",
        ),
        answered(
            "a token that never expires",
            "{\"access_token\":\"abcdefgh12345678\",\"token_type\":\"Bearer\",\"expires_in\":1e999}",
        ),
        answered("a token of an unknown type", "{\"access_token\":\"abcdefgh12345678\",\"token_type\":\"\u{1b}[2J\"}"),
        answered(
            "an error with markup",
            "{\"error\":\"<script>\",\"error_description\":\"\u{1b}]0;x\u{7}\",\"error_uri\":\"javascript:alert(1)\"}",
        ),
        Attack::new(
            "a token server that sends elsewhere",
            Tokens,
            acts(|strike, stream| {
                send(
                    stream,
                    format!(
                        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{}/token\r\nContent-Length: 0\r\n\r\n",
                        strike.canary
                    )
                    .as_bytes(),
                );
            }),
        ),
        Attack::new(
            "a token server that echoes the secret",
            Tokens,
            acts(|strike, stream| {
                let text =
                    serde_json::json!({"error": "invalid_client", "error_description": strike.asked.body}).to_string();
                send(
                    stream,
                    format!(
                        "HTTP/1.1 400 Bad Request\r\nContent-Type: {JSON}\r\nContent-Length: {}\r\n\r\n{text}",
                        text.len()
                    )
                    .as_bytes(),
                );
            }),
        ),
        Attack::new(
            "a page instead of a token",
            Tokens,
            raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"),
        ),
    ]
}

/// Answers of a device flow (RFC 8628 §3.2), in which nobody ever confirms.
fn device_flow(pause: &'static str) -> Harm {
    acts(move |strike, stream| {
        let is_first = !strike.asked.body.contains("grant_type");
        let text = format!(
            "{{\"device_code\":\"abcdefgh12345678\",\"user_code\":\"U\\u001b[2J\",\"verification_uri\":\"javascript:alert(1)\",{pause}}}"
        );
        let (status, text) = if is_first {
            ("200 OK", text)
        } else {
            ("400 Bad Request", "{\"error\":\"authorization_pending\"}".to_owned())
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: {JSON}\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        send(stream, head.as_bytes());
    })
}

/// The card names a device flow, as it names nothing else of the kind.
fn confirming(pause: &'static str) -> Harm {
    let flow = device_flow(pause);
    acts(move |strike, stream| {
        if strike.asked.path().starts_with("/token") || strike.asked.path().starts_with("/device") {
            return flow(strike, stream);
        }
        let (head, text) = strike.honest();
        let scheme = format!(
            "{{\"oauth2SecurityScheme\":{{\"flows\":{{\"deviceCode\":{{\"deviceAuthorizationUrl\":\"http://{0}/device\",\"tokenUrl\":\"http://{0}/token\",\"scopes\":{{}}}}}}}}}}",
            strike.own
        );
        let text = if strike.asked.is_call() {
            text
        } else {
            text.replacen('{', &format!("{{\"securitySchemes\":{{\"o\":{scheme}}},"), 1)
        };
        send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    })
}

fn device() -> Vec<Attack> {
    let flow = |name, pause| {
        Attack::new(name, Everything, confirming(pause)).with(&["--client-id", "client", "--run-timeout", "5"])
    };
    vec![
        flow("a code that nobody confirms", "\"interval\":1"),
        flow("a code that may be asked for again in 10^300 seconds", "\"interval\":1e300,\"expires_in\":1e305"),
        flow("a code that may be asked for again at once", "\"interval\":0,\"expires_in\":1e305"),
        flow("a code that may be asked for again in an hour", "\"interval\":3600,\"expires_in\":7200"),
        flow("a code that has expired already", "\"interval\":1,\"expires_in\":-1"),
    ]
}

/// A card with a signature, and this for the keys.
fn signed(keys: Harm) -> Harm {
    acts(move |strike, stream| {
        if strike.asked.path().starts_with("/keys") {
            return keys(strike, stream);
        }
        let (head, text) = strike.honest();
        let signature =
            "{\"protected\":\"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJKT1NFIn0\",\"signature\":\"AAAA\"}";
        let text = if strike.asked.is_call() {
            text
        } else {
            text.replacen('{', &format!("{{\"signatures\":[{signature}],"), 1)
        };
        send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    })
}

fn keys() -> Vec<Attack> {
    let set = |name, keys| Attack::new(name, Everything, signed(keys));
    let many = |key: &str, count: usize| body(format!("{{\"keys\":[{}{key}]}}", format!("{key},").repeat(count)));
    vec![
        set("a key set that never ends", flood(json_head(), vec![b' '; 65536], 16_384)),
        set("a key server that says nothing", stall("")).with(&["--timeout", "3", "--answer-timeout", "2"]),
        set(
            "20,000 keys of one name",
            many("{\"kty\":\"EC\",\"kid\":\"k\",\"crv\":\"P-256\",\"x\":\"AAAA\",\"y\":\"AAAA\"}", 20_000),
        ),
        set(
            "a key of 2 MB",
            body(format!(
                "{{\"keys\":[{{\"kty\":\"RSA\",\"kid\":\"k\",\"n\":\"{}\",\"e\":\"AQAB\"}}]}}",
                "A".repeat(2 << 20)
            )),
        ),
        set(
            "a point on no curve",
            body("{\"keys\":[{\"kty\":\"EC\",\"kid\":\"k\",\"crv\":\"P-256\",\"x\":\"_____w\",\"y\":\"_____w\"}]}"),
        ),
        set("keys that are no list", body("{\"keys\":{\"k\":1}}")),
        set("keys that are numbers", body("{\"keys\":[1,2,null,[[]]]}")),
        set(
            "a key server that sends elsewhere",
            acts(|strike, stream| {
                send(
                    stream,
                    format!(
                        "HTTP/1.1 302 Found\r\nLocation: http://{}/keys\r\nContent-Length: 0\r\n\r\n",
                        strike.canary
                    )
                    .as_bytes(),
                );
            }),
        ),
    ]
}
