//! `serve`: the built page on this machine, beside the scripted agent, until it is told to end.

use std::convert::Infallible;
use std::io::{self, IsTerminal, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, LAST_MODIFIED, X_CONTENT_TYPE_OPTIONS};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tower::ServiceExt;
use tower_http::services::ServeDir;

use super::agent;
use super::args::{AGENT_ADDRESS, PAGE_ADDRESS, ServeArgs};
use super::exit::Exit;
use super::interrupts::{self, stopped};
use super::out;
use super::watch::Watcher;
use crate::agent::fault::Faults;
use crate::host::native;
use crate::server::{AgentServer, ConnectionUse, ListenAddress, WatchedStream};
use crate::view_model::share_link::Link;
use crate::wire::url::decode;

pub(super) fn run(args: ServeArgs) -> Result<Exit> {
    if !args.page.join("index.html").is_file() {
        bail!("there is no page in {}: build it with `make dist`", args.page.display());
    }
    let faults = Faults::parse(args.faults.iter().map(String::as_str))?;
    native::block_on(async {
        let page = place("--listen", args.listen.as_deref(), PAGE_ADDRESS).await?;
        let beside = place("--agent", args.agent.as_deref(), AGENT_ADDRESS).await?;
        let link = Link { address: format!("{}{}", beside.origin, faults.at()), ..Link::default() };
        let start = format!("{}/#{}", page.origin, link.fragment());
        let older = agent::older(&beside.origin);
        let watch = Link { watch: Some(beside.origin.clone()), ..Link::default() };
        let said = format!(
            "page at {}\nscripted agent listening at {}\n{older}open {start}\nwatch its clients at {}/#{}\n",
            page.origin,
            beside.origin,
            page.origin,
            watch.fragment()
        );
        interrupts::listen();
        out::print(&said).context("standard output")?;
        if !args.no_open && stdout().is_terminal() {
            open(&start);
        }
        let mut served = AgentServer::new(&beside.origin, faults.clone(), false);
        // Nothing is judged before somebody looks.
        Watcher::over(&mut served, &faults, Vec::new(), false).await;
        let folder: Rc<Path> = args.page.canonicalize().context("the folder of the page cannot be read")?.into();
        // Compressed when the page was built, so that it costs nothing here; an agent's answers never are.
        let files = ServeDir::new(&args.page).precompressed_br().precompressed_gzip();
        tokio::select! {
            () = page.serve(|stream, _, usage| show(stream, usage, folder.clone(), files.clone())) => {}
            () = beside.serve_agent(served) => {}
            () = stopped() => {}
        }
        Ok(Exit::Conformant)
    })
}

/// The address that was asked for, or the usual one, or a free one when the usual one is taken.
async fn place(option: &str, asked: Option<&str>, usual: &str) -> Result<ListenAddress> {
    match asked {
        Some(address) => agent::listen(option, address).await,
        None => match ListenAddress::at(usual).await {
            Ok(place) => Ok(place),
            Err(_) => agent::listen(option, "127.0.0.1:0").await,
        },
    }
}

/// Answers with the page's files, their media types taken from their names. A file with a digest of its content in its name
/// never changes; the others are looked at anew each time.
async fn show(stream: WatchedStream, usage: ConnectionUse, folder: Rc<Path>, files: ServeDir) {
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let (files, folder, guard) = (files.clone(), Rc::clone(&folder), usage.request());
        async move {
            let path = request.uri().path().to_owned();
            let mut response = if leads_out(&folder, &path) {
                let sentence = "This is a link that leads out of the folder of the page, so it is not followed. \
                                Copy what it leads to into the folder.\n";
                let body =
                    Full::new(Bytes::from(sentence)).map_err(|never: Infallible| -> io::Error { match never {} });
                let mut refused = http::Response::new(body.boxed_unsync());
                *refused.status_mut() = StatusCode::FORBIDDEN;
                refused
            } else {
                files.oneshot(request).await?.map(BodyExt::boxed_unsync)
            };
            let found = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
            let is_kept = has_digest(&path) && found;
            let caching = if is_kept { "public, max-age=31536000, immutable" } else { "no-cache" };
            let headers = response.headers_mut();
            headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            if is_kept {
                // Its name says when it is another, and so does its tag.
                headers.remove(LAST_MODIFIED);
            } else {
                // A page cannot say this of itself, and what has a digest in its name is no page.
                headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'"));
            }
            // The connection is at work until the last piece is sent.
            Ok::<_, Infallible>(response.map(|body| {
                body.map_frame(move |frame| {
                    _ = &guard;
                    frame
                })
            }))
        }
    });
    // A browser that goes away is not worth a message.
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// Whether a file that could be the answer to a path lies outside of the folder, which only a symbolic link can bring about: what
/// the path itself says is looked at by `ServeDir`.
fn leads_out(folder: &Path, path: &str) -> bool {
    let mut asked = folder.to_owned();
    asked.extend(decode(path).split('/').filter(|name| !matches!(*name, "" | "." | "..")));
    let candidates = [asked.clone(), asked.join("index.html")];
    candidates.iter().any(|candidate| {
        ["", ".br", ".gz"].iter().any(|end| {
            let mut name = candidate.clone().into_os_string();
            name.push(end);
            Path::new(&name).canonicalize().is_ok_and(|place| !place.starts_with(folder))
        })
    })
}

/// Whether a file's name carries a digest of its content: `base-6453d0f9a093a4a2.css`, `main-1a845ed514869ea4_bg.wasm`.
fn has_digest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let digest = stem.trim_end_matches("_bg").rsplit_once('-').map_or("", |(_, digest)| digest);
    digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Asks the system for a browser. The address was printed, so nothing is lost where there is none.
fn open(url: &str) {
    let mut command = match std::env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => Command::new("explorer"),
        _ => Command::new("xdg-open"),
    };
    let quiet = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = quiet.spawn();
}
