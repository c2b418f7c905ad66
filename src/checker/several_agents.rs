//! Several agents, as the checker keeps them: how many are checked at once and how long a silent one counts, the record of each run
//! and then its report, how much text of reports is kept, and the files of the whole.

use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use super::agent_pairs::AgentPairs;
use super::agent_tables;
use super::run_record::{RunRecord, kept_text};
use crate::engine::check::Category;
use crate::engine::event::{Event, Tally};
use crate::engine::rounds::MOST_AGENTS;
use crate::report::Subject;
use crate::report::groups::distinct;
use crate::report::headline::broken;
use crate::report::pair_matrix::{MatrixAgent, PairMatrix};
use crate::report::several_agents;
use crate::report::support_matrix::SupportMatrix;
use crate::report::text::plain_address;
use crate::report::{CheckedRow, Environment, Format, Report, ReportBuilder, ReportFile, VerdictWord};
use crate::suite;
use crate::view_model::banner::Banner;
use crate::view_model::messages::{File, Opening};
use crate::view_model::rows::RowKind;
use crate::view_model::several_agents::{AgentLine, AgentLines, CheckLine, Matrix, MatrixCell, RunStage, TableTopic};
use crate::view_model::text_table::TextTable;
use crate::wire::order;

/// How many agents are checked side by side: a run mostly waits for its agent, and browsers have room for the six requests of each.
pub const AGENTS_AT_ONCE: usize = 10;
/// How long an agent that answers nothing keeps the next one from its turn, in milliseconds: a laptop that sleeps is waited for, and
/// nobody waits for it.
pub const SILENCE_MS: f64 = 2_000.0;
/// How much text of reports is kept with all exchanges, in bytes; what comes later is kept without them.
const ROOM: usize = 48_000_000;

/// The agents of a list.
#[derive(Debug)]
pub struct SeveralAgents {
    agents: Vec<AgentRun>,
    environment: Environment,
    pairs: AgentPairs,
    /// How many bytes are kept as texts.
    kept: usize,
}

#[derive(Debug)]
struct AgentRun {
    address: String,
    state: RunState,
}

#[derive(Debug)]
enum RunState {
    Queued,
    Running {
        builder: Box<ReportBuilder>,
        activity: String,
        has_answered: bool,
    },
    Over(Box<FinishedRun>),
    /// It cannot be checked, or was stopped before its turn.
    Never(String),
}

/// The part of a run that is kept.
#[derive(Debug)]
struct FinishedRun {
    /// Without its exchanges.
    report: Report,
    /// The agent as the table of pairs names it.
    agent: MatrixAgent,
    reason: String,
    /// With them, if there was room: the report as JSON.
    text: String,
}

impl SeveralAgents {
    /// Agents that wait for their turns.
    #[must_use]
    pub fn new(addresses: Vec<String>, environment: Environment) -> Self {
        let agents = addresses.into_iter().map(|address| AgentRun { address, state: RunState::Queued }).collect();
        Self { agents, environment, pairs: AgentPairs::default(), kept: 0 }
    }

    /// Whether an agent waits for its turn.
    #[must_use]
    pub fn is_queued(&self, agent: usize) -> bool {
        self.agents.get(agent).is_some_and(|agent| matches!(agent.state, RunState::Queued))
    }

    /// Begins the run of an agent, unless it was stopped before.
    pub fn begin(&mut self, agent: usize) {
        let Some(agent) = self.agents.get_mut(agent).filter(|agent| matches!(agent.state, RunState::Queued)) else {
            return;
        };
        let builder = Box::new(ReportBuilder::new(self.environment.clone()));
        agent.state = RunState::Running { builder, activity: String::new(), has_answered: false };
    }

