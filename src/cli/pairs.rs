//! `pairs`: several agents, each of them alone and every two of them together, and the table for a terminal; what is in it:
//! `report/pair_matrix.rs`.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, bail};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};

use super::args::{MatrixFormat, PairsArgs};
use super::connections::RunHost;
use super::exit::{Exit, exit};
use super::interrupts::{end_at_next, stopped};
use super::peer_args::PeerArgs;
use super::running::collected;
use super::{agents_file, credentials, out};
use crate::engine::discover::normalise;
use crate::engine::event::{Emit, Event};
use crate::engine::options::Options;
use crate::engine::plural::count_of;
use crate::engine::prompt::Texts;
use crate::engine::rounds::{MOST_AGENTS, RoundRun, rounds};
use crate::engine::run::{self, run_pair};
use crate::engine::timeouts::TimeoutOverrides;
use crate::host::{Host, native};
use crate::report::headline::counts;
use crate::report::pair_matrix::{MatrixAgent, MatrixPair, PairMatrix, Talk};
use crate::report::text::one_line;
use crate::report::{self, Format, Report, html, markdown};
use crate::suite::{agents, areas_for};

/// What a line of progress calls a run, with numbers from 1.
fn in_words(run: RoundRun) -> String {
    match run {
        RoundRun::Alone(agent) => format!("agent {}", agent + 1),
        RoundRun::Both(first, second) => format!("agents {} and {}", first + 1, second + 1),
    }
}

/// The name of the file with the report of a run.
fn file_name(run: RoundRun) -> String {
    match run {
        RoundRun::Alone(agent) => format!("agent-{}.json", agent + 1),
        RoundRun::Both(first, second) => format!("pair-{}-{}.json", first + 1, second + 1),
    }
}

/// The reports of the runs that are over.
type Finished = Rc<RefCell<Vec<(RoundRun, Report)>>>;

pub(super) fn run(args: &PairsArgs) -> Result<Exit> {
    let agents = agents_of(args)?;
    out::try_place("--output", args.output.as_deref())?;
    if let Some(folder) = &args.reports {
        // Two hours of runs are not lost to a name that was wrong from the beginning.
        let created = std::fs::create_dir_all(folder).map_err(|problem| anyhow!(out::in_words(&problem)));
        created.with_context(|| format!("--reports {}", folder.display()))?;
        out::try_place("--reports", Some(&folder.join(file_name(RoundRun::Alone(0)))))?;
    }
    let rounds = rounds(agents.len());
    if !args.quiet {
        let count = agents.len();
        let pairs = count * count.saturating_sub(1) / 2;
        let (alone, both) = (count_of(count, "run"), count_of(pairs, "run"));
        out::stderr_line(&format!("{}: {alone} with one of them, {both} with two", count_of(count, "agent")));
    }
    let finished = native::block_on(all(args, &agents, &rounds))?.take();
    end_at_next();
    let are_written = args.reports.as_deref().is_none_or(|folder| write_reports(folder, &finished));
    // Runs that the user stopped are incomplete.
    let missing = rounds.iter().flatten().count() > finished.len();
    let exits = finished.iter().map(|(_, report)| exit(report, args.fail_on));
    let worst = Exit::worst(exits.chain(missing.then_some(Exit::Incomplete)));
    let matrix = matrix(&agents, &finished);
    let text = match args.format {
        MatrixFormat::Text => text(&matrix),
        MatrixFormat::Markdown => markdown::pair_matrix::write(&matrix),
        MatrixFormat::Html => html::pair_matrix::write(&matrix),
        MatrixFormat::Json => matrix.to_json(env!("CARGO_PKG_VERSION")),
    };
    let is_written = out::deliver_or_print(args.format.kind(), &text, args.output.as_deref());
    Ok(worst.unless_unwritten(is_written && are_written))
}

/// The options of each agent's run.
fn agents_of(args: &PairsArgs) -> Result<Vec<Options>> {
    let mut given: Vec<PeerArgs> =
        args.urls.iter().map(|url| PeerArgs { url: Some(url.clone()), ..PeerArgs::default() }).collect();
    if let Some(path) = &args.agents {
        given.extend(agents_file::read(path)?);
    }
    if !(2..=MOST_AGENTS).contains(&given.len()) {
        bail!("pairs needs two to {MOST_AGENTS} agents; {} were given", given.len());
    }
    let numbered = given.iter().enumerate();
    let named = |(at, agent)| options(args, agent).with_context(|| format!("agent {}", at + 1));
    let mut all = numbered.map(named).collect::<Result<Vec<Options>>>()?;
    Options::share_secrets(&mut all.iter_mut().collect::<Vec<_>>());
    Ok(all)
}

fn options(args: &PairsArgs, agent: &PeerArgs) -> Result<Options> {
    let address = agent.url.clone().unwrap_or_default();
    normalise(&address).context("its address cannot be checked")?;
    let ms = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1000.0);
    let times =
        TimeoutOverrides { scenario: ms(args.timeout), reach: ms(args.reach_timeout), ..TimeoutOverrides::default() };
    let (timeout_ms, timeouts) = times.settle();
    let mut prompts = Texts::default();
    agent.prompts.iter().for_each(|(behaviour, text)| prompts.set(*behaviour, text.clone()));
    let version = args.protocol_version.clone();
    let mut options = Options { address, timeout_ms, timeouts, prompts, version, ..Options::default() };
    credentials::read_of_agent(agent, "", None, &mut options)?;
    Ok(options)
}

