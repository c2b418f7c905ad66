//! Reads a document of tests: its head, variables, suites and tests; the versions of the format, the most trials and the highest
//! reward.

use serde_json::Number;

use super::document::{ActsDocument, ActsSuite, ActsTest, Preconditions};
use super::fields::{Fields, Reading, list, named};
use super::node::{Node, NodeValue};
use super::opening::{self, ConversationOpening};
use super::problem::{FileProblem, TextPlace};
use super::read_expect::named_assertions;
use super::read_step;
use super::references;
use super::sent_file;
use super::yaml;
use crate::engine::requirement::Level;
use crate::wire::base64::STANDARD;

/// The bindings that the format names.
pub(super) const BINDINGS: [&str; 3] = ["jsonrpc", "grpc", "rest"];
const REQUIREMENTS: [&str; 5] =
    ["webhook_endpoint", "concurrent_streams", "stream_disconnect", "auth_credentials", "header_inspection"];
/// The major versions of the format that are read: drafts call themselves 0, the corpus 1.
const FORMATS: [&str; 2] = ["0", "1"];
/// The most trials of one test.
const MAX_TRIALS: u64 = 1000;
/// The most that a test is worth.
const MAX_REWARD: f64 = 1_000_000.0;

/// Reads a file's text; the error is every mistake in it.
pub fn read_document(file: &str, text: &str) -> Result<ActsDocument, Vec<FileProblem>> {
    let reading = Reading::new(file);
    let document = match yaml::parse(text) {
        Ok(node) => document(&reading, &node),
        Err((at, message)) => {
            reading.note(at, message);
            None
        }
    };
    let problems = reading.into_problems();
    match document {
        Some(document) if problems.is_empty() => Ok(document),
        _ => Err(problems),
    }
}

fn document(reading: &Reading, node: &Node) -> Option<ActsDocument> {
    let fields = Fields::from_node(reading, node, "an ACTS document")?;
    let known = ["acts_version", "spec_version", "spec_ref", "metadata", "variables", "include", "suites"];
    fields.only(&[known.as_slice(), &["x-agents", "x-base64", "x-files", "x-system", "x-tools"]].concat());
    let acts_version = fields.need_text("acts_version");
    if let Some(node) = fields.get("acts_version") {
        let major = acts_version.split('.').next().unwrap_or_default();
        // What is not a text has its mistake already.
        if matches!(node.value, NodeValue::Text(_)) && !FORMATS.contains(&major) {
            let named =
                if acts_version.is_empty() { "ACTS without a version" } else { &format!("ACTS {acts_version}") };
            reading.note(node.at, format!("{named} is not supported; expected version 1"));
        }
    }
    if let Some(metadata) = fields.get("metadata").and_then(|node| Fields::from_node(reading, node, "metadata")) {
        metadata.only(&["title", "description", "authors", "license"]);
    }
    let include = fields.list("include", "a list of file names").iter();
    let include = include.filter_map(|node| Some((super::fields::text(reading, node)?, node.at))).collect();
    let suites = fields.list("suites", "a list of suites");
    if fields.get("include").is_none() && fields.get("suites").is_none() {
        reading.note(node.at, "an ACTS document needs the key suites or the key include");
    }
    let agents = fields.texts("x-agents");
    suites.iter().for_each(|suite| agents_of_steps(reading, suite, &agents));
    let files = sent_file::read(&fields);
    suites.iter().for_each(|suite| sent_file::check_names(reading, suite, &files));
    let opening = opening::read(&fields, &ConversationOpening::default());
    let mut variables = fields.text_map("variables");
    variables.extend(coded(&fields));
    Some(ActsDocument {
        file: reading.file().to_owned(),
        acts_version,
        spec_version: fields.need_text("spec_version"),
        variables,
        agents,
        files,
        include,
        suites: suites.iter().filter_map(|node| suite(reading, node, &opening)).collect(),
    })
}

/// Variables that stand for the base64 of a text, or of a document of JSON: `x-base64`.
fn coded(fields: &Fields<'_>) -> Vec<(String, String)> {
    let text = |node: &Node| node.as_text().map_or_else(|| node.to_json().to_string(), str::to_owned);
    let coded = fields
        .map("x-base64", "a map of texts or documents")
        .iter()
        .map(|(key, node)| (key.text.clone(), STANDARD.encode(text(node).as_bytes())));
    coded.collect()
}

/// Notes every step that names an agent which the document does not.
fn agents_of_steps(reading: &Reading, suite: &Node, agents: &[String]) {
    let within = |node: &'_ Node, name: &str| node.member(name).map(Node::elements).unwrap_or_default().to_vec();
    let steps = within(suite, "tests").into_iter().flat_map(|test| within(&test, "steps"));
    for step in steps {
        let named = [step.member("x-agent"), step.member("x-received").and_then(|node| node.member("agent"))];
        for node in named.into_iter().flatten() {
            if let Some(name) = node.as_text()
                && !agents.iter().any(|known| known == name)
            {
                reading.note(node.at, format!("the document's x-agents does not name {name}"));
            }
        }
    }
}

fn suite(reading: &Reading, node: &Node, opening: &ConversationOpening) -> Option<ActsSuite> {
    let fields = Fields::from_node(reading, node, "a suite")?;
    fields.only(&["id", "name", "description", "tags", "tests"]);
    let tags = fields.texts("tags");
    let tests = fields.need("tests", "a list of tests").map(|node| list(reading, node, "a list of tests"));
    Some(ActsSuite {
        id: fields.need_text("id"),
        name: fields.need_text("name"),
        tests: tests.unwrap_or_default().iter().filter_map(|node| test(reading, node, &tags, opening)).collect(),
    })
}

