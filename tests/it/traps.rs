//! The traps that comments and documents cite by id (`T-STR-12`) are explained in `docs/TRAPS.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const TRAPS: &str = include_str!("../../docs/TRAPS.md");
/// Generated from the checks, and held fresh by a test of its own.
const CHECKS: &str = include_str!("../../docs/CHECKS.md");

/// The kinds of file that may cite a trap.
const KINDS: [&str; 6] = ["rs", "md", "txt", "json", "mjs", "py"];

fn texts(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        // Packages that are installed for a test are not ours.
        let is_installed = |name: &str| name.starts_with('.') || name == "node_modules" || name == "target";
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_installed) {
            continue;
        }
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().and_then(|end| end.to_str()).is_some_and(|end| KINDS.contains(&end)) {
            found.push(path);
        }
    }
}

/// The ids in a text: `T-`, an area of capital letters and digits, `-`, a number. Longer words are not ids.
fn cited(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .filter(|word| {
            let mut parts = word.split('-');
            let all = |part: Option<&str>, fits: fn(&u8) -> bool| {
                part.is_some_and(|part| !part.is_empty() && part.as_bytes().iter().all(fits))
            };
            parts.next() == Some("T")
                && all(parts.next(), |b| b.is_ascii_uppercase() || b.is_ascii_digit())
                && all(parts.next(), u8::is_ascii_digit)
                && parts.next().is_none()
        })
        .collect()
}

/// The entries of the document: each heading's text with what stands below it.
fn entries() -> Vec<(&'static str, &'static str)> {
    let sections = TRAPS.split("\n## ").flat_map(|section| section.split("\n### ").skip(1));
    sections.map(|entry| entry.split_once('\n').expect("a heading and an entry")).collect()
}

#[test]
fn ids_are_told_from_other_words() {
    let text = "(T-STR-12: never), T-03-5. `T-CARD-7`, not T-, T-A, T-a-1, T-A-b, AT-A-1, T-A-1-2 or T-A-1x";
    assert_eq!(cited(text), BTreeSet::from(["T-STR-12", "T-03-5", "T-CARD-7"]));
}

#[test]
fn every_trap_that_is_cited_has_an_entry() {
    let known: BTreeSet<&str> = entries().into_iter().map(|(id, _)| id).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for dir in ["src", "tests", "docs"] {
        texts(&root.join(dir), &mut files);
    }
    let (mut unknown, mut citing) = (Vec::new(), 0);
    for path in files.iter().filter(|path| !path.ends_with("tests/it/traps.rs")) {
        let text = fs::read_to_string(path).expect("readable");
        let ids = cited(&text);
        citing += usize::from(!ids.is_empty());
        let strange = ids.into_iter().filter(|id| !known.contains(id));
        unknown.extend(strange.map(|id| format!("{} cites {id}", path.strip_prefix(root).expect("inside").display())));
    }
    // Fewer would mean that nothing was found, not that nothing is cited.
    assert!(citing > 20, "only {citing} files cite a trap");
    assert!(unknown.is_empty(), "no entry in docs/TRAPS.md:\n{}", unknown.join("\n"));
}

#[test]
fn every_entry_of_a_trap_is_complete_and_stands_once() {
    let mut known = BTreeSet::new();
    for (id, text) in entries() {
        assert_eq!(cited(id), BTreeSet::from([id]), "a heading that is not the id of a trap");
        assert!(known.insert(id), "{id} stands twice");
        assert!(text.contains("\n- Specification: "), "{id} does not say where the specification stands");
        assert!(text.contains("\n- Checks: "), "{id} does not say how checks deal with it");
    }
    assert!(known.len() > 50, "only {} entries were read", known.len());
}

#[test]
fn every_check_that_an_entry_names_exists() {
    let checks: BTreeSet<&str> =
        CHECKS.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).collect();
    let areas: BTreeSet<&str> = checks.iter().filter_map(|id| Some(id.split_once('.')?.0)).collect();
    let mut named = 0;
    for (id, text) in entries() {
        let (_, deal) = text.split_once("\n- Checks: ").expect("held by another test");
        // Between backticks: every second piece. Before this part of an entry, members of JSON look the same.
        for word in deal.split('`').skip(1).step_by(2) {
            if word.split_once('.').is_some_and(|(area, rest)| areas.contains(area) && !rest.contains([' ', '('])) {
                assert!(checks.contains(word), "{id} names {word}, which is no check");
                named += 1;
            }
        }
    }
    assert!(named > 50, "only {named} names of checks were found");
}
