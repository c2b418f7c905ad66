//! What `check` and `scenario` have in common: a run with its progress and Ctrl-C, and the report, written where and as it was
//! asked for.

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{self, LocalBoxFuture};

use super::args::{ClientTestsArgs, OutputFormat, RunArgs, WatchArgs};
use super::connections::RunHost;
use super::interrupts::{end_at_next, stopped};
use super::out::TextKind;
use super::progress::ProgressLine;
use super::terminal::{self, TerminalStyle, Verbosity};
use super::{credentials, out, prometheus, trace};
use crate::engine::event::{Emit, Event};
use crate::engine::options::Options;
use crate::engine::run::{self, Areas};
use crate::engine::timeouts::TimeoutOverrides;
use crate::engine::user_waits::Waits;
use crate::host::{Clock, Host};
use crate::report::{self, Environment, Format, Report, ReportBuilder};

/// How long is waited for what, as far as it was said.
pub(super) fn times(args: &RunArgs) -> TimeoutOverrides {
    let ms = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1000.0);
    TimeoutOverrides {
        scenario: ms(args.timeout),
        reach: ms(args.reach_timeout),
        answer: ms(args.answer_timeout),
        first_event: ms(args.event_timeout),
        idle: ms(args.idle_timeout),
        run: ms(args.run_timeout),
    }
}

/// This program, for reports.
pub(super) fn environment() -> Environment {
    Environment::on("command line")
}

/// A builder of a report, and what tells it the events of a run.
pub(super) fn collected() -> (Rc<RefCell<ReportBuilder>>, Emit) {
    let builder = Rc::new(RefCell::new(ReportBuilder::new(environment())));
    let sink = Rc::clone(&builder);
    (builder, Rc::new(move |event| sink.borrow_mut().apply(&event)))
}

/// Runs until the end or until the user stops it, which is then the last event.
pub(super) async fn until_stopped<T>(
    run: impl Future<Output = T>,
    clock: &dyn Clock,
    builder: &RefCell<ReportBuilder>,
    emit: &Emit,
) -> Option<T> {
    let started_ms = clock.now_ms();
    tokio::select! {
        done = run => Some(done),
        () = stopped() => {
            let tally = builder.borrow().tally();
            emit(Event::stopped(tally, clock.now_ms() - started_ms));
            None
        }
    }
}

/// Runs until the end or until the user stops it; the report holds what was seen by then.
pub(super) async fn run_with_progress(areas: Areas, options: Options, on: RunHost, args: &RunArgs) -> Report {
    with_progress(on, args, |host, emit, waits| run::run_watched(host, areas, options, emit, waits)).await
}

/// The same for a run that is begun by this function.
pub(super) async fn with_progress(
    on: RunHost,
    args: &RunArgs,
    begin: impl FnOnce(Host, Emit, Waits) -> LocalBoxFuture<'static, ()>,
) -> Report {
    let host = on.host.clone();
    let on = Rc::new(on);
    let clock = Rc::clone(&host.clock);
    let started_ms = clock.now_ms();
    let waits = Waits::default();
    let shown = !args.quiet && stderr().is_terminal();
    let (builder, apply) = collected();
    let progress = Rc::new(RefCell::new(ProgressLine::default()));
    let draw = {
        let (clock, progress, waits) = (Rc::clone(&clock), Rc::clone(&progress), waits.clone());
        move || {
            if shown {
                let elapsed_ms = clock.now_ms() - started_ms;
                out::stderr(&progress.borrow().drawn(elapsed_ms, terminal::progress_width(), &waits.list()));
            }
        }
    };
    let emit: Emit = {
        let (progress, draw) = (Rc::clone(&progress), draw.clone());
        let on = Rc::clone(&on);
        let (traced, has_further) = (args.trace, Cell::new(false));
        Rc::new(move |event: Event| {
            // What a further run shows is told again when that run is over.
            let is_news = !has_further.get() || matches!(event, Event::OfRun { .. });
            has_further.set(has_further.get() || matches!(event, Event::OfRun { .. }));
            if let (true, Some(exchange)) = (traced && is_news, event.exchanged()) {
                if shown {
                    out::stderr(ProgressLine::ERASED);
                }
                out::stderr_line(&trace::lines(exchange));
            }
            on.note(&event);
            if let Event::Confirm { whom, url, complete, code } = &event {
                // Somebody has to see it, whatever else is shown.
                out::stderr_line(&credentials::confirmation(whom, url, complete, code));
            }
            let is_further = progress.borrow_mut().apply(&event);
            apply(event);
            if is_further {
                draw();
            }
        })
    };
    // Seconds pass while an agent thinks, too.
    let ticking = async {
        loop {
            clock.sleep(1000.0).await;
            draw();
        }
    };
    let run = begin(host, Rc::clone(&emit), waits);
    until_stopped(future::select(run, pin!(ticking)), &*clock, &builder, &emit).await;
    if shown {
        out::stderr(ProgressLine::ERASED);
    }
    Report { connection: on.seen(clock.wall_ms()), ..builder.borrow().report() }
}

