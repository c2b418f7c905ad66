//! The command line: `main`, which hands each command to its file, over the same engine as the page.

mod agent;
mod agents_file;
mod arg_values;
mod args;
mod as_page;
pub mod catalogue;
mod catalogue_text;
mod check;
mod choice_args;
mod client_adapter;
pub mod client_catalogue;
mod client_tests;
mod compare;
mod connection_args;
mod connections;
mod credential_args;
mod credentials;
mod delegation_args;
mod delegation_run;
mod exit;
mod input;
mod interrupts;
mod load_args;
mod matrix;
mod out;
mod pair;
mod pairs;
mod peer_args;
mod progress;
mod prometheus;
mod replay;
mod responses;
mod running;
mod scenario;
mod serve;
mod statement_documents;
mod statements;
mod target;
pub mod terminal;
mod trace;
mod watch;
mod webhook_args;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;

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
        Command::Check(args) => check::run(*args),
        Command::Scenario(args) => scenario::run(*args),
        Command::ClientTests(args) => client_tests::run(&args),
        Command::Agent(args) => agent::run(args),
        Command::Responses(args) => responses::run(&args),
        Command::Serve(args) => serve::run(args),
        Command::Compare(args) => compare::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Checks(args) => catalogue::run(args),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(problem) => {
            out::stderr_line(&out::without_passwords(&format!("error: {problem:#}")));
            Exit::Usage.into()
        }
    }
}
