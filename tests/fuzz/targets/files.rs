//! Files that a user opens: tests in YAML, reports, HAR files, and recordings that are repeated.

use std::rc::Rc;

use a2a_conformance::acts::{FileSource, load, read_document};
use a2a_conformance::checker::open_har;
use a2a_conformance::engine::options::Options;
use a2a_conformance::host::native::RingVerifier;
use a2a_conformance::host::replay::ReplayTransport;
use a2a_conformance::host::virtual_clock::VirtualClock;
use a2a_conformance::host::{Clock, Host, RandomIdSource, RequestPurpose, Transport, Visibility};
use a2a_conformance::report::{Environment, Format, ReportFile, compare, read, write, write_whole};
use a2a_conformance::suite;
use a2a_conformance::wire::exchange::End;
use futures_util::StreamExt;

use super::agents::{Setting, check};

/// A file of tests, which may name itself as one that it includes.
pub(crate) fn tests(data: &[u8]) {
    struct Only<'a>(&'a str);
    impl FileSource for Only<'_> {
        fn read(&self, file: &str) -> Result<String, String> {
            if file.len() > 60 { Err("not there".to_owned()) } else { Ok(self.0.to_owned()) }
        }
        fn beside(&self, _: &str, named: &str) -> String {
            named.to_owned()
        }
    }
    let text = String::from_utf8_lossy(data);
    // A CR ends a line of YAML as well (YAML 1.2 §5.4).
    let lines = 1 + text.matches(['\r', '\n']).count();
    match read_document("a.yaml", &text) {
        Ok(document) => assert!(!document.acts_version.is_empty()),
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(!problem.message.is_empty());
                let line = problem.place.map_or(1, |place| place.line);
                assert!((1..=lines + 1).contains(&line), "{problem}, of {lines} lines");
            }
        }
    }
    let _ = load(&Only(&text), &["a.yaml".to_owned()]);
}

/// A report, as `compare` and the page open it.
pub(crate) fn report(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let file = match read(&text, suite::declaration) {
        Ok(file) => file,
        Err(problem) => return assert!(!problem.to_string().is_empty()),
    };
    for format in Format::ALL {
        let _ = write(&file.report, format);
    }
    let _ = compare(&file, &file);
    // What is written reads back, and is written again as the same.
    let written = write_whole(&file.report);
    let again: ReportFile = read(&written, suite::declaration).expect("a report that was written");
    assert_eq!(write_whole(&again.report), written);
}

/// A HAR file, as the page opens it.
pub(crate) fn har(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let clock = VirtualClock::default();
    let host = host(Rc::new(ReplayTransport::new(Vec::new(), Rc::new(clock.clone()))), &clock);
    match clock.block_on(open_har(&text, host, Environment::default())) {
        Some(Ok((record, _))) => drop(record.file(Format::Json, &[])),
        Some(Err(problem)) => assert!(!problem.is_empty()),
        None => {}
    }
}

/// A recording, whose requests are made again.
pub(crate) fn recording(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(file) = read(&text, suite::declaration) else { return };
    let recorded: Vec<_> = file.report.exchanges.iter().take(50).map(|exchange| (**exchange).clone()).collect();
    let clock = VirtualClock::default();
    let shared: Rc<dyn Clock> = Rc::new(clock.clone());
    let transport = ReplayTransport::new(recorded.clone(), Rc::clone(&shared));
    clock.block_on(async {
        for exchange in &recorded {
            let purpose =
                RequestPurpose { scenario: &exchange.scenario, step: &exchange.step, lane: exchange.lane.as_deref() };
            let Ok(answer) = transport.send_for(purpose, exchange.request.clone()).await else { continue };
            // One that was left before its end has none here either.
            if !matches!(exchange.end, End::HungUp | End::Deadline(_)) {
                let _ = answer.body.collect::<Vec<_>>().await;
            }
        }
    });
    let _ = transport.misfit();
}

fn host(transport: Rc<dyn Transport>, clock: &VirtualClock) -> Host {
    Host {
        transport,
        clock: Rc::new(clock.clone()),
        ids: Rc::new(RandomIdSource),
        verifier: Rc::new(RingVerifier),
        visibility: Visibility::FULL,
        prober: None,
        webhooks: None,
        beacon: None,
    }
}

/// The files of the tests, and those with mistakes.
pub(crate) fn test_seeds() -> Vec<Vec<u8>> {
    let files: &[&[u8]] = &[
        include_bytes!("../../acts/client.acts.yaml"),
        include_bytes!("../../acts/credentials.acts.yaml"),
        include_bytes!("../../acts/disputed.acts.yaml"),
        include_bytes!("../../acts/included.acts.json"),
        include_bytes!("../../acts/including.acts.yaml"),
        include_bytes!("../../acts/large-files.acts.yaml"),
        include_bytes!("../../acts/mistakes/circle-a.acts.yaml"),
        include_bytes!("../../acts/mistakes/circle-b.acts.yaml"),
        include_bytes!("../../acts/mistakes/document.acts.yaml"),
        include_bytes!("../../acts/mistakes/empty.acts.yaml"),
        include_bytes!("../../acts/mistakes/expectations.acts.yaml"),
        include_bytes!("../../acts/mistakes/json.acts.json"),
        include_bytes!("../../acts/mistakes/references.acts.yaml"),
        include_bytes!("../../acts/mistakes/steps.acts.yaml"),
        include_bytes!("../../acts/mistakes/tests.acts.yaml"),
        include_bytes!("../../acts/mistakes/yaml.acts.yaml"),
        include_bytes!("../../acts/of-0.3.acts.yaml"),
        include_bytes!("../../acts/operators.acts.yaml"),
        include_bytes!("../../acts/own-keys.acts.yaml"),
        include_bytes!("../../acts/steps.acts.yaml"),
    ];
    files.iter().map(|file| file.to_vec()).collect()
}

/// Reports of short runs against the scripted agent.
pub(crate) fn report_seeds() -> Vec<Vec<u8>> {
    seeds_as(write_whole)
}

/// The same as HAR files.
pub(crate) fn har_seeds() -> Vec<Vec<u8>> {
    seeds_as(|report| write(report, Format::Har))
}

fn seeds_as(written: fn(&a2a_conformance::report::Report) -> String) -> Vec<Vec<u8>> {
    let of = |at: &'static str, only: &str, faults: Vec<&'static str>| {
        let options = Options { only: vec![only.to_owned()], first_interface_only: true, ..Options::default() };
        written(&check(Setting { at, faults, options, ..Setting::default() }).report).into_bytes()
    };
    vec![
        of("", "get.unknown-refused", vec![]),
        of("", "card.name", vec!["card-many-missing"]),
        of("/0.3", "stream.terminal-closes", vec![]),
        of("", "grpc.status", vec!["grpc"]),
    ]
}
