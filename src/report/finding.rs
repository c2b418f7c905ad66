//! One result as a text to paste, plain for any issue tracker and as Markdown, and how much of a body it quotes. What an agent sent
//! is quoted, and nothing in it can end the quotation or become markup.

use super::markdown::escape::{code, ours, prose};
use super::text::{harmless_lines, head, one_line};

/// How much of a body is quoted, in bytes.
const QUOTED: usize = 2_000;

/// One result, as far as it is worth telling somebody else.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The title of the check.
    pub title: String,
    /// The check's id.
    pub check: String,
    /// The lane for people; empty for checks of the card.
    pub lane: String,
    /// The result in a word, with its level: `fail (must)`.
    pub result: String,
    /// The address that was checked.
    pub address: String,
    /// The conclusion; may be empty where expected and received say it.
    pub message: String,
    /// The expected and the received value.
    pub pair: Option<(String, String)>,
    /// Where; may be empty.
    pub place: String,
    /// The demands of the specification, a sentence or a statement each, with where it says so and the link.
    pub rules: Vec<(String, String, String)>,
    /// Why it matters.
    pub why: String,
    /// The advice; may be empty.
    pub fix: String,
    /// The request and the response, under their titles.
    pub sheets: Vec<(String, String)>,
    /// The request as a command; empty if there was none.
    pub command: String,
    /// The program and the version of its checks.
    pub tool: String,
}

impl Finding {
    /// As plain text. What may be an agent's is indented, so that it cannot pass for a line of ours.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = String::new();
        let mut line = |line: &str| {
            text.push_str(line.trim_end());
            text.push('\n');
        };
        line(&one_line(&self.title, 200));
        line("");
        line(&format!("Result: {}", self.result));
        let on = if self.lane.is_empty() { String::new() } else { format!(" on {}", one_line(&self.lane, 80)) };
        line(&format!("Check: {}{on}", one_line(&self.check, 200)));
        line(&format!("Agent: {}", one_line(&self.address, 300)));
        let mut section = |title: &str, content: &str| {
            if !content.is_empty() {
                line("");
                line(&format!("{title}:"));
                quoted(content).lines().for_each(|quoted| line(&format!("    {quoted}")));
            }
        };
        section("What was found", &self.message);
        if let Some((expected, received)) = &self.pair {
            section("Expected", expected);
            section("Received", received);
        }
        section("At", &self.place);
        for (text, place, url) in &self.rules {
            section("The specification", &format!("{text}\n{place} {url}"));
        }
        section("Why it matters", &self.why);
        section("What to do", &self.fix);
        for (title, content) in &self.sheets {
            section(title, content);
        }
        section("To reproduce", &self.command);
        line("");
        line(&format!("Found by {}", one_line(&self.tool, 120)));
        text
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut parts = vec![format!("### {}", ours(&self.title, 200))];
        let lane = if self.lane.is_empty() { String::new() } else { format!(", {}", code(&self.lane, 80)) };
        parts.push(format!(
            "**{}** \u{b7} {}{lane} \u{b7} {}",
            self.result,
            code(&self.check, 80),
            code(&self.address, 300)
        ));
        if !self.message.is_empty() {
            parts.push(format!("What was found: {}", prose(&self.message, 600)));
        }
        if let Some((expected, received)) = &self.pair {
            parts.push(format!("- Expected: {}\n- Received: {}", prose(expected, 600), prose(received, 600)));
        }
        if !self.place.is_empty() {
            parts.push(format!("At {}", code(&self.place, 200)));
        }
        for (text, place, url) in &self.rules {
            let cite = if url.is_empty() { ours(place, 80) } else { format!("[{}]({url})", ours(place, 80)) };
            parts.push(format!("> {}\n> {cite}", ours(text, 400)));
        }
        if !self.why.is_empty() {
            parts.push(format!("Why it matters: {}", ours(&self.why, 600)));
        }
        if !self.fix.is_empty() {
            parts.push(format!("What to do: {}", ours(&self.fix, 1_000)));
        }
        for (title, content) in &self.sheets {
            parts.push(format!("{title}:\n\n{}", fenced("", content)));
        }
        if !self.command.is_empty() {
            parts.push(format!("To reproduce:\n\n{}", fenced("sh", &self.command)));
        }
        parts.push(format!("Found by {}", ours(&self.tool, 120)));
        parts.join("\n\n") + "\n"
    }
}

