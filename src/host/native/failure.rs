//! The causes for which a connection cannot be used, each with what to do; the words are a table, `failures.txt`.

use std::error::Error;

use reqwest::Url;

use crate::wire::exchange::{TransportError, TransportErrorKind};

const TABLE: &str = include_str!("failures.txt");

/// A cause, by its name in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure(&'static str);

impl Failure {
    pub(super) const NAME_UNKNOWN: Self = Self("name-unknown");
    pub(super) const REFUSED: Self = Self("refused");
    pub(super) const CONNECT_TIMEOUT: Self = Self("connect-timeout");
    pub(super) const PLAIN_HTTP_PORT: Self = Self("plain-http-port");
    pub(super) const TLS_PORT: Self = Self("tls-port");
    pub(super) const CERTIFICATE_EXPIRED: Self = Self("certificate-expired");
    pub(super) const CERTIFICATE_NOT_YET_VALID: Self = Self("certificate-not-yet-valid");
    pub(super) const CERTIFICATE_NAME: Self = Self("certificate-name");
    pub(super) const ISSUER_UNKNOWN: Self = Self("issuer-unknown");
    pub(super) const SELF_SIGNED: Self = Self("self-signed");
    pub(super) const CERTIFICATE_REFUSED: Self = Self("certificate-refused");
    pub(super) const CLIENT_CERTIFICATE_REQUIRED: Self = Self("client-certificate-required");
    pub(super) const CLIENT_CERTIFICATE_REFUSED: Self = Self("client-certificate-refused");
    pub(super) const NO_COMMON_PROTOCOL: Self = Self("no-common-protocol");
    pub(super) const SITE_UNKNOWN: Self = Self("site-unknown");
    pub(super) const HANDSHAKE_ENDED: Self = Self("handshake-ended");
    pub(super) const HANDSHAKE_BROKEN: Self = Self("handshake-broken");
    pub(super) const HEAD_TOO_LARGE: Self = Self("head-too-large");
    pub(super) const PROXY_UNREACHABLE: Self = Self("proxy-unreachable");
    pub(super) const PROXY_WANTS_CREDENTIALS: Self = Self("proxy-wants-credentials");
    pub(super) const PROXY_REFUSES_CREDENTIALS: Self = Self("proxy-refuses-credentials");
    pub(super) const PROXY_REFUSES: Self = Self("proxy-refuses");

    /// The error for a URL, with these words filled in besides its host and port.
    #[must_use]
    pub(super) fn error(self, url: &Url, filled: &[(&str, &str)]) -> TransportError {
        let Some((kind, what, remedy)) = self.row() else {
            // A test holds that the table has a row for each.
            return TransportError { kind: TransportErrorKind::Other, detail: self.0.to_owned() };
        };
        let mut detail = format!("{what}; {remedy}");
        let port = url.port_or_known_default().unwrap_or_default().to_string();
        let own = [("host", url.host_str().unwrap_or_default()), ("port", port.as_str())];
        for (name, value) in own.iter().chain(filled) {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            detail = detail.replace(&format!("{{{name}}}"), &value);
        }
        TransportError { kind, detail }
    }

    /// Its kind, what is the matter, and what to do.
    fn row(self) -> Option<(TransportErrorKind, &'static str, &'static str)> {
        let line = TABLE.lines().find(|line| line.split(" | ").next() == Some(self.0))?;
        let mut cells = line.split(" | ").skip(1);
        let kind = match cells.next()? {
            "unreachable" => TransportErrorKind::Unreachable,
            "tls" => TransportErrorKind::Tls,
            "closed" => TransportErrorKind::Closed,
            "other" => TransportErrorKind::Other,
            _ => return None,
        };
        Some((kind, cells.next()?, cells.next()?))
    }
}

