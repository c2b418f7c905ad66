//! What an area, a scenario and a check are as declarations: a scenario drives one conversation, its checks judge the recording.
//! Metadata is data, logic is plain functions; each scenario has both in one file.

use futures_util::future::LocalBoxFuture;

use super::drive::Driver;
use super::requirement::{self, Level, Requirement};
use super::transcript::{RunFacts, Transcript};
use super::verdict::{Judged, Verdict};
use crate::wire::named_enum::named_enum;

/// A check with its area and its scenario.
pub type DeclaredCheck = (&'static Area, &'static Scenario, &'static Check);

/// A part of the suite: a folder of scenarios. A static in the folder's `mod.rs`.
pub struct Area {
    /// The folder's name, as reports write it: `multi-turn`.
    pub name: &'static str,
    /// The category that reports file it under.
    pub category: Category,
    /// Whether all of it is about features that an agent may leave out: a failure there leaves the agent *partial*.
    pub is_optional: bool,
    /// Its scenarios, in the order in which they are shown.
    pub scenarios: &'static [&'static Scenario],
}

impl Area {
    /// For lists that are filled while they are compiled.
    pub const EMPTY: Self = Self { name: "", category: Category::AgentCard, is_optional: false, scenarios: &[] };

    /// Whether every declaration in these areas has everything that has no default.
    #[must_use]
    pub const fn are_complete(mut areas: &[&Self]) -> bool {
        while let [area, others @ ..] = areas {
            let mut scenarios = area.scenarios;
            while let [scenario, others @ ..] = scenarios {
                if !scenario.is_complete() {
                    return false;
                }
                scenarios = others;
            }
            areas = others;
        }
        true
    }
}

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Area({})", self.name)
    }
}

named_enum! {
    /// The five categories of a report.
    pub enum Category {
        AgentCard = "agent-card" titled "Agent card",
        Lifecycle = "lifecycle" titled "Task lifecycle",
        Streaming = "streaming" titled "Streaming",
        ErrorHandling = "error-handling" titled "Error handling",
        Interop = "interop" titled "Interoperability",
    }
}

/// The scope that a scenario runs for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Once per agent, over the fetching of its card.
    Agent,
    /// Once per lane.
    Lane,
    /// Once per lane, without a conversation of its own: its checks judge everything the lane's other scenarios recorded.
    Traffic,
    /// Once for each further lane of a version, when it and the first lane of that version are done: compares the two.
    Pair,
    /// Once for two agents that are checked together: their cards.
    TwoAgents,
    /// Driven once for two agents that are checked together, and judged for each of them, on the interface that the other calls.
    EachAgent,
    /// Once, on one lane, when all lanes are done and compared, and only in a run for which the user asked for a load.
    Load,
    /// Once, on one lane, when all lanes are done and compared, and only in a run for which the user asked for delegation.
    Delegation,
    /// Once for the user's gateway, when the lanes are done: compares the card that it shows.
    GatewayCard,
    /// Once for each lane, when all are done: compares the agent with itself as seen through the user's gateway.
    Gateway,
}

/// A check: judges one requirement from a recording, or a few that cannot be told apart.
pub struct Check {
    /// Its stable id.
    pub id: &'static str,
    /// The statement that holds when it passes, in plain words.
    pub title: &'static str,
    /// Why it matters to the people who use the agent.
    pub why: &'static str,
    /// Advice to the agent's author about a failure.
    pub fix: &'static str,
    /// The ids of the requirements it judges; the first that holds gives level and section. Empty: the one that has the
    /// check's own id.
    pub requirements: &'static [&'static str],
    /// The faults of the scripted agent that trip it: [`Check::tripped_by`].
    pub faults: &'static [&'static str],
    /// Why a breach is only advice although the requirement says must; `None` for most.
    pub advisory: Option<&'static str>,
    /// The level of a test that a user wrote, behind which there is no requirement of the table; `None` for checks of the suite.
    pub own_level: Option<Level>,
    /// The judgement. Pure: the same recording gives the same verdict.
    pub judge: fn(&Transcript) -> Judged,
}

impl Check {
    /// What a check is that declares nothing. The rest is [required](Check::is_complete).
    pub const DEFAULTS: Self = Self {
        id: "",
        title: "",
        why: "",
        fix: "",
        requirements: &[],
        faults: &[],
        advisory: None,
        own_level: None,
        // A declaration that forgets its judgement must not pass.
        judge: |_| Err(Verdict::harness_error("this check has no judgement")),
    };

