//! The rules of the house: who may import whom, where the target and versions may be named, and that every file says
//! what it is for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Every Rust file of ours below `src` and `tests`: its name and its text.
pub(crate) fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for dir in ["src", "tests"] {
        files_below(&root.join(dir), &mut found);
    }
    found.sort();
    found
        .into_iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "node_modules"))
        .map(|path| {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(&path).expect("readable"))
        })
        .collect()
}

/// The sources of the product, without the modules that are compiled for tests alone.
pub(crate) fn product() -> Vec<(String, String)> {
    let all: Vec<_> = sources().into_iter().filter(|(name, _)| name.starts_with("src/")).collect();
    let mut of_tests = Vec::new();
    for (name, text) in &all {
        let folder =
            name.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib").trim_end_matches("/main");
        for (_, after) in text.match_indices("#[cfg(test)]\n").map(|(at, mark)| text.split_at(at + mark.len())) {
            let declared = after.trim_start().trim_start_matches("pub(crate) ").strip_prefix("mod ");
            if let Some((module, _)) = declared.and_then(|declared| declared.split_once(';')) {
                of_tests.push(format!("{folder}/{module}"));
            }
        }
    }
    assert!(of_tests.len() > 10, "modules of tests are found");
    let is_of_tests = |name: &str| {
        of_tests
            .iter()
            .any(|module| name.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/')))
    };
    all.into_iter().filter(|(name, _)| !is_of_tests(name)).collect()
}

/// The room of a source file, as the import table names it.
fn room(name: &str) -> Option<&'static str> {
    const ROOMS: [(&str, &str); 25] = [
        ("src/wire/", "wire"),
        ("src/a2a/model", "a2a/model"),
        ("src/a2a/rule", "a2a/model"),
        ("src/a2a/cursor", "a2a/model"),
        ("src/a2a/headers", "a2a/model"),
        ("src/a2a/snake_case", "a2a/model"),
        ("src/a2a/proto", "a2a/model"),
        ("src/a2a/grpc_codec", "a2a/model"),
        ("src/a2a/dialect/", "a2a/dialect"),
        ("src/a2a/binding/", "a2a/binding"),
        ("src/a2a/", "a2a"),
        ("src/host/", "host"),
        ("src/engine/", "engine"),
        ("src/suite/", "suite"),
        ("src/report/", "report"),
        ("src/acts/", "acts"),
        ("src/clients/", "clients"),
        ("src/agent/", "agent"),
        ("src/server/", "server"),
        ("src/api/", "api"),
        ("src/js_api/", "js_api"),
        ("src/checker/", "checker"),
        ("src/view_model/", "view_model"),
        ("src/page/", "page"),
        ("src/cli/", "cli"),
    ];
    ROOMS.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, room)| *room)
}

/// The rooms that a room may import.
fn allowed(room: &str) -> &'static [&'static str] {
    match room {
        "wire" => &["wire"],
        "a2a/model" => &["wire", "a2a/model"],
        "a2a/dialect" => &["wire", "a2a/model", "a2a/dialect"],
        "a2a/binding" => &["wire", "a2a/model", "a2a/dialect", "a2a/binding"],
        "host" => &["wire", "host"],
        "engine" => &["wire", "a2a", "host", "engine"],
        "suite" => &["wire", "a2a", "host", "engine", "suite"],
        "report" => &["wire", "a2a/model", "engine", "report"],
        "acts" => &["wire", "a2a", "host", "engine", "report", "acts"],
        "clients" => &["wire", "a2a", "engine", "clients"],
        "agent" => &["wire", "a2a", "host", "agent"],
        "server" => &["wire", "a2a", "host", "agent", "server"],
        "api" => &["wire", "a2a", "host", "engine", "suite", "report", "agent", "server", "api"],
        "js_api" => &["wire", "a2a", "host", "engine", "suite", "report", "js_api"],
        "checker" => &["wire", "a2a", "host", "engine", "suite", "report", "acts", "agent", "view_model", "checker"],
        "view_model" => &["wire", "a2a", "host", "engine", "suite", "report", "view_model"],
        "page" => &["wire", "a2a", "host", "engine", "suite", "report", "view_model", "page"],
        _ => &[
            "wire",
            "a2a",
            "host",
            "engine",
            "suite",
            "report",
            "acts",
            "clients",
            "agent",
            "server",
            "js_api",
            "checker",
            "view_model",
            "page",
            "cli",
        ],
    }
}

/// The rooms that a file imports by `crate::`.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        // Imports of a file's tests are not looked at.
        if line.trim_start().starts_with("#[cfg(test)]") {
            break;
        }
        let line = line.split("//").next().unwrap_or_default();
        for piece in line.split("crate::").skip(1) {
            let path: String = piece.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            let mut parts = path.split("::");
            match (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
                ("a2a", "model" | "rule" | "cursor" | "headers" | "snake_case" | "proto" | "grpc_codec") => {
                    found.push("a2a/model".to_owned());
                }
                ("a2a", inner @ ("dialect" | "binding")) => found.push(format!("a2a/{inner}")),
                ("", _) => {}
                (room, _) => found.push(room.to_owned()),
            }
        }
    }
    found
}

