//! TLS by rustls: which certificates of servers are accepted, the one that is shown to servers, and what was seen of both.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, verify_server_name};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, InconsistentKeys, SignatureScheme};

use super::certificate::Certificate;
use super::settings::{ConnectionSettings, SettingsError};

/// A server's certificates, as it showed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenCertificates {
    /// The host that was called.
    pub host: String,
    /// The server's own first, then those that lead to its CA.
    pub chain: Vec<Certificate>,
    /// Whether this machine trusts them.
    pub is_trusted: bool,
}

/// What was seen of TLS so far.
#[derive(Debug, Default)]
pub struct TlsRecord {
    servers: Mutex<Vec<SeenCertificates>>,
    asked_for_certificate: AtomicBool,
}

impl TlsRecord {
    /// The certificates of every host, in the order in which they were seen first; of each host the latest.
    #[must_use]
    pub fn servers(&self) -> Vec<SeenCertificates> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The certificates of a host.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Option<SeenCertificates> {
        self.servers().into_iter().find(|seen| seen.host == host)
    }

    /// Whether a server asked for a certificate of ours.
    #[must_use]
    pub fn asked_for_certificate(&self) -> bool {
        self.asked_for_certificate.load(Ordering::Relaxed)
    }

    fn add(&self, seen: SeenCertificates) {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        match servers.iter_mut().find(|known| known.host == seen.host) {
            Some(known) => *known = seen,
            None => servers.push(seen),
        }
    }
}

/// How TLS is spoken, with these protocols on top of it. An error when the certificates of the settings cannot be used.
pub fn client_config(
    settings: &ConnectionSettings,
    protocols: &[&str],
    record: &Arc<TlsRecord>,
) -> Result<ClientConfig, SettingsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = ObservingVerifier {
        by_roots: OnceLock::new(),
        roots: settings.roots.clone(),
        accepts_all: settings.accepts_any_certificate,
        provider: Arc::clone(&provider),
        record: Arc::clone(record),
    };
    let identity = match &settings.identity {
        None => None,
        Some(identity) => {
            let certified = CertifiedKey::from_der(identity.chain.clone(), identity.key.clone_key(), &provider);
            Some(Arc::new(certified.map_err(|problem| match problem {
                Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => SettingsError::OtherKey,
                problem => SettingsError::UnusableIdentity(problem.to_string()),
            })?))
        }
    };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|problem| SettingsError::Client(problem.to_string()))?;
    let mut config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_client_cert_resolver(Arc::new(ObservingResolver { identity, record: Arc::clone(record) }));
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Ok(config)
}

/// Verifies by the roots of this machine and of the settings, and keeps what it saw.
#[derive(Debug)]
struct ObservingVerifier {
    /// Made for the first certificate, as it reads all that this machine trusts; `None` where there are no roots at all.
    by_roots: OnceLock<Option<rustls_platform_verifier::Verifier>>,
    roots: Vec<CertificateDer<'static>>,
    accepts_all: bool,
    provider: Arc<CryptoProvider>,
    record: Arc<TlsRecord>,
}

impl ObservingVerifier {
    /// A machine without root certificates (a bare container) can still check agents by plain http; by https every certificate
    /// is then of an unknown issuer, and that is what the error says.
    fn read_roots(&self) -> Option<rustls_platform_verifier::Verifier> {
        rustls_platform_verifier::Verifier::new_with_extra_roots(self.roots.clone(), Arc::clone(&self.provider)).ok()
    }

    /// The check of the handshake's signature, which `--insecure` leaves out with the rest.
    fn check_signature(
        &self,
        check: impl FnOnce(&WebPkiSupportedAlgorithms) -> Result<HandshakeSignatureValid, Error>,
    ) -> Result<HandshakeSignatureValid, Error> {
        if self.accepts_all {
            return Ok(HandshakeSignatureValid::assertion());
        }
        check(&self.provider.signature_verification_algorithms)
    }
}

/// A server's own certificate that the user trusts: one of a CA would be refused in that place, and `openssl req -x509` makes such.
fn trusted_itself(own: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), Error> {
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let read = Certificate::read(own).ok_or(CertificateError::BadEncoding)?;
    if seconds > read.not_after {
        return Err(CertificateError::Expired.into());
    }
    if seconds < read.not_before {
        return Err(CertificateError::NotValidYet.into());
    }
    verify_server_name(&ParsedCertificate::try_from(own)?, name)
}

impl ServerCertVerifier for ObservingVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = if self.roots.iter().any(|root| root == own) {
            trusted_itself(own, name, now)
        } else {
            match self.by_roots.get_or_init(|| self.read_roots()) {
                None => Err(CertificateError::UnknownIssuer.into()),
                Some(verifier) => verifier.verify_server_cert(own, others, name, ocsp, now).map(|_| ()),
            }
        };
        let chain = std::iter::once(own).chain(others).filter_map(|der| Certificate::read(der)).collect();
        self.record.add(SeenCertificates { host: name.to_str().into_owned(), chain, is_trusted: judged.is_ok() });
        match judged {
            Err(problem) if !self.accepts_all => Err(problem),
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(|known| verify_tls12_signature(message, certificate, signed, known))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(|known| verify_tls13_signature(message, certificate, signed, known))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Shows the certificate of the settings, and keeps that one was asked for.
#[derive(Debug)]
struct ObservingResolver {
    identity: Option<Arc<CertifiedKey>>,
    record: Arc<TlsRecord>,
}

impl ResolvesClientCert for ObservingResolver {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.record.asked_for_certificate.store(true, Ordering::Relaxed);
        self.identity.clone()
    }

    fn has_certs(&self) -> bool {
        self.identity.is_some()
    }
}
