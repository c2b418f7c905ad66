//! The findings on a client while it calls, as `agent --watch` shows them to pages: read at its address, and opened as a report.

use super::fetched_list::{FetchedAnswer, fetch_answer};
use super::opened_report::{FileContent, open};
use crate::host::Host;
use crate::view_model::format::capitalised;
use crate::view_model::watched_client::{WatchedClient, Watching};
use crate::wire::http::{Method, Request};
use crate::wire::url::Url;

/// The largest report that is read, in bytes.
const LARGEST: usize = 60_000_000;
/// What starts an agent that watches.
const COMMAND: &str = "`a2a-conformance agent --watch`";

/// Looks at the watch at an address as it is typed, or has it begin anew; `known` is the mark of what was seen before. The report is put in
/// place of `text`.
pub async fn look(host: &Host, typed: &str, known: &str, is_anew: bool, text: &mut String) -> Watching {
    let problem = |problem: String| Watching { problem, seen: None };
    let Some(url) = watch_url(typed) else { return problem("This is not an address of an agent.".to_owned()) };
    let mut request = Request::get(if known.is_empty() { url } else { format!("{url}?since={known}") });
    if is_anew {
        request.method = Method::Delete;
    }
    match fetch_answer(host, request, LARGEST).await {
        Ok(FetchedAnswer { status: 200, etag, text: report }) => {
            if let Ok(FileContent::Report(opened, ..)) = open(&report)
                && opened.is_of_client()
            {
                *text = report;
                return Watching { problem: String::new(), seen: Some(WatchedClient::from_report(&opened, etag)) };
            }
            problem("The answer is not a report on a client.".to_owned())
        }
        Ok(FetchedAnswer { status, .. }) => match status {
            204 => Watching::default(),
            403 => problem("Only pages of its own machine see what the agent finds. Others need the address with a key that it prints.".to_owned()),
            404 => problem(format!("This agent does not watch its clients. Start it with {COMMAND}.")),
            status => problem(format!("The answer is HTTP {status}.")),
        },
        Err(why) => problem(format!("{}. If the agent has ended, start it again with {COMMAND}.", capitalised(&why))),
    }
}

/// Where an agent shows what it finds.
fn watch_url(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let url = if typed.contains("://") { typed.to_owned() } else { format!("http://{typed}") };
    Url::parse(&url).ok().filter(|url| !url.host.is_empty())?;
    Some(if url.contains("/_watch") { url } else { format!("{}/_watch", url.trim_end_matches('/')) })
}

#[cfg(test)]
mod tests {
    use super::watch_url;

    #[test]
    fn the_address_of_an_agent_is_enough() {
        for (typed, url) in [
            ("127.0.0.1:8485", Some("http://127.0.0.1:8485/_watch")),
            (" http://localhost:8485/ ", Some("http://localhost:8485/_watch")),
            ("https://h.example/_watch/4f-9c", Some("https://h.example/_watch/4f-9c")),
            ("", None),
            ("http://", None),
        ] {
            assert_eq!(watch_url(typed).as_deref(), url, "{typed}");
        }
    }
}
