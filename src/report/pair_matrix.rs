//! How several agents get along: each pair in both directions, and each agent's own verdict, as rows for every format and as JSON.
//! Made of the reports on single agents and on pairs.

use super::checked_row::CheckedRow;
use super::headline::counts;
use super::json_writer::JsonWriter;
use super::model::Report;
use super::text::one_line;
use super::tool;
use crate::engine::event::Completion;
use crate::engine::lane_name::lane_name;
use crate::engine::plural::count_of;
use crate::engine::requirement::Level;
use crate::engine::run::CREDENTIAL_OPTIONS;
use crate::engine::verdict::{Outcome, Status};
use crate::wire::named_enum::named_enum;

/// The title for people.
pub(super) const TITLE: &str = "How A2A agents work together";

/// The kind that the JSON file declares.
pub const KIND: &str = "a2a-conformance-pairs";

/// The checks without which two agents cannot talk at all.
const NECESSARY: [&str; 5] =
    ["pair.cards", "pair.common-interface", "pair.reachable", "pair.credentials", "pair.modes"];

/// The longest reason, in characters.
const LONGEST_REASON: usize = 600;

/// Agents by agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairMatrix {
    /// The agents, in the order in which they were given.
    pub agents: Vec<MatrixAgent>,
    /// Each pair of them once, the earlier agent first.
    pub pairs: Vec<MatrixPair>,
}

/// An agent alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixAgent {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Its own verdict: the word for machines, the word for people, and the counts. Without, it was not checked.
    pub verdict: Option<AgentVerdict>,
    /// Its interfaces as people name them: `JSON-RPC 1.0`.
    pub interfaces: Vec<String>,
    /// How many requests it received while it was checked alone.
    pub requests: usize,
    /// How many of them were messages that it may have had to think about.
    pub messages: u32,
}

/// The verdict on an agent alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentVerdict {
    /// For machines: `conformant-with-advice`.
    pub word: &'static str,
    /// For people: `Conformant with advice`.
    pub title: &'static str,
    /// One sentence with the counts.
    pub counts: String,
}

/// Two agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixPair {
    /// The place of the first agent.
    pub first: usize,
    /// The place of the second.
    pub second: usize,
    /// The interface that they talked over, if they have one in common.
    pub interface: Option<String>,
    /// The first agent calls the second, and the second calls the first.
    pub directions: [PairDirection; 2],
    /// How many requests both received.
    pub requests: usize,
    /// How many of them were messages.
    pub messages: u32,
}

/// What was found where one agent calls another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairDirection {
    /// The finding in a word.
    pub talk: Talk,
    /// Why, where it does not simply work.
    pub because: Option<String>,
    /// The checks that failed at MUST level.
    pub musts: Vec<&'static str>,
    /// The checks that failed below it.
    pub advice: Vec<&'static str>,
    /// The checks that could not be judged.
    pub open: Vec<&'static str>,
}

named_enum! {
    /// How two agents get along in one direction, with the words of the legend.
    pub enum Talk {
        Works = "works" titled "the agent of the row can call the agent of the column, and all that was checked passes",
        Advice = "advice" titled "no required rule is broken, but a recommended one",
        Broken = "broken" titled "the two can talk, but a required rule of their conversation is broken",
        CannotTalk = "cannot-talk" titled "the agent of the row cannot call the agent of the column",
        NotJudged = "not-judged" titled "too little was seen",
    }
}

impl Talk {
    /// The word for it in a table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::CannotTalk => "cannot talk",
            Self::NotJudged => "?",
            known => known.as_str(),
        }
    }

    /// The words of tables, each with its meaning.
    #[must_use]
    pub fn legend() -> [(&'static str, &'static str); 5] {
        Self::ALL.map(|talk| (talk.word(), talk.title()))
    }
}

impl PairMatrix {
    /// The matrix of these agents, with what was found of every two of them; `found` is asked for each two places, the earlier first.
    #[must_use]
    pub fn new(agents: Vec<MatrixAgent>, mut found: impl FnMut(usize, usize) -> Option<MatrixPair>) -> Self {
        let places = (0..agents.len()).flat_map(|first| (first + 1..agents.len()).map(move |second| (first, second)));
        let pair = |(first, second)| found(first, second).unwrap_or_else(|| MatrixPair::new(first, second, None));
        let pairs = places.map(pair).collect();
        Self { agents, pairs }
    }

    /// What was found where the agent at one place calls the agent at another.
    #[must_use]
    pub fn direction(&self, caller: usize, called: usize) -> Option<&PairDirection> {
        self.pairs.iter().find_map(|pair| match (pair.first, pair.second) {
            (first, second) if (first, second) == (caller, called) => pair.directions.first(),
            (first, second) if (second, first) == (caller, called) => pair.directions.get(1),
            _ => None,
        })
    }

