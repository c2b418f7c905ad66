//! The questions and messages that pass between the page and the checker, which is a module of its own.

use super::agents_switch::AgentsSwitch;
use super::banner::Banner;
use super::past_runs::PastRun;
use super::reach::ReachView;
use super::rows::{RowInfo, RowResult};
use super::settings::Settings;
use super::several_agents::{RequestedAgent, TableTopic};
use super::wire::MessageSide;
use super::workbench::{Ask, Bench};
use crate::engine::event::{Agent, Tally};
use crate::host::probe::{AddressSpace, PageOrigin};
use crate::report::Format;
use crate::view_model::binary_encoding::binary_encoding;

/// Instead of a card where no agent answers.
pub const NOBODY: &str = "-";

/// The questions of the page to the checker. The answer's type is beside each.
#[derive(Debug, Clone)]
pub enum Question {
    /// Check what the form names, in place of whatever goes on. `()`, at once; a [`Batch`] tells what happens.
    Check {
        /// The address of the form.
        address: String,
        /// The rest of the form.
        settings: Box<Settings>,
        /// The address that the page was loaded from.
        home: PageOrigin,
        /// The number that its batches carry.
        run: u32,
    },
    /// Check the demo agent, likewise. `()`
    CheckDemo {
        /// The faults that it gets, by their ids.
        faults: Vec<String>,
        /// The number that its batches carry.
        run: u32,
    },
    /// Open a file of tests. `TestFiles`
    OpenTests {
        /// The file's name.
        name: String,
        /// Its text; empty when the file itself comes along.
        text: String,
    },
    /// Open the file of tests at an address, which is fetched without credentials. `TestFiles`
    FetchTests(String),
    /// Close a file of tests. `TestFiles`
    CloseTests(String),
    /// Run the tests of the files that are open, in place of whatever goes on. `Result<(), String>`: why they cannot be run; a
    /// [`Batch`] tells what happens.
    RunTests {
        /// Variables, texts for behaviours and further agents, a line for each.
        given: String,
        /// The address of the form; empty for the demo agent.
        address: String,
        /// The rest of the form.
        settings: Box<Settings>,
        /// The address that the page was loaded from.
        home: PageOrigin,
        /// The number that its batches carry.
        run: u32,
    },
    /// Check some checks of the last run again, as it was run. `()`, at once; a [`Batch`] tells what happens.
    Rerun {
        /// Their ids.
        checks: Vec<String>,
        /// The form, if it is still about that agent: its credentials and prompts take the place of those of then.
        settings: Option<Box<Settings>>,
        /// The number that its batches carry.
        run: u32,
    },
    /// The waits of the run, the longest first. `Vec<Waiting>`
    Waiting,
    /// Wait as long again for the exchange of that id. `()`
    WaitLonger(u32),
    /// Wait no longer for it. `()`
    GiveUp(u32),
    /// End the run at once; what was finished stays. `()`; a last [`Batch`] tells the end, if a run was under way.
    Stop,
    /// The row at this place of the plan in full. `Option<Detail>`: a row without a result has none.
    Detail(usize),
    /// A body of an exchange that a row rests on, in full. `Option<FullBody>`
    Body {
        /// The row's place in the plan; `None` for an exchange of the whole run.
        row: Option<usize>,
        /// The exchange's id.
        exchange: u32,
        /// The body: of the request or of the answer.
        part: MessageSide,
        /// As it came, and not laid out.
        is_raw: bool,
    },
    /// The report as a file of the format of this name. `Option<File>`: there is none before the first run.
    Report(String),
    /// The report to keep for a reload, as JSON, with all exchanges or without. `Option<SavedRun>`
    Kept(bool),
    /// Open a report, in place of the run that is shown. `Result<Opening, String>`: why it cannot be opened; then nothing
    /// changes.
    Open {
        /// The file's text, or the address that it is fetched from; empty when the file itself comes along.
        text: String,
        /// The number of the run that it is shown as.
        run: u32,
    },
    /// The differences between the run that is shown and the report of this text. `Option<Result<ComparisonView, String>>`
    Compare(String),
    /// The card at an address of this machine, fetched now and without credentials. `String`: [`NOBODY`] where none comes.
    CardNow(String),
    /// What differs from the report of this text. `String`: empty where it cannot be read.
    Since(String),
    /// Every exchange, by time. `Vec<TrafficLine>`
    Traffic,
    /// The exchange of that number in full. `Option<Evidence>`
    Exchange(u32),
    /// The agent's card. `Option<CardView>`
    Card,
    /// A text as a QR code. `Option<QrCode>`: it may be too long.
    Qr(String),
    /// The part that is only printed. `Option<printed::PrintedRun>`
    Printed,
    /// The agents that a list or an AI Catalog names. `AgentList`
    ReadList(String),
    /// The same of the catalogue at an address, which is fetched without credentials. `AgentList`
    ReadCatalogue(String),
    /// Check several agents, a few at once, in place of those that were checked so. `()`, at once.
    SeveralAgents {
        /// The agents.
        agents: Vec<RequestedAgent>,
        /// The settings that all of them are run with; no credential is taken from them.
        settings: Box<Settings>,
        /// The address that the page was loaded from.
        home: PageOrigin,
    },
    /// How they stand. `AgentLines`
    SeveralLines,
    /// Checks by agents. `Matrix`
    SeveralMatrix {
        /// A text that a check's id or title has to contain.
        text: String,
        /// Whether those are wanted, too, that fail nowhere.
        is_all: bool,
        /// How many are wanted.
        most: usize,
    },
    /// End the run of one of them at once, or of all. `()`
    SeveralStop(Option<usize>),
    /// Show the report of one, in place of the run that is shown. `Option<Result<Opening, String>>`
    SeveralOpen {
        /// Its place.
        agent: usize,
        /// The number of the run that it is shown as.
        run: u32,
    },
    /// Show another of the reports of a run of two agents, which is over, by its place: of the first agent, of the second, or of
    /// both together. `Option<Result<Opening, String>>`
    ShowReport(usize),
    /// Check every two of them together whose own runs are over. `()`, at once.
    SeveralPairs,
    /// The tables of a topic. `Vec<TextTable>`
    SeveralTables(TableTopic),
    /// The same as a file. `Option<File>`
    SeveralTableFile {
        /// The topic.
        topic: TableTopic,
        /// The format's name.
        format: String,
    },
    /// All reports as one file of the format of this name. `Option<File>`
    SeveralFile(String),
    /// One call to each interface, with the credentials of the form. `String`: what came of it.
    TestCall {
        /// The address of the form.
        address: String,
        /// The rest of the form.
        settings: Box<Settings>,
        /// The address that the page was loaded from.
        home: PageOrigin,
    },
    /// Wait until the user takes back that a network may not be reached. `()`, when that happens.
    PermissionGiven(AddressSpace),
    /// An action of the workbench; the answers' types are beside those actions.
    Workbench {
        /// The agent, and the choices of the form.
        bench: Box<Bench>,
        /// The action.
        ask: Ask,
    },
    /// Look at what an agent that watches over its clients has found. `Watching`
    Watch {
        /// Its address as it is typed.
        address: String,
        /// The mark of what was seen before; empty for nothing.
        known: String,
        /// Have it forget everything and begin anew, which shows nothing.
        is_anew: bool,
        /// The address that the page was loaded from.
        home: PageOrigin,
    },
    /// Show what was seen last as a report, as the run of this number, in place of the one that is shown. `Result<Opening, String>`
    WatchOpen(u32),
    /// The faults that the demo agent can have. `Vec<(String, String)>`: ids and titles.
    Faults,
    /// Every check, by category. `Vec<(String, Vec<(String, String)>)>`: titles of categories; ids and titles.
    Catalogue,
}

