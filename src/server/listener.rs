//! HTTP/1.1, and HTTP/2 for gRPC, over real sockets for the scripted agent: the longest body, and the CORS headers that a page
//! needs to call it.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, LocalBoxStream};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::StreamBody;
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use super::agent_server::AgentServer;
use super::captured_endpoint;
use super::compressed_answer::compressed;
use super::connections::{ConnectionUse, OpenConnections, RequestGuard, WatchedStream, is_out_of_files};
use super::plain_http::request_head;
use super::request_body::{BodyProblem, too_many_values};
use super::watch_endpoint;
use crate::a2a::grpc_codec::{DETAILS, MESSAGE, STATUS};
use crate::a2a::headers::EXPOSED;
use crate::agent::gateway::Gateway;
use crate::host::StreamedResponse;
use crate::wire::grpc::{FrameReader, Piece, frame, is_grpc};
use crate::wire::http::Headers;

/// The longest request body that is read, in bytes: a file of 10 MB is 14 MB as base64.
const MAX_BODY: usize = 24 << 20;
/// How many requests a connection of HTTP/2 has under way at once.
const MAX_STREAMS: u32 = 200;

/// The methods that a page may use.
const ALLOWED_METHODS: [http::Method; 5] =
    [http::Method::GET, http::Method::HEAD, http::Method::POST, http::Method::DELETE, http::Method::OPTIONS];
/// The same, for who asks what is allowed.
const ALLOW: &str = "GET, HEAD, POST, DELETE, OPTIONS";

/// How long a listener waits until it looks again whether there is room for a connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// Whatever breaks an answer off.
type BodyError = Box<dyn Error + Send + Sync>;
type ResponseBody = StreamBody<LocalBoxStream<'static, Result<Frame<Bytes>, BodyError>>>;

/// An address to listen at and the URL under which it is reached from this machine.
pub struct ListenAddress {
    listener: TcpListener,
    /// `http://127.0.0.1:8485`, without a slash at the end.
    pub origin: String,
}

impl ListenAddress {
    /// Takes an address; port 0 takes a free port.
    ///
    /// # Errors
    /// When the system does not give it.
    pub async fn at(address: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let mut bound = listener.local_addr()?;
        if bound.ip().is_unspecified() {
            // The address for listening on all interfaces is not one to connect to.
            let here = if bound.is_ipv4() { [127, 0, 0, 1].into() } else { [0, 0, 0, 0, 0, 0, 0, 1_u16].into() };
            bound = SocketAddr::new(here, bound.port());
        }
        Ok(Self { listener, origin: format!("http://{bound}") })
    }

    /// Handles each connection by a task of its own, for ever. Must run on a `LocalSet`. When there are too many, those that have
    /// said nothing for longest are closed; while all are being answered, a new one waits.
    pub async fn serve<F: Future<Output = ()> + 'static>(
        self,
        handle: impl Fn(WatchedStream, Option<SocketAddr>, ConnectionUse) -> F,
    ) {
        let connections = OpenConnections::default();
        loop {
            while connections.are_full() && !connections.make_room() {
                tokio::time::sleep(NO_ROOM).await;
            }
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    let usage = ConnectionUse::begin();
                    let work = handle(WatchedStream::new(stream, usage.clone()), Some(peer), usage.clone());
                    let shared = usage.clone();
                    let task = tokio::task::spawn_local(async move {
                        tokio::select! {
                            () = work => {}
                            () = shared.is_over() => {}
                        }
                    });
                    connections.add(usage, task.abort_handle());
                }
                Err(error) if is_out_of_files(&error) && connections.make_room() => tokio::task::yield_now().await,
                // Others must finish first.
                Err(_) => tokio::time::sleep(NO_ROOM).await,
            }
        }
    }

    /// Serves a scripted agent until dropped. Must run on a `LocalSet`.
    pub async fn serve_agent(self, served: AgentServer) {
        self.serve(|stream, peer, usage| speak(stream, peer, usage, served.clone())).await;
    }
}

/// Why an address cannot be taken, and what to do.
#[must_use]
pub fn why_not_there(error: &io::Error) -> String {
    let known = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens there; end it, or give another address (port 0 takes any port that is free)"
        }
        io::ErrorKind::AddrNotAvailable => "this machine does not have that address; 0.0.0.0 means all that it has",
        io::ErrorKind::PermissionDenied => {
            "this user may not listen there; ports below 1024 are often reserved, so give a higher one"
        }
        io::ErrorKind::InvalidInput => "it is not an address and a port, such as 127.0.0.1:8485",
        _ => return error.to_string(),
    };
    known.to_owned()
}

/// Speaks HTTP on a connection until either side has enough. Errors show at the client, so that none are reported here.
async fn speak(stream: WatchedStream, peer: Option<SocketAddr>, usage: ConnectionUse, served: AgentServer) {
    let service = cors().layer(tower::service_fn(move |request| answer(request, served.clone(), peer)));
    let service = service_fn(move |request| {
        let (answer, guard) = (service.clone().oneshot(request), usage.request());
        async move { answer.await.map(|answer| whole(answer, guard)) }
    });
    let mut builder = auto::Builder::new(LocalExecutor);
    builder.http1().timer(TokioTimer::new());
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS);
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

/// Runs what a connection needs beside itself on the thread of the connection.
#[derive(Clone)]
struct LocalExecutor;

impl<F: Future<Output: 'static> + 'static> hyper::rt::Executor<F> for LocalExecutor {
    fn execute(&self, future: F) {
        drop(tokio::task::spawn_local(future));
    }
}

