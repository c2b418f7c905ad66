//! Servers over TLS, and proxies, for tests: certificates are made for the occasion, and what arrives is passed on to a plain server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, date_time_ymd,
};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig};
use tokio::io::copy_bidirectional;
use tokio_rustls::TlsAcceptor;

/// The days on which a certificate is valid: the years.
pub(crate) const CURRENT: (i32, i32) = (2020, 2090);
pub(crate) const EXPIRED: (i32, i32) = (2020, 2021);
pub(crate) const FUTURE: (i32, i32) = (2090, 2095);

/// A certificate and its key, as PEM.
#[derive(Clone)]
pub(crate) struct Issued {
    pub(crate) cert: String,
    pub(crate) key: String,
}

/// A CA.
pub(crate) struct Ca(CertifiedIssuer<'static, KeyPair>);

impl Ca {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = params(&[], name, CURRENT);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for these hosts.
    pub(crate) fn server(&self, hosts: &[&str], years: (i32, i32)) -> Issued {
        self.issue(params(hosts, "agent", years), ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub(crate) fn client(&self, years: (i32, i32)) -> Issued {
        self.issue(params(&[], "somebody", years), ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn issue(&self, mut params: CertificateParams, purpose: ExtendedKeyUsagePurpose) -> Issued {
        params.extended_key_usages = vec![purpose];
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.0).unwrap().pem();
        Issued { cert, key: key.serialize_pem() }
    }
}

/// A self-signed certificate; that of a CA, as `openssl req -x509` makes it, or not of one.
pub(crate) fn self_signed(hosts: &[&str], is_ca: bool) -> Issued {
    let mut params = params(hosts, "agent", CURRENT);
    if is_ca {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    let key = KeyPair::generate().unwrap();
    Issued { cert: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
}

fn params(hosts: &[&str], name: &str, (from, to): (i32, i32)) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
    params
}

/// How a server speaks TLS.
pub(crate) struct Tls<'a> {
    pub(crate) own: &'a Issued,
    /// The CA whose clients are let in; `None` asks for no certificate.
    pub(crate) clients: Option<&'a Ca>,
    pub(crate) protocols: &'a [&'a str],
    pub(crate) versions: &'a [&'static rustls::SupportedProtocolVersion],
}

impl<'a> Tls<'a> {
    pub(crate) fn of(own: &'a Issued) -> Self {
        Self { own, clients: None, protocols: &["h2", "http/1.1"], versions: rustls::ALL_VERSIONS }
    }

    pub(crate) fn config(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_protocol_versions(self.versions).unwrap();
        let builder = match self.clients {
            None => builder.with_no_client_auth(),
            Some(ca) => {
                let mut roots = RootCertStore::empty();
                roots.add(ca.0.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
                builder.with_client_cert_verifier(verifier)
            }
        };
        let chain = CertificateDer::pem_slice_iter(self.own.cert.as_bytes()).collect::<Result<Vec<_>, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_slice(self.own.key.as_bytes()).unwrap();
        // Whatever it is: some are to be refused.
        let own = CertifiedKey::new(chain, any_supported_type(&key).unwrap());
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
        config.alpn_protocols = self.protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }

    /// Starts the server: what is inside TLS goes to the plain server at that origin. Returns the port.
    pub(crate) fn serve(&self, plain: &str) -> u16 {
        let acceptor = TlsAcceptor::from(Arc::new(self.config()));
        let plain = plain.trim_start_matches("http://").to_owned();
        let (tell, port) = mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap().port()).unwrap();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let (acceptor, plain) = (acceptor.clone(), plain.clone());
                    tokio::spawn(async move {
                        let Ok(mut inside) = acceptor.accept(stream).await else { return };
                        let Ok(mut behind) = tokio::net::TcpStream::connect(plain).await else { return };
                        // Whoever hangs up ends both.
                        let _ = copy_bidirectional(&mut inside, &mut behind).await;
                    });
                }
            });
        });
        port.recv().unwrap()
    }
}

/// The heads of the requests that a proxy got.
pub(crate) type Heads = Arc<Mutex<Vec<String>>>;

/// A proxy that answers every request for a tunnel, and every other request, with this status line; with 200 it opens the
/// tunnel. Returns its port and what it was asked.
pub(crate) fn proxy(status: &'static str) -> (u16, Heads) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Heads::default();
    let kept = Arc::clone(&heads);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, kept) = (stream.unwrap(), Arc::clone(&kept));
            thread::spawn(move || {
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
                    head.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let is_tunnel = head.starts_with("CONNECT ");
                kept.lock().unwrap().push(head);
                if status != "200 OK" || !is_tunnel {
                    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    let _ = stream.write_all(answer.as_bytes());
                    return;
                }
                // Names are this machine's, whatever they are.
                let port = target.rsplit(':').next().unwrap_or_default();
                let mut behind = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
                stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
                let (mut from, mut to) = (stream.try_clone().unwrap(), behind.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Write);
                });
                let _ = std::io::copy(&mut behind, &mut stream);
                let _ = stream.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    (port, heads)
}
