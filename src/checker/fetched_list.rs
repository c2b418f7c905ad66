//! Fetches an AI Catalog or a report at its address, without credentials; for how long, and how large it may be.

use futures_util::future::{Either, select};
use futures_util::{FutureExt, StreamExt};

use super::agent_list::{catalogue_url, read_list};
use crate::engine::discover::{Address, normalise};
use crate::host::Host;
use crate::view_model::format::capitalised;
use crate::view_model::messages::NOBODY;
use crate::view_model::several_agents::AgentList;
use crate::wire::http::Request;

/// How long is waited for a catalogue, in milliseconds.
const PATIENCE_MS: f64 = 20_000.0;
/// The largest one that is read, and the largest file of tests, in bytes.
pub const LARGEST: usize = 5_000_000;
/// The largest report.
const LARGEST_REPORT: usize = 20_000_000;

/// Reads the catalogue at an address as it is typed.
pub async fn read_catalogue(host: &Host, typed: &str) -> AgentList {
    let url = match catalogue_url(typed) {
        Ok(url) => url,
        Err(problem) => return refused(format!("{}.", capitalised(&problem))),
    };
    match fetch_text(host, &url, "application/ai-catalog+json, application/json", LARGEST).await {
        Ok(text) => read_list(&text, &url),
        Err(why) => refused(format!("The catalogue at {url} cannot be read: {why}. Open it as a file, or paste it.")),
    }
}

/// The text of the report at a URL, or what to do because it cannot be read.
pub async fn fetch_report(host: &Host, url: &str) -> Result<String, String> {
    fetch_text(host, url, "application/json", LARGEST_REPORT).await.map_err(|why| {
        format!(
            "{}. Open the file itself here, or have it served with Access-Control-Allow-Origin: *.",
            capitalised(&why)
        )
    })
}

/// The card of the agent at an address of this machine as it is typed; [`NOBODY`] where there is none now.
pub async fn card_now(host: &Host, typed: &str) -> String {
    let address = normalise(typed).ok().filter(Address::is_loopback);
    let Some(url) = address.and_then(|address| address.candidates().into_iter().next()) else {
        return NOBODY.to_owned();
    };
    fetch_text(host, &url, "application/json", LARGEST).await.unwrap_or_else(|_| NOBODY.to_owned())
}

/// The text of a file at a URL, fetched without credentials, and within bounds of time and size; or why it cannot be read, as a clause.
pub async fn fetch_text(host: &Host, url: &str, accept: &str, largest: usize) -> Result<String, String> {
    match fetch_answer(host, Request::get(url).with_header("accept", accept), largest).await? {
        FetchedAnswer { status: 200, text, .. } => Ok(text),
        FetchedAnswer { status, .. } => Err(format!("the answer is HTTP {status}")),
    }
}

/// An answer that was read to its end.
pub(super) struct FetchedAnswer {
    pub(super) status: u16,
    /// Its entity tag without the quotes; empty without one.
    pub(super) etag: String,
    pub(super) text: String,
}

/// The answer to a request, within bounds of time and size.
pub(super) async fn fetch_answer(host: &Host, request: Request, largest: usize) -> Result<FetchedAnswer, String> {
    let late = host.clock.sleep(PATIENCE_MS);
    match select(fetch(host, request, largest).boxed_local(), late).await {
        Either::Left((fetched, _)) => fetched,
        Either::Right(_) => Err("no whole answer came within 20 s".to_owned()),
    }
}

async fn fetch(host: &Host, request: Request, largest: usize) -> Result<FetchedAnswer, String> {
    let Ok(mut answer) = host.transport.send(request).await else {
        return Err(
            "no answer came that may be read here; it may not be there, or not allow other pages to read it".to_owned()
        );
    };
    let mut body = Vec::new();
    while let Some(chunk) = answer.body.next().await {
        body.extend(chunk.map_err(|_| "the connection broke".to_owned())?);
        if body.len() > largest {
            return Err(format!("it is larger than {} MB", largest / 1_000_000));
        }
    }
    Ok(FetchedAnswer {
        status: answer.head.status,
        etag: answer.head.headers.get("etag").unwrap_or_default().trim_matches('"').to_owned(),
        text: String::from_utf8(body).map_err(|_| "it is not UTF-8".to_owned())?,
    })
}

fn refused(why: String) -> AgentList {
    AgentList { agents: Vec::new(), told: vec![why] }
}
