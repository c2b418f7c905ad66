//! Which SDK an agent was built with, as far as its answers show it, and what to do about a finding with that SDK. Never a
//! silent guess: the hint says how the SDK was recognised.

use super::requirement::lines_of;
use crate::wire::exchange::Exchange;

/// An SDK that can be recognised.
struct SdkMarks {
    /// Its short name in the table of hints.
    id: &'static str,
    /// Its name.
    name: &'static str,
    /// A header field that its servers send, and a word of its value.
    header: (&'static str, &'static str),
    /// A text in its error messages. Neither mark proves anything alone: both must be there.
    text: &'static str,
}

const KNOWN: [SdkMarks; 2] = [
    SdkMarks { id: "python", name: "a2a-sdk for Python", header: ("server", "uvicorn"), text: "\"Task not found\"" },
    SdkMarks { id: "js", name: "@a2a-js/sdk", header: ("x-powered-by", "Express"), text: "Task not found: " },
];

/// An SDK that was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sdk {
    id: &'static str,
    /// Its name.
    pub name: &'static str,
    header: (&'static str, &'static str),
    text: &'static str,
}

impl Sdk {
    /// The SDK whose marks the answers carry. Often `None` in a page, which does not see most headers.
    #[must_use]
    pub fn of<'a>(exchanges: impl Iterator<Item = &'a Exchange> + Clone) -> Option<Self> {
        let responses = exchanges.filter_map(|exchange| exchange.response.as_ref());
        let known = KNOWN.iter().find(|known| {
            let (name, word) = known.header;
            responses.clone().any(|response| response.headers.get(name).is_some_and(|value| value.contains(word)))
                && responses.clone().any(|response| String::from_utf8_lossy(&response.body).contains(known.text))
        })?;
        Some(Self { id: known.id, name: known.name, header: known.header, text: known.text })
    }

    /// What to do about a failure of that check with this SDK, and how the SDK was recognised.
    #[must_use]
    pub fn hint(&self, check: &str) -> Option<String> {
        let rows = lines_of(HINTS).filter_map(|line| line.split_once(" | "));
        let of_check = rows.filter(|(known, _)| *known == check).filter_map(|(_, rest)| rest.split_once(" | "));
        let (_, hint) = of_check.into_iter().find(|(sdk, _)| *sdk == self.id)?;
        let (name, word) = self.header;
        let text = self.text.trim().trim_matches('"');
        Some(format!(
            "With {} (recognised by the header {name}: {word} and the error text \u{201c}{text}\u{201d}): {hint}",
            self.name
        ))
    }
}

const HINTS: &str = include_str!("sdk-hints.txt");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{End, Response};
    use crate::wire::http::Request;

    fn exchange(header: (&str, &str), body: &str) -> Exchange {
        let headers = [header].into_iter().collect();
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

    #[test]
    fn an_sdk_is_recognised_by_two_marks_and_not_by_one() {
        let python = exchange(("Server", "uvicorn"), r#"{"error":{"message":"Task not found"}}"#);
        let sdk = Sdk::of([&python].into_iter()).unwrap();
        let hint = sdk.hint("discovery.cache-control").unwrap();
        assert!(hint.contains("create_agent_card_routes") && hint.contains("server: uvicorn"), "{hint}");
        assert_eq!(sdk.hint("no.such-check"), None);
        let other = exchange(("Server", "uvicorn"), r#"{"error":{"message":"unknown task"}}"#);
        assert_eq!(Sdk::of([&other].into_iter()), None);
        let hidden = exchange(("Content-Type", "application/json"), r#"{"error":{"message":"Task not found"}}"#);
        assert_eq!(Sdk::of([&hidden].into_iter()), None);
    }

    #[test]
    fn every_hint_is_for_a_known_sdk() {
        for line in lines_of(HINTS) {
            let columns: Vec<_> = line.split(" | ").collect();
            assert_eq!(columns.len(), 3, "{line}");
            assert!(KNOWN.iter().any(|known| known.id == columns[1]) && columns[2].ends_with('.'), "{line}");
        }
    }
}