#[test]
fn rooms_import_only_what_the_table_lets_them() {
    let mut breaches = Vec::new();
    for (name, text) in product() {
        let Some(room) = room(&name) else { continue };
        let may = allowed(room);
        for import in imports(&text) {
            let fits = may.iter().any(|allowed| *allowed == import || import.starts_with(&format!("{allowed}/")));
            if !fits && room != "a2a" {
                breaches.push(format!("{name} imports {import}"));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn the_target_is_named_in_six_files_only() {
    const MAY: [&str; 6] = [
        "src/lib.rs",
        "src/main.rs",
        "src/api/mod.rs",
        "src/bin/checker/main.rs",
        "src/host/mod.rs",
        "src/js_api/mod.rs",
    ];
    for (name, text) in sources() {
        if name.starts_with("src/") && !MAY.contains(&name.as_str()) {
            assert!(!text.contains("cfg(target") && !text.contains("cfg(not(target"), "{name} names the target");
        }
    }
}

/// Lines that compare something with a version by name, and why.
const VERSION_BRANCHES: [(&str, &str, &str); 4] = [
    (
        "src/engine/version_questions.rs",
        "std::ptr::eq(dialect, &V0_2)",
        "gRPC came with 0.3, so that nothing is asked in 0.2",
    ),
    ("src/checker/workbench/typed_request.rs", "\"0.1\" =>", "in 0.1 alone an answer is never a message"),
    ("src/suite/agentbin/cards.rs", "named ==", "the acceptance list says which version that card declares"),
    ("src/checker/agent_list.rs", "starts_with(\"1.\")", "the version is that of the AI Catalog's format"),
];

/// Whether a line of code compares something with one version by name: `ptr::eq(dialect, &V1_0)`, `version != V1_0.version`,
/// `"0.1" =>`, `starts_with("1.")`.
fn compares_with_a_version(code: &str) -> bool {
    let names = ["V1_", "V0_", "\"1.", "\"0.1", "\"0.2", "\"0.3"].iter().any(|name| code.contains(name));
    let compares = ["==", "!=", "ptr::eq(", "starts_with("].iter().any(|sign| code.contains(sign));
    let is_arm = code.trim_start().starts_with("\"0.") || code.trim_start().starts_with("\"1.");
    names && (compares || (is_arm && code.contains("=>")))
}

#[test]
fn versions_are_named_in_the_dialects_and_in_declarations_only() {
    const ROOMS: [&str; 8] = [
        "src/engine/",
        "src/suite/",
        "src/report/",
        "src/acts/",
        "src/clients/",
        "src/checker/",
        "src/page/",
        "src/a2a/comparable_task",
    ];
    // Where a run is driven and judged, no version is compared with another either.
    const STRICT: [&str; 5] =
        ["src/suite/", "src/engine/run", "src/engine/drive", "src/report/assess", "src/report/level"];
    let is_in = |rooms: &[&str], name: &str| rooms.iter().any(|room| name.starts_with(room));
    let (mut breaches, mut allowed) = (Vec::new(), BTreeSet::new());
    for (name, text) in product().iter().filter(|(name, _)| is_in(&ROOMS, name)) {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let compares = ["version ==", "version.as_str() ==", "match version", "ptr::eq(", "= V1_0", "= V0_"];
            let is_strict = is_in(&STRICT, name) && compares.iter().any(|branch| code.contains(branch));
            if !is_strict && !compares_with_a_version(code) {
                continue;
            }
            let may = VERSION_BRANCHES.iter().position(|(file, part, _)| file == name && code.contains(part));
            match may {
                Some(place) => _ = allowed.insert(place),
                None => breaches.push(format!("{name}:{} branches on a version", number + 1)),
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
    assert_eq!(allowed.len(), VERSION_BRANCHES.len(), "some of VERSION_BRANCHES are gone");
}

#[test]
fn the_newest_version_is_called_so_where_it_is_meant() {
    const MAY: [(&str, &str); 7] = [
        ("src/a2a/dialect/", "it is defined there"),
        ("src/a2a/proto", "it is defined there"),
        ("src/engine/detect.rs", "cards of the release candidate of 1.0"),
        ("src/engine/version_questions.rs", "a question in the methods of each version"),
        ("src/agent/served_version.rs", "which version's shapes the scripted agent's operations have: CURRENT"),
        ("src/agent/rest.rs", "the fault routes-of-1.0"),
        ("src/agent/rpc.rs", "the fault methods-of-1.0"),
    ];
    for (name, text) in product() {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let may = MAY.iter().any(|(place, _)| name.starts_with(place));
        assert!(may || !code.contains("V1_0"), "{name} names V1_0: Dialect::newest() is the newest");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (name, text) in sources() {
        assert!(text.starts_with("//!"), "{name} does not begin with //!");
    }
}

#[test]
fn every_scenario_file_is_listed_by_its_area() {
    let files = sources();
    for (name, text) in files.iter().filter(|(name, _)| name.starts_with("src/suite/")) {
        if !text.contains("static SCENARIO: Scenario") {
            continue;
        }
        let (folder, file) = name.rsplit_once('/').expect("a folder");
        let module = file.trim_end_matches(".rs");
        let list = &files.iter().find(|(other, _)| *other == format!("{folder}/mod.rs")).expect("an area").1;
        assert!(list.contains(&format!("&{module}::SCENARIO")), "{name} is not listed in {folder}/mod.rs");
    }
}

#[test]
fn a_skip_that_rests_on_the_card_has_that_basis() {
    for (name, text) in sources() {
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace("format!(", "");
        let untyped = concat!("not_applicable(", "\"the card ");
        assert!(!joined.contains(untyped), "{name}: Verdict::excluded_by_card is for what the card declares");
    }
}

#[test]
fn no_test_is_ignored_without_a_reason() {
    for (name, text) in sources() {
        let bare = concat!("#[ign", "ore]");
        assert!(!text.contains(bare), "{name} ignores a test and does not say why");
    }
}

/// Texts with a number before a plural in which the number cannot be one.
const NEVER_ONE: [&str; 6] = [
    // Guarded by a case for one.
    "a stream of {} events",
    "{length} entries",
    // Said only of several.
    "({breaches} of {places} places)",
    "more than {MOST_EVENTS} events",
    "all {count} calls",
    "{} later requests were not answered",
];

#[test]
fn numbers_agree_with_their_nouns() {
    const NOUNS: [&str; 18] = [
        "artifacts",
        "calls",
        "checks",
        "configs",
        "entries",
        "events",
        "exchanges",
        "interfaces",
        "items",
        "members",
        "messages",
        "musts",
        "pages",
        "parts",
        "places",
        "requests",
        "tasks",
        "times",
    ];
    let mut wrong = Vec::new();
    let rooms = ["src/a2a/", "src/engine/", "src/suite/", "src/report/"];
    for (name, text) in sources().iter().filter(|(name, _)| rooms.iter().any(|room| name.starts_with(room))) {
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let line = NEVER_ONE.iter().fold(line.to_owned(), |line, text| line.replace(text, ""));
            // A placeholder, at most one word, and a plural.
            for (_, rest) in line.match_indices("} ").map(|(at, _)| line.split_at(at + 2)) {
                let words = rest.split(|c: char| !c.is_ascii_alphanumeric()).take(2);
                if words.into_iter().any(|word| NOUNS.contains(&word)) {
                    wrong.push(format!("{name}: {line}"));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "write count_of(number, \"noun\"):\n{}", wrong.join("\n"));
}

/// The type names that two files of `src` may define, and why.
const NAMES_OF_TWO: [(&str, &str); 5] = [
    ("CheckResult", "the library shows a view of the event that it was made of"),
    ("Host", "the library wraps the ports, of which it shows none"),
    ("Options", "the library has the options that are stable, the engine all of them"),
    ("Report", "the library wraps the report that the formats are written from"),
    ("ScriptedAgent", "the library's is the agent with its transport, as one value"),
];

/// The type that a line defines. Associated types, which stand within a trait or an `impl`, are not meant.
fn defined_type(line: &str) -> Option<&str> {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let after = words.iter().position(|word| !matches!(*word, "pub" | "crate" | "super" | "in" | "unsafe"))?;
    let is_top = !line.starts_with(' ');
    match words.get(after..)? {
        ["struct" | "enum" | "trait" | "union", name, ..] => Some(name),
        ["type", name, ..] if is_top => Some(name),
        _ => None,
    }
}

#[test]
fn no_two_types_have_one_name() {
    let mut files_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in product() {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for defined in code.lines().filter(|line| !line.trim_start().starts_with("//")).filter_map(defined_type) {
            files_of.entry(defined.to_owned()).or_default().insert(name.clone());
        }
    }
    files_of.retain(|_, files| files.len() > 1);
    let allowed = |name: &String| NAMES_OF_TWO.iter().any(|(known, _)| known == name);
    let new: Vec<_> = files_of.iter().filter(|(name, _)| !allowed(name)).collect();
    assert!(new.is_empty(), "rename one of each, or say in NAMES_OF_TWO why a reader cannot confuse them: {new:#?}");
    let gone: Vec<_> = NAMES_OF_TWO.iter().filter(|(name, _)| !files_of.contains_key(*name)).collect();
    assert!(gone.is_empty(), "these are defined once now: {gone:?}");
}
