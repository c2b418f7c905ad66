//! From an error of a connection to its cause, and what is known of the connections of a run.

use std::cell::RefCell;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use reqwest::Url;
use rustls::{CertificateError, InvalidMessage};

use super::certificate::date;
use super::failure::{Failure, causes, plain};
use super::probing;
use super::proxy::{ProxyRules, host_and_port};
use super::settings::ConnectionSettings;
use super::tls::TlsRecord;
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::limits::MOST_FIELDS;

/// The connections of a run.
#[derive(Debug)]
pub struct Connections {
    /// What TLS showed.
    pub tls: Arc<TlsRecord>,
    /// Which proxies are used.
    pub proxies: ProxyRules,
    /// Whether there is a certificate to show to servers.
    pub has_identity: bool,
    /// How long a connection may take to be made, in seconds.
    pub patience: u64,
    /// The origins that have answered.
    answered: RefCell<Vec<String>>,
    /// The proxies that were used, as host and port.
    used_proxies: RefCell<Vec<String>>,
}

impl Connections {
    /// Before the first one. A connection is waited for so many seconds.
    #[must_use]
    pub fn new(settings: &ConnectionSettings, tls: Arc<TlsRecord>, patience: u64) -> Self {
        let (proxies, has_identity) = (settings.proxies.clone(), settings.identity.is_some());
        Self { tls, proxies, has_identity, patience, answered: RefCell::default(), used_proxies: RefCell::default() }
    }

    /// The proxies that requests went through, as host and port.
    #[must_use]
    pub fn used_proxies(&self) -> Vec<String> {
        self.used_proxies.borrow().clone()
    }

    /// Notes that a request is about to go to a URL.
    pub fn note_request(&self, url: &Url) {
        let Some(proxy) = self.proxies.proxy_of(url).map(host_and_port) else { return };
        let mut used = self.used_proxies.borrow_mut();
        if !used.contains(&proxy) {
            used.push(proxy);
        }
    }

    /// Looks for an answer that is not the agent's: of a proxy that wants credentials, or of a TLS port that explains itself.
    pub async fn look_at_answer(&self, status: u16, url: &Url) -> Result<(), TransportError> {
        let proxy = self.proxies.proxy_of(url);
        if let Some(proxy) = proxy.filter(|_| status == 407 && url.scheme() == "http") {
            return Err(wants_credentials(url, proxy));
        }
        if status == 400
            && url.scheme() == "http"
            && self.is_new(url)
            && proxy.is_none()
            && probing::speaks_tls(url).await
        {
            return Err(Failure::TLS_PORT.error(url, &[]));
        }
        if self.is_new(url) {
            self.answered.borrow_mut().push(url.origin().ascii_serialization());
        }
        Ok(())
    }

    /// Whether nothing has been answered there so far.
    fn is_new(&self, url: &Url) -> bool {
        !self.answered.borrow().contains(&url.origin().ascii_serialization())
    }

