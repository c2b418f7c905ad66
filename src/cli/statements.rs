//! Reads `docs/statements.txt`, every normative statement of A2A in its four versions with the sentences that make it so, and knows
//! the words that oblige. Only the command line carries it; what every program needs of it is made of it, and a test here holds
//! that.

use std::collections::BTreeMap;

use crate::engine::requirement::{Basis, Level, Requirement};

/// The statements; the head says how they are written.
const SOURCE: &str = include_str!("../../docs/statements.txt");

/// The words that oblige. A schema's comments write theirs small.
const OBLIGING: [&str; 7] = ["MUST NOT", "MUST not", "MUST", "SHALL", "REQUIRED", "Must", "must"];

/// A normative statement, and what is known of it.
#[derive(Debug)]
pub(super) struct Statement {
    /// The requirement, as checks name it.
    pub(super) requirement: Requirement,
    /// The sentences of each version, in the order of the requirement's `spec`.
    sentences: Vec<Vec<Sentence>>,
    /// Why it is no must where a version has sentences and it is only advice.
    pub(super) only_advice: Option<&'static str>,
    /// Why no check judges it; `None` if one does.
    pub(super) not_judged: Option<&'static str>,
}

/// A sentence of the specification, or of a document that it makes binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sentence {
    /// `1.0 §9.3`, `RFC 8259 §8.1`.
    pub(super) place: &'static str,
    /// As it stands there.
    pub(super) text: &'static str,
    /// Whether it states the rule itself, and is not more general.
    states_rule: bool,
}

impl Statement {
    pub(super) fn is_must(&self, version: &str) -> bool {
        let holds = self.requirement.section(version).is_some() && self.requirement.basis != Basis::Practical;
        holds && self.requirement.level_in(version) == Level::Must
    }

    /// The versions that it holds for, each with its sentences.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (&'static str, &[Sentence])> {
        self.requirement.spec.iter().map(|(version, _)| *version).zip(self.sentences.iter().map(Vec::as_slice))
    }
}

impl Sentence {
    /// The word by which it obliges.
    pub(super) fn keyword(&self) -> Option<&'static str> {
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

/// The statements, in the order of the table. One that cannot be read would be left out; a test reads every one.
pub(super) fn statements() -> Vec<Statement> {
    let mut named = BTreeMap::new();
    blocks().filter_map(|block| read_statement(block, &mut named)).collect()
}

/// The text of each statement.
fn blocks() -> impl Iterator<Item = &'static str> {
    SOURCE.split("\n\n").filter(|block| !block.starts_with('#'))
}

/// `named` has the sentences that have a name, and were read before.
fn read_statement(block: &'static str, named: &mut BTreeMap<&'static str, Sentence>) -> Option<Statement> {
    let mut lines = block.lines();
    let head = lines.next()?;
    let (mut versions, mut sentences) = (Vec::new(), Vec::<Vec<Sentence>>::new());
    let (mut only_advice, mut not_judged) = (None, None);
    for line in lines {
        if let Some(line) = line.strip_prefix("    ") {
            sentences.last_mut()?.push(read_sentence(line, named)?);
        } else if let Some(why) = line.strip_prefix("  only advice: ") {
            only_advice = Some(why);
        } else if let Some(why) = line.strip_prefix("  not judged: ") {
            not_judged = Some(why);
        } else {
            versions.push(line.strip_prefix("  ")?);
            sentences.push(Vec::new());
        }
    }
    let requirement = Requirement::of_columns(head.split(" | ").chain(versions))?;
    Some(Statement { requirement, sentences, only_advice, not_judged })
}

