//! The events of a run and what they carry: rows, results, counts, facts about the agent, what was left out, how the run ended. The
//! page, the terminal and every report fold events; nobody recounts.

use std::fmt;
use std::rc::Rc;

use super::check::{Area, Category, Check, Scenario, Scope};
use super::load::LoadFigures;
use super::plural::count_of;
use super::reach::diagnosis::StageResult;
use super::requirement::{self, Level};
use super::run_settings::RunSettings;
use super::security_schemes::SecurityScheme;
use super::session::SessionEvent;
use super::transcript::Lane;
use super::verdict::{Outcome, Status, Verdict};
use crate::wire::exchange::Exchange;
use crate::wire::limits::MOST_NAMED;

/// A row of the table: one check on one lane.
#[derive(Debug, Clone)]
pub struct Row {
    /// The check.
    pub check: &'static Check,
    /// Its scenario.
    pub scenario: &'static Scenario,
    /// The area of the suite that the scenario belongs to.
    pub area: &'static Area,
    /// The lane; `None` for checks of the card.
    pub lane: Option<Rc<Lane>>,
    /// The protocol version it is judged by.
    pub version: &'static str,
}

impl Row {
    /// Unique in the run: `send.task-shape@jsonrpc-1.0`.
    #[must_use]
    pub fn key(&self) -> String {
        row_key(self.check.id, self.lane_id())
    }

    fn lane_id(&self) -> Option<&str> {
        self.lane.as_ref().map(|lane| lane.id.as_str())
    }

    /// Whether the two are the same row: the same check on the same lane.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.check.id == other.check.id && self.lane_id() == other.lane_id()
    }

    /// Whether only the command line has its check: a page judges no clients and no pairs, looks through no gateway, puts no agent
    /// under load, and knows none of their declarations.
    #[must_use]
    pub fn is_only_native(&self) -> bool {
        let is_scope_of_page = !matches!(
            self.scenario.scope,
            Scope::Load | Scope::TwoAgents | Scope::EachAgent | Scope::GatewayCard | Scope::Gateway
        );
        let is_known = || self.check.requirement_ids().any(requirement::is_in_every_program);
        // The page knows the checks that it judges; a file that it opens describes its own.
        !cfg!(target_arch = "wasm32") && self.check.own_level.is_none() && !(is_scope_of_page && is_known())
    }

    /// The category it is filed under.
    #[must_use]
    pub fn category(&self) -> Category {
        self.area.category
    }

    /// The level that its results have.
    #[must_use]
    pub fn level(&self) -> Level {
        self.check.level_in(self.version, self.lane.as_ref().map(|lane| lane.binding.slug))
    }
}

/// The key of the row of a check on the lane with that id; `None` for the card.
#[must_use]
pub fn row_key(check: &str, lane: Option<&str>) -> String {
    match lane {
        Some(lane) => format!("{check}@{lane}"),
        None => check.to_owned(),
    }
}

/// A judged row.
#[derive(Debug, Clone)]
pub struct CheckResult {
    /// The row.
    pub row: Row,
    /// The verdict.
    pub verdict: Verdict,
    /// The level that the result has.
    pub level: Level,
    /// How long the exchanges took that the verdict was read from, in milliseconds.
    pub duration_ms: f64,
}

/// Counts over all results so far. `total` counts rows of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows planned.
    pub total: u32,
    /// Rows judged.
    pub judged: u32,
    /// Status pass.
    pub passed: u32,
    /// Status fail.
    pub failed: u32,
    /// Status skip.
    pub skipped: u32,
    /// Failed at must level.
    pub failed_required: u32,
    /// Failed at should level.
    pub failed_advisory: u32,
    /// Skipped as inconclusive.
    pub inconclusive: u32,
    /// Skipped as blocked.
    pub blocked: u32,
    /// Not the same in several runs; skipped as inconclusive.
    pub unsteady: u32,
    /// Messages sent that the agent may have had to think about.
    pub messages: u32,
}

