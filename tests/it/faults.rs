//! Every fault of the scripted agent, and exactly which checks it trips. A surprise here is looked at before the
//! snapshot is accepted: it is a check that accuses an innocent agent, or one that is blind.
//!
//! A second snapshot, `findings`, holds the words of the same run, to be read as a user reads them (`docs/STYLE.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};

use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::suite;

use crate::support::{Place, check_at, check_at_with_webhooks, gateway_of};

/// The paths of the agents of each version.
const VERSIONS: [&str; 4] = ["", "/0.3", "/0.2", "/0.1"];

/// A fault, and the path of the agent that has it.
type Run = (&'static str, &'static str);

/// The effect of a fault at one of these paths.
struct Tripped {
    /// As the table shows it.
    told: Vec<String>,
    /// As a user reads it.
    findings: Vec<String>,
    places: BTreeSet<Place>,
}

/// The effect of a fault on the agent of a version.
fn tripped((fault, at): &Run) -> Tripped {
    // The version of a broken agent cannot always be told when its card does not give it, as those of 0.1 do not.
    let version = at.strip_prefix("/").filter(|version| *version == "0.1").map(str::to_owned);
    // Faults of a gateway show only in a run through it.
    let via = fault.starts_with("gateway-").then(|| gateway_of(at));
    let options = Options { version, via, is_thorough: true, ..Options::default() };
    let told = check_at_with_webhooks(at, &[*fault], options);
    Tripped { told: told.tripped_on_lanes(), findings: told.findings(), places: told.places() }
}

/// Does the same to each of these, on every processor.
fn on_all_processors<Job: Ord + Sync + Clone + Send, Done: Send>(
    jobs: &BTreeSet<Job>,
    work: impl Fn(&Job) -> Done + Sync,
) -> BTreeMap<Job, Done> {
    let (next, jobs) = (AtomicUsize::new(0), Vec::from_iter(jobs));
    let worker = || {
        let mut done = Vec::new();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(((*job).clone(), work(job)));
        }
        done
    };
    let workers = available_parallelism().map_or(2, Into::into);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker that ends")).collect()
    })
}

/// What one of these runs has to show, or a check is blind.
struct Demand {
    /// Those that may show it, the likeliest first.
    runs: Vec<Run>,
    check: &'static str,
    /// The lane on which it must trip, if not on any.
    lane: Option<Option<String>>,
    /// What is said where none shows it.
    complaint: String,
}

impl Demand {
    fn is_met_by(&self, tripped: &Tripped) -> bool {
        let mut places = tripped.places.iter().filter(|(check, _)| *check == self.check);
        places.any(|(_, lane)| self.lane.as_ref().is_none_or(|wanted| wanted == lane))
    }
}

/// Makes as many of the runs as it takes to meet these demands, and returns what is said of those that no run meets.
fn meet(mut open: Vec<Demand>, done: &mut BTreeMap<Run, Tripped>) -> BTreeSet<String> {
    loop {
        open.retain(|demand| {
            !demand.runs.iter().filter_map(|run| done.get(run)).any(|tripped| demand.is_met_by(tripped))
        });
        let next = open.iter().filter_map(|demand| demand.runs.iter().find(|run| !done.contains_key(*run)));
        let next: BTreeSet<Run> = next.copied().collect();
        if next.is_empty() {
            return open.into_iter().map(|demand| demand.complaint).collect();
        }
        done.extend(on_all_processors(&next, tripped));
    }
}