/// Where a report goes, and in which form.
pub(super) struct ReportDestination<'a> {
    pub(super) format: OutputFormat,
    pub(super) output: Option<&'a Path>,
    pub(super) quiet: bool,
    pub(super) verbose: bool,
}

/// The arguments of every command that writes a report have these.
macro_rules! say_where {
    ($($args:ty),+) => {
        $(impl<'a> From<&'a $args> for ReportDestination<'a> {
            fn from(args: &'a $args) -> Self {
                Self { format: args.format, output: args.output.as_deref(), quiet: args.quiet, verbose: args.verbose }
            }
        })+
    };
}
say_where!(RunArgs, WatchArgs, ClientTestsArgs);

/// Writes the report to where it was asked for, and answers whether it is there. `acts` writes that of the ACTS format. What cannot
/// be written there goes to standard output as JSON, with all that was recorded: nothing that was seen is lost.
pub(super) fn write<'a>(report: &Report, to: impl Into<ReportDestination<'a>>, acts: impl FnOnce() -> String) -> bool {
    end_at_next();
    let to = to.into();
    let file = to.output.filter(|path| *path != Path::new("-"));
    let (rendered, problem) = rendered(report, &to, file.is_some(), acts);
    if let Some(problem) = problem {
        out::stderr_line(&format!("error: the report could not be made, so here is the raw record: {problem}"));
    }
    if let Err(problem) = out::deliver(kind(to.format), &rendered, file) {
        let follows = if file.is_some() { "; it follows on standard output, as JSON" } else { "" };
        out::stderr_line(&format!("error: the report could not be written: {problem:#}{follows}"));
        if file.is_some() {
            let raw = report::write_or_raw(report, Format::Json).text;
            if let Err(problem) = out::deliver(TextKind::Json, &raw, None) {
                out::stderr_line(&format!("error: nor could it be written there: {problem:#}"));
            }
        }
        return false;
    }
    if let Some(path) = file {
        let line = format!("{} Report: {}\n", report::headline(report), path.display());
        if let Err(problem) = out::print(&line) {
            let problem = out::in_words(&problem);
            out::stderr_line(&format!("error: the report is in {}; standard output: {problem}", path.display()));
        }
    }
    true
}

/// What a text of this format is.
const fn kind(format: OutputFormat) -> TextKind {
    match format {
        OutputFormat::Text => TextKind::Lines,
        OutputFormat::Json | OutputFormat::Ctrf | OutputFormat::Har | OutputFormat::Acts => TextKind::Json,
        OutputFormat::Markdown
        | OutputFormat::Junit
        | OutputFormat::Html
        | OutputFormat::Badge
        | OutputFormat::Agent
        | OutputFormat::Prometheus => TextKind::Markup,
    }
}

fn rendered(
    report: &Report,
    to: &ReportDestination<'_>,
    to_file: bool,
    acts: impl FnOnce() -> String,
) -> (String, Option<String>) {
    let format = match to.format {
        OutputFormat::Text => {
            let detail = match (to.quiet, to.verbose) {
                (true, _) => Verbosity::Quiet,
                (false, false) => Verbosity::Usual,
                (false, true) => Verbosity::Verbose,
            };
            let look = if to_file { TerminalStyle::PLAIN } else { TerminalStyle::of_stdout() };
            let mut text = String::new();
            for (name, agent) in ["A", "B"].into_iter().zip(&report.agents) {
                text.push_str(&format!("== Agent {name} alone ==\n\n{}\n", terminal::render(agent, detail, look)));
                text.push_str(&clients(agent, &format!("Agent {name}"), detail, look));
            }
            if !report.agents.is_empty() {
                text.push_str("== Both agents together ==\n\n");
            }
            text.push_str(&terminal::render(report, detail, look));
            return (text + &clients(report, "The agent", detail, look), None);
        }
        OutputFormat::Json => Format::Json,
        OutputFormat::Markdown => Format::Markdown,
        OutputFormat::Junit => Format::JUnit,
        OutputFormat::Ctrf => Format::Ctrf,
        OutputFormat::Har => Format::Har,
        OutputFormat::Html => Format::Html,
        OutputFormat::Badge => Format::Badge,
        OutputFormat::Acts => return (acts(), None),
        OutputFormat::Agent => return (report::coding_agent::write(report), None),
        OutputFormat::Prometheus => return (prometheus::write(report), None),
    };
    let written = report::write_or_raw(report, format);
    (written.text, written.fallback)
}

/// The reports on an agent's client, for a terminal.
fn clients(report: &Report, who: &str, detail: Verbosity, look: TerminalStyle) -> String {
    let client =
        |client: &Rc<Report>| format!("\n== {who} as a client ==\n\n{}", terminal::render(client, detail, look));
    report.clients.iter().map(client).collect()
}