impl Tally {
    /// Counts one more result.
    pub fn count(&mut self, outcome: Outcome, level: Level) {
        self.judged += 1;
        match outcome.status() {
            Status::Pass => self.passed += 1,
            Status::Fail => {
                self.failed += 1;
                if level == Level::Must { self.failed_required += 1 } else { self.failed_advisory += 1 }
            }
            Status::Skip => self.skipped += 1,
        }
        // Files call inconclusive what differs between runs, too.
        self.inconclusive += u32::from(matches!(outcome, Outcome::Inconclusive | Outcome::Unsteady));
        self.unsteady += u32::from(outcome == Outcome::Unsteady);
        self.blocked += u32::from(outcome == Outcome::Blocked);
    }
}

/// The name of the capability to stream, among those of an [`Agent`].
pub const STREAMING: &str = "streaming";
/// The name of the capability to send push notifications.
pub const PUSH_NOTIFICATIONS: &str = "push notifications";
/// The name of the capability to show authenticated clients another card.
pub const EXTENDED_CARD: &str = "extended card";

/// Facts about the agent, known once its card was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// Its name, or its host when the card names none.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where the card came from.
    pub card_url: String,
    /// Capabilities in words and whether it declares them: `streaming`, `push notifications`, ...
    pub capabilities: Vec<(String, bool)>,
    /// The profile that chose the prompts.
    pub profile: String,
    /// The version whose rules its card is judged by, and how it was detected: `0.3`, "the card declares ...".
    pub detected: (String, String),
    /// Interfaces of the card that are not checked, each with the reason.
    pub silent_interfaces: Vec<(String, String)>,
    /// The security schemes of the card.
    pub asks: Vec<SecurityScheme>,
    /// Other origins than the address's to which the card makes clients send credentials.
    pub elsewhere: Vec<String>,
}

impl Agent {
    /// The detected version, and why: `A2A 0.3 (the card declares protocolVersion 0.3.0)`; empty when nothing was.
    #[must_use]
    pub fn speaks(&self) -> String {
        let (version, why) = &self.detected;
        if version.is_empty() { String::new() } else { format!("A2A {version} ({why})") }
    }
}

/// Interfaces that are not checked, each with the reason, for people: of a great many the first.
#[must_use]
pub fn named_interfaces(all: &[(String, String)]) -> Vec<(String, String)> {
    let mut named: Vec<_> = all.iter().take(MOST_NAMED).cloned().collect();
    let more = all.len() - named.len();
    if more > 0 {
        named.push((count_of(more, "more interface"), "the report as JSON names each with the reason".to_owned()));
    }
    named
}

/// A scenario that only a thorough run drives, and that this one has left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What it does, in plain words.
    pub title: String,
    /// How many messages it would send at most, on all lanes together.
    pub messages: u32,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completion {
    /// Everything that was planned was done.
    Complete,
    /// The user asked for part of the suite only.
    Filtered,
    /// The user gave a card only, so that no agent was called.
    CardOnly,
    /// The user gave an endpoint only, so that no card was judged.
    EndpointOnly,
    /// The run could not see what it had to see; the text says why.
    Incomplete(String),
    /// The user wanted tests of files instead of the suite.
    Written,
    /// Two agents were checked together.
    Pair,
    /// A client was judged by what it sent to the scripted agent.
    Watched,
    /// The user stopped it.
    Stopped,
}

impl Completion {
    /// Which part the user asked for, if it was not the whole.
    #[must_use]
    pub const fn part(&self) -> Option<&'static str> {
        match self {
            Self::Filtered => Some("only part of the suite was selected"),
            Self::CardOnly => Some("only a card was given, so no agent was called"),
            Self::EndpointOnly => Some("only an endpoint was given, so no card was judged"),
            Self::Written => Some("tests from files were run instead of the suite"),
            Self::Pair => Some("two agents were checked together, and a level is for one agent"),
            Self::Watched => Some("a client was judged, and levels are given to agents"),
            Self::Complete | Self::Incomplete(_) | Self::Stopped => None,
        }
    }
}

