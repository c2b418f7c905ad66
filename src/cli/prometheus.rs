//! The measurements of a run as Prometheus reads them: its text format, for a file that a collector picks up.

use std::fmt::Write;

use crate::report::{Distribution, Report, RewardTotal, RunMetrics, StepMetrics};

/// The quantiles that are written: minimum, median, 95 % and maximum.
const QUANTILES: [f64; 4] = [0.0, 0.5, 0.95, 1.0];

type Labels = Vec<(&'static str, String)>;

pub(super) fn write(report: &Report) -> String {
    let metrics = RunMetrics::from_report(report);
    let steps: Vec<(Labels, &StepMetrics)> = metrics.steps.iter().map(|step| (labels(step), step)).collect();
    let total = [(Labels::new(), &metrics.total)];
    let mut text = String::new();
    families(&mut text, "a2a_step", "of a step", &steps);
    families(&mut text, "a2a_run", "of the run", &total);
    gauge(&mut text, "a2a_run_tests_passed", "Tests that passed.", metrics.passed as f64);
    gauge(&mut text, "a2a_run_tests_judged", "Tests that passed or failed.", metrics.judged as f64);
    rewards(&mut text, report);
    text
}

/// What tests have earned: each, and all together.
fn rewards(text: &mut String, report: &Report) {
    let Some(total) = RewardTotal::from_report(report) else { return };
    head(text, "a2a_test_reward", "gauge", "What a test has earned.");
    for row in &report.results {
        if let Some(reward) = row.reward {
            let lane = row.lane.clone().unwrap_or_default();
            line(text, "a2a_test_reward", &vec![("lane", lane), ("test", row.check.to_owned())], reward.earned);
        }
    }
    gauge(text, "a2a_run_reward_sum", "What all tests have earned.", total.earned);
    gauge(text, "a2a_run_reward_worth", "What they would have earned at most.", total.worth);
    gauge(text, "a2a_run_reward_mean", "What a test has earned on average.", total.mean());
}

/// A figure of the whole run.
fn gauge(text: &mut String, name: &str, help: &str, value: f64) {
    head(text, name, "gauge", help);
    line(text, name, &Labels::new(), value);
}

/// A family of durations: its name, what it tells, and where a step has it.
type DurationFamily = (&'static str, &'static str, fn(&StepMetrics) -> &Distribution);

/// The same of a count.
type CountFamily = (&'static str, &'static str, fn(&StepMetrics) -> usize);

/// Everything that is measured of some requests, by families as the format wants them.
fn families(text: &mut String, prefix: &str, of: &str, all: &[(Labels, &StepMetrics)]) {
    let durations: [DurationFamily; 2] = [
        ("request_duration_seconds", "From sending a request to the end of its answer", |step| &step.latency),
        ("first_event_seconds", "From sending a request to the first event of its stream", |step| &step.first_event),
    ];
    for (name, help, of_step) in durations {
        let name = format!("{prefix}_{name}");
        head(text, &name, "summary", &format!("{help}, {of}."));
        for (labels, step) in all {
            summary(text, &name, labels, of_step(step));
        }
    }
    let counts: [CountFamily; 4] = [
        ("requests", "Requests that were sent", |step| step.requests),
        ("requests_answered", "Requests that were answered to the end, with a status below 500", |step| step.answered),
        ("sent_bytes", "Bytes of the bodies of requests", |step| step.sent_bytes),
        ("received_bytes", "Bytes of the bodies of answers", |step| step.received_bytes),
    ];
    for (name, help, of_step) in counts {
        let name = format!("{prefix}_{name}");
        head(text, &name, "gauge", &format!("{help}, {of}."));
        for (labels, step) in all {
            line(text, &name, labels, of_step(step) as f64);
        }
    }
}

fn labels(step: &StepMetrics) -> Labels {
    vec![("lane", step.lane.clone()), ("test", step.test.clone()), ("step", step.step.clone())]
}

fn summary(text: &mut String, name: &str, labels: &Labels, values: &Distribution) {
    for quantile in QUANTILES {
        if let Some(ms) = values.quantile(quantile) {
            let labels = labels.iter().cloned().chain([("quantile", quantile.to_string())]).collect();
            line(text, name, &labels, ms / 1000.0);
        }
    }
    line(text, &format!("{name}_sum"), labels, values.sum() / 1000.0);
    line(text, &format!("{name}_count"), labels, values.count() as f64);
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string has no error to report.
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn line(text: &mut String, name: &str, labels: &Labels, value: f64) {
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", quoted(value))).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(text, "{name}{labels} {value}");
}
