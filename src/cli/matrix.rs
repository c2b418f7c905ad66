//! `matrix`: what several agents support, by version, binding and operation, as a table for the terminal or in a
//! format; what is in it: `report/support_matrix.rs`.

use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};

use super::args::{MatrixArgs, MatrixFormat};
use super::compare::opened;
use super::connections::RunHost;
use super::exit::Exit;
use super::interrupts::{end_at_next, is_stopped};
use super::out;
use super::running::{collected, until_stopped};
use crate::engine::discover::normalise;
use crate::engine::options::Options;
use crate::engine::run;
use crate::host::native;
use crate::report::support_matrix::{Support, SupportMatrix};
use crate::report::text::one_line;
use crate::report::{Report, ReportFile, html, markdown};
use crate::suite::areas_for;

pub(super) fn run(args: &MatrixArgs) -> Result<Exit> {
    out::try_place("--output", args.output.as_deref())?;
    // What is wrong with a later one is told before the first agent is called.
    let reports = args.targets.iter().map(|target| report_in(target)).collect::<Result<Vec<_>>>()?;
    let mut files: Vec<ReportFile> = Vec::new();
    for (target, report) in args.targets.iter().zip(reports) {
        match report {
            Some(report) => files.push(report),
            None if is_stopped() => {}
            None => {
                let on = RunHost::from_args(&args.connection)?;
                files.push(ReportFile::from_report(native::block_on(checked(target, &on))));
            }
        }
    }
    if is_stopped() {
        out::stderr_line("stopped; the matrix has what was seen until then");
    }
    end_at_next();
    let matrix = SupportMatrix::from_files(&files);
    let text = match args.format {
        MatrixFormat::Text => text(&matrix),
        MatrixFormat::Markdown => markdown::support_matrix::write(&matrix),
        MatrixFormat::Html => html::support_matrix::write(&matrix),
        MatrixFormat::Json => matrix.to_json(env!("CARGO_PKG_VERSION")),
    };
    let is_written = out::deliver_or_print(args.format.kind(), &text, args.output.as_deref());
    let exit = if is_stopped() { Exit::Incomplete } else { Exit::Conformant };
    Ok(exit.unless_unwritten(is_written))
}

/// The report in a file of that name; none where there is no such file, and it is the address of an agent that is checked now.
fn report_in(target: &str) -> Result<Option<ReportFile>> {
    let path = Path::new(target);
    let address = normalise(target);
    // A folder may have the name of a host.
    if target == "-" || path.is_file() || path.exists() && !(path.is_dir() && address.is_ok()) {
        return opened(path).map(Some);
    }
    address.with_context(|| format!("{target} is neither a report nor an address that can be checked"))?;
    Ok(None)
}

/// Checks an agent without a word about it, until the user stops it.
async fn checked(address: &str, on: &RunHost) -> Report {
    let (builder, emit) = collected();
    let mut options = Options { address: address.to_owned(), ..Options::default() };
    on.settle(&mut options);
    let run = run::run(on.host.clone(), areas_for(&options), options, Rc::clone(&emit));
    until_stopped(run, &*on.host.clock, &builder, &emit).await;
    builder.borrow().report()
}

/// For a terminal: the interfaces with numbers, and a line for each feature.
fn text(matrix: &SupportMatrix) -> String {
    let mut text = String::new();
    for (at, column) in matrix.columns.iter().enumerate() {
        let interface = if column.interface.is_empty() { "no interface" } else { &column.interface };
        let line = format!("{}, {interface}, at {}: {}", column.agent, column.address, column.verdict);
        let _ = writeln!(text, "{:>3}  {}", at + 1, one_line(&line, 300));
    }
    let widest = matrix.rows.iter().map(|row| row.feature.len()).max().unwrap_or_default();
    let _ = write!(text, "\n{:widest$}", "");
    for number in 1..=matrix.columns.len() {
        let _ = write!(text, "  {number:>6}");
    }
    text.push('\n');
    for row in &matrix.rows {
        let _ = write!(text, "{:widest$}", row.feature);
        for cell in &row.cells {
            let _ = write!(text, "  {:>6}", cell.support().word());
        }
        text.push('\n');
    }
    text.push('\n');
    for (word, meaning) in Support::legend() {
        let _ = writeln!(text, "{word:>6}  {meaning}");
    }
    text
}
