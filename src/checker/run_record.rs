//! A run as the checker keeps it: its events become messages for the page, and what the page asks of a run is answered from
//! what was kept.

use std::rc::Rc;

use crate::engine::event::{CheckResult, Event, Row, Tally};
use crate::engine::reach::StageResult;
use crate::page::view::banner::Banner;
use crate::page::view::detail::Detail;
use crate::page::view::messages::{Confirm, File, Message};
use crate::page::view::printed::Sheet;
use crate::page::view::reach::Way;
use crate::page::view::rows::{RowInfo, RowResult, lane_label};
use crate::report::{self, Environment, Format, Report, ReportBuilder, file_name};
use crate::wire::exchange::Exchange;

/// A run as far as it went.
#[derive(Debug)]
pub struct RunRecord {
    builder: ReportBuilder,
    rows: Vec<(RowInfo, Option<Rc<CheckResult>>)>,
    exchanges: Vec<Rc<Exchange>>,
    reached: Vec<StageResult>,
    tally: Tally,
}

impl RunRecord {
    /// Before its first event.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self {
            builder: ReportBuilder::new(environment),
            rows: Vec::new(),
            exchanges: Vec::new(),
            reached: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Keeps an event; what the page is told of it.
    pub fn apply(&mut self, event: &Event) -> Option<Message> {
        self.builder.apply(event);
        Some(match event {
            Event::Started { .. } => return None,
            Event::Activity(activity) => Message::Stage(activity.to_string()),
            Event::Confirm { whom, url, complete, code } => Message::Confirm(Confirm {
                whom: (*whom).to_owned(),
                url: if complete.is_empty() { url.clone() } else { complete.clone() },
                code: code.clone(),
                spoken: format!("To give {whom} access, confirm the code {code} at {url}"),
            }),
            Event::Reach(reached) => {
                self.reached.push(reached.clone());
                Message::Way(Box::new(Way::of(&self.reached)))
            }
            Event::Agent(agent) => Message::Agent(Box::new(agent.clone())),
            Event::Lanes(lanes) => Message::Lanes(lanes.iter().map(|lane| lane_label(lane)).collect()),
            Event::Planned { rows, messages } => self.plan(rows, *messages),
            Event::ScenarioStarted { scenario, lane } => {
                let lane = lane.as_ref().map_or("", |lane| lane.id.as_str());
                let is_of =
                    |info: &RowInfo| info.lane == lane && scenario.checks.iter().any(|check| check.id == info.check);
                let places = self.rows.iter().filter(|(info, _)| is_of(info)).map(|(info, _)| info.index);
                Message::Running(places.collect())
            }
            Event::Exchanged(exchange) => {
                self.exchanges.push(Rc::clone(exchange));
                return None;
            }
            Event::Judged { result, tally } => {
                self.tally = *tally;
                let key = result.row.key();
                let (info, kept) = self.rows.iter_mut().find(|(info, _)| info.key == key)?;
                *kept = Some(Rc::clone(result));
                Message::Judged { row: info.index, result: RowResult::of(result) }
            }
            Event::Finished { tally, .. } => {
                self.tally = *tally;
                let report = self.report();
                Message::Finished(Box::new(Banner::of(&report, &|row| self.name(&row.key(), row.title))))
            }
        })
    }

    fn plan(&mut self, rows: &[Row], messages: u32) -> Message {
        let from = self.rows.len();
        let infos: Vec<RowInfo> = rows.iter().enumerate().map(|(at, row)| RowInfo::new(from + at, row)).collect();
        self.rows.extend(infos.iter().map(|info| (info.clone(), None)));
        self.tally.total = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        Message::Planned { rows: infos, messages }
    }

    /// The counts so far.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// The report as far as the run went.
    #[must_use]
    pub fn report(&self) -> Report {
        self.builder.report()
    }

    /// How a row is named: its title, and its lane.
    fn name(&self, key: &str, title: &str) -> (String, String) {
        let known = self.rows.iter().find(|(info, _)| info.key == key);
        known.map_or_else(
            || (title.to_owned(), String::new()),
            |(info, _)| (info.title.clone(), info.lane_label.clone()),
        )
    }

    /// The row at that place of the plan in full; `None` before it has a result.
    #[must_use]
    pub fn detail(&self, row: usize) -> Option<Detail> {
        let (_, result) = self.rows.get(row)?;
        let result = result.as_ref()?;
        Some(Detail::of(result, self.exchanges.iter().map(|exchange| &**exchange)))
    }

    /// The report as a file of that format.
    #[must_use]
    pub fn file(&self, format: Format) -> File {
        let report = self.report();
        File {
            name: file_name(&report, format),
            media_type: format.media_type().to_owned(),
            text: report::write(&report, format),
        }
    }

    /// The report to keep for a reload, as JSON; without exchanges where there is little room.
    #[must_use]
    pub fn kept(&self, whole: bool) -> String {
        let mut report = self.report();
        if !whole {
            report.exchanges.clear();
        }
        report::write(&report, Format::Json)
    }

    /// What is printed.
    #[must_use]
    pub fn printed(&self) -> Sheet {
        Sheet::of(&self.report())
    }
}
