//! Readers of each format, as strict as the strictest there are, and what all of them must agree on.

use std::collections::{BTreeMap, HashSet};

use a2a_conformance::report::{Format, Report, fallback, headline, read, write, write_or_raw};
use serde_json::{Value, json};

use super::exports;

/// Every format of a report is well formed, and all count the same.
pub(super) fn agree(report: &Report) {
    let tally = &report.tally;
    assert_eq!(tally.passed + tally.failed + tally.skipped, tally.total);

    let text = write(report, Format::Json);
    let value: Value = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> = STRICT.with(|strict| strict.iter_errors(&value).map(|error| error.to_string()).collect());
    assert!(errors.is_empty(), "{errors:?}");
    let file = read(&text, |_| None).unwrap();
    let results: Vec<&Value> =
        value["categories"].as_object().unwrap().values().flat_map(|list| list.as_array().unwrap()).collect();
    let count = |wanted: &dyn Fn(&Value) -> bool| {
        u32::try_from(results.iter().filter(|result| wanted(result)).count()).unwrap()
    };
    let with = |member: &str, word: &str| count(&|result| result[member] == word);
    let failed_at = |level: &str| count(&|result| result["status"] == "fail" && result["level"] == level);
    let because = |reason: &str| with("reason", reason);
    let summary = |name: &str| u32::try_from(value["summary"][name].as_u64().unwrap()).unwrap();
    assert_eq!(summary("total"), count(&|_| true));
    assert_eq!(summary("passed"), with("status", "pass"));
    assert_eq!(summary("failed"), with("status", "fail"));
    assert_eq!(summary("skipped"), with("status", "skip"));
    assert_eq!(summary("failedRequired"), failed_at("must"));
    assert_eq!(summary("failedAdvisory"), failed_at("should") + failed_at("may"));
    assert_eq!((summary("blocked"), summary("inconclusive")), (because("blocked"), because("inconclusive")));
    assert_eq!((summary("total"), summary("failed")), (tally.total, tally.failed));
    assert_eq!((file.stated.passed, file.stated.failed), (tally.passed, tally.failed));

    let junit = write(report, Format::JUnit);
    let cases = junit_counts(&junit);
    let synthetic = u32::from(report.results.is_empty());
    assert_eq!(cases.tests, tally.total + synthetic);
    assert_eq!(cases.failures, tally.failed);
    assert_eq!(cases.errors, tally.blocked + because("harness-error") + synthetic);
    assert_eq!(cases.skipped, tally.skipped - tally.blocked - because("harness-error"));

    let markdown = write(report, Format::Markdown);
    assert!(markdown.contains(&format!("- Results: {}: {} passed", tally.total, tally.passed)));
    let counted: usize = headline::numbers(report).iter().map(|(_, number, _)| number).sum();
    assert_eq!(counted, report.results.len(), "every result is counted once");
    assert!(markdown.starts_with(&format!(
        "<!-- markdownlint-disable-next-line first-line-heading -->\n### A2A conformance: {}\n",
        report.word.title().to_lowercase()
    )));
    tables_are_even(&markdown);
    exports::agree(report);

    for format in Format::ALL {
        let written = write_or_raw(report, format);
        harmless(&written.text);
        assert_eq!((written.fallback, written.text), (None, write(report, format)));
    }
    let raw: Value = serde_json::from_str(&fallback::write(report)).unwrap();
    assert_eq!(raw["results"].as_array().map(Vec::len), Some(report.results.len()));
    assert_eq!(headline(report).lines().count(), 1);
}

/// Nothing in a file steers a terminal that shows it, and nothing is a command for a CI server that finds it in a log.
fn harmless(text: &str) {
    let steers = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(steers), "{:?}", text.chars().find(|c| steers(*c)));
    for command in ["##[", "##vso[", "##teamcity["] {
        assert!(!text.contains(command), "{command}");
    }
    assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "a line begins with ::");
}

pub(super) fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/report-v1.schema.json")).unwrap()
}

thread_local! {
    /// The schema, closed: our own files hold nothing that it does not describe.
    static STRICT: jsonschema::Validator = {
        let mut schema = schema();
        close(&mut schema);
        jsonschema::validator_for(&schema).unwrap()
    };
}

