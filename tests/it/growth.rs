//! Agents that choose how much there is of everything: each thing grows by ten until a bound, and what a run of it costs stays on a line.
//! Time is that of the processor, memory that of a process of its own, so that nothing else on the machine counts.

mod answers;
mod bounds;
mod cards;

use std::cell::Cell;
use std::process::Command;
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::{Format, write};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Headers, Request};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Map, Value};

use crate::support::{check_on, host, report_of};

/// The most that a run may take of the processor, in milliseconds, with all formats of its report: many times what any takes here.
const MOST_MS: f64 = 10_000.0;
/// The most memory that it may take, with the scripted agent in the same process.
const MOST_KB: u64 = 400 * 1024;
/// The longest report, in bytes, and the longest HTTP archive, in which bodies and fields are whole.
const LONGEST_REPORT: usize = 24 << 20;
const LONGEST_ARCHIVE: usize = 96 << 20;
/// How many times as much ten times as much may take, and from where on that counts, in milliseconds.
const STEEPEST: f64 = 30.0;
const LEAST_MS: f64 = 400.0;

/// What of an agent grows.
#[derive(Clone, Copy)]
enum Part {
    /// Its card.
    Card(fn(&mut Value, usize)),
    /// Every task in the results of calls, those in streams too.
    Tasks(fn(&mut Map<String, Value>, usize)),
    /// The results of calls.
    Results(fn(&Request, &mut Value, usize)),
    /// The text of its answers to these methods, or without any of its card.
    Text(&'static [&'static str], fn(String, usize) -> String),
    /// The events of its streams.
    Events(fn(&str, usize) -> String),
    /// The header fields of its answers.
    Fields(fn(&mut Headers, usize)),
    /// The bytes of its answers over gRPC.
    Bytes(fn(&str, Vec<u8>, usize) -> Vec<u8>),
}

/// A thing of which an agent has as many as it likes.
struct Dimension {
    name: &'static str,
    part: Part,
    sizes: &'static [usize],
    faults: &'static [&'static str],
    options: fn(Options) -> Options,
    /// Words of the report by which it tells the limit that the greatest number exceeds; empty where nothing is left out.
    told: &'static str,
}

impl Dimension {
    fn new(name: &'static str, sizes: &'static [usize], part: Part) -> Self {
        Self { name, part, sizes, faults: &[], options: |options| options, told: "" }
    }

    fn told(self, told: &'static str) -> Self {
        Self { told, ..self }
    }

    fn with(self, options: fn(Options) -> Options) -> Self {
        Self { options, ..self }
    }

    fn of(self, faults: &'static [&'static str]) -> Self {
        Self { faults, ..self }
    }
}

const TO_1K: &[usize] = &[10, 100, 1_000];
const TO_10K: &[usize] = &[100, 1_000, 10_000];
const TO_100K: &[usize] = &[1_000, 10_000, 100_000];
const TO_1M: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];

fn list(size: usize, of: impl Fn(usize) -> Value) -> Value {
    (0..size).map(of).collect()
}

fn map(size: usize, of: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..size).map(|at| (format!("m{at}"), of(at))).collect())
}

/// Calls `change` on every task of a result.
fn every_task(value: &mut Value, change: &dyn Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(|member| every_task(member, change));
            if map.contains_key("status") && map.contains_key("id") {
                change(map);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|element| every_task(element, change)),
        _ => {}
    }
}

fn is_card(request: &Request) -> bool {
    request.url.contains("/.well-known/")
}

/// The method that a request over JSON-RPC calls.
fn method(request: &Request) -> String {
    let body: Value = request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
    body["method"].as_str().unwrap_or_default().to_owned()
}

/// The agent, of which a part has grown.
struct Grown {
    agent: Rc<dyn Transport>,
    part: Part,
    size: usize,
    times: Rc<Cell<usize>>,
}

/// Changes a document if it is the part that grows.
fn grow(document: &mut Value, request: &Request, part: Part, size: usize) -> bool {
    match part {
        Part::Card(grow) if is_card(request) && document.is_object() => grow(document, size),
        Part::Tasks(grow) if !is_card(request) && document.get("result").is_some() => {
            every_task(document, &|task| grow(task, size));
        }
        Part::Results(grow) if !is_card(request) && document.get("result").is_some() => {
            grow(request, &mut document["result"], size);
        }
        _ => return false,
    }
    true
}

