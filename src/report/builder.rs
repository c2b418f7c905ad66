//! Folds the events of a run into a [`Report`]. A report can be asked for at any time: rows that were not judged yet are
//! in it as not run, so that nothing is lost when a run is stopped or dies.

use std::rc::Rc;

use super::assess;
use super::checked_row::CheckedRow;
use super::connection::Connection;
use super::level::LaneReport;
use super::model::Report;
use super::recommend;
use super::text;
use super::tool::{Environment, suite};
use super::verdict::{MustCounts, VerdictWord};
use crate::engine::event::{Agent, CheckResult, Completion, Event, LeftOut, Row, Tally};
use crate::engine::load::LoadFigures;
use crate::engine::run_settings::RunSettings;
use crate::engine::sdk::Sdk;
use crate::engine::transcript::Lane;
use crate::engine::upgrade;
use crate::wire::exchange::Exchange;
use crate::wire::place_index::PlaceIndex;

/// Everything that is known of a run so far.
#[derive(Debug, Clone, Default)]
pub struct ReportBuilder {
    pub(crate) environment: Environment,
    pub(crate) address: String,
    settings: RunSettings,
    started_ms: Option<f64>,
    agent: Option<Agent>,
    pub(crate) lanes: Vec<Rc<Lane>>,
    left_out: Vec<LeftOut>,
    load: Option<Rc<LoadFigures>>,
    runs: Option<u32>,
    rows: Vec<(Row, Option<Rc<CheckResult>>)>,
    /// The places of the rows, by check and lane.
    places: PlaceIndex,
    /// In the order of their numbers.
    pub(crate) exchanges: Vec<Rc<Exchange>>,
    pub(crate) tally: Tally,
    end: Option<RunEnd>,
}

#[derive(Debug, Clone)]
struct RunEnd {
    completion: Completion,
    cause: Option<String>,
    duration_ms: f64,
}

impl ReportBuilder {
    /// A builder that has seen no event yet.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self { environment, ..Self::default() }
    }

    /// Adds an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Started { address, wall_ms, settings } => {
                self.address = text::plain_address(address);
                self.settings.clone_from(settings);
                self.runs = (settings.repeat > 1).then_some(0);
                // A clock that is out of order tells nothing. Files have whole milliseconds.
                self.started_ms = Some(*wall_ms).filter(|ms| ms.is_finite() && *ms > 0.0).map(f64::trunc);
            }
            Event::Agent(agent) => self.agent = Some(agent.clone()),
            Event::Lanes(lanes) => self.lanes.clone_from(lanes),
            Event::LeftOut(left_out) => self.left_out.clone_from(left_out),
            Event::Loaded(figures) => self.load = Some(Rc::clone(figures)),
            Event::Planned { rows, .. } => {
                for row in rows {
                    self.plan(row, None);
                }
                self.tally.total = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
            }
            Event::Exchanged(exchange) => {
                // Exchanges arrive in the order in which they end.
                let place = self.exchanges.partition_point(|known| known.id <= exchange.id);
                self.exchanges.insert(place, Rc::clone(exchange));
            }
            Event::Judged { result, tally } => {
                // A result without a row of the plan would be a fault of the runner; it is shown all the same.
                self.plan(&result.row, Some(result));
                self.tally = *tally;
            }
            Event::OfRun { run, event } => match &**event {
                Event::Finished { .. } => self.runs = Some(*run),
                Event::Judged { tally, .. } => self.tally.messages = tally.messages,
                _ => {}
            },
            Event::Finished { completion, tally, cause, duration_ms } => {
                self.tally = *tally;
                let end = RunEnd { completion: completion.clone(), cause: cause.clone(), duration_ms: *duration_ms };
                self.end = Some(end);
            }
            Event::Activity(_) | Event::Confirm { .. } | Event::Reach(_) | Event::ScenarioStarted { .. } => {}
        }
    }

    /// Adds a row if it is new, and its result if there is one.
    fn plan(&mut self, row: &Row, result: Option<&Rc<CheckResult>>) {
        let identity = [row.check.id, row.lane.as_ref().map_or("", |lane| lane.id.as_str())];
        let known = self.places.find(&identity);
        match known.and_then(|place| self.rows.get_mut(place)) {
            Some((_, known)) => {
                if result.is_some() {
                    *known = result.cloned();
                }
            }
            None => {
                self.places.insert(&identity, self.rows.len());
                self.rows.push((row.clone(), result.cloned()));
            }
        }
    }

    /// The counts as the run told them last.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// The rows with their results, and with what helps on the agent's SDK. A row without a result is missing for this reason.
    fn results(&self, missing: &'static str) -> Vec<CheckedRow> {
        let mut results: Vec<CheckedRow> = self
            .rows
            .iter()
            .map(|(row, result)| match result {
                Some(result) => CheckedRow::judged(result),
                None => CheckedRow::not_run(row, missing),
            })
            .collect();
        let sdk = Sdk::from_exchanges(self.exchanges.iter().map(|exchange| &**exchange));
        for result in &mut results {
            let hint = sdk.and_then(|sdk| sdk.hint(result.check));
            if let (Some(fix), Some(hint)) = (&mut result.remediation, hint) {
                fix.push(' ');
                fix.push_str(&hint);
            }
        }
        results
    }

    /// The report on what is known by now.
    #[must_use]
    pub fn report(&self) -> Report {
        let completion = self.end.as_ref().map(|end| end.completion.clone());
        let missing = match completion {
            None => "not judged yet: the run has not finished",
            Some(Completion::Stopped) => "the run was stopped before this was judged",
            Some(_) => "the run ended before this was judged",
        };
        let results = self.results(missing);
        let mut tally = Tally { messages: self.tally.messages, ..Tally::default() };
        for result in &results {
            tally.count(result.outcome, result.level);
        }
        // Only what the run judged counts as judged; in a report every row has a status.
        tally.total = tally.judged;
        tally.judged = self.rows.iter().map(|(_, result)| u32::from(result.is_some())).sum();

        let mut lanes: Vec<LaneReport> = self.lanes.iter().map(|lane| LaneReport::unassessed(lane)).collect();
        let silent = self.agent.as_ref().map_or(&[][..], |agent| &agent.silent_interfaces);
        let assessment = assess::assess(&mut lanes, &results, completion.as_ref(), silent);
        let musts = MustCounts::from_rows(&results);
        let last = self.exchanges.iter().map(|exchange| exchange.end_ms).fold(0.0, f64::max);
        Report {
            environment: self.environment.clone(),
            connection: Connection::default(),
            suite: suite(),
            address: self.address.clone(),
            settings: self.settings.clone(),
            agent: self.agent.clone(),
            left_out: self.left_out.clone(),
            load: self.load.clone(),
            runs: self.runs,
            started_ms: self.started_ms,
            duration_ms: self.end.as_ref().map_or(last, |end| end.duration_ms),
            cause: self.end.as_ref().and_then(|end| end.cause.clone()),
            word: VerdictWord::conclude(&musts, &results, &assessment.rating, completion.as_ref()),
            recommendations: recommend::recommendations(&results),
            upgrade: upgrade::upgrade(self.lanes.iter().map(|lane| &**lane)),
            completion,
            lanes,
            results,
            tally,
            musts,
            assessment,
            exchanges: self.exchanges.clone(),
            agents: Vec::new(),
            clients: Vec::new(),
        }
    }
}
