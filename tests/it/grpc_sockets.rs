//! gRPC over real sockets: HTTP/2 with trailers through the native transport, and gRPC-Web over HTTP/1.1 in raw bytes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;

use a2a_conformance::a2a::grpc_codec::{DETAILS, GrpcReader, MESSAGE, STATUS, to_wire};
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::server::{AgentServer, ListenAddress};
use a2a_conformance::wire::exchange::{GrpcAnswer, TransportErrorKind};
use a2a_conformance::wire::grpc::MEDIA_TYPE;
use a2a_conformance::wire::http::{Headers, Request};
use futures_util::StreamExt;

/// Serves the scripted agent with these faults until the test ends; returns its origin.
fn agent(faults: &'static [&'static str]) -> String {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        block_on(async move {
            let address = ListenAddress::at("127.0.0.1:0").await.unwrap();
            let served = AgentServer::new(&address.origin, Faults::parse(faults.iter().copied()).unwrap(), false);
            tell.send(address.origin.clone()).unwrap();
            address.serve_agent(served).await;
        });
    });
    told.recv().unwrap()
}

fn call(origin: &str, method: &str, params: &str) -> Request {
    let url = format!("{origin}/lf.a2a.v1.A2AService/{method}");
    Request::post(url, MEDIA_TYPE, params).with_header("A2A-Version", "1.0")
}

/// Makes a call through the native transport: the messages as JSON, and what else the record has.
fn answered(request: &Request) -> (Vec<String>, GrpcAnswer) {
    block_on(async {
        let mut response = host().transport.send(to_wire(request, true).unwrap()).await.unwrap();
        let (mut reader, mut answer) = GrpcReader::new(&request.url, &mut response.head.headers);
        let mut messages = Vec::new();
        while let Some(chunk) = response.body.next().await {
            messages.extend(reader.push(&chunk.unwrap(), &mut answer));
        }
        reader.finish(&mut answer);
        (messages, answer)
    })
}

const SEND: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"task-lifecycle x"}]}}"#;

#[test]
fn a_call_is_answered_with_messages_and_trailers_of_http_2() {
    let origin = agent(&["grpc"]);
    let (messages, answer) = answered(&call(&origin, "GetTask", r#"{"id":"nobody"}"#));
    let trailers = answer.trailers.unwrap();
    assert_eq!((messages.len(), trailers.get(STATUS)), (0, Some("5")));
    assert_eq!(trailers.get(MESSAGE), Some("there is no task with that id"));
    assert!(trailers.get(DETAILS).unwrap().contains(r#""reason":"TASK_NOT_FOUND""#));

    let (messages, answer) = answered(&call(&origin, "SendMessage", SEND));
    assert!(messages[0].contains("TASK_STATE_COMPLETED") && messages.len() == 1, "{messages:?}");
    assert_eq!((answer.trailers.unwrap().get(STATUS), answer.flaws.len()), (Some("0"), 0));

    let (messages, answer) = answered(&call(&origin, "SendStreamingMessage", SEND));
    assert!(messages.len() > 2 && messages[0].starts_with(r#"{"task":"#), "{messages:?}");
    assert_eq!(answer.trailers.unwrap().get(STATUS), Some("0"));
}

#[test]
fn an_answer_without_a_status_has_no_trailers() {
    let (messages, answer) = answered(&call(&agent(&["grpc-no-status"]), "SendMessage", SEND));
    assert_eq!((messages.len(), answer.trailers), (1, None));
}

#[test]
fn the_same_agent_answers_grpc_web_over_http_1() {
    let origin = agent(&["grpc"]);
    let request = call(&origin, "GetTask", r#"{"id":"nobody"}"#);
    let sent = to_wire(&request, false).unwrap();
    let body = sent.body.unwrap();
    let mut stream = TcpStream::connect(origin.strip_prefix("http://").unwrap()).unwrap();
    let head = format!(
        "POST /lf.a2a.v1.A2AService/GetTask HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc-web+proto\r\n\
         A2A-Version: 1.0\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    assert!(text.contains("content-type: application/grpc-web+proto\r\n"), "{text}");
    assert!(text.contains("grpc-status: 5\r\n") && text.contains("grpc-message: there is no task"), "{text}");
}

#[test]
fn a_server_that_speaks_only_http_1_is_named_as_trouble_and_not_as_a_panic() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let request = to_wire(&call(&origin, "GetTask", r#"{"id":"x"}"#), true).unwrap();
    let answer = block_on(async { host().transport.send(request).await.map(|answer| answer.head) });
    let trouble = answer.expect_err("no HTTP/2");
    assert!(!trouble.detail.is_empty() && trouble.kind != TransportErrorKind::BadUrl, "{trouble:?}");
}

#[test]
fn an_answer_that_is_only_trailers_has_them_in_its_head() {
    let mut head: Headers = [("content-type", "application/grpc"), ("grpc-status", "12")].into_iter().collect();
    let (_, answer) = GrpcReader::new("http://h/lf.a2a.v1.A2AService/GetTask", &mut head);
    assert_eq!(answer.trailers.unwrap().get(STATUS), Some("12"));
}

/// The types of the frames that this server knows.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;

/// A frame of HTTP/2: its length, type, flags and stream.
fn http2_frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// Reads frames until one of that type comes; returns its payload.
fn await_frame(stream: &mut TcpStream, wanted: u8) -> Vec<u8> {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).expect("a frame before the connection ends");
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).unwrap();
        if head[3] == wanted {
            return payload;
        }
    }
}

#[test]
fn a_stream_that_is_not_read_to_its_end_is_cancelled() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let mut preface = [0; 24];
        stream.read_exact(&mut preface).unwrap();
        await_frame(&mut stream, HEADERS);
        // Status 200, and a field that is not indexed: content-type.
        let head = [&[0x88, 0x0f, 0x10, 16][..], b"application/grpc"].concat();
        stream.write_all(&http2_frame(SETTINGS, 0, 0, &[])).unwrap();
        stream.write_all(&http2_frame(HEADERS, 4, 1, &head)).unwrap();
        stream.write_all(&http2_frame(DATA, 0, 1, &[0, 0, 0, 0, 0])).unwrap();
        await_frame(&mut stream, RST_STREAM)
    });
    let request = to_wire(&call(&origin, "SendStreamingMessage", SEND), true).unwrap();
    block_on(async {
        let mut answer = host().transport.send(request).await.unwrap();
        assert_eq!(answer.body.next().await.unwrap().unwrap(), [0; 5]);
        drop(answer);
        // The reason of a reset: CANCEL.
        for _ in 0..200 {
            host().clock.sleep(50.0).await;
            if server.is_finished() {
                break;
            }
        }
        assert_eq!(server.join().expect("a reset of the stream"), [0, 0, 0, 8]);
    });
}