/// The same for the text of a body.
fn grow_text(text: Vec<u8>, request: &Request, part: Part, size: usize) -> Option<Vec<u8>> {
    match part {
        Part::Text(methods, grow) => {
            let method = method(request);
            let is_it = if methods.is_empty() { is_card(request) } else { methods.contains(&method.as_str()) };
            is_it.then(|| grow(String::from_utf8(text).unwrap(), size).into_bytes())
        }
        Part::Bytes(grow) => (!is_card(request)).then(|| grow(&request.url, text, size)),
        _ => {
            let mut document = serde_json::from_slice(&text).ok()?;
            grow(&mut document, request, part, size).then(|| document.to_string().into_bytes())
        }
    }
}

/// The same for the events of a chunk.
fn grow_events(text: &str, request: &Request, part: Part, size: usize) -> String {
    if let Part::Events(grow) = part {
        return grow(text, size);
    }
    let line = |line: &str| {
        let mut document = line.strip_prefix("data:").and_then(|data| serde_json::from_str(data.trim()).ok());
        let is_grown = document.as_mut().is_some_and(|document| grow(document, request, part, size));
        document.filter(|_| is_grown).map_or_else(|| line.to_owned(), |document| format!("data: {document}"))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

impl Transport for Grown {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (part, size, times) = (self.part, self.size, Rc::clone(&self.times));
        let sent = self.agent.send(request.clone());
        async move {
            let mut answer = sent.await?;
            if let Part::Fields(grow) = part {
                times.set(times.get() + 1);
                grow(&mut answer.head.headers, size);
                return Ok(answer);
            }
            if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                let chunks = answer.body.map(move |chunk| {
                    let text = String::from_utf8(chunk?).unwrap();
                    let grown = grow_events(&text, &request, part, size);
                    times.set(times.get() + usize::from(grown != text));
                    Ok(grown.into_bytes())
                });
                return Ok(StreamedResponse { head: answer.head, body: chunks.boxed_local() });
            }
            let body: Vec<Vec<u8>> = answer.body.map(Result::unwrap).collect().await;
            let body = body.concat();
            let grown = grow_text(body.clone(), &request, part, size);
            times.set(times.get() + usize::from(grown.is_some()));
            // As sockets hand them over.
            let body = grown.unwrap_or(body);
            let chunks: Vec<_> = body.chunks(64 * 1024).map(|chunk| Ok(chunk.to_vec())).collect();
            Ok(StreamedResponse { head: answer.head, body: iter(chunks).boxed_local() })
        }
        .boxed_local()
    }
}

/// What a run cost.
#[derive(Debug)]
struct Cost {
    ms: f64,
    peak_kb: u64,
    /// The length of its longest report.
    bytes: usize,
    rows: usize,
    requests: usize,
}

/// How long this thread had the processor, where that can be told.
fn on_processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e6
}

/// The most memory that this process ever had, where that can be told.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// Checks the agent and writes every report.
fn run(dimension: &Dimension, size: usize) -> Cost {
    let (plain, clock) = host(dimension.faults);
    let times = Rc::new(Cell::new(0));
    let agent = Rc::clone(&plain.transport);
    let transport = Rc::new(Grown { agent, part: dimension.part, size, times: Rc::clone(&times) });
    let options = (dimension.options)(Options { first_interface_only: true, ..Options::default() });
    let begun = on_processor_ms();
    let told = check_on(Host { transport, ..plain }, &clock, options);
    let report = report_of(&told);
    let written = Format::ALL.map(|format| write(&report, format));
    let ms = on_processor_ms() - begun;
    assert!(times.get() > 0, "{}: nothing has grown", dimension.name);
    if Some(&size) == dimension.sizes.last() {
        let is_told = written[0].contains(dimension.told);
        assert!(is_told, "{}: {:?} is not told: {:?}", dimension.name, dimension.told, told.completion);
    }
    let lengths = Format::ALL.iter().zip(&written).map(|(format, text)| (*format == Format::Har, text.len()));
    let (archives, reports): (Vec<_>, Vec<_>) = lengths.partition(|(is_archive, _)| *is_archive);
    assert!(archives[0].1 < LONGEST_ARCHIVE, "{}: an archive of {} bytes", dimension.name, archives[0].1);
    let bytes = reports.into_iter().map(|(_, length)| length).max().unwrap();
    Cost { ms, peak_kb: peak_kb(), bytes, rows: told.results.len(), requests: told.exchanges.len() }
}

