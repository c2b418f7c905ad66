//! A preview of an address before anything is sent: the first URL to be fetched, and the browser's behaviour.

use super::pasted;
use crate::engine::discover::{CARD_PATH, normalise};
use crate::engine::reach::triage;
use crate::host::probe::{AddressSpace, PageOrigin};

/// The text below the address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Nothing was typed.
    Nothing,
    /// This will be fetched first; perhaps with a word on what the browser will do.
    Fetch {
        /// The card URL that is tried first.
        first: String,
        /// How many other places are tried if nothing is there.
        others: usize,
        /// The query that no request carries, with its question mark; empty if there is none.
        unused: String,
        /// This browser's behaviour with such an address, where it is special.
        hint: Option<&'static str>,
    },
    /// A card was pasted, and is judged by itself.
    Card,
    /// It cannot be checked, for this reason.
    Refused(String),
}

/// The text below the field.
#[must_use]
pub fn preview(typed: &str, home: &PageOrigin) -> Preview {
    if typed.trim().is_empty() {
        return Preview::Nothing;
    }
    if let Some(card) = pasted::card(typed) {
        return card.map_or_else(Preview::Refused, |_| Preview::Card);
    }
    let address = match normalise(typed) {
        Ok(address) => address,
        Err(problem) => return Preview::Refused(problem.to_string()),
    };
    let candidates = address.candidates();
    let Some(first) = candidates.first() else { return Preview::Nothing };
    let unused = address.unused_query().map(|query| format!("?{query}")).unwrap_or_default();
    Preview::Fetch { first: first.clone(), others: candidates.len() - 1, unused, hint: hint(first, typed, home) }
}

/// The browser's behaviour, as far as it is known before anything is sent.
fn hint(url: &str, typed: &str, home: &PageOrigin) -> Option<&'static str> {
    if url.strip_suffix(CARD_PATH).and_then(|base| base.strip_prefix(&home.origin))
        == Some(home.path.trim_end_matches('/'))
    {
        return Some("This is the address of this page: type that of your agent, unless it answers here, too.");
    }
    let target = triage(url, home).ok()?;
    let hints = [
        (target.bad_port, "No browser connects to this port: let the agent listen on another one, such as 8080."),
        (
            target.mixed && target.space == AddressSpace::Public,
            "This browser will block it: a page loaded over https may not call an http address. Serve the agent over \
             https, or this page from localhost.",
        ),
        (
            target.mixed,
            "This browser will block it: a page loaded over https may not call http on your machine or network here. \
             Use Chrome, or serve this page from localhost.",
        ),
        (
            target.insecure,
            "This agent is on your machine or network, and a page loaded over http may not reach it. Open this page \
             over https, or serve it from localhost.",
        ),
        (
            target.needs_permission,
            "This agent is on your machine or network. The browser may ask whether this page may reach it: choose \
             Allow.",
        ),
        (typed.contains("0.0.0.0"), "No client can call 0.0.0.0, so 127.0.0.1 (this machine) is called instead."),
    ];
    hints.into_iter().find(|(applies, _)| *applies).map(|(_, hint)| hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_card_url_is_shown_before_anything_is_sent() {
        let home = PageOrigin::from_address("https://checker.example/");
        assert_eq!(preview("  ", &home), Preview::Nothing);
        let Preview::Fetch { first, others, unused, hint } = preview("agent.example.com/x/", &home) else { panic!() };
        assert_eq!(first, "https://agent.example.com/x/.well-known/agent-card.json");
        assert_eq!((others, unused.as_str(), hint), (3, "", None));
        let Preview::Fetch { unused, .. } = preview("agent.example.com?x=1", &home) else { panic!() };
        assert_eq!(unused, "?x=1");
        for refused in ["ftp://h", "{", "h i"] {
            assert!(matches!(preview(refused, &home), Preview::Refused(_)), "{refused}");
        }
        assert_eq!(preview(r#"{ "name": "A" }"#, &home), Preview::Card);
    }

    #[test]
    fn the_address_of_the_page_itself_is_known() {
        let home = PageOrigin::from_address("https://checker.example/a/?x=1#u=y");
        for (typed, is_own) in
            [("https://checker.example/a/", true), ("checker.example/a", true), ("https://checker.example/b", false)]
        {
            let Preview::Fetch { hint, .. } = preview(typed, &home) else { panic!("{typed}") };
            assert_eq!(hint.is_some_and(|hint| hint.contains("of this page")), is_own, "{typed}");
        }
    }

    #[test]
    fn what_the_browser_will_do_is_said_before_the_run() {
        let hint = |typed: &str, page: &str| match preview(typed, &PageOrigin::from_address(page)) {
            Preview::Fetch { hint, .. } => hint.unwrap_or_default(),
            _ => "",
        };
        assert!(hint("http://agent.example.com", "https://checker.example/").contains("block"));
        assert!(hint("localhost:9999", "https://checker.example/").contains("Allow"));
        assert_eq!(hint("localhost:9999", "http://localhost:8080/"), "");
        assert!(hint("localhost:9999", "http://checker.example/").contains("over https"));
        assert!(hint("localhost:6000", "http://localhost:8080/").contains("port"));
        assert!(hint("0.0.0.0:8000", "http://localhost:8080/").contains("127.0.0.1"));
        assert_eq!(hint("https://agent.example.com", "https://checker.example/"), "");
    }
}
