//! `agent`: starts the scripted agent over HTTP, lists its faults, and prints where it is, until it is told to end.

use std::fmt::Write;

use anyhow::{Context, Result, anyhow, bail};

use super::args::{AgentArgs, OutputFormat};
use super::exit::Exit;
use super::interrupts::stopped;
use super::{interrupts, out, watch};
use crate::agent::ScriptedAgent;
use crate::agent::fault::{FAULTS, FaultId, Faults, TOKEN, VARIANTS};
use crate::host::native;
use crate::server::{AgentServer, ListenAddress, why_not_there};

pub(super) fn run(args: AgentArgs) -> Result<Exit> {
    if args.list_faults {
        out::print(&list()).context("standard output")?;
        return Ok(Exit::Conformant);
    }
    if args.watch.format == OutputFormat::Acts {
        bail!("the format acts is for the tests of files; run them with `a2a-conformance scenario`");
    }
    let faults = Faults::parse(args.faults.iter().map(String::as_str))?;
    out::try_place("--output", args.watch.output.as_deref())?;
    native::block_on(async {
        let place = listen("--listen", &args.listen).await?;
        interrupts::listen();
        let mut served = AgentServer::new(&place.origin, faults.clone(), args.expose_captured);
        if let Some(file) = &args.port_file {
            let port = place.origin.rsplit(':').next().unwrap_or_default();
            // Whoever waits for it never reads half of it.
            out::write_file(file, &format!("{port}\n")).with_context(|| format!("--port-file {}", file.display()))?;
        }
        let token = if faults.has(FaultId::Protected) { format!(" (token: {TOKEN})") } else { String::new() };
        let said = format!("scripted agent listening at {}{token}\n{}", place.origin, older(&place.origin));
        out::print(&said).context("standard output")?;
        if args.watch.watch {
            let watcher =
                watch::Watcher::over(&mut served, &faults, args.watch.situations.clone(), !args.watch.quiet).await;
            watcher.begin_unless_begun();
            if !args.watch.quiet {
                out::print(&format!("{}\n", watcher.links())).context("standard output")?;
            }
            tokio::select! {
                () = place.serve_agent(served) => {}
                () = watch::ended(args.watch.watch_for) => {}
            }
            return Ok(watcher.report(&args.watch));
        }
        tokio::select! {
            () = place.serve_agent(served) => {}
            () = stopped() => {}
        }
        Ok(Exit::Conformant)
    })
}

/// Takes an address, or says why it cannot be had and what to do.
pub(super) async fn listen(option: &str, address: &str) -> Result<ListenAddress> {
    let place = ListenAddress::at(address).await;
    place.map_err(|problem| anyhow!("cannot listen on {address} ({option}): {}", why_not_there(&problem)))
}

/// The addresses of the older versions, a line for each.
pub(super) fn older(origin: &str) -> String {
    ScriptedAgent::older().map(|(version, path)| format!("  A2A {version} at {origin}{path}\n")).collect()
}

fn list() -> String {
    let longest = FAULTS.iter().map(|fault| fault.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for fault in FAULTS.iter().chain(VARIANTS) {
        let variant = FaultId::parse(fault.id).ok().and_then(FaultId::variant).map(FaultId::as_str);
        let needs = variant.map_or_else(String::new, |variant| format!("(a {variant} agent) "));
        let at = if fault.at.is_empty() { String::new() } else { format!("(at {}) ", fault.at) };
        let conformant = if VARIANTS.contains(fault) { "(conformant) " } else { "" };
        // Writing to a string has no error to report.
        let _ = writeln!(text, "{:<longest$}  {needs}{at}{conformant}{}", fault.id, fault.title);
    }
    text
}
