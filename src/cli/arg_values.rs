//! Readers of the values of arguments: what they accept, and the error that the user sees otherwise.

use clap::ValueEnum;

use super::out::TextKind;
use crate::a2a::dialect::Dialect;
use crate::engine::detect::versions;
use crate::engine::prompt::{Behaviour, Profile};
use crate::server::Situation;

/// A binding, as the format names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TransportName {
    /// JSON-RPC 2.0
    Jsonrpc,
    /// HTTP+JSON
    Rest,
    /// gRPC
    Grpc,
}

/// The failures that count for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Required rules
    Must,
    /// Recommended rules, too
    Should,
    /// None: 0 whenever the run was complete
    Never,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// For a terminal
    Text,
    /// Everything, with all exchanges; the page opens it
    Json,
    /// For an issue or a pull request
    Markdown,
    /// For a build server: JUnit XML
    Junit,
    /// For test dashboards: Common Test Report Format, JSON
    Ctrf,
    /// All exchanges, for a browser's developer tools
    Har,
    /// One page to send or print, without scripts
    Html,
    /// The verdict as an SVG picture, for a README
    Badge,
    /// The report of the ACTS format, for one binding; of `scenario` only
    Acts,
    /// What to fix, for a coding agent: at most 6 KB, what the agent said marked as data
    Agent,
    /// How long requests took, how many bytes came and how many were answered, for Prometheus
    Prometheus,
}

/// The format of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MatrixFormat {
    /// For a terminal
    Text,
    /// For a README or an issue
    Markdown,
    /// For people: one page to send, keep or print
    Html,
    /// For programs
    Json,
}

impl MatrixFormat {
    /// What a text of it is.
    pub(super) const fn kind(self) -> TextKind {
        match self {
            Self::Text => TextKind::Lines,
            Self::Json => TextKind::Json,
            Self::Markdown | Self::Html => TextKind::Markup,
        }
    }
}

/// A number of interfaces to call.
pub(super) fn interfaces(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "not a number from 1".to_owned())
}

/// A number of seconds to wait.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    // A day is longer than anybody waits, and well within what timers can count.
    if seconds > 0.0 && seconds <= 86_400.0 { Ok(seconds) } else { Err("not between 0 and 86400 seconds".to_owned()) }
}

/// A prompt convention, by its name.
pub(super) fn profile(name: &str) -> Result<Profile, String> {
    Profile::parse(name).ok_or_else(|| "the profiles are generic, agentbin, tck and acts".to_owned())
}

/// `BEHAVIOUR=TEXT`.
pub(super) fn prompt(text: &str) -> Result<(Behaviour, String), String> {
    let (name, text) = text.split_once('=').ok_or("write it as BEHAVIOUR=TEXT")?;
    let behaviour = Behaviour::parse(name.trim()).ok_or_else(|| {
        let known = Behaviour::ALL.map(Behaviour::as_str).join(", ");
        format!("unknown behaviour {name:?}; the behaviours are {known}")
    })?;
    if text.trim().is_empty() { Err("the text is empty".to_owned()) } else { Ok((behaviour, text.to_owned())) }
}

/// `NAME=VALUE`.
pub(super) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    if name.trim().is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok((name.trim().to_owned(), value.to_owned()))
    }
}

/// A version of the protocol that this build knows.
pub(super) fn version(text: &str) -> Result<String, String> {
    match Dialect::of_version(text) {
        Some(dialect) => Ok(dialect.version.to_owned()),
        None => {
            let known: Vec<_> = versions().collect();
            Err(format!("{text:?} is not one of the versions {}", known.join(", ")))
        }
    }
}

/// A situation for the clients of the scripted agent, by its name.
pub(super) fn situation(name: &str) -> Result<Situation, String> {
    let known = Situation::ALL.map(Situation::as_str).join(", ");
    Situation::parse(name).ok_or_else(|| format!("the situations are {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_a_sensible_number() {
        assert_eq!(seconds("1.5"), Ok(1.5));
        for text in ["", "x", "0", "-1", "NaN", "inf", "1e9"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_prompt_names_a_behaviour_and_keeps_its_text() {
        assert_eq!(prompt("cancel=a = b"), Ok((Behaviour::Cancel, "a = b".to_owned())));
        for text in ["cancel", "cancel=", "cancel= ", "=x"] {
            assert!(prompt(text).is_err(), "{text}");
        }
        assert!(prompt("dance=x").unwrap_err().contains("input-required"));
    }
}
