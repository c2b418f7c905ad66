//! `serve`: the built page on this machine, beside the scripted agent, until Ctrl-C.

use std::io::{IsTerminal, stdout};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tower::ServiceExt;
use tower_http::services::ServeDir;

use super::agent;
use super::args::{AGENT_ADDRESS, PAGE_ADDRESS, ServeArgs};
use super::exit::Exit;
use super::listener::ListenAddress;
use super::out;
use crate::agent::fault::Faults;
use crate::host::native;
use crate::page::view::fragment::Link;

pub(super) fn run(args: ServeArgs) -> Result<Exit> {
    if !args.page.join("index.html").is_file() {
        bail!("there is no page in {}: build it with `make dist`", args.page.display());
    }
    let faults = Faults::parse(args.faults.iter().map(String::as_str))?;
    native::block_on(async {
        let page = place(args.listen.as_deref(), PAGE_ADDRESS).await?;
        let beside = place(args.agent.as_deref(), AGENT_ADDRESS).await?;
        let link = Link { address: format!("{}{}", beside.origin, faults.at()), ..Link::default() };
        let start = format!("{}/#{}", page.origin, link.fragment());
        let older = agent::older(&beside.origin);
        let said =
            format!("page at {}\nscripted agent listening at {}\n{older}open {start}\n", page.origin, beside.origin);
        out::print(&said).context("standard output")?;
        if !args.no_open && stdout().is_terminal() {
            open(&start);
        }
        let files = ServeDir::new(&args.page);
        tokio::select! {
            () = page.serve(|stream| show(stream, files.clone())) => {}
            () = agent::serve(beside, faults) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        Ok(Exit::Conformant)
    })
}

/// The address that was asked for, or the usual one, or a free one when the usual one is taken.
async fn place(asked: Option<&str>, usual: &str) -> Result<ListenAddress> {
    match asked {
        Some(address) => ListenAddress::at(address).await.with_context(|| format!("cannot listen on {address}")),
        None => match ListenAddress::at(usual).await {
            Ok(place) => Ok(place),
            Err(_) => ListenAddress::at("127.0.0.1:0").await.context("cannot listen on this machine"),
        },
    }
}

/// Answers with the page's files. The media types come from their names; the start page is looked at anew each time,
/// the others carry a digest of their content in their names.
async fn show(stream: TcpStream, files: ServeDir) {
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let files = files.clone();
        async move {
            let mut response = files.oneshot(request).await?;
            let headers = response.headers_mut();
            let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
            if kind.starts_with(b"text/html") {
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            }
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    // A browser that goes away is no news.
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
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
