//! One of the fuzz targets, named by `FUZZ_TARGET`, behind libFuzzer. With `FUZZ_SEEDS` it writes the seeds of the target into that folder
//! and is done.

#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

use std::env::var;
use std::path::PathBuf;
use std::process::exit;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use targets::{Random, TARGETS, Target};

static TARGET: OnceLock<&Target> = OnceLock::new();

/// The target that was asked for.
fn begin() {
    let name = var("FUZZ_TARGET").unwrap_or_default();
    let names = TARGETS.map(|target| target.name).join(", ");
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        eprintln!("FUZZ_TARGET names one of: {names}");
        exit(2);
    };
    let _ = TARGET.set(target);
    if let Ok(folder) = var("FUZZ_SEEDS") {
        for seed in (target.seeds)() {
            let file = PathBuf::from(&folder).join(format!("seed-{:016x}", Random::of(0, &seed).next()));
            if let Err(problem) = std::fs::write(&file, seed) {
                eprintln!("{}: {problem}", file.display());
                exit(2);
            }
        }
        println!("{}", target.longest);
        exit(0);
    }
}

fuzz_target!(init: begin(), |data: &[u8]| {
    if let Some(target) = TARGET.get() {
        (target.run)(data);
    }
});
