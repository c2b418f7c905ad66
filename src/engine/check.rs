//! Declarations: a scenario drives one conversation, its checks judge the recording. Metadata is data, logic is plain
//! functions; `scenario!` binds them together in one file.

use futures_util::future::LocalBoxFuture;

use super::drive::Driver;
use super::requirement::{self, Level, Requirement};
use super::take::{Facts, Take};
use super::verdict::{Judged, Verdict};

/// A part of the suite: its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    /// Finding the card.
    Discovery,
    /// The card's content.
    Card,
    /// Sending messages.
    Messaging,
    /// Reading and cancelling tasks.
    Tasks,
    /// Conversations of several messages.
    MultiTurn,
    /// Listing tasks.
    ListTasks,
    /// Push notification configs.
    Push,
    /// Streams of a send.
    Streaming,
    /// Streams of a running task.
    Subscribe,
    /// Errors.
    Errors,
    /// Bytes, envelopes and media types.
    Transport,
    /// Authentication.
    Auth,
    /// Version negotiation.
    Versioning,
    /// Extensions.
    Extensions,
    /// Interfaces compared with each other.
    Interop,
}

/// The five categories of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// `agent-card`.
    AgentCard,
    /// `lifecycle`.
    Lifecycle,
    /// `streaming`.
    Streaming,
    /// `error-handling`.
    ErrorHandling,
    /// `interop`.
    Interop,
}

impl Category {
    /// All, in the order of a report.
    pub const ALL: [Self; 5] = [Self::AgentCard, Self::Lifecycle, Self::Streaming, Self::ErrorHandling, Self::Interop];

    /// The word of a report: `agent-card`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentCard => "agent-card",
            Self::Lifecycle => "lifecycle",
            Self::Streaming => "streaming",
            Self::ErrorHandling => "error-handling",
            Self::Interop => "interop",
        }
    }

    /// For people: `Agent card`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::AgentCard => "Agent card",
            Self::Lifecycle => "Task lifecycle",
            Self::Streaming => "Streaming",
            Self::ErrorHandling => "Error handling",
            Self::Interop => "Interoperability",
        }
    }
}

impl Area {
    /// The category that reports file it under.
    #[must_use]
    pub const fn category(self) -> Category {
        match self {
            Self::Discovery | Self::Card => Category::AgentCard,
            Self::Messaging | Self::Tasks | Self::MultiTurn | Self::ListTasks | Self::Push => Category::Lifecycle,
            Self::Streaming | Self::Subscribe => Category::Streaming,
            Self::Errors | Self::Transport | Self::Auth | Self::Versioning | Self::Extensions => {
                Category::ErrorHandling
            }
            Self::Interop => Category::Interop,
        }
    }

    /// Its name as a folder: `multi-turn`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Discovery => "discovery",
            Self::Card => "card",
            Self::Messaging => "messaging",
            Self::Tasks => "tasks",
            Self::MultiTurn => "multi-turn",
            Self::ListTasks => "list-tasks",
            Self::Push => "push",
            Self::Streaming => "streaming",
            Self::Subscribe => "subscribe",
            Self::Errors => "errors",
            Self::Transport => "transport",
            Self::Auth => "auth",
            Self::Versioning => "versioning",
            Self::Extensions => "extensions",
            Self::Interop => "interop",
        }
    }
}

/// How often a scenario runs.
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
}

/// A check: judges one requirement (now and then two or three that cannot be told apart) from a recording. Its texts are
/// one piece each, because a list of pieces is two words of address and length for each, which do not compress.
pub struct Check {
    /// Its stable id.
    pub id: &'static str,
    /// What it looks at, in plain words.
    pub title: &'static str,
    /// Its doc comment: why it matters, and `Fix: ...`.
    pub docs: &'static str,
    /// The ids of the requirements it judges, parted by spaces; the first gives level and section.
    pub requirements: &'static str,
    /// Why a breach is only advice although the requirement says must; `None` for most.
    pub advisory: Option<&'static str>,
    /// The judgement. Pure: the same recording gives the same verdict.
    pub judge: fn(&Take) -> Judged,
}

impl Check {
    /// The doc comment without the fix, as one paragraph.
    #[must_use]
    pub fn why(&self) -> String {
        let lines = self.docs.lines().map(str::trim);
        lines.take_while(|line| !line.starts_with("Fix:")).collect::<Vec<_>>().join(" ").trim().to_owned()
    }

    /// What an agent's author can do about a failure.
    #[must_use]
    pub fn fix(&self) -> String {
        let lines = self.docs.lines().map(str::trim).skip_while(|line| !line.starts_with("Fix:"));
        lines.collect::<Vec<_>>().join(" ").trim_start_matches("Fix:").trim().to_owned()
    }

    /// The level that its results have in the newest version.
    #[must_use]
    pub fn level(&self) -> Level {
        let level = self.requirements().first().map_or(Level::May, |requirement| requirement.effective_level());
        if self.advisory.is_some() { level.min(Level::Should) } else { level }
    }