/// A text of several lines without what would steer a terminal, turn the direction of writing or give a CI server a command.
fn quoted(text: &str) -> String {
    let short = head(text, QUOTED);
    let lines: Vec<String> = short.lines().map(|line| harmless_lines(&line.replace('\t', "  "))).collect();
    let cut = if short.len() < text.len() { "\n…" } else { "" };
    lines.join("\n") + cut
}

/// A block of code whose fence is longer than any within.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = quoted(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "x```\n# owned\n<script>alert(1)</script> @team #12 [a](javascript:b)\n````\u{1b}[31m\u{202e}\n::error::x ##vso[x]";

    fn finding() -> Finding {
        let text = || HOSTILE.to_owned();
        Finding {
            title: "GetTask returns the task".into(),
            check: "get.task".into(),
            lane: "JSON-RPC 1.0".into(),
            result: "fail (required)".into(),
            address: text(),
            message: text(),
            pair: Some((text(), text())),
            place: text(),
            rules: vec![("Agents MUST obey".into(), "1.0 §3".into(), "https://a2a-protocol.org/".into())],
            why: "Clients wait.".into(),
            fix: "Send `x`.".into(),
            sheets: vec![("Answer".into(), text())],
            command: format!("curl '{HOSTILE}'"),
            tool: "a2a-conformance 1".into(),
        }
    }

    /// The document without its fences and code spans: what a reader of Markdown takes for text.
    fn outside(markdown: &str) -> String {
        let mut fence: Option<String> = None;
        let mut kept = String::new();
        for line in markdown.lines() {
            let ticks = line.chars().take_while(|c| *c == '`').count();
            match &fence {
                Some(open) if ticks >= open.len() && line.trim_matches('`').is_empty() => fence = None,
                Some(_) => {}
                None if ticks >= 3 => fence = Some("`".repeat(ticks)),
                None => {
                    let mut rest = line;
                    while let Some(at) = rest.find('`') {
                        kept.push_str(&rest[..at]);
                        let ticks = "`".repeat(rest[at..].chars().take_while(|c| *c == '`').count());
                        let inside = &rest[at + ticks.len()..];
                        let mut end = 0;
                        loop {
                            end += inside[end..].find(&ticks).unwrap_or_else(|| panic!("a span stays open: {line}"));
                            let run = inside[end..].chars().take_while(|c| *c == '`').count();
                            if run == ticks.len() {
                                break;
                            }
                            end += run;
                        }
                        rest = &inside[end + ticks.len()..];
                    }
                    kept.push_str(rest);
                    kept.push('\n');
                }
            }
        }
        assert!(fence.is_none(), "a fence stays open");
        kept
    }

    #[test]
    fn nothing_that_an_agent_sent_becomes_markup() {
        let markdown = finding().markdown();
        let outside = outside(&markdown);
        for markup in ["owned", "<script", "@team", "#12", "javascript:"] {
            assert!(markdown.contains(markup), "{markup} is kept");
            assert!(!outside.contains(markup), "{markup} became markup:\n{markdown}");
        }
        assert!(!["\u{1b}", "\u{202e}", "::error", "##vso"].iter().any(|sign| markdown.contains(sign)), "{markdown}");
        assert!(outside.contains("[1.0 §3](https://a2a-protocol.org/)"), "{outside}");
    }

    #[test]
    fn in_plain_text_it_never_begins_a_line() {
        let plain = finding().plain();
        assert!(
            plain.starts_with("GetTask returns the task\n\nResult: fail (required)\nCheck: get.task on JSON-RPC 1.0\n")
        );
        assert!(plain.lines().all(|line| !line.starts_with("# owned") && !line.starts_with("```")), "{plain}");
        assert!(plain.contains("    # owned") && !plain.contains('\u{1b}'));
        for title in ["Expected:", "Received:", "The specification:", "Why it matters:", "What to do:", "To reproduce:"]
        {
            assert!(plain.lines().any(|line| line == title), "{title}");
        }
    }

    #[test]
    fn a_long_body_is_cut() {
        let sheets = vec![("Answer".to_owned(), "y".repeat(100_000))];
        let long = Finding { sheets, ..finding() };
        assert!(long.plain().len() < 12_000 && long.markdown().len() < 12_000);
        assert!(long.markdown().contains("\n…\n"));
    }
}
