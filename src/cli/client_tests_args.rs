//! The arguments of `client-tests`.

use std::path::PathBuf;

use clap::Args;

use super::arg_values::{FailOn, name_and_value, seconds};
use super::output_format::OutputFormat;

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