fn read_sentence(line: &'static str, named: &mut BTreeMap<&'static str, Sentence>) -> Option<Sentence> {
    let marked = line.strip_prefix("= ");
    let (line, states_rule) = (marked.unwrap_or(line), marked.is_some());
    let (name, quoted) = match line.split_once(" | ") {
        None => return named.get(line).map(|known| Sentence { states_rule, ..*known }),
        // A place has spaces, a name has none.
        Some((place, _)) if place.contains(' ') => (None, line),
        Some((name, quoted)) => (Some(name), quoted),
    };
    let (place, text) = quoted.split_once(" | ")?;
    let sentence = Sentence { place, text, states_rule };
    let is_new = name.is_none_or(|name| named.insert(name, sentence).is_none());
    is_new.then_some(sentence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::detect::versions;
    use crate::engine::requirement_table::TABLE;
    use crate::report::quotes;
    use crate::suite;

    /// How long a quotation of the page is at most, in characters.
    const LONGEST: usize = 240;

    /// The first line of what is made of the table.
    const HEAD: &str =
        "# Made of docs/statements.txt: UPDATE_TABLES=1 cargo test --lib tables_of_every_program writes it anew.\n";

    /// The content of `engine/requirements.txt`: what checks judge, one statement a line.
    fn requirements_table() -> String {
        let mut table = HEAD.to_owned();
        for block in blocks().filter(|block| !block.contains("\n  not judged: ")) {
            let columns =
                block.lines().filter(|line| !line.starts_with("    ") && !line.starts_with("  only advice: "));
            table.push_str(&columns.map(str::trim_start).collect::<Vec<_>>().join(" | "));
            table.push('\n');
        }
        table
    }

    /// The content of `report/quotes.txt`: for each must the sentence that states its rule, cut short; none where all are more
    /// general.
    fn quotes_table(statements: &[Statement]) -> String {
        let (mut quoted, mut musts) = (Vec::new(), String::new());
        for statement in statements {
            let mut must = String::new();
            for (version, sentences) in statement.sentences().filter(|(version, _)| statement.is_must(version)) {
                let Some(sentence) = sentences.iter().find(|sentence| sentence.states_rule) else { continue };
                let line = format!("{} | {}\n", sentence.place, short(sentence.text));
                let number = quoted.iter().position(|known| *known == line).unwrap_or(quoted.len());
                if number == quoted.len() {
                    quoted.push(line);
                }
                must.push_str(&format!(" {version}={number}"));
            }
            if !must.is_empty() {
                musts.push_str(&format!("{}{must}\n", statement.requirement.id));
            }
        }
        format!("{HEAD}{}-\n{musts}", quoted.concat())
    }

    /// A sentence of at most [`LONGEST`] characters, ending between two words.
    fn short(sentence: &str) -> String {
        let Some((end, _)) = sentence.char_indices().nth(LONGEST) else { return sentence.to_owned() };
        let head = sentence.get(..end).unwrap_or_default();
        let head = head.rsplit_once(' ').map_or(head, |(words, _)| words);
        format!("{} …", head.trim_end_matches(['…', ' ']))
    }

    #[test]
    fn the_tables_of_every_program_are_made_of_the_statements() {
        let tables = [
            ("engine/requirements.txt", requirements_table(), TABLE),
            ("report/quotes.txt", quotes_table(&statements()), quotes::TABLE),
        ];
        for (file, table, carried) in tables {
            if std::env::var_os("UPDATE_TABLES").is_some() {
                std::fs::write(format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR")), &table).unwrap();
            } else {
                assert!(table == carried, "src/{file} is stale: run this test with UPDATE_TABLES=1");
            }
        }
    }

    #[test]
    fn every_statement_reads_and_has_an_id_of_its_own() {
        let (mut named, mut ids) = (BTreeMap::new(), BTreeSet::new());
        for block in blocks() {
            let statement = read_statement(block, &mut named).unwrap_or_else(|| panic!("cannot be read: {block}"));
            let requirement = statement.requirement;
            assert!(ids.insert(requirement.id), "{} stands twice", requirement.id);
            assert!(!requirement.title.is_empty() && !requirement.spec.is_empty(), "{block}");
            let mut bindings = requirement.bindings.split(' ');
            assert!(bindings.all(|binding| ["any", "jsonrpc", "rest", "grpc"].contains(&binding)), "{block}");
            let mut held = BTreeSet::new();
            for (version, section) in &requirement.spec {
                assert!(versions().any(|known| known == *version) && !section.is_empty(), "{block}");
                assert!(held.insert(*version), "{} has {version} twice", requirement.id);
            }
        }
        // Fewer would be a table lost on the way.
        assert!(ids.len() > 400);
        for name in named.keys() {
            assert!(
                SOURCE.lines().any(|line| line.trim_start().trim_start_matches("= ") == *name),
                "{name} is used once"
            );
        }
    }

    #[test]
    fn every_statement_is_judged_or_explained_and_never_both() {
        let judged: BTreeSet<&str> = suite::checks().flat_map(|check| check.requirement_ids()).collect();
        for Statement { requirement, not_judged, .. } in statements() {
            let is_judged = judged.contains(requirement.id);
            assert_eq!(not_judged.is_none(), is_judged, "{}: is it judged by a check? {is_judged}", requirement.id);
            assert!(not_judged.is_none_or(|why| why.ends_with('.') && why.len() > 30), "{}", requirement.id);
        }
    }

    #[test]
    fn every_must_has_a_sentence_that_obliges_and_every_other_that_has_one_says_why() {
        for statement in statements() {
            let id = statement.requirement.id;
            let mut is_explained = false;
            for (version, sentences) in statement.sentences() {
                let rules = sentences.iter().filter(|sentence| sentence.states_rule).count();
                if !statement.is_must(version) {
                    is_explained |= !sentences.is_empty();
                    assert_eq!(rules, 0, "{id} {version} is no must and marks a rule");
                } else if statement.not_judged.is_none() {
                    let obliges = sentences.iter().any(|sentence| sentence.keyword().is_some());
                    assert!(
                        obliges && rules <= 1,
                        "{id} {version} is a must without a sentence that obliges, or with two"
                    );
                }
                // A sentence of another version has no force here.
                for sentence in sentences {
                    let other = versions().any(|known| known != version && sentence.place.starts_with(known));
                    assert!(!other, "{id} {version} quotes {}", sentence.place);
                }
            }
            assert_eq!(statement.only_advice.is_some(), is_explained, "{id}: why is it only advice?");
            assert!(statement.only_advice.is_none_or(|why| why.ends_with('.') && why.len() > 15), "{id}");
        }
    }

    #[test]
    fn statements_that_rest_on_the_same_sentences_have_the_same_level() {
        let mut levels: BTreeMap<(&str, BTreeSet<&str>), BTreeMap<&str, Level>> = BTreeMap::new();
        for Statement { requirement, sentences, .. } in statements() {
            for ((version, _), sentences) in requirement.spec.iter().zip(sentences) {
                let texts: BTreeSet<&str> = sentences.iter().map(|sentence| sentence.text).collect();
                if !texts.is_empty() {
                    levels.entry((version, texts)).or_default().insert(requirement.id, requirement.level_in(version));
                }
            }
        }
        for (place, levels) in levels {
            assert_eq!(levels.values().collect::<BTreeSet<_>>().len(), 1, "{place:?}: {levels:?}");
        }
    }

    #[test]
    fn long_sentences_are_cut_between_words() {
        for sentence in statements().iter().flat_map(|statement| statement.sentences.concat()) {
            let short = short(sentence.text);
            assert!(short.chars().count() <= LONGEST + 2, "{short}");
            let head = short.trim_end_matches(" …");
            assert!(short == sentence.text || (short.ends_with(" …") && sentence.text.starts_with(head)), "{short}");
        }
    }

    #[test]
    fn a_keyword_counts_as_a_whole_word() {
        let keyword = |text| Sentence { place: "", text, states_rule: false }.keyword();
        assert_eq!(keyword("Agents MUST NOT reply."), Some("MUST NOT"));
        assert_eq!(keyword("string id = 1 [(google.api.field_behavior) = REQUIRED];"), Some("REQUIRED"));
        assert_eq!(keyword("It must be unique."), Some("must"));
        assert_eq!(keyword("TASK_STATE_INPUT_REQUIRED = 6;"), None);
        assert_eq!(keyword("mustard"), None);
    }
}
