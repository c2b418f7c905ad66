//! `agent --watch`: judges the clients of the scripted agent, and reports on them.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::args::WatchArgs;
use super::exit::Exit;
use super::out;
use super::running::{ReportDestination, environment, exit, interrupt, write};
use super::watched_cards::watched_cards;
use crate::agent::fault::Faults;
use crate::clients::{ClientRequest, ClientWatch};
use crate::engine::event::Event;
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::host::{Clock, native};
use crate::report::ReportBuilder;
use crate::server::{AgentServer, ExchangeRecorder, Situations, moved_cards, served_cards};

/// A watch over an agent that is served.
pub(super) struct Watcher<'a> {
    args: &'a WatchArgs,
    clock: Rc<dyn Clock>,
    started_ms: f64,
    recorder: ExchangeRecorder,
    watch: Rc<RefCell<ClientWatch>>,
    builder: Rc<RefCell<ReportBuilder>>,
}

impl<'a> Watcher<'a> {
    /// Begins to watch over the clients of this agent.
    pub(super) async fn over(served: &mut AgentServer, faults: &Faults, args: &'a WatchArgs) -> Self {
        let host = native::host();
        let situations = Situations::from(args.situations.clone());
        let mut cards = served_cards(&served.agent, faults).await;
        cards.extend(moved_cards(&cards, served.agent.base(), &situations));
        let cards = watched_cards(cards);
        let builder = Rc::new(RefCell::new(ReportBuilder::new(environment())));
        let emit = {
            let (builder, quiet) = (Rc::clone(&builder), args.quiet);
            Rc::new(move |event: Event| {
                if let Some(line) = finding(&event).filter(|_| !quiet) {
                    out::stderr_line(&line);
                }
                builder.borrow_mut().apply(&event);
            })
        };
        let watch = ClientWatch::new(served.agent.base(), host.clock.wall_ms(), &cards, emit);
        let watch = Rc::new(RefCell::new(watch));
        let recorder = {
            let watch = Rc::clone(&watch);
            ExchangeRecorder::in_situations(Rc::clone(&host.clock), situations, move |received| {
                let exchange = Rc::new(received.exchange);
                let (connection, scheme) = (received.connection, received.scheme);
                watch.borrow_mut().receive(ClientRequest { exchange, connection, scheme });
            })
        };
        served.recorder = Some(recorder.clone());
        let started_ms = host.clock.now_ms();
        Self { args, clock: host.clock, started_ms, recorder, watch, builder }
    }

    /// Ends the watch, writes the report, and says how it went.
    pub(super) fn report(self) -> Exit {
        self.recorder.flush();
        self.watch.borrow_mut().finish(self.clock.now_ms() - self.started_ms);
        let report = self.builder.borrow().report();
        let args = self.args;
        let to = ReportDestination {
            format: args.format,
            output: args.output.as_deref(),
            quiet: args.quiet,
            verbose: args.verbose,
        };
        let is_written = write(&report, to, String::new);
        match exit(&report, args.fail_on) {
            Exit::Conformant | Exit::Incomplete if !is_written => Exit::Usage,
            exit => exit,
        }
    }
}

/// Ends after so many seconds, or when the user presses Ctrl-C.
pub(super) async fn ended(seconds: Option<f64>) {
    let time = async {
        match seconds {
            Some(seconds) => tokio::time::sleep(Duration::from_secs_f64(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = time => {}
        () = interrupt() => {}
    }
}

/// A line on a finding that was just made.
fn finding(event: &Event) -> Option<String> {
    let Event::Judged { result, .. } = event else { return None };
    let kind = match (result.verdict.outcome, result.level) {
        (Outcome::Fail, Level::Must) => "fail",
        (Outcome::Fail, _) => "advice",
        (Outcome::Note, _) => "note",
        _ => return None,
    };
    let check = result.row.check;
    let lane = result.row.lane.as_ref().map_or_else(String::new, |lane| format!(" ({})", lane_name(&lane.id)));
    Some(format!("{kind} [{}]{lane}: {}: {}", check.id, check.title, result.verdict.message))
}