    /// Every direction that does not simply work: the numbers of both agents from 1, and what was found.
    pub fn remarks(&self) -> impl Iterator<Item = (usize, usize, &PairDirection)> {
        self.pairs.iter().flat_map(|pair| {
            let [there, back] = &pair.directions;
            let both = [(pair.first + 1, pair.second + 1, there), (pair.second + 1, pair.first + 1, back)];
            both.into_iter().filter(|(.., direction)| direction.talk != Talk::Works)
        })
    }

    /// The agents for a table: number, name, address, interfaces, and what each came to alone.
    pub(super) fn agent_rows(&self) -> Vec<[String; 5]> {
        let row = |(at, agent): (usize, &MatrixAgent)| {
            let MatrixAgent { name, address, verdict, interfaces, .. } = agent.clone();
            let alone = verdict.map_or_else(|| "not checked".to_owned(), |verdict| verdict.counts);
            [(at + 1).to_string(), name, address, interfaces.join(", "), alone]
        };
        self.agents.iter().enumerate().map(row).collect()
    }

    /// The remarks for a table: caller, called, result, and why.
    pub(super) fn remark_rows(&self) -> Vec<[String; 4]> {
        let row = |(caller, called, direction): (usize, usize, &PairDirection)| {
            let because = direction.because.clone().unwrap_or_default();
            [caller.to_string(), called.to_string(), direction.talk.word().to_owned(), because]
        };
        self.remarks().map(row).collect()
    }

    /// How many requests and messages the whole took.
    #[must_use]
    pub fn cost_in_words(&self) -> String {
        let alone = self.agents.iter().map(|agent| (agent.requests, agent.messages));
        let together = self.pairs.iter().map(|pair| (pair.requests, pair.messages));
        let (requests, messages) = alone.chain(together).fold((0, 0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1));
        let messages = usize::try_from(messages).unwrap_or(usize::MAX);
        format!("This took {}, among them {}.", count_of(requests, "request"), count_of(messages, "message"))
    }

    /// The matrix as JSON, by `docs/pairs-v1.schema.json`.
    #[must_use]
    pub fn to_json(&self, tool_version: &str) -> String {
        tool::document(KIND, tool_version, |w| {
            w.objects("agents", &self.agents, write_agent);
            w.objects("pairs", &self.pairs, write_pair);
        })
    }
}

impl PairDirection {
    /// The checks that failed, musts first.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.musts.iter().chain(&self.advice).copied()
    }

    /// What was found of the calls that arrive at the agent whose lanes begin like this.
    fn from_report(report: &Report, called: &str, in_words: &dyn Fn(&str) -> String) -> Self {
        let is_here = |row: &&CheckedRow| row.lane.as_ref().is_none_or(|lane| lane.starts_with(called));
        let rows: Vec<&CheckedRow> = report.results.iter().filter(is_here).collect();
        let named = |fits: &dyn Fn(&CheckedRow) -> bool| {
            rows.iter().filter(|row| fits(row)).map(|row| row.check).collect::<Vec<_>>()
        };
        let found = |fits: &dyn Fn(&CheckedRow) -> bool| rows.iter().find(|row| fits(row)).copied();
        let keeps_apart = |row: &CheckedRow| row.is_breach() && NECESSARY.contains(&row.check);
        let has_passed = rows.iter().any(|row| row.outcome == Outcome::Pass);
        let (talk, row) = if let Some(row) = found(&keeps_apart) {
            (Talk::CannotTalk, Some(row))
        } else if let Some(row) = found(&CheckedRow::is_breach) {
            (Talk::Broken, Some(row))
        } else if let Some(row) = found(&is_lost).filter(|_| !rows.is_empty()) {
            (Talk::NotJudged, Some(row))
        } else if !has_passed {
            (Talk::NotJudged, None)
        } else if let Some(row) = found(&CheckedRow::is_advice) {
            (Talk::Advice, Some(row))
        } else {
            (Talk::Works, None)
        };
        let because = row.map(|row| row.message.clone()).or_else(|| (talk == Talk::NotJudged).then(|| nothing(report)));
        Self {
            talk,
            because: because.map(|text| one_line(&in_words(&text), LONGEST_REASON)),
            musts: named(&CheckedRow::is_breach),
            advice: named(&CheckedRow::is_advice),
            // Whatever applies and was not decided.
            open: named(&|row| row.outcome.status() == Status::Skip && row.outcome != Outcome::NotApplicable),
        }
    }

    fn not_run() -> Self {
        let because = Some("these two were not checked together".to_owned());
        Self { talk: Talk::NotJudged, because, musts: Vec::new(), advice: Vec::new(), open: Vec::new() }
    }
}

