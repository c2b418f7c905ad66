//! No circle of files: what a file imports never leads back to it. A circle is one room that pretends to be several; who
//! wants to read one of its files has to read them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::architecture::product;

/// Circles that are one concept; `docs/ARCHITECTURE.md` says why of each.
const ONE_CONCEPT: [&[&str]; 0] = [];

/// A module's path below the crate: `["engine", "run"]`; a folder's `mod.rs` has the folder's.
type Module = Vec<String>;

fn module(file: &str) -> Module {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib")) {
        parts.pop();
    }
    parts
}

/// The text without comments, strings and test modules.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut before = "";
    for line in text.lines() {
        // Imports of a file's tests are not looked at. `mod tests;` alone has a file of its own.
        if before == "#[cfg(test)]" && line.ends_with('{') {
            break;
        }
        before = line;
        let mut inside = false;
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' if inside => drop(characters.next()),
                '"' => inside = !inside,
                '/' if !inside && characters.peek() == Some(&'/') => break,
                _ if inside => {}
                other => code.push(other),
            }
        }
        code.push('\n');
    }
    // The visibility of an item is not an import.
    code.replace("pub(in crate::suite)", "pub")
}

/// The paths of a use tree: `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn paths(tree: &str, before: &str, found: &mut Vec<String>) {
    let mut depth = 0;
    let mut start = 0;
    let mut pieces = Vec::new();
    for (at, character) in tree.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&tree[start..]);
    for piece in pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()) {
        match piece.split_once('{') {
            Some((head, inner)) => paths(inner.trim_end_matches('}'), &format!("{before}{}", head.trim()), found),
            None => found.push(format!("{before}{}", piece.split_whitespace().next().unwrap_or_default())),
        }
    }
}

/// Every path that the code names: those of its `use` lines, and those that begin with `crate`, `super`, `self` or a
/// module below this one.
fn named(code: &str, below: &BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        if code[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_') {
            let tree: String = code[at + 4..].chars().take_while(|c| *c != ';').collect();
            paths(&tree.replace('\n', " "), "", &mut found);
        }
    }
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    for word in code.split(|c| !is_of_path(c)) {
        let first = word.split("::").next().unwrap_or_default();
        // A path before braces was read with its use line.
        if word.contains("::")
            && !word.ends_with("::")
            && (matches!(first, "crate" | "super" | "self") || below.contains(first))
        {
            found.push(word.to_owned());
        }
    }
    found
}

/// The files that each file imports. The files are `(name, text)`.
fn imports(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeMap<Module, &str> = files.iter().map(|(name, _)| (module(name), name.as_str())).collect();
    let mut graph = BTreeMap::new();
    for (name, text) in files {
        let own = module(name);
        let below: BTreeSet<&str> = modules
            .keys()
            .filter(|module| module.len() == own.len() + 1 && module.starts_with(&own))
            .filter_map(|module| module.last().map(String::as_str))
            .collect();
        let mut edges = BTreeSet::new();
        for path in named(&code(text), &below) {
            let mut base = own.clone();
            let mut parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
            match parts.first().copied() {
                Some("crate") => {
                    base.clear();
                    parts.remove(0);
                }
                Some("self") => drop(parts.remove(0)),
                Some("super") => {
                    while parts.first() == Some(&"super") {
                        base.pop();
                        parts.remove(0);
                    }
                }
                Some(first) if below.contains(first) => {}
                _ => continue,
            }
            base.extend(parts.into_iter().map(str::to_owned));
            // The path names a module, or something in one of the modules above it.
            while !base.is_empty() && !modules.contains_key(&base) {
                base.pop();
            }
            if let Some(other) = modules.get(&base).filter(|other| **other != name && !base.is_empty()) {
                edges.insert((*other).to_owned());
            }
        }
        graph.insert(name.clone(), edges);
    }
    graph
}

/// The files that lead back to themselves, in groups that lead to each other.
fn circles(files: &[(String, String)]) -> Vec<Vec<String>> {
    let graph = imports(files);
    let reached = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&str> = graph[from].iter().map(String::as_str).collect();
        while let Some(file) = next.pop() {
            if seen.insert(file.to_owned()) {
                next.extend(graph[file].iter().map(String::as_str));
            }
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<String>> = graph.keys().map(|file| (file.as_str(), reached(file))).collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (file, there) in &all {
        if there.contains(*file) {
            groups.insert(there.iter().filter(|other| all[other.as_str()].contains(*file)).cloned().collect());
        }
    }
    groups.into_iter().collect()
}

#[test]
fn no_file_leads_back_to_itself() {
    let files = product();
    assert!(files.len() > 200, "the sources are found");
    let found = circles(&files);
    let new: Vec<_> = found
        .iter()
        .filter(|circle| !ONE_CONCEPT.iter().any(|known| known.iter().eq(circle.iter())))
        .map(|circle| circle.join(" "))
        .collect();
    assert!(new.is_empty(), "these files import each other in circles:\n{}", new.join("\n"));
    for known in ONE_CONCEPT {
        assert!(found.iter().any(|circle| known.iter().eq(circle.iter())), "no longer a circle: {known:?}");
    }
}

#[test]
fn the_reasons_of_known_circles_are_written_down() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ARCHITECTURE.md")).unwrap();
    for file in ONE_CONCEPT.iter().copied().flatten() {
        assert!(text.contains(file.trim_start_matches("src/")), "docs/ARCHITECTURE.md does not name {file}");
    }
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let of = |texts: &[(&str, &str)]| {
        let files: Vec<_> = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        circles(&files)
    };
    let a = "src/engine/a.rs";
    let line = [(a, "use super::b::B;"), ("src/engine/b.rs", "use crate::wire::C;"), ("src/wire/mod.rs", "")];
    assert!(of(&line).is_empty());
    for back in [
        "use crate::engine::a::A;",
        "use super::{c::C, a::{self, A}};",
        "fn f() { super::a::f() }",
        "fn f() -> crate::engine::a::A { todo }",
    ] {
        let found = of(&[(a, "use super::b::B;"), ("src/engine/b.rs", back)]);
        assert_eq!(found, [vec![a.to_owned(), "src/engine/b.rs".to_owned()]], "{back}");
    }
    for harmless in
        ["// use super::a::A;", "const T: &str = \"super::a::A\";", "#[cfg(test)]\nmod t {\n use super::a::A;\n}"]
    {
        assert!(of(&[(a, "use super::b::B;"), ("src/engine/b.rs", harmless)]).is_empty(), "{harmless}");
    }
    // A folder's file that uses what is in the folder, and is used by it.
    let folder = [("src/agent/mod.rs", "mod x; struct A(x::B);"), ("src/agent/x.rs", "use super::A;")];
    assert_eq!(of(&folder), [["src/agent/mod.rs", "src/agent/x.rs"].map(str::to_owned).to_vec()]);
}
