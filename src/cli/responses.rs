//! `responses`: the directives by which a message declares what the scripted agent answers.

use anyhow::{Context, Result};

use super::args::ResponsesArgs;
use super::exit::Exit;
use super::{input, out};
use crate::agent::responses_directive;

pub(super) fn run(args: &ResponsesArgs) -> Result<Exit> {
    let name = args.file.display();
    let text = input::text(&args.file, input::RESPONSES).with_context(|| format!("{name} cannot be read"))?;
    let directive =
        responses_directive(&args.test_case_id, &text).with_context(|| format!("{name} cannot be played"))?;
    out::print(&format!("{directive}\n")).context("standard output")?;
    Ok(Exit::Conformant)
}
