//! Native tests of the whole: the suite against the scripted agent, the command line, reports, sockets, and the rules
//! of the house.

/// Runs by the thousand allocate as no user's does: with this one they take three quarters of the time.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[cfg(test)]
mod support;
#[cfg(test)]
mod webhook_double;
#[cfg(test)]
mod webhooks;

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod acts;
#[cfg(test)]
mod architecture;
#[cfg(test)]
mod attacks;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod cli_client_tests;
#[cfg(test)]
mod cli_delegation;
#[cfg(test)]
mod cli_files;
#[cfg(test)]
mod cli_interrupted;
#[cfg(test)]
mod cli_matrix;
#[cfg(test)]
mod cli_pair;
#[cfg(test)]
mod cli_pairs;
#[cfg(test)]
mod cli_repeat;
#[cfg(test)]
mod cli_scenario;
#[cfg(test)]
mod cli_targets;
#[cfg(test)]
mod clients;
#[cfg(test)]
mod colours;
#[cfg(test)]
mod conformant;
#[cfg(test)]
mod content_codings;
#[cfg(test)]
mod credentials;
#[cfg(test)]
mod cut_short;
#[cfg(test)]
mod delegation;
#[cfg(test)]
mod detection;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod files;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod grpc_lanes;
#[cfg(test)]
mod grpc_sockets;
#[cfg(test)]
mod grpc_tls;
#[cfg(test)]
mod har;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod identities;
#[cfg(test)]
mod import_cycles;
#[cfg(test)]
mod listeners;
#[cfg(test)]
mod load;
#[cfg(test)]
mod many_interfaces;
#[cfg(test)]
mod measurements;
#[cfg(test)]
mod native_reports;
#[cfg(test)]
mod oddities;
#[cfg(test)]
mod one_cause;
#[cfg(test)]
mod oracles;
#[cfg(test)]
mod page_messages;
#[cfg(test)]
mod pair_matrix;
#[cfg(test)]
mod pairs;
#[cfg(test)]
mod patience;
#[cfg(test)]
mod uniform_agents;

#[cfg(test)]
mod interop_procedure;
#[cfg(test)]
mod probes;
#[cfg(test)]
mod proxying;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod registry;
#[cfg(test)]
mod reported;
#[cfg(test)]
mod reported_access;
#[cfg(test)]
mod reported_causes;
#[cfg(test)]
mod reported_fixes;
#[cfg(test)]
mod reported_history;
#[cfg(test)]
mod reported_values;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod second_client;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod secure_connections;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod several_agents;
#[cfg(test)]
mod signatures;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod steadiness;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod test_agent;
#[cfg(test)]
mod timing;
#[cfg(test)]
mod tls_servers;
#[cfg(test)]
mod traps;
#[cfg(test)]
mod unanswered;
#[cfg(test)]
mod visibility;
#[cfg(test)]
mod waits;
#[cfg(test)]
mod wording;
#[cfg(test)]
mod workbench;
#[cfg(test)]
mod workbench_reach;
