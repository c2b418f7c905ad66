//! Several agents beside each other: the most of a list, what is asked of the checker, what it tells of each agent, the totals, and
//! which lines are shown in which order.

use super::format::{count, count_of};
use super::rows::RowKind;
use super::settings::Settings;
use super::setup::Setup;
use super::tab_title::TitleState;
use crate::engine::rounds::MOST_AGENTS;
use crate::report::VerdictWord;
use crate::report::headline::broken_in_words;
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::order;

/// The most agents of a list: more than a workshop has, and few enough for a tab.
pub const MOST: usize = 100;

/// The agents that were read from a list, a file or a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentList {
    /// The agents, in order.
    pub agents: Vec<String>,
    /// The lines that could not be used and why, a sentence each.
    pub told: Vec<String>,
}

binary_encoding! { struct AgentList { agents, told } }

/// An agent to check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestedAgent {
    /// Its address.
    pub address: String,
    /// A bearer token or a header line for this agent alone; empty for none.
    pub credential: String,
}

binary_encoding! { struct RequestedAgent { address, credential } }

impl RequestedAgent {
    /// The setup of its run: the part of the form that may be shared, and its own credential. The form's credentials, which
    /// belong to another agent, are not in it.
    #[must_use]
    pub fn settings(&self, form: &Settings) -> Settings {
        let mut own = Settings::default();
        Setup::from_settings(form).without_second_address().put_into(&mut own);
        let credential = self.credential.trim();
        // A header line is written with a space behind its colon; without one it may be a token that has a colon.
        if credential.contains(": ") {
            own.headers = credential.to_owned();
        } else {
            own.bearer = credential.to_owned();
        }
        own
    }
}

/// The stage of an agent's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunStage {
    /// It waits for its turn.
    #[default]
    Queued,
    /// It is under way.
    Running,
    /// It ended, or was stopped.
    Over,
}

binary_encoding! { enum RunStage { Queued, Running, Over } }

/// An agent's results of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixCell {
    /// The worst that was found.
    pub kind: RowKind,
    /// How many checks are of that kind.
    pub count: u32,
    /// The key of the first of them.
    pub key: String,
}

binary_encoding! { struct MatrixCell { kind, count, key } }

/// An agent with what is known of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentLine {
    /// Its address.
    pub address: String,
    /// Its name; empty before its card was read.
    pub name: String,
    /// The stage of its run.
    pub stage: RunStage,
    /// The run's current activity, in its own words; empty before and after it.
    pub activity: String,
    /// How many rows were judged, and of how many.
    pub judged: (u32, u32),
    /// The verdict, once the run is over.
    pub word: Option<VerdictWord>,
    /// One sentence of reason for it.
    pub reason: String,
    /// How many required rules are broken, and how many suggestions there are.
    pub failed: (usize, usize),
    /// By category, in the order of the categories; `None` where nothing was planned.
    pub cells: Vec<Option<MatrixCell>>,
    /// Whether the results can be opened.
    pub can_open: bool,
}

binary_encoding! { struct AgentLine { address, name, stage, activity, judged, word, reason, failed, cells, can_open } }

/// All of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentLines {
    /// The agents, in the order of the list.
    pub agents: Vec<AgentLine>,
    /// Whether every run is over.
    pub is_over: bool,
    /// How many pairs of agents were checked together, and of how many that somebody asked for.
    pub pairs: (u32, u32),
}

binary_encoding! { struct AgentLines { agents, is_over, pairs } }

/// What a check of every pair is.
pub const ABOUT_PAIRS: &str = "When their own runs are over, every two agents of a list of at most 16 can be checked together, in \
                               both directions: how each could call the other, whether results pass on unchanged, and whether \
                               their tasks stay apart. Each pair costs both agents messages.";

/// What tables about several agents are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableTopic {
    /// What each interface supports, feature by feature.
    Support,
    /// How every two agents work together.
    Pairs,
}

binary_encoding! { enum TableTopic { Support, Pairs } }

/// A check on every agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLine {
    /// Its place among all checks, which stays.
    pub number: usize,
    /// Its id.
    pub check: String,
    /// The title of the check.
    pub title: String,
    /// On how many agents it fails, at must level or below.
    pub failing: u32,
    /// By agent: the worst of its rows, and that row's key; `None` where it was not planned.
    pub cells: Vec<Option<(RowKind, String)>>,
}

binary_encoding! { struct CheckLine { number, check, title, failing, cells } }

