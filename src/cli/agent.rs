//! `agent`: the scripted agent over HTTP, until Ctrl-C.

use std::fmt::Write;
use std::rc::Rc;

use anyhow::{Context, Result};

use super::args::AgentArgs;
use super::exit::Exit;
use super::listener::{self, ListenAddress};
use super::out;
use super::webhook_sender::webhook_sender;
use crate::agent::ScriptedAgent;
use crate::agent::fault::{FAULTS, FaultId, Faults, TOKEN, VARIANTS};
use crate::host::native;

pub(super) fn run(args: AgentArgs) -> Result<Exit> {
    if args.list_faults {
        out::print(&list()).context("standard output")?;
        return Ok(Exit::Conformant);
    }
    let faults = Faults::parse(args.faults.iter().map(String::as_str))?;
    native::block_on(async {
        let place =
            ListenAddress::at(&args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
        let token = if faults.has(FaultId::Protected) { format!(" (token: {TOKEN})") } else { String::new() };
        let said = format!("scripted agent listening at {}{token}\n{}", place.origin, older(&place.origin));
        out::print(&said).context("standard output")?;
        tokio::select! {
            () = serve(place, faults) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        Ok(Exit::Conformant)
    })
}

/// The addresses of the older versions, a line for each.
pub(super) fn older(origin: &str) -> String {
    ScriptedAgent::older().map(|(version, path)| format!("  A2A {version} at {origin}{path}\n")).collect()
}

/// Serves a new scripted agent at this address until dropped.
pub(super) async fn serve(place: ListenAddress, faults: Faults) {
    let host = native::host();
    let origin: Rc<str> = place.origin.as_str().into();
    let agent = ScriptedAgent::new(&*origin, host.clock, host.ids, faults);
    agent.send_webhooks_by(webhook_sender(host.transport));
    place.serve(|stream| listener::speak(stream, agent.clone(), Rc::clone(&origin))).await;
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
