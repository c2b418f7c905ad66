//! How much of a report is shown, and how it may look: the widths, and with colour and links where a terminal shows them.

use std::env::var_os;
use std::io::{IsTerminal, stderr, stdout};

use anstyle_query::{clicolor, clicolor_force, no_color, term_supports_color};
use supports_hyperlinks::Stream;
use terminal_size::terminal_size_of;

/// The width of a terminal that does not tell it.
const USUAL_WIDTH: usize = 80;
/// In a narrower one nothing is wrapped: it would be a column of single words.
const MIN_WIDTH: usize = 40;
/// Wider lines are hard to read.
const MAX_WIDTH: usize = 120;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// The verdict, the facts and the findings.
    Quiet,
    /// The same, what stayed open, and counts for the rest.
    Usual,
    /// Every row.
    Verbose,
}

/// How the report may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Whether it has colours.
    pub color: bool,
    /// Whether its links are hidden behind their texts (OSC 8) and not written out.
    pub links: bool,
    /// The column at which lines are wrapped; `None` for no wrapping.
    pub width: Option<usize>,
}

impl TerminalStyle {
    /// For a file or another program: no colour, and a line for each thing.
    pub const PLAIN: Self = Self { color: false, links: false, width: None };

    /// The capabilities of standard output.
    pub(crate) fn of_stdout() -> Self {
        let is_terminal = stdout().is_terminal();
        let width = terminal_size_of(stdout()).map_or(USUAL_WIDTH, |(width, _)| width.0.into()).min(MAX_WIDTH);
        Self {
            color: is_colored(is_terminal),
            links: supports_hyperlinks::on(Stream::Stdout),
            width: (is_terminal && width >= MIN_WIDTH).then_some(width),
        }
    }
}

/// Whether to use colour: `NO_COLOR` forbids it, `CLICOLOR_FORCE` asks for it anywhere, else a terminal that can show it gets it.
fn is_colored(is_terminal: bool) -> bool {
    // https://no-color.org and https://bixense.com/clicolors
    if no_color() {
        return false;
    }
    let is_asked_for = clicolor_force() && var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    is_asked_for || (is_terminal && clicolor() != Some(false) && term_supports_color())
}

/// How long the line of progress may be: a longer one would wrap, and a wrapped line cannot be written over.
pub(crate) fn progress_width() -> usize {
    let width = terminal_size_of(stderr()).map_or(USUAL_WIDTH, |(width, _)| width.0.into());
    width.saturating_sub(2).max(1)
}
