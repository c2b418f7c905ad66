//! The output of the command line as it is read: one snapshot for each kind of run.

use std::rc::Rc;

use a2a_conformance::cli::terminal::{TerminalStyle, Verbosity, render};
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::engine::prompt::Profile;
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::report::{Environment, Report, ReportBuilder};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::{LocalBoxFuture, pending, ready};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::reported::{Changing, answering, changing, is_card, only as first_interface, verdict};
use crate::support::{AGENT, FinishedRun, check, check_as_told, check_on, host, host_with_webhooks};
use crate::webhook_double::PUBLIC;

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

fn check_elsewhere(transport: Elsewhere) -> FinishedRun {
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
fn report(told: &FinishedRun, stopped_after: Option<usize>) -> Report {
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

pub(crate) fn plain(told: &FinishedRun) -> String {
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

/// It breaks no must, and still the reader learns at once how little was seen, and which suggestion says so.
#[test]
fn a_run_in_which_no_task_completed_says_so_above_all() {
    let text = plain(&check(&["tasks-all-fail"], Options::default()));
    let (verdict, facts) = text.split_once("\n\n").unwrap_or_default();
    assert!(
        verdict.starts_with("Conformant with suggestions: ") && verdict.contains(", and no task completed."),
        "{text}"
    );
    assert!(facts.contains("\nsuggestion[task.completes]: "), "{text}");
    assert!(!plain(&check(&[], Options::default())).contains("no task completed"));
}

#[test]
fn a_faulty_agent_has_one_block_for_each_finding() {
    let told = check(&["get-unknown-internal", "card-no-etag"], Options::default());
    let text = plain(&told);
    for check in ["fail[get.not-found]", "suggestion[discovery.etag]"] {
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

/// The output about an agent that answers every call with the words "Missing token", and whose card has been changed.
fn refused_in_words(version: &str, change: impl Fn(&mut Value) + Clone + 'static) -> String {
    let (agent, clock) = answering(&[], |request, body| {
        let error = json!({"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32600, "message": "Missing token"}});
        (!is_card(request)).then(|| (200, "application/json", error.to_string()))
    });
    let change = move |request: &Request, document: &mut Value| {
        if is_card(request) && document["name"].is_string() {
            change(document);
        }
    };
    let transport = Rc::new(Changing { agent: Rc::clone(&agent.transport), change });
    plain(&check_on(Host { transport, ..agent }, &clock, first_interface(version)))
}

/// A scheme as 1.0 writes it, as 0.3 does, and the options that give its credentials.
fn schemes() -> Vec<(Value, Value, &'static str)> {
    let url = "https://id.example/";
    let client = "--client-id ID --client-secret SECRET, or --bearer TOKEN";
    let http = |scheme: &str, options: &'static str| {
        let newest = json!({"httpAuthSecurityScheme": {"scheme": scheme}});
        (newest, json!({"type": "http", "scheme": scheme}), options)
    };
    let key = |place: &str, options: &'static str| {
        let newest = json!({"apiKeySecurityScheme": {"location": place, "name": "X-Key"}});
        (newest, json!({"type": "apiKey", "in": place, "name": "X-Key"}), options)
    };
    let oauth = |flow: &str, endpoints: Value, options: &'static str| {
        let newest = json!({"oauth2SecurityScheme": {"flows": {flow: endpoints}}});
        (newest, json!({"type": "oauth2", "flows": {flow: endpoints}}), options)
    };
    let open_id = json!({"openIdConnectSecurityScheme": {"openIdConnectUrl": url}});
    vec![
        http("bearer", "--bearer TOKEN"),
        http("Basic", "--basic USER:PASSWORD"),
        http("Digest", "--header with what Digest asks for"),
        key("header", "--api-key X-Key=KEY"),
        key("query", "--api-key-query X-Key=KEY"),
        key("cookie", "--header \"Cookie: NAME=VALUE\""),
        oauth("clientCredentials", json!({"tokenUrl": url}), client),
        oauth("authorizationCode", json!({"tokenUrl": url, "authorizationUrl": url}), client),
        oauth(
            "deviceCode",
            json!({"tokenUrl": url, "deviceAuthorizationUrl": url}),
            "--client-id ID, or --bearer TOKEN",
        ),
        (open_id, json!({"type": "openIdConnect", "openIdConnectUrl": url}), client),
        (json!({"mtlsSecurityScheme": {}}), json!({"type": "mutualTLS"}), "--cert FILE --key FILE"),
    ]
}

/// The line that says what to do next.
fn next_line(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("next      ")).unwrap_or_else(|| panic!("no next step: {text}"))
}

#[test]
fn who_is_refused_in_words_is_told_the_option_for_each_kind_of_scheme() {
    let guide = include_str!("../../docs/OPTIONS.md");
    for (newest, older, options) in schemes() {
        for (version, scheme) in [("", newest), ("/0.3", older)] {
            let case = format!("{version} {scheme}");
            let text = refused_in_words(version, move |card| {
                card["securitySchemes"] = json!({"way": scheme});
                match version {
                    "" => card["securityRequirements"] = json!([{"schemes": {"way": {"list": []}}}]),
                    _ => card["security"] = json!([{"way": []}]),
                }
            });
            assert!(
                text.starts_with("Incomplete: ") && text.contains("The agent requires credentials"),
                "{case}: {text}"
            );
            assert_eq!(next_line(&text), format!("give credentials: {options}"), "{case}");
            for word in options.split(' ').filter(|word| word.starts_with("--")) {
                assert!(guide.contains(&format!("{word} ")), "docs/OPTIONS.md has no {word}");
            }
        }
    }
}

#[test]
fn who_is_refused_by_several_schemes_or_by_none_is_told_each_option_once() {
    let text = refused_in_words("", |card| {
        let flows = json!({"clientCredentials": {"tokenUrl": "https://id.example/"}});
        card["securitySchemes"] = json!({
            "a": {"httpAuthSecurityScheme": {"scheme": "bearer"}}, "b": {"oauth2SecurityScheme": {"flows": flows}},
        });
    });
    let each = "give credentials: --bearer TOKEN, or --client-id ID --client-secret SECRET";
    assert_eq!(next_line(&text), each);
    let text = refused_in_words("", |_| {});
    assert_eq!(next_line(&text), "give credentials: --bearer, --basic, --api-key or --header");
    // 0.1 has names of schemes only.
    let text = refused_in_words("/0.1", |card| {
        card["authentication"] = json!({"schemes": ["Bearer", "ApiKey", "Basic"]});
    });
    let named = "give credentials: --bearer TOKEN, or --api-key X-API-Key=KEY, or --basic USER:PASSWORD";
    assert_eq!(next_line(&text), named);
}

/// The URL of an interface that is a detour, or that nobody can call, is advice: the specification asks for neither.
#[test]
fn an_interface_behind_a_detour_is_a_block_of_advice() {
    let named = |version: &str, url: &'static str| {
        let (agent, clock) = changing(move |request, document| {
            for pointer in ["/supportedInterfaces/0/url", "/url"] {
                if let Some(named) = document.pointer_mut(pointer).filter(|_| is_card(request)) {
                    *named = json!(url);
                }
            }
        });
        check_on(agent, &clock, Options { address: format!("{AGENT}{version}"), ..Options::default() })
    };
    for (case, told, said) in [
        ("a redirect", check(&["endpoint-redirects"], Options::default()), "a redirect to "),
        (
            "0.0.0.0",
            check(&["card-listening-address"], Options::default()),
            "0.0.0.0, which is an address to listen at",
        ),
        ("[::]", named("", "http://[::]/rpc"), "[::], which is an address to listen at"),
        ("[::] in 0.3", named("/0.3", "http://[::]:9999/rpc"), "[::], which is an address to listen at"),
    ] {
        let text = plain(&told);
        let block = "\n\nsuggestion[card.interface-direct]: The declared URL is where the endpoint is\n  --> jsonrpc-";
        assert_eq!(text.matches(block).count(), 1, "{case}: {text}");
        assert!(!text.contains("fail[card.interface-direct]"), "{case}: {text}");
        let failed = told
            .results
            .iter()
            .filter(|result| result.row.check.id == "card.interface-direct" && result.verdict.outcome == Outcome::Fail);
        let failed: Vec<_> = failed.collect();
        assert!(!failed.is_empty(), "{case}");
        for result in failed {
            assert_eq!((result.level, result.row.level()), (Level::Should, Level::Should), "{case}");
            let actual = result.verdict.actual.as_deref().unwrap_or_default();
            assert!(actual.contains(said) && text.contains(actual), "{case}: {actual}: {text}");
        }
        assert_eq!(verdict(&told, "card.interface-https").outcome, Outcome::NotApplicable, "{case}");
    }
}

/// An agent that shows its card, and closes the connection of calls at some address, or never answers them.
struct Silent {
    agent: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    at: &'static str,
    closes: bool,
}

impl Transport for Silent {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if is_card(&request) || !request.url.contains(self.at) {
            return self.agent.send(request);
        }
        if !self.closes {
            return pending().boxed_local();
        }
        // In no time at all, four calls that end as one would look like the end of the agent.
        let sleep = self.clock.sleep(10.0);
        let detail = "connection closed before message completed".to_owned();
        async move {
            sleep.await;
            Err(TransportError { kind: TransportErrorKind::Closed, detail })
        }
        .boxed_local()
    }
}

/// Checks an agent with no other credentials than these, on a host where push notifications arrive.
fn check_with(faults: &[&str], headers: Vec<(String, String)>) -> FinishedRun {
    let (agent, clock) = host_with_webhooks(faults, (PUBLIC, true));
    check_on(agent, &clock, Options { headers, ..Options::default() })
}

fn check_silent(at: &'static str, closes: bool) -> FinishedRun {
    let (agent, clock) = host_with_webhooks(&[], (PUBLIC, true));
    let silent = Silent { agent: Rc::clone(&agent.transport), clock: Rc::clone(&agent.clock), at, closes };
    let transport = Rc::new(silent);
    check_on(Host { transport, ..agent }, &clock, Options::default())
}

/// What is said of what stays open, without the other parts of the output.
fn open_lines(text: &str) -> Vec<&str> {
    text.lines().skip_while(|line| !line.starts_with("Not judged (")).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn what_stays_open_where_nobody_is_let_in_or_answered_is_one_line() {
    let wrong = vec![("authorization".to_owned(), "Bearer wrong".to_owned())];
    for (case, told, why) in [
        ("no credentials", check_with(&["protected"], Vec::new()), "The agent requires credentials (HTTP 401"),
        ("refused ones", check_with(&["protected"], wrong), "Your token was refused (HTTP 401"),
        ("closed", check_silent("", true), "The interface did not answer: "),
        ("never answered", check_silent("", false), "The interface did not answer the first call: "),
    ] {
        let text = plain(&told);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("Incomplete: ") && first.contains(why), "{case}: {text}");
        let report = report(&told, None);
        let is_left = |outcome| matches!(outcome, Outcome::Blocked | Outcome::Inconclusive | Outcome::NotObservable);
        let left = report.results.iter().filter(|row| is_left(row.outcome)).count();
        assert!(left > 200, "{case}: {left}");
        let line = format!("Not judged ({left} results): for the reason in the verdict");
        assert_eq!(open_lines(&text), [line.as_str()], "{case}: {text}");
        // Who asks for everything gets it.
        let verbose = render(&report, Verbosity::Verbose, TerminalStyle::PLAIN);
        assert!(open_lines(&verbose).len() > 4, "{case}: {verbose}");
    }
    // What is open for another reason keeps it.
    let text = plain(&check_as_told(&["protected"], Options::default()));
    let lines = open_lines(&text);
    assert!(lines.len() == 4 && lines[0].ends_with(" of them for the reason in the verdict"), "{text}");
    assert!(lines[1].starts_with("  Nobody listens for notifications"), "{text}");
    // Where another interface answers, the verdict has no one reason.
    let text = plain(&check_silent("/rest", true));
    assert!(open_lines(&text).iter().any(|line| line.starts_with("    leaves ")), "{text}");
}
