//! The native transport over real sockets, against servers that are a few raw bytes each.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use a2a_conformance::host::StreamedResponse;
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Request, ResponseHead};
use a2a_conformance::wire::sse::{Item, Limits, Parser};
use futures_util::StreamExt;

/// Starts a server whose connections are handled one after the other, each with its number from 0; returns its origin.
fn server(handle: impl Fn(usize, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            handle(number, &mut stream.unwrap());
        }
    });
    origin
}

/// A server that reads each request and answers all of them with these bytes.
fn answers(bytes: impl Into<Vec<u8>>) -> String {
    let bytes = bytes.into();
    server(move |_, stream| {
        read_request(stream);
        stream.write_all(&bytes).unwrap();
    })
}

/// Reads a request: its head and as much body as it announces.
fn read_request(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    (head, body)
}

/// Sends a request and reads the whole answer; the error of the body, if it broke, comes last.
fn exchange(request: Request) -> Result<(ResponseHead, Vec<u8>, Option<String>), TransportError> {
    block_on(async {
        let StreamedResponse { head, mut body } = host().transport.send(request).await?;
        let (mut bytes, mut broken) = (Vec::new(), None);
        while let Some(chunk) = body.next().await {
            match chunk {
                Ok(chunk) => bytes.extend(chunk),
                Err(detail) => broken = Some(detail),
            }
        }
        Ok((head, bytes, broken))
    })
}

fn trouble(url: impl Into<String>) -> TransportError {
    match exchange(Request::get(url)) {
        Ok((head, body, broken)) => panic!("answered {head:?} {body:?} {broken:?}"),
        Err(trouble) => trouble,
    }
}

