//! `check`: runs the suite against an agent, writes the report, and says by the exit code what came of it.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail};

use super::args::{CheckArgs, FailOn, OutputFormat};
use super::exit::Exit;
use super::progress::ProgressLine;
use super::terminal::{self, TerminalStyle, Verbosity};
use super::{credentials, out, target};
use crate::engine::event::{Completion, Event};
use crate::engine::jwks;
use crate::engine::options::{Options, matches};
use crate::engine::prompt::Texts;
use crate::engine::run;
use crate::engine::timeouts::TimeoutOverrides;
use crate::host::native;
use crate::report::{self, Environment, Format, ProfileTally, Rating, Report, ReportBuilder, VerdictWord};
use crate::suite::{self, areas_for};

pub(super) fn run(args: CheckArgs) -> Result<Exit> {
    let options = options(&args)?;
    let report = native::block_on(run_with_progress(options, &args));
    let is_written = write(&report, &args);
    Ok(match exit(&report, args.fail_on) {
        Exit::Conformant | Exit::Incomplete if !is_written => Exit::Usage,
        exit => exit,
    })
}

/// The run that was asked for, or what is wrong with it. No message repeats a credential.
fn options(args: &CheckArgs) -> Result<Options> {
    for pattern in &args.only {
        if !suite::every_declaration().any(|(.., check)| matches(pattern, check.id)) {
            bail!("no check matches --only {pattern}; `a2a-conformance checks` lists them");
        }
    }
    let mut prompts = Texts::default();
    for (behaviour, text) in &args.prompts {
        prompts.set(*behaviour, text.clone());
    }
    let (timeout_ms, timeouts) = times(args).settle();
    let (address, source) = target::of(args)?;
    let mut options = Options {
        address,
        source,
        timeout_ms,
        timeouts,
        prompts,
        profile: args.profile,
        skills: args.skills.clone(),
        only: args.only.clone(),
        version: args.protocol_version.clone(),
        jwks: args.jwks.as_deref().map(trusted_keys).transpose()?.unwrap_or_default(),
        ..Options::default()
    };
    credentials::read(&args.credentials, &args.second, &mut options)?;
    Ok(options)
}

/// The key set in that file, or its URL.
fn trusted_keys(given: &str) -> Result<String> {
    if jwks::is_url(given) {
        return jwks::parse_jwks(given).with_context(|| format!("--jwks {given}"));
    }
    let text = std::fs::read_to_string(given).with_context(|| format!("--jwks {given} cannot be read"))?;
    match jwks::parse_jwks(&text) {
        Ok(set) if !jwks::is_url(&set) && !set.is_empty() => Ok(set),
        _ => bail!("--jwks {given} is not a JSON Web Key Set, which is an object with an array `keys`"),
    }
}