/// An error and what is behind it, outermost first. An I/O error hides what it wraps from `source`.
pub(super) fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        match wrapped {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// What is wrong with an answer that is not HTTP as RFC 9112 has it, or more of it than is read: the words of hyper, which keeps its
/// kinds to itself, and ours.
const IN_PLAIN_WORDS: [(&str, &str); 17] = [
    ("received unexpected message", "what listens there speaks before it is asked, so it is not a web server"),
    ("invalid HTTP version", "what came does not begin with HTTP/1.1 or HTTP/1.0"),
    ("invalid HTTP status-code", "its status is not a number from 100 to 999"),
    ("invalid HTTP header", "its head has a line that is not a field of HTTP"),
    ("invalid content-length", "its Content-Length is not one number of bytes"),
    ("invalid transfer-encoding", "its Transfer-Encoding does not end with chunked"),
    ("unexpected transfer-encoding", "it has a Transfer-Encoding, which HTTP/1.0 does not know"),
    ("end of file before message length", "it is shorter than its Content-Length or its chunk says"),
    ("unexpected EOF during chunk size", "its last chunk is missing"),
    ("Invalid chunk size", "the size of a chunk is not a hexadecimal number with its line end"),
    ("Invalid chunk body", "a chunk is not as long as its size says"),
    ("invalid chunk size: overflow", "the size of a chunk is a number beyond all limits"),
    ("chunk extensions over limit", "its chunks have more extensions than this tool reads: 16 KB"),
    ("chunk trailers", "its chunks end with more fields than this tool reads: 100 fields, 16 KB"),
    ("invalid chunk extension", "an extension of a chunk has a line feed in it"),
    ("peer closed connection without sending TLS", "its connection ended without the farewell of TLS, close_notify"),
    ("message buffer full", "its server sends more messages of TLS at once than this tool reads"),
];

/// The innermost cause, which is the one with the news, without Rust's number of the operating system's error.
#[must_use]
pub(super) fn plain(error: &(dyn Error + 'static)) -> String {
    let text = causes(error).last().map(ToString::to_string).unwrap_or_default();
    if let Some((_, ours)) = IN_PLAIN_WORDS.iter().find(|(words, _)| text.starts_with(words)) {
        return (*ours).to_owned();
    }
    match text.split_once(" (os error ") {
        Some((before, _)) => before.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Failure; 22] = [
        Failure::NAME_UNKNOWN,
        Failure::REFUSED,
        Failure::CONNECT_TIMEOUT,
        Failure::PLAIN_HTTP_PORT,
        Failure::TLS_PORT,
        Failure::CERTIFICATE_EXPIRED,
        Failure::CERTIFICATE_NOT_YET_VALID,
        Failure::CERTIFICATE_NAME,
        Failure::ISSUER_UNKNOWN,
        Failure::SELF_SIGNED,
        Failure::CERTIFICATE_REFUSED,
        Failure::CLIENT_CERTIFICATE_REQUIRED,
        Failure::CLIENT_CERTIFICATE_REFUSED,
        Failure::NO_COMMON_PROTOCOL,
        Failure::SITE_UNKNOWN,
        Failure::HANDSHAKE_ENDED,
        Failure::HANDSHAKE_BROKEN,
        Failure::HEAD_TOO_LARGE,
        Failure::PROXY_UNREACHABLE,
        Failure::PROXY_WANTS_CREDENTIALS,
        Failure::PROXY_REFUSES_CREDENTIALS,
        Failure::PROXY_REFUSES,
    ];

    #[test]
    fn the_table_has_a_row_for_every_cause_and_no_other() {
        let names: Vec<&str> =
            TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(" | ").next()).collect();
        assert_eq!(names, ALL.map(|failure| failure.0));
        let url = Url::parse("https://agent.example:8443/x").unwrap();
        let words = ["date", "names", "issuer", "words", "proxy", "seconds", "fields"].map(|name| (name, "something"));
        for failure in ALL {
            let (_, what, remedy) = failure.row().unwrap();
            assert!(!what.contains(';') && what.len() > 10 && remedy.len() > 10, "{failure:?}");
            let detail = failure.error(&url, &words).detail;
            assert!(!detail.contains(['{', '}']) && !detail.ends_with('.'), "{detail}");
        }
    }

    #[test]
    fn what_a_server_sends_is_filled_in_without_what_a_terminal_would_obey() {
        let url = Url::parse("https://agent.example/").unwrap();
        let detail = Failure::ISSUER_UNKNOWN.error(&url, &[("issuer", "CN=\u{1b}[2Jx")]).detail;
        assert!(detail.contains("issued by CN=[2Jx, which"), "{detail}");
    }
}
