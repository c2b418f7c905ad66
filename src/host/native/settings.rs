//! How connections are made: which certificates are trusted, which one is shown, and through which proxies they go.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::proxy::ProxyRules;
pub use super::settings_error::SettingsError;

/// How connections are made. `Default` is what most agents need: the certificates that this machine trusts, and no proxy.
#[derive(Debug, Default)]
pub struct ConnectionSettings {
    /// Certificates that are trusted besides those of this machine: mostly of a CA of one's own.
    pub roots: Vec<CertificateDer<'static>>,
    /// The certificate that is shown to servers that want one.
    pub identity: Option<ClientIdentity>,
    /// Whether any certificate of a server is accepted.
    pub accepts_any_certificate: bool,
    /// Through which proxies requests go.
    pub proxies: ProxyRules,
    /// Whether redirects are left to whoever sends; otherwise those within an origin are followed.
    pub leaves_redirects: bool,
}

/// A certificate with the key that proves it.
#[derive(Debug)]
pub struct ClientIdentity {
    /// The certificate, and those that lead to its CA.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
}

/// The certificates of a PEM file, which are trusted. An error when there is none in it, or one that nothing could be verified by.
pub fn roots(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let certificates = certificates(pem)?;
    let mut store = rustls::RootCertStore::empty();
    for (number, certificate) in certificates.iter().enumerate() {
        let added = store.add(certificate.clone());
        added.map_err(|problem| SettingsError::UnusableCertificate(number + 1, problem.to_string()))?;
    }
    Ok(certificates)
}

/// The certificates of a PEM file, in their order; an error when there is none in it.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match certificates.map_err(|problem| SettingsError::NotPem(problem.to_string()))? {
        none if none.is_empty() => Err(SettingsError::NoCertificate),
        certificates => Ok(certificates),
    }
}

/// The private key of a PEM file; an error when there is none in it, or one that asks for a password.
pub fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, SettingsError> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|problem| match problem {
        rustls::pki_types::pem::Error::NoItemsFound => {
            let text = String::from_utf8_lossy(pem);
            let is_encrypted = text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED");
            if is_encrypted { SettingsError::EncryptedKey } else { SettingsError::NoKey }
        }
        problem => SettingsError::NotPem(problem.to_string()),
    })
}