/// Checks by agents: those that fail on most agents first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matrix {
    /// The first of them.
    pub checks: Vec<CheckLine>,
    /// How many there are that fit.
    pub all: usize,
}

binary_encoding! { struct Matrix { checks, all } }

/// The order of the agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentOrder {
    /// As they were listed.
    #[default]
    Listed,
    /// The worst verdict first.
    Worst,
}

impl AgentOrder {
    /// The orders, each with its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 2] =
        [(Self::Listed, "listed", "as listed"), (Self::Worst, "worst", "worst first")];

    /// The order of that name.
    #[must_use]
    pub fn parse(id: &str) -> Self {
        Self::ALL.into_iter().find(|(_, known, _)| *known == id).map(|(order, ..)| order).unwrap_or_default()
    }
}

impl AgentLine {
    /// The word for its state in style sheets: the name of a shape.
    #[must_use]
    pub const fn kind(&self) -> RowKind {
        match (self.stage, self.word) {
            (RunStage::Queued, _) => RowKind::Pending,
            (RunStage::Running, _) => RowKind::Running,
            (RunStage::Over, Some(VerdictWord::Conformant)) => RowKind::Pass,
            (RunStage::Over, Some(VerdictWord::ConformantWithAdvice)) => RowKind::Advisory,
            (RunStage::Over, Some(VerdictWord::NotConformant)) => RowKind::Fail,
            (RunStage::Over, Some(VerdictWord::PartlyChecked)) => RowKind::Skip,
            (RunStage::Over, Some(VerdictWord::Incomplete) | None) => RowKind::NotJudged,
        }
    }

    /// Its verdict, or where it stands.
    #[must_use]
    pub const fn state(&self) -> &'static str {
        match (self.stage, self.word) {
            (RunStage::Queued, _) => "Waiting for its turn",
            (RunStage::Running, _) => "Running",
            (RunStage::Over, Some(word)) => word.title(),
            (RunStage::Over, None) => VerdictWord::Incomplete.title(),
        }
    }

    /// The line below it: how far the run is, or the reason.
    #[must_use]
    pub fn note(&self) -> String {
        let (judged, total) = self.judged;
        match self.stage {
            RunStage::Queued => String::new(),
            RunStage::Running if total == 0 => self.activity.clone(),
            RunStage::Running => format!("{judged} of {total} \u{b7} {}", self.activity),
            RunStage::Over => {
                let words = broken_in_words(self.failed);
                if words.is_empty() { self.reason.clone() } else { words }
            }
        }
    }

    /// Its title: its name, or its address as long as it has none.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }

    /// The kind by which it is counted: what waits for its turn is still to come, as what is under way, and who is checked in part is
    /// incomplete.
    const fn total(&self) -> RowKind {
        match self.kind() {
            RowKind::Pending => RowKind::Running,
            RowKind::Skip => RowKind::NotJudged,
            kind => kind,
        }
    }

    const fn rank(&self) -> u8 {
        match self.kind() {
            RowKind::Fail => 0,
            RowKind::NotJudged => 1,
            RowKind::Advisory | RowKind::Unsteady => 2,
            RowKind::Skip => 3,
            RowKind::Running => 4,
            RowKind::Pending => 5,
            RowKind::Pass => 6,
        }
    }
}

/// The kinds whose numbers are the totals, with their names: the worst first, and last what is still to come.
pub const TOTALS: [(RowKind, &str); 5] = [
    (RowKind::Fail, VerdictWord::NotConformant.title()),
    (RowKind::NotJudged, VerdictWord::Incomplete.title()),
    (RowKind::Advisory, VerdictWord::ConformantWithAdvice.title()),
    (RowKind::Pass, VerdictWord::Conformant.title()),
    (RowKind::Running, "Still to come"),
];

