//! The figures of a load: their names and tables, as a member of the JSON report, and side by side for two reports.

use super::json_writer::JsonWriter;
use super::members::Members;
use super::model::Report;
use crate::engine::lane_name::lane_name;
use crate::engine::load::{ConversationCounts, LatencyFigures, LoadFigures};

/// What the latencies are, in a sentence: it stands wherever they do.
pub const LATENCIES_IN_WORDS: &str =
    "Latencies count from when a request was due, so that a wait for the agent to have room is part of them.";

/// The names of the columns of a table of latencies, in milliseconds.
pub const COLUMNS: [&str; 6] = ["Operation", "Answers", "p50 ms", "p90 ms", "p99 ms", "max ms"];

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
        counts.begun,
        counts.due,
        lane_name(&figures.lane),
        counts.most_at_once,
        counts.accepted,
        counts.ended,
        counts.turned_away
    );
    let [achieved, asked, seconds] = [figures.achieved_rate, figures.rate, figures.duration_ms / 1000.0].map(figure);
    let rate = format!("{achieved} a second of {asked} for {seconds} s");
    let errors: Vec<String> = figures.errors.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
    let errors = if errors.is_empty() { "no errors".to_owned() } else { errors.join(", ") };
    vec![("Conversations", conversations), ("Rate", rate), ("Requests", format!("{}; {errors}", figures.requests))]
}

/// The rows of the table of latencies.
#[must_use]
pub fn latencies(figures: &LoadFigures) -> Vec<[String; 6]> {
    let row = |each: &LatencyFigures| {
        let [p50, p90, p99, max] = [each.p50, each.p90, each.p99, each.max].map(figure);
        [each.what.clone(), each.count.to_string(), p50, p90, p99, max]
    };
    figures.latencies.iter().map(row).collect()
}

/// Writes the member `load` of the JSON report, if there is one.
pub(super) fn write(w: &mut JsonWriter, report: &Report) {
    let Some(figures) = &report.load else { return };
    w.object("load", |w| {
        w.text("lane", &figures.lane);
        w.decimal("duration_ms", figures.duration_ms);
        w.decimal("rate", figures.rate);
        w.size("conversationsAtOnce", figures.conversations_at_once);
        w.decimal("took_ms", figures.took_ms);
        w.decimal("achievedRate", figures.achieved_rate);
        w.object("conversations", |w| {
            let counts = figures.conversations;
            w.number("due", counts.due);
            w.number("begun", counts.begun);
            w.number("accepted", counts.accepted);
            w.number("ended", counts.ended);
            w.number("turnedAway", counts.turned_away);
            w.number("mostAtOnce", counts.most_at_once);
        });
        w.number("requests", figures.requests);
        w.objects("errors", &figures.errors, |w, (kind, count)| {
            w.text("kind", kind);
            w.number("count", *count);
        });
        w.objects("latencies", &figures.latencies, |w, each| {
            w.text("what", &each.what);
            w.number("count", each.count);
            w.decimal("p50_ms", each.p50);
            w.decimal("p90_ms", each.p90);
            w.decimal("p99_ms", each.p99);
            w.decimal("max_ms", each.max);
        });
    });
}

/// Reads the member `load` of a JSON report.
pub(super) fn read(m: Members<'_>) -> LoadFigures {
    LoadFigures {
        lane: m.text("lane"),
        duration_ms: m.number("duration_ms"),
        rate: m.number("rate"),
        conversations_at_once: m.count("conversationsAtOnce"),
        took_ms: m.number("took_ms"),
        achieved_rate: m.number("achievedRate"),
        conversations: m.object("conversations", |m| ConversationCounts {
            due: m.count("due"),
            begun: m.count("begun"),
            accepted: m.count("accepted"),
            ended: m.count("ended"),
            turned_away: m.count("turnedAway"),
            most_at_once: m.count("mostAtOnce"),
        }),
        requests: m.count("requests"),
        errors: m.list("errors", |m| (m.text("kind"), m.count("count"))),
        latencies: m.list("latencies", |m| LatencyFigures {
            what: m.text("what"),
            count: m.count("count"),
            p50: m.number("p50_ms"),
            p90: m.number("p90_ms"),
            p99: m.number("p99_ms"),
            max: m.number("max_ms"),
        }),
    }
}

/// The figures, each with a name by which those of another load are found.
fn named(figures: &LoadFigures) -> Vec<(String, String)> {
    let counts = figures.conversations;
    let mut named = vec![
        ("lane".to_owned(), figures.lane.clone()),
        ("seconds".to_owned(), figure(figures.duration_ms / 1000.0)),
        ("conversations a second, asked for".to_owned(), figure(figures.rate)),
        ("conversations a second".to_owned(), figure(figures.achieved_rate)),
        ("conversations begun".to_owned(), counts.begun.to_string()),
        ("conversations accepted".to_owned(), counts.accepted.to_string()),
        ("conversations ended".to_owned(), counts.ended.to_string()),
        ("conversations turned away".to_owned(), counts.turned_away.to_string()),
        ("requests".to_owned(), figures.requests.to_string()),
    ];
    named.extend(figures.errors.iter().map(|(kind, count)| (format!("errors: {kind}"), count.to_string())));
    for each in &figures.latencies {
        let ms = [("p50", each.p50), ("p90", each.p90), ("p99", each.p99), ("max", each.max)];
        named.extend(ms.map(|(name, ms)| (format!("{} {name} ms", each.what), figure(ms))));
    }
    named
}

/// The figures of two loads side by side, each with its name; a dash where one of them has none. Empty when neither was one.
#[must_use]
pub fn side_by_side(before: Option<&LoadFigures>, after: Option<&LoadFigures>) -> Vec<[String; 3]> {
    let (before, after) = (before.map(named).unwrap_or_default(), after.map(named).unwrap_or_default());
    let of = |list: &[(String, String)], name: &str| {
        list.iter().find(|(known, _)| known == name).map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
    };
    let only_after = after.iter().filter(|(name, _)| before.iter().all(|(known, _)| known != name));
    let names = before.iter().chain(only_after).map(|(name, _)| name);
    names.map(|name| [name.clone(), of(&before, name), of(&after, name)]).collect()
}
