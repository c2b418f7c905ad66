//! A run as the checker keeps it: its events become messages for the page, what the page asks of a run is answered, and how large a
//! report is kept for a reload.

use std::cell::RefCell;
use std::rc::Rc;

use super::copy_text;
use super::opened_report::{self, FileContent};
use crate::agent::fault::FAULTS;
use crate::engine::event::{Activity, CheckResult, Completion, Event, Row, Tally, row_key};
use crate::engine::lane_name::lane_name;
use crate::engine::reach::StageResult;
use crate::engine::verdict::Outcome;
use crate::report::text::plain_address;
use crate::report::{self, CheckedRow, Environment, Format, Report, ReportBuilder, ReportFile, file_name};
use crate::suite;
use crate::view_model::banner::Banner;
use crate::view_model::card::CardView;
use crate::view_model::comparison::ComparisonView;
use crate::view_model::detail::{CitedRule, Detail};
use crate::view_model::evidence::Evidence;
use crate::view_model::format;
use crate::view_model::messages::{CheckerMessage, Confirm, File, Opened, Opening, SavedRun};
use crate::view_model::past_runs::{self, PastRun};
use crate::view_model::printed::PrintedRun;
use crate::view_model::reach::ReachView;
use crate::view_model::rows::{RowInfo, RowResult};
use crate::view_model::traffic::{self, TrafficLine};
use crate::view_model::wire::{FullBody, Mark, MessageSide, whole};
use crate::wire::exchange::Exchange;
use crate::wire::json::{self, Value};
use crate::wire::place_index::PlaceIndex;

/// The exchanges of some checks that are run again; their results share them.
type RunExchanges = Rc<RefCell<Vec<Rc<Exchange>>>>;

/// A run as far as it went, with what was judged again since.
#[derive(Debug, Default)]
pub struct RunRecord {
    /// The fold of its events, and of a report of a file those by which the page shows it.
    builder: ReportBuilder,
    /// The report of a file, and its text, which is handed on as it was: of what is very long it holds the beginning, and says so.
    file: Option<(Box<Report>, String)>,
    rows: Vec<(RowInfo, Option<NewestResult>)>,
    /// The places of the rows, by key.
    places: PlaceIndex,
    reached: Vec<StageResult>,
    /// The reports of the two agents, in the report on both together.
    agents: Vec<Rc<Report>>,
    /// How many times the agent is checked, and of a run after the first, while it goes on, the counts.
    runs: u32,
    further: Option<Tally>,
    /// The origin of the page from which a browser hides header fields; `None` where all are seen.
    hides_from: Option<String>,
    again: Option<RunOfSomeChecks>,
}

/// The newest result of a row, with the exchanges of its run if that came after the whole one.
#[derive(Debug)]
struct NewestResult {
    result: Rc<CheckResult>,
    again: Option<RunExchanges>,
}

/// A run of some checks of a run that is over.
#[derive(Debug)]
struct RunOfSomeChecks {
    checks: Vec<String>,
    exchanges: RunExchanges,
    judged: u32,
}

/// Takes the exchanges out of a report, and out of those of two agents in it.
fn without_exchanges(report: &mut Report) {
    report.exchanges.clear();
    for agent in &mut report.agents {
        *agent = Rc::new(Report { exchanges: Vec::new(), ..Report::clone(agent) });
    }
}

/// The text that is kept of a report: with its exchanges, if that is wanted and not too long.
pub(super) fn kept_text(report: &mut Report, whole: bool) -> String {
    let text = whole.then(|| report::write(report, Format::Json));
    text.filter(|text| text.len() <= MOST_KEPT).unwrap_or_else(|| {
        without_exchanges(report);
        report::write(report, Format::Json)
    })
}

/// The longest report that is kept with its exchanges, in bytes: browsers keep about 5 MB for a tab.
const MOST_KEPT: usize = 4_500_000;

impl RunRecord {
    /// Before its first event; `hides_from` is the origin of the page from which a browser hides header fields.
    #[must_use]
    pub fn new(environment: Environment, hides_from: Option<String>) -> Self {
        Self { builder: ReportBuilder::new(environment), runs: 1, hides_from, ..Self::default() }
    }

