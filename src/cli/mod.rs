//! The command line: arguments, commands and exit codes over the same engine as the page.

mod agent;
mod args;
pub mod catalogue;
mod check;
mod credentials;
mod listener;
mod out;
mod progress;
mod serve;
mod text;
mod traceability;
mod webhook_sender;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// How a command ended. The numbers are a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Nothing that counts failed.
    Conformant = 0,
    /// Something that counts was observed to fail.
    Failures = 1,
    /// The command could not be understood or started.
    Usage = 2,
    /// The agent could not be reached, or the run did not see what it had to.
    Incomplete = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The command line's `main`.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(problem) => {
            // Help and the version are "problems" of code 0. Nobody is left to tell when this cannot be printed.
            let _ = problem.print();
            return u8::try_from(problem.exit_code()).map_or(Exit::Usage.into(), ExitCode::from);
        }
    };
    let done = match cli.command {
        Command::Check(args) => check::run(args),
        Command::Agent(args) => agent::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Checks(args) => catalogue::run(args),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(problem) => {
            out::complain(&format!("error: {problem:#}"));
            Exit::Usage.into()
        }
    }
}
