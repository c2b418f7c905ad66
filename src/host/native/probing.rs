//! Two questions that an error leaves open, asked anew over a connection of their own and for a few seconds: whether a port speaks
//! TLS, and how a proxy refuses. Never asked of a host that has answered.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::settings::ConnectionSettings;
use super::tls::client_config;
use crate::wire::base64::STANDARD;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// The first byte of a record of TLS that holds an alert or a part of the handshake (RFC 8446 §5.1).
const RECORDS: [u8; 2] = [21, 22];

/// Whether the port of a URL answers the beginning of a TLS handshake in TLS.
pub(super) async fn speaks_tls(url: &Url) -> bool {
    let Some(hello) = client_hello(url) else { return false };
    let answer = first_bytes(url, &hello, |bytes| bytes.len() >= 2).await.unwrap_or_default();
    // Major version 3 is that of every version of TLS.
    matches!(answer.as_slice(), [kind, 3, ..] if RECORDS.contains(kind))
}

/// The status with which a proxy of plain http answers a request for a tunnel.
pub(super) async fn connect_status(proxy: &Url, target: &Url) -> Option<u16> {
    if proxy.scheme() != "http" {
        return None;
    }
    let place = format!("{}:{}", target.host_str()?, target.port_or_known_default()?);
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n");
    if !proxy.username().is_empty() {
        let pair = format!("{}:{}", proxy.username(), proxy.password().unwrap_or_default());
        request.push_str(&format!("Proxy-Authorization: Basic {}\r\n", STANDARD.encode(pair.as_bytes())));
    }
    request.push_str("\r\n");
    let answer = first_bytes(proxy, request.as_bytes(), |bytes| bytes.contains(&b'\n')).await?;
    let line = String::from_utf8_lossy(&answer).into_owned();
    line.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()
}

/// The first message of a client that speaks TLS.
fn client_hello(url: &Url) -> Option<Vec<u8>> {
    let config = client_config(&ConnectionSettings::default(), &[], &Arc::default()).ok()?;
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    let mut connection = rustls::ClientConnection::new(Arc::new(config), ServerName::try_from(host).ok()?).ok()?;
    let mut hello = Vec::new();
    connection.write_tls(&mut hello).ok()?;
    Some(hello)
}

/// What comes back for these bytes, as soon as it is enough.
async fn first_bytes(url: &Url, sent: &[u8], is_enough: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']');
    let place = (host, url.port_or_known_default()?);
    let asking = async {
        let mut stream = TcpStream::connect(place).await.ok()?;
        stream.write_all(sent).await.ok()?;
        let (mut answer, mut piece) = (Vec::new(), [0; 512]);
        while !is_enough(&answer) && answer.len() < 4096 {
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => break,
                Ok(length) => answer.extend(piece.get(..length)?),
            }
        }
        Some(answer)
    };
    timeout(PATIENCE, asking).await.ok()?
}
