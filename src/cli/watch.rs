//! `agent --watch`: judges the clients of the scripted agent, reports on them, and shows a page what was found so far.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::args::{PAGE_ADDRESS, WatchArgs};
use super::exit::{Exit, exit};
use super::interrupts::stopped;
use super::out;
use super::running::{collected, write};
use crate::agent::fault::Faults;
use crate::clients::ClientWatch;
use crate::engine::event::{Completion, Event};
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::host::{Host, native};
use crate::report::{Format, ReportBuilder, write as write_report};
use crate::server::{AgentServer, ClientWatcher, ExchangeRecorder, Situation, Situations, moved_cards, served_cards};
use crate::view_model::share_link::Link;
use crate::wire::received::ServedCard;

/// How long what was received is left unjudged at least, so that what comes in a burst is judged together.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// How much longer than the judging, or the writing of a report, the pause after it is: clients have all but a twentieth of the time.
const PAUSES: u32 = 20;

/// A watch over an agent that is served.
pub(super) struct Watcher {
    host: Host,
    address: String,
    cards: Vec<ServedCard>,
    situations: Situations,
    /// Whether each finding is shown on the terminal at once.
    is_told: bool,
    key: String,
    /// How many watches there were.
    number: Cell<u32>,
    current: RefCell<Option<CurrentWatch>>,
    /// Told when something was received.
    news: Rc<Notify>,
    /// Until when no page is shown a report: the last one took long.
    busy_until: Cell<Option<Instant>>,
}

struct CurrentWatch {
    started_ms: f64,
    recorder: ExchangeRecorder,
    watch: Rc<RefCell<ClientWatch>>,
    builder: Rc<RefCell<ReportBuilder>>,
    /// How many exchanges were judged.
    received: Rc<Cell<u32>>,
}

impl Watcher {
    /// A watcher over the clients of this agent, which are brought into situations. It begins when somebody asks what it found.
    pub(super) async fn over(
        served: &mut AgentServer,
        faults: &Faults,
        situations: Vec<Situation>,
        is_told: bool,
    ) -> Rc<Self> {
        let host = native::host();
        let situations = Situations::from(situations);
        let mut cards = served_cards(&served.agent, faults).await;
        cards.extend(moved_cards(&cards, served.agent.base(), &situations));
        let watcher = Rc::new(Self {
            address: served.agent.base().to_owned(),
            cards,
            situations,
            is_told,
            key: host.ids.fresh(),
            number: Cell::default(),
            current: RefCell::default(),
            news: Rc::default(),
            busy_until: Cell::default(),
            host,
        });
        tokio::task::spawn_local(Self::keep_judging(Rc::downgrade(&watcher), Rc::clone(&watcher.news)));
        let shared: Rc<dyn ClientWatcher> = Rc::<Self>::clone(&watcher);
        served.watcher = Some(shared);
        watcher
    }

    /// Judges what is received, beside the answers: a row at a time, between which clients are answered, and not all the time.
    async fn keep_judging(watcher: Weak<Self>, news: Rc<Notify>) {
        loop {
            news.notified().await;
            let mut took = Duration::ZERO;
            loop {
                let Some(watcher) = watcher.upgrade() else { return };
                let begun = Instant::now();
                let current = watcher.current.borrow().as_ref().map(|current| Rc::clone(&current.watch));
                let has_judged = current.is_some_and(|watch| watch.borrow_mut().judge_one());
                took += begun.elapsed();
                if !has_judged {
                    break;
                }
                tokio::task::yield_now().await;
            }
            tokio::time::sleep((took * PAUSES).max(SHORTEST_PAUSE)).await;
        }
    }

    /// Where a page sees what was found: on this machine, and from elsewhere.
    pub(super) fn links(&self) -> String {
        let link = Link { watch: Some(self.address.clone()), ..Link::default() };
        format!(
            "watch live at http://{PAGE_ADDRESS}/#{} while `a2a-conformance serve` runs\nfrom a page elsewhere at {}/_watch/{}",
            link.fragment(),
            self.address,
            self.key
        )
    }

