//! The native host against a server that sends any bytes, over a real socket.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use a2a_conformance::host::Transport;
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::wire::http::Request;
use futures_util::StreamExt;

use super::input::Input;

/// A server that answers each request with the same bytes and closes the connection.
struct Server {
    port: u16,
    answer: Arc<Mutex<Vec<u8>>>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("its port").port();
    let answer = Arc::<Mutex<Vec<u8>>>::default();
    let bytes = Arc::clone(&answer);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let bytes = bytes.lock().map(|bytes| bytes.clone()).unwrap_or_default();
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Write);
            // What is left unread would be answered by a reset, which takes the answer away.
            while stream.read(&mut head).is_ok_and(|read| read > 0) {}
        }
    });
    Server { port, answer }
});

/// How long one answer may take: its server has sent all that it will.
const MOST: Duration = Duration::from_secs(60);

/// The client: a thread that sends requests and tells when their answers were read.
struct NativeClient {
    requests: Mutex<Sender<Request>>,
    read: Mutex<Receiver<()>>,
}

static CLIENT: LazyLock<NativeClient> = LazyLock::new(|| {
    let (requests, received) = channel::<Request>();
    let (told, read) = channel();
    thread::spawn(move || {
        block_on(async {
            let host = host();
            while let Ok(request) = received.recv() {
                read_answer(&*host.transport, request).await;
                let _ = told.send(());
            }
        });
    });
    NativeClient { requests: Mutex::new(requests), read: Mutex::new(read) }
});

async fn read_answer(transport: &dyn Transport, request: Request) {
    let Ok(answer) = transport.send(request).await else { return };
    assert!((100..1000).contains(&answer.head.status), "status {}", answer.head.status);
    let mut body = answer.body;
    let mut bytes = 0;
    while let Some(Ok(chunk)) = body.next().await {
        bytes += chunk.len();
        assert!(bytes < 64 << 20, "more than was sent");
    }
}

/// The first byte says by which request; the rest is what the server sends.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let how = input.below(3);
    let server = &*SERVER;
    *server.answer.lock().expect("no other thread panicked") = input.rest().to_vec();
    let url = format!("http://127.0.0.1:{}/", server.port);
    let request = match how {
        0 => Request::get(url),
        1 => Request::post(url, "application/json", "{}"),
        _ => Request::post(url, "application/grpc+proto", [0, 0, 0, 0, 0]),
    };
    let read = CLIENT.read.lock().expect("no other thread panicked");
    CLIENT.requests.lock().expect("no other thread panicked").send(request).expect("the client runs");
    read.recv_timeout(MOST).expect("an answer that is read in time");
}

/// Answers of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let answers = [
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n<html>",
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
    ];
    let http = answers.iter().map(|text| [&[0], text.as_bytes()].concat());
    // SETTINGS, its acknowledgement, and HEADERS with the index of `:status: 200` in the static table (RFC 9113 §6, RFC 7541 §A).
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88];
    http.chain([[&[2], &settings[..]].concat()]).collect()
}
