//! The figures of a load, as reports show them, and as two reports are compared by them. A page puts no agent under load, so that nothing of
//! this is in its module.

use super::json_writer::JsonWriter;
use super::members::Members;
use super::model::Report;
use crate::engine::load::LoadFigures;

/// What the latencies are, in a sentence: it stands wherever they do.
pub const LATENCIES_IN_WORDS: &str =
    "Latencies count from when a request was due, so that a wait for the agent to have room is part of them.";

/// The names of the columns of a table of latencies, in milliseconds.
pub const COLUMNS: [&str; 6] = ["Operation", "Answers", "p50 ms", "p90 ms", "p99 ms", "max ms"];

impl Report {
    /// The figures of the load that the agent was put under; none in a page.
    #[must_use]
    pub fn load_figures(&self) -> Option<&LoadFigures> {
        if cfg!(target_arch = "wasm32") { None } else { self.load.as_deref() }
    }
}

/// A figure as it is shown, without digits that mean nothing.
fn figure(value: f64) -> String {
    let digits = if value >= 100.0 || value.fract() == 0.0 { 0 } else { 1 };
    format!("{value:.digits$}")
}

/// The facts of a load, each with its name.
#[must_use]
pub fn facts(figures: &LoadFigures) -> Vec<(&'static str, String)> {
    let counts = figures.conversations;
    let conversations = format!(
        "{} of {} due on {}, {} at once at most; {} accepted, {} of them ended, {} turned away",
        counts.begun, counts.due, figures.lane, counts.most_at_once, counts.accepted, counts.ended, counts.turned_away
    );
    let rate = format!(
        "{} a second of {} for {} s",
        figure(figures.achieved_rate),
        figure(figures.rate),
        figure(figures.duration_ms / 1000.0)
    );
    let errors: Vec<String> = figures.errors.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
    let errors = if errors.is_empty() { "no errors".to_owned() } else { errors.join(", ") };
    vec![("Conversations", conversations), ("Rate", rate), ("Requests", format!("{}; {errors}", figures.requests))]
}

/// The rows of the table of latencies.
#[must_use]
pub fn latencies(figures: &LoadFigures) -> Vec<[String; 6]> {
    let row = |each: &crate::engine::load::LatencyFigures| {
        [
            each.what.clone(),
            each.count.to_string(),
            figure(each.p50),
            figure(each.p90),
            figure(each.p99),
            figure(each.max),
        ]
    };
    figures.latencies.iter().map(row).collect()
}

/// Writes the member `load` of the JSON report, if there is one.
pub(super) fn write(w: &mut JsonWriter, report: &Report) {
    let Some(figures) = report.load_figures() else { return };
    w.open("load", '{');
    w.text("lane", &figures.lane);
    w.ms("duration_ms", figures.duration_ms);
    w.decimal("rate", figures.rate);
    w.size("conversationsAtOnce", figures.conversations_at_once);
    w.ms("took_ms", figures.took_ms);
    w.decimal("achievedRate", figures.achieved_rate);
    w.open("conversations", '{');
    let counts = figures.conversations;
    for (name, count) in [
        ("due", counts.due),
        ("begun", counts.begun),
        ("accepted", counts.accepted),
        ("ended", counts.ended),
        ("turnedAway", counts.turned_away),
        ("mostAtOnce", counts.most_at_once),
    ] {
        w.number(name, count);
    }
    w.close('}');
    w.number("requests", figures.requests);
    w.open("errors", '[');
    for (kind, count) in &figures.errors {
        w.open("", '{');
        w.text("kind", kind);
        w.number("count", *count);
        w.close('}');
    }
    w.close(']');
    w.open("latencies", '[');
    for each in &figures.latencies {
        w.open("", '{');
        w.text("what", &each.what);
        w.number("count", each.count);
        for (name, ms) in [("p50_ms", each.p50), ("p90_ms", each.p90), ("p99_ms", each.p99), ("max_ms", each.max)] {
            w.ms(name, ms);
        }
        w.close('}');
    }
    w.close(']');
    w.close('}');
}

/// Reads the member `load` of a JSON report as a list of figures with their names, which two reports are compared by; empty in a page.
pub(super) fn read(m: Members<'_>) -> Vec<(String, String)> {
    if cfg!(target_arch = "wasm32") {
        return Vec::new();
    }
    m.maybe_object("load", |m| {
        let mut figures = vec![
            ("lane".to_owned(), m.text("lane")),
            ("seconds".to_owned(), figure(m.number("duration_ms") / 1000.0)),
            ("conversations a second, asked for".to_owned(), figure(m.number("rate"))),
            ("conversations a second".to_owned(), figure(m.number("achievedRate"))),
        ];
        let counts = m.object("conversations", |m| {
            [("begun", "begun"), ("accepted", "accepted"), ("ended", "ended"), ("turned away", "turnedAway")]
                .map(|(name, member)| (format!("conversations {name}"), m.count::<u64>(member).to_string()))
                .to_vec()
        });
        figures.extend(counts);
        figures.push(("requests".to_owned(), m.count::<u64>("requests").to_string()));
        figures
            .extend(m.list("errors", |m| (format!("errors: {}", m.text("kind")), m.count::<u64>("count").to_string())));
        let of_latency = |m: Members<'_>| {
            let what = m.text("what");
            ["p50_ms", "p90_ms", "p99_ms", "max_ms"].map(|name| {
                let title = name.trim_end_matches("_ms");
                (format!("{what} {title} ms"), figure(m.number(name)))
            })
        };
        figures.extend(m.list("latencies", of_latency).into_iter().flatten());
        figures
    })
    .unwrap_or_default()
}

/// The figures of two loads side by side, each with its name; a dash where one of them has none. Empty when neither was one.
#[must_use]
pub fn side_by_side(before: &[(String, String)], after: &[(String, String)]) -> Vec<[String; 3]> {
    let of = |list: &[(String, String)], name: &str| {
        list.iter().find(|(known, _)| known == name).map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
    };
    let only_after = after.iter().filter(|(name, _)| before.iter().all(|(known, _)| known != name));
    let names = before.iter().chain(only_after).map(|(name, _)| name);
    names.map(|name| [name.clone(), of(before, name), of(after, name)]).collect()
}