fn test(reading: &Reading, node: &Node, tags_of_suite: &[String], opening: &ConversationOpening) -> Option<ActsTest> {
    let fields = Fields::from_node(reading, node, "a test")?;
    fields.only(&[
        "id",
        "name",
        "description",
        "spec_ref",
        "level",
        "tags",
        "transport",
        "preconditions",
        "requires_behaviors",
        "origin",
        "runner_requirements",
        "steps",
        "assertions",
        "x-trials",
        "x-pass-rate",
        "x-reward",
        "x-system",
        "x-tools",
    ]);
    let steps = fields.need("steps", "a list of steps").map(|node| (node, list(reading, node, "a list of steps")));
    if let Some((node, [])) = steps
        && matches!(node.value, NodeValue::List(_))
    {
        reading.expected(node, "a list with at least one step");
    }
    let steps = steps.map(|(_, nodes)| nodes).unwrap_or_default();
    references::check(reading, node, steps);
    let id = fields.need_text("id");
    let tags = tags_of_suite.iter().cloned().chain(fields.texts("tags")).collect();
    Some(ActsTest {
        at: fields.get("id").map_or(node.at, |node| node.at),
        id,
        digest: digest(&node.to_json().to_string()),
        name: fields.need_text("name"),
        description: fields.text("description").unwrap_or_default().trim().to_owned(),
        spec_ref: fields.text("spec_ref").unwrap_or_default(),
        level: level(&fields),
        tags,
        transport: fields.words("transport", &BINDINGS),
        preconditions: preconditions(&fields),
        behaviors: fields.texts("requires_behaviors"),
        runner_requirements: fields.words("runner_requirements", &REQUIREMENTS),
        trials: trials(&fields),
        reward: reward(&fields),
        opening: opening::read(&fields, opening),
        steps: steps.iter().filter_map(|node| read_step::step(reading, node)).collect(),
        assertions: named_assertions(&fields),
    })
}

/// A digest (FNV-1a) that is the same everywhere and always.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn level(fields: &Fields<'_>) -> Level {
    let node = fields.need("level", "one of must, should, may");
    let known = [Level::Must, Level::Should, Level::May];
    node.and_then(|node| named(fields.reading, node, &known, Level::as_str)).unwrap_or(Level::Must)
}

fn preconditions(fields: &Fields<'_>) -> Preconditions {
    let reading = fields.reading;
    let given = fields.get("preconditions").and_then(|node| Fields::from_node(reading, node, "preconditions"));
    let Some(given) = given else { return Preconditions::default() };
    given.only(&["capabilities", "skills", "transport", "extensions", "description"]);
    let capabilities = given.map("capabilities", "a map of capabilities").iter();
    let skills = given.list("skills", "a list of maps with id").iter();
    let skills = skills.filter_map(|node| Some(Fields::from_node(reading, node, "a skill")?.need_text("id")));
    Preconditions {
        capabilities: capabilities.map(|(key, node)| (key.text.clone(), node.to_json())).collect(),
        skills: skills.collect(),
        transport: given.words("transport", &BINDINGS),
        extensions: given.texts("extensions"),
    }
}

fn reward(fields: &Fields<'_>) -> Option<f64> {
    let node = fields.get("x-reward")?;
    let number = node.as_number().and_then(Number::as_f64).filter(|worth| (0.0..=MAX_REWARD).contains(worth));
    fields.reading.found(node, number, &format!("a number from 0 to {MAX_REWARD}"))
}

fn trials(fields: &Fields<'_>) -> Option<(u32, f64)> {
    let trials = fields.count("x-trials");
    let rate = fields.get("x-pass-rate");
    let note = |at: TextPlace, what: &str| fields.reading.note(at, what);
    let number = rate.and_then(Node::as_number).and_then(Number::as_f64);
    match (trials, rate) {
        (None, Some(node)) => note(node.at, "x-pass-rate needs the key x-trials: how often the test is run"),
        (Some(count), _) if count == 0 || count > MAX_TRIALS => {
            let at = fields.get("x-trials").map_or(fields.at, |node| node.at);
            note(at, &format!("expected a number of trials from 1 to {MAX_TRIALS}"));
        }
        (_, Some(node)) if !number.is_some_and(|rate| (0.0..=1.0).contains(&rate)) => {
            note(node.at, "expected a rate from 0 to 1");
        }
        _ => {}
    }
    Some((u32::try_from(trials?).ok()?, number.unwrap_or(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_the_format_that_is_empty_or_not_known_is_a_mistake() {
        for (version, said) in [
            ("\"\"", "ACTS without a version is not supported; expected version 1"),
            ("\"2.0\"", "ACTS 2.0 is not supported; expected version 1"),
            ("1", "expected a text, got the number 1; write it in quotes: \"1\""),
        ] {
            let problems = read_document("a.yaml", &format!("acts_version: {version}\n")).unwrap_err();
            let first: Vec<&str> = problems
                .iter()
                .filter(|problem| problem.place.is_some_and(|at| at.column > 1))
                .map(|problem| problem.message.as_str())
                .collect();
            assert_eq!(first, [said]);
        }
    }
}