    /// Files an error under the kind that its causes show, and says what to do where that is known.
    pub async fn explain(&self, error: &reqwest::Error, url: &Url) -> TransportError {
        let of_kind = |kind| TransportError { kind, detail: plain(error) };
        if error.is_builder() {
            return of_kind(TransportErrorKind::BadUrl);
        }
        if error.is_redirect() {
            return of_kind(TransportErrorKind::Redirect);
        }
        let proxy = self.proxies.proxy_of(url);
        if let Some(tunnel) = tunnel_error(error) {
            return self.of_tunnel(&tunnel, error, url, proxy).await;
        }
        if let Some(problem) = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
            return self.of_tls(problem, url);
        }
        if let Some(alert) = alert_in_words(error) {
            return self.of_alert(&alert, url);
        }
        if let Some(proxy) = proxy.filter(|_| error.is_connect()) {
            return self.of_proxy(error, url, proxy);
        }
        if error.is_connect() {
            return self.of_connecting(error, url);
        }
        let is_garbled = by_hyper(error).any(hyper::Error::is_parse);
        if by_hyper(error).any(hyper::Error::is_parse_too_large) {
            return Failure::HEAD_TOO_LARGE.error(url, &[("fields", &MOST_FIELDS.to_string())]);
        }
        if !is_closed(error) && !is_garbled {
            return of_kind(TransportErrorKind::Other);
        }
        if self.is_new(url) && proxy.is_none() {
            if self.lacks_identity(url) {
                return Failure::CLIENT_CERTIFICATE_REQUIRED.error(url, &[]);
            }
            // With TLS 1.3 the server says so when we have begun to speak already, and what it says may be lost.
            if url.scheme() == "https" && self.tls.asked_for_certificate() {
                return Failure::CLIENT_CERTIFICATE_REFUSED
                    .error(url, &[("words", "most likely: it closed the connection")]);
            }
            if url.scheme() == "http" && probing::speaks_tls(url).await {
                return Failure::TLS_PORT.error(url, &[]);
            }
        }
        of_kind(if is_garbled { TransportErrorKind::Other } else { TransportErrorKind::Closed })
    }

    /// Whether a server asked for a certificate that the user did not give.
    fn lacks_identity(&self, url: &Url) -> bool {
        url.scheme() == "https" && self.tls.asked_for_certificate() && !self.has_identity
    }

    fn of_connecting(&self, error: &reqwest::Error, url: &Url) -> TransportError {
        if error.is_timeout() {
            return Failure::CONNECT_TIMEOUT.error(url, &[("seconds", &self.patience.to_string())]);
        }
        if error.is_dns() || causes(error).any(|cause| cause.to_string() == "dns error") {
            return Failure::NAME_UNKNOWN.error(url, &[]);
        }
        if io_kinds(error).any(|kind| kind == ErrorKind::ConnectionRefused) {
            return Failure::REFUSED.error(url, &[]);
        }
        if url.scheme() == "https" && hung_up(error) {
            // Hanging up in the middle of the handshake is what servers do that want nothing to do with our TLS.
            let failure =
                if self.lacks_identity(url) { Failure::CLIENT_CERTIFICATE_REQUIRED } else { Failure::HANDSHAKE_ENDED };
            return failure.error(url, &[]);
        }
        TransportError { kind: TransportErrorKind::Unreachable, detail: plain(error) }
    }

    fn of_proxy(&self, error: &reqwest::Error, url: &Url, proxy: &Url) -> TransportError {
        let is_socks = proxy.scheme().starts_with("socks");
        let is_there =
            is_socks && !error.is_timeout() && !io_kinds(error).any(|kind| kind == ErrorKind::ConnectionRefused);
        let failure = if is_there { Failure::PROXY_REFUSES } else { Failure::PROXY_UNREACHABLE };
        failure.error(url, &[("proxy", &host_and_port(proxy)), ("words", &self.words(error))])
    }

    /// The words of an error that ended the way to somewhere.
    fn words(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() { format!("nothing within {} seconds", self.patience) } else { plain(error) }
    }

    /// A tunnel through a proxy that did not come about.
    async fn of_tunnel(&self, tunnel: &str, error: &reqwest::Error, url: &Url, proxy: Option<&Url>) -> TransportError {
        let Some(proxy) = proxy else {
            return TransportError { kind: TransportErrorKind::Unreachable, detail: plain(error) };
        };
        let place = host_and_port(proxy);
        if tunnel.contains("authorization required") {
            return wants_credentials(url, proxy);
        }
        if tunnel.contains("underlying connection") || error.is_timeout() {
            return Failure::PROXY_UNREACHABLE.error(url, &[("proxy", &place), ("words", &self.words(error))]);
        }
        let status = probing::connect_status(proxy, url).await;
        let words = match status {
            Some(status) => format!("HTTP {status}"),
            None => "it hung up".to_owned(),
        };
        Failure::PROXY_REFUSES.error(url, &[("proxy", &place), ("words", &words)])
    }

    /// An error of TLS: ours about the server's certificate, or the server's about us.
    fn of_tls(&self, problem: &rustls::Error, url: &Url) -> TransportError {
        use rustls::Error::{
            AlertReceived, InappropriateHandshakeMessage, InappropriateMessage, InvalidCertificate,
            InvalidMessage as Garbled, NoApplicationProtocol, PeerIncompatible, PeerMisbehaved,
        };
        let words = problem.to_string();
        match problem {
            InvalidCertificate(fault) => self.of_certificate(fault, url),
            Garbled(InvalidMessage::InvalidContentType) => Failure::PLAIN_HTTP_PORT.error(url, &[]),
            AlertReceived(alert) => self.of_alert(&format!("{alert:?}"), url),
            PeerIncompatible(_) | NoApplicationProtocol => Failure::NO_COMMON_PROTOCOL.error(url, &[("words", &words)]),
            Garbled(_) | PeerMisbehaved(_) | InappropriateMessage { .. } | InappropriateHandshakeMessage { .. } => {
                Failure::HANDSHAKE_BROKEN.error(url, &[("words", &words)])
            }
            _ => TransportError { kind: TransportErrorKind::Tls, detail: words },
        }
    }

    /// What the server says of the handshake, by the name of its alert (RFC 8446 §6.2).
    fn of_alert(&self, alert: &str, url: &Url) -> TransportError {
        let words = [("words", alert)];
        if ALERTS_ABOUT_US.contains(&alert) {
            if self.lacks_identity(url) || alert == "CertificateRequired" && !self.has_identity {
                return Failure::CLIENT_CERTIFICATE_REQUIRED.error(url, &[]);
            }
            if self.has_identity && self.tls.asked_for_certificate() {
                return Failure::CLIENT_CERTIFICATE_REFUSED.error(url, &words);
            }
        }
        match alert {
            "ProtocolVersion" | "HandshakeFailure" | "InsufficientSecurity" | "NoApplicationProtocol" => {
                Failure::NO_COMMON_PROTOCOL.error(url, &words)
            }
            "UnrecognisedName" => Failure::SITE_UNKNOWN.error(url, &[]),
            _ => TransportError {
                kind: TransportErrorKind::Tls,
                detail: format!("the server ended the TLS connection ({alert})"),
            },
        }
    }

    fn of_certificate(&self, fault: &CertificateError, url: &Url) -> TransportError {
        use CertificateError as Fault;
        let seen = self.tls.of_host(url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']'));
        let own = seen.as_ref().and_then(|seen| seen.chain.first());
        // The leaf says it, unless it is a certificate further up that is too old.
        let moment = |of: Option<i64>| of.map_or_else(|| "a date that cannot be read".to_owned(), date);
        match fault {
            Fault::Expired | Fault::ExpiredContext { .. } => {
                Failure::CERTIFICATE_EXPIRED.error(url, &[("date", &moment(own.map(|own| own.not_after)))])
            }
            Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
                Failure::CERTIFICATE_NOT_YET_VALID.error(url, &[("date", &moment(own.map(|own| own.not_before)))])
            }
            Fault::NotValidForName => Failure::CERTIFICATE_NAME.error(url, &[("names", "another host")]),
            Fault::NotValidForNameContext { presented, .. } => {
                let names = match presented.as_slice() {
                    [] => "no host, as it has no subject alternative names".to_owned(),
                    names => names.iter().take(5).map(|name| plain_name(name)).collect::<Vec<_>>().join(", "),
                };
                Failure::CERTIFICATE_NAME.error(url, &[("names", &names)])
            }
            _ if own.is_some_and(|own| own.is_self_signed) => Failure::SELF_SIGNED.error(url, &[]),
            Fault::UnknownIssuer => {
                let issuer = seen.as_ref().and_then(|seen| seen.chain.last()).map(|last| last.issuer.clone());
                Failure::ISSUER_UNKNOWN.error(url, &[("issuer", issuer.as_deref().unwrap_or("a CA"))])
            }
            fault => Failure::CERTIFICATE_REFUSED.error(url, &[("words", &fault.to_string())]),
        }
    }
}