    /// Ends the watch, writes the report, and says how it went.
    pub(super) fn report(&self, args: &WatchArgs) -> Exit {
        self.begin_unless_begun();
        let report = {
            let current = self.current.borrow();
            let Some(current) = current.as_ref() else { return Exit::Incomplete };
            current.recorder.flush();
            current.watch.borrow_mut().finish(self.host.clock.now_ms() - current.started_ms);
            current.builder.borrow().report()
        };
        let is_written = write(&report, args, String::new);
        exit(&report, args.fail_on).unless_unwritten(is_written)
    }

    /// Begins to judge, if that has not begun.
    pub(super) fn begin_unless_begun(&self) {
        if self.current.borrow().is_none() {
            self.begin_anew();
        }
    }
}

impl CurrentWatch {
    fn new(watcher: &Watcher) -> Self {
        let host = &watcher.host;
        let (builder, apply) = collected();
        let is_told = watcher.is_told;
        let emit = Rc::new(move |event: Event| {
            if let Some(line) = finding(&event).filter(|_| is_told) {
                out::stderr_line(&line);
            }
            apply(event);
        });
        let watch = ClientWatch::new(&watcher.address, host.clock.wall_ms(), &watcher.cards, emit);
        let watch = Rc::new(RefCell::new(watch));
        let received = Rc::new(Cell::new(0));
        let recorder = {
            let (watch, count, news) = (Rc::clone(&watch), Rc::clone(&received), Rc::clone(&watcher.news));
            ExchangeRecorder::in_situations(Rc::clone(&host.clock), watcher.situations.clone(), move |received| {
                watch.borrow_mut().receive(received);
                count.set(count.get() + 1);
                news.notify_one();
            })
        };
        Self { started_ms: host.clock.now_ms(), recorder, watch, builder, received }
    }
}

impl ClientWatcher for Watcher {
    fn recorder(&self) -> Option<ExchangeRecorder> {
        self.current.borrow().as_ref().map(|current| current.recorder.clone())
    }

    fn findings(&self, known: &str) -> Option<(String, String)> {
        self.begin_unless_begun();
        let current = self.current.borrow();
        let current = current.as_ref()?;
        let mark = format!("{}-{}", self.number.get(), current.received.get());
        let begun = Instant::now();
        // What a page does not know yet is asked for again.
        if mark == known || self.busy_until.get().is_some_and(|until| begun < until && !known.is_empty()) {
            return None;
        }
        current.watch.borrow_mut().judge();
        // As if it ended now.
        let mut builder = current.builder.borrow().clone();
        let (tally, duration_ms) = (builder.tally(), self.host.clock.now_ms() - current.started_ms);
        builder.apply(&Event::Finished { completion: Completion::Watched, tally, cause: None, duration_ms });
        let report = write_report(&builder.report(), Format::Json);
        self.busy_until.set(Some(begun + begun.elapsed() * PAUSES));
        Some((mark, report))
    }

    fn begin_anew(&self) {
        self.number.set(self.number.get() + 1);
        self.busy_until.set(None);
        self.current.replace(Some(CurrentWatch::new(self)));
    }

    fn key(&self) -> &str {
        &self.key
    }
}

/// Ends after so many seconds, or when the user stops it.
pub(super) async fn ended(seconds: Option<f64>) {
    match seconds {
        Some(seconds) => drop(tokio::time::timeout(Duration::from_secs_f64(seconds), stopped()).await),
        None => stopped().await,
    }
}

/// A line on a finding that was just made.
fn finding(event: &Event) -> Option<String> {
    let Event::Judged { result, .. } = event else { return None };
    let kind = match (result.verdict.outcome, result.level) {
        (Outcome::Fail, Level::Must) => "fail",
        (Outcome::Fail, _) => "suggestion",
        (Outcome::Note, _) => "note",
        _ => return None,
    };
    let check = result.row.check;
    let lane = result.row.lane.as_ref().map_or_else(String::new, |lane| format!(" ({})", lane_name(&lane.id)));
    Some(format!("{kind} [{}]{lane}: {}: {}", check.id, check.title, result.verdict.message))
}
