//! `check --peer`: two agents, each of them alone and then both together.

use std::rc::Rc;

use anyhow::{Context, Result};

use super::args::CheckArgs;
use super::connections::RunHost;
use super::credentials;
use super::delegation_run::BeaconOfRun;
use super::exit::{Exit, exit, exit_with_clients};
use super::running::{environment, run_with_progress, with_progress, write};
use crate::engine::discover::normalise;
use crate::engine::event::{Completion, Event, Tally};
use crate::engine::options::Options;
use crate::engine::prompt::Texts;
use crate::engine::run::run_pair;
use crate::host::native;
use crate::report::{Report, ReportBuilder};
use crate::suite::{agents, areas_for};

/// The run of the second agent: what is the first one's own is not taken over.
pub(super) fn options(args: &CheckArgs, first: &Options, url: &str) -> Result<Options> {
    normalise(url).context("--peer: this address cannot be checked")?;
    let mut prompts = Texts::default();
    args.peer.prompts.iter().for_each(|(behaviour, text)| prompts.set(*behaviour, text.clone()));
    let mut second = Options { prompts, ..first.of_peer(url.to_owned()) };
    args.delegation.add_to_peer(&mut second, &first.address)?;
    credentials::read_of_agent(&args.peer, "--peer-", Some("A2A_PEER_"), &mut second)?;
    Ok(second)
}

/// Checks both and writes one report.
pub(super) fn run(args: &CheckArgs, mut first: Options, mut second: Options) -> Result<Exit> {
    Options::share_secrets(&mut [&mut first, &mut second]);
    let mut agents = Vec::new();
    for options in [&first, &second] {
        let report = check_alone(args, RunHost::from_args(&args.run.connection)?, options.clone());
        let is_stopped = report.completion == Some(Completion::Stopped);
        agents.push(Rc::new(report));
        if is_stopped {
            // The report on both, when the user stopped the run before it came to them.
            let mut both = ReportBuilder::new(environment());
            both.apply(&Event::stopped(Tally::default(), 0.0));
            return finish(args, Report { agents, ..both.report() });
        }
    }
    let on = RunHost::from_args(&args.run.connection)?;
    on.settle(&mut first);
    on.settle(&mut second);
    let suite = if args.delegation.is_wanted() { agents::DELEGATING_SUITE } else { agents::SUITE };
    let report =
        native::block_on(with_progress(on, &args.run, |host, emit, _| run_pair(host, suite, first, second, emit)));
    finish(args, Report { agents, ..report })
}

/// Checks one agent: its report, with that on its client if it has one.
pub(super) fn check_alone(args: &CheckArgs, mut on: RunHost, mut options: Options) -> Report {
    on.host = args.webhooks.receiving(on.host);
    on.settle(&mut options);
    let beacon = BeaconOfRun::new(&args.delegation, &options, &on.host);
    on.host = beacon.on(on.host);
    let areas = areas_for(&options);
    beacon.with_client(native::block_on(run_with_progress(areas, options, on, &args.run)))
}

/// Writes the report. The exit code is the worst of the three.
fn finish(args: &CheckArgs, report: Report) -> Result<Exit> {
    let is_written = write(&report, &args.run, String::new);
    let alone = report.agents.iter().map(|agent| exit_with_clients(agent, args.run.fail_on));
    Ok(Exit::worst(alone.chain([exit(&report, args.run.fail_on)])).unless_unwritten(is_written))
}
