//! The commands and their arguments, with the help texts, default addresses and exit codes that `--help` shows. Texts that begin
//! with `///` on a field are such help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use super::arg_values::{FailOn, MatrixFormat, OutputFormat};
use super::arg_values::{TransportName, name_and_value, seconds, situation, version};
use super::choice_args::ChoiceArgs;
use super::connection_args::ConnectionArgs;
use super::credential_args::{CredentialArgs, SecondArgs};
use super::delegation_args::DelegationArgs;
use super::load_args::LoadArgs;
use super::peer_args::PeerArgs;
use super::webhook_args::WebhookArgs;
use crate::server::Situation;

/// The address where `serve` puts the page by default.
pub(super) const PAGE_ADDRESS: &str = "127.0.0.1:8484";
/// The address where the scripted agent listens by default.
pub(super) const AGENT_ADDRESS: &str = "127.0.0.1:8485";

const EXIT_CODES: &str = "\
Exit codes of `check`, `scenario`, `client-tests` and `pairs`:
  0  no failure that counts (see --fail-on)
  1  at least one failure that counts
  2  the command was not understood (an option, a header, the address, a file of tests), or the report could not be written
  3  the agent could not be reached, or the run is incomplete
A failure takes precedence over the others, and a report that could not be written over an incomplete run.
Ctrl-C, SIGTERM and SIGHUP stop a run: the report has what was seen until then, and the exit code is 3, or 1 after a failure.
A second one ends the program at once, with the exit code 2.";

const COMPARE_EXIT_CODES: &str = "\
Exit codes of `compare`:
  0  no must is newly broken
  1  at least one must is newly broken: it failed in the second report and not in the first. A check that only the second
     report has counts when both reports were judged by the same requirement set
  2  the command was not understood, or a report could not be read or written";

/// Checks whether an A2A (Agent2Agent) agent conforms to the protocol.
#[derive(Parser)]
#[command(name = "a2a-conformance", version, after_help = EXIT_CODES, subcommand_required = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Check an agent and write a report.
    #[command(after_help = EXIT_CODES)]
    Check(Box<CheckArgs>),
    /// Run tests of your own, which are ACTS documents, against an agent.
    #[command(after_help = EXIT_CODES)]
    Scenario(Box<ScenarioArgs>),
    /// Run the tests of clients in files, which are ACTS documents: give a client stated answers, and judge what it reads.
    #[command(after_help = EXIT_CODES)]
    ClientTests(Box<ClientTestsArgs>),
    /// Serve a scripted agent for experiments: conformant, or with faults of your choice.
    Agent(AgentArgs),
    /// Write the text that makes the scripted agent answer a message with responses of your choice.
    Responses(ResponsesArgs),
    /// Serve the page and a scripted agent on this machine.
    Serve(ServeArgs),
    /// Compare two reports: what is fixed, what is newly broken.
    #[command(after_help = COMPARE_EXIT_CODES)]
    Compare(CompareArgs),
    /// Show what several agents support: operations and features by agent, version and binding.
    Matrix(Box<MatrixArgs>),
    /// Check several agents, each alone and every two of them together, and show which can work with which.
    #[command(after_help = EXIT_CODES)]
    Pairs(Box<PairsArgs>),
    /// List the checks: what each one checks, why it matters, and how to fix a failure.
    Checks(ChecksArgs),
}

#[derive(Args)]
pub(super) struct CheckArgs {
    /// The agent: an origin, a base path or the URL of its card
    #[arg(required_unless_present_any = ["card", "endpoint"], conflicts_with_all = ["card", "endpoint"])]
    pub(super) url: Option<String>,
    /// Judge this card without calling its agent; - reads it from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    pub(super) card: Option<PathBuf>,
    /// Check an interface that has no card, by its URL
    #[arg(long, value_name = "URL", requires = "binding")]
    pub(super) endpoint: Option<String>,
    /// The binding of the endpoint
    #[arg(long, value_enum, requires = "endpoint")]
    pub(super) binding: Option<EndpointBinding>,
    /// What a card would declare of the endpoint; checks of what is not named do not apply. May be repeated
    #[arg(long, value_enum, value_name = "CAPABILITY", requires = "endpoint")]
    pub(super) declares: Vec<Capability>,
    /// The tenant that every call to the endpoint has to name
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    pub(super) tenant: Option<String>,
    /// An extension that the endpoint requires, by its URI. May be repeated
    #[arg(long = "extension", value_name = "URI", requires = "endpoint")]
    pub(super) extensions: Vec<String>,
    /// Check the agent through this gateway, too (a reverse proxy, an API gateway), and tell what it changes: its address in
    /// the place of the agent's. Credentials for the agent go there as well
    #[arg(long, value_name = "GATEWAY_URL", conflicts_with_all = ["card", "endpoint"])]
    pub(super) via: Option<String>,
    #[command(flatten)]
    pub(super) run: RunArgs,
    #[command(flatten)]
    pub(super) choices: ChoiceArgs,
    #[command(flatten)]
    pub(super) webhooks: WebhookArgs,
    #[command(flatten)]
    pub(super) peer: PeerArgs,
    #[command(flatten)]
    pub(super) load: LoadArgs,
    #[command(flatten)]
    pub(super) delegation: DelegationArgs,
}

