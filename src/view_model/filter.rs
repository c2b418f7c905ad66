//! Which rows a filter lets through (kinds, lane, level, category, reason, text), how it stands in a link, and why nothing is left.

use super::rows::{RowInfo, RowKind};
use crate::engine::check::Category;
use crate::engine::requirement::Level;

/// A filter; the default one shows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// One bit for each kind that was chosen, by its index.
    kinds: u8,
    /// Only this lane, by its id.
    pub lane: Option<String>,
    /// Only this level.
    pub level: Option<Level>,
    /// Only this category, by its place among the categories.
    pub category: Option<usize>,
    /// Only rows that were not judged for this reason: `inconclusive`.
    pub reason: Option<String>,
    text: String,
    words: Vec<String>,
}

/// The levels, strictest first, as a choice shows them.
pub const LEVELS: [Level; 3] = [Level::Must, Level::Should, Level::May];

/// Why results could not be judged: the reason as a link has it, and as it stands behind their number.
pub const WHY_NOT_JUDGED: [(&str, &str); 5] = [
    ("inconclusive", "because your agent never came into the state that they need"),
    ("not-observable", "because a browser hides what they need, and the command line does not"),
    ("blocked", "because something before them failed"),
    ("unsteady", "because several runs do not agree"),
    ("harness-error", "because of a bug in this checker"),
];

impl Filter {
    /// Shows these kinds (none stands for all) of the rows that hold every word of the text.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = RowKind>, text: &str) -> Self {
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
        Self::new(kinds.split(',').filter_map(|word| RowKind::parse(word.trim())), text)
    }

    /// The kinds as a link has them.
    #[must_use]
    pub fn kinds(&self) -> String {
        self.join(",", RowKind::id)
    }

    /// A word for each kind that was chosen.
    fn join(&self, between: &str, word: fn(RowKind) -> &'static str) -> String {
        let chosen = RowKind::FILTERS.into_iter().filter(|kind| self.has(*kind));
        chosen.map(word).collect::<Vec<_>>().join(between)
    }

    /// The text as it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether that kind was chosen.
    #[must_use]
    pub fn has(&self, kind: RowKind) -> bool {
        self.kinds & bit(kind) != 0
    }

    /// Whether everything is shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds == 0 && self.words.is_empty() && self.narrowed() == 0
    }

    /// How many of lane, level, category and reason were chosen.
    #[must_use]
    pub fn narrowed(&self) -> usize {
        let chosen = [self.lane.is_some(), self.level.is_some(), self.category.is_some(), self.reason.is_some()];
        chosen.into_iter().filter(|is_chosen| *is_chosen).count()
    }

    /// Each of lane, level, category and reason with its value as a link has it; empty where none was chosen.
    #[must_use]
    pub fn choices(&self) -> [(&'static str, String); 4] {
        let category = self.category.and_then(|at| Category::ALL.get(at)).map_or("", |category| category.as_str());
        [
            ("l", self.lane.clone().unwrap_or_default()),
            ("v", self.level.map_or("", Level::as_str).to_owned()),
            ("g", category.to_owned()),
            ("w", self.reason.clone().unwrap_or_default()),
        ]
    }

    /// Chooses a lane, level, category or reason by its name in a link; no value, or an unknown one, stands for all.
    pub fn choose(&mut self, name: &str, value: &str) {
        let some = || (!value.is_empty()).then(|| value.to_owned());
        match name {
            "l" => self.lane = some(),
            "v" => self.level = LEVELS.into_iter().find(|level| level.as_str() == value),
            "g" => self.category = Category::ALL.iter().position(|category| category.as_str() == value),
            "w" => self.reason = some(),
            _ => {}
        }
    }

    /// Chooses a kind, or no longer.
    pub fn toggle(&mut self, kind: RowKind) {
        self.kinds ^= bit(kind);
    }

    /// Looks for another text.
    pub fn search(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.words = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    }

    /// Whether a row is shown. The text is looked for in its id, lane, title and message, without case.
    #[must_use]
    pub fn shows(&self, row: &RowInfo, kind: RowKind, reason: &str, message: &str) -> bool {
        let kind_fits = self.kinds == 0 || self.has(kind);
        kind_fits
            && self.lane.as_ref().is_none_or(|lane| *lane == row.lane)
            && self.level.is_none_or(|level| level == row.level)
            && self.category.is_none_or(|category| category == row.category)
            && self.reason.as_ref().is_none_or(|known| known == reason)
            && (self.words.is_empty() || {
                let mut text = [row.check.as_str(), &row.title, &row.lane, &row.lane_label, message].join("\n");
                text = text.to_ascii_lowercase();
                self.words.iter().all(|word| text.contains(word.as_str()))
            })
    }

    /// Why nothing is shown, in one sentence.
    #[must_use]
    pub fn explain(&self) -> String {
        let kinds = self.join(" or ", RowKind::title).to_ascii_lowercase();
        let text = self.text.trim();
        let choices = self.choices().into_iter().map(|(_, value)| value).filter(|value| !value.is_empty());
        let choices = choices.collect::<Vec<_>>().join(" and ");
        let wanted = [
            (!kinds.is_empty()).then(|| format!("is {kinds}")),
            (self.narrowed() > 0).then(|| format!("belongs to {choices}")),
            (!text.is_empty()).then(|| format!("has \u{201c}{text}\u{201d} in its id, title or message")),
        ];
        match wanted.into_iter().flatten().collect::<Vec<_>>().as_slice() {
            [] => "There are no checks to show.".to_owned(),
            wanted => format!("No check {}.", wanted.join(" and ")),
        }
    }
}

