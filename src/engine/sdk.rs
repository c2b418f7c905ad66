//! Which SDK an agent was built with, by the marks of its answers, and what to do about a finding with that SDK (the texts:
//! `sdk-hints.txt`). Never a silent guess: the hint says how the SDK was recognised.

use super::requirement::lines_of;
use crate::wire::exchange::Exchange;

/// An SDK that can be recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sdk {
    /// Its short name in the table of hints.
    id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Texts of its error messages, in its own words: not those of the specification, which every server may use, and no
    /// header of a web server or framework. All of them must be there, since one may be somebody else's as well.
    texts: [&'static str; 2],
}

const KNOWN: [Sdk; 2] = [
    Sdk {
        id: "python",
        name: "a2a-sdk for Python",
        texts: ["is not supported by this handler. Expected version", "minimum page size is 1"],
    },
    Sdk {
        id: "js",
        name: "@a2a-js/sdk",
        texts: ["Invalid JSON-RPC Request.", "statusTimestampAfter must be a valid ISO 8601 date string"],
    },
];

impl Sdk {
    /// The SDK whose marks the answers carry.
    #[must_use]
    pub fn from_exchanges<'a>(exchanges: impl Iterator<Item = &'a Exchange> + Clone) -> Option<Self> {
        let bodies = exchanges.filter_map(|exchange| Some(exchange.response.as_ref()?.body.as_slice()));
        let says = |text: &str| bodies.clone().any(|body| String::from_utf8_lossy(body).contains(text));
        KNOWN.into_iter().find(|known| known.texts.into_iter().all(says))
    }

    /// Advice for a failure of that check with this SDK, and how the SDK was recognised.
    #[must_use]
    pub fn hint(&self, check: &str) -> Option<String> {
        let rows = lines_of(HINTS).filter_map(|line| line.split_once(" | "));
        let of_check = rows.filter(|(known, _)| *known == check).filter_map(|(_, rest)| rest.split_once(" | "));
        let hints: Vec<&str> = of_check.filter(|(sdk, _)| *sdk == self.id).map(|(_, hint)| hint).collect();
        let [first, second] = self.texts;
        (!hints.is_empty()).then(|| {
            format!(
                "With {} (recognised by its error texts \u{201c}{first}\u{201d} and \u{201c}{second}\u{201d}): {}",
                self.name,
                hints.join(" ")
            )
        })
    }
}

/// What to do about a mistake in the code around an SDK that the SDK itself names in what was received, and its words.
#[must_use]
pub fn advice_on(received: &str) -> Option<String> {
    lines_of(HINTS).filter_map(named_mistake).find(|(words, ..)| received.contains(words)).and_then(
        |(words, id, advice)| {
            let sdk = KNOWN.iter().find(|known| known.id == id)?;
            Some(format!("{advice} {} says \u{201c}{words}\u{201d} otherwise.", sdk.name))
        },
    )
}

/// The words of an SDK, its short name and the advice, of a line that has them.
fn named_mistake(line: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (words, rest) = line.strip_prefix('\u{201c}')?.split_once("\u{201d} | ")?;
    let (sdk, advice) = rest.split_once(" | ")?;
    Some((words, sdk, advice))
}

