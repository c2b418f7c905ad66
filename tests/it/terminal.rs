//! The output of the command line as it is read: one snapshot for each kind of run.

use std::rc::Rc;

use a2a_conformance::cli::terminal::{TerminalStyle, Verbosity, render};
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::engine::prompt::Profile;
use a2a_conformance::host::{Host, StreamedResponse, Transport};
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};

use crate::support::{AGENT, Told, check, check_on, host};

/// A host without an agent: nothing listens, or a web server without a card.
enum Elsewhere {
    Nobody,
    WebServer(u16, &'static str),
}

impl Transport for Elsewhere {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let answer = match self {
            Self::Nobody => {
                Err(TransportError { kind: TransportErrorKind::Unreachable, detail: "Connection refused".to_owned() })
            }
            Self::WebServer(status, body) => Ok(StreamedResponse {
                head: ResponseHead {
                    status: *status,
                    headers: Headers::from_iter([("content-type", "text/html")]),
                    url: request.url,
                    redirected: false,
                },
                body: iter([Ok(body.as_bytes().to_vec())]).boxed_local(),
            }),
        };
        ready(answer).boxed_local()
    }
}

fn check_elsewhere(transport: Elsewhere) -> Told {
    let (agent, clock) = host(&[]);
    check_on(Host { transport: Rc::new(transport), ..agent }, &clock, Options::default())
}

/// The text with `N` for every count: those change with every check that is added, and other tests hold them.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    for line in text.lines() {
        let is_table = line.split_whitespace().skip(1).all(|word| is_number(word) || word == ".");
        let mut before = "";
        for (index, word) in line.split(' ').enumerate() {
            let number = word.trim_start_matches('(').trim_end_matches([',', ')', ':']);
            let counts = before != "HTTP" && is_number(number);
            if index > 0 {
                masked.push(' ');
            }
            // In a table, the columns stay where they are.
            let width = if is_table { number.len() } else { 1 };
            masked.push_str(&if counts { word.replace(number, &format!("{:>width$}", "N")) } else { word.to_owned() });
            before = word;
        }
        masked.push('\n');
    }
    masked
}

/// The report of a run; with a number, of one that was stopped after so many events.
fn report(told: &Told, stopped_after: Option<usize>) -> Report {
    let environment =
        Environment { tool_version: "0.0.0".to_owned(), host: "command line".to_owned(), user_agent: None };
    let mut builder = ReportBuilder::new(environment);
    for event in told.events.iter().take(stopped_after.unwrap_or(usize::MAX)) {
        builder.apply(event);
    }
    if stopped_after.is_some() {
        let tally = builder.tally();
        builder.apply(&Event::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms: 1500.0 });
    }
    builder.report()
}

pub(crate) fn plain(told: &Told) -> String {
    render(&report(told, None), Verbosity::Usual, TerminalStyle::PLAIN)
}

fn only(pattern: &str) -> Options {
    Options { only: vec![pattern.to_owned()], ..Options::default() }
}

#[test]
fn a_conformant_agent() {
    let text = plain(&check(&[], Options::default()));
    assert!(text.lines().count() < 40, "{text}");
    insta::assert_snapshot!(masked(&text));
}

/// It breaks no must, and still the reader learns at once how little was seen, and why the level is not a better one.
#[test]
fn a_run_in_which_no_task_completed_says_so_above_all() {
    let text = plain(&check(&["tasks-all-fail"], Options::default()));
    let (verdict, facts) = text.split_once("\n\n").unwrap_or_default();
    assert!(verdict.starts_with("Conformant with advice: ") && verdict.contains(", no task completed."), "{text}");
    let (facts, _) = facts.split_once("\n\n").unwrap_or_default();
    let reason = "- task.completes (jsonrpc-1.0, rest-1.0): expected a task that completes";
    assert!(facts.contains("partial") && facts.contains(reason), "{text}");
    assert!(!plain(&check(&[], Options::default())).contains("no task completed"));
}

#[test]
fn a_faulty_agent_has_one_block_for_each_finding() {
    let told = check(&["get-unknown-internal", "card-no-etag"], Options::default());
    let text = plain(&told);
    for check in ["fail[get.not-found]", "advice[discovery.etag]"] {
        assert_eq!(text.matches(check).count(), 1, "{text}");
    }
    assert_eq!(text.matches("Return -32001").count(), 1, "both lanes in one block: {text}");
    insta::assert_snapshot!(masked(&text));
}

