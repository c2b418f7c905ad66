//! A result as plain text for JUnit and CTRF, and the longest text in these and in HTML before it is cut.

use std::fmt::Write as _;

use super::checked_row::CheckedRow;
use super::model::Report;
use super::text::head;

/// How many bytes of a text are kept.
pub(super) const MAX_TEXT: usize = 64 * 1024;

/// The text, cut at [`MAX_TEXT`] with a note that says so.
pub(super) fn cut(text: &str) -> String {
    let kept = head(text, MAX_TEXT);
    let mut out = kept.to_owned();
    if kept.len() < text.len() {
        let _ = write!(out, "\n… truncated, {} bytes", text.len());
    }
    out
}

/// The level in capitals, as the specification writes it.
pub(super) fn level(result: &CheckedRow) -> String {
    result.level.as_str().to_ascii_uppercase()
}

/// The text of a result for readers that show only text: expected, actual, fix, specification, exchanges.
pub(super) fn body(result: &CheckedRow, report: &Report) -> String {
    let mut text = String::new();
    let mut say = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {value}");
        }
    };
    if result.expected.is_none() {
        say("Reason", &result.message);
    }
    say("Expected", result.expected.as_deref().unwrap_or_default());
    say("Actual", result.actual.as_deref().unwrap_or_default());
    for each in &result.of_runs {
        say(&each.runs_in_words(), &each.said());
    }
    say("Where", result.pointer.as_deref().unwrap_or_default());
    say("Fix", result.remediation.as_deref().unwrap_or_default());
    say("Spec", format!("{} {}", result.spec, result.spec_url.as_deref().unwrap_or_default()).trim());
    say("Requirement", &result.requirements.join(", "));
    for id in &result.exchanges {
        let Some(exchange) = report.exchanges.iter().find(|exchange| exchange.id == *id) else { continue };
        let answer = exchange.status().map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
        let request = &exchange.request;
        let step = format!("{} of {}", exchange.step, exchange.scenario);
        say("Exchange", &format!("#{id} {} {} -> {answer} ({step})", request.method, request.url));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_with_a_note() {
        let text = cut(&"é".repeat(MAX_TEXT));
        assert!(text.ends_with(&format!("… truncated, {} bytes", 2 * MAX_TEXT)));
        assert!(text.len() < MAX_TEXT + 100);
    }
}