const HINTS: &str = include_str!("sdk-hints.txt");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{End, Response};
    use crate::wire::http::Request;

    fn exchange(server: &str, body: &str) -> Exchange {
        let headers = [("Server", server), ("X-Powered-By", server)].into_iter().collect();
        let response = Response { headers, body: body.as_bytes().to_vec(), ..Response::default() };
        Exchange {
            id: 1,
            lane: None,
            scenario: "probe".to_owned(),
            step: "get".to_owned(),
            request: Request::get("https://a.test"),
            sent_ms: 0.0,
            response: Some(response),
            end: End::Complete,
            end_ms: 0.0,
        }
    }

    fn error(message: &str) -> String {
        serde_json::json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": message } }).to_string()
    }

    /// The SDK of a server that sends these error messages.
    fn recognised(server: &str, messages: &[&str]) -> Option<&'static str> {
        let answers: Vec<_> = messages.iter().map(|message| exchange(server, &error(message))).collect();
        Sdk::from_exchanges(answers.iter()).map(|sdk| sdk.id)
    }

    #[test]
    fn an_sdk_is_recognised_by_its_own_words_wherever_it_runs() {
        let python =
            ["A2A version '99.0' is not supported by this handler. Expected version '1.0'.", "minimum page size is 1"];
        assert_eq!(recognised("uvicorn", &python), Some("python"));
        // A browser hides most headers, and other servers run the same application.
        assert_eq!(recognised("hypercorn-h11", &python), Some("python"));
        assert_eq!(recognised("uvicorn", &python[..1]), None);
        let js = ["Invalid JSON-RPC Request.", "statusTimestampAfter must be a valid ISO 8601 date string"];
        assert_eq!(recognised("Express", &js), Some("js"));
        assert_eq!(recognised("Express", &js[1..]), None);
        let answers = python.map(|message| exchange("uvicorn", &error(message)));
        let sdk = Sdk::from_exchanges(answers.iter()).unwrap();
        let hint = sdk.hint("discovery.cache-control").unwrap();
        assert!(hint.contains("create_agent_card_routes") && hint.contains("minimum page size is 1"), "{hint}");
        assert_eq!(sdk.hint("no.such-check"), None);
    }

    /// Answers of servers of other frameworks, on the same web servers and in the words of the specification.
    #[test]
    fn servers_of_other_frameworks_are_not_taken_for_an_sdk() {
        for (server, messages) in [
            // fasta2a 0.6 and 2.1
            ("uvicorn", &["Task not found", "Push notification not supported", "This operation is not supported"][..]),
            // Such as many write by hand, on each of the web servers.
            ("uvicorn", &["A2A version '99.0' is not supported", "Task not found", "minimum page size is 1"]),
            ("Express", &["Task not found: 00000000", "Invalid params: pageSize must be between 1 and 100"]),
            ("Express", &["Invalid JSON-RPC request.", "statusTimestampAfter must be a valid ISO 8601 timestamp."]),
            ("", &["Task not found: 00000000", "Method not found"]),
        ] {
            assert_eq!(recognised(server, messages), None, "{server}: {messages:?}");
        }
    }

    #[test]
    fn every_hint_is_for_a_known_sdk() {
        for line in lines_of(HINTS) {
            if let Some((_, sdk, advice)) = named_mistake(line) {
                assert!(KNOWN.iter().any(|known| known.id == sdk) && advice.ends_with('.'), "{line}");
                continue;
            }
            let columns: Vec<_> = line.split(" | ").collect();
            assert_eq!(columns.len(), 3, "{line}");
            assert!(KNOWN.iter().any(|known| known.id == columns[1]) && columns[2].ends_with('.'), "{line}");
        }
        let told = Sdk::hint(&KNOWN[1], "list.parameter-types").unwrap();
        assert_eq!(told.matches("update to 1.2.0 or newer").count(), 3, "every hint of a check: {told}");
    }

    #[test]
    fn what_an_sdk_says_of_the_code_around_it_is_explained() {
        let advice =
            advice_on("error -32006 \"Agent should enqueue Task before TaskStatusUpdateEvent event\"").unwrap();
        assert!(
            advice.starts_with("Begin AgentExecutor.execute with") && advice.contains("a2a-sdk for Python"),
            "{advice}"
        );
        assert_eq!(advice_on("error -32006 \"The agent is not well\""), None);
        assert_eq!(lines_of(HINTS).filter_map(named_mistake).count(), 7);
    }

    #[test]
    fn a_release_that_mends_something_was_seen_to() {
        let bugs =
            [include_str!("../../tests/history/bugs.json"), include_str!("../../tests/history/second/bugs.json")];
        let bugs = bugs.map(|text| serde_json::from_str::<Vec<serde_json::Value>>(text).unwrap()).concat();
        for line in lines_of(HINTS).filter(|line| line.contains("Releases before")) {
            let (check, title) =
                (line.split(" | ").next().unwrap(), line.split(['\u{201c}', '\u{201d}']).nth(1).unwrap());
            let is_it = |bug: &serde_json::Value| {
                let mended = format!("update to {} or newer.", bug["after"].as_str().unwrap_or_default());
                let is_of_check =
                    bug["checks"].as_array().is_some_and(|checks| checks.iter().any(|known| known == check));
                bug["title"] == title && is_of_check && line.ends_with(&mended)
            };
            assert!(bugs.iter().any(is_it), "{line}");
        }
    }
}