/// How long is waited for what, as far as it was said.
fn times(args: &CheckArgs) -> TimeoutOverrides {
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

/// Runs until the end or until the user stops it; the report holds what was seen by then.
async fn run_with_progress(options: Options, args: &CheckArgs) -> Report {
    let host = native::host();
    let clock = Rc::clone(&host.clock);
    let started_ms = clock.now_ms();
    let shown = !args.quiet && stderr().is_terminal();
    let builder = Rc::new(RefCell::new(ReportBuilder::new(Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        host: "command line".to_owned(),
        user_agent: None,
    })));
    let progress = Rc::new(RefCell::new(ProgressLine::default()));
    let draw = {
        let (clock, progress) = (Rc::clone(&clock), Rc::clone(&progress));
        move || {
            if shown {
                let elapsed_ms = clock.now_ms() - started_ms;
                out::stderr(&progress.borrow().drawn(elapsed_ms, terminal::progress_width()));
            }
        }
    };
    let emit = {
        let (builder, progress, draw) = (Rc::clone(&builder), Rc::clone(&progress), draw.clone());
        Rc::new(move |event: Event| {
            builder.borrow_mut().apply(&event);
            if let Event::Confirm { whom, url, complete, code } = &event {
                // Somebody has to see it, whatever else is shown.
                out::stderr_line(&credentials::confirmation(whom, url, complete, code));
            }
            if progress.borrow_mut().apply(&event) {
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
    let stopped = tokio::select! {
        () = run::run(host, areas_for(options.profile), options, emit.clone()) => false,
        () = interrupt() => true,
        () = ticking => false,
    };
    if shown {
        out::stderr(ProgressLine::ERASED);
    }
    if stopped {
        let tally = builder.borrow().tally();
        let duration_ms = clock.now_ms() - started_ms;
        emit(Event::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms });
    }
    builder.borrow().report()
}

/// Ends when the user presses Ctrl-C; never where there is no such key.
async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Writes the report to where it was asked for, and answers whether it is there. What cannot be written there goes to
/// standard output as JSON, with all that was recorded: nothing that was seen is lost.
fn write(report: &Report, args: &CheckArgs) -> bool {
    let file = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let (rendered, problem) = rendered(report, args, file.is_some());
    if let Some(problem) = problem {
        out::stderr_line(&format!("error: the report could not be made, so here is the raw record: {problem}"));
    }
    let done = match file {
        None => out::print(&rendered).context("standard output"),
        Some(path) => out::write_file(path, &rendered).with_context(|| path.display().to_string()),
    };
    if let Err(problem) = done {
        out::stderr_line(&format!(
            "error: the report could not be written: {problem:#}; it follows on standard output, as JSON"
        ));
        let raw = report::write_or_raw(report, Format::Json).text;
        if let Err(problem) = out::print(&raw) {
            out::stderr_line(&format!("error: nor could it be written there: {problem}"));
        }
        return false;
    }
    if let Some(path) = file {
        let line = format!("{} Report: {}\n", report::headline(report), path.display());
        if let Err(problem) = out::print(&line) {
            out::stderr_line(&format!("error: the report is in {}; standard output: {problem}", path.display()));
        }
    }
    true
}

fn rendered(report: &Report, args: &CheckArgs, to_file: bool) -> (String, Option<String>) {
    let format = match args.format {
        OutputFormat::Text => {
            let detail = match (args.quiet, args.verbose) {
                (true, _) => Verbosity::Quiet,
                (false, false) => Verbosity::Usual,
                (false, true) => Verbosity::Verbose,
            };
            let look = if to_file { TerminalStyle::PLAIN } else { TerminalStyle::of_stdout() };
            return (terminal::render(report, detail, look), None);
        }
        OutputFormat::Json => Format::Json,
        OutputFormat::Markdown => Format::Markdown,
        OutputFormat::Junit => Format::JUnit,
        OutputFormat::Ctrf => Format::Ctrf,
        OutputFormat::Har => Format::Har,
        OutputFormat::Html => Format::Html,
        OutputFormat::Badge => Format::Badge,
    };
    let written = report::write_or_raw(report, format);
    (written.text, written.fallback)
}

/// An observed failure decides; otherwise a run that did not see what it had to is incomplete, as its verdict says.
fn exit(report: &Report, fail_on: FailOn) -> Exit {
    // The acceptance list of a profile was asked for by name, so that a miss there counts although it is only advice.
    let list = ProfileTally::of(report).unwrap_or_default();
    let counted = match fail_on {
        FailOn::Must => report.tally.failed_required + list.failed,
        FailOn::Should => report.tally.failed_required + report.tally.failed_advisory,
        FailOn::Never => 0,
    };
    // A level is never given to a part of the suite; who asked for a part knows.
    let is_whole = match &report.completion {
        Some(Completion::Complete) => !matches!(report.assessment.rating, Rating::NotRated(_)),
        Some(completion) => completion.part().is_some(),
        None => false,
    };
    match (counted, is_whole && report.word != VerdictWord::Incomplete && list.open == 0) {
        (1.., _) => Exit::Failures,
        (0, true) => Exit::Conformant,
        (0, false) => Exit::Incomplete,
    }
}
