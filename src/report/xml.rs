//! Text made fit for XML, and for HTML, which forbids no more than that.

use super::text::steers;

/// The text as the value of an attribute.
pub(super) fn attribute(text: &str) -> String {
    escape(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// The text as character data: nothing that XML 1.0 forbids, and nothing that is markup. Nor is anything in it a command for a
/// CI server that reads the file in its log, such as `##vso[` and `::error::`.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '#' if before == '#' => out.push_str("&#35;"),
            ':' if before == ':' => out.push_str("&#58;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader would turn it into a line feed.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            // XML 1.0 §2.2: not even as references.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            // Allowed, discouraged there, and of use to nobody.
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => {}
            // A terminal that shows the file would obey it.
            _ if steers(c) => out.push_str(&format!("&#{};", u32::from(c))),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_dropped_and_the_rest_escaped() {
        assert_eq!(escape("a\0\u{1b}\u{fffe}]]>&<\"'\u{1f600}"), "a]]&gt;&amp;&lt;&quot;'\u{1f600}");
        assert_eq!(attribute("a\nb\tc\rd"), "a&#10;b&#9;c&#13;d");
        assert_eq!(escape("##vso[a]\n::error::b:c"), "#&#35;vso[a]\n:&#58;error:&#58;b:c");
        assert_eq!(escape("\u{202e}a\u{85}"), "&#8238;a&#133;");
    }
}
