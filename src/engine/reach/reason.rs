//! The reasons for which a page cannot see an agent, and what is said of each. The words are a table, `reasons.txt`.

use crate::engine::requirement::lines_of;

/// The stages on the way to an agent, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The address, by itself.
    Address,
    /// Whether the browser lets the page reach that network.
    Permission,
    /// Reading an answer: the card.
    Read,
    /// Making a call.
    Write,
    /// Reading an event stream.
    Stream,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Address, Self::Permission, Self::Read, Self::Write, Self::Stream];

    /// Its name for machines, and in the table.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Permission => "permission",
            Self::Read => "read",
            Self::Write => "write",
            Self::Stream => "stream",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Address => "Address",
            Self::Permission => "Permission",
            Self::Read => "Read the card",
            Self::Write => "Make a call",
            Self::Stream => "Read a stream",
        }
    }
}

/// The one thing to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Paste the fix into the agent.
    Fix,
    /// Run again.
    Again,
    /// Run again with more patience.
    Wait,
    /// Open the address in a tab of its own.
    Tab,
    /// Serve the page from one's own machine.
    Local,
    /// Give another address.
    Address,
}

impl Action {
    /// Its name for machines, and in the table.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Again => "again",
            Self::Wait => "wait",
            Self::Tab => "tab",
            Self::Local => "local",
            Self::Address => "address",
        }
    }
}

/// A reason: a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachReason {
    /// Its name.
    pub id: &'static str,
    /// The stage it is about; `None` for those that can befall any.
    pub stage: Option<Stage>,
    /// What to do next.
    pub action: Action,
    /// In one line.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// The table as text.
const TABLE: &str = include_str!("reasons.txt");

impl ReachReason {
    /// Every reason.
    pub fn all() -> impl Iterator<Item = Self> {
        lines_of(TABLE).filter(|line| !line.starts_with(['?', '!'])).filter_map(|line| {
            let mut cells = line.split(" | ");
            let id = cells.next()?;
            let stage = cells.next()?;
            let action = cells.next()?;
            let actions = [Action::Fix, Action::Again, Action::Wait, Action::Tab, Action::Local, Action::Address];
            Some(Self {
                id,
                stage: Stage::ALL.into_iter().find(|known| known.id() == stage),
                action: actions.into_iter().find(|known| known.id() == action)?,
                title: cells.next()?,
                meaning: cells.next()?,
                remedy: cells.next()?,
            })
        })
    }

    /// The reason of that name. One that the table lacks would be a fault of ours, and says nothing.
    #[must_use]
    pub fn of(id: &str) -> Self {
        Self::all().find(|reason| reason.id == id).unwrap_or(Self {
            id: "unknown",
            stage: None,
            action: Action::Again,
            title: "No answer",
            meaning: "",
            remedy: "",
        })
    }
}

/// The words for something that may lie behind a reason (`?`), or for a browser's settings (`!`).
#[must_use]
pub fn words(sign: char, id: &str) -> &'static str {
    lines_of(TABLE)
        .filter_map(|line| line.strip_prefix(sign)?.split_once(" | "))
        .find(|(known, _)| *known == id)
        .map_or("", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_all_its_words_and_a_name_of_its_own() {
        let all: Vec<ReachReason> = ReachReason::all().collect();
        let lines = lines_of(TABLE).filter(|line| !line.starts_with(['?', '!'])).count();
        assert_eq!(all.len(), lines, "a line of the table is not read");
        for reason in &all {
            assert_eq!(all.iter().filter(|other| other.id == reason.id).count(), 1, "{}", reason.id);
            for text in [reason.title, reason.meaning, reason.remedy] {
                assert!(text.len() > 10, "{}", reason.id);
            }
            assert!(!reason.title.ends_with('.') && reason.meaning.ends_with('.') && reason.remedy.ends_with('.'));
        }
    }
}