binary_encoding! { enum Question {
    Check { address, settings, home, run }, CheckDemo { faults, run },
    OpenTests { name, text }, FetchTests(of), CloseTests(of), RunTests { given, address, settings, home, run },
    Rerun { checks, settings, run }, Waiting, WaitLonger(of), GiveUp(of), Stop,
    Detail(of), Body { row, exchange, part, is_raw }, Report(of), Kept(of), Open { text, run }, Compare(of),
    CardNow(of), Since(of), Traffic, Exchange(of), Card, Qr(of), Printed, ReadList(of), ReadCatalogue(of),
    SeveralAgents { agents, settings, home }, SeveralLines, SeveralMatrix { text, is_all, most }, SeveralStop(of),
    SeveralOpen { agent, run }, ShowReport(of), SeveralPairs, SeveralTables(of), SeveralTableFile { topic, format },
    SeveralFile(of), TestCall { address, settings, home }, PermissionGiven(of), Workbench { bench, ask },
    Watch { address, known, is_anew, home }, WatchOpen(of), Faults, Catalogue,
} }

/// The name of the short report for an issue, as the name of a format.
pub const ISSUE: &str = "issue";
/// The same of the findings for a coding agent.
pub const CODING_AGENT: &str = "agent";

/// A file to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its contents.
    pub text: String,
}

