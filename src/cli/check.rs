//! `check`: runs the suite against an agent, writes the report, and says by the exit code what came of it.

use anyhow::{Result, bail};

use super::args::{CheckArgs, OutputFormat};
use super::connections::RunHost;
use super::exit::{Exit, exit_with_clients};
use super::running::{times, write};
use super::{credentials, out, pair, target};
use crate::engine::discover::normalise;
use crate::engine::options::{Options, TWO_AGENTS_ONCE, matches};
use crate::suite::{self, delegation_declarations, load_declarations};

pub(super) fn run(args: CheckArgs) -> Result<Exit> {
    let first = options(&args)?;
    out::try_place("--output", args.run.output.as_deref())?;
    if let Some(url) = &args.peer.url {
        let second = pair::options(&args, &first, url)?;
        return pair::run(&args, first, second);
    }
    let report = pair::check_alone(&args, RunHost::from_args(&args.run.connection)?, first);
    let is_written = write(&report, &args.run, String::new);
    Ok(exit_with_clients(&report, args.run.fail_on).unless_unwritten(is_written))
}

/// The run that was asked for, or what is wrong with it. No message repeats a credential.
fn options(args: &CheckArgs) -> Result<Options> {
    if args.run.format == OutputFormat::Acts {
        bail!("the format acts is for the tests of files; run them with `a2a-conformance scenario`");
    }
    if let Some(pattern) = suite::matching_nothing(&args.run.only, args.peer.url.is_some()) {
        bail!("no check matches --only {pattern}; `a2a-conformance checks` lists them");
    }
    let is_of_delegation = |pattern: &String| delegation_declarations().any(|(.., check)| matches(pattern, check.id));
    if !args.delegation.is_wanted()
        && let Some(pattern) = args.run.only.iter().find(|pattern| is_of_delegation(pattern) && pattern.as_str() != "*")
    {
        bail!("the checks of --only {pattern} need an agent that is told to call another; say how with --delegate");
    }
    // Such a run would check nothing.
    let is_of_load = |pattern: &String| load_declarations().any(|(.., check)| matches(pattern, check.id));
    let is_of_suite = |pattern: &String| suite::checks().any(|check| matches(pattern, check.id));
    if !args.load.is_wanted()
        && let Some(pattern) = args.run.only.iter().find(|pattern| is_of_load(pattern) && !is_of_suite(pattern))
    {
        bail!("the checks of --only {pattern} are made under load; say for how long with --load");
    }
    let (timeout_ms, timeouts) = times(&args.run).settle();
    let (address, source) = target::read_target(args)?;
    let via = args.via.as_deref().map(|via| gateway(&address, via)).transpose()?;
    let (only, version) = (args.run.only.clone(), args.run.protocol_version.clone());
    let mut options = Options { address, source, via, timeout_ms, timeouts, only, version, ..Options::default() };
    args.choices.add_to(&mut options)?;
    args.load.add_to(&mut options)?;
    args.delegation.add_to(&mut options, args.peer.url.as_deref())?;
    credentials::read(&args.run.credentials, &args.run.second, &mut options)?;
    if options.repeat > 1 {
        let of_two = args.peer.url.as_ref().map(|_| TWO_AGENTS_ONCE);
        if let Some(why) = of_two.or_else(|| options.once_only()) {
            bail!("this cannot be checked several times with --repeat: {why}");
        }
    }
    Ok(options)
}

/// The address of a gateway, if it is another than the agent's.
fn gateway(agent: &str, via: &str) -> Result<String> {
    match normalise(agent).map(|agent| agent.accepts_gateway(via)) {
        Ok(Err(problem)) => bail!("--via {via}{problem}"),
        _ => Ok(via.to_owned()),
    }
}
