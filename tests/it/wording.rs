//! The texts that people read: empty words are in none of them, and every test that docs/UX.md names exists.

use std::fs;
use std::path::Path;

use crate::architecture::product;

/// The files that hold texts for people and are not Rust.
const TEXTS: [&str; 6] = [
    "index.html",
    "style/boot.js",
    "style/copy.js",
    "style/sign-in.js",
    "src/view_model/cors_snippets.txt",
    "src/engine/reach/reasons.txt",
];

/// Words that tell nobody what happened or what to do.
const EMPTY: [&str; 8] = [
    "failed to fetch",
    "network error",
    "unknown error",
    "something went wrong",
    "an error occurred",
    "oops",
    "try again later",
    "invalid input",
];

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

#[test]
fn no_text_for_people_has_words_that_say_nothing() {
    // The scripted agent speaks as agents do, and tests quote them.
    let rust = product().into_iter().filter(|(name, _)| !name.starts_with("src/agent/")).map(|(name, text)| {
        let code: Vec<&str> = text.split("#[cfg(test)]").next().unwrap_or_default().lines().collect();
        (name, code.into_iter().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n"))
    });
    let others = TEXTS.iter().map(|name| ((*name).to_owned(), file(name)));
    let mut found = Vec::new();
    for (name, text) in rust.chain(others) {
        let lower = text.to_ascii_lowercase();
        found.extend(EMPTY.iter().filter(|words| lower.contains(**words)).map(|words| format!("{name}: {words}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The tests that a line of docs/UX.md names: `` `file` "name" `` each.
fn named(line: &str) -> Vec<(&str, &str)> {
    let mut rest = line;
    let mut found = Vec::new();
    while let Some((_, after)) = rest.split_once('`') {
        let Some((path, after)) = after.split_once('`') else { break };
        rest = after;
        if let Some((name, after)) = after.strip_prefix(" \"").and_then(|after| after.split_once('"')) {
            found.push((path, name));
            rest = after;
        }
    }
    found
}

#[test]
fn every_test_that_the_list_of_promises_names_exists() {
    let list = file("docs/UX.md");
    let mut count = 0;
    for line in list.lines().filter(|line| line.starts_with("- ")) {
        let tests = named(line);
        assert!(!tests.is_empty() || line.contains("**No test:** "), "neither a test nor a reason: {line}");
        for (path, name) in tests {
            // Names in JavaScript may have escaped quotes.
            let text = file(path).replace('\\', "");
            let declared = [format!("fn {name}("), format!("'{name}'"), format!("`{name}`")];
            assert!(declared.iter().any(|declared| text.contains(declared)), "{path} has no test \"{name}\"");
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
    for point in 1..=22 {
        assert!(list.contains(&format!("\n## {point}. ")), "point {point} is missing");
    }
}
