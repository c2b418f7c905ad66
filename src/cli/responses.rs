//! `responses`: the directives by which a message declares what the scripted agent answers.

use std::fs;
use std::io::{read_to_string, stdin};
use std::path::Path;

use anyhow::{Context, Result};

use super::args::ResponsesArgs;
use super::exit::Exit;
use super::out;
use crate::agent::responses_directive;

pub(super) fn run(args: &ResponsesArgs) -> Result<Exit> {
    let name = args.file.display();
    let text = read(&args.file).with_context(|| format!("cannot read {name}"))?;
    let directive =
        responses_directive(&args.test_case_id, &text).with_context(|| format!("{name} cannot be played"))?;
    out::print(&format!("{directive}\n")).context("standard output")?;
    Ok(Exit::Conformant)
}

fn read(file: &Path) -> std::io::Result<String> {
    if file == Path::new("-") { read_to_string(stdin()) } else { fs::read_to_string(file) }
}
