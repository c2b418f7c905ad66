//! The demo agent: the scripted agent, reached without a network, with the faults that the visitor chose.

use std::rc::Rc;

use crate::a2a::headers::OWN;
use crate::agent::ScriptedAgent;
use crate::agent::fault::Faults;
use crate::agent::loopback::Loopback;
use crate::host::{Host, Visibility, web};

/// Where the demo agent says it lives; nothing is ever sent there.
pub(super) const ADDRESS: &str = "https://demo.agent.invalid";

/// A host on which only the demo agent is reached, the header fields that it asks for, and the address at which its faults
/// show, which is that of a version.
pub(super) fn host(faults: &[&'static str]) -> (Host, Vec<(String, String)>, String) {
    let host = web::host(&OWN);
    // The names come from the list itself.
    let faults = Faults::parse(faults.iter().copied()).unwrap_or_default();
    let headers = faults.credentials();
    let address = format!("{ADDRESS}{}", faults.at());
    let agent = ScriptedAgent::new(ADDRESS, Rc::clone(&host.clock), Rc::clone(&host.ids), faults);
    (
        Host { transport: Rc::new(Loopback::new(agent)), visibility: Visibility::FULL, prober: None, ..host },
        headers,
        address,
    )
}