    /// The record of two agents together, before its first event, with the reports of each alone.
    #[must_use]
    pub fn of_both(environment: Environment, hides_from: Option<String>, agents: Vec<Rc<Report>>) -> Self {
        Self { agents, ..Self::new(environment, hides_from) }
    }

    /// The run that is over once more, as the page is told of it when it shows another in between.
    #[must_use]
    pub fn told_again(&self) -> Opened {
        let report = self.report();
        let way = (!self.reached.is_empty())
            .then(|| CheckerMessage::Reached(Box::new(ReachView::from_stages(&self.reached))));
        let agent = report.agent.clone().map(|agent| CheckerMessage::Agent(Box::new(agent)));
        let rows = self.rows.iter().map(|(info, _)| info.clone()).collect();
        let judged = self.rows.iter().filter_map(|(info, kept)| {
            let result = RowResult::from_result(&kept.as_ref()?.result);
            Some(CheckerMessage::Judged { row: info.index, result })
        });
        let lanes = self.builder.lanes.iter().map(|lane| lane_name(&lane.id)).collect();
        let card = way.into_iter().chain(agent).chain([CheckerMessage::Lanes(lanes)]);
        let messages = card.chain([CheckerMessage::Planned { rows, messages: 0 }]).chain(judged);
        Opened {
            past: PastRun::from_report(&report),
            made_by: past_runs::made_by(&report),
            messages: messages.chain([self.finished()]).collect(),
            tally: self.builder.tally(),
            duration_ms: report.duration_ms,
        }
    }

    /// Opens a text: its record, and the message to the page; or one sentence on why it cannot be shown. There is no record of a card,
    /// which can be judged instead.
    pub fn open(text: &str) -> Result<(Option<Self>, Opening), String> {
        let FileContent::Report(report, lanes, results) = opened_report::open(text)? else {
            return Ok((None, Opening::Card));
        };
        let mut record = Self::new(report.environment.clone(), None);
        record.builder.address.clone_from(&report.address);
        record.builder.exchanges.clone_from(&report.exchanges);
        let tally = report.tally;
        record.file = Some((report, text.to_owned()));
        let rows = results.iter().map(|result| result.row.clone()).collect();
        let judged = results.into_iter().map(|result| Event::Judged { result: Rc::new(result), tally });
        let planned = [Event::Lanes(lanes), Event::Planned { rows, messages: 0 }];
        for event in planned.into_iter().chain(judged) {
            record.apply(&event);
        }
        let opened = record.told_again();
        Ok((Some(record), Opening::Report(Box::new(opened))))
    }

    /// Keeps an event; what the page is told of it.
    pub fn apply(&mut self, event: &Event) -> Option<CheckerMessage> {
        let before = self.builder.tally();
        self.builder.apply(event);
        Some(match event {
            Event::Started { settings, .. } => {
                self.runs = settings.repeat;
                return None;
            }
            Event::Activity(activity) => self.stage(1, activity),
            Event::Confirm { .. } => return confirm(event),
            Event::Reach(reached) => {
                self.reached.push(reached.clone());
                CheckerMessage::Reached(Box::new(ReachView::from_stages(&self.reached)))
            }
            Event::Agent(agent) => CheckerMessage::Agent(Box::new(agent.clone())),
            Event::Lanes(lanes) => CheckerMessage::Lanes(lanes.iter().map(|lane| lane_name(&lane.id)).collect()),
            Event::LeftOut(_) | Event::Loaded(_) | Event::Exchanged(_) => return None,
            Event::Planned { rows, messages } => self.plan(rows, *messages),
            Event::ScenarioStarted { .. } => CheckerMessage::Running(self.begun(event)),
            Event::Judged { result, .. } => self.judge(result, None)?,
            Event::OfRun { run, event } => return self.apply_further(*run, event),
            Event::Finished { tally, .. } => {
                // Of a run that was stopped only those before it count, but for the messages.
                if self.further.take().is_some() {
                    self.builder.tally = Tally { messages: tally.messages, ..before };
                }
                self.finished()
            }
        })
    }

    /// What the run turned to, and of several runs which it is: `Run 2 of 5: Reading the agent card`.
    fn stage(&self, run: u32, activity: &Activity) -> CheckerMessage {
        let runs = self.runs;
        CheckerMessage::Stage(if runs > 1 { format!("Run {run} of {runs}: {activity}") } else { activity.to_string() })
    }

