//! Reports that only the command line writes, on clients, pairs, gateways and loads, opened as a page opens them.

use std::path::Path;
use std::time::Duration;

use a2a_conformance::checker::{RunRecord, look};
use a2a_conformance::clients::every_client_check;
use a2a_conformance::engine::check::{Check, DeclaredCheck};
use a2a_conformance::engine::event::Row;
use a2a_conformance::host::native;
use a2a_conformance::report::Format;
use a2a_conformance::suite;
use a2a_conformance::view_model::banner::Banner;
use a2a_conformance::view_model::messages::{CheckerMessage, Opening};
use a2a_conformance::view_model::rows::RowInfo;
use a2a_conformance::view_model::watched_client::Watching;
use serde_json::Value;

use crate::cli::{Folder, Served, run, stderr, talk};

/// The report of a run of the command line.
fn report_of(folder: &Path, args: &[&str]) -> String {
    let file = folder.join("report.json");
    let output = run(&[args, &["--format", "json", "--quiet", "-o", file.to_str().unwrap()]].concat());
    std::fs::read_to_string(file).unwrap_or_else(|_| panic!("{}", stderr(&output)))
}

/// What the page shows of a file: its rows, and the banner.
fn opened(text: &str) -> (RunRecord, Vec<RowInfo>, Banner) {
    let (record, opening) = RunRecord::open(text).unwrap();
    let Opening::Report(opened) = opening else { panic!("a report") };
    let (mut rows, mut banner) = (Vec::new(), None);
    for message in opened.messages {
        match message {
            CheckerMessage::Planned { rows: planned, .. } => rows.extend(planned),
            CheckerMessage::Finished(of) => banner = Some(*of),
            _ => {}
        }
    }
    (record.unwrap(), rows, banner.unwrap())
}

/// Every row of the file is shown with its title and can be opened, and every format can be written again.
fn shows_all(text: &str, says: &[(Format, &str)]) -> Banner {
    let file: Value = serde_json::from_str(text).unwrap();
    let results = file["categories"].as_object().unwrap().values().flat_map(|list| list.as_array().unwrap());
    let (record, rows, banner) = opened(text);
    assert_eq!(rows.len(), results.count());
    for row in &rows {
        let detail = record.detail(row.index).unwrap();
        assert!(row.title.len() > 5 && !detail.why.is_empty() && !detail.scenario.is_empty(), "{row:?}");
        assert!(!detail.rules.is_empty(), "{row:?}");
    }
    for format in Format::ALL {
        let written = record.file(format, &[]).text;
        assert!(!written.is_empty(), "{format:?}");
        for (_, wanted) in says.iter().filter(|(of, _)| *of == format) {
            assert!(written.contains(wanted), "{format:?} does not say {wanted}");
        }
    }
    assert_eq!(record.file(Format::Json, &[]).text, text);
    let other = record.compare(text).unwrap();
    assert!(other.groups.is_empty() && !other.unchanged.starts_with("0 "), "{other:?}");
    banner
}

#[test]
fn a_report_on_two_agents_shows_both_rows_and_each_alone() {
    let (folder, a, b) = (Folder::new("opened-pair"), Served::agent(&[]), Served::agent(&["get-wrapped"]));
    let only = ["--only", "pair.*"];
    let args = [&["check", a.agent_url(), "--peer", b.agent_url()][..], &only].concat();
    let banner = shows_all(
        &report_of(&folder.0, &args),
        &[(Format::Markdown, "Agent A alone"), (Format::Html, "Agent B alone")],
    );
    assert!(!banner.details.concat().contains("Level") && banner.tables.is_empty(), "{:?}", banner.details);
    assert!(!banner.reason.contains("alone"), "{}", banner.reason);
}

#[test]
fn a_report_on_a_load_shows_its_figures() {
    let (folder, agent) = (Folder::new("opened-load"), Served::agent(&[]));
    let text = report_of(&folder.0, &["check", agent.agent_url(), "--load", "1s", "--rate", "5", "--only", "load.*"]);
    let banner = shows_all(&text, &[(Format::Markdown, "p99 ms"), (Format::Html, "p99 ms")]);
    assert_eq!(banner.tables.iter().map(|table| table.id.as_str()).collect::<Vec<_>>(), ["load", "latencies"]);
    let (record, ..) = opened(&text);
    assert!(record.compare(&text).unwrap().load.is_some_and(|load| load.rows.len() > 5));
}

