//! Checks that are made of what a file says of them: those that this program does not declare. Rows point to their checks for good,
//! so that a check is made once however often a file describes it.

use std::cell::RefCell;

use crate::engine::check::{Area, Category, Check, DeclaredCheck, Scenario};
use crate::engine::requirement::Level;

thread_local! {
    static MADE: RefCell<Vec<(CheckDescription, DeclaredCheck)>> = const { RefCell::new(Vec::new()) };
}

#[derive(PartialEq, Eq)]
pub(super) struct CheckDescription {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) why: String,
    pub(super) fix: String,
    pub(super) level: Level,
    pub(super) requirements: Vec<String>,
    /// The name of its area.
    pub(super) area: String,
    pub(super) category: Category,
    /// The id of its scenario.
    pub(super) scenario: String,
    pub(super) scenario_title: String,
}

/// The check of that description.
pub(super) fn declared(said: CheckDescription) -> DeclaredCheck {
    let known = |made: &Vec<(CheckDescription, DeclaredCheck)>| {
        made.iter().find(|(known, _)| *known == said).map(|(_, declared)| *declared)
    };
    if let Some(known) = MADE.with_borrow(known) {
        return known;
    }
    let declared: DeclaredCheck = (
        Box::leak(Box::new(Area { name: kept(&said.area), category: said.category, ..Area::EMPTY })),
        Box::leak(Box::new(Scenario {
            id: kept(&said.scenario),
            title: kept(&said.scenario_title),
            ..Scenario::DEFAULTS
        })),
        Box::leak(Box::new(Check {
            id: kept(&said.id),
            title: kept(&said.title),
            why: kept(&said.why),
            fix: kept(&said.fix),
            requirements: Vec::leak(said.requirements.iter().map(|id| kept(id)).collect()),
            own_level: Some(said.level),
            ..Check::DEFAULTS
        })),
    );
    MADE.with_borrow_mut(|made| made.push((said, declared)));
    declared
}

fn kept(text: &str) -> &'static str {
    String::leak(text.to_owned())
}