/// Lets every page send every request that it announces, and read every answer, errors too.
fn cors() -> CorsLayer {
    // An answer over gRPC-Web may have its status here.
    let exposed = EXPOSED
        .iter()
        .chain(&[STATUS, MESSAGE, DETAILS])
        .filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    let exposed: Vec<HeaderName> = exposed.collect();
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(ALLOWED_METHODS)
        // An asterisk would not stand for `authorization`.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
        // No cache keeps answers to OPTIONS, and the other answers are the agent's.
        .vary([])
        .max_age(Duration::from_secs(600))
}

/// The answer with a body, which keeps the guard until its end; only a preflight's has none.
fn whole(answer: Response<Option<ResponseBody>>, guard: RequestGuard) -> Response<ResponseBody> {
    let is_preflight = answer.body().is_none();
    let mut answer = answer.map(|body| {
        let frames = body.unwrap_or_else(empty).inspect(move |_| _ = &guard);
        StreamBody::new(frames.boxed_local())
    });
    if is_preflight {
        *answer.status_mut() = StatusCode::NO_CONTENT;
        answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    }
    answer
}

fn empty() -> ResponseBody {
    StreamBody::new(stream::empty().boxed_local())
}

/// The answer to a request. An error closes the connection without one.
async fn answer(
    request: http::Request<Incoming>,
    served: AgentServer,
    peer: Option<SocketAddr>,
) -> Result<Response<Option<ResponseBody>>, BodyError> {
    let (head, body) = request.into_parts();
    let from_here = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    if watch_endpoint::is_at(head.uri.path()) {
        return response(watch_endpoint::answer(served.watcher.as_ref(), &head, from_here));
    }
    if head.uri.path() == captured_endpoint::PATH {
        return response(captured_endpoint::answer(&served, &head, from_here));
    }
    let Some(mut request) = request_head(&head, served.agent.base()) else {
        return Ok(refused(StatusCode::METHOD_NOT_ALLOWED));
    };
    let mut body = match served.bodies.read(body, MAX_BODY).await {
        Ok(body) => body,
        Err(BodyProblem::Refused(status, sentence)) => return Ok(refused_because(status, sentence)),
        Err(BodyProblem::Broken(error)) => return Err(error),
    };
    // What a message over gRPC holds is not text.
    if let Some(sentence) = too_many_values(&body.bytes).filter(|_| !is_grpc(&request.headers)) {
        return Ok(refused_because(StatusCode::PAYLOAD_TOO_LARGE, sentence));
    }
    request.body = (!body.bytes.is_empty()).then(|| std::mem::take(&mut body.bytes));
    let recorder = served.current_recorder();
    let compresses = served.compresses;
    let agent = Gateway::before(served.agent);
    let answered = match recorder {
        Some(recorder) => {
            let connection = peer.map_or_else(String::new, |peer| peer.to_string());
            recorder.respond(&agent, request, &connection).await
        }
        None => agent.respond(request).await,
    };
    match answered {
        Ok(answer) if compresses => response(compressed(answer)),
        Ok(answer) => response(answer),
        Err(trouble) => Err(trouble.detail.into()),
    }
}

fn response(answer: StreamedResponse) -> Result<Response<Option<ResponseBody>>, BodyError> {
    let body = if is_native_grpc(&answer.head.headers) { grpc_body(answer.body) } else { plain_body(answer.body) };
    let mut response = Response::new(Some(StreamBody::new(body)));
    *response.status_mut() = StatusCode::from_u16(answer.head.status)?;
    for (name, value) in answer.head.headers.iter() {
        response.headers_mut().append(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
    }
    Ok(response)
}

type AgentBody = LocalBoxStream<'static, Result<Vec<u8>, String>>;
type Frames = LocalBoxStream<'static, Result<Frame<Bytes>, BodyError>>;

fn plain_body(chunks: AgentBody) -> Frames {
    let frames = chunks.map(|chunk| match chunk {
        Ok(bytes) => Ok(Frame::data(Bytes::from(bytes))),
        Err(detail) => Err(BodyError::from(detail)),
    });
    frames.boxed_local()
}

/// Whether an answer is one of gRPC itself, whose trailers are not in its body.
fn is_native_grpc(headers: &Headers) -> bool {
    is_grpc(headers) && headers.media_type().is_some_and(|media| !media.starts_with("application/grpc-web"))
}

/// The body of an answer over gRPC, with the trailers at the end of the agent's answer as trailers of HTTP/2.
fn grpc_body(chunks: AgentBody) -> Frames {
    let mut reader = FrameReader::default();
    let frames = chunks.flat_map(move |chunk| {
        let frames = match chunk {
            Ok(bytes) => reader.push(&bytes).into_iter().map(http2_frame).collect(),
            Err(detail) => vec![Err(BodyError::from(detail))],
        };
        stream::iter(frames)
    });
    frames.boxed_local()
}

fn http2_frame(piece: Piece) -> Result<Frame<Bytes>, BodyError> {
    match piece {
        Piece::Message { bytes, .. } => Ok(Frame::data(Bytes::from(frame(&bytes)))),
        Piece::Trailers(trailers) => {
            let mut fields = HeaderMap::new();
            for (name, value) in trailers.iter() {
                fields.append(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
            }
            Ok(Frame::trailers(fields))
        }
    }
}

/// The answer to a request that is refused for the reason that the sentence says.
fn refused_because(status: StatusCode, sentence: String) -> Response<Option<ResponseBody>> {
    let sentence = stream::iter([Ok(Frame::data(Bytes::from(sentence)))]);
    let mut response = Response::new(Some(StreamBody::new(sentence.boxed_local())));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn refused(status: StatusCode) -> Response<Option<ResponseBody>> {
    let mut response = Response::new(Some(empty()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    response
}