// What all commands have that run something against an agent. No doc comment: clap would show it as the description of the command.
#[derive(Args)]
pub(super) struct RunArgs {
    /// The format of the report
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(super) format: OutputFormat,
    /// Write the report to this file and print one line instead; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) credentials: CredentialArgs,
    #[command(flatten)]
    pub(super) second: SecondArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
    /// How long a scenario may take, in seconds [default: 60, or the longest of the times below]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<f64>,
    /// How long to wait for the card, in seconds; an agent that sleeps needs time to wake up [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) reach_timeout: Option<f64>,
    /// How long to wait for the answer to a call, in seconds [default: 45, or --timeout if that is more than 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) answer_timeout: Option<f64>,
    /// How long to wait for the first event of a stream, in seconds [default: as for an answer]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) event_timeout: Option<f64>,
    /// How long a stream may be silent after an event, in seconds [default: as for an answer]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) idle_timeout: Option<f64>,
    /// How long the whole run may take, in seconds [default: 900, or ten scenarios if that is more]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) run_timeout: Option<f64>,
    /// The version to judge by (1.0, 0.3, 0.2 or 0.1), whatever the card declares
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(super) protocol_version: Option<String>,
    /// Run only checks whose id matches this pattern, in which * stands for anything. May be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(super) only: Vec<String>,
    /// Which failures make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Must)]
    pub(super) fail_on: FailOn,
    /// Show no progress, and only the verdict and the failures in the text report
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Show every exchange on standard error as soon as it is over; credentials are masked
    #[arg(long)]
    pub(super) trace: bool,
    /// Show every check in the text report
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

#[derive(Args)]
pub(super) struct ScenarioArgs {
    /// The files of tests (ACTS documents, YAML or JSON), and behind them the agent: an origin, a base path or the URL of
    /// its card
    #[arg(required = true, num_args = 1.., value_names = ["FILE", "URL"])]
    pub(super) inputs: Vec<String>,
    /// Give a variable of the files this value. May be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(super) variables: Vec<(String, String)>,
    /// The message that makes your agent show a behaviour of the format, such as `tck-cancel=Wait for an hour`; without a
    /// text, tests that need it are skipped. May be repeated
    #[arg(long = "behavior", value_name = "PREFIX=TEXT", value_parser = name_and_value)]
    pub(super) behaviors: Vec<(String, String)>,
    /// Where a further agent is that the files name under `x-agents`, such as the one behind a proxy: a base URL. May be
    /// repeated
    #[arg(long = "agent", value_name = "NAME=URL", value_parser = name_and_value)]
    pub(super) agents: Vec<(String, String)>,
    /// Write a recording to this file: everything that was exchanged, masked, as a JSON report that the page opens too
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(super) record: Option<PathBuf>,
    /// Repeat the run of this recording without the agent, with the same files and options; the address is in it
    #[arg(long, value_name = "RECORDING")]
    pub(super) replay: Option<PathBuf>,
    /// Run the tests over this binding only [default: all that the agent declares; with --format acts the first]. May be
    /// repeated
    #[arg(long = "transport", value_enum, value_name = "BINDING")]
    pub(super) transports: Vec<TransportName>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct ClientTestsArgs {
    /// The files of tests (ACTS documents, YAML or JSON); those without `client_response` are left out
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<String>,
    /// A command that has the client under test read an answer: it is started as COMMAND URL OPERATION for each and prints what
    /// the client read as JSON (docs/SCENARIOS.md). Without it nothing can be judged
    #[arg(long, value_name = "COMMAND")]
    pub(super) adapter: Option<String>,
    /// Give a variable of the files this value. May be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(super) variables: Vec<(String, String)>,
    /// How long the command may take for an answer, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<f64>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(super) format: OutputFormat,
    /// Write the report to this file and print one line instead; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Which failures make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Must)]
    pub(super) fail_on: FailOn,
    /// Show only the verdict and the failures in the text report
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Show every check in the text report
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

/// The binding of an endpoint without a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EndpointBinding {
    /// JSON-RPC 2.0
    Jsonrpc,
    /// HTTP+JSON (REST)
    #[value(name = "http+json", alias = "rest")]
    HttpJson,
    /// gRPC: the endpoint is host:port, or a URL
    Grpc,
}

/// A capability of the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Capability {
    /// Streaming and subscribing
    Streaming,
    /// Push notifications
    PushNotifications,
    /// An extended card
    ExtendedCard,
}

#[derive(Debug, Args)]
pub(super) struct AgentArgs {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = AGENT_ADDRESS)]
    pub(super) listen: String,
    /// Write the port to this file as soon as the agent can be reached
    #[arg(long, value_name = "FILE")]
    pub(super) port_file: Option<PathBuf>,
    /// Let everybody see at /_captured what the agent received, and not only programs on this machine
    #[arg(long)]
    pub(super) expose_captured: bool,
    /// Use this fault or variant. May be repeated
    #[arg(long = "fault", value_name = "ID")]
    pub(super) faults: Vec<String>,
    /// List all faults, and the variants, which are other ways to be conformant
    #[arg(long)]
    pub(super) list_faults: bool,
    #[command(flatten)]
    pub(super) watch: WatchArgs,
}

