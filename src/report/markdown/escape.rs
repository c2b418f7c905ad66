//! Text made fit for Markdown: ours stays readable, an agent's stays text.

use crate::report::spec_links::leads_to_specification;
use crate::report::text::one_line;

/// Our own text, which may hold code spans of its own: kept readable, and made fit for a cell. A report that was opened may be a
/// stranger's, so that nothing in it becomes a link with another name, a picture or a mention.
pub(crate) fn ours(text: &str, max: usize) -> String {
    let line = one_line(text, max);
    // Spans of ours begin and end with one backtick. Of longer runs one may stay open, and turn inside out every span behind it.
    if line.contains("``") {
        return code(&line, max);
    }
    let mut out = String::new();
    let mut in_code = false;
    for (index, word) in line.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        let (url, rest) = word.split_at(word.trim_end_matches(['.', ',', ';', ')', ':']).len());
        if !in_code && leads_to_specification(url) {
            out.push_str(&format!("<{url}>{rest}"));
            continue;
        }
        let outside: String = word.split('`').skip(usize::from(in_code)).step_by(2).collect();
        if is_markup(&outside) {
            // The span under way ends first.
            let rest = match word.split_once('`').filter(|_| in_code) {
                Some((before, rest)) => {
                    out.push_str(&before.replace('|', "\\|"));
                    out.push_str("` ");
                    rest
                }
                None => word,
            };
            in_code = false;
            out.push_str(&code(rest, max));
            continue;
        }
        for c in word.chars() {
            match c {
                '`' => {
                    in_code = !in_code;
                    out.push(c);
                }
                '|' => out.push_str("\\|"),
                '<' if !in_code => out.push_str("&lt;"),
                '*' | '_' if !in_code => {
                    out.push('\\');
                    out.push(c);
                }
                _ => out.push(c),
            }
        }
    }
    // A span that the cut left open would swallow the cells behind it.
    if in_code {
        out.push('`');
    }
    if out.is_empty() { none() } else { out }
}

/// Whether GitHub makes a link, a mention, a picture, a formula or a crossed-out text of a word, or may.
fn is_markup(word: &str) -> bool {
    word.contains(['@', '#', '&', '[', ']', '\\', '~', '$']) || has_link(word)
}

/// Text that an agent may have had a hand in: as it is when nothing in it can become markup, else as code.
pub(crate) fn prose(text: &str, max: usize) -> String {
    let line = one_line(text, max);
    let plain = |c: char| {
        c.is_alphanumeric()
            || matches!(
                c,
                ' ' | '.' | ',' | ';' | ':' | '\'' | '"' | '(' | ')' | '/' | '-' | '%' | '=' | '?' | '…' | '§'
            )
    };
    let starts_well = line.starts_with(|c: char| c.is_alphabetic() || c == '"') || is_count(&line);
    if line.is_empty() {
        none()
    } else if line.chars().all(plain) && starts_well && !has_link(&line) {
        line
    } else {
        code(&line, max)
    }
}

/// Whether GitHub may make a link of something in the text, or a picture: of `:tada:`, not of `12:30:45`.
fn has_link(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["://", "www.", "gh-"].iter().any(|sign| lower.contains(sign))
        || lower.split(':').skip(1).any(|behind| behind.starts_with(|c: char| c == '+' || c.is_ascii_lowercase()))
}

/// Whether a text starts with a number that begins no list: `3 of 4`, not `3. `.
fn is_count(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && !rest.starts_with(['.', ')'])
}

/// Any text as a code span that nothing in it can end, fit for a cell of a table.
pub(crate) fn code(text: &str, max: usize) -> String {
    let line = one_line(text, max);
    if line.is_empty() {
        return none();
    }
    let mut longest = 0;
    let mut run = 0;
    for c in line.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    let mut inside = String::new();
    let mut slashes = 0;
    for c in line.chars() {
        if c == '|' {
            // An odd number of backslashes escapes a pipe for every reader of tables, an even one only for some.
            inside.push_str(if slashes % 2 == 1 { "\\\\" } else { "\\" });
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        inside.push(c);
    }
    format!("{fence}{pad}{inside}{pad}{fence}")
}

/// A word for a POSIX shell, which takes nothing in it for anything else.
pub(crate) fn shell_word(text: &str) -> String {
    let line = one_line(text, 500);
    let safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+=,".contains(c);
    if !line.is_empty() && line.chars().all(safe) && !line.starts_with('-') {
        return line;
    }
    // The fence around it is three backticks long, and begins a line; this never does.
    format!("'{}'", line.replace('\'', "'\\''"))
}

/// The content of an empty cell: some readers drop a cell without content.
pub(crate) fn none() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_cannot_be_left_from_within() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("a`b", "``a`b``"),
            ("``x", "``` ``x ```"),
            ("a|b", "`a\\|b`"),
            ("a\\|b", "`a\\\\\\|b`"),
            ("a\\\\|b", "`a\\\\\\|b`"),
            ("<script>\n@all", "`<script> @all`"),
            ("", "–"),
        ] {
            assert_eq!(code(text, 80), expected, "{text}");
        }
    }

    #[test]
    fn prose_is_plain_only_when_nothing_in_it_is_markup() {
        for plain in [
            "expected TaskNotFoundError (-32001), got HTTP 500",
            "3 of 4 musts pass",
            "\"x\" is missing",
            "at 12:30:45: no",
        ] {
            assert_eq!(prose(plain, 100), plain);
        }
        for marked in [
            "see @team",
            "issue #12",
            "a | b",
            "*x*",
            "a_b",
            "1. x",
            "- x",
            "http://evil.example",
            "www.evil.example",
            "[x](y)",
            "all is :tada:",
            ":x: no",
        ] {
            assert_eq!(prose(marked, 100).trim_matches('`'), marked.replace('|', "\\|"), "{marked}");
            assert!(prose(marked, 100).starts_with('`'), "{marked}");
        }
    }

    #[test]
    fn our_own_text_keeps_its_code_spans() {
        assert_eq!(ours("Send `A2A-Version: 1.0` | <agent>", 80), "Send `A2A-Version: 1.0` \\| &lt;agent>");
        assert_eq!(ours("see https://a2a-protocol.org/a_b.", 80), "see <https://a2a-protocol.org/a_b>.");
        assert_eq!(ours("see https://x.example/a_b :tada: GH-1", 80), "see `https://x.example/a_b` `:tada:` `GH-1`");
        assert_eq!(ours("an `open span", 8), "an `ope…`");
        assert_eq!(ours("![x](http://h) \\[a] &#64;b", 80), "`![x](http://h)` `\\[a]` `&#64;b`");
        assert_eq!(ours("[`x`](http://h) `a b`[c](d) `e", 80), "``[`x`](http://h)`` `a b` `[c](d)` `e`");
        assert_eq!(ours("a @type, & #12 `@b`", 80), "a `@type,` `&` `#12` `@b`");
        // A lone backtick behind runs that no run ends would take the first backtick of what is put into code for its own end.
        let runs = "a ````b````` `c [d](http://h) [e](javascript:f)";
        assert_eq!(ours(runs, 80), format!("``````{runs}``````"));
    }

    #[test]
    fn a_url_is_one_word_of_the_shell() {
        assert_eq!(shell_word("https://h:1/a"), "https://h:1/a");
        assert_eq!(shell_word("https://h/?a=1&b='$(x)'"), "'https://h/?a=1&b='\\''$(x)'\\'''");
        assert_eq!(shell_word("-x"), "'-x'");
        assert_eq!(shell_word(""), "''");
    }
}
