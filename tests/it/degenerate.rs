//! Agents that answer everything alike, or not at all: never better than they are, never a hang, and one sentence that
//! says what is wrong.

use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::report::{ConformanceLevel, Environment, ReportBuilder};

use crate::support::{Told, check, check_as_told};

fn level(told: &Told) -> Option<ConformanceLevel> {
    let mut recorder =
        ReportBuilder::new(Environment { tool_version: "0".to_owned(), host: "test".to_owned(), user_agent: None });
    for event in &told.events {
        recorder.apply(event);
    }
    recorder.report().assessment.rating.level()
}

#[test]
fn degenerate_agents_are_reported_with_the_cause() {
    for (fault, best, words) in [
        ("canned-error", Some(ConformanceLevel::NonConformant), "same response"),
        ("canned-message", Some(ConformanceLevel::Minimal), "same response"),
        ("canned-html", Some(ConformanceLevel::NonConformant), "HTML page"),
        ("canned-empty", Some(ConformanceLevel::NonConformant), "does not speak"),
        ("silent", None, "no answer"),
    ] {
        let told = check(&[fault], Options { timeout_ms: 5_000.0, ..Options::default() });
        let level = level(&told);
        let good_enough = match (level, best) {
            (None, _) => true,
            (Some(level), Some(best)) => level == best || level == ConformanceLevel::NonConformant,
            (Some(_), None) => false,
        };
        assert!(good_enough, "{fault}: {level:?}");
        let cause = told.cause.clone().unwrap_or_else(|| panic!("{fault}: no sentence"));
        assert!(cause.contains(words), "{fault}: {cause}");
        // A deadline for the card, one for the probe, and little else.
        assert!(told.duration_ms < 60_000.0, "{fault} took {} ms", told.duration_ms);
        let incomplete = matches!(told.completion, Completion::Incomplete(_));
        let failed = told.tally.failed_required > 0;
        assert!(failed || incomplete, "{fault} would exit with zero");
    }
}

#[test]
fn an_agent_that_dies_during_the_run_blocks_the_rest_and_the_run_ends() {
    let told = check(&["dies-after-ten"], Options::default());
    assert!(matches!(told.events.last(), Some(Event::Finished { .. })));
    assert!(told.tally.blocked > 10, "{:?}", told.tally);
    assert_ne!(level(&told), Some(ConformanceLevel::Full));
}

#[test]
fn an_agent_that_requires_credentials_is_blocked_and_not_failed() {
    for headers in [Vec::new(), vec![("Authorization".to_owned(), "Bearer has run out".to_owned())]] {
        let told = check_as_told(&["protected"], Options { headers, ..Options::default() });
        assert_eq!(told.tally.failed, 0, "{:?}", told.tripped());
        assert!(matches!(told.completion, Completion::Incomplete(_)));
    }
}

#[test]
fn an_agent_that_serves_another_version_gets_one_explanation() {
    let told = check(&["kind-members", "states-lowercase", "roles-lowercase"], Options::default());
    let cause = told.cause.clone().expect("a sentence");
    assert!(cause.contains("format of 0.3"), "{cause}");
    // One slip is not a language.
    assert_eq!(check(&["kind-members"], Options::default()).cause, None);
    assert_eq!(check(&["states-lowercase"], Options::default()).cause, None);
}

#[test]
fn credentials_are_tried_with_an_operation_that_exists() {
    // Every call of a list is refused, whoever asks: that keeps nobody out.
    let told = check(&["protected", "list-missing", "auth-any-token"], Options::default());
    let failed = told.places();
    assert!(failed.contains(&("auth.invalid-credentials", Some("jsonrpc-1.0".to_owned()))), "{failed:?}");
    let told = check(&["protected", "list-missing"], Options::default());
    assert!(told.tripped().iter().all(|check| !check.starts_with("auth.")), "{:?}", told.tripped());
}

#[test]
fn undeclared_credentials_are_advice_to_a_client_that_has_none() {
    // Nothing else can be judged, but this is what its author has to know.
    let told = check_as_told(&["auth-undeclared"], Options::default());
    assert_eq!(told.tripped(), ["auth.declared"]);
    assert_eq!(told.tally.messages, 0);
}
