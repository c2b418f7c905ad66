//! The findings on a client while it calls, as `agent --watch` shows them to pages: read at its address, and opened as a report.

use super::fetched_list::{Answer, fetch_answer};
use super::opened_report::{FileContent, open};
use crate::host::Host;
use crate::page::view::watched_client::{WatchedClient, Watching};
use crate::wire::http::{Method, Request};
use crate::wire::url::{Url, encode};

/// The largest report that is read, in bytes.
const LARGEST: usize = 60_000_000;

/// Looks at the watch at an address as it is typed; `known` is the mark of what was seen before. The report is put in place of `text`.
pub async fn look(host: &Host, typed: &str, known: &str, text: &mut String) -> Watching {
    let problem = |problem: String| Watching { problem, seen: None };
    let Some(url) = watch_url(typed) else {
        return problem(format!("“{}” is not an address of an agent.", typed.trim()));
    };
    let since = if known.is_empty() { String::new() } else { format!("?since={}", encode(known)) };
    match fetch_answer(host, Request::get(format!("{url}{since}")), LARGEST).await {
        Ok(Answer { status: 204, .. }) => Watching::default(),
        Ok(Answer { status: 200, etag, text: report }) => match open(&report) {
            Ok(FileContent::Report(opened, ..)) if opened.is_of_client() => {
                *text = report;
                Watching { problem: String::new(), seen: Some(WatchedClient::of(&opened, etag)) }
            }
            _ => problem(format!("The answer of {url} is not a report on a client.")),
        },
        Ok(Answer { status: 403, .. }) => problem(
            "The agent shows what it finds to pages of this machine only. Elsewhere use the address that the command prints, which ends \
             with a key."
                .to_owned(),
        ),
        Ok(Answer { status: 404, .. }) => {
            problem("Nobody watches over the clients of this agent. Start it with `a2a-conformance agent --watch`.".to_owned())
        }
        Ok(Answer { status, .. }) => problem(format!("The answer of {url} is HTTP {status}.")),
        Err(why) => problem(format!(
            "The watch at {url} cannot be read: {why}. If the agent has ended, start it again with `a2a-conformance agent --watch`. What was \
             found until then stays here."
        )),
    }
}

/// Has the watch at an address begin anew; why it did not, or empty.
pub async fn begin_anew(host: &Host, typed: &str) -> String {
    let Some(url) = watch_url(typed) else { return String::new() };
    let request = Request { method: Method::Delete, ..Request::get(url) };
    match fetch_answer(host, request, LARGEST).await {
        Ok(Answer { status: 204, .. }) => String::new(),
        Ok(Answer { status, .. }) => format!("It could not begin anew: the answer is HTTP {status}."),
        Err(why) => format!("It could not begin anew: {why}."),
    }
}

/// Where an agent shows what it finds.
fn watch_url(typed: &str) -> Option<String> {
    let typed = typed.trim().trim_end_matches('/');
    let url = if typed.contains("://") { typed.to_owned() } else { format!("http://{typed}") };
    Url::parse(&url).ok().filter(|url| !url.host.is_empty())?;
    Some(if url.contains("/_watch") { url } else { format!("{url}/_watch") })
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
