//! What is kept of a past run beside its report, what the list says of it, and what a page says of one that it shows.

use super::format;
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
    /// How many rows failed at must level, and how many below it.
    pub failed: (u32, u32),
}

binary_encoding! { struct PastRun { address, agent, date, word, failed } }

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
        Self {
            address: report.address.clone(),
            agent: report.agent_name(),
            date: date(report),
            word: report.word,
            failed: (report.tally.failed_required, report.tally.failed_advisory),
        }
    }

    /// The form in which a browser keeps it: texts by their names.
    #[must_use]
    pub fn to_stored(&self) -> [(&'static str, String); 6] {
        let (failed, advisory) = self.failed;
        [
            ("address", self.address.clone()),
            ("agent", self.agent.clone()),
            ("date", self.date.clone()),
            ("word", self.word.title().to_owned()),
            ("failed", failed.to_string()),
            ("advisory", advisory.to_string()),
        ]
    }

    /// The run of which a browser has kept these texts; `None` when they are not those of a run.
    #[must_use]
    pub fn from_stored(word: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let count = |name| word(name)?.parse().ok();
        let title = word("word")?;
        Some(Self {
            address: word("address")?,
            agent: word("agent")?,
            date: word("date")?,
            word: VerdictWord::ALL.into_iter().find(|known| known.title() == title)?,
            failed: (count("failed")?, count("advisory")?),
        })
    }

    /// The verdict with its counts: `Not conformant, 3 failed, 2 advisory`.
    #[must_use]
    pub fn verdict(&self) -> String {
        let (failed, advisory) = self.failed;
        let counts = [(failed, "failed"), (advisory, "advisory")].into_iter().filter(|(count, _)| *count > 0);
        let counts: String = counts.map(|(count, word)| format!(", {count} {word}")).collect();
        format!("{}{counts}", self.word.title())
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
                failed: (3, 12),
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

    #[test]
    fn a_line_says_the_verdict_with_its_counts() {
        let past = |word, failed| PastRun {
            address: "https://h".into(),
            agent: "h".into(),
            date: "1 Jan 1970, 00:00 UTC".into(),
            word,
            failed,
        };
        assert_eq!(past(VerdictWord::Conformant, (0, 0)).verdict(), "Conformant");
        assert_eq!(past(VerdictWord::NotConformant, (3, 2)).verdict(), "Not conformant, 3 failed, 2 advisory");
        assert_eq!(past(VerdictWord::ConformantWithAdvice, (0, 1)).verdict(), "Conformant with advice, 1 advisory");
    }
}
