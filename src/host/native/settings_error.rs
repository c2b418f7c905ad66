//! What can be wrong with how connections should be made, in words.

/// Why settings cannot be used. No message repeats a key.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file without a certificate.
    #[error("it holds no certificate; a certificate in PEM begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate,
    /// A file without a key.
    #[error("it holds no private key; a key in PEM begins with -----BEGIN PRIVATE KEY-----")]
    NoKey,
    /// A key that asks for a password.
    #[error("its private key is encrypted; decrypt it first: openssl pkey -in FILE -out DECRYPTED")]
    EncryptedKey,
    /// Text that is broken.
    #[error("it is not PEM: {0}")]
    NotPem(String),
    /// A certificate that nothing can be verified by.
    #[error("its certificate number {0} cannot be used: {1}")]
    UnusableCertificate(usize, String),
    /// Another key than the certificate's.
    #[error("the private key does not belong to the certificate")]
    OtherKey,
    /// A key of a kind that rustls does not know.
    #[error("the certificate and its key cannot be used: {0}")]
    UnusableIdentity(String),
    /// A proxy's URL.
    #[error("\"{0}\" is not the URL of a proxy, which is http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT")]
    NotAProxy(String),
    /// The client could not be made.
    #[error("connections cannot be made: {0}")]
    Client(String),
}