#[test]
fn requests_and_responses_cross_the_wire_unchanged() {
    let (tell, told) = mpsc::channel();
    let origin = server(move |_, stream| {
        tell.send(read_request(stream)).unwrap();
        stream
            .write_all(
                b"HTTP/1.1 404 Nope\r\nX-Two: a\r\nContent-Type: application/json; charset=utf-8\r\nX-Two: b\r\n\
                  Set-Cookie: a=b\r\nX-Latin: caf\xe9\r\nContent-Length: 2\r\n\r\n{}",
            )
            .unwrap();
    });
    let request = Request::post(format!("{origin}/rpc?a=1&b=%20"), "application/json", "{\"x\":1}")
        .with_header("A2A-Version", "1.0")
        .with_header("X-Two", "1")
        .with_header("X-Two", "2");
    let (head, body, broken) = exchange(request).unwrap();
    let (sent, sent_body) = told.recv().unwrap();
    let sent = sent.to_ascii_lowercase();
    assert!(sent.starts_with("post /rpc?a=1&b=%20 http/1.1\r\n"), "{sent}");
    for line in ["content-type: application/json\r\n", "a2a-version: 1.0\r\n", "x-two: 1\r\n", "x-two: 2\r\n"] {
        assert!(sent.contains(line), "{line} {sent}");
    }
    let agent = format!("user-agent: a2a-conformance/{}\r\n", env!("CARGO_PKG_VERSION"));
    assert!(sent.contains(&agent) && !sent.contains("cookie") && !sent.contains("referer"), "{sent}");
    assert_eq!(sent_body, b"{\"x\":1}");

    assert_eq!((head.status, head.redirected), (404, false));
    assert_eq!(head.url, format!("{origin}/rpc?a=1&b=%20"));
    assert_eq!(head.headers.media_type().as_deref(), Some("application/json"));
    assert_eq!(
        head.headers.iter().filter(|(name, _)| *name == "x-two").map(|(_, value)| value).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(head.headers.get("x-latin"), Some("caf\u{e9}"));
    assert_eq!(head.headers.get("set-cookie"), Some("a=b"), "a native host sees it all");
    assert_eq!((body.as_slice(), broken), (b"{}".as_slice(), None));
}

#[test]
fn no_cookie_of_an_answer_is_sent_with_the_next_request_and_each_has_its_own_connection() {
    let (tell, told) = mpsc::channel();
    let origin = server(move |number, stream| {
        tell.send((number, read_request(stream).0)).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    block_on(async {
        let host = host();
        for _ in 0..2 {
            let mut answer =
                host.transport.send(Request::get(origin.clone())).await.unwrap_or_else(|t| panic!("{t:?}"));
            while answer.body.next().await.is_some() {}
        }
    });
    let requests: Vec<_> = told.try_iter().collect();
    assert_eq!(requests.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
    assert!(requests.iter().all(|(_, head)| !head.to_ascii_lowercase().contains("cookie")), "{requests:?}");
}

#[test]
fn an_event_stream_in_odd_chunks_arrives_event_by_event_while_it_lasts() {
    let (go, wait) = mpsc::channel::<()>();
    let origin = server(move |_, stream| {
        read_request(stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            .unwrap();
        let mut chunk = |bytes: &[u8]| {
            stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).unwrap();
            // Chunk borders of HTTP and packet borders of TCP fall where they like.
            for byte in bytes.chunks(3) {
                stream.write_all(byte).unwrap();
                stream.flush().unwrap();
            }
            stream.write_all(b"\r\n").unwrap();
        };
        chunk(b"data: \xc3");
        chunk(b"\xa9 one\r");
        chunk(b"\n\r\n: still here\r\n\r\n");
        // The first event is read before the second is sent, or this never goes on.
        wait.recv_timeout(Duration::from_secs(10)).unwrap();
        chunk(b"data: two\r\n\r\n");
        chunk(b"");
    });
    let texts = block_on(async {
        let mut body = host().transport.send(Request::get(origin)).await.unwrap_or_else(|t| panic!("{t:?}")).body;
        let mut parser = Parser::new(Limits::default());
        let mut texts = Vec::new();
        while let Some(chunk) = body.next().await {
            texts.extend(parser.push(&chunk.unwrap()).into_iter().filter_map(|item| match item {
                Item::Event(frame) => Some(frame.data),
                _ => None,
            }));
            if texts.len() == 1 {
                let _ = go.send(());
            }
        }
        texts
    });
    assert_eq!(texts, ["\u{e9} one", "two"]);
}

#[test]
fn a_stream_that_never_ends_is_closed_at_the_server_when_it_is_dropped() {
    let (tell, told) = mpsc::channel();
    let origin = server(move |_, stream| {
        read_request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n").unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        // A read ends with nothing, or a reset, when the other side is gone.
        let gone = !matches!(stream.read(&mut [0; 1]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock);
        tell.send(gone).unwrap();
    });
    block_on(async {
        let host = host();
        let mut answer = host.transport.send(Request::get(origin)).await.unwrap_or_else(|t| panic!("{t:?}"));
        assert_eq!(answer.body.next().await, Some(Ok(b"data: 1\n\n".to_vec())));
        drop(answer);
        // The connection lives on the same thread: it needs a turn to be closed.
        host.clock.sleep(50.0).await;
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true));
}

#[test]
fn a_request_that_is_dropped_before_its_answer_is_closed_at_the_server() {
    let (tell, told) = mpsc::channel();
    let origin = server(move |_, stream| {
        read_request(stream);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        tell.send(matches!(stream.read(&mut [0; 1]), Ok(0))).unwrap();
    });
    block_on(async {
        let host = host();
        let sending = host.transport.send(Request::get(origin));
        assert!(tokio::time::timeout(Duration::from_millis(200), sending).await.is_err());
        host.clock.sleep(50.0).await;
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true));
}

#[test]
fn a_server_that_hangs_up_without_an_answer_has_closed() {
    let origin = server(|_, stream| drop(read_request(stream)));
    let trouble = trouble(origin);
    assert_eq!(trouble.kind, TransportErrorKind::Closed, "{trouble:?}");
    assert_eq!(trouble.detail, "connection closed before message completed");
}

#[test]
fn a_server_that_hangs_up_in_the_middle_of_the_head_has_closed() {
    assert_eq!(trouble(answers("HTTP/1.1 200 OK\r\nContent-T")).kind, TransportErrorKind::Closed);
}

#[test]
fn a_server_that_does_not_speak_http_is_a_transport_error() {
    let trouble = trouble(answers("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
    assert_eq!(trouble.kind, TransportErrorKind::Other, "{trouble:?}");
    assert_eq!(trouble.detail, "what came does not begin with HTTP/1.1 or HTTP/1.0");
}

#[test]
fn a_body_that_is_cut_short_breaks_after_what_came() {
    for (announced, end) in [("Content-Length: 10", ""), ("Transfer-Encoding: chunked", "")] {
        let body = if announced.starts_with('C') { "abc" } else { "3\r\nabc\r\n" };
        let (_, body, broken) =
            exchange(Request::get(answers(format!("HTTP/1.1 200 OK\r\n{announced}\r\n\r\n{body}{end}")))).unwrap();
        assert_eq!(body, b"abc");
        let broken = broken.unwrap_or_else(|| panic!("{announced} ended cleanly"));
        assert!(!broken.contains("error decoding") && !broken.contains("request or response body"), "{broken}");
    }
}

#[test]
fn nobody_listening_is_unreachable() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(
        trouble(format!("http://{free}/")),
        TransportError {
            kind: TransportErrorKind::Unreachable,
            detail: format!(
                "Connection refused, so nothing listens at {free}; start the agent, or correct the host and the port"
            ),
        }
    );
}

#[test]
fn a_name_that_does_not_exist_is_unreachable() {
    let trouble = trouble("http://no-such-host.invalid/");
    assert_eq!(trouble.kind, TransportErrorKind::Unreachable, "{trouble:?}");
}

#[test]
fn https_to_a_plain_http_server_is_a_tls_error() {
    let says: [&[u8]; 2] = [b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b""];
    for answer in says {
        let origin = server(move |_, stream| {
            // The whole of the client's hello: closing over unread bytes would reset the connection.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
        });
        let trouble = trouble(origin.replace("http://", "https://"));
        assert_eq!(trouble.kind, TransportErrorKind::Tls, "{trouble:?}");
    }
}

#[test]
fn an_invalid_url_is_reported_as_a_bad_url() {
    for url in ["", "nonsense", "/relative", "ftp://127.0.0.1/", "http://", "http://[::1"] {
        assert_eq!(trouble(url).kind, TransportErrorKind::BadUrl, "{url}");
    }
}

#[test]
fn an_invalid_header_is_reported_without_its_value() {
    let error = exchange(Request::get("http://127.0.0.1:9/").with_header("X-Key", "secret\nvalue")).unwrap_err();
    assert_eq!(error.detail, "the header X-Key cannot be sent");
}

#[test]
fn a_redirect_within_the_origin_is_followed_and_told() {
    let origin = server(|number, stream| {
        let (head, body) = read_request(stream);
        let answer: &[u8] = match number {
            0 => b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
            _ if head.starts_with("POST /there ") && body == b"{}" && head.contains("secret") => {
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"
            }
            _ => b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        };
        stream.write_all(answer).unwrap();
    });
    let request =
        Request::post(format!("{origin}/here"), "application/json", "{}").with_header("authorization", "Bearer secret");
    let (head, body, _) = exchange(request).unwrap();
    assert_eq!((head.status, head.redirected, body.as_slice()), (200, true, b"there".as_slice()));
    assert_eq!(head.url, format!("{origin}/there"));
}

#[test]
fn a_redirect_to_another_origin_is_not_followed() {
    let (tell, told) = mpsc::channel();
    let other = server(move |_, stream| tell.send(read_request(stream)).unwrap());
    let origin = answers(format!("HTTP/1.1 302 Found\r\nLocation: {other}/card\r\nContent-Length: 0\r\n\r\n"));
    let trouble = trouble(origin);
    assert_eq!(trouble.kind, TransportErrorKind::Redirect);
    assert_eq!(trouble.detail, format!("redirected to {other}/card, another origin; the redirect was not followed"));
    assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "the other origin was asked");
}

#[test]
fn endless_redirects_are_abandoned() {
    let trouble = trouble(answers("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"));
    assert_eq!((trouble.kind, trouble.detail.as_str()), (TransportErrorKind::Redirect, "redirected more than 5 times"));
}

#[test]
fn a_big_body_arrives_in_pieces_and_whole() {
    const SIZE: usize = 32 << 20;
    let origin = server(|_, stream| {
        read_request(stream);
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n").unwrap();
        let piece = vec![b'x'; 1 << 16];
        for _ in 0..SIZE / piece.len() {
            stream.write_all(&piece).unwrap();
        }
    });
    let (pieces, largest, total) = block_on(async {
        let mut body = host().transport.send(Request::get(origin)).await.unwrap_or_else(|t| panic!("{t:?}")).body;
        let mut sizes = Vec::new();
        while let Some(chunk) = body.next().await {
            sizes.push(chunk.unwrap().len());
        }
        (sizes.len(), sizes.iter().copied().max().unwrap_or(0), sizes.iter().sum::<usize>())
    });
    assert_eq!(total, SIZE);
    assert!(pieces > 16 && largest <= 1 << 20, "{pieces} pieces, the largest of {largest} bytes");
}

#[test]
fn the_clock_sleeps_as_long_as_it_is_told_and_several_sleeps_run_side_by_side() {
    let start = Instant::now();
    block_on(async {
        let clock = host().clock;
        let before = clock.now_ms();
        futures_util::future::join(clock.sleep(60.0), clock.sleep(60.0)).await;
        clock.sleep(0.0).await;
        clock.sleep(-1.0).await;
        clock.sleep(f64::NAN).await;
        let took = clock.now_ms() - before;
        assert!((59.0..5000.0).contains(&took), "{took} ms");
        assert!(clock.wall_ms() > 1.7e12, "milliseconds since 1970");
    });
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_sleep_longer_than_any_clock_can_measure_does_not_end_at_once() {
    block_on(async {
        let clock = host().clock;
        let short = futures_util::future::join_all([clock.sleep(1e300), clock.sleep(f64::INFINITY)]);
        let ended = futures_util::future::select(short, clock.sleep(50.0)).await;
        assert!(matches!(ended, futures_util::future::Either::Right(_)));
    });
}
