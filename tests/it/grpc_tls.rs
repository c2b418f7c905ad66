//! gRPC over TLS, to a server whose certificate is of an authority of its own, by the URLs that a card may have.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use a2a_conformance::agent::fault::Faults;
use a2a_conformance::host::native::block_on;
use a2a_conformance::server::{AgentServer, ListenAddress};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio_rustls::TlsAcceptor;

use crate::cli::program;

/// A file beside this one.
fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls").join(name).to_str().unwrap().to_owned()
}

fn acceptor() -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(file("localhost.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(file("localhost.key")).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// Serves the scripted agent until the test ends, plainly and behind TLS; returns both addresses.
fn agent() -> (String, String) {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        block_on(async move {
            let address = ListenAddress::at("127.0.0.1:0").await.unwrap();
            let plain = address.origin.strip_prefix("http://").unwrap().to_owned();
            let served = AgentServer::new(&address.origin, Faults::parse(["grpc"]).unwrap(), false);
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send((plain.clone(), listener.local_addr().unwrap().to_string())).unwrap();
            let acceptor = acceptor();
            tokio::task::spawn_local(async move {
                while let Ok((outside, _)) = listener.accept().await {
                    let (acceptor, plain) = (acceptor.clone(), plain.clone());
                    tokio::task::spawn_local(async move {
                        let mut inside = tokio::net::TcpStream::connect(plain).await.unwrap();
                        // A client that does not know the authority goes away.
                        if let Ok(mut outside) = acceptor.accept(outside).await {
                            let _ = copy_bidirectional(&mut outside, &mut inside).await;
                        }
                    });
                }
            });
            address.serve_agent(served).await;
        });
    });
    told.recv().unwrap()
}

/// Serves the agent's card with these interfaces over gRPC until the test ends; returns its address.
fn card_with(agent: &str, urls: &[String]) -> String {
    let mut stream = TcpStream::connect(agent).unwrap();
    stream.write_all(b"GET /.well-known/agent-card.json HTTP/1.0\r\nHost: h\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let mut card: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
    let interface = |url: &String| json!({ "url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0" });
    card["supportedInterfaces"] = urls.iter().map(interface).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let body = card.to_string();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
            let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
        }
    });
    address
}

/// The status and the message of a check on each lane, by a checker that trusts this authority.
fn checked(card: &str, authority: &str) -> Vec<(String, String, String)> {
    let mut command = program();
    command.args(["check", card, "--format", "json", "--only", "grpc.status"]);
    let output = command.env("SSL_CERT_FILE", authority).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let of_check = rows.filter(|row| row["test"] == "grpc.status");
    of_check.map(|row| (text(row, "lane"), text(row, "status"), text(row, "message"))).collect()
}

#[test]
fn every_form_of_a_url_reaches_an_interface_with_tls_or_without() {
    let (plain, tls) = agent();
    let port = tls.rsplit(':').next().unwrap();
    let urls =
        [format!("grpcs://localhost:{port}"), format!("https://{tls}/a2a"), plain.clone(), format!("grpc://{plain}/x")];
    let card = card_with(&plain, &urls[..3]);
    let rows = checked(&card, &file("root.pem"));
    assert_eq!(rows.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), ["grpc-1.0", "grpc-1.0-2", "grpc-1.0-3"]);
    assert!(rows.iter().all(|row| row.1 == "pass"), "{rows:?}");
    let rows = checked(&card_with(&plain, &urls[3..]), &file("root.pem"));
    assert!(rows.len() == 1 && rows[0].1 == "pass", "{rows:?}");
}

#[test]
fn a_certificate_of_an_unknown_authority_is_named() {
    let (plain, tls) = agent();
    let card = card_with(&plain, &[format!("https://{tls}")]);
    // Its own certificate is not that of an authority.
    let rows = checked(&card, &file("localhost.pem"));
    assert!(rows.len() == 1 && rows[0].1 == "skip" && rows[0].2.to_lowercase().contains("certificate"), "{rows:?}");
}
