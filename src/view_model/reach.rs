//! The sentences on the way to the agent: the state of each lamp, and for the stage that failed why, and what the button does.

use super::{cors_snippets, format};
use crate::engine::reach::{Action, Diagnosis, ReasonId, Stage, StageResult, StageStatus};
use crate::host::probe::{AddressSpace, ProbeOutcome};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::order;

/// A stage of the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageLight {
    /// Its name for style sheets and tests.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// How it stands, for style sheets and tests.
    pub light: String,
    /// The shape that goes with it.
    pub shape: String,
    /// The word that goes with it.
    pub word: String,
}

binary_encoding! { struct StageLight { id, title, light, shape, word } }

/// How a stage stands in the end: what is in the way on one lane counts, whatever another lane's calls met.
fn light(reached: &[StageResult], stage: Stage) -> StageStatus {
    let of_stage = || reached.iter().filter(|reached| reached.stage == stage).map(|reached| reached.status);
    for stops in [StageStatus::Blocked, StageStatus::Refused] {
        if of_stage().any(|light| light == stops) {
            return stops;
        }
    }
    of_stage().next_back().unwrap_or(StageStatus::NotReached)
}

/// The lamps, in order; none where nothing stands between.
#[must_use]
pub fn lamps(reached: &[StageResult]) -> Vec<StageLight> {
    if reached.is_empty() {
        return Vec::new();
    }
    let lamp = |stage: Stage| {
        let (light, shape, word) = match light(reached, stage) {
            StageStatus::NotReached => ("dark", "skip", "not reached"),
            StageStatus::NotNeeded => ("open", "pass", "not needed"),
            StageStatus::Asking => ("asking", "running", "waiting for you"),
            StageStatus::Passed => ("open", "pass", "works"),
            StageStatus::Refused => ("turned-away", "blocked", "refused"),
            StageStatus::Blocked => ("blocked", "blocked", "blocked"),
        };
        StageLight {
            id: stage.as_str().to_owned(),
            title: stage.title().to_owned(),
            light: light.to_owned(),
            shape: shape.to_owned(),
            word: word.to_owned(),
        }
    };
    Stage::ALL.into_iter().map(lamp).collect()
}

/// The agent is waited for: the first stage that nothing is known of says so.
pub fn await_next(lamps: &mut [StageLight]) {
    if let Some(lamp) = lamps.iter_mut().find(|lamp| lamp.light == "dark") {
        (lamp.light, lamp.shape, lamp.word) = ("waiting".to_owned(), "running".to_owned(), "waiting".to_owned());
    }
}

/// The diagnosis in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// The reason's name.
    pub reason: String,
    /// In one line.
    pub title: String,
    /// Its meaning.
    pub meaning: String,
    /// The advice.
    pub remedy: String,
    /// The one thing to do next.
    pub action: Action,
    /// Its name on the button.
    pub label: String,
    /// The possible causes, the likeliest first.
    pub causes: Vec<String>,
    /// Other obstacles, a line each.
    pub also: Vec<String>,
    /// The probes and their outcomes.
    pub trail: Vec<(String, String)>,
    /// Commands that show more.
    pub curls: Vec<String>,
    /// The URL that was asked.
    pub url: String,
    /// The page's origin.
    pub home: String,
    /// Whether this page would get further from the visitor's own machine.
    pub free_at_home: bool,
    /// The headers that the settings have to name.
    pub headers: Vec<String>,
    /// The patience to run again with, in seconds.
    pub timeouts: u32,
    /// The field of the form that holds it.
    pub waited_for: String,
}

binary_encoding! { struct Panel {
    reason, title, meaning, remedy, action, label, causes, also, trail, curls, url, home, free_at_home, headers,
    timeouts, waited_for,
} }

