//! Bodies that are too long, or become too much once they are read.

use std::io::{Read, Write};
use std::net::Shutdown;

use super::{Attack, PATIENCE, connect, message, post, said};
use crate::cli::Served;

#[test]
fn bodies_of_100_mb_are_refused_in_a_sentence() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("bodies of 100 MB");
    let piece = vec![b' '; 1 << 20];
    for (name, field, chunked) in [
        ("announced", format!("Content-Length: {}", 100 << 20), false),
        ("chunked", "Transfer-Encoding: chunked".to_owned(), true),
        ("compressed", format!("Content-Encoding: gzip\r\nContent-Length: {}", 100 << 20), false),
    ] {
        attack.attempt(|| {
            let mut stream = connect(agent.agent_url());
            let head = format!("POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{field}\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            let mut reader = stream.try_clone().unwrap();
            let answer = std::thread::spawn(move || {
                let (mut answer, mut piece) = (String::new(), [0; 4096]);
                while let Ok(count @ 1..) = reader.read(&mut piece) {
                    answer.push_str(&String::from_utf8_lossy(&piece[..count]));
                    if answer.ends_with(".\n") || answer.ends_with("0\r\n\r\n") {
                        break;
                    }
                }
                answer
            });
            for _ in 0..100 {
                let size = format!("{:x}\r\n", piece.len());
                let sent = if chunked { stream.write_all(size.as_bytes()) } else { Ok(()) };
                let sent = sent.and_then(|()| stream.write_all(&piece));
                let sent = sent.and_then(|()| if chunked { stream.write_all(b"\r\n") } else { Ok(()) });
                if sent.is_err() {
                    break;
                }
            }
            let answer = answer.join().unwrap();
            assert!(answer.starts_with("HTTP/1.1 413 "), "{name}: {answer}");
            assert!(answer.contains("is longer than 24 MiB"), "{name}: {answer}");
        });
    }
    attack.end(Some(&agent));
}

#[test]
fn a_body_of_millions_of_values_is_refused_in_a_sentence() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("20 MB of tiny values");
    for filling in ["[],", "{\"\":0},", "0,", "\"\","] {
        attack.attempt(|| {
            let body = format!("[{}0]", filling.repeat((20 << 20) / filling.len()));
            let head = format!(
                "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let answer = said(agent.agent_url(), format!("{head}{body}").as_bytes(), PATIENCE);
            assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("JSON values"), "{filling}: {answer}");
        });
    }
    // A long text with as many commas is a text.
    let params = message(&",".repeat(1 << 20));
    let answer = said(agent.agent_url(), post("SendMessage", &params, "Connection: close\r\n").as_bytes(), PATIENCE);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{}", answer.lines().next().unwrap());
    attack.end(Some(&agent));
}

/// A field of a message in the wire format of Protocol Buffers.
fn field(number: u8, mut length: usize, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    while length > 0x7f {
        field.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    field.push(u8::try_from(length).unwrap());
    field.extend(bytes);
    field
}

#[test]
fn a_message_over_grpc_of_millions_of_parts_is_not_read() {
    let agent = Served::agent(&["grpc"]);
    let mut attack = Attack::new("millions of parts of two bytes, over gRPC");
    for count in [200_000, 2_000_000, 8_000_000] {
        attack.attempt(|| {
            let parts = field(5, 0, &[]).repeat(count);
            let request = field(2, parts.len(), &parts);
            let length = u32::try_from(request.len()).unwrap().to_be_bytes();
            let head = format!(
                "POST /lf.a2a.v1.A2AService/SendMessage HTTP/1.1\r\nHost: h\r\nA2A-Version: 1.0\r\nConnection: close\r\n\
                 Content-Type: application/grpc-web+proto\r\nContent-Length: {}\r\n\r\n",
                request.len() + 5
            );
            let bytes = [head.as_bytes(), &[0], &length, &request].concat();
            let answer = said(agent.agent_url(), &bytes, PATIENCE);
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.len() < 2_000, "{count}: {} bytes", answer.len());
            assert!(answer.contains("the%20message%20cannot%20be%20read") || answer.contains("the message cannot be read"), "{answer}");
        });
    }
    attack.end(Some(&agent));
}

#[test]
fn great_messages_do_not_fill_the_memory() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("12 messages of 8 MB");
    let params = message(&"x".repeat(8 << 20));
    let call = post("SendMessage", &params, "Connection: close\r\n");
    for _ in 0..12 {
        attack.attempt(|| {
            let mut stream = connect(agent.agent_url());
            stream.write_all(call.as_bytes()).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200");
            // The long answer is not worth reading.
            stream.shutdown(Shutdown::Both).unwrap();
        });
    }
    attack.end(Some(&agent));
}
