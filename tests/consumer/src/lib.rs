//! A package of somebody else's that uses ours on any target: it checks an agent, follows the run and reads the report.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::{Format, Options, Report, ScriptedAgent, Update, VirtualClock, check};

/// Checks the scripted agent with these faults; answers the report, and how many results were told as they came.
///
/// # Panics
/// When no fault has one of these names.
#[must_use]
pub fn check_with(faults: &[&str]) -> (Report, usize) {
    let clock = VirtualClock::default();
    let agent = ScriptedAgent::new(&clock, faults.iter().copied()).expect("faults that exist");
    let told = Rc::new(RefCell::new(0));
    let sink = {
        let told = Rc::clone(&told);
        move |update| *told.borrow_mut() += usize::from(matches!(update, Update::Judged(_)))
    };
    let report = clock.block_on(check(agent.host(), Options::new(agent.address()), sink));
    let told = *told.borrow();
    (report, told)
}

/// The report as JUnit, for the build servers of this world.
#[must_use]
pub fn junit(report: &Report) -> String {
    report.write(Format::JUnit)
}