/// The page's text on the way, if something is in it.
#[must_use]
pub fn panel(reached: &[StageResult]) -> Option<Panel> {
    let mut found: Vec<&Diagnosis> = reached.iter().filter_map(|reached| reached.diagnosis.as_deref()).collect();
    order::sort_by_key(&mut found, |diagnosis| diagnosis.finding.stage);
    let (first, rest) = found.split_first()?;
    let reason = &first.finding.reason;
    let timeouts = first.seconds.saturating_mul(3).clamp(30, 600);
    let label = match reason.action {
        Action::Fix => "Copy the fix".to_owned(),
        Action::Again => "Run again".to_owned(),
        Action::Wait => format!("Run again and wait {timeouts} s"),
        Action::Tab => "Open it in a tab".to_owned(),
        Action::Local => "Copy the command".to_owned(),
        Action::Address => "Change the address".to_owned(),
    };
    Some(Panel {
        reason: reason.id.as_str().to_owned(),
        title: first.title(),
        meaning: first.fill(reason.meaning),
        remedy: first.fill(reason.remedy),
        action: reason.action,
        label,
        causes: first.causes(),
        also: rest.iter().map(|other| format!("{} ({})", other.title(), other.url)).collect(),
        trail: first.trail.iter().map(|rung| (rung.asked.clone(), met(rung.seen, rung.ms))).collect(),
        curls: cors_snippets::curls(first),
        url: first.url.clone(),
        home: first.home.origin.clone(),
        free_at_home: cors_snippets::is_free_at_home(reason.id, &first.home),
        headers: found.iter().flat_map(|diagnosis| diagnosis.asked_for.clone()).collect(),
        timeouts,
        waited_for: if first.finding.stage <= Stage::Read { "time-reach" } else { "time-answer" }.to_owned(),
    })
}

fn met(seen: ProbeOutcome, ms: u32) -> String {
    let after = format::duration(f64::from(ms));
    match seen {
        ProbeOutcome::Answer(status) => format!("HTTP {status} after {after}"),
        ProbeOutcome::Hidden => format!("an answer that this page may not read, after {after}"),
        ProbeOutcome::Redirect => format!("a redirect after {after}"),
        ProbeOutcome::Error => format!("no answer that this page may read, after {after}"),
        ProbeOutcome::Pending => format!("nothing within {after}"),
    }
}

impl Panel {
    /// The diagnosis as text, for an issue.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n{}\n{}\n", self.title, self.meaning, self.remedy);
        for cause in &self.causes {
            text.push_str(&format!("- {cause}\n"));
        }
        text.push_str(&format!("\nRequested from a page at {}:\n", self.home));
        for (asked, met) in &self.trail {
            text.push_str(&format!("- {asked}: {met}\n"));
        }
        text
    }
}

/// The page's knowledge of the way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReachView {
    /// The lamps, in order; none where nothing stands between.
    pub lamps: Vec<StageLight>,
    /// The obstacle, if there is one.
    pub panel: Option<Panel>,
    /// Whether the browser asks its user just now.
    pub is_asking: bool,
    /// The network whose permission was denied.
    pub denied: Option<AddressSpace>,
}

binary_encoding! { struct ReachView { lamps, panel, is_asking, denied } }

