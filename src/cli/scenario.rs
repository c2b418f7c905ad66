//! `scenario`: runs tests of files, which are ACTS documents, against an agent, or prints every mistake in them.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use clap::ValueEnum;

use super::args::{OutputFormat, ScenarioArgs};
use super::connections::RunHost;
use super::exit::{Exit, exit};
use super::replay::{self, Recording};
use super::running::{run_with_progress, times, write};
use super::{credentials, input, out};
use crate::acts::{self, ActsDocument, ActsReport, FileSource, TestSettings};
use crate::engine::discover::normalise;
use crate::engine::options::{Options, matches};
use crate::engine::plural::count_of;
use crate::host::native;
use crate::suite::discovery;

pub(super) fn run(args: ScenarioArgs) -> Result<Exit> {
    let recording = args.replay.as_deref().map(Recording::read).transpose()?;
    let (url, files) = match (&recording, args.inputs.split_last()) {
        (Some(recording), _) => (recording.address.as_str(), args.inputs.as_slice()),
        (None, Some((url, files))) if !files.is_empty() => (url.as_str(), files),
        _ => bail!("name a file and the agent's address"),
    };
    let documents = load(files)?;
    out::try_place("--output", args.run.output.as_deref())?;
    out::try_place("--record", args.record.as_deref())?;
    let on = RunHost::from_args(&args.run.connection)?;
    let mut options = options(url, &documents, &args)?;
    on.settle(&mut options);
    let settings = TestSettings {
        variables: args.variables.clone(),
        environment: environment(),
        behaviors: args.behaviors.clone(),
        agents: acts::named_agents(&documents, &args.agents).map_err(Error::msg)?,
    };
    options.secrets.extend(settings.secrets());
    let areas = acts::areas(documents.clone(), settings, &discovery::AREA);
    let report = match recording {
        Some(recording) => recording.replay(areas, options, args.run.trace)?,
        None => native::block_on(run_with_progress(areas, options, on, &args.run)),
    };
    let is_recorded = args.record.as_deref().is_none_or(|path| replay::record(&report, path));
    let is_written = write(&report, &args.run, || ActsReport { documents: &documents, report: &report }.write());
    Ok(exit(&report, args.run.fail_on).unless_unwritten(is_written && is_recorded))
}

/// The documents of these files, or every mistake in them.
pub(super) fn load(files: &[String]) -> Result<Vec<ActsDocument>> {
    match acts::load(&Disk, files) {
        Ok(documents) => Ok(documents),
        Err(problems) => {
            let mistakes = problems.iter().map(|problem| format!("\n{problem}")).collect::<String>();
            bail!("the tests cannot be run: {}{mistakes}", count_of(problems.len(), "mistake"))
        }
    }
}

fn options(url: &str, documents: &[ActsDocument], args: &ScenarioArgs) -> Result<Options> {
    normalise(url).context("this address cannot be checked; the agent's address comes last, behind the files")?;
    for pattern in &args.run.only {
        let tests = documents.iter().flat_map(|document| &document.suites).flat_map(|suite| &suite.tests);
        if !tests.into_iter().any(|test| matches(pattern, &test.id)) {
            bail!("no test of these files matches --only {pattern}");
        }
    }
    let (timeout_ms, timeouts) = times(&args.run).settle();
    // The names of the values are those in the ids of lanes.
    let names = args.transports.iter().filter_map(ValueEnum::to_possible_value);
    let mut bindings: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
    bindings.dedup();
    if args.run.format == OutputFormat::Acts && bindings.len() > 1 {
        bail!("a report of the format acts is about one binding; name one --transport");
    }
    let mut options = Options {
        address: url.to_owned(),
        timeout_ms,
        timeouts,
        only: args.run.only.clone(),
        version: args.run.protocol_version.clone(),
        first_interface_only: args.run.format == OutputFormat::Acts,
        bindings,
        is_written: true,
        ..Options::default()
    };
    credentials::read(&args.run.credentials, &args.run.second, &mut options)?;
    Ok(options)
}

/// The environment, as far as it is text.
fn environment() -> Vec<(String, String)> {
    let variables = std::env::vars_os();
    variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

struct Disk;

impl FileSource for Disk {
    fn read(&self, file: &str) -> Result<String, String> {
        input::text(Path::new(file), input::DOCUMENT).map_err(|problem| problem.to_string())
    }

    fn beside(&self, file: &str, named: &str) -> String {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let mut path = PathBuf::new();
        // A file has one name, whoever includes it.
        for component in folder.join(named).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir if matches!(path.components().next_back(), Some(Component::Normal(_))) => {
                    path.pop();
                }
                component => path.push(component),
            }
        }
        path.display().to_string()
    }
}