    /// For what a declaration leaves out, `..Check::tripped_by(&["send-both"])`, with the faults that trip the check. At least one: a
    /// check that was never seen to fail proves nothing.
    ///
    /// # Panics
    /// When the list is empty; for the checks of the suite that is while it is compiled.
    #[must_use]
    pub const fn tripped_by(faults: &'static [&'static str]) -> Self {
        assert!(!faults.is_empty(), "a check names at least one fault that trips it");
        Self { faults, ..Self::DEFAULTS }
    }

    /// Whether a declaration has everything that has no default.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        !self.id.is_empty()
            && !self.title.is_empty()
            && !self.why.is_empty()
            && !self.fix.is_empty()
            && !self.faults.is_empty()
    }

    /// The ids of the requirements it judges.
    pub fn requirement_ids(&self) -> impl Iterator<Item = &'static str> + use<> {
        let own = self.requirements.is_empty().then_some(self.id);
        own.into_iter().chain(self.requirements.iter().copied())
    }

    /// The level that its results have in the newest version.
    #[must_use]
    pub fn level(&self) -> Level {
        self.limited(|| self.requirements().first().map_or(Level::May, |requirement| requirement.effective_level()))
    }

    /// The level that its results have in a version and binding: that of its first requirement which holds there.
    #[must_use]
    pub fn level_in(&self, version: &str, binding: Option<&str>) -> Level {
        self.limited(|| {
            let requirements = self.requirements();
            let held = requirements.iter().find(|requirement| requirement.holds_for(version, binding));
            held.map_or_else(|| self.level(), |requirement| requirement.level_in(version))
        })
    }

    /// The level of a requirement, unless the check has its own or is only advice.
    fn limited(&self, level: impl FnOnce() -> Level) -> Level {
        let most = if self.advisory.is_some() { Level::Should } else { Level::Must };
        self.own_level.unwrap_or_else(|| level().min(most))
    }

    /// Its requirements' entries.
    #[must_use]
    pub fn requirements(&self) -> Vec<&'static Requirement> {
        self.requirement_ids().filter_map(requirement::find).collect()
    }

    /// Whether it applies to a version and a binding.
    #[must_use]
    pub fn applies(&self, version: &str, binding: Option<&str>) -> bool {
        // A test that does not fit says so itself.
        self.own_level.is_some()
            || self.requirements().iter().any(|requirement| requirement.holds_for(version, binding))
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Check({})", self.id)
    }
}

/// The conversation of a scenario.
pub type Drive = for<'a> fn(&'a Driver) -> LocalBoxFuture<'a, ()>;

/// A conversation that is data and not code: a test that a user wrote. Its judgement is the verdict with which it stops the driver.
pub trait WrittenTest: Sync {
    /// Drives the conversation.
    fn drive<'a>(&'a self, driver: &'a Driver) -> LocalBoxFuture<'a, ()>;

    /// Its steps: the id, which exchanges have as their step, and what is done.
    fn steps(&self) -> Vec<(String, String)>;
}

/// One conversation and the checks that judge it.
pub struct Scenario {
    /// Its id, unique in the suite.
    pub id: &'static str,
    /// Its title: what it does, in plain words.
    pub title: &'static str,
    /// The scope that it runs for.
    pub scope: Scope,
    /// How many messages it sends at most, those that must be refused included, in one attempt. Discovery and probe send one or two all the
    /// same where nothing else shows what an agent speaks, and a message that seems to lack an optional member is sent once more.
    pub messages: u32,
    /// How often at most it is attempted, each time with a fresh task, where the task was over before the request that needs it at work.
    pub attempts: u32,
    /// Whether it costs so much, for what it finds, that only a thorough run drives it.
    pub is_thorough: bool,
    /// How many streams it holds open at once. One that the agent ought to refuse is over as soon as a call, and does not count.
    pub streams: u32,
    /// How many answers it waits for one after another, about: the longest chains begin first.
    pub rounds: u32,
    /// The scenarios whose recordings it builds on.
    pub after: &'static [&'static str],
    /// The scenarios whose recordings only its checks look at. It may run beside them, and is judged when they are over.
    pub judged_after: &'static [&'static str],
    /// Whether it waits until every other scenario of its lane is over, as it would disturb them and they it.
    pub is_last: bool,
    /// Whether its checks need a task that is at work when a request comes. They are judged when the lane is over: by then it is known
    /// best how long this agent's tasks work ([`Transcript::lasts`]).
    pub needs_task_at_work: bool,
    /// A test of what the agent must declare for it. An error is the verdict of all its checks.
    pub needs: fn(&RunFacts) -> Result<(), Verdict>,
    /// The conversation.
    pub drive: Drive,
    /// The test that a user wrote, which takes the place of `drive`.
    pub written: Option<&'static dyn WrittenTest>,
    /// The checks that judge it.
    pub checks: &'static [Check],
}

impl Scenario {
    /// What a scenario is that declares nothing: no conversation, open to every agent.
    pub const DEFAULTS: Self = Self {
        id: "",
        title: "",
        scope: Scope::Lane,
        messages: 0,
        attempts: 1,
        is_thorough: false,
        streams: 0,
        rounds: 1,
        after: &[],
        judged_after: &[],
        is_last: false,
        needs_task_at_work: false,
        needs: |_| Ok(()),
        drive: |_| Box::pin(async {}),
        written: None,
        checks: &[],
    };

    /// For what a declaration leaves out, `..Scenario::judged_by(CHECKS)`, with its checks.
    #[must_use]
    pub const fn judged_by(checks: &'static [Check]) -> Self {
        Self { checks, ..Self::DEFAULTS }
    }

    /// One without a conversation, over the traffic of its lane.
    #[must_use]
    pub const fn of_traffic(id: &'static str, title: &'static str, checks: &'static [Check]) -> Self {
        Self { id, title, scope: Scope::Traffic, ..Self::judged_by(checks) }
    }

    /// Whether a declaration has everything that has no default.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        let mut checks = self.checks;
        while let [check, others @ ..] = checks {
            if !check.is_complete() {
                return false;
            }
            checks = others;
        }
        !self.id.is_empty() && !self.title.is_empty() && !self.checks.is_empty()
    }
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scenario({})", self.id)
    }
}
