//! Texts to paste, which are a table, `cors_snippets.txt`: the CORS settings of a server stack for this page, commands that show
//! what the agent sends, and the ways around the browser.

use crate::a2a::headers::{ALLOWED, EXPOSED, PREFLIGHTED};
use crate::engine::reach::{Diagnosis, ReasonId};
use crate::host::probe::{AddressSpace, PageOrigin};
use crate::wire::order;
use crate::wire::url::Url;

const TABLE: &str = include_str!("cors_snippets.txt");

/// The methods that A2A's bindings use.
const METHODS: [&str; 3] = ["GET", "POST", "DELETE"];

/// A server stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerStack {
    /// Its short name.
    pub id: &'static str,
    /// Its name.
    pub title: &'static str,
    /// The file or place that the text belongs in.
    pub place: &'static str,
    /// The text, with its places empty.
    text: &'static str,
}

/// The stacks there are texts for, in the order of the picker.
#[must_use]
pub fn stacks() -> Vec<ServerStack> {
    let (_, table) = TABLE.split_once("\n= ").unwrap_or_default();
    let stack = |entry: &'static str| {
        let (head, text) = entry.split_once('\n')?;
        let mut cells = head.split(" | ");
        Some(ServerStack { id: cells.next()?, title: cells.next()?, place: cells.next()?, text: text.trim_end() })
    };
    table.split("\n= ").filter_map(stack).collect()
}

impl ServerStack {
    /// The text to paste for a page of that origin, whose requests have these headers besides the usual ones.
    #[must_use]
    pub fn fix(&self, home: &str, more: &[String]) -> String {
        let mut headers: Vec<&str> = ALLOWED.to_vec();
        // A name that could end a text in quotes is left out: real headers do not have such names.
        let is_plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        let more: Vec<String> =
            more.iter().map(|name| name.to_ascii_lowercase()).filter(|name| is_plain(name)).collect();
        for name in &more {
            if !headers.contains(&name.as_str()) {
                headers.push(name);
            }
        }
        let quoted = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let mut text = self.text.replace("{home}", home);
        // In lower case, because some servers take no other form of a name in their source.
        let exposed = EXPOSED.map(str::to_ascii_lowercase);
        let exposed: Vec<&str> = exposed.iter().map(String::as_str).collect();
        for (place, names) in [("methods", METHODS.as_slice()), ("headers", &headers), ("exposed", &exposed)] {
            text = text.replace(&format!("{{{place}}}"), &names.join(", "));
            text = text.replace(&format!("{{\"{place}\"}}"), &quoted(names));
        }
        text
    }
}

/// A text as one word of a shell.
fn shell_quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Two commands that show what the browser sees and the page does not: the answer with its headers, and the preflight.
#[must_use]
pub fn curls(diagnosis: &Diagnosis) -> Vec<String> {
    let (url, home) = (shell_quoted(&diagnosis.url), shell_quoted(&format!("Origin: {}", diagnosis.home.origin)));
    let method = shell_quoted(&format!("Access-Control-Request-Method: {}", diagnosis.method));
    let mut names = diagnosis.asked_for.clone();
    if names.is_empty() {
        names = PREFLIGHTED.map(str::to_owned).to_vec();
    }
    order::sort_by(&mut names, |one, other| one.cmp(other));
    let names = shell_quoted(&format!("Access-Control-Request-Headers: {}", names.join(",")));
    let plain = format!("curl -i -H {home} {url}");
    vec![plain, format!("curl -i -X OPTIONS -H {home} -H {method} -H {names} {url}")]
}

/// Whether what keeps a page of that origin out would not apply to the same page from the visitor's own machine.
#[must_use]
pub fn is_free_at_home(reason: ReasonId, home: &PageOrigin) -> bool {
    use ReasonId::{MixedContent, PermissionDenied, PermissionInsecure, PermissionWaiting, Policy};
    let comes_from_there = Url::parse(&home.origin)
        .is_ok_and(|url| url.scheme == "http" && AddressSpace::from_url(&url) == AddressSpace::Loopback);
    let is_about_the_page =
        matches!(reason, Policy | MixedContent | PermissionDenied | PermissionWaiting | PermissionInsecure);
    is_about_the_page && !comes_from_there
}