binary_encoding! { struct File { name, media_type, text } }

impl File {
    /// A text in this format.
    #[must_use]
    pub fn new(name: String, format: Format, text: String) -> Self {
        Self { name, media_type: format.media_type().to_owned(), text }
    }
}

/// A report to keep, and what a list says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedRun {
    /// The agent that it is of.
    pub past: PastRun,
    /// The name of its file.
    pub name: String,
    /// The report.
    pub text: String,
}

binary_encoding! { struct SavedRun { past, name, text } }

/// The result of opening a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// A report.
    Report(Box<Opened>),
    /// An agent card, which can be judged.
    Card,
}

binary_encoding! { enum Opening { Report(of), Card } }

/// A report that was opened, as a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The agent that it is of.
    pub past: PastRun,
    /// When it was made, and with what.
    pub made_by: String,
    /// The messages of the run.
    pub messages: Vec<CheckerMessage>,
    /// The engine's counts.
    pub tally: Tally,
    /// How long the run took.
    pub duration_ms: f64,
}

binary_encoding! { struct Opened { past, made_by, messages, tally, duration_ms } }

/// A text as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    /// How many squares it is wide, with the margin.
    pub size: u32,
    /// The dark squares, as the path of an SVG.
    pub path: String,
}

binary_encoding! { struct QrCode { size, path } }

/// The messages since the last batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The number of the run.
    pub run: u32,
    /// The messages, in order.
    pub messages: Vec<CheckerMessage>,
    /// The engine's counts after it.
    pub tally: Tally,
}

binary_encoding! { struct Batch { run, messages, tally } }

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckerMessage {
    /// The run turned to something else, in its own words.
    Stage(String),
    /// A person has to give access elsewhere.
    Confirm(Confirm),
    /// The diagnosis of the way to the agent so far.
    Reached(Box<ReachView>),
    /// The card was read.
    Agent(Box<Agent>),
    /// The lanes, for people.
    Lanes(Vec<String>),
    /// The run is of two agents: its three reports as they stand. Where another of them is shown than before, its messages follow.
    Agents(Box<AgentsSwitch>),
    /// Rows were planned.
    Planned {
        /// The new rows, in the order of the table.
        rows: Vec<RowInfo>,
        /// How many messages they will send that the agent may have to think about.
        messages: u32,
    },
    /// The conversation of these rows began; their places in the plan.
    Running(Vec<usize>),
    /// A row was judged.
    Judged {
        /// Its place in the plan.
        row: usize,
        /// The result.
        result: RowResult,
    },
    /// The run is over.
    Finished(Box<Banner>),
    /// The checks that were run again are over.
    Rerun {
        /// How many rows have a new result.
        judged: u32,
        /// How many were to have one.
        asked: u32,
        /// The event that came in between; empty for none.
        why: String,
    },
}

binary_encoding! { enum CheckerMessage {
    Stage(of), Confirm(of), Reached(of), Agent(of), Lanes(of), Agents(of), Planned { rows, messages }, Running(of),
    Judged { row, result }, Finished(of), Rerun { judged, asked, why },
} }

/// To whom a person has to give access before the run goes on, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirm {
    /// To whom.
    pub whom: String,
    /// The page to open; with the code in it where the server supports that.
    pub url: String,
    /// The code to confirm there.
    pub code: String,
    /// The same in one sentence.
    pub spoken: String,
}

binary_encoding! { struct Confirm { whom, url, code, spoken } }
