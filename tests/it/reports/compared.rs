//! Two reports compared: every row is in one list, and the later report's broken musts decide.

use a2a_conformance::engine::verdict::Verdict;
use a2a_conformance::report::markdown::comparison::write as markdown;
use a2a_conformance::report::{Comparison, Format, Report, ReportFile, compare, read, write};

use super::HOSTILE;
use super::readers::{outside_code, tables_are_even};
use super::restored::made_up;
use super::run::{Run, fail, note, random};

fn file(report: &Report) -> ReportFile {
    read(&write(report, Format::Json), made_up).unwrap()
}

fn compared(before: &[(&str, Verdict)], after: &[(&str, Verdict)]) -> Comparison {
    compare(&file(&Run::default().except(before)), &file(&Run::default().except(after)))
}

fn checks(list: &[a2a_conformance::report::comparison::ResultDifference]) -> Vec<&str> {
    list.iter().map(|difference| difference.check.as_str()).collect()
}

#[test]
fn each_kind_of_difference_has_its_list() {
    let blocked = || Verdict::blocked("HTTP 429");
    let comparison = compared(
        &[
            ("get.not-found", fail()),
            ("push.create", blocked()),
            ("cancel.returns-task", fail()),
            ("cors.card", note()),
        ],
        &[
            ("cancel.state", fail()),
            ("cancel.returns-task", blocked()),
            ("stream.first-event", fail()),
            ("extended.returns-card", blocked()),
        ],
    );
    assert_eq!(checks(&comparison.fixed), ["get.not-found"]);
    assert_eq!(checks(&comparison.newly_broken), ["stream.first-event", "cancel.state"], "musts come first");
    // A pass with a note is a pass; what was skipped and passes now was never broken.
    assert_eq!(checks(&comparison.changed), ["cancel.returns-task", "push.create", "extended.returns-card"]);
    assert_eq!(comparison.new_breaches(), 1);
    assert_eq!(comparison.unchanged, 12);
    assert!(comparison.only_before.is_empty() && comparison.only_after.is_empty() && comparison.is_same_suite());

    let advice = compared(&[], &[("cancel.state", fail())]);
    assert_eq!((advice.newly_broken.len(), advice.new_breaches()), (1, 0));
    assert!(compared(&[("get.not-found", fail())], &[("get.not-found", fail())]).is_empty());
}

#[test]
fn checks_that_this_version_does_not_know_are_compared_by_their_ids() {
    let text = write(&Run::default().except(&[("get.not-found", fail())]), Format::Json);
    let (known, unknown) = (read(&text, made_up).unwrap(), read(&text, |_| None).unwrap());
    assert!(unknown.unknown.is_some());
    let comparison = compare(&known, &unknown);
    assert!(comparison.is_empty() && comparison.unchanged == known.report.results.len(), "{comparison:?}");
}

#[test]
fn what_only_one_report_has_counts_when_both_were_judged_by_the_same_rules() {
    let one = Run::default();
    let two = Run { lanes: vec!["jsonrpc-1.0", "rest-1.0"], ..Run::default() };
    let (before, after) = (file(&one.except(&[])), file(&two.except(&[("get.not-found", Verdict::blocked("x"))])));
    let grown = compare(&before, &after);
    assert_eq!((grown.only_after.len(), grown.only_before.len(), grown.new_breaches()), (13, 0, 0));
    assert_eq!(compare(&after, &before).only_before.len(), 13);

    let broken_there = file(
        &two.record(|row| {
            let there = row.lane.as_ref().is_some_and(|lane| lane.id == "rest-1.0") && row.check.id == "get.not-found";
            Some(if there { fail() } else { Verdict::pass() })
        })
        .report(),
    );
    assert_eq!(compare(&before, &broken_there).new_breaches(), 1);
    let mut other_rules = before.clone();
    other_rules.stated.suite = "a2a-requirements-1-0".to_owned();
    let comparison = compare(&other_rules, &broken_there);
    assert_eq!((comparison.only_after.len(), comparison.new_breaches()), (13, 0));
    assert!(markdown(&comparison).contains("judged by different requirement sets (`a2a-requirements-1-0` and "));
}

#[test]
fn every_row_is_in_exactly_one_list_and_the_markdown_stays_whole() {
    for seed in 0..150 {
        let (before, after) = (random(seed, &HOSTILE), random(seed + 1000, &HOSTILE));
        let comparison = compare(&file(&before), &file(&after));
        let both =
            comparison.fixed.len() + comparison.newly_broken.len() + comparison.changed.len() + comparison.unchanged;
        assert_eq!(both + comparison.only_after.len(), after.results.len());
        assert_eq!(both + comparison.only_before.len(), before.results.len());
        let back = compare(&file(&after), &file(&before));
        assert_eq!(back.unchanged, comparison.unchanged);
        let fails = |report: &Report| report.results.iter().filter(|result| result.is_breach()).count();
        let (gone, came) = (comparison.fixed.len() + comparison.changed.len(), comparison.new_breaches());
        assert!(fails(&after) <= fails(&before) + came && fails(&before) <= fails(&after) + gone);

        let text = markdown(&comparison);
        tables_are_even(&text);
        let outside = outside_code(&text);
        for sign in ["<script", "@everyone", "evil.example", "javascript:", "\u{202e}", "\u{1b}"] {
            assert!(!outside.contains(sign), "{sign} in\n{outside}");
        }
    }
}

#[test]
fn a_comparison_for_a_pull_request_says_first_what_is_newly_broken() {
    let comparison = compared(
        &[("get.not-found", fail()), ("cancel.returns-task", fail())],
        &[("stream.first-event", fail()), ("cancel.returns-task", Verdict::blocked("HTTP 429"))],
    );
    insta::assert_snapshot!("comparison", markdown(&comparison));
}
