//! The checks of a report that was opened: those that every program has by their ids, and those that only the command line has by
//! what the file says of them. Rows point to their checks for good, so that a check is made once however often a file describes it.

use std::cell::RefCell;

use crate::engine::check::{Area, Category, Check, Scenario};
use crate::engine::requirement::Level;
use crate::report::checked_row::DescribedCheck;
use crate::report::json::{JsonCategory, JsonResult, JsonStrength};
use crate::report::{CheckedRow, DeclaredCheck};
use crate::suite;

thread_local! {
    static MADE: RefCell<Vec<&'static MadeCheck>> = const { RefCell::new(Vec::new()) };
}

/// A check that was made of a description.
struct MadeCheck {
    area: Area,
    scenario: Scenario,
    check: Check,
}

/// The check of a result; `None` for one that this program does not know and the file does not describe.
pub(super) fn declared(result: &JsonResult) -> Option<DeclaredCheck> {
    if let Some(MadeCheck { area, scenario, check }) = made(result) {
        let described = Some(DescribedCheck { scenario, check });
        return Some(DeclaredCheck {
            area,
            id: check.id,
            title: check.title,
            requirements: check.requirements,
            described,
        });
    }
    let (area, _, check) = suite::every_declaration().find(|(_, _, check)| check.id == result.test)?;
    Some(DeclaredCheck { area, id: check.id, title: check.title, requirements: check.requirements, described: None })
}

/// The declaration of a row.
pub(super) fn declaration_of(row: &CheckedRow) -> Option<(&'static Scenario, &'static Check)> {
    match row.described {
        Some(DescribedCheck { scenario, check }) => Some((scenario, check)),
        None => suite::every_declaration()
            .find(|(_, _, check)| check.id == row.check)
            .map(|(_, scenario, check)| (scenario, check)),
    }
}

/// The check that a file describes, if it does.
fn made(result: &JsonResult) -> Option<&'static MadeCheck> {
    let said = result.described.as_ref()?;
    let level = match result.level {
        JsonStrength::Must => Level::Must,
        JsonStrength::Should => Level::Should,
        JsonStrength::May => Level::May,
    };
    let category = match result.category {
        JsonCategory::AgentCard => Category::AgentCard,
        JsonCategory::Lifecycle => Category::Lifecycle,
        JsonCategory::Streaming => Category::Streaming,
        JsonCategory::ErrorHandling => Category::ErrorHandling,
        JsonCategory::Interop => Category::Interop,
    };
    let fix = result.remediation.as_deref().unwrap_or_default();
    let is_it = |known: &&&'static MadeCheck| {
        let (area, scenario, check) = (&known.area, &known.scenario, &known.check);
        let texts = [check.id, check.title, check.why, check.fix, area.name, scenario.id, scenario.title];
        texts == [&result.test, &said.title, &said.why, fix, &said.area, &said.scenario, &said.scenario_title]
            && check.own_level == Some(level)
            && area.category == category
            && check.requirements == result.requirement
    };
    let known = MADE.with_borrow(|made| made.iter().find(is_it).copied());
    Some(known.unwrap_or_else(|| {
        let requirements: Vec<&'static str> = result.requirement.iter().map(|id| kept(id)).collect();
        let made: &'static MadeCheck = Box::leak(Box::new(MadeCheck {
            area: Area { name: kept(&said.area), category, ..Area::EMPTY },
            scenario: Scenario { id: kept(&said.scenario), title: kept(&said.scenario_title), ..Scenario::DEFAULTS },
            check: Check {
                id: kept(&result.test),
                title: kept(&said.title),
                why: kept(&said.why),
                fix: kept(fix),
                requirements: Vec::leak(requirements),
                own_level: Some(level),
                ..Check::DEFAULTS
            },
        }));
        MADE.with_borrow_mut(|all| all.push(made));
        made
    }))
}

fn kept(text: &str) -> &'static str {
    String::leak(text.to_owned())
}
