//! One test for each target.

use std::env::var;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::mutate::mutated;
use crate::targets::{Random, TARGETS, Target};

/// The longest that an input may take on a busy machine, many times what the slowest takes.
const MOST: Duration = Duration::from_secs(120);

/// After how many inputs that fail a target is left.
const MOST_FAILURES: usize = 10;

/// The kept inputs of a target, in an order that is the same everywhere.
fn kept(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inputs: Vec<_> = files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).expect("a kept input")))
        .collect();
    inputs.sort();
    inputs
}

fn number(name: &str, usual: u64) -> u64 {
    var(name).ok().map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Tries an input; what is wrong with it, if something is.
fn attempt(target: &Target, bytes: &[u8], what: &str) -> Option<String> {
    let begun = Instant::now();
    let tried = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
    let said = match &tried {
        Ok(()) if begun.elapsed() < MOST => return None,
        Ok(()) => format!("it takes {:?}", begun.elapsed()),
        Err(problem) => {
            let said = problem.downcast_ref::<String>().map(String::as_str);
            said.or_else(|| problem.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let file = folder.join(format!("{}-{:016x}", target.name, Random::of(0, bytes).next()));
    fs::create_dir_all(&folder).and_then(|()| fs::write(&file, bytes)).expect("a folder for what was found");
    Some(format!("{what}, which is kept as {}:\n{said}", file.display()))
}

fn holds(name: &str, cases: u64) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of that name");
    let kept = kept(name);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "no seeds");
    let given = kept.iter().map(|(file, bytes)| (format!("the kept input {file}"), bytes.clone()));
    let given = given.chain((0..).zip(&seeds).map(|(number, bytes)| (format!("seed {number}"), bytes.clone())));
    let inputs: Vec<Vec<u8>> = kept.iter().map(|(_, bytes)| bytes).chain(&seeds).cloned().collect();
    let mut random = Random::of(number("FUZZ_SEED", 36), name.as_bytes());
    let made = (0..cases * number("FUZZ_CASES", 1))
        .map(|case| (format!("case {case}"), mutated(&inputs, target.longest, &mut random)));
    let failures = given.chain(made).filter_map(|(what, bytes)| attempt(target, &bytes, &what));
    let failures: Vec<String> = failures.take(MOST_FAILURES).collect();
    assert!(failures.is_empty(), "{name} fails with\n{}", failures.join("\n\n"));
}

macro_rules! targets {
    ($($test:ident $name:literal $cases:literal,)+) => {
        $(
            #[test]
            fn $test() {
                holds($name, $cases);
            }
        )+

        #[test]
        fn every_target_has_its_test() {
            let tested = [$($name),+];
            assert_eq!(TARGETS.map(|target| target.name), tested);
        }
    };
}

// How many inputs are made of those that a target has: most take a second or two, the runs against whole agents longer.
targets! {
    event_streams "sse" 100_000,
    json_texts "json" 200_000,
    messages_of_protocol_buffers "protobuf" 200_000,
    frames_of_grpc "grpc" 100_000,
    urls_timestamps_and_base64 "texts" 300_000,
    redaction "redaction" 20_000,
    answers_of_every_version "answers" 60_000,
    cards "card" 600,
    files_of_tests "acts" 8_000,
    reports "report" 300,
    har_files "har" 300,
    recordings "recording" 1_000,
    certificates "certificate" 50_000,
    http_over_a_socket "http" 2_000,
    agents_that_answer_at_random "random-agent" 60,
    agents_within_the_law "lawful-agent" 80,
}