// How clients are judged. No doc comment: clap would show it as the description of the command.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    /// Judge the clients that call the agent: each finding is shown at once, and a report is written at Ctrl-C,
    /// SIGTERM or SIGHUP
    #[arg(long)]
    pub(super) watch: bool,
    /// End the watch after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "watch")]
    pub(super) watch_for: Option<f64>,
    /// Bring the clients into this situation: card-redirected, interface-moved, calls-redirected, answers-lost or answers-late.
    /// May be repeated
    #[arg(long = "situation", value_name = "NAME", value_parser = situation, requires = "watch")]
    pub(super) situations: Vec<Situation>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, requires = "watch")]
    pub(super) format: OutputFormat,
    /// Write the report to this file and print one line instead; - is standard output
    #[arg(short, long, value_name = "FILE", requires = "watch")]
    pub(super) output: Option<PathBuf>,
    /// Which failures make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Must, requires = "watch")]
    pub(super) fail_on: FailOn,
    /// Show no finding before the report, and only the verdict and the failures in the text report
    #[arg(short, long, requires = "watch")]
    pub(super) quiet: bool,
    /// Show every check in the text report
    #[arg(short, long, conflicts_with = "quiet", requires = "watch")]
    pub(super) verbose: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResponsesArgs {
    /// A JSON array of turns, each an array of events (docs/TEST-AGENT.md); - reads standard input
    pub(super) file: PathBuf,
    /// The name of the test case
    #[arg(long, value_name = "ID", default_value = "test")]
    pub(super) test_case_id: String,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The folder of the built page
    #[arg(long, value_name = "DIR", default_value = "dist")]
    pub(super) page: PathBuf,
    /// The address of the page [default: 127.0.0.1:8484, or a free port if that is taken]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
    /// The address of the scripted agent [default: 127.0.0.1:8485, or a free port if that is taken]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) agent: Option<String>,
    /// Give the scripted agent this fault or variant. May be repeated
    #[arg(long = "fault", value_name = "ID")]
    pub(super) faults: Vec<String>,
    /// Do not open a browser (one is opened only from a terminal)
    #[arg(long)]
    pub(super) no_open: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The earlier report, as `check --format json` and the page write it; - is standard input
    #[arg(value_name = "BEFORE")]
    pub(super) before: PathBuf,
    /// The later report
    #[arg(value_name = "AFTER")]
    pub(super) after: PathBuf,
    /// The format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub(super) format: CompareFormat,
    /// Write the comparison to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// The format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareFormat {
    /// For a terminal
    Text,
    /// For a pull request
    Markdown,
}