    /// Keeps an event of an agent's run.
    pub fn apply(&mut self, agent: usize, event: &Event) {
        let Some(AgentRun { state: RunState::Running { builder, activity, has_answered }, .. }) =
            self.agents.get_mut(agent)
        else {
            return;
        };
        match event {
            Event::Activity(now) => *activity = now.to_string(),
            Event::Exchanged(exchange) => *has_answered |= exchange.response.is_some(),
            _ => {}
        }
        builder.apply(event);
        if matches!(event, Event::Finished { .. }) {
            self.finish(agent);
        }
    }

    /// Whether an agent is under way that has answered nothing so far.
    #[must_use]
    pub fn is_silent(&self, agent: usize) -> bool {
        let state = self.agents.get(agent).map(|agent| &agent.state);
        matches!(state, Some(RunState::Running { has_answered: false, .. }))
    }

    /// The run's counts so far.
    #[must_use]
    pub fn tally(&self, agent: usize) -> Tally {
        match self.agents.get(agent).map(|agent| &agent.state) {
            Some(RunState::Running { builder, .. }) => builder.tally(),
            _ => Tally::default(),
        }
    }

    fn finish(&mut self, place: usize) {
        let Some(agent) = self.agents.get_mut(place) else { return };
        let RunState::Running { builder, .. } = &agent.state else { return };
        let mut report = builder.report();
        let text = kept_text(&mut report, self.kept < ROOM);
        self.kept += text.len();
        let banner = Banner::from_report(&report, &|row| (row.title.to_owned(), String::new()));
        // Of an agent that was not reached all is said by the cause.
        let cause = report.cause.clone().filter(|_| report.word == VerdictWord::Incomplete);
        let reason = cause.unwrap_or(banner.reason);
        let own = MatrixAgent::new(&agent.address, Some(&report));
        report.exchanges = Vec::new();
        agent.state = RunState::Over(Box::new(FinishedRun { report, agent: own, reason, text }));
    }

    /// An agent that is not checked, and why.
    pub fn give_up(&mut self, agent: usize, why: &str) {
        if let Some(agent) = self.agents.get_mut(agent)
            && matches!(agent.state, RunState::Queued)
        {
            agent.state = RunState::Never(why.to_owned());
        }
    }

    /// The agents as they stand.
    #[must_use]
    pub fn lines(&self) -> AgentLines {
        let agents: Vec<AgentLine> = self.agents.iter().map(AgentRun::line).collect();
        let pairs = self.pairs.progress();
        let is_over = agents.iter().all(|agent| agent.stage == RunStage::Over) && pairs.0 == pairs.1;
        AgentLines { agents, is_over, pairs }
    }

    /// The report of an agent whose run is over.
    #[must_use]
    pub fn open(&self, agent: usize) -> Option<Result<(Option<RunRecord>, Opening), String>> {
        Some(RunRecord::open(&self.agents.get(agent)?.over()?.text))
    }

    /// The checks that fail somewhere, or all; of those that hold the text the first `most`.
    #[must_use]
    pub fn matrix(&self, text: &str, is_all: bool, most: usize) -> Matrix {
        let text = text.trim().to_ascii_lowercase();
        let mut lines: Vec<CheckLine> = Vec::new();
        for (number, check) in suite::checks().enumerate() {
            if ![check.id, check.title].iter().any(|part| part.to_ascii_lowercase().contains(&text)) {
                continue;
            }
            let cell = |agent: &AgentRun| worst(agent.rows().iter().filter(|row| row.check == check.id));
            let cells: Vec<Option<(RowKind, String)>> = self.agents.iter().map(cell).collect();
            let of = |wanted: RowKind| cells.iter().flatten().filter(|(kind, _)| *kind == wanted).count();
            let is_known = cells.iter().any(Option::is_some);
            let failing = of(RowKind::Fail) + of(RowKind::Advisory);
            // Of an agent that was not reached every check is blocked, and its own line says so.
            if is_known && (is_all || failing + of(RowKind::Unsteady) > 0) {
                let failing = u32::try_from(failing).unwrap_or(u32::MAX);
                let (check, title) = (check.id.to_owned(), check.title.to_owned());
                lines.push(CheckLine { number, check, title, failing, cells });
            }
        }
        let rank = |line: &CheckLine| {
            let of = |wanted: RowKind| line.cells.iter().flatten().filter(|(kind, _)| *kind == wanted).count();
            std::cmp::Reverse((of(RowKind::Fail), of(RowKind::Advisory)))
        };
        order::sort_by_key(&mut lines, rank);
        let all = lines.len();
        lines.truncate(most);
        Matrix { checks: lines, all }
    }

