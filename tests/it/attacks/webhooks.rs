//! What is sent to the webhook that a run opens, besides the agent's own notifications.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::attack::Attack;
use super::attack::Place::Webhooks;
use super::harm::{Harm, acts, send};

/// Lets the agent answer, and meanwhile does something to the webhook: given its host and port, and its path.
fn meanwhile(act: fn(&str, &str)) -> Harm {
    acts(move |strike, stream| {
        let named = strike.asked.body.split("\"url\":\"http://").nth(1).and_then(|rest| rest.split('"').next());
        if let Some((place, path)) = named.and_then(|url| url.split_once('/')) {
            let (place, path) = (place.to_owned(), format!("/{path}"));
            thread::spawn(move || act(&place, &path));
        }
        let (head, body) = strike.honest();
        send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    })
}

/// Sends these bytes to the webhook on a connection of their own, and reads what comes for a moment.
fn call(place: &str, bytes: &[u8]) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(place).ok()?;
    let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
    stream.write_all(bytes).ok()?;
    Some(stream)
}

fn post(path: &str, fields: &str, body: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\n{fields}\r\n{body}")
        .into_bytes()
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    vec![
        Attack::new(
            "200 calls with rubbish",
            Webhooks,
            meanwhile(|place, path| {
                for _ in 0..200 {
                    let Some(mut stream) = call(place, &post(path, "Content-Length: 2\r\nConnection: close\r\n", "{}"))
                    else {
                        return;
                    };
                    let _ = stream.read_to_end(&mut Vec::new());
                }
            }),
        ),
        Attack::new(
            "10,000 calls on one connection",
            Webhooks,
            meanwhile(|place, path| {
                let many = post(path, "Content-Length: 2\r\n", "{}").repeat(10_000);
                let _ = call(place, &many);
            }),
        )
        .heavy(),
        Attack::new(
            "a body of 100 MB",
            Webhooks,
            meanwhile(|place, path| {
                let Some(mut stream) = call(place, &post(path, "Content-Length: 104857600\r\n", "")) else { return };
                let _ = (0..100).try_for_each(|_| stream.write_all(&[b' '; 1 << 20]));
            }),
        ),
        Attack::new(
            "chunks that never end",
            Webhooks,
            meanwhile(|place, path| {
                let Some(mut stream) = call(place, &post(path, "Transfer-Encoding: chunked\r\n", "")) else { return };
                let chunk = [b"10000\r\n".as_slice(), &[b' '; 65536], b"\r\n"].concat();
                while stream.write_all(&chunk).is_ok() {}
            }),
        ),
        Attack::new(
            "a head that never ends",
            Webhooks,
            meanwhile(|place, path| {
                let Some(mut stream) = call(place, format!("POST {path} HTTP/1.1\r\n").as_bytes()) else { return };
                while stream.write_all(&b"X-Again: and again\r\n".repeat(1000)).is_ok() {}
            }),
        ),
        Attack::new(
            "200 connections that say nothing",
            Webhooks,
            meanwhile(|place, _| {
                let held: Vec<_> = (0..200).filter_map(|_| TcpStream::connect(place).ok()).collect();
                thread::sleep(Duration::from_secs(5));
                drop(held);
            }),
        ),
        Attack::new(
            "a body, a byte a second",
            Webhooks,
            meanwhile(|place, path| {
                let Some(mut stream) = call(place, &post(path, "Content-Length: 1000\r\n", "")) else { return };
                while stream.write_all(b" ").is_ok() {
                    thread::sleep(Duration::from_secs(1));
                }
            }),
        ),
        Attack::new(
            "a length and chunks at once",
            Webhooks,
            meanwhile(|place, path| {
                let _ = call(
                    place,
                    &post(
                        path,
                        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                        "0\r\n\r\nPOST / HTTP/1.1\r\n\r\n",
                    ),
                );
            }),
        ),
        Attack::new(
            "broken JSON",
            Webhooks,
            meanwhile(|place, path| {
                let _ = call(place, &post(path, "Content-Length: 7\r\n", "{\"task\""));
            }),
        ),
        Attack::new(
            "500,000 levels",
            Webhooks,
            meanwhile(|place, path| {
                let deep = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
                let _ = call(place, &post(path, &format!("Content-Length: {}\r\n", deep.len()), &deep));
            }),
        ),
        Attack::new(
            "other methods",
            Webhooks,
            meanwhile(|place, path| {
                for method in ["GET", "PUT", "DELETE", "CONNECT", "TRACE", "BREW"] {
                    let _ = call(
                        place,
                        format!("{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").as_bytes(),
                    );
                }
            }),
        ),
        Attack::new(
            "other paths",
            Webhooks,
            meanwhile(|place, path| {
                for other in ["/", "/../../etc/passwd", "/%00", &format!("{path}/more"), &"/x".repeat(20_000)] {
                    let _ = call(place, &post(other, "Content-Length: 2\r\n", "{}"));
                }
            }),
        ),
        Attack::new(
            "calls for somewhere else",
            Webhooks,
            acts(|strike, stream| {
                let named = strike.asked.body.split("\"url\":\"http://").nth(1).and_then(|rest| rest.split('/').next());
                if let Some(place) = named {
                    let canary = strike.canary;
                    for line in [format!("POST http://{canary}/ HTTP/1.1"), format!("CONNECT {canary} HTTP/1.1")] {
                        let head =
                            format!("{line}\r\nHost: {canary}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                        if let Some(mut stream) = call(place, head.as_bytes()) {
                            let _ = stream.read_to_end(&mut Vec::new());
                        }
                    }
                }
                let (head, body) = strike.honest();
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
            }),
        ),
        Attack::new(
            "frames of HTTP/2",
            Webhooks,
            meanwhile(|place, _| {
                let settings = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1].repeat(10_000);
                let _ = call(place, &[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &settings].concat());
            }),
        ),
        Attack::new(
            "a webhook that the agent renames",
            Webhooks,
            acts(|strike, stream| {
                let (head, body) = strike.honest();
                let named = strike.asked.body.split("\"url\":\"").nth(1).and_then(|rest| rest.split('"').next());
                let body = body.replace(named.unwrap_or("\0"), &format!("http://{}/hook", strike.canary));
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
            }),
        ),
        Attack::new(
            "bytes that are not HTTP",
            Webhooks,
            meanwhile(|place, _| {
                let _ = call(place, &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);
                let _ = call(place, &[0; 100_000]);
            }),
        ),
    ]
}
