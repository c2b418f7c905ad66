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

/// The effect of a fault at one of these paths.
struct Tripped {
    /// As the table shows it.
    told: Vec<String>,
    /// As a user reads it.
    findings: Vec<String>,
    places: BTreeSet<Place>,
}

/// The effect of every fault on the agent of every version.
fn all() -> BTreeMap<(&'static str, &'static str), Tripped> {
    let next = AtomicUsize::new(0);
    let runs: Vec<_> = FAULTS.iter().flat_map(|fault| VERSIONS.map(|at| (fault.id, at))).collect();
    let worker = || {
        let mut done = Vec::new();
        while let Some((fault, at)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The version of a broken agent cannot always be told when its card does not give it, as those of 0.1 do not.
            let version = at.strip_prefix("/").filter(|version| *version == "0.1").map(str::to_owned);
            // What a gateway does shows only to those who look through it.
            let via = fault.starts_with("gateway-").then(|| gateway_of(at));
            let options = Options { version, via, is_thorough: true, ..Options::default() };
            let told = check_at_with_webhooks(at, &[fault], options);
            let tripped = Tripped { told: told.tripped_on_lanes(), findings: told.findings(), places: told.places() };
            done.push(((*fault, *at), tripped));
        }
        done
    };
    let workers = available_parallelism().map_or(2, Into::into);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker that ends")).collect()
    })
}

#[test]
fn every_fault_trips_exactly_the_checks_of_the_table() {
    let all = all();
    let mut text = String::new();
    for fault in FAULTS.iter().map(|fault| (fault.id, fault.at)).collect::<BTreeSet<_>>() {
        let checks = all.get(&fault).expect("a version that is run").told.join(", ");
        let _ = writeln!(text, "{}: {}", fault.0, if checks.is_empty() { "(nothing)" } else { &checks });
    }
    insta::assert_snapshot!("fault_table", text);

    let mut text = String::new();
    for fault in FAULTS.iter().map(|fault| (fault.id, fault.at)).collect::<BTreeSet<_>>() {
        let _ = writeln!(text, "# {}", fault.0);
        for line in &all.get(&fault).expect("a version that is run").findings {
            let _ = writeln!(text, "{line}");
        }
    }
    insta::assert_snapshot!("findings", text);

    let of = |fault: &'static str| VERSIONS.iter().filter_map(|at| all.get(&(fault, *at))).collect::<Vec<_>>();
    let mut blind = Vec::new();
    for check in suite::checks() {
        for fault in suite::faults(check.id).iter().copied() {
            if of(fault).is_empty() {
                blind.push(format!("{} names the fault {fault}, which does not exist", check.id));
            } else if !of(fault).iter().any(|tripped| tripped.places.iter().any(|place| place.0 == check.id)) {
                blind.push(format!("{} is not tripped by {fault}, which it names", check.id));
            }
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
    ];
    // What is about gRPC alone, wherever that is served.
    for at in VERSIONS {
        for place in check_at(at, &["grpc"], thorough()).passed() {
            let is_about_grpc = place.0.starts_with("grpc.") || place.0.ends_with("-grpc");
            let fails = |fault: &&str| all.get(&(*fault, at)).is_some_and(|tripped| tripped.places.contains(&place));
            if is_about_grpc && !suite::faults(place.0).iter().any(fails) {
                blind.push(format!("{place:?} never fails at {at:?}"));
            }
        }
    }
    for (at, variant) in VERSIONS.iter().flat_map(|at| variants.map(|variant| (*at, variant))) {
        for place in check_at_with_webhooks(at, variant.as_slice(), thorough()).passed() {
            let fails = |fault: &&str| all.get(&(*fault, at)).is_some_and(|tripped| tripped.places.contains(&place));
            if !suite::faults(place.0).iter().any(fails) {
                blind.push(format!("{place:?} never fails at {at:?}"));
            }
        }
    }
    blind.sort();
    blind.dedup();
    assert!(blind.is_empty(), "{}", blind.join("\n"));
}

/// Everything is run, whatever it costs.
fn thorough() -> Options {
    Options { is_thorough: true, ..Options::default() }
}

/// An agent that takes a role which nobody has may show it again, in its own way of naming roles: the finding says so.
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
