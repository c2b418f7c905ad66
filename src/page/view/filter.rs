//! Which rows are shown: some of the kinds, and a text that the row holds.

use super::rows::{Kind, RowInfo};

/// A filter; the default one shows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// One bit for each kind that was chosen, by its index.
    kinds: u8,
    text: String,
    words: Vec<String>,
}

impl Filter {
    /// Shows these kinds (none stands for all) of the rows that hold every word of the text.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = Kind>, text: &str) -> Self {
        let mut filter = Self::default();
        for kind in kinds {
            filter.kinds |= bit(kind);
        }
        filter.search(text);
        filter
    }

    /// Reads the kinds as a link has them: `fail,advisory`. Unknown words are left out.
    #[must_use]
    pub fn parse(kinds: &str, text: &str) -> Self {
        Self::new(kinds.split(',').filter_map(|word| Kind::parse(word.trim())), text)
    }

    /// The kinds as a link has them.
    #[must_use]
    pub fn kinds(&self) -> String {
        self.join(",", Kind::id)
    }

    /// A word for each kind that was chosen.
    fn join(&self, between: &str, word: fn(Kind) -> &'static str) -> String {
        let mut words = String::new();
        for kind in Kind::FILTERS.into_iter().filter(|kind| self.has(*kind)) {
            if !words.is_empty() {
                words.push_str(between);
            }
            words.push_str(word(kind));
        }
        words
    }

    /// The text as it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether that kind was chosen.
    #[must_use]
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds & bit(kind) != 0
    }

    /// Whether everything is shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds == 0 && self.words.is_empty()
    }

    /// Chooses a kind, or no longer.
    pub fn toggle(&mut self, kind: Kind) {
        self.kinds ^= bit(kind);
    }

    /// Looks for another text.
    pub fn search(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.words = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    }

    /// Whether a row is shown. The text is looked for in its id, lane, title and message, without case.
    #[must_use]
    pub fn shows(&self, row: &RowInfo, kind: Kind, message: &str) -> bool {
        let kind_fits = self.kinds == 0 || self.has(kind);
        kind_fits
            && (self.words.is_empty() || {
                let mut text = [row.check, &row.title, &row.lane, &row.lane_label, message].join("\n");
                text = text.to_ascii_lowercase();
                self.words.iter().all(|word| text.contains(word.as_str()))
            })
    }

    /// Why nothing is shown, in one sentence.
    #[must_use]
    pub fn explain(&self) -> String {
        let kinds = self.join(" or ", Kind::title).to_ascii_lowercase();
        let text = self.text.trim();
        match (kinds.is_empty(), text.is_empty()) {
            (true, true) => "There are no checks to show.".to_owned(),
            (false, true) => format!("No check is {kinds}."),
            (true, false) => format!("No check has \u{201c}{text}\u{201d} in its id, title or message."),
            (false, false) => {
                format!("No check that is {kinds} has \u{201c}{text}\u{201d} in its id, title or message.")
            }
        }
    }
}

const fn bit(kind: Kind) -> u8 {
    1 << kind.index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::Level;

    fn row() -> RowInfo {
        RowInfo {
            index: 0,
            key: "send.task-id@jsonrpc-1.0".into(),
            check: "send.task-id",
            title: "The task has an id".into(),
            lane: "jsonrpc-1.0".into(),
            lane_label: "JSON-RPC 1.0".into(),
            level: Level::Must,
            category: 1,
        }
    }

    #[test]
    fn every_word_must_be_somewhere() {
        for (text, shown) in [
            ("", true),
            ("  ", true),
            ("TASK", true),
            ("send id", true),
            ("json-rpc", true),
            ("got nothing", true),
            ("send unicorn", false),
        ] {
            let filter = Filter::new([], text);
            assert_eq!(filter.shows(&row(), Kind::Fail, "expected an id, got nothing"), shown, "{text}");
        }
    }

    #[test]
    fn kinds_add_up_and_toggle_off() {
        let mut filter = Filter::parse("advisory,fail,unicorn,fail", "");
        assert_eq!(filter.kinds(), "fail,advisory");
        assert!(filter.shows(&row(), Kind::Fail, ""));
        assert!(!filter.shows(&row(), Kind::Pass, ""));
        filter.toggle(Kind::Fail);
        filter.toggle(Kind::Advisory);
        assert!(filter.is_empty() && filter.shows(&row(), Kind::Pending, ""));
    }

    #[test]
    fn an_empty_result_explains_itself() {
        let filter = Filter::parse("fail", "tasks/get");
        assert_eq!(
            filter.explain(),
            "No check that is failed has \u{201c}tasks/get\u{201d} in its id, title or message."
        );
    }
}