impl AgentLines {
    /// Whether somebody began to check them.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        !self.agents.is_empty()
    }

    /// How many count as this kind of [`TOTALS`].
    #[must_use]
    pub fn total(&self, kind: RowKind) -> usize {
        self.agents.iter().filter(|line| line.total() == kind).count()
    }

    /// Where they stand together, for the title of the tab: the worst verdict, once all are over.
    #[must_use]
    pub fn standing(&self) -> TitleState {
        use VerdictWord::{Conformant, ConformantWithAdvice, Incomplete, NotConformant, PartlyChecked};
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if !self.is_begun() {
            return TitleState::Empty;
        }
        if self.over() < self.agents.len() {
            return TitleState::Running { judged: number(self.over()), total: number(self.agents.len()) };
        }
        let of = |word: VerdictWord| self.agents.iter().filter(|line| line.word.unwrap_or(Incomplete) == word).count();
        let words = [NotConformant, Incomplete, PartlyChecked, ConformantWithAdvice];
        let word = words.into_iter().find(|word| of(*word) > 0).unwrap_or(Conformant);
        TitleState::Over { word, failed: number(of(NotConformant)) }
    }

    /// How many runs of one agent are over.
    #[must_use]
    pub fn over(&self) -> usize {
        self.agents.iter().filter(|line| line.stage == RunStage::Over).count()
    }

    /// How many runs are over, of one agent and of two: tables change only with it.
    #[must_use]
    pub fn news(&self) -> usize {
        self.over() + usize::try_from(self.pairs.0).unwrap_or(usize::MAX)
    }

    /// Whether every two of them can be checked together now: their own runs are over, at least two have a report, and they are
    /// no more than somebody can wait for.
    #[must_use]
    pub fn can_check_pairs(&self) -> bool {
        let checked = self.agents.iter().filter(|line| line.can_open).count();
        self.is_over && checked > 1 && self.agents.len() <= MOST_AGENTS
    }

    /// The places of those that hold the text and are of the kind, if one is chosen, in that order.
    #[must_use]
    pub fn shown(&self, text: &str, state: &str, order: AgentOrder) -> Vec<usize> {
        let text = text.trim().to_ascii_lowercase();
        let fits = |line: &AgentLine| {
            let holds =
                [&line.address, &line.name, &line.reason].iter().any(|part| part.to_ascii_lowercase().contains(&text));
            holds && (state.is_empty() || line.total().id() == state)
        };
        let mut places: Vec<(usize, &AgentLine)> =
            self.agents.iter().enumerate().filter(|(_, line)| fits(line)).collect();
        match order {
            AgentOrder::Listed => {}
            AgentOrder::Worst => {
                order::sort_by_key(&mut places, |(_, line)| (line.rank(), std::cmp::Reverse(line.failed)));
            }
        }
        places.into_iter().map(|(place, _)| place).collect()
    }

    /// The message for screen readers, and the line above the table: `20 agents: 12 not conformant, 1 incomplete, 4 under
    /// way`.
    #[must_use]
    pub fn summary(&self) -> String {
        use VerdictWord::{Conformant, ConformantWithAdvice, Incomplete, NotConformant, PartlyChecked};
        let mut parts = Vec::new();
        let words = [NotConformant, Incomplete, PartlyChecked, ConformantWithAdvice, Conformant];
        let over = words.map(|word| (RunStage::Over, Some(word), word.title().to_ascii_lowercase()));
        let others = [(RunStage::Running, "under way"), (RunStage::Queued, "waiting")];
        for (stage, word, title) in over.into_iter().chain(others.map(|(stage, title)| (stage, None, title.to_owned())))
        {
            let count = self.agents.iter().filter(|line| line.stage == stage && line.word == word).count();
            if count > 0 {
                parts.push(format!("{count} {title}"));
            }
        }
        let (over, planned) = self.pairs;
        if planned > 0 {
            parts.push(format!("{over} of {} checked", count(planned, "pair")));
        }
        format!("{}: {}.", count_of(self.agents.len(), "agent"), parts.join(", "))
    }
}