#[derive(Args)]
pub(super) struct MatrixArgs {
    /// Reports, as `check --format json` and the page write them, or addresses of agents to check now
    #[arg(required = true, value_name = "REPORT_OR_URL")]
    pub(super) targets: Vec<String>,
    /// The format of the matrix
    #[arg(long, value_enum, default_value_t = MatrixFormat::Text)]
    pub(super) format: MatrixFormat,
    /// Write the matrix to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

#[derive(Args)]
pub(super) struct PairsArgs {
    /// The agents, each an origin, a base path or the URL of its card
    #[arg(value_name = "URL", required_unless_present = "agents")]
    pub(super) urls: Vec<String>,
    /// Further agents, with credentials and prompts: a JSON array of objects with `url` and members named as the options of
    /// `check`, such as `bearer`, `header` and `prompt` (docs/TWO-AGENTS.md)
    #[arg(long, value_name = "FILE")]
    pub(super) agents: Option<PathBuf>,
    /// The format of the matrix
    #[arg(long, value_enum, default_value_t = MatrixFormat::Text)]
    pub(super) format: MatrixFormat,
    /// Write the matrix to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write every report as JSON into this folder, too: agent-1.json, pair-1-2.json and so on, which the page opens
    #[arg(long, value_name = "DIR")]
    pub(super) reports: Option<PathBuf>,
    /// How many runs are under way at the same time; no agent is in two of them
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(super) at_once: u8,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
    /// How long a scenario may take, in seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<f64>,
    /// How long to wait for a card, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) reach_timeout: Option<f64>,
    /// The version to judge by (1.0, 0.3, 0.2 or 0.1), whatever the cards declare
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(super) protocol_version: Option<String>,
    /// Which failures make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Must)]
    pub(super) fail_on: FailOn,
    /// Show no line for each run that is over
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct ChecksArgs {
    /// Show this check only
    pub(super) id: Option<String>,
    /// The format of the list
    #[arg(long, value_enum, default_value_t = ListFormat::Markdown)]
    pub(super) format: ListFormat,
}

/// The format of the list of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// For people
    Markdown,
    /// For programs
    Json,
    /// Every statement of the specification, and which check judges it or why none does
    Traceability,
    /// Every must, with the sentence that makes it one
    Musts,
    /// The checks of clients, with the sentences behind them
    Clients,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_declaration_holds_together() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    /// Options that scripts call by other names, those about a terminal, and those that their host decides by itself.
    const CALLED_OTHERWISE: [(&str, &str); 15] = [
        ("api-key", "headers"),
        ("api-key-query", "query"),
        ("header", "headers"),
        ("second-api-key", "secondHeaders"),
        ("second-api-key-query", "secondQuery"),
        ("peer-api-key", "peerHeaders"),
        ("peer-api-key-query", "peerQuery"),
        ("extension", "extensions"),
        ("skill", "skills"),
        ("timeout", "timeoutSeconds"),
        ("reach-timeout", "timeouts"),
        ("answer-timeout", "timeouts"),
        ("event-timeout", "timeouts"),
        ("idle-timeout", "timeouts"),
        ("run-timeout", "timeouts"),
    ];
    const OF_THE_TERMINAL: [&str; 7] = ["format", "output", "fail-on", "quiet", "trace", "verbose", "help"];
    const OF_THE_HOST: [&str; 9] =
        ["cacert", "cert", "key", "insecure", "proxy", "cors-origin", "webhook-listen", "webhook-url", "no-webhooks"];
    /// No page puts an agent under load.
    const OF_A_LOAD: [&str; 4] = ["load", "rate", "load-conversations", "this-agent-is-mine"];
    /// Nor can one be called.
    const OF_DELEGATION: [&str; 4] = ["delegate", "peer-delegate", "beacon-listen", "beacon-url"];

    #[test]
    fn scripts_can_ask_for_whatever_the_command_line_can() {
        let command = <Cli as clap::CommandFactory>::command();
        let check = command.get_subcommands().find(|command| command.get_name() == "check").expect("the command");
        let known: Vec<&str> = crate::js_api::names().collect();
        for long in check.get_arguments().filter_map(clap::Arg::get_long) {
            if [&OF_THE_TERMINAL[..], &OF_THE_HOST, &OF_A_LOAD, &OF_DELEGATION].iter().any(|list| list.contains(&long))
            {
                continue;
            }
            let otherwise = CALLED_OTHERWISE.iter().find(|(name, _)| *name == long);
            let name = match otherwise {
                Some((_, name)) => (*name).to_owned(),
                None => {
                    let mut words = long.split('-').map(str::to_owned);
                    let first = words.next().unwrap_or_default();
                    words.fold(first, |name, word| format!("{name}{}{}", word[..1].to_uppercase(), &word[1..]))
                }
            };
            // Several of an option are one list.
            let found = [name.clone(), format!("{name}s")].iter().any(|name| known.contains(&name.as_str()));
            assert!(found, "scripts have no {name} for --{long}");
        }
    }
}
