//! The arguments of `pairs`.

use std::path::PathBuf;

use clap::Args;

use super::arg_values::{FailOn, MatrixFormat, seconds, version};
use super::connection_args::ConnectionArgs;

#[derive(Debug, Args)]
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
