//! Judges a HAR file offline: its card as a card by itself, and of the answers of JSON-RPC interfaces what each shows alone; which
//! checks do so, and how credentials are masked. Nothing is sent. What needs a conversation is not observed, and so is everything
//! that is not clearly a call of A2A and its whole answer: the agent is not blamed for other traffic of the same site.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::har_file::{self, HarFile};
use super::opened_report::members_of_card;
use super::run_record::RunRecord;
use crate::a2a::binding::{Binding, ReplyKind, SentCall};
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::Operation;
use crate::engine::catch_panic::catch_panic;
use crate::engine::check::Scenario;
use crate::engine::event::{CheckResult, Completion, Event, Row, Tally};
use crate::engine::options::{Options, Source};
use crate::engine::requirement::Level;
use crate::engine::run::run;
use crate::engine::run_settings::RunSettings;
use crate::engine::transcript::{Lane, RunFacts, Step, Transcript};
use crate::engine::verdict::{Outcome, Verdict};
use crate::host::{Host, StreamedResponse, Transport, Visibility};
use crate::report::{Environment, tool};
use crate::suite;
use crate::view_model::messages::{CheckerMessage, Opened, Opening};
use crate::view_model::past_runs::{self, PastRun};
use crate::wire::exchange::{End, Exchange, TransportError, TransportErrorKind};
use crate::wire::http::{Method, Request};
use crate::wire::json::parse;
use crate::wire::order;
use crate::wire::redact::Redactor;
use crate::wire::url::Url;

/// The scenarios whose checks judge each answer by itself.
const PASSIVE: [&str; 2] = ["envelope", "formats"];
/// Their checks that need more than a file shows: the time that passed, every header field, the bytes before they became a text, or all
/// that was ever sent.
const NEED_MORE: [&str; 6] = [
    "transport.answers",
    "transport.utf8-json",
    "transport.hsts",
    "error.rate-limit",
    "jsonrpc.response-object",
    "send.task-ids-unique",
];
/// A run of ours makes this mistake on purpose, and an agent may send it back: in a file of ours it is not the agent's.
const PLANTED: [&str; 1] = ["enum.role"];
/// The binding that is judged: its calls name themselves.
const JSON_RPC: &str = "JSONRPC";
/// Of what is not judged.
const NOT_OBSERVED: &str =
    "a HAR file does not show this: it needs a conversation with the agent, or more than was recorded";
/// How such a run ends.
const ENDING: &str = "a HAR file was judged, and no agent was called; what needs a conversation is not observed";
/// How long a credential is at least that is masked wherever it stands: a shorter one may be a word that agents use as well.
const SHORTEST_TOKEN: usize = 16;

/// A transport that reaches nobody.
struct Nowhere;

impl Transport for Nowhere {
    fn send(&self, _: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let detail = "nothing is sent while a file is judged".to_owned();
        async { Err(TransportError { kind: TransportErrorKind::Other, detail }) }.boxed_local()
    }
}

/// Judges a text if it is a HAR file; `None` for anything else.
pub async fn open_har(
    text: &str,
    host: Host,
    environment: Environment,
) -> Option<Result<(RunRecord, Opening), String>> {
    if !har_file::is_har(text) {
        return None;
    }
    let file = match har_file::read(text) {
        Ok(file) => file,
        Err(problem) => return Some(Err(problem)),
    };
    let creator = file.creator.clone();
    let (events, tally, duration_ms) = events(file, host).await;
    let mut record = RunRecord::new(environment, None);
    let messages: Vec<CheckerMessage> = events.iter().filter_map(|event| record.apply(event)).collect();
    let report = record.report();
    let made_by = format!("{}, from a HAR file of {creator}", past_runs::made_by(&report));
    let opened = Opened { past: PastRun::from_report(&report), made_by, messages, tally, duration_ms };
    Some(Ok((record, Opening::Report(Box::new(opened)))))
}

