//! The interface itself: whether it answers, and the form of every byte it sends.

mod envelope;
mod formats;
mod http_form;
mod probe;
mod routes;

use crate::a2a::rule::Rule;
use crate::engine::check::{Area, Category};
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

/// The interface itself: whether it answers, and the form of every byte it sends.
pub static AREA: Area = Area {
    name: "transport",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[&probe::SCENARIO, &envelope::SCENARIO, &http_form::SCENARIO, &routes::SCENARIO, &formats::SCENARIO],
};

/// Judges a rule over all traffic of a lane.
fn everywhere(t: &Transcript, rule: Rule, what: &str) -> Judged {
    Ok(t.rule(rule, || match &t.stopped {
        Some(why) => why.clone(),
        None => Verdict::not_applicable(format!("the agent sent no {what}")),
    }))
}
