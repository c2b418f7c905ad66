//! What is kept of a past run beside its report, what the list says of it, and what a page says of one that it shows.

use super::format;
use crate::report::headline::{broken, broken_in_words};
use crate::report::{Report, VerdictWord, tool};
use crate::view_model::binary_encoding::binary_encoding;

/// A run that was made before.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRun {
    /// The agent that was checked.
    pub address: String,
    /// The agent's name.
    pub agent: String,
    /// When, for people.
    pub date: String,
    /// The verdict.
    pub word: VerdictWord,
    /// The verdict with its counts: `Not conformant, 3 required rules broken, 2 suggestions`.
    pub verdict: String,
}

binary_encoding! { struct PastRun { address, agent, date, word, verdict } }

/// A run in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRunEntry {
    /// Its number in the browser's store.
    pub id: u32,
    /// The agent that it is of.
    pub about: PastRun,
}

impl PastRun {
    /// The entry of the list for that report.
    #[must_use]
    pub fn from_report(report: &Report) -> Self {
        let broken = broken_in_words(broken(report));
        let counts = if broken.is_empty() { broken } else { format!(", {broken}") };
        Self {
            address: report.address.clone(),
            agent: report.agent_name(),
            date: date(report),
            word: report.word,
            verdict: format!("{}{counts}", report.word.title()),
        }
    }

    /// The form in which a browser keeps it: texts by their names.
    #[must_use]
    pub fn to_stored(&self) -> [(&'static str, String); 5] {
        [
            ("address", self.address.clone()),
            ("agent", self.agent.clone()),
            ("date", self.date.clone()),
            ("word", self.word.title().to_owned()),
            ("verdict", self.verdict.clone()),
        ]
    }

    /// The run of which a browser has kept these texts; `None` when they are not those of a run.
    #[must_use]
    pub fn from_stored(word: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let title = word("word")?;
        Some(Self {
            address: word("address")?,
            agent: word("agent")?,
            date: word("date")?,
            word: VerdictWord::ALL.into_iter().find(|known| known.title() == title)?,
            verdict: word("verdict")?,
        })
    }
}

fn date(report: &Report) -> String {
    report.started_ms.map_or_else(|| "at an unknown time".to_owned(), format::date)
}

/// When a report was made and with what: `21 Nov 2026, 00:31 UTC, with a2a-conformance 0.1.0 (command line)`.
#[must_use]
pub fn made_by(report: &Report) -> String {
    let environment = &report.environment;
    let host = if environment.host.is_empty() { String::new() } else { format!(" ({})", environment.host) };
    format!("{}, with {} {}{host}", date(report), tool::TOOL, environment.tool_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_keeps_is_read_again() {
        for word in VerdictWord::ALL {
            let past = PastRun {
                address: "https://h".into(),
                agent: "H".into(),
                date: "1 Jan 1970, 00:00 UTC".into(),
                word,
                verdict: "Not conformant, 3 required rules broken".to_owned(),
            };
            let words = past.to_stored();
            let kept = |name: &str| words.iter().find(|(known, _)| *known == name).map(|(_, text)| text.clone());
            assert_eq!(PastRun::from_stored(kept), Some(past));
            for (gone, _) in &words {
                assert_eq!(PastRun::from_stored(|name| kept(name).filter(|_| name != *gone)), None);
            }
        }
        assert_eq!(PastRun::from_stored(|_| Some("a list".to_owned())), None);
    }
}
