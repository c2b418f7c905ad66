//! `client-tests`: gives a client the answers that tests state, and judges what it reads.

use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::args::{ClientTestsArgs, OutputFormat};
use super::client_adapter::CommandAdapter;
use super::exit::{Exit, exit};
use super::out;
use super::running::{collected, until_stopped, write};
use super::scenario::load;
use crate::acts::{ClientAdapter, TestSettings, run_client_tests};
use crate::host::native;
use crate::server::StatedAnswers;
use crate::suite::discovery;

/// How long a client may take for an answer, in seconds.
const PATIENCE: f64 = 30.0;

pub(super) fn run(args: &ClientTestsArgs) -> Result<Exit> {
    if args.format == OutputFormat::Acts {
        bail!("the format acts is for tests of agents; run them with `a2a-conformance scenario`");
    }
    let documents = load(&args.files)?;
    out::try_place("--output", args.output.as_deref())?;
    let settings = TestSettings { variables: args.variables.clone(), ..TestSettings::default() };
    let (builder, emit) = collected();
    let count = native::block_on(async {
        let host = native::host();
        let agent = StatedAnswers::listen(Rc::clone(&host.clock)).await.context("cannot listen on 127.0.0.1")?;
        let patience = Duration::from_secs_f64(args.timeout.unwrap_or(PATIENCE));
        let adapter = args.adapter.clone().map(|command| CommandAdapter { command, agent, patience });
        let adapter = adapter.as_ref().map(|adapter| adapter as &dyn ClientAdapter);
        let run = run_client_tests(&documents, settings, &discovery::AREA, adapter, &*host.clock, &emit);
        anyhow::Ok(until_stopped(run, &*host.clock, &builder, &emit).await)
    })?;
    if count == Some(0) {
        bail!("these files have no test of a client, which is one whose steps have `client_response`");
    }
    let report = builder.borrow().report();
    let is_written = write(&report, args, String::new);
    Ok(exit(&report, args.fail_on).unless_unwritten(is_written))
}
