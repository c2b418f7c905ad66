//! A run of the built program: what it printed, how it ended, and what it cost.

use std::io::Read;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::program;

/// The most memory that a run may take, whatever it meets.
pub(crate) const MOST_KB: u64 = 150 * 1024;

/// A run of the program that has ended, or was ended since it took too long.
pub(crate) struct ProgramRun {
    pub(crate) report: Value,
    pub(crate) text: String,
    pub(crate) errors: String,
    /// `None` when it did not end by itself.
    pub(crate) exit: Option<i32>,
    pub(crate) peak_kb: Option<u64>,
    pub(crate) took: Duration,
}

impl ProgramRun {
    /// Checks the address with these arguments.
    pub(crate) fn check(what: &str, url: &str, args: &[&str]) -> Self {
        let args = [&["check", url], args, &["--format", "json"]].concat();
        let ran = Self::start(&args, Duration::from_secs(240));
        eprintln!("{what}: peak {} KB, {:.1} s", ran.peak_kb.unwrap_or_default(), ran.took.as_secs_f64());
        assert!(ran.exit.is_some(), "{what}: it hangs");
        assert!(ran.peak_kb.is_none_or(|peak| peak < MOST_KB), "{what}: {:?} KB", ran.peak_kb);
        assert!(!ran.report.is_null(), "{what}: {}", ran.text);
        ran
    }

    /// Runs the program with these arguments, and ends it after so much time.
    pub(crate) fn start(args: &[&str], most: Duration) -> Self {
        let start = Instant::now();
        let mut program = program();
        let piped = program.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (out, errors) = (drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap()));
        let (exit, peak_kb) = watch(&mut child, start, most);
        let took = start.elapsed();
        let (text, errors) = (out.join().unwrap(), errors.join().unwrap());
        let report = serde_json::from_str(&text).unwrap_or_default();
        Self { report, text, errors, exit, peak_kb, took }
    }

    /// Asserts that a row says so.
    pub(crate) fn says(&self, words: &str) {
        let messages: Vec<_> = self.rows().filter_map(|row| row["message"].as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(words)), "{words}: {messages:#?}");
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Value> {
        let categories = self.report["categories"].as_object();
        categories.into_iter().flat_map(|categories| categories.values()).flat_map(|rows| rows.as_array().unwrap())
    }

    pub(crate) fn passed(&self) -> usize {
        self.rows().filter(|row| row["status"] == "pass").count()
    }

    /// The ids of the rows that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        self.rows().filter(|row| row["status"] == "fail").filter_map(|row| row["test"].as_str()).collect()
    }

    /// Why the run saw less than it had to.
    pub(crate) fn incomplete(&self) -> &str {
        self.report["incomplete"].as_str().unwrap_or_default()
    }
}

fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end, or brings it about. The most memory that the program ever had is what the last reading says: the first may
/// be of our own, which the program shares for a moment when it starts. There is no such file but on Linux.
fn watch(child: &mut Child, start: Instant, most: Duration) -> (Option<i32>, Option<u64>) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), peak);
        }
        let now = std::fs::read_to_string(&status).ok();
        let line = now.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("VmHWM:")));
        peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).or(peak);
        if start.elapsed() > most {
            child.kill().unwrap();
            child.wait().unwrap();
            return (None, peak);
        }
        thread::sleep(Duration::from_millis(20));
    }
}