/// The events that a run would have emitted.
async fn events(mut file: HarFile, host: Host) -> (Vec<Event>, Tally, f64) {
    let is_ours = file.creator.starts_with(tool::TOOL);
    let card = file.exchanges.iter().position(is_card);
    let told = match card.and_then(|at| file.exchanges.get(at)) {
        Some(exchange) => judge_card(exchange, host).await,
        None => without_card(&file.exchanges),
    };
    // The run gave the card's exchange the first number.
    if let Some(exchange) = card.and_then(|at| file.exchanges.get_mut(at)) {
        exchange.id = 1;
    }
    let lanes = told.iter().find_map(|event| if let Event::Lanes(lanes) = event { Some(lanes.clone()) } else { None });
    let lanes: Vec<Rc<Lane>> = lanes.unwrap_or_default();
    let steps = assign(&mut file.exchanges, &lanes);
    let redactor = redactor(&file.exchanges);
    let mut events = Vec::new();
    let mut tally = Tally::default();
    for event in told {
        match event {
            Event::Started { address, settings, .. } => {
                events.push(Event::Started { address, wall_ms: file.started_ms, settings });
                for exchange in &file.exchanges {
                    events.push(Event::Exchanged(Rc::new(masked(exchange.clone(), &redactor))));
                }
            }
            // In its place stands that of the file.
            Event::Exchanged(_) | Event::Finished { .. } => {}
            Event::Planned { rows, .. } => {
                tally.total += u32::try_from(rows.len()).unwrap_or(u32::MAX);
                events.push(Event::Planned { rows, messages: 0 });
            }
            Event::Judged { result, .. } => {
                let result = again(&result, &steps, is_ours, &redactor);
                tally.count(result.verdict.outcome, result.level);
                events.push(Event::Judged { result: Rc::new(result), tally });
            }
            other => events.push(other),
        }
    }
    let (completion, duration_ms) = (Completion::Incomplete(ENDING.to_owned()), file.duration_ms);
    events.push(Event::Finished { completion, tally, cause: None, duration_ms });
    (events, tally, duration_ms)
}

/// Whether it is an agent card that was fetched: by its place and its members.
fn is_card(exchange: &Exchange) -> bool {
    let Some(response) = exchange.response.as_ref().filter(|response| response.status == 200) else { return false };
    let path = exchange.request.url.split('?').next().unwrap_or_default();
    if exchange.request.method != Method::Get || exchange.end != End::Complete || !path.ends_with(".json") {
        return false;
    }
    members_of_card(&parse(&response.body).value.unwrap_or_default()) > 3
}

/// The events of a run of the card alone.
async fn judge_card(exchange: &Exchange, host: Host) -> Vec<Event> {
    let bytes = exchange.response.as_ref().map(|response| response.body.clone()).unwrap_or_default();
    let address = exchange.request.url.split('?').next().unwrap_or_default().to_owned();
    let options = Options { address, source: Source::Card(bytes), ..Options::default() };
    let host = Host { transport: Rc::new(Nowhere), prober: None, visibility: Visibility::FULL, ..host };
    let told = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&told);
    run(host, suite::AREAS, options, Rc::new(move |event| sink.borrow_mut().push(event))).await;
    told.take()
}

/// Without a card, only calls that name 1.0 themselves are certain to be of A2A, and of which version.
fn without_card(exchanges: &[Exchange]) -> Vec<Event> {
    let newest = DIALECTS.first().copied();
    let is_certain = |exchange: &&Exchange| {
        let names = newest.and_then(|dialect| Some((dialect, dialect.version_header?)));
        names.is_some_and(|(dialect, header)| {
            call(exchange, dialect).is_some() && exchange.request.headers.get(header) == Some(dialect.version)
        })
    };
    let found = exchanges.iter().find(is_certain);
    let address = found.or(exchanges.first()).map(|exchange| exchange.request.url.clone()).unwrap_or_default();
    let address = Url::parse(&address).map(|url| url.origin()).unwrap_or_default();
    let settings = Box::new(RunSettings::from_options(&Options::default()));
    let mut events = vec![Event::Started { address, wall_ms: 0.0, settings }];
    let lane = found
        .and_then(|exchange| Some(Lane::undeclared(Binding::named(JSON_RPC)?, newest?, plain(&exchange.request.url))));
    if let Some(lane) = lane {
        let rows: Vec<Row> = suite::declarations()
            .filter(|(_, scenario, _)| PASSIVE.contains(&scenario.id))
            .filter(|(_, _, check)| check.applies(lane.dialect.version, Some(lane.binding.slug)))
            .map(|(area, scenario, check)| {
                let version = lane.dialect.version;
                Row { check, scenario, area, lane: Some(Rc::clone(&lane)), version }
            })
            .collect();
        events.push(Event::Lanes(vec![lane]));
        events.push(Event::Planned { rows: rows.clone(), messages: 0 });
        for row in rows {
            let (level, verdict) = (row.level(), Verdict::not_observable(NOT_OBSERVED));
            let result = Rc::new(CheckResult { row, verdict, level, duration_ms: 0.0 });
            events.push(Event::Judged { result, tally: Tally::default() });
        }
    }
    events
}