/// Whether a must was not judged for a reason that lies outside the two agents' conversation.
fn is_lost(row: &CheckedRow) -> bool {
    row.level == Level::Must && matches!(row.outcome, Outcome::Blocked | Outcome::NotRun | Outcome::HarnessError)
}

/// Why nothing was found.
fn nothing(report: &Report) -> String {
    match &report.completion {
        Some(Completion::Incomplete(why)) => why.clone(),
        Some(Completion::Stopped) => "the run was stopped".to_owned(),
        _ => "no check of this direction could be judged".to_owned(),
    }
}

impl MatrixAgent {
    /// The agent at this address, with its report if it was checked.
    #[must_use]
    pub fn new(address: &str, report: Option<&Report>) -> Self {
        let Some(report) = report else {
            let (name, address) = (super::text::host(address), super::text::plain_address(address));
            return Self { name, address, verdict: None, interfaces: Vec::new(), requests: 0, messages: 0 };
        };
        let verdict = AgentVerdict { word: report.word.as_str(), title: report.word.title(), counts: counts(report) };
        Self {
            name: one_line(&report.agent_name(), 100),
            address: report.address.clone(),
            verdict: Some(verdict),
            interfaces: report.lanes.iter().map(|lane| lane_name(&lane.id)).collect(),
            requests: report.exchanges.len(),
            messages: report.tally.messages,
        }
    }
}

impl MatrixPair {
    /// The agents at these places, with the report on both; without one the two were not checked together.
    #[must_use]
    pub fn new(first: usize, second: usize, report: Option<&Report>) -> Self {
        let Some(report) = report else {
            let directions = [PairDirection::not_run(), PairDirection::not_run()];
            return Self { first, second, interface: None, directions, requests: 0, messages: 0 };
        };
        let in_words = |text: &str| numbered(text, first + 1, second + 1);
        Self {
            first,
            second,
            interface: report.lanes.first().map(|lane| lane_name(lane.id.get(2..).unwrap_or_default())),
            directions: ["b-", "a-"].map(|called| PairDirection::from_report(report, called, &in_words)),
            requests: report.exchanges.len(),
            messages: report.tally.messages,
        }
    }
}

/// A sentence of a report on two agents, with their numbers in the place of A and B.
fn numbered(text: &str, first: usize, second: usize) -> String {
    let text = text.replace(CREDENTIAL_OPTIONS, "the file of --agents");
    text.replace("agent A", &format!("agent {first}")).replace("agent B", &format!("agent {second}"))
}

fn write_agent(w: &mut JsonWriter, agent: &MatrixAgent) {
    w.text("name", &agent.name);
    w.text("address", &agent.address);
    w.text("verdict", agent.verdict.as_ref().map_or("not-checked", |verdict| verdict.word));
    w.maybe("counts", agent.verdict.as_ref().map(|verdict| verdict.counts.as_str()));
    w.texts("interfaces", &agent.interfaces);
    w.size("requests", agent.requests);
    w.number("messages", agent.messages);
}

fn write_pair(w: &mut JsonWriter, pair: &MatrixPair) {
    w.maybe("interface", pair.interface.as_deref());
    w.size("requests", pair.requests);
    w.number("messages", pair.messages);
    let [there, back] = &pair.directions;
    let directions = [(pair.first, pair.second, there), (pair.second, pair.first, back)];
    w.objects("directions", directions, |w, (caller, called, direction)| {
        w.size("caller", caller + 1);
        w.size("called", called + 1);
        w.text("result", direction.talk.as_str());
        w.maybe("because", direction.because.as_deref());
        w.texts("failedMusts", &direction.musts);
        w.texts("failedAdvice", &direction.advice);
        w.texts("notJudged", &direction.open);
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::check::Scope;
    use crate::engine::run::CALL;
    use crate::suite;

    #[test]
    fn two_agents_cannot_talk_where_a_check_of_the_cards_or_of_the_first_call_fails() {
        let declared = suite::pair_declarations()
            .filter(|(_, scenario, _)| scenario.scope == Scope::TwoAgents || scenario.id == CALL)
            .map(|(.., check)| check.id);
        assert_eq!(declared.collect::<BTreeSet<_>>(), BTreeSet::from(NECESSARY));
    }

    #[test]
    fn a_sentence_on_two_agents_names_them_by_their_numbers() {
        let text = format!("agent B has no card (here: {CREDENTIAL_OPTIONS}); agent A has one");
        assert_eq!(numbered(&text, 2, 5), "agent 5 has no card (here: the file of --agents); agent 2 has one");
    }
}
