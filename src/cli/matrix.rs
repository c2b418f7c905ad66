//! `matrix`: what several agents support, by version, binding and operation, as a table for the terminal or in a
//! format; what is in it: `report/support_matrix.rs`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::args::{MatrixArgs, MatrixFormat};
use super::compare::opened;
use super::connection_args::ConnectionArgs;
use super::connections::RunHost;
use super::exit::Exit;
use super::out;
use super::running::collected;
use crate::engine::discover::normalise;
use crate::engine::options::Options;
use crate::engine::run;
use crate::host::native;
use crate::report::support_matrix::{Support, SupportMatrix};
use crate::report::text::one_line;
use crate::report::{Report, ReportFile, html, markdown};
use crate::suite::areas_for;

pub(super) fn run(args: &MatrixArgs) -> Result<Exit> {
    let files: Vec<ReportFile> =
        args.targets.iter().map(|target| report_of(target, &args.connection)).collect::<Result<_>>()?;
    let matrix = SupportMatrix::from_files(&files);
    let text = match args.format {
        MatrixFormat::Text => text(&matrix),
        MatrixFormat::Markdown => markdown::support_matrix::write(&matrix),
        MatrixFormat::Html => html::support_matrix::write(&matrix),
        MatrixFormat::Json => matrix.to_json(env!("CARGO_PKG_VERSION")),
    };
    out::deliver(&text, args.output.as_deref())?;
    Ok(Exit::Conformant)
}

/// The report in a file of that name; where there is none, that of the agent at this address, which is checked now.
fn report_of(target: &str, connection: &ConnectionArgs) -> Result<ReportFile> {
    let path = Path::new(target);
    if target == "-" || path.is_file() {
        return opened(path);
    }
    normalise(target).with_context(|| format!("{target} is neither a report nor an address that can be checked"))?;
    Ok(ReportFile::from_report(native::block_on(checked(target, &RunHost::from_args(connection)?))))
}

/// Checks an agent without a word about it.
async fn checked(address: &str, on: &RunHost) -> Report {
    let (builder, emit) = collected();
    let mut options = Options { address: address.to_owned(), ..Options::default() };
    on.settle(&mut options);
    run::run(on.host.clone(), areas_for(&options), options, emit).await;
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
    for (support, meaning) in Support::LEGEND {
        let _ = writeln!(text, "{:>6}  {meaning}", support.word());
    }
    text
}