/// A URL without what does not tell interfaces apart.
fn plain(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

/// The operation that was called, if the body is a well-formed JSON-RPC request of a method of that version.
fn call(exchange: &Exchange, dialect: &Dialect) -> Option<SentCall> {
    if exchange.request.method != Method::Post {
        return None;
    }
    let request = parse(exchange.request.body.as_deref()?).value?;
    let id = request.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64())?.clone();
    let method = request.get("method")?.as_str()?;
    if request.get("jsonrpc")?.as_str()? != "2.0" {
        return None;
    }
    let operation: Operation = dialect.methods.iter().find(|(_, known)| *known == method).map(|(known, _)| *known)?;
    let params = request.get("params").filter(|params| params.is_object()).cloned();
    Some(SentCall { operation: Some(operation), id: Some(id), params, ..SentCall::default() })
}

/// Whether an answer is one of JSON-RPC, and the file holds all of it.
fn is_answer(exchange: &Exchange) -> bool {
    let Some(response) = &exchange.response else { return false };
    let speaks = |bytes: &[u8]| {
        let value = parse(bytes).value.unwrap_or_default();
        // A gateway before the agent has errors of its own form.
        let is_of_agent = response.status == 200 || value.get("jsonrpc").is_some();
        is_of_agent && (value.get("result").is_some() || value.get("error").is_some_and(|error| error.is_object()))
    };
    match exchange.end {
        End::Complete => speaks(&response.body),
        End::HungUp => response.frames.first().is_some_and(|timed| speaks(timed.frame.data.as_bytes())),
        _ => false,
    }
}

/// The steps of each lane. The exchanges learn which lane they are of, and what was called, whether they can be judged or not.
fn assign(exchanges: &mut [Exchange], lanes: &[Rc<Lane>]) -> Vec<(String, Vec<Rc<Step>>)> {
    let mut steps: Vec<(String, Vec<Rc<Step>>)> = lanes.iter().map(|lane| (lane.id.clone(), Vec::new())).collect();
    for exchange in exchanges {
        let fits = |lane: &&Rc<Lane>| {
            let is_there = plain(&exchange.request.url) == plain(&lane.interface.url);
            // Without the header a call is of an older version (1.0 §3.6.2).
            let header = lane.dialect.version_header;
            let names = header.map(|header| exchange.request.headers.get(header) == Some(lane.dialect.version));
            lane.binding.id == JSON_RPC && is_there && names.unwrap_or(true)
        };
        let mut fitting = lanes.iter().filter(fits).filter_map(|lane| Some((lane, call(exchange, lane.dialect)?)));
        // When two versions have the same name for an operation, nothing says which was meant.
        let (Some((lane, sent)), None) = (fitting.next(), fitting.next()) else { continue };
        exchange.lane = Some(lane.id.clone());
        exchange.step =
            sent.operation.and_then(|operation| lane.dialect.method(operation)).unwrap_or_default().to_owned();
        if !is_answer(exchange) {
            continue;
        }
        let reply = lane.binding.reply(lane.dialect, &sent, exchange);
        if matches!(reply.kind, ReplyKind::Unreadable(_) | ReplyKind::NoAnswer(_) | ReplyKind::Unavailable(_)) {
            continue;
        }
        let step = Rc::new(Step { name: "recorded", exchange: Rc::new(exchange.clone()), sent, reply });
        if let Some((_, steps)) = steps.iter_mut().find(|(id, _)| *id == lane.id) {
            steps.push(step);
        }
    }
    steps
}