impl ReachView {
    /// The sum of the stages so far.
    #[must_use]
    pub fn from_stages(reached: &[StageResult]) -> Self {
        let denied = reached.iter().find_map(|reached| {
            let diagnosis = reached.diagnosis.as_deref()?;
            (diagnosis.finding.reason.id == ReasonId::PermissionDenied).then_some(diagnosis.space)
        });
        Self {
            lamps: lamps(reached),
            panel: panel(reached),
            is_asking: reached.last().is_some_and(|reached| reached.status == StageStatus::Asking),
            denied,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::engine::reach::{Observations, classify, triage};
    use crate::host::probe::{PageOrigin, Permission};
    use crate::wire::http::Method;

    fn blocked(stage: Stage, url: &str, page: &str, seen: &Observations) -> StageResult {
        let home = PageOrigin::from_address(page);
        let target = triage(url, &home).unwrap();
        let finding = classify(stage, Method::Post, &target, seen);
        let stage = finding.stage;
        let diagnosis = Diagnosis {
            finding,
            url: url.to_owned(),
            method: Method::Post,
            asked_for: vec!["content-type".to_owned(), "a2a-version".to_owned()],
            trail: Vec::new(),
            space: target.space,
            home,
            seconds: 60,
        };
        StageResult { stage, status: StageStatus::Blocked, diagnosis: Some(Rc::new(diagnosis)) }
    }

    fn open(stage: Stage) -> StageResult {
        StageResult { stage, status: StageStatus::Passed, diagnosis: None }
    }

    #[test]
    fn a_healthy_way_has_lamps_and_no_panel() {
        assert!(lamps(&[]).is_empty());
        let way = [open(Stage::Address), open(Stage::Read)];
        assert_eq!(panel(&way), None);
        let lights: Vec<_> = lamps(&way).into_iter().map(|lamp| lamp.light).collect();
        assert_eq!(lights, ["open", "dark", "open", "dark", "dark"]);
    }

    #[test]
    fn calls_that_are_turned_away_do_not_work() {
        let refused = StageResult { stage: Stage::Write, status: StageStatus::Refused, diagnosis: None };
        for way in [[open(Stage::Write), refused.clone()], [refused.clone(), open(Stage::Write)]] {
            let write = lamps(&way).into_iter().find(|lamp| lamp.id == "write").unwrap();
            assert_eq!((write.light.as_str(), write.word.as_str()), ("turned-away", "refused"));
            assert_eq!(panel(&way), None, "nothing is in the way");
        }
    }

    #[test]
    fn a_refused_header_is_named_and_has_one_action() {
        let headers = vec![
            ("content-type".to_owned(), ProbeOutcome::Answer(400)),
            ("a2a-version".to_owned(), ProbeOutcome::Error),
        ];
        let seen =
            Observations { simple: Some(ProbeOutcome::Answer(400)), headers, ..Observations::new(ProbeOutcome::Error) };
        let url = "http://127.0.0.1:9999/rpc";
        let way = [open(Stage::Read), blocked(Stage::Write, url, "http://localhost:8080/", &seen), open(Stage::Write)];
        let panel = panel(&way).unwrap();
        assert_eq!((panel.reason.as_str(), panel.action), ("preflight-header", Action::Fix));
        assert!(panel.title.contains("a2a-version") && !panel.title.contains("content-type"), "{}", panel.title);
        assert!(panel.curls[1].contains("Access-Control-Request-Headers: a2a-version,content-type"));
        let write = lamps(&way).into_iter().find(|lamp| lamp.id == "write").unwrap();
        assert_eq!(write.light, "blocked", "another lane that works does not put the lamp out");
    }

    #[test]
    fn nothing_of_the_table_is_left_to_fill_in() {
        let hidden = Observations { hidden: Some(ProbeOutcome::Hidden), ..Observations::new(ProbeOutcome::Error) };
        let gone = Observations { hidden: Some(ProbeOutcome::Error), ..Observations::new(ProbeOutcome::Error) };
        let denied = Observations { permission: Permission::Denied, ..gone.clone() };
        let pending = Observations::new(ProbeOutcome::Pending);
        for (url, seen) in [
            ("http://127.0.0.1:9999/", &hidden),
            ("http://127.0.0.1:6000/", &gone),
            ("http://localhost:1/", &denied),
            ("https://agent.example/", &gone),
            ("http://agent.example/", &gone),
            ("https://agent.example/", &pending),
        ] {
            let panel = panel(&[blocked(Stage::Read, url, "https://checker.example/", seen)]).unwrap();
            let all = format!("{}{}{}", panel.text(), panel.label, panel.causes.concat());
            assert!(!all.contains(['{', '}']), "{all}");
            assert!(panel.causes.is_empty() == (panel.reason != "unreachable"), "{}", panel.reason);
        }
    }
}