#[test]
fn a_report_through_a_gateway_names_the_gateway() {
    let (folder, agent, other) = (Folder::new("opened-via"), Served::agent(&[]), Served::agent(&["get-wrapped"]));
    let text = report_of(&folder.0, &["check", agent.agent_url(), "--via", other.agent_url(), "--only", "gateway.*"]);
    let banner = shows_all(&text, &[(Format::Markdown, "asked of the gateway and not of the agent")]);
    assert!(banner.reason.contains("Gateway: "), "{}", banner.reason);
    let (record, rows, _) = opened(&text);
    let row = rows.iter().find(|row| row.check.starts_with("gateway.")).unwrap();
    assert!(record.detail(row.index).unwrap().rules[0].cites[0].0.contains("asked of the gateway"));
}

#[test]
fn a_report_on_a_client_says_that_it_is_one() {
    let watched = Served::start(&["agent", "--listen", "127.0.0.1:0", "--watch"], "from a page");
    let get = |path: &str| {
        let ask = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: one/1\r\nConnection: close\r\n\r\n");
        talk(watched.agent_url(), &ask, "\0")
    };
    get("/rest/tasks/nothing");
    let report = get("/_watch");
    let banner = shows_all(report.split_once("\r\n\r\n").unwrap().1, &[(Format::Markdown, "Client: not conformant")]);
    assert_eq!(banner.title, "Client: not conformant");
    let details = banner.details.concat();
    assert!(details.contains("1 failed") && !details.contains("Level"), "{details}");
}

#[test]
fn a_client_that_is_watched_is_seen_request_by_request() {
    let watched = Served::start(&["agent", "--listen", "127.0.0.1:0", "--watch"], "from a page");
    let mut report = String::new();
    let mut look = |known: &str, is_anew: bool| {
        native::block_on(look(&native::host(), watched.agent_url(), known, is_anew, &mut report))
    };
    let before = look("", false).seen.unwrap();
    assert!(before.tables[0].note.starts_with("No request has come yet"), "{before:?}");
    assert!(before.tables[1].rows.iter().all(|row| row[0].text == "not seen yet"), "{before:?}");
    for path in ["/.well-known/agent-card.json", "/rest/tasks/nothing", "/elsewhere"] {
        let ask = format!("GET {path} HTTP/1.1\r\nHost: h\r\nUser-Agent: one/1\r\nConnection: close\r\n\r\n");
        talk(watched.agent_url(), &ask, "\0");
    }
    // A page that asks again at once is told nothing new, so that judging takes no time from the client.
    let seen = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        look(&before.mark, false).seen
    });
    let seen = seen.unwrap();
    let requests: Vec<[&str; 3]> =
        seen.tables[0].rows.iter().map(|row| [2, 3, 5].map(|column| row[column].text.as_str())).collect();
    let [elsewhere, read, card] = requests[..] else { panic!("{requests:?}") };
    assert_eq!(card, ["Agent card", "-", "-"]);
    assert_eq!(read[..2], ["GetTask", "HTTP+JSON 1.0"]);
    assert!(read[2].contains("client.version-header: "), "{read:?}");
    assert_eq!(elsewhere[0], "GET outside of every interface");
    assert_eq!(seen.tables[1].rows[0][0].kind, "fail");
    assert!(seen.subject.starts_with("one/1, at http://127.0.0.1:"), "{}", seen.subject);
    assert_eq!(look(&seen.mark, false), Watching::default(), "nothing is new");
    assert_eq!(look("", true), Watching::default());
    assert_eq!(look(&seen.mark, false).seen.unwrap().tables[0].rows.len(), 0, "it began anew");
    drop(watched);
}

#[test]
fn a_file_describes_exactly_what_a_page_does_not_know() {
    let row = |(area, scenario, check): DeclaredCheck| {
        Row { check, scenario, area, lane: None, version: "1.0" }.is_only_native()
    };
    let clients = every_client_check().map(|(area, scenario, check)| (area, scenario, &check.declared));
    let of_page = |check: &Check| suite::checks().any(|known| known.id == check.id);
    for declaration in suite::catalogue().chain(clients) {
        assert_eq!(row(declaration), !of_page(declaration.2), "{}", declaration.2.id);
    }
}