    /// Plans to check every two agents together whose own runs are over: the places of those that may run at the same time, round
    /// by round. None for more agents than `MOST_AGENTS`.
    pub fn plan_pairs(&mut self) -> Vec<Vec<(usize, usize)>> {
        let agents = &self.agents;
        let count = if agents.len() > MOST_AGENTS { 0 } else { agents.len() };
        self.pairs.plan(count, |place| agents.get(place).is_some_and(|agent| agent.over().is_some()))
    }

    /// Keeps what was found of two agents together.
    pub fn keep_pair(&mut self, first: usize, second: usize, report: &Report) {
        self.pairs.keep(first, second, report);
    }

    /// The pairs that are not over stay unchecked.
    pub fn stop_pairs(&mut self) {
        self.pairs.stop();
    }

    /// What the agents support whose runs are over, feature by feature.
    fn support(&self) -> SupportMatrix {
        let over = self.agents.iter().filter(|agent| agent.over().is_some());
        let files: Vec<ReportFile> =
            over.map(|agent| ReportFile::from_report(agent.report(&self.environment))).collect();
        SupportMatrix::from_files(&files)
    }

    fn pair_matrix(&self) -> PairMatrix {
        let own = |agent: &AgentRun| {
            agent.over().map_or_else(|| MatrixAgent::new(&agent.address, None), |over| over.agent.clone())
        };
        PairMatrix::new(self.agents.iter().map(own).collect(), |first, second| self.pairs.found(first, second))
    }

    /// The tables of this topic; none before there is something in them.
    #[must_use]
    pub fn tables(&self, topic: TableTopic) -> Vec<TextTable> {
        match topic {
            TableTopic::Support if self.agents.iter().any(|agent| agent.over().is_some()) => {
                agent_tables::of_support(&self.support())
            }
            TableTopic::Pairs if self.pairs.progress().0 > 0 => agent_tables::of_pairs(&self.pair_matrix()),
            _ => Vec::new(),
        }
    }

    /// The tables of this topic as a file; `None` for a format that there is not.
    #[must_use]
    pub fn table_file(&self, topic: TableTopic, format: &str) -> Option<File> {
        let (format, version) = (Format::parse(format)?, &self.environment.tool_version);
        match topic {
            TableTopic::Support => agent_tables::support_file(&self.support(), format, version),
            TableTopic::Pairs => agent_tables::pairs_file(&self.pair_matrix(), format, version),
        }
    }

    /// All reports in one file; `None` for a format that there is not.
    #[must_use]
    pub fn file(&self, format: &str, wall_ms: f64) -> Option<File> {
        let format = Format::parse(format)?;
        let subject = |agent: &AgentRun| {
            let report = agent.report(&self.environment);
            Subject { address: plain_address(&agent.address), reason: agent.line().reason, report }
        };
        let subjects: Vec<Subject> = self.agents.iter().map(subject).collect();
        let text = several_agents::write(&subjects, &self.environment, wall_ms, format)?;
        Some(File::new(several_agents::file_name(wall_ms, format), format, text))
    }
}

impl AgentRun {
    /// What is kept of the run, once it is over.
    fn over(&self) -> Option<&FinishedRun> {
        if let RunState::Over(over) = &self.state { Some(over) } else { None }
    }

    fn rows(&self) -> &[CheckedRow] {
        self.over().map_or(&[], |over| &over.report.results)
    }

