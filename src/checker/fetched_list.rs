//! An AI Catalog read at its address, without credentials, and within bounds of time and size.

use futures_util::future::{Either, select};
use futures_util::{FutureExt, StreamExt};

use super::agent_list::{catalogue_url, read_list};
use crate::host::Host;
use crate::page::view::format::capitalised;
use crate::page::view::several_agents::AgentList;
use crate::wire::http::Request;

/// How long is waited for a catalogue, in milliseconds.
const PATIENCE_MS: f64 = 20_000.0;
/// The largest one that is read, in bytes.
const LARGEST: usize = 5_000_000;

/// Reads the catalogue at an address as it is typed.
pub async fn read_catalogue(host: &Host, typed: &str) -> AgentList {
    let url = match catalogue_url(typed) {
        Ok(url) => url,
        Err(problem) => return refused(format!("{}.", capitalised(&problem))),
    };
    match fetch_text(host, &url, "application/ai-catalog+json, application/json").await {
        Ok(text) => read_list(&text, &url),
        Err(why) => refused(format!("The catalogue at {url} cannot be read: {why}. Open it as a file, or paste it.")),
    }
}

/// The text of a file at a URL, fetched without credentials, and within bounds of time and size.
///
/// # Errors
/// Why it cannot be read, as a clause.
pub async fn fetch_text(host: &Host, url: &str, accept: &str) -> Result<String, String> {
    let late = host.clock.sleep(PATIENCE_MS);
    match select(fetch(host, url, accept).boxed_local(), late).await {
        Either::Left((fetched, _)) => fetched,
        Either::Right(_) => Err("no whole answer came within 20 s".to_owned()),
    }
}

async fn fetch(host: &Host, url: &str, accept: &str) -> Result<String, String> {
    let request = Request::get(url).with_header("accept", accept);
    let Ok(mut answer) = host.transport.send(request).await else {
        return Err(
            "no answer came that may be read here; it may not be there, or not allow other pages to read it".to_owned()
        );
    };
    if answer.head.status != 200 {
        return Err(format!("the answer is HTTP {}", answer.head.status));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.body.next().await {
        body.extend(chunk.map_err(|_| "the connection broke".to_owned())?);
        if body.len() > LARGEST {
            return Err("it is larger than 5 MB".to_owned());
        }
    }
    String::from_utf8(body).map_err(|_| "it is not UTF-8".to_owned())
}

fn refused(why: String) -> AgentList {
    AgentList { agents: Vec::new(), told: vec![why] }
}