fn all() -> Vec<Dimension> {
    let mut all = cards::dimensions();
    all.extend(answers::dimensions());
    all
}

/// The variable by which a process is told which run it is to make.
const ONE_RUN: &str = "A2A_GROWTH_RUN";

/// One run, which [`cost`] makes in a process of its own. Among the other tests it is that of the agent as it is.
#[test]
fn an_agent_that_grows_by_nothing_costs_little() {
    let wanted = std::env::var(ONE_RUN).unwrap_or_else(|_| "skills 10".to_owned());
    let (name, size) = wanted.split_once(' ').unwrap();
    let dimension = all().into_iter().find(|dimension| dimension.name == name).unwrap();
    let Cost { ms, peak_kb, bytes, rows, requests } = run(&dimension, size.parse().unwrap());
    assert!(ms < MOST_MS && bytes < LONGEST_REPORT && rows > 20, "{ms} ms, {bytes} bytes, {rows} rows");
    println!("\ncost {ms} {peak_kb} {bytes} {rows} {requests}");
}

/// The cost of a run in a process of its own, or what it said instead.
fn cost(dimension: &Dimension, size: usize) -> Result<Cost, String> {
    let test = module_path!().split_once("::").unwrap().1;
    let test = format!("{test}::an_agent_that_grows_by_nothing_costs_little");
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args([&test, "--exact", "--nocapture"]).env(ONE_RUN, format!("{} {size}", dimension.name));
    let output = program.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = || format!("{} {size}: {text}{}", dimension.name, String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find_map(|line| line.strip_prefix("cost ")).ok_or_else(said)?;
    let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
    let whole = |at: usize| numbers[at] as usize;
    Ok(Cost { ms: numbers[0], peak_kb: whole(1) as u64, bytes: whole(2), rows: whole(3), requests: whole(4) })
}

/// What is wrong with the costs of a thing that grows.
fn problems(dimension: &Dimension) -> Vec<String> {
    let mut problems = Vec::new();
    let mut before: Option<Cost> = None;
    for size in dimension.sizes {
        let cost = match cost(dimension, *size) {
            Ok(cost) => cost,
            Err(said) => {
                problems.push(said);
                break;
            }
        };
        println!("{} {size}: {cost:?}", dimension.name);
        let mut line = |holds: bool, what: &str| {
            if !holds {
                problems.push(format!("{} {size}: {what}: {cost:?}, after {before:?}", dimension.name));
            }
        };
        line(cost.ms < MOST_MS, "takes too long");
        line(cost.peak_kb < MOST_KB, "takes too much memory");
        line(cost.bytes < LONGEST_REPORT, "makes too long a report");
        if let Some(before) = &before {
            line(cost.ms < LEAST_MS || cost.ms < before.ms * STEEPEST, "takes far more than ten times as long");
            line(cost.rows <= before.rows.max(20) * 2, "makes more rows");
            line(cost.requests <= before.requests.max(20) * 2, "makes more requests");
        }
        before = Some(cost);
    }
    problems
}

/// Holds every third of the things to the line: three tests run side by side.
fn hold(third: usize) {
    let own = all().into_iter().enumerate().filter(|(at, _)| at % 3 == third);
    let problems: Vec<_> = own.flat_map(|(_, dimension)| problems(&dimension)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_an_agent_chooses_costs_no_more_than_in_proportion() {
    hold(0);
}

#[test]
fn what_an_agent_chooses_costs_no_more_than_in_proportion_second_third() {
    hold(1);
}

#[test]
fn what_an_agent_chooses_costs_no_more_than_in_proportion_last_third() {
    hold(2);
}