const fn bit(kind: RowKind) -> u8 {
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
            check: "send.task-id".to_owned(),
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
            assert_eq!(filter.shows(&row(), RowKind::Fail, "fail", "expected an id, got nothing"), shown, "{text}");
        }
    }

    #[test]
    fn kinds_add_up_and_toggle_off() {
        let mut filter = Filter::parse("advisory,fail,unicorn,fail", "");
        assert_eq!(filter.kinds(), "fail,advisory");
        assert!(filter.shows(&row(), RowKind::Fail, "fail", ""));
        assert!(!filter.shows(&row(), RowKind::Pass, "pass", ""));
        filter.toggle(RowKind::Fail);
        filter.toggle(RowKind::Advisory);
        assert!(filter.is_empty() && filter.shows(&row(), RowKind::Pending, "waiting", ""));
    }

    #[test]
    fn an_empty_result_explains_itself() {
        let filter = Filter::parse("fail", "tasks/get");
        assert_eq!(
            filter.explain(),
            "No check is failed and has \u{201c}tasks/get\u{201d} in its id, title or message."
        );
        let mut filter = Filter::default();
        filter.choose("l", "rest-1.0");
        filter.choose("v", "should");
        assert_eq!(filter.explain(), "No check belongs to rest-1.0 and should.");
    }

    #[test]
    fn lane_level_category_and_result_narrow_the_list_and_go_into_a_link() {
        for (name, value, other) in [
            ("l", "jsonrpc-1.0", "rest-1.0"),
            ("v", "must", "should"),
            ("g", "lifecycle", "streaming"),
            ("w", "inconclusive", "not run"),
        ] {
            let shows = |value| {
                let mut filter = Filter::default();
                filter.choose(name, value);
                assert!(filter.choices().contains(&(name, value.to_owned())), "{name} {value}");
                assert_eq!(filter.narrowed(), usize::from(!value.is_empty()));
                filter.shows(&row(), RowKind::Skip, "inconclusive", "")
            };
            assert_eq!((shows(value), shows(other), shows("")), (true, false, true), "{name}");
        }
        let mut filter = Filter::default();
        filter.choose("v", "unicorn");
        assert!(filter.is_empty());
    }
}