/// Runs everything, until the user stops it.
async fn all(args: &PairsArgs, agents: &[Options], rounds: &[Vec<RoundRun>]) -> Result<Finished> {
    let finished = Finished::default();
    let going = async {
        for round in rounds {
            let runs = round.iter().map(|subject| one(args, agents, *subject, &finished));
            let done: Vec<Result<()>> = stream::iter(runs).buffer_unordered(args.at_once.into()).collect().await;
            done.into_iter().collect::<Result<()>>()?;
        }
        anyhow::Ok(())
    };
    tokio::select! {
        done = going => done?,
        () = stopped() => out::stderr_line("stopped; the matrix has what was seen until then"),
    }
    Ok(finished)
}

/// One run, with a line about it when it is over.
async fn one(args: &PairsArgs, agents: &[Options], subject: RoundRun, finished: &Finished) -> Result<()> {
    let on = RunHost::from_args(&args.connection)?;
    let settled = |place: usize| {
        let mut options = agents.get(place).cloned().unwrap_or_default();
        on.settle(&mut options);
        options
    };
    let report = match subject {
        RoundRun::Alone(agent) => {
            let options = settled(agent);
            told(&on, |host, emit| run::run(host, areas_for(&options), options, emit)).await
        }
        RoundRun::Both(first, second) => {
            let (first, second) = (settled(first), settled(second));
            told(&on, |host, emit| run_pair(host, agents::SUITE, first, second, emit)).await
        }
    };
    if !args.quiet {
        out::stderr_line(&one_line(&format!("{}: {}", in_words(subject), counts(&report)), 300));
    }
    finished.borrow_mut().push((subject, report));
    Ok(())
}

/// The report of a run of which nothing is shown but what somebody has to confirm.
async fn told(on: &RunHost, begin: impl FnOnce(Host, Emit) -> LocalBoxFuture<'static, ()>) -> Report {
    let (builder, apply) = collected();
    let emit = Rc::new(move |event: Event| {
        if let Event::Confirm { whom, url, complete, code } = &event {
            out::stderr_line(&credentials::confirmation(whom, url, complete, code));
        }
        apply(event);
    });
    begin(on.host.clone(), emit).boxed_local().await;
    Report { connection: on.seen(on.host.clock.wall_ms()), ..builder.borrow().report() }
}

/// Writes each report that can be written, and answers whether all of them are there.
fn write_reports(folder: &Path, finished: &[(RoundRun, Report)]) -> bool {
    let mut are_written = true;
    for (subject, report) in finished {
        let path = folder.join(file_name(*subject));
        let text = report::write_or_raw(report, Format::Json).text;
        if let Err(problem) = out::write_file(&path, &text) {
            out::stderr_line(&format!("error: {} could not be written: {problem:#}", path.display()));
            are_written = false;
        }
    }
    are_written
}

fn matrix(agents: &[Options], finished: &[(RoundRun, Report)]) -> PairMatrix {
    let of = |subject: RoundRun| finished.iter().find(|(known, _)| *known == subject).map(|(_, report)| report);
    let numbered = agents.iter().enumerate();
    let alone = numbered.map(|(place, options)| MatrixAgent::new(&options.address, of(RoundRun::Alone(place))));
    PairMatrix::new(alone.collect(), |first, second| {
        Some(MatrixPair::new(first, second, of(RoundRun::Both(first, second))))
    })
}

/// For a terminal: the agents with numbers, a line for each caller, and why some do not simply work.
fn text(matrix: &PairMatrix) -> String {
    let mut text = String::new();
    for (at, agent) in matrix.agents.iter().enumerate() {
        let counts = agent.verdict.as_ref().map_or("not checked", |verdict| &verdict.counts);
        let interfaces = agent.interfaces.join(", ");
        let interfaces = if interfaces.is_empty() { "no interface" } else { &interfaces };
        let line = format!("{} at {}, {interfaces}. Alone: {counts}", agent.name, agent.address);
        let _ = writeln!(text, "{:>3}  {}", at + 1, one_line(&line, 400));
    }
    text.push_str("\nThe agent of the line calls the agent of the column; an agent's own verdict stands where it meets itself:\n\n    ");
    for number in 1..=matrix.agents.len() {
        let _ = write!(text, "  {number:>14}");
    }
    text.push('\n');
    for (caller, agent) in matrix.agents.iter().enumerate() {
        let own = agent.verdict.as_ref().map_or("not checked", |verdict| in_short(verdict.word));
        let _ = write!(text, "{:>4}", caller + 1);
        for called in 0..matrix.agents.len() {
            let word = matrix.direction(caller, called).map_or(own, |direction| direction.talk.word());
            let _ = write!(text, "  {word:>14}");
        }
        text.push('\n');
    }
    if matrix.remarks().next().is_some() {
        text.push_str("\nWhy:\n\n");
    }
    for (caller, called, direction) in matrix.remarks() {
        let because = direction.because.as_deref().unwrap_or_default();
        let failed = direction.failed().collect::<Vec<_>>().join(", ");
        let failed = if failed.is_empty() { String::new() } else { format!(" ({failed})") };
        let _ = writeln!(text, "  {caller} to {called}: {}: {because}{failed}", direction.talk.word());
    }
    text.push('\n');
    for (word, meaning) in Talk::legend() {
        let _ = writeln!(text, "{word:>11}  {meaning}");
    }
    let _ = writeln!(text, "\n{}", matrix.cost_in_words());
    text
}

/// A verdict that fits into a column.
fn in_short(word: &'static str) -> &'static str {
    match word {
        "conformant-with-advice" => "with suggestions",
        "not-conformant" => "not conformant",
        other => other,
    }
}
