//! Checks a conformant agent and a broken one, and says whether the library told them apart.

use a2a_conformance::VerdictWord;

fn main() {
    let (good, told) = consumer::check_with(&[]);
    assert_eq!(good.verdict(), VerdictWord::Conformant, "{:?}", good.cause());
    assert_eq!(good.results().count(), told, "every result is told as it comes");

    let (bad, _) = consumer::check_with(&["get-wrapped"]);
    assert_eq!(bad.verdict(), VerdictWord::NotConformant);
    let failure = bad.results().find(|result| result.check == "get.returns-task" && result.is_failure());
    let failure = failure.expect("the fault is found");
    assert!(failure.fix.is_some() && failure.spec_url.is_some());
    assert!(consumer::junit(&bad).contains("get.returns-task"));
    println!("{told} results; {}: {}", failure.check, failure.message);
}
