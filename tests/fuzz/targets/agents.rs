//! A whole run against the scripted agent whose answers are changed on their way, and what must hold of any such run.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FaultId, Faults};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::event::{CheckResult, Completion, Event, Tally};
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::engine::run::run;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::native::RingVerifier;
use a2a_conformance::host::virtual_clock::VirtualClock;
use a2a_conformance::host::{Clock, Host, IdSource, Transport, Visibility};
use a2a_conformance::report::{Environment, Format, Report, ReportBuilder, read, write_or_raw, write_whole};
use a2a_conformance::suite;
use serde_json::Value;

use super::webhook_double::{Delivering, PUBLIC, WebhookDouble};

/// The most requests of a run: several times what a thorough one sends to the scripted agent on all its lanes.
const MOST_EXCHANGES: usize = 20_000;

/// The most bytes of a report.
const MOST_BYTES: usize = 64 << 20;

/// Puts a transport before another.
pub(crate) type Change = Box<dyn FnOnce(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport>>;

/// An agent, and how it is checked.
#[derive(Default)]
pub(crate) struct Setting {
    /// The path of its version.
    pub(crate) at: &'static str,
    /// What it is, and what is wrong with it.
    pub(crate) faults: Vec<&'static str>,
    /// What the ids that it makes look like: `{}` is where they differ.
    pub(crate) id_form: &'static str,
    /// How it is checked.
    pub(crate) options: Options,
    /// What happens to its answers.
    pub(crate) change: Option<Change>,
}

/// A run.
pub(crate) struct Checked {
    pub(crate) results: Vec<Rc<CheckResult>>,
    pub(crate) report: Report,
    completion: Option<Completion>,
    exchanges: usize,
    duration_ms: f64,
    most_ms: f64,
}

/// Ids that count, in some form.
struct Ids(Cell<u64>, &'static str);

impl IdSource for Ids {
    fn fresh(&self) -> String {
        self.0.set(self.0.get() + 1);
        let id = format!("00000000-0000-4000-8000-{:012}", self.0.get());
        if self.1.is_empty() { id } else { self.1.replace("{}", &id) }
    }
}

/// Checks the agent of a setting, in jumping time.
pub(crate) fn check(setting: Setting) -> Checked {
    let Setting { at, faults, id_form, options, change } = setting;
    let clock = VirtualClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let faults = Faults::parse(faults).expect("known faults");
    let base = if faults.has(FaultId::Https) { "https://agent.example.com" } else { "http://agent.test" };
    let mut options = Options { address: format!("{base}{at}"), ..options };
    options.headers.extend(faults.credentials());
    options.second = FixedCredentials { headers: faults.second_credentials(), query: Vec::new() };
    let ids = Rc::new(Ids(Cell::new(1_000_000), id_form));
    let agent = ScriptedAgent::new(base, Rc::clone(&shared), ids, faults);
    let webhooks = Rc::new(WebhookDouble::of(&agent, Rc::clone(&shared), PUBLIC, true));
    let agent: Rc<dyn Transport> = Rc::new(Loopback::new(agent));
    let inner = match change {
        Some(change) => change(agent, Rc::clone(&shared)),
        None => agent,
    };
    let host = Host {
        transport: Rc::new(Delivering { inner, webhooks: Rc::clone(&webhooks) }),
        clock: shared,
        ids: Rc::new(Ids(Cell::new(0), "")),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: Some(webhooks),
        beacon: None,
    };
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&events);
    let most_ms = options.timeouts.run_ms + options.timeout_ms + 60_000.0;
    let areas = suite::areas_for(&options);
    clock.block_on(run(host, areas, options, Rc::new(move |event| sink.borrow_mut().push(event))));
    let mut builder = ReportBuilder::new(Environment::default());
    let mut results = Vec::new();
    let (mut exchanges, mut completion, mut ended_ms) = (0, None, 0.0);
    for event in events.take() {
        builder.apply(&event);
        match event {
            Event::Judged { result, .. } => results.push(result),
            Event::Exchanged(_) => exchanges += 1,
            Event::Finished { completion: how, duration_ms, .. } => (completion, ended_ms) = (Some(how), duration_ms),
            _ => {}
        }
    }
    Checked { results, report: builder.report(), completion, exchanges, duration_ms: ended_ms, most_ms }
}

/// What holds of a run whatever an agent answers: it ends, within its limits, without a fault of ours, with a report that every
/// format has and that none of these secrets is in.
pub(crate) fn judged_well(checked: &Checked, secrets: &[&str]) {
    assert!(checked.completion.is_some(), "a run without an end");
    assert!(checked.duration_ms <= checked.most_ms, "a run of {} ms", checked.duration_ms);
    assert!(checked.exchanges <= MOST_EXCHANGES, "{} exchanges", checked.exchanges);
    for result in &checked.results {
        let key = result.row.key();
        assert_ne!(result.verdict.outcome, Outcome::HarnessError, "{key}: {}", result.verdict.message);
        let is_pass = result.verdict.outcome == Outcome::Pass;
        assert!(is_pass || !result.verdict.message.is_empty(), "{key}, {:?}, says nothing", result.verdict.outcome);
    }
    let report = &checked.report;
    let tally = report.tally;
    assert_eq!(tally.passed + tally.failed + tally.skipped, tally.total);
    for format in Format::ALL {
        let written = write_or_raw(report, format);
        assert_eq!(written.fallback, None);
        assert!(written.text.len() <= MOST_BYTES, "{format:?} of {} bytes", written.text.len());
        for secret in secrets {
            assert!(!written.text.contains(secret), "{secret} in {format:?}: {}", around(&written.text, secret));
        }
        match format {
            Format::Json | Format::Ctrf | Format::Har => {
                serde_json::from_str::<Value>(&written.text).expect("JSON");
            }
            Format::JUnit | Format::Badge => {
                let is_no_xml = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{80}'..='\u{9f}');
                assert!(!written.text.contains(is_no_xml), "a character that XML cannot have");
            }
            _ => {}
        }
        if format == Format::Json {
            reads_back(report, &written.text);
        }
    }
    reads_back(report, &write_whole(report));
}

fn reads_back(report: &Report, text: &str) {
    let file = read(text, suite::declaration).expect("a report that was written");
    assert_eq!(file.unknown, None);
    assert_eq!(file.report.results.len(), report.results.len());
    for (read, written) in file.report.results.iter().zip(&report.results) {
        assert_eq!((read.key(), read.outcome, read.level), (written.key(), written.outcome, written.level));
    }
    // A file says neither how many messages were sent nor which rows the run came to itself.
    let tally = Tally { messages: 0, judged: file.report.tally.judged, ..report.tally };
    assert_eq!((file.report.tally, file.report.word), (tally, report.word));
}

fn around<'a>(text: &'a str, secret: &str) -> &'a str {
    let at = text.find(secret).unwrap_or_default();
    let place = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    &text[place(at.saturating_sub(200))..place((at + 200).min(text.len()))]
}