/// The ways around the browser: this page from one's own machine, where that helps, and the command line, which no browser
/// holds back.
#[must_use]
pub fn ways_out(page: &str, address: &str, free_at_home: bool) -> Vec<(&'static str, String)> {
    let page = page.split(['#', '?']).next().unwrap_or_default();
    let path = Url::parse(page).map_or_else(|_| "/".to_owned(), |url| url.path);
    let serve = format!(
        "wget -qrp -np -nH -e robots=off -P a2a-page {} && python3 -m http.server 8080 --bind 127.0.0.1 -d a2a-page",
        shell_quoted(page)
    );
    let own = free_at_home.then(|| {
        let title = "This page from your own machine, where this block does not apply; then open the address in the last \
                     line";
        (title, format!("{serve}\n# http://localhost:8080{path}"))
    });
    let check = ("The same checks on the command line", format!("a2a-conformance check {}", shell_quoted(address)));
    own.into_iter().chain([check]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "https://checker.example";

    #[test]
    fn every_stack_gets_the_whole_of_what_a_page_needs() {
        let stacks = stacks();
        let ids: Vec<&str> = stacks.iter().map(|stack| stack.id).collect();
        assert_eq!(
            ids,
            ["starlette", "a2a-python", "express", "spring", "quarkus", "aspnet", "go", "axum", "nginx", "caddy"]
        );
        for stack in stacks {
            let fix = stack.fix(HOME, &["X-API-Key".to_owned()]);
            assert!(!stack.place.is_empty() && fix.contains(HOME), "{}", stack.id);
            for name in ALLOWED.into_iter().chain(METHODS).chain(["x-api-key"]) {
                assert!(fix.contains(name), "{} lacks {name}", stack.id);
            }
            for name in EXPOSED.map(str::to_ascii_lowercase) {
                assert!(fix.contains(&name), "{} lacks {name}", stack.id);
            }
            let both_lists = fix.matches("x-a2a-extensions").count();
            assert_eq!(both_lists, 2, "{} does not both allow and expose it", stack.id);
            for place in ["{home}", "{methods}", "{headers}", "{exposed}", "{\""] {
                assert!(!fix.contains(place), "{} keeps {place}", stack.id);
            }
        }
    }

    #[test]
    fn a_header_that_would_end_the_text_is_left_out_and_none_stands_twice() {
        for stack in stacks() {
            let fix = stack.fix(HOME, &["Content-Type".to_owned(), "x'`$(id)".to_owned()]);
            assert!(!fix.contains("$(id)"), "{}", stack.id);
            assert_eq!(fix.matches("content-type").count(), 1, "{}", stack.id);
        }
    }

    #[test]
    fn commands_are_words_of_a_shell_whatever_an_address_holds() {
        let [(_, serve), (_, check)] =
            ways_out("https://checker.example/a/?x#u=1", "http://h/'; rm -rf ~\n#", true).try_into().unwrap();
        assert!(serve.contains("'https://checker.example/a/'") && serve.ends_with("http://localhost:8080/a/"));
        assert_eq!(check, r"a2a-conformance check 'http://h/'\''; rm -rf ~#'");
    }

    #[test]
    fn the_own_machine_is_a_way_out_only_where_the_block_does_not_apply() {
        let free = |reason, page: &str| is_free_at_home(reason, &PageOrigin::from_address(page));
        for reason in [ReasonId::MixedContent, ReasonId::PermissionInsecure, ReasonId::Policy] {
            assert!(free(reason, "https://checker.example/"), "{reason:?}");
            assert!(!free(reason, "http://localhost:8080/"), "{reason:?}");
        }
        // Over https the own machine is not exempt from mixed content.
        assert!(free(ReasonId::MixedContent, "https://localhost:8443/"));
        for reason in [ReasonId::CorsMissing, ReasonId::PreflightHeader, ReasonId::Unreachable, ReasonId::NoAnswer] {
            assert!(!free(reason, "https://checker.example/"), "{reason:?}");
        }
        let ways = ways_out("https://checker.example/", "https://h", false);
        assert_eq!(ways, [("The same checks on the command line", "a2a-conformance check 'https://h'".to_owned())]);
    }
}
