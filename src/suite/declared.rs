//! The areas as they are declared, and as a page carries them: without why each check matters, which only an open row shows.
//! That is in the module which the page loads on demand.
#![expect(clippy::indexing_slicing, reason = "all of this runs while it is compiled, where a wrong index is an error")]

use crate::engine::check::{Area, Check, Scenario};

/// Every area, in the order in which it is shown.
pub static DECLARED: &[&Area] = &[
    &super::discovery::AREA,
    &super::card::AREA,
    &super::messaging::AREA,
    &super::tasks::AREA,
    &super::multi_turn::AREA,
    &super::list_tasks::AREA,
    &super::push::AREA,
    &super::streaming::AREA,
    &super::subscribe::AREA,
    &super::errors::AREA,
    &super::transport::AREA,
    &super::auth::AREA,
    &super::versioning::AREA,
    &super::extensions::AREA,
    &super::interop::AREA,
];

// A declaration that lacks something does not compile.
const _: () = {
    let mut areas = DECLARED;
    while let [area, others @ ..] = areas {
        let mut scenarios = area.scenarios;
        while let [scenario, others @ ..] = scenarios {
            assert!(scenario.is_complete(), "a check has an id, a title, a why, a fix and a fault");
            scenarios = others;
        }
        areas = others;
    }
};

/// How many scenarios and checks there are.
const COUNTS: (usize, usize) = {
    let (mut scenario_count, mut check_count) = (0, 0);
    let mut areas = DECLARED;
    while let [area, others @ ..] = areas {
        let mut scenarios = area.scenarios;
        while let [scenario, others @ ..] = scenarios {
            scenario_count += 1;
            check_count += scenario.checks.len();
            scenarios = others;
        }
        areas = others;
    }
    (scenario_count, check_count)
};

/// Every check, in the order of the areas.
const ALL: [&Check; COUNTS.1] = {
    let mut all = [&Check::DEFAULTS; COUNTS.1];
    let mut at = 0;
    let mut areas = DECLARED;
    while let [area, others @ ..] = areas {
        let mut scenarios = area.scenarios;
        while let [scenario, others @ ..] = scenarios {
            let mut checks = scenario.checks;
            while let [check, others @ ..] = checks {
                all[at] = check;
                at += 1;
                checks = others;
            }
            scenarios = others;
        }
        areas = others;
    }
    all
};

/// Why each check matters: its id, and the text.
pub static WHYS: [(&str, &str); COUNTS.1] = {
    let mut whys = [("", ""); COUNTS.1];
    let mut at = 0;
    while at < whys.len() {
        whys[at] = (ALL[at].id, ALL[at].why);
        at += 1;
    }
    whys
};

/// The areas without their scenarios: whoever names one carries no judgement along.
static BARE_AREAS: [Area; DECLARED.len()] = {
    let mut copies = [const { Area::EMPTY }; DECLARED.len()];
    let mut at = 0;
    while at < copies.len() {
        copies[at] = Area { scenarios: &[], ..*DECLARED[at] };
        at += 1;
    }
    copies
};

/// What a report has of a check without its judgement: area, id, title, and the ids of its requirements, none for the one that
/// has the check's own id. A module that only writes reports would otherwise carry the whole suite.
pub static NAMES: [(&Area, &str, &str, &[&str]); COUNTS.1] = {
    let mut names: [(&Area, &str, &str, &[&str]); COUNTS.1] = [(&Area::EMPTY, "", "", &[]); COUNTS.1];
    let (mut area, mut at) = (0, 0);
    while area < DECLARED.len() {
        let mut scenarios = DECLARED[area].scenarios;
        while let [scenario, others @ ..] = scenarios {
            let mut checks = scenario.checks;
            while let [check, others @ ..] = checks {
                names[at] = (&BARE_AREAS[area], check.id, check.title, check.requirements);
                at += 1;
                checks = others;
            }
            scenarios = others;
        }
        area += 1;
    }
    names
};

static CHECKS: [Check; COUNTS.1] = {
    let mut checks = [const { Check::DEFAULTS }; COUNTS.1];
    let mut at = 0;
    while at < checks.len() {
        checks[at] = Check { why: "", ..*ALL[at] };
        at += 1;
    }
    checks
};

