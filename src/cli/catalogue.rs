//! The checks as a document: rendered from the registry, so that `docs/CHECKS.md` cannot say what the suite does not do.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::args::{ChecksArgs, ListFormat};
use super::exit::Exit;
use super::{out, traceability};
use crate::engine::check::{Area, Check, Scenario};
use crate::engine::requirement::{Basis, Requirement};
use crate::report::spec_url;
use crate::suite;

pub(super) fn run(args: ChecksArgs) -> Result<Exit> {
    let all: Vec<_> = suite::declarations().collect();
    let chosen: Vec<_> = match &args.id {
        None => all.clone(),
        Some(id) => all.iter().filter(|(_, _, check)| check.id == id).copied().collect(),
    };
    if chosen.is_empty() {
        let id = args.id.unwrap_or_default();
        let near: Vec<_> =
            all.iter().map(|(_, _, check)| check.id).filter(|known| known.contains(&id)).take(8).collect();
        if near.is_empty() {
            bail!("no check is called {id}; `a2a-conformance checks` lists them");
        }
        bail!("no check is called {id}; did you mean {}?", near.join(", "));
    }
    let text = match (args.format, args.id) {
        (ListFormat::Json, _) => json(&chosen)?,
        (ListFormat::Traceability, _) => traceability::markdown(),
        (ListFormat::Markdown, None) => markdown(),
        (ListFormat::Markdown, Some(_)) => {
            chosen.iter().map(|(_, _, check)| entry(check)).collect::<Vec<_>>().join("\n")
        }
    };
    out::print(&text).context("standard output")?;
    Ok(Exit::Conformant)
}

/// The content of `docs/CHECKS.md`.
#[must_use]
pub fn markdown() -> String {
    let total = suite::checks().count();
    let mut text = format!(
        "# The checks\n\n\
         What is looked at, why it matters, and what to do about a failure: {total} checks. This file is written by\n\
         `make docs` from the checks themselves; `a2a-conformance checks ID` shows one of them.\n\n\
         A failure counts at must level, is advice at should level, and at may level is noted only. Each check names the\n\
         faults of the scripted agent that trip it: `a2a-conformance agent --fault ID` has them.\n"
    );
    let mut area = None;
    for (of, _, check) in suite::declarations() {
        if area.replace(of.name) != Some(of.name) {
            // Writing to a string has no error to report, here and below.
            let _ = write!(text, "\n## {}\n", heading(of));
        }
        let _ = write!(text, "\n{}", entry(check));
    }
    text
}

/// `Multi-turn (task lifecycle)`
fn heading(area: &Area) -> String {
    let mut characters = area.name.chars();
    let name: String = characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect();
    format!("{name} ({})", area.category.title().to_lowercase())
}

/// One check, under a heading that is its id.
fn entry(check: &Check) -> String {
    let mut text = format!("### `{}`\n\n{} ({}).\n", check.id, escaped(check.title), check.level().as_str());
    let mut paragraph = |name: &str, what: &str| {
        if !what.is_empty() {
            let _ = write!(text, "\n{name}{what}\n");
        }
    };
    paragraph("", &escaped(check.why));
    paragraph("Fix: ", &escaped(check.fix));
    if let Some(why) = check.advisory {
        paragraph("Advice only, although the text says must: ", &escaped(why));
    }
    text.push('\n');
    for requirement in check.requirements() {
        let _ = writeln!(text, "- Requirement `{}`: {}", requirement.id, places(requirement));
    }
    let _ = writeln!(text, "- Faults: `{}`", check.faults.ids().join("`, `"));
    text
}

/// `must, [1.0 §9.5](https://…)`, every version with its section.
fn places(requirement: &Requirement) -> String {
    let level = requirement.level.as_str();
    if requirement.basis == Basis::Practical {
        return format!("{level}, good practice that the specification does not ask for");
    }
    let mut sections = requirement.spec.clone();
    sections.sort_unstable();
    let places = sections.into_iter().map(|(version, section)| {
        let cited = requirement.cite(version);
        match spec_url(version, section) {
            Some(url) => format!("[{cited}]({url})"),
            None => cited,
        }
    });
    format!("{level}, {}", places.collect::<Vec<_>>().join(", "))
}

/// The text with what Markdown would take for a tag made harmless. The rest of what it knows is meant: doc comments
/// are Markdown.
fn escaped(text: &str) -> String {
    let mut inside = false;
    text.chars().fold(String::new(), |mut out, c| {
        inside ^= c == '`';
        match c {
            '<' if !inside => out.push_str("&lt;"),
            c => out.push(c),
        }
        out
    })
}

/// A check as a program reads it. Fields may be added, none may change meaning.
#[derive(Serialize)]
struct CatalogueEntry {
    id: &'static str,
    title: &'static str,
    area: &'static str,
    category: &'static str,
    scenario: &'static str,
    level: &'static str,
    requirements: Vec<CitedRequirement>,
    why: &'static str,
    fix: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    advisory: Option<&'static str>,
    faults: &'static [&'static str],
}

/// A requirement with its section by version.
#[derive(Serialize)]
struct CitedRequirement {
    id: &'static str,
    title: &'static str,
    level: &'static str,
    spec: std::collections::BTreeMap<&'static str, &'static str>,
}

fn json(checks: &[(&'static Area, &'static Scenario, &'static Check)]) -> Result<String> {
    let cited = |requirement: &'static Requirement| CitedRequirement {
        id: requirement.id,
        title: requirement.title,
        level: requirement.level.as_str(),
        spec: requirement.spec.iter().copied().collect(),
    };
    let entry = |(area, scenario, check): &(&'static Area, &'static Scenario, &'static Check)| CatalogueEntry {
        id: check.id,
        title: check.title,
        area: area.name,
        category: area.category.as_str(),
        scenario: scenario.id,
        level: check.level().as_str(),
        requirements: check.requirements().into_iter().map(cited).collect(),
        why: check.why,
        fix: check.fix,
        advisory: check.advisory,
        faults: check.faults.ids(),
    };
    let entries: Vec<_> = checks.iter().map(entry).collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&entries)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_in_the_document_with_its_requirements_and_faults() {
        let text = markdown();
        for check in suite::checks() {
            assert!(text.contains(&format!("\n### `{}`\n", check.id)), "{}", check.id);
            for id in check.requirement_ids().chain(check.faults.ids().iter().copied()) {
                assert!(text.contains(&format!("`{id}`")), "{}: {id}", check.id);
            }
        }
    }

    #[test]
    fn what_looks_like_a_tag_is_text() {
        assert_eq!(escaped("a <b> and `<c>`"), "a &lt;b> and `<c>`");
    }
}