/// Takes the events of a run.
pub type Emit = Rc<dyn Fn(Event)>;

/// The current activity of a run, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// Discovery is under way.
    ReadingCard,
    /// The browser asks its user for permission.
    WaitingForPermission,
    /// Probing why no answer is seen.
    Diagnosing,
    /// The lanes are under way; the names of their interfaces.
    Talking(Vec<String>),
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadingCard => f.write_str("Reading the agent card"),
            Self::WaitingForPermission => {
                f.write_str("Waiting for you: the browser asks whether this page may reach your network. Choose Allow")
            }
            Self::Diagnosing => f.write_str("Finding out why no answer arrives"),
            Self::Talking(interfaces) => write!(f, "Calling the agent over {}", interfaces.join(" and ")),
        }
    }
}

/// An event of a run.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run began.
    Started {
        /// The target, as the user gave it.
        address: String,
        /// Milliseconds since 1970.
        wall_ms: f64,
        /// How the user wanted it.
        settings: Box<RunSettings>,
    },
    /// The run turned to something else.
    Activity(Activity),
    /// A person has to agree elsewhere before the run goes on (RFC 8628 §3.3).
    Confirm {
        /// To whom access is given: `this run`, or `the second identity`.
        whom: &'static str,
        /// Where, as the server says: any text.
        url: String,
        /// The same with the code in it, if the server has that; else empty.
        complete: String,
        /// The code to type there.
        code: String,
    },
    /// The result of a stage on the way to the agent; only where the host does not see causes itself.
    Reach(StageResult),
    /// The card was read.
    Agent(Agent),
    /// The lanes are known.
    Lanes(Vec<Rc<Lane>>),
    /// Scenarios are left out, because the run is not a thorough one.
    LeftOut(Vec<LeftOut>),
    /// Rows were planned: once for the card, and once more for each lane.
    Planned {
        /// The new rows, in the order of the table.
        rows: Vec<Row>,
        /// How many messages they will send that the agent may have to think about.
        messages: u32,
    },
    /// A scenario began.
    ScenarioStarted {
        /// Which.
        scenario: &'static Scenario,
        /// On which lane.
        lane: Option<Rc<Lane>>,
    },
    /// An exchange ended and is on the record.
    Exchanged(Rc<Exchange>),
    /// The agent was put under load; the figures.
    Loaded(Rc<LoadFigures>),
    /// A row was judged.
    Judged {
        /// The result.
        result: Rc<CheckResult>,
        /// The counts with it.
        tally: Tally,
    },
    /// Something happened in a further run of the same agent, or the first of several is over (`Options::repeat`). What a run shows that the
    /// runs before it did not show follows as events of the usual kinds when it is over.
    OfRun {
        /// The number of the run, from 1.
        run: u32,
        /// What happened. Exchanges have numbers of their own; the counts are those of this run.
        event: Box<Self>,
    },
    /// The run is over; of several, the last.
    Finished {
        /// How.
        completion: Completion,
        /// The counts.
        tally: Tally,
        /// One sentence on what explains most of what went wrong, if one cause does.
        cause: Option<String>,
        /// How long it took, in milliseconds.
        duration_ms: f64,
    },
}

impl Event {
    /// The end of a run that the user stopped.
    #[must_use]
    pub const fn stopped(tally: Tally, duration_ms: f64) -> Self {
        Self::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms }
    }

    /// The exchange that ended, in whichever of several runs.
    #[must_use]
    pub fn exchanged(&self) -> Option<&Rc<Exchange>> {
        match self {
            Self::Exchanged(exchange) => Some(exchange),
            Self::OfRun { event, .. } => event.exchanged(),
            _ => None,
        }
    }
}

impl From<SessionEvent> for Event {
    fn from(event: SessionEvent) -> Self {
        match event {
            SessionEvent::Exchanged(exchange) => Self::Exchanged(exchange),
            SessionEvent::Loaded(figures) => Self::Loaded(figures),
            SessionEvent::Confirm { whom, url, complete, code } => Self::Confirm { whom, url, complete, code },
        }
    }
}