/// What a server says that does not accept our certificate, or that misses one.
const ALERTS_ABOUT_US: [&str; 10] = [
    "CertificateRequired",
    "BadCertificate",
    "UnsupportedCertificate",
    "CertificateRevoked",
    "CertificateExpired",
    "CertificateUnknown",
    "UnknownCA",
    "AccessDenied",
    "DecryptError",
    "HandshakeFailure",
];

/// The alert in an error that has lost its type on the way: HTTP/2 keeps only the words.
fn alert_in_words(error: &reqwest::Error) -> Option<String> {
    causes(error).find_map(|cause| Some(cause.to_string().strip_prefix("received fatal alert: ")?.to_owned()))
}

/// `DnsName("a.example")` as `a.example`.
fn plain_name(name: &str) -> &str {
    name.split_once('(').map_or(name, |(_, rest)| rest.trim_end_matches(')').trim_matches('"'))
}

/// A proxy that answered 407.
fn wants_credentials(url: &Url, proxy: &Url) -> TransportError {
    let has_some = !proxy.username().is_empty() || proxy.password().is_some();
    let failure = if has_some { Failure::PROXY_REFUSES_CREDENTIALS } else { Failure::PROXY_WANTS_CREDENTIALS };
    failure.error(url, &[("proxy", &host_and_port(proxy))])
}

/// The words of hyper-util for a tunnel that did not come about; its type is told by nothing else.
fn tunnel_error(error: &reqwest::Error) -> Option<String> {
    causes(error).map(ToString::to_string).find(|text| text.starts_with("tunnel error: "))
}

fn by_hyper<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a hyper::Error> {
    causes(error).filter_map(|cause: &'a (dyn Error + 'static)| cause.downcast_ref::<hyper::Error>())
}

fn io_kinds(error: &reqwest::Error) -> impl Iterator<Item = ErrorKind> {
    causes(error).filter_map(|cause| cause.downcast_ref()).map(io::Error::kind)
}

/// Whether the connection was there and is gone; of HTTP/2 a stream counts as one.
fn is_closed(error: &reqwest::Error) -> bool {
    let by_hyper =
        by_hyper(error).any(|cause| cause.is_incomplete_message() || cause.is_closed() || cause.is_canceled());
    by_hyper || causes(error).any(|cause| cause.is::<h2::Error>()) || hung_up(error)
}

/// Whether the other side's system said so.
fn hung_up(error: &reqwest::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    io_kinds(error).any(|kind| matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof))
}