pub(super) fn close(schema: &mut Value) {
    if let Value::Object(map) = schema {
        if map.get("type") == Some(&json!("object")) && map.contains_key("properties") {
            map.insert("additionalProperties".into(), json!(false));
        }
        map.values_mut().for_each(close);
    } else if let Value::Array(list) = schema {
        list.iter_mut().for_each(close);
    }
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Counts {
    tests: u32,
    failures: u32,
    errors: u32,
    skipped: u32,
}

/// Reads JUnit as a strict reader does: well-formed, names unique, every said count true.
fn junit_counts(xml: &str) -> Counts {
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let forbidden = |c: char| (c < ' ' && !matches!(c, '\t' | '\n')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    assert!(!body.contains(forbidden), "a character that XML forbids");
    let mut stack: Vec<(&str, BTreeMap<&str, &str>, Counts)> = Vec::new();
    let mut names = HashSet::new();
    let mut total = None;
    let mut rest = body;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        references(text);
        assert!(!text.contains('>'), "a bare > in text: {text}");
        let end = start + rest[start..].find('>').expect("an open tag");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let (open, attributes, counts) = stack.pop().expect("nothing is open");
            assert_eq!(open, name);
            total = Some(closed(open, &attributes, counts, &mut stack));
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = attributes(tag);
        if name == "testcase" {
            let key = (attributes["classname"].to_owned(), attributes["name"].to_owned());
            assert!(names.insert(key), "twice: {tag}");
            let time = attributes["time"];
            assert!(
                time.split_once('.').is_some_and(|(_, decimals)| decimals.len() <= 3) && !time.contains(['-', 'e'])
            );
        }
        if let Some(message) = attributes.get("message") {
            assert!(message.replace("&amp;", "&").chars().count() <= 1200 && !message.contains('\n'));
        }
        if empty {
            total = Some(closed(name, &attributes, Counts::default(), &mut stack));
        } else {
            stack.push((name, attributes, Counts::default()));
        }
    }
    assert!(stack.is_empty() && rest.trim().is_empty());
    total.expect("no root")
}

fn closed(
    name: &str,
    attributes: &BTreeMap<&str, &str>,
    mut counts: Counts,
    stack: &mut [(&str, BTreeMap<&str, &str>, Counts)],
) -> Counts {
    match name {
        "testcase" => counts.tests += 1,
        "failure" => counts.failures += 1,
        "error" => counts.errors += 1,
        "skipped" => counts.skipped += 1,
        "testsuite" | "testsuites" => {
            let found = [
                ("tests", counts.tests),
                ("failures", counts.failures),
                ("errors", counts.errors),
                ("skipped", counts.skipped),
            ];
            for (attribute, number) in found {
                let said = attributes.get(attribute).map(|said| said.parse::<u32>().unwrap());
                assert!(
                    said == Some(number) || (said.is_none() && (name, attribute) == ("testsuites", "skipped")),
                    "{name} {attribute}"
                );
            }
        }
        _ => {}
    }
    if let Some((_, _, parent)) = stack.last_mut() {
        parent.tests += counts.tests;
        parent.failures += counts.failures;
        parent.errors += counts.errors;
        parent.skipped += counts.skipped;
    }
    counts
}

pub(super) fn attributes(tag: &str) -> (&str, BTreeMap<&str, &str>) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut found = BTreeMap::new();
    while !rest.trim().is_empty() {
        let (key, value) = rest.trim_start().split_once("=\"").expect("an attribute without value");
        let (value, after) = value.split_once('"').expect("an open attribute");
        references(value);
        assert!(!value.contains('<'));
        assert!(found.insert(key, value).is_none(), "twice: {key}");
        rest = after;
    }
    (name, found)
}

/// Every ampersand begins a reference that XML knows without a DTD.
pub(super) fn references(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split(';').next().unwrap();
        let is_number = name.strip_prefix('#').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(is_number || ["amp", "lt", "gt", "quot"].contains(&name), "&{piece}");
    }
}

/// Every row of a table has as many cells as its head, however its reader splits escaped pipes.
pub(super) fn tables_are_even(markdown: &str) {
    let mut columns = None;
    for line in markdown.lines() {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let mut cells = 0;
        let mut escaped = false;
        for c in line.chars() {
            cells += usize::from(c == '|' && !escaped);
            escaped = c == '\\' && !escaped;
        }
        assert_eq!(*columns.get_or_insert(cells), cells, "{line}");
        assert!(!line.contains("|  |"), "{line}");
    }
}

/// The text without its code spans and fences.
pub(super) fn outside_code(markdown: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let mut rest = if fenced { "" } else { line };
        while let Some(start) = rest.find('`') {
            let fence = &rest[start..start + rest[start..].chars().take_while(|c| *c == '`').count()];
            let inside = &rest[start + fence.len()..];
            let mut ends = inside
                .match_indices(fence)
                .filter(|(at, _)| !inside[..*at].ends_with('`') && !inside[at + fence.len()..].starts_with('`'));
            let (end, _) = ends.next().unwrap_or_else(|| panic!("an open code span: {line}"));
            out.push_str(&rest[..start]);
            rest = &inside[end + fence.len()..];
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}