#[test]
fn every_fault_trips_exactly_the_checks_of_the_table() {
    let faults: BTreeSet<Run> = FAULTS.iter().map(|fault| (fault.id, fault.at)).collect();
    let mut all = on_all_processors(&faults, tripped);

    let mut text = String::new();
    for fault in &faults {
        let checks = all.get(fault).expect("a fault that was run").told.join(", ");
        let _ = writeln!(text, "{}: {}", fault.0, if checks.is_empty() { "(nothing)" } else { &checks });
    }
    insta::assert_snapshot!("fault_table", text);

    let mut text = String::new();
    for fault in &faults {
        let _ = writeln!(text, "# {}", fault.0);
        for line in &all.get(fault).expect("a fault that was run").findings {
            let _ = writeln!(text, "{line}");
        }
    }
    insta::assert_snapshot!("findings", text);

    let mut demands = Vec::new();
    for check in suite::checks() {
        for fault in suite::faults(check.id).iter().copied() {
            let mut runs: Vec<Run> = faults.iter().filter(|(id, _)| *id == fault).copied().collect();
            let complaint = if runs.is_empty() {
                format!("{} names the fault {fault}, which does not exist", check.id)
            } else {
                runs.extend(VERSIONS.map(|at| (fault, at)));
                format!("{} is not tripped by {fault}, which it names", check.id)
            };
            demands.push(Demand { runs, check: check.id, lane: None, complaint });
        }
    }
    // Whatever judges several lanes, or several versions, must have been seen to fail in each.
    let variants = [
        None,
        Some("protected"),
        Some("two-users"),
        Some("extensions"),
        Some("modest"),
        Some("tenants"),
        Some("bursting"),
        Some("signed-notifications"),
        Some("validating-webhooks"),
        Some("grpc"),
    ];
    let conformant = VERSIONS.iter().flat_map(|at| variants.map(|variant| (*at, variant))).collect();
    let passed = on_all_processors(&conformant, |(at, variant)| match variant {
        // Checks about gRPC alone, wherever that is served.
        Some("grpc") => {
            let mut passed = check_at(at, &["grpc"], thorough()).passed();
            passed.retain(|place| place.0.starts_with("grpc.") || place.0.ends_with("-grpc"));
            passed
        }
        _ => check_at_with_webhooks(at, variant.as_slice(), thorough()).passed(),
    });
    for ((at, _), passed) in passed {
        demands.extend(passed.into_iter().map(|place| Demand {
            runs: suite::faults(place.0).iter().map(|fault| (*fault, at)).collect(),
            check: place.0,
            complaint: format!("{place:?} never fails at {at:?}"),
            lane: Some(place.1),
        }));
    }
    let blind = meet(demands, &mut all);
    assert!(blind.is_empty(), "{}", Vec::from_iter(blind).join("\n"));
}

/// Of the faults that `A2A_FAULTS` names, the lines of both snapshots as they were accepted.
#[test]
#[ignore = "the table of all faults holds it; `make mutants` tries single faults"]
fn named_faults_trip_what_the_table_says() {
    let names = std::env::var("A2A_FAULTS").expect("the names of faults in A2A_FAULTS, with commas between them");
    let table = include_str!("snapshots/it__faults__fault_table.snap");
    let findings = include_str!("snapshots/it__faults__findings.snap");
    for name in names.split(',') {
        let fault = FAULTS.iter().find(|fault| fault.id == name).expect("a fault of this name");
        let Tripped { told, findings: found, .. } = tripped(&(fault.id, fault.at));
        let told = if told.is_empty() { "(nothing)".to_owned() } else { told.join(", ") };
        assert!(table.contains(&format!("\n{name}: {told}\n")), "{name}: {told}");
        let (_, accepted) = findings.split_once(&format!("\n# {name}\n")).expect("the fault's findings");
        let accepted: Vec<_> = accepted.lines().take_while(|line| !line.starts_with("# ")).collect();
        assert_eq!(found.join("\n").lines().collect::<Vec<_>>(), accepted);
    }
}

/// Everything is run, whatever it costs.
fn thorough() -> Options {
    Options { is_thorough: true, ..Options::default() }
}

/// An agent that accepts an unknown role may return it, in its own way of naming roles: the finding says so.
#[test]
fn a_finding_about_roles_names_what_the_run_itself_planted() {
    let message = |faults: &[&str]| {
        let told = check_at("", faults, Options::default());
        let found = told.results.iter().find(|result| result.row.key() == "enum.role@jsonrpc-1.0");
        found.map(|result| result.verdict.message.clone()).unwrap_or_default()
    };
    let planted = "the agent accepted a message with the role ROLE_ROBOT from this run (see send.invalid-enum)";
    assert!(message(&["roles-lowercase", "unknown-role-accepted"]).contains(planted));
    let alone = message(&["roles-lowercase"]);
    assert!(!alone.is_empty() && !alone.contains("ROLE_ROBOT"), "{alone}");
}

/// Members of parts that the proto of 0.3.0 lacks are a note where nothing else differs (T-03-11), and named beside what does.
#[test]
fn members_that_the_proto_lacks_are_named_whatever_else_differs() {
    let verdict = |faults: &[&str]| {
        let told = check_at("/0.3", faults, Options::default());
        let found = told.results.iter().find(|result| result.row.key() == "interop.same-members@rest-0.3");
        found.map(|result| result.verdict.clone()).expect("a result")
    };
    let named = |verdict: &Verdict, place: &str| verdict.actual.as_ref().is_some_and(|actual| actual.contains(place));
    let (name, filename) = ("no /artifacts/*/name", "no /artifacts/*/parts/*/filename");
    let alone = verdict(&["rest-drops-part-members"]);
    assert!(alone.outcome == Outcome::Note && named(&alone, filename), "{alone:?}");
    let both = verdict(&["rest-drops-part-members", "rest-drops-names"]);
    assert!(both.outcome == Outcome::Fail && named(&both, name) && named(&both, filename), "{both:?}");
}