    /// The report as far as the run went, without the recording.
    fn report(&self, environment: &Environment) -> Report {
        let mut report = match &self.state {
            RunState::Over(over) => over.report.clone(),
            RunState::Running { builder, .. } => builder.report(),
            RunState::Queued | RunState::Never(_) => ReportBuilder::new(environment.clone()).report(),
        };
        if let RunState::Never(why) = &self.state {
            report.cause = Some(why.clone());
        }
        if report.address.is_empty() {
            report.address = plain_address(&self.address);
        }
        report.exchanges.clear();
        report
    }

    fn line(&self) -> AgentLine {
        let (address, cells) = (plain_address(&self.address), vec![None; Category::ALL.len()]);
        let line = AgentLine { address, cells, ..AgentLine::default() };
        match &self.state {
            RunState::Queued => line,
            RunState::Never(why) => AgentLine { stage: RunStage::Over, reason: why.clone(), ..line },
            RunState::Running { builder, activity, .. } => {
                let tally = builder.tally();
                let judged = (tally.judged, tally.total);
                AgentLine { stage: RunStage::Running, activity: activity.clone(), judged, ..line }
            }
            RunState::Over(over) => {
                let FinishedRun { report, reason, .. } = &**over;
                let of = |category: Category| cell(report.results.iter().filter(|row| row.category == category));
                AgentLine {
                    name: report.agent.as_ref().map(|agent| agent.name.clone()).unwrap_or_default(),
                    stage: RunStage::Over,
                    judged: (report.tally.judged, report.tally.total),
                    word: Some(report.word),
                    reason: reason.clone(),
                    failed: broken(report),
                    cells: Category::ALL.into_iter().map(of).collect(),
                    can_open: true,
                    ..line
                }
            }
        }
    }
}

fn worst<'a>(rows: impl Iterator<Item = &'a CheckedRow>) -> Option<(RowKind, String)> {
    let kinds = rows.map(|row| (RowKind::from_outcome(row.outcome, row.level), row));
    kinds.min_by_key(|(kind, _)| *kind).map(|(kind, row)| (kind, row.key()))
}

fn cell<'a>(rows: impl Iterator<Item = &'a CheckedRow> + Clone) -> Option<MatrixCell> {
    let (kind, key) = worst(rows.clone())?;
    let same = rows.filter(|row| RowKind::from_outcome(row.outcome, row.level) == kind);
    // A rule counts once, whatever interfaces it is on.
    let count = distinct(same.map(|row| row.check)).len();
    Some(MatrixCell { kind, count: u32::try_from(count).unwrap_or(u32::MAX), key })
}

/// What became of a turn.
enum TurnEnd {
    Over,
    /// It goes on beside the others, because nothing was heard of its agent.
    Silent(LocalBoxFuture<'static, ()>),
    OverAfterSilence,
}

/// Runs so many, [`AGENTS_AT_ONCE`] side by side; `run` is called when a place is free, which is also when `silence` has ended before
/// the run whose place it was.
pub async fn in_turn(
    count: usize,
    mut run: impl FnMut(usize) -> LocalBoxFuture<'static, ()>,
    silence: impl Fn(usize) -> LocalBoxFuture<'static, ()>,
) {
    let (mut waiting, mut at_work) = (0..count, 0);
    let mut turns: FuturesUnordered<LocalBoxFuture<'static, TurnEnd>> = FuturesUnordered::new();
    loop {
        while at_work < AGENTS_AT_ONCE
            && let Some(place) = waiting.next()
        {
            at_work += 1;
            let end = |first| match first {
                Either::Left(_) => TurnEnd::Over,
                Either::Right(((), run)) => TurnEnd::Silent(run),
            };
            turns.push(select(run(place), silence(place)).map(end).boxed_local());
        }
        match turns.next().await {
            Some(TurnEnd::Over) => at_work -= 1,
            Some(TurnEnd::Silent(run)) => {
                at_work -= 1;
                turns.push(run.map(|()| TurnEnd::OverAfterSilence).boxed_local());
            }
            Some(TurnEnd::OverAfterSilence) => {}
            None => return,
        }
    }
}
