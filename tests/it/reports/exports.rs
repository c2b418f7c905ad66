//! Readers of the formats for dashboards, developer tools and people: what each holds counts the same, by the rules of its
//! own schema, and nothing an agent says gets out of its place.

use std::collections::{BTreeMap, BTreeSet};

use a2a_conformance::report::{Format, Report, VerdictWord, write};
use serde_json::Value;

use super::HOSTILE;
use super::readers::{attributes, close, references};
use super::run::random;

thread_local! {
    static CTRF: jsonschema::Validator = closed(include_str!("../../schemas/ctrf-0.0.schema.json"));
    static HAR: jsonschema::Validator = jsonschema::validator_for(
        &serde_json::from_str(include_str!("../../schemas/har-1.2.schema.json")).unwrap()
    ).unwrap();
}

fn closed(schema: &str) -> jsonschema::Validator {
    let mut schema = serde_json::from_str(schema).unwrap();
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

fn validated(validator: &jsonschema::Validator, text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    value
}

/// All four are well formed and count as the report does.
pub(super) fn agree(report: &Report) {
    ctrf(report);
    har(report);
    html(report);
    badge(report);
}

fn ctrf(report: &Report) {
    let value = CTRF.with(|schema| validated(schema, &write(report, Format::Ctrf)));
    let summary = &value["results"]["summary"];
    let said = |name: &str| u32::try_from(summary[name].as_u64().unwrap()).unwrap();
    let tests = value["results"]["tests"].as_array().unwrap();
    for status in ["passed", "failed", "skipped", "pending", "other"] {
        assert_eq!(said(status) as usize, tests.iter().filter(|test| test["status"] == status).count(), "{status}");
    }
    let synthetic = u32::from(report.results.is_empty());
    let tally = &report.tally;
    assert_eq!((said("tests"), said("passed")), (tally.total + synthetic, tally.passed));
    assert_eq!(said("failed"), tally.failed);
    assert_eq!(said("skipped") + said("pending") + said("other"), tally.skipped + synthetic);
    let raw = |word: &str| tests.iter().filter(|test| test["rawStatus"] == word).count();
    assert_eq!((raw("blocked"), raw("unsteady")), (tally.blocked as usize, tally.unsteady as usize));
    assert_eq!(raw("inconclusive") + raw("unsteady"), tally.inconclusive as usize);
    let ids: BTreeSet<&str> = tests.iter().filter_map(|test| test["testId"].as_str()).collect();
    assert_eq!(ids.len(), report.results.len());
    assert_eq!(value["results"]["extra"]["a2a.conformance/verdict"], report.word.as_str());
}

fn har(report: &Report) {
    let value = HAR.with(|schema| validated(schema, &write(report, Format::Har)));
    let entries = value["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), report.exchanges.len());
    for (entry, exchange) in entries.iter().zip(&report.exchanges) {
        let ms = |value: &Value| value.as_f64().unwrap();
        let timings = &entry["timings"];
        let parts = [ms(&timings["send"]), ms(&timings["wait"]), ms(&timings["receive"])];
        assert!(parts.iter().all(|part| *part >= 0.0));
        assert!((ms(&entry["time"]) - parts.iter().sum::<f64>()).abs() < 0.01);
        assert_eq!(entry["request"]["url"], exchange.request.url);
        assert_eq!(entry["response"]["status"], exchange.status().unwrap_or(0));
        let checks = report.results.iter().filter(|result| result.exchanges.contains(&exchange.id));
        assert_eq!(entry["_checkIds"].as_array().unwrap().len(), checks.count());
        if let Some(response) = &exchange.response
            && let Ok(body) = std::str::from_utf8(&response.body)
        {
            let text = entry["response"]["content"]["text"].as_str().unwrap_or_default();
            assert!(body.is_empty() || text == body, "the body survives whole");
        }
    }
}

/// An element that was opened: its name, and its attributes.
type Element<'a> = (&'a str, BTreeMap<&'a str, &'a str>);

/// Reads markup strictly: every tag of ours is closed, every ampersand begins a reference. Answers the elements.
fn elements(text: &str) -> Vec<Element<'_>> {
    const VOID: [&str; 1] = ["meta"];
    let forbidden = |c: char| (c < ' ' && !matches!(c, '\t' | '\n')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    assert!(!text.contains(forbidden), "a character that is forbidden");
    let (mut found, mut open): (Vec<Element<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let between = &rest[..start];
        assert!(!between.contains('>'), "a bare > in {between}");
        if open.last() != Some(&"style") {
            references(between);
        }
        let end = start + rest[start..].find('>').expect("an open tag");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = attributes(tag);
        if !empty && !VOID.contains(&name) {
            open.push(name);
        }
        found.push((name, attributes));
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    found
}

fn html(report: &Report) {
    let text = write(report, Format::Html);
    let body = text.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let elements = elements(body);
    let known: BTreeSet<&str> = [
        "html", "head", "meta", "title", "style", "body", "header", "main", "nav", "section", "article", "h1", "h2",
        "h3", "h4", "p", "ul", "li", "b", "a", "dl", "dt", "dd", "div", "table", "thead", "tbody", "tr", "th", "td",
        "code", "pre",
    ]
    .into();
    let mut ids = BTreeSet::new();
    for (name, attributes) in &elements {
        assert!(known.contains(name), "{name}");
        assert!(attributes.keys().all(|name| !name.starts_with("on") && *name != "src" && *name != "style"));
        assert!(attributes.get("id").is_none_or(|id| ids.insert(*id)), "twice: {attributes:?}");
    }
    for target in elements.iter().filter_map(|(_, attributes)| attributes.get("href")) {
        match target.strip_prefix('#') {
            Some(id) => assert!(ids.contains(id), "{target} leads nowhere"),
            None => assert!(target.starts_with("https://a2a-protocol.org/"), "{target}"),
        }
    }
    assert!(text.contains("content=\"default-src 'none'; style-src 'unsafe-inline';"));
    let tally = &report.tally;
    for (name, number) in [
        ("total", tally.total),
        ("passed", tally.passed),
        ("failed-required", tally.failed_required),
        ("failed-advisory", tally.failed_advisory),
    ] {
        if number == 0 && name != "passed" {
            continue;
        }
        assert!(text.contains(&format!("<li data-count=\"{name}\"><b>{number}</b>")), "{name}");
    }
    let rows = |status: &str| {
        let of_status = elements.iter().filter(|(_, attributes)| attributes.get("data-status") == Some(&status));
        u32::try_from(of_status.count()).unwrap()
    };
    assert_eq!((rows("pass"), rows("fail"), rows("skip")), (tally.passed, tally.failed, tally.skipped));
    let findings = elements.iter().filter(|(_, attributes)| attributes.get("id").is_some_and(|id| id.starts_with('r')));
    let (broken, suggestions) = a2a_conformance::report::headline::broken(report);
    assert!(findings.count() >= broken + suggestions);
    for sign in ["\u{202e}", "\u{2066}", "\u{1b}", "<script", "javascript:alert(1))\" "] {
        assert!(!text.contains(sign), "{sign}");
    }
}

fn badge(report: &Report) {
    let text = write(report, Format::Badge);
    let elements = elements(&text);
    let (root, attributes) = &elements[0];
    assert_eq!((*root, attributes["role"]), ("svg", "img"));
    let title = text.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(attributes["aria-label"], title);
    let word = report.word.title().to_lowercase();
    assert_eq!(text.matches(&format!(">{word}")).count(), 2, "the text and its shadow: {text}");
    assert!(report.versions().iter().all(|version| text.contains(version)));
    let green = text.contains("#107c41");
    let is_good = matches!(report.word, VerdictWord::Conformant | VerdictWord::ConformantWithAdvice);
    assert_eq!(green, is_good);
    assert_eq!(text.contains("#b3261e"), report.word == VerdictWord::NotConformant);
    for level in ["full", "minimal", "non-conformant"] {
        assert!(!text.contains(level), "{level}");
    }
    assert!(text.len() < 4000 && !text.contains("href"));
}

/// Each alone, so that a failure names its format.
fn over_any_run(holds: fn(&Report)) {
    for seed in 0..60 {
        holds(&random(seed, &HOSTILE));
    }
}

#[test]
fn ctrf_counts_as_the_report_does() {
    over_any_run(ctrf);
}

#[test]
fn har_has_every_exchange_with_times_that_add_up() {
    over_any_run(har);
}

#[test]
fn html_counts_as_the_report_does_and_is_whole() {
    over_any_run(html);
}

#[test]
fn a_badge_is_green_for_a_conformant_agent_only() {
    over_any_run(badge);
}
