//! Which sentences of the specification make each must a must, in full: `docs/musts.txt`, read for `docs/MUSTS.md`. Only the
//! command line carries it; the page has what `quotes.rs` quotes of it.

use crate::engine::requirement::lines_of;

/// The sentences, and the requirements that rest on them. Its head says how it is written.
pub const SOURCE: &str = include_str!("../../docs/musts.txt");

/// The words that oblige. A schema's comments write theirs small.
const OBLIGING: [&str; 7] = ["MUST NOT", "MUST not", "MUST", "SHALL", "REQUIRED", "Must", "must"];

/// A sentence of the specification, or of a document that it makes binding.
#[derive(Debug, Clone, Copy)]
pub struct Sentence {
    /// Its name in the table.
    pub key: &'static str,
    /// `1.0 §9.3`, `RFC 8259 §8.1`.
    pub place: &'static str,
    /// As it stands there.
    pub text: &'static str,
}

/// The sections that a requirement rests on, by version.
#[derive(Debug)]
pub struct RequirementSources {
    /// Its id.
    pub requirement: &'static str,
    /// Each version, with the keys of its sentences.
    pub versions: Vec<(&'static str, Vec<&'static str>)>,
    /// For the versions of which a sentence states the rule itself, the key of that.
    carrying: Vec<(&'static str, &'static str)>,
    /// Why it is only advice; `None` for a must.
    pub why: Option<&'static str>,
}

impl Sentence {
    /// The word by which it obliges.
    #[must_use]
    pub fn keyword(&self) -> Option<&'static str> {
        OBLIGING.into_iter().find(|keyword| {
            self.text.match_indices(keyword).any(|(at, _)| {
                let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let before = self.text.get(..at).is_some_and(|text| text.ends_with(letter));
                let after = self.text.get(at + keyword.len()..).is_some_and(|text| text.starts_with(letter));
                !before && !after
            })
        })
    }
}

/// The lines of one kind, without its word.
fn lines(kind: &'static str) -> impl Iterator<Item = &'static str> {
    lines_of(SOURCE).filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(' '))
}

/// Every sentence of the table.
#[must_use]
pub fn sentences() -> Vec<Sentence> {
    let read = |line: &'static str| {
        let (key, rest) = line.split_once(" | ")?;
        let (place, text) = rest.split_once(" | ")?;
        Some(Sentence { key, place, text })
    };
    lines("sentence").filter_map(read).collect()
}

/// The sections that each requirement of the table rests on.
#[must_use]
pub fn grounds() -> Vec<RequirementSources> {
    lines("must")
        .map(|line| read_ground(line, false))
        .chain(lines("lower").map(|line| read_ground(line, true)))
        .collect()
}

fn read_ground(line: &'static str, lowered: bool) -> RequirementSources {
    let mut columns: Vec<&'static str> = line.split(" | ").collect();
    let why = if lowered { columns.pop() } else { None };
    let mut columns = columns.into_iter();
    let requirement = columns.next().unwrap_or_default();
    let (mut versions, mut carrying) = (Vec::new(), Vec::new());
    for (version, keys) in columns.filter_map(|column| column.split_once(": ")) {
        carrying.extend(keys.split(' ').find_map(|key| Some((version, key.strip_prefix('=')?))));
        versions.push((version, keys.split(' ').map(|key| key.trim_start_matches('=')).collect()));
    }
    RequirementSources { requirement, versions, carrying, why }
}

impl RequirementSources {
    /// The keys of the sentences in a version.
    #[must_use]
    pub fn keys(&self, version: &str) -> Option<&[&'static str]> {
        self.versions.iter().find(|(known, _)| *known == version).map(|(_, keys)| keys.as_slice())
    }
}

/// The sentences with these keys, in their order.
#[must_use]
pub fn chosen<'a>(sentences: &'a [Sentence], keys: &[&str]) -> Vec<&'a Sentence> {
    keys.iter().filter_map(|key| sentences.iter().find(|sentence| sentence.key == *key)).collect()
}

impl Sentence {
    /// Its text, at most so many characters and ending between two words.
    #[must_use]
    pub fn short(&self, max: usize) -> String {
        let Some((end, _)) = self.text.char_indices().nth(max) else { return self.text.to_owned() };
        let head = self.text.get(..end).unwrap_or_default();
        let head = head.rsplit_once(' ').map_or(head, |(words, _)| words);
        format!("{} …", head.trim_end_matches(['…', ' ']))
    }
}

/// The page's quotations: for each must the sentence that states its rule, cut short; none where all are more general. The content of
/// `quotes.txt`.
#[must_use]
pub fn quotes_table(max: usize) -> String {
    let (sentences, mut used) = (sentences(), Vec::new());
    let mut musts = String::new();
    for ground in grounds().iter().filter(|ground| ground.why.is_none()) {
        musts.push_str(ground.requirement);
        for (version, key) in &ground.carrying {
            let place = used.iter().position(|known| known == key).unwrap_or(used.len());
            if place == used.len() {
                used.push(*key);
            }
            musts.push_str(&format!(" {version}={place}"));
        }
        musts.push('\n');
    }
    let line = |sentence: &Sentence| format!("{} | {}\n", sentence.place, sentence.short(max));
    let quoted: String = chosen(&sentences, &used).into_iter().map(line).collect();
    format!(
        "# Made of docs/musts.txt; a test in must_sentences.rs holds it, and writes it where UPDATE_QUOTES is set.\n{quoted}-\n{musts}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::quotes;

    #[test]
    fn the_table_of_quotes_is_made_of_the_sentences() {
        let table = quotes_table(quotes::LONGEST);
        if std::env::var_os("UPDATE_QUOTES").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/quotes.txt"), &table).unwrap();
            return;
        }
        assert!(table == quotes::TABLE, "run the test with UPDATE_QUOTES=1");
    }

    #[test]
    fn long_sentences_are_cut_between_words() {
        for sentence in sentences() {
            let short = sentence.short(240);
            assert!(short.chars().count() <= 242, "{short}");
            let head = short.trim_end_matches(" …");
            assert!(short == sentence.text || (short.ends_with(" …") && sentence.text.starts_with(head)), "{short}");
        }
    }
}