    /// The level that its results have in a version and binding: that of its first requirement which holds there.
    #[must_use]
    pub fn level_in(&self, version: &str, binding: Option<&str>) -> Level {
        let requirements = self.requirements();
        let held = requirements.iter().find(|requirement| requirement.holds_for(version, binding));
        let level = held.map_or_else(|| self.level(), |requirement| requirement.level_in(version));
        if self.advisory.is_some() { level.min(Level::Should) } else { level }
    }

    /// Its requirements' entries.
    #[must_use]
    pub fn requirements(&self) -> Vec<&'static Requirement> {
        self.requirements.split(' ').filter_map(requirement::find).collect()
    }

    /// Whether it applies to a version and a binding.
    #[must_use]
    pub fn applies(&self, version: &str, binding: Option<&str>) -> bool {
        self.requirements().iter().any(|requirement| requirement.holds_for(version, binding))
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Check({})", self.id)
    }
}

/// The conversation of a scenario.
pub type Drive = for<'a> fn(&'a Driver) -> LocalBoxFuture<'a, ()>;

/// One conversation and the checks that judge it.
pub struct Scenario {
    /// Its id, unique in the suite.
    pub id: &'static str,
    /// What it does, in plain words.
    pub title: &'static str,
    /// The part of the suite.
    pub area: Area,
    /// How often it runs.
    pub scope: Scope,
    /// How many messages it sends at most, those that must be refused included.
    pub messages: u32,
    /// How many streams it holds open at once.
    pub streams: u32,
    /// The scenarios whose recordings it builds on.
    pub after: &'static [&'static str],
    /// Whether it can run at all on this agent: the verdict of its checks if not.
    pub needs: fn(&Facts) -> Result<(), Verdict>,
    /// The conversation.
    pub drive: Drive,
    /// What judges it.
    pub checks: &'static [Check],
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scenario({})", self.id)
    }
}

/// Checks, and the faults of the scripted agent that trip each; never none. Apart from the checks, because a page that
/// judges agents has no use for it.
pub type FaultsOf = &'static [(&'static str, &'static [&'static str])];

/// For a scenario that every agent can take part in.
///
/// # Errors
/// Never.
pub fn anyone(_: &Facts) -> Result<(), Verdict> {
    Ok(())
}

/// For a scenario without a conversation.
#[must_use]
pub fn silent(_: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async {})
}

/// Declares a scenario and its checks.
///
/// ```text
/// scenario! {
///     "cancel", "Cancel a task that is still running", in Tasks, scope: Lane,
///     messages: 1, streams: 0, after: ["probe"], needs: anyone, drive: drive,
///     checks: {
///         /// Why it matters.
///         ///
///         /// Fix: what to do.
///         "cancel.returns-task", "Cancel answers the updated Task",
///         requires: ["cancel.returns-task"], faults: ["cancel-answers-nothing"], judge: returns_task;
///     }
/// }
/// ```
///
/// The `Fix:` paragraph and at least one fault are not optional.
#[macro_export]
macro_rules! scenario {
    (
        $id:literal, $title:literal, in $area:ident, scope: $scope:ident,
        messages: $messages:literal, streams: $streams:literal, after: [$($after:literal),* $(,)?],
        needs: $needs:path, drive: $drive:expr,
        checks: { $(
            $(#[doc = $doc:literal])+
            $check:literal, $check_title:literal,
            requires: [$($requirement:literal),+ $(,)?], faults: [$($fault:literal),+ $(,)?],
            $(advisory: $advisory:literal,)? judge: $judge:expr;
        )+ }
    ) => {
        /// The scenario of this file.
        pub static SCENARIO: $crate::engine::check::Scenario = $crate::engine::check::Scenario {
            id: $id,
            title: $title,
            area: $crate::engine::check::Area::$area,
            scope: $crate::engine::check::Scope::$scope,
            messages: $messages,
            streams: $streams,
            after: &[$($after),*],
            needs: $needs,
            drive: $drive,
            checks: &[$(
                $crate::engine::check::Check {
                    id: $check,
                    title: $check_title,
                    docs: concat!($($doc, "\n"),+),
                    requirements: $crate::scenario!(@words $($requirement),+),
                    advisory: $crate::scenario!(@advisory $($advisory)?),
                    judge: $judge,
                },
            )+],
        };

        /// Its checks, and the faults that trip each.
        pub static FAULTS: $crate::engine::check::FaultsOf = &[$( ($check, &[$($fault),+]), )+];
    };
    (@words $first:literal $(, $more:literal)*) => { concat!($first $(, " ", $more)*) };
    (@advisory) => { None };
    (@advisory $advisory:literal) => { Some($advisory) };
}

/// Lists an area's scenario files once: makes the `mod` lines and the registry of the area.
#[macro_export]
macro_rules! area {
    ($($(#[doc = $doc:literal])* $name:ident),+ $(,)?) => {
        $( $(#[doc = $doc])* pub mod $name; )+
        /// The scenarios of this area, in the order they are shown.
        pub static SCENARIOS: &[&$crate::engine::check::Scenario] = &[$( &$name::SCENARIO ),+];

        /// What trips the checks of this area, by scenario.
        pub static FAULTS: &[$crate::engine::check::FaultsOf] = &[$( $name::FAULTS ),+];
    };
}