/// The name of a cell for who does not see it: `Echo: 3 failed`.
#[must_use]
pub fn cell_name(agent: &str, cell: &MatrixCell) -> String {
    format!("{agent}: {} {}", cell.count, cell.kind.title().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(address: &str, word: Option<VerdictWord>, stage: RunStage) -> AgentLine {
        AgentLine {
            address: address.into(),
            name: String::new(),
            stage,
            activity: "Reading the card".into(),
            judged: (3, 40),
            word,
            reason: "No agent answers there.".into(),
            failed: if word == Some(VerdictWord::NotConformant) { (2, 1) } else { (0, 0) },
            cells: Vec::new(),
            can_open: true,
        }
    }

    fn lines() -> AgentLines {
        let mut agents = vec![
            line("https://c", Some(VerdictWord::Conformant), RunStage::Over),
            line("https://b", Some(VerdictWord::NotConformant), RunStage::Over),
            line("https://a", Some(VerdictWord::Incomplete), RunStage::Over),
            line("https://d", None, RunStage::Running),
            line("https://e", None, RunStage::Queued),
        ];
        agents[0].name = "Zebra".into();
        AgentLines { agents, is_over: false, pairs: (0, 0) }
    }

    #[test]
    fn no_credential_of_the_form_or_of_another_agent_goes_to_an_agent() {
        let mut form = Settings::default();
        form.set_choice("version", "0.3".into());
        (form.bearer, form.headers) = ("canary".into(), "X-Key: canary".into());
        form.set_field("basic", "me:canary".into());
        form.others = vec!["canary".into()];
        let of = |credential: &str| {
            let wanted = RequestedAgent { address: "https://a".into(), credential: credential.into() };
            wanted.settings(&form)
        };
        let without = of(" ");
        assert!(!without.has_credentials() && !format!("{without:?}").contains("canary"), "{without:?}");
        assert_eq!(without.choice("version"), "0.3");
        assert_eq!(of("token-1").bearer, "token-1");
        let header = of("X-Key: one");
        assert_eq!((header.headers.as_str(), header.bearer.as_str()), ("X-Key: one", ""));
        // Some make tokens with a colon.
        let colon = of("me:secret");
        assert_eq!((colon.headers.as_str(), colon.bearer.as_str()), ("", "me:secret"));
    }

    #[test]
    fn the_page_names_the_number_of_agents_that_can_be_paired() {
        assert!(ABOUT_PAIRS.contains(&format!("at most {MOST_AGENTS} ")));
    }

    #[test]
    fn agents_are_sorted_and_found() {
        let lines = lines();
        assert_eq!(lines.shown("", "", AgentOrder::Listed), [0, 1, 2, 3, 4]);
        assert_eq!(lines.shown("", "", AgentOrder::Worst), [1, 2, 3, 4, 0]);
        assert_eq!(lines.shown(" ZEBRA ", "", AgentOrder::Worst), [0]);
        assert_eq!(lines.shown("", "fail", AgentOrder::Worst), [1]);
        assert_eq!(lines.shown("", "blocked", AgentOrder::Listed), [2]);
        for (order, id, _) in AgentOrder::ALL {
            assert_eq!(AgentOrder::parse(id), order);
        }
    }

    #[test]
    fn totals_keep_their_places_and_count_every_agent_once() {
        let mut lines = lines();
        let figures = |lines: &AgentLines| -> Vec<_> {
            TOTALS.into_iter().map(|(kind, title)| (kind.id(), title, lines.total(kind))).collect()
        };
        let before = [
            ("fail", "Not conformant", 1),
            ("blocked", "Incomplete", 1),
            ("advisory", "Conformant with suggestions", 0),
            ("pass", "Conformant", 1),
            ("running", "Still to come", 2),
        ];
        assert_eq!(figures(&lines), before);
        assert_eq!(lines.standing(), TitleState::Running { judged: 3, total: 5 });
        assert_eq!(lines.shown("", "running", AgentOrder::Listed), [3, 4]);
        for line in &mut lines.agents {
            line.stage = RunStage::Over;
        }
        // Stopped before its turn: there is no word, and it is incomplete.
        assert_eq!(figures(&lines)[1], ("blocked", "Incomplete", 3));
        assert_eq!(lines.standing(), TitleState::Over { word: VerdictWord::NotConformant, failed: 1 });
        lines.agents.remove(1);
        assert_eq!(lines.standing(), TitleState::Over { word: VerdictWord::Incomplete, failed: 0 });
        lines.agents.truncate(1);
        assert_eq!(lines.standing(), TitleState::Over { word: VerdictWord::Conformant, failed: 0 });
        assert_eq!(AgentLines::default().standing(), TitleState::Empty);
    }

    #[test]
    fn each_line_says_how_far_it_is_or_why() {
        let lines = lines();
        assert_eq!(lines.summary(), "5 agents: 1 not conformant, 1 incomplete, 1 conformant, 1 under way, 1 waiting.");
        assert_eq!(lines.agents[1].note(), "2 required rules broken, 1 suggestion");
        assert_eq!(
            (lines.agents[2].state(), lines.agents[2].note().as_str()),
            ("Incomplete", "No agent answers there.")
        );
        assert_eq!(lines.agents[3].note(), "3 of 40 \u{b7} Reading the card");
        assert_eq!(lines.agents[4].note(), "");
        let kinds: Vec<_> = lines.agents.iter().map(|line| line.kind().id()).collect();
        assert_eq!(kinds, ["pass", "fail", "blocked", "running", "pending"]);
    }
}
