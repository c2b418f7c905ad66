//! Why a connection could not be used, told apart, and for each cause what to do. The words are a table, `failures.txt`.

use std::error::Error;

use reqwest::Url;

use crate::wire::exchange::{TransportError, TransportErrorKind};

/// The table as text.
const TABLE: &str = include_str!("failures.txt");

/// A cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The name has no address.
    NameUnknown,
    /// Nothing listens there.
    Refused,
    /// No connection came about.
    ConnectTimeout,
    /// Plain HTTP where https was asked for.
    PlainHttpPort,
    /// TLS where http was asked for.
    TlsPort,
    /// The server's certificate is too old.
    CertificateExpired,
    /// The server's certificate is too young.
    CertificateNotYetValid,
    /// The server's certificate is for another host.
    CertificateName,
    /// The server's certificate is of a CA that is not trusted.
    IssuerUnknown,
    /// The server's certificate is signed by its own key.
    SelfSigned,
    /// The server's certificate has another fault.
    CertificateRefused,
    /// The server wants a certificate of ours.
    ClientCertificateRequired,
    /// The server wants another certificate of ours.
    ClientCertificateRefused,
    /// Client and server have no version, cipher or protocol in common.
    NoCommonProtocol,
    /// The server does not know the host.
    SiteUnknown,
    /// The server hung up in the handshake.
    HandshakeEnded,
    /// No connection to the proxy.
    ProxyUnreachable,
    /// The proxy lets in users only.
    ProxyWantsCredentials,
    /// The proxy does not know the user, or the password is another.
    ProxyRefusesCredentials,
    /// The proxy does not connect to that host.
    ProxyRefuses,
}

impl Failure {
    /// Its name in the table.
    #[must_use]
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::NameUnknown => "name-unknown",
            Self::Refused => "refused",
            Self::ConnectTimeout => "connect-timeout",
            Self::PlainHttpPort => "plain-http-port",
            Self::TlsPort => "tls-port",
            Self::CertificateExpired => "certificate-expired",
            Self::CertificateNotYetValid => "certificate-not-yet-valid",
            Self::CertificateName => "certificate-name",
            Self::IssuerUnknown => "issuer-unknown",
            Self::SelfSigned => "self-signed",
            Self::CertificateRefused => "certificate-refused",
            Self::ClientCertificateRequired => "client-certificate-required",
            Self::ClientCertificateRefused => "client-certificate-refused",
            Self::NoCommonProtocol => "no-common-protocol",
            Self::SiteUnknown => "site-unknown",
            Self::HandshakeEnded => "handshake-ended",
            Self::ProxyUnreachable => "proxy-unreachable",
            Self::ProxyWantsCredentials => "proxy-wants-credentials",
            Self::ProxyRefusesCredentials => "proxy-refuses-credentials",
            Self::ProxyRefuses => "proxy-refuses",
        }
    }

    /// The error for a URL, with these words filled in besides its host and port.
    #[must_use]
    pub(super) fn error(self, url: &Url, filled: &[(&str, &str)]) -> TransportError {
        let Some((kind, what, remedy)) = self.row() else {
            // A test holds that the table has a row for each.
            return TransportError { kind: TransportErrorKind::Other, detail: self.as_str().to_owned() };
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
        let line = TABLE.lines().find(|line| line.split(" | ").next() == Some(self.as_str()))?;
        let mut cells = line.split(" | ").skip(1);
        let kind = match cells.next()? {
            "unreachable" => TransportErrorKind::Unreachable,
            "tls" => TransportErrorKind::Tls,
            "closed" => TransportErrorKind::Closed,
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

/// The innermost cause, which is the one with the news, without Rust's number of the operating system's error.
#[must_use]
pub(super) fn plain(error: &(dyn Error + 'static)) -> String {
    let text = causes(error).last().map(ToString::to_string).unwrap_or_default();
    match text.split_once(" (os error ") {
        Some((before, _)) => before.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Failure; 20] = [
        Failure::NameUnknown,
        Failure::Refused,
        Failure::ConnectTimeout,
        Failure::PlainHttpPort,
        Failure::TlsPort,
        Failure::CertificateExpired,
        Failure::CertificateNotYetValid,
        Failure::CertificateName,
        Failure::IssuerUnknown,
        Failure::SelfSigned,
        Failure::CertificateRefused,
        Failure::ClientCertificateRequired,
        Failure::ClientCertificateRefused,
        Failure::NoCommonProtocol,
        Failure::SiteUnknown,
        Failure::HandshakeEnded,
        Failure::ProxyUnreachable,
        Failure::ProxyWantsCredentials,
        Failure::ProxyRefusesCredentials,
        Failure::ProxyRefuses,
    ];

    #[test]
    fn the_table_has_a_row_for_every_cause_and_no_other() {
        let names: Vec<&str> =
            TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(" | ").next()).collect();
        assert_eq!(names, ALL.map(Failure::as_str));
        let url = Url::parse("https://agent.example:8443/x").unwrap();
        let words = ["date", "names", "issuer", "words", "proxy", "seconds"].map(|name| (name, "something"));
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
        let detail = Failure::IssuerUnknown.error(&url, &[("issuer", "CN=\u{1b}[2Jx")]).detail;
        assert!(detail.contains("issued by CN=[2Jx, which"), "{detail}");
    }
}