    /// What the page is told of a further run while it goes on: how far it is. What it shows follows when it is over.
    fn apply_further(&mut self, run: u32, event: &Event) -> Option<CheckerMessage> {
        match event {
            Event::Started { .. } => {
                self.further = Some(Tally { messages: self.builder.tally().messages, ..Tally::default() });
                None
            }
            Event::Activity(activity) => Some(self.stage(run, activity)),
            Event::Planned { rows, .. } => {
                if let Some(further) = &mut self.further {
                    further.total += u32::try_from(rows.len()).unwrap_or(u32::MAX);
                }
                None
            }
            Event::Judged { tally, .. } => {
                let total = self.further.map_or(tally.total, |further| further.total);
                self.further = Some(Tally { total, ..*tally });
                // No row changes yet; with it go the counts.
                Some(CheckerMessage::Running(Vec::new()))
            }
            Event::Finished { .. } => {
                self.further = None;
                None
            }
            _ => None,
        }
    }

    /// The message that the run is over.
    #[must_use]
    pub fn finished(&self) -> CheckerMessage {
        let report = self.report();
        CheckerMessage::Finished(Box::new(Banner::from_report(&report, &|row| self.name(&row.key(), row.title))))
    }

    /// From now on the events of another run come, of these checks only.
    pub fn begin_again(&mut self, checks: Vec<String>) {
        self.again = Some(RunOfSomeChecks { checks, exchanges: Rc::default(), judged: 0 });
    }

    /// Keeps an event of the checks that are run again. Verdict and report stay those of the whole run: what a verdict rests on
    /// was seen in one run.
    pub fn apply_again(&mut self, event: &Event) -> Option<CheckerMessage> {
        let again = self.again.as_mut()?;
        let is_wanted = |check: &str| again.checks.iter().any(|wanted| wanted == check);
        Some(match event {
            Event::Activity(activity) => CheckerMessage::Stage(activity.to_string()),
            Event::Confirm { .. } => return confirm(event),
            Event::Exchanged(exchange) => {
                again.exchanges.borrow_mut().push(Rc::clone(exchange));
                return None;
            }
            Event::ScenarioStarted { .. } => {
                let mut begun = self.begun(event);
                let checks = self.again.as_ref().map(|again| again.checks.as_slice()).unwrap_or_default();
                let of_again = |row: &usize| self.rows.get(*row).is_some_and(|(info, _)| checks.contains(&info.check));
                begun.retain(of_again);
                CheckerMessage::Running(begun)
            }
            Event::Judged { result, .. } => {
                // The rows of other checks are planned, too, and left out.
                if !is_wanted(result.row.check.id) || result.verdict.outcome == Outcome::NotRun {
                    return None;
                }
                let exchanges = Rc::clone(&again.exchanges);
                let message = self.judge(result, Some(exchanges))?;
                if let Some(again) = &mut self.again {
                    again.judged += 1;
                }
                message
            }
            Event::Finished { completion, .. } => {
                let asked = self.rows.iter().filter(|(info, _)| is_wanted(&info.check)).count();
                let judged = again.judged;
                self.again = None;
                let why = match completion {
                    Completion::Stopped => "it was stopped".to_owned(),
                    Completion::Incomplete(why) => why.clone(),
                    _ => String::new(),
                };
                CheckerMessage::Rerun { judged, asked: u32::try_from(asked).unwrap_or(u32::MAX), why }
            }
            // What the whole run told stays.
            _ => return None,
        })
    }

    fn plan(&mut self, rows: &[Row], messages: u32) -> CheckerMessage {
        let from = self.rows.len();
        let infos: Vec<RowInfo> = rows.iter().enumerate().map(|(at, row)| RowInfo::new(from + at, row)).collect();
        for info in &infos {
            self.places.insert(&[&info.key], self.rows.len());
            self.rows.push((info.clone(), None));
        }
        CheckerMessage::Planned { rows: infos, messages }
    }

    /// The places of the rows whose conversation begins with that event.
    fn begun(&self, event: &Event) -> Vec<usize> {
        let Event::ScenarioStarted { scenario, lane } = event else { return Vec::new() };
        let lane = lane.as_ref().map(|lane| lane.id.as_str());
        scenario.checks.iter().filter_map(|check| self.place_of(&row_key(check.id, lane))).collect()
    }