/// A line of the example in docs/USAGE.md, without what differs from run to run.
fn lasting(line: &str) -> String {
    let line = line.replace("http://127.0.0.1:8485", AGENT);
    match (line.split_once(": exchange "), line.rsplit_once(") ")) {
        (Some((lane, _)), Some((_, place))) => format!("{lane} {place}"),
        _ => line,
    }
}

#[test]
fn the_guide_shows_what_is_shown() {
    let guide = include_str!("../../docs/USAGE.md");
    let (_, example) = guide.split_once("```text\nfail[").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let text = plain(&check(&["get-unknown-internal"], Options::default()));
    let shown: Vec<_> = text.lines().map(lasting).collect();
    for line in format!("fail[{example}").lines() {
        assert!(shown.contains(&lasting(line)), "docs/USAGE.md: {line}\n{text}");
    }
}

#[test]
fn what_stays_open_is_told_once_with_the_prompt_that_opens_it() {
    // The examples of this skill bring about what completes, and no more.
    let skills = vec!["task-lifecycle".to_owned()];
    let generic = Options { profile: Some(Profile::Generic), skills, ..Options::default() };
    let text = plain(&check(&["modest"], generic));
    assert_eq!(text.matches("--prompt input-required=TEXT").count(), 1, "{text}");
    assert!(text.contains("full for what it declares") || text.contains("\nlevel     partial"), "{text}");
    insta::assert_snapshot!(masked(&text));
}

#[test]
fn an_unreachable_agent_is_five_lines_with_the_next_step() {
    let text = plain(&check_elsewhere(Elsewhere::Nobody));
    assert!(text.lines().count() <= 5 && text.contains("\nnext "), "{text}");
    insta::assert_snapshot!(masked(&text));
}

#[test]
fn an_agent_without_a_card() {
    insta::assert_snapshot!(masked(&plain(&check_elsewhere(Elsewhere::WebServer(404, "not found")))));
}

#[test]
fn a_server_that_is_no_agent() {
    let shop = Elsewhere::WebServer(200, "<!doctype html><title>Shop</title>");
    insta::assert_snapshot!(masked(&plain(&check_elsewhere(shop))));
}

#[test]
fn a_run_that_was_stopped() {
    let told = check(&[], Options::default());
    let lanes = told.events.iter().position(|event| matches!(event, Event::Lanes(_))).unwrap();
    let text = render(&report(&told, Some(lanes + 40)), Verbosity::Usual, TerminalStyle::PLAIN);
    insta::assert_snapshot!(masked(&text));
}

#[test]
fn a_card_alone() {
    let card = br#"{"name":"Booker","description":"Books tables","version":"1","url":"https://booker.example.com/a2a",
        "protocolVersion":"0.3.0","capabilities":{},"defaultInputModes":["text/plain"],"skills":[]}"#;
    let (agent, clock) = host(&[]);
    let options =
        Options { address: "card.json".to_owned(), source: Source::Card(card.to_vec()), ..Options::default() };
    insta::assert_snapshot!(masked(&plain(&check_on(agent, &clock, options))));
}

#[test]
fn verbose_shows_every_row() {
    let told = check(&["get-unknown-internal"], only("get.*"));
    let report = report(&told, None);
    let text = render(&report, Verbosity::Verbose, TerminalStyle::PLAIN);
    for row in &report.results {
        assert!(text.contains(&row.key()), "{}", row.key());
    }
    let shown: Vec<_> = text.lines().filter(|line| !line.contains("not-run ")).collect();
    insta::assert_snapshot!(masked(&shown.join("\n")));
}

#[test]
fn colour_links_and_width_are_for_a_terminal() {
    let told = check(&["get-unknown-internal"], only("get.*"));
    let look = TerminalStyle { color: true, links: true, width: Some(60) };
    let text = render(&report(&told, None), Verbosity::Usual, look);
    let visible = |line: &str| {
        let without_links = line.split("\x1b]8;;").map(|part| part.split_once("\x1b\\").map_or(part, |(_, rest)| rest));
        let text: String = without_links.collect();
        text.split('\x1b')
            .map(|part| part.split_once('m').map_or(part, |(_, rest)| rest).chars().count())
            .sum::<usize>()
    };
    for line in text.lines() {
        let longest_word = line.split(' ').map(visible).max().unwrap_or_default();
        assert!(visible(line) <= 60 || longest_word > 40, "{line}");
    }
    insta::assert_snapshot!(masked(&text.replace('\x1b', "␛")));
}