/// The result of a row by what the file shows.
fn again(result: &CheckResult, steps: &[(String, Vec<Rc<Step>>)], is_ours: bool, redactor: &Redactor) -> CheckResult {
    let row = &result.row;
    let of_lane = row.lane.as_ref().and_then(|lane| steps.iter().find(|(id, _)| *id == lane.id));
    let mut verdict = match (&row.lane, of_lane) {
        (None, _) if result.verdict.outcome != Outcome::NotObservable => result.verdict.clone(),
        (Some(lane), Some((_, steps))) if !steps.is_empty() && is_passive(row.scenario, row.check.id, is_ours) => {
            judged(row, lane, steps)
        }
        _ => Verdict::not_observable(NOT_OBSERVED),
    };
    verdict.message = redactor.text(&verdict.message);
    verdict.expected = verdict.expected.take().map(|text| redactor.text(&text));
    verdict.actual = verdict.actual.take().map(|text| redactor.text(&text));
    // A check of level may never fails: it notes.
    if result.level == Level::May && verdict.outcome == Outcome::Fail {
        verdict.outcome = Outcome::Note;
    }
    CheckResult { row: row.clone(), verdict, level: result.level, duration_ms: 0.0 }
}

fn is_passive(scenario: &Scenario, check: &str, is_ours: bool) -> bool {
    PASSIVE.contains(&scenario.id) && !NEED_MORE.contains(&check) && !(is_ours && PLANTED.contains(&check))
}

fn judged(row: &Row, lane: &Rc<Lane>, steps: &[Rc<Step>]) -> Verdict {
    let (visibility, version) = (Visibility::PAGE, lane.dialect.version);
    let facts = RunFacts { visibility, version, without_card: true, ..RunFacts::default() };
    let transcript =
        Transcript { steps: steps.to_vec(), ..Transcript::without_steps(row.scenario.id, Some(lane), &Rc::new(facts)) };
    let judge = || match (row.check.judge)(&transcript) {
        Ok(verdict) | Err(verdict) => verdict,
    };
    let verdict = catch_panic(judge, || Verdict::harness_error("the check failed because of a bug in this checker"));
    match verdict.outcome {
        Outcome::Pass | Outcome::Note | Outcome::Fail | Outcome::HarnessError => verdict,
        // That a file shows none says nothing of the agent.
        _ => Verdict::not_observable(NOT_OBSERVED),
    }
}

/// Whether a header's value, or a parameter's, is a secret more often than not.
fn is_secret(name: &str) -> bool {
    const WORDS: [&str; 8] = ["authorization", "cookie", "token", "secret", "password", "api-key", "apikey", "api_key"];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Masks the credentials of the requests wherever they stand. Short ones may be words that agents use as well.
fn redactor(exchanges: &[Exchange]) -> Redactor {
    let fields = exchanges.iter().flat_map(|exchange| exchange.request.headers.iter());
    let secrets = fields.filter(|(name, value)| is_secret(name) && value.len() >= SHORTEST_TOKEN);
    let mut secrets: Vec<(String, String)> = secrets.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    order::sort_by(&mut secrets, Ord::cmp);
    secrets.dedup();
    Redactor::for_headers(&secrets)
}

/// The exchange as it is shown and written into files.
fn masked(mut exchange: Exchange, redactor: &Redactor) -> Exchange {
    const MASKED: &str = "[masked]";
    redactor.exchange(&mut exchange);
    let answered = exchange.response.iter_mut().flat_map(|response| response.headers.fields_mut());
    for (name, value) in exchange.request.headers.fields_mut().chain(answered) {
        if is_secret(name) {
            MASKED.clone_into(value);
        }
    }
    if let Some((path, query)) = exchange.request.url.split_once('?') {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if is_secret(name) => format!("{name}={MASKED}"),
            _ => pair.to_owned(),
        });
        exchange.request.url = format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"));
        if let Some(response) = &mut exchange.response {
            response.url.clone_from(&exchange.request.url);
        }
    }
    exchange
}