    fn place_of(&self, key: &str) -> Option<usize> {
        self.places.find(&[key])
    }

    fn judge(&mut self, result: &Rc<CheckResult>, again: Option<RunExchanges>) -> Option<CheckerMessage> {
        let place = self.place_of(&result.row.key())?;
        let (info, kept) = self.rows.get_mut(place)?;
        *kept = Some(NewestResult { result: Rc::clone(result), again });
        Some(CheckerMessage::Judged { row: info.index, result: RowResult::from_result(result) })
    }

    /// The counts so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.further.unwrap_or(self.builder.tally())
    }

    /// The report as far as the run went.
    #[must_use]
    pub fn report(&self) -> Report {
        match &self.file {
            Some((report, _)) => (**report).clone(),
            None => Report { agents: self.agents.clone(), ..self.builder.report() },
        }
    }

    fn name(&self, key: &str, title: &str) -> (String, String) {
        let known = self.place_of(key).and_then(|place| self.rows.get(place));
        known.map_or_else(
            || (title.to_owned(), String::new()),
            |(info, _)| (info.title.clone(), info.lane_label.clone()),
        )
    }

    /// The row at that place of the plan in full; `None` before it has a result.
    #[must_use]
    pub fn detail(&self, row: usize) -> Option<Detail> {
        let (info, kept) = self.rows.get(row)?;
        let NewestResult { result, again } = kept.as_ref()?;
        let again = again.as_ref().map(|again| again.borrow());
        let exchanges = again.as_deref().unwrap_or(&self.builder.exchanges);
        let mut detail = Detail::new(result, exchanges, self.hides_from.as_deref());
        let title = |id: &&str| FAULTS.iter().find(|fault| fault.id == *id).map(|fault| fault.title.to_owned());
        if detail.rules.is_empty() {
            detail.rules = self.cited(&info.key);
        }
        let faults = result.row.check.faults.iter();
        detail.tested.faults = faults.filter_map(|id| Some(((*id).to_owned(), title(id)?))).collect();
        let first = result.verdict.exchanges.first();
        let exchange = first.and_then(|id| exchanges.iter().find(|exchange| exchange.id == *id));
        // For who reads a copied finding.
        let tool = format!("{} {}", report::tool::TOOL, self.builder.environment.tool_version);
        let finding = copy_text::finding(
            info,
            result,
            &detail,
            exchange.map(|exchange| &**exchange),
            (&self.builder.address, &tool),
        );
        (detail.issue, detail.markdown) = (finding.plain(), finding.markdown());
        Some(detail)
    }

    /// The place in the specification that a file cites for a row, of whose requirements only the command line has the texts.
    fn cited(&self, key: &str) -> Vec<CitedRule> {
        let Some((report, _)) = &self.file else { return Vec::new() };
        let row = report.results.iter().find(|row| row.key() == key && !row.spec.is_empty());
        let rule = |row: &CheckedRow| CitedRule {
            title: row.title.to_owned(),
            cites: vec![(row.spec.clone(), row.spec_url.clone().unwrap_or_default())],
            quote: None,
        };
        row.map(rule).into_iter().collect()
    }

    /// A body of an exchange in full, as it came or laid out: of the run that a row's result is from, or of the whole run.
    #[must_use]
    pub fn body(&self, row: Option<usize>, exchange: u32, part: MessageSide, is_raw: bool) -> Option<FullBody> {
        let again = match row {
            Some(row) => self.rows.get(row)?.1.as_ref()?.again.as_ref().map(|again| again.borrow()),
            None => None,
        };
        let exchanges = again.as_deref().unwrap_or(&self.builder.exchanges);
        exchanges.iter().find(|known| known.id == exchange).and_then(|exchange| whole(exchange, part, is_raw))
    }

    /// The report as a file of that format. Traffic holds what was sent by hand, too.
    #[must_use]
    pub fn file(&self, format: Format, by_hand: &[Rc<Exchange>]) -> File {
        let mut report = self.report();
        if format == Format::Har {
            report.exchanges.extend(by_hand.iter().cloned());
        }
        let text = match &self.file {
            Some((_, text)) if format == Format::Json => text.clone(),
            _ => report::write(&report, format),
        };
        File::new(file_name(&report, format), format, text)
    }

    /// The report as a text that an issue takes: the verdict, the findings, and how to see more.
    #[must_use]
    pub fn issue(&self) -> File {
        let report = self.report();
        let name = format!("issue-{}", file_name(&report, Format::Markdown));
        File::new(name, Format::Markdown, report::markdown::write_issue(&report))
    }

    /// The findings for a coding agent.
    #[must_use]
    pub fn for_coding_agent(&self) -> File {
        let report = self.report();
        let name = format!("findings-{}", file_name(&report, Format::Markdown));
        File::new(name, Format::Markdown, report::coding_agent::write(&report))
    }

    /// The report to keep for a reload, as JSON; without exchanges where there is little room, and where they would fill it.
    #[must_use]
    pub fn kept(&self, whole: bool) -> SavedRun {
        let mut report = self.report();
        let text = match &self.file {
            Some((_, text)) if whole && text.len() <= MOST_KEPT => text.clone(),
            file => kept_text(&mut report, whole && file.is_none()),
        };
        SavedRun { past: PastRun::from_report(&report), name: file_name(&report, Format::Json), text }
    }

    /// The part of the run that is only printed.
    #[must_use]
    pub fn printed(&self) -> PrintedRun {
        PrintedRun::from_report(&self.report())
    }

    /// The difference to a report of a file, or one sentence on why the file cannot be read.
    pub fn compare(&self, with: &str) -> Result<ComparisonView, String> {
        let readable = |problem| format!("{}.", format::capitalised(&format!("{problem}")));
        let other = report::read(with, suite::declaration).map_err(readable)?;
        let own = ReportFile::from_report(self.report());
        let title = |check: &str| {
            let mut results = own.report.results.iter().chain(&other.report.results);
            results.find(|result| result.check == check).map(|result| result.title.to_owned())
        };
        // Dates are written alike, so that texts compare as dates do.
        let (before, after) = if other.stated.date <= own.stated.date { (&other, &own) } else { (&own, &other) };
        Ok(ComparisonView::new(&report::compare(before, after), &title))
    }

    /// What differs from an earlier run of the same agent, in a sentence; empty where its report cannot be read.
    pub fn since(&self, with: &str) -> String {
        self.compare(with).map(|compared| compared.since_the_last()).unwrap_or_default()
    }

    /// Every exchange, by time.
    #[must_use]
    pub fn traffic(&self) -> Vec<TrafficLine> {
        traffic::lines(self.builder.exchanges.iter().map(|exchange| &**exchange))
    }

    /// The card of the agent at that address as the run read it, with the version that it was judged by.
    #[must_use]
    pub fn card_of(&self, address: &str) -> Option<(Value, String)> {
        let agent = self.report().agent.filter(|_| plain_address(address) == self.builder.address)?;
        let exchanges = &self.builder.exchanges;
        let read =
            exchanges.iter().find(|exchange| exchange.lane.is_none() && exchange.asked_url() == agent.card_url)?;
        let document = read.response.as_ref().and_then(|response| json::read(&response.body))?;
        Some((document, agent.detected.0))
    }

    /// An exchange in full.
    #[must_use]
    pub fn exchange(&self, id: u32) -> Option<Evidence> {
        let exchange = self.builder.exchanges.iter().find(|exchange| exchange.id == id)?;
        Some(Evidence::new(exchange, &Mark::default(), self.hides_from.as_deref()))
    }

    /// The agent's card with what was found about it; `None` as long as none was read.
    #[must_use]
    pub fn card(&self) -> Option<CardView> {
        let report = self.report();
        CardView::from_report(&report, &|row| self.name(&row.key(), row.title).0)
    }
}

fn confirm(event: &Event) -> Option<CheckerMessage> {
    let Event::Confirm { whom, url, complete, code } = event else { return None };
    Some(CheckerMessage::Confirm(Confirm {
        whom: (*whom).to_owned(),
        url: if complete.is_empty() { url.clone() } else { complete.clone() },
        code: code.clone(),
        spoken: format!("To give {whom} access, confirm the code {code} at {url}"),
    }))
}