static SCENARIOS: [Scenario; COUNTS.0] = {
    let mut copies = [const { Scenario::DEFAULTS }; COUNTS.0];
    let mut checks: &[Check] = &CHECKS;
    let mut at = 0;
    let mut areas = DECLARED;
    while let [area, others @ ..] = areas {
        let mut scenarios = area.scenarios;
        while let [scenario, others @ ..] = scenarios {
            let (own, later) = checks.split_at(scenario.checks.len());
            copies[at] = Scenario { checks: own, ..**scenario };
            at += 1;
            (scenarios, checks) = (others, later);
        }
        areas = others;
    }
    copies
};

static SCENARIO_LIST: [&Scenario; COUNTS.0] = {
    let mut list = [&Scenario::DEFAULTS; COUNTS.0];
    let mut at = 0;
    while at < list.len() {
        list[at] = &SCENARIOS[at];
        at += 1;
    }
    list
};

static AREAS: [Area; DECLARED.len()] = {
    let mut copies = [const { Area::EMPTY }; DECLARED.len()];
    let mut scenarios: &[&Scenario] = &SCENARIO_LIST;
    let mut at = 0;
    while at < copies.len() {
        let (own, later) = scenarios.split_at(DECLARED[at].scenarios.len());
        copies[at] = Area { scenarios: own, ..*DECLARED[at] };
        scenarios = later;
        at += 1;
    }
    copies
};

/// Every area, as a page carries it. What is declared is only read while this is compiled, and so is not in the program.
pub static FOR_PAGE: &[&Area] = &{
    let mut list = [&Area::EMPTY; DECLARED.len()];
    let mut at = 0;
    while at < list.len() {
        list[at] = &AREAS[at];
        at += 1;
    }
    list
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::scenarios;

    type Members = (&'static str, &'static str, [u32; 3], [&'static [&'static str]; 2]);

    /// What of a scenario can be compared. That the judges and conversations are the same ones is seen in what they do
    /// (`tests/it/registry.rs`): the address of a function is not the same everywhere.
    fn members(scenario: &Scenario) -> Members {
        (
            scenario.id,
            scenario.title,
            [scenario.messages, scenario.streams, scenario.rounds],
            [scenario.after, scenario.judged_after],
        )
    }

    #[test]
    fn the_names_of_a_check_are_those_of_its_declaration() {
        let declared =
            scenarios(DECLARED).flat_map(|(area, scenario)| scenario.checks.iter().map(move |check| (area, check)));
        let mut names = NAMES.iter();
        for (area, check) in declared {
            let (bare, id, title, requirements) = names.next().unwrap();
            assert_eq!((bare.name, bare.category, bare.is_optional), (area.name, area.category, area.is_optional));
            assert!(bare.scenarios.is_empty());
            assert_eq!((*id, *title, *requirements), (check.id, check.title, check.requirements));
        }
        assert!(names.next().is_none());
    }

    #[test]
    fn a_page_carries_the_same_checks_without_why_they_matter() {
        let (declared, carried) = (scenarios(DECLARED), scenarios(FOR_PAGE));
        let mut whys = WHYS.iter();
        for ((area, scenario), (page_area, page_scenario)) in declared.zip(carried) {
            assert_eq!((area.name, area.category), (page_area.name, page_area.category));
            assert_eq!(members(scenario), members(page_scenario));
            assert_eq!(scenario.checks.len(), page_scenario.checks.len());
            for (check, page_check) in scenario.checks.iter().zip(page_scenario.checks) {
                assert_eq!((check.id, check.title, check.fix), (page_check.id, page_check.title, page_check.fix));
                assert_eq!((check.requirements, check.advisory), (page_check.requirements, page_check.advisory));
                assert_eq!(page_check.why, "");
                assert_eq!(whys.next(), Some(&(check.id, check.why)));
            }
        }
        assert_eq!(scenarios(DECLARED).count(), scenarios(FOR_PAGE).count());
        assert_eq!(whys.next(), None);
    }
}
