//! The events of a run, as a script gets them. Members that reports have too have the same names.

use crate::engine::event::{Activity, Completion, Event, Row, Tally};
use crate::report::json::completion_word;
use crate::wire::exchange::{End, Exchange};
use crate::wire::json::Value;

/// An event as a script gets it: objects with a member `type`.
#[must_use]
pub fn script_events(event: &Event) -> Vec<Value> {
    match event {
        Event::Started { settings, .. } if settings.repeat > 1 => vec![run_event(1, settings.repeat)],
        Event::OfRun { run, event } => of_further_run(*run, event),
        Event::Started { .. }
        | Event::Reach(_)
        | Event::LeftOut(_)
        | Event::Loaded(_)
        | Event::ScenarioStarted { .. } => Vec::new(),
        Event::Activity(activity) => {
            vec![object("stage", [("stage", stage(activity).into()), ("text", activity.to_string().into())])]
        }
        Event::Confirm { whom, url, complete, code } => {
            let asked =
                [("whom", text(whom)), ("url", text(url)), ("completeUrl", some(complete)), ("code", text(code))];
            vec![object("confirm", asked)]
        }
        Event::Agent(agent) => vec![object(
            "agent",
            [
                ("agentName", text(&agent.name)),
                ("agentVersion", text(&agent.version)),
                ("cardUrl", text(&agent.card_url)),
                ("protocolVersion", some(&agent.detected.0)),
            ],
        )],
        Event::Lanes(lanes) => {
            let ids: Value = lanes.iter().map(|lane| text(&lane.id)).collect();
            vec![object("lanes", [("lanes", ids)])]
        }
        Event::Planned { rows, messages } => {
            let rows: Value = rows.iter().map(|row| members(of_row(row))).collect();
            vec![object("planned", [("rows", rows), ("messages", (*messages).into())])]
        }
        Event::Exchanged(exchange) => vec![of_exchange(exchange)],
        Event::Judged { result, tally } => {
            let outcome = result.verdict.outcome;
            let verdict = [
                ("status", outcome.status().as_str().into()),
                ("reason", outcome.reason_in_files().into()),
                ("message", some(&result.verdict.message)),
                ("expected", result.verdict.expected.clone().into()),
                ("actual", result.verdict.actual.clone().into()),
                ("duration_ms", result.duration_ms.into()),
            ];
            vec![object("verdict", of_row(&result.row).into_iter().chain(verdict)), object("progress", counts(tally))]
        }
        Event::Finished { completion, tally, cause, duration_ms } => {
            let why = match completion {
                Completion::Incomplete(why) => Some(why.as_str()),
                completion => completion.part(),
            };
            let end = [
                ("completion", completion_word(Some(completion)).into()),
                ("incomplete", why.into()),
                ("cause", cause.clone().into()),
                ("duration_ms", (*duration_ms).into()),
            ];
            vec![object("progress", counts(tally)), object("finished", end)]
        }
    }
}

/// The events of a further run of the same agent while it goes on. What it shows that those before it did not follows when it is over.
fn of_further_run(run: u32, event: &Event) -> Vec<Value> {
    match event {
        Event::Started { settings, .. } => vec![run_event(run, settings.repeat)],
        Event::Activity(_) => script_events(event),
        Event::Judged { tally, .. } => vec![object("progress", counts(tally))],
        _ => Vec::new(),
    }
}

/// The event with which one of several runs begins.
fn run_event(run: u32, runs: u32) -> Value {
    object("run", [("run", run.into()), ("runs", runs.into())])
}

/// The event with which one of the runs of two agents begins: that of `a`, of `b`, or of `both`.
#[must_use]
pub fn report_event(report: &str) -> Value {
    object("report", [("report", text(report))])
}

fn of_row(row: &Row) -> [(&'static str, Value); 5] {
    [
        ("test", row.check.id.into()),
        ("title", row.check.title.into()),
        ("category", row.category().as_str().into()),
        ("lane", row.lane.as_ref().map(|lane| lane.id.as_str()).into()),
        ("level", row.level().as_str().into()),
    ]
}

fn of_exchange(exchange: &Exchange) -> Value {
    let failed = match &exchange.end {
        End::Complete | End::HungUp => None,
        end => end.cut(),
    };
    object(
        "exchange",
        [
            ("id", exchange.id.into()),
            ("lane", exchange.lane.clone().into()),
            ("scenario", text(&exchange.scenario)),
            ("step", text(&exchange.step)),
            ("method", exchange.request.method.as_str().into()),
            ("url", exchange.asked_url().into()),
            ("status", exchange.status().into()),
            ("problem", failed.into()),
            ("duration_ms", exchange.duration_ms().into()),
        ],
    )
}

fn counts(tally: &Tally) -> [(&'static str, Value); 9] {
    [
        ("total", tally.total.into()),
        ("judged", tally.judged.into()),
        ("passed", tally.passed.into()),
        ("failed", tally.failed.into()),
        ("skipped", tally.skipped.into()),
        ("failedRequired", tally.failed_required.into()),
        ("failedAdvisory", tally.failed_advisory.into()),
        ("inconclusive", tally.inconclusive.into()),
        ("blocked", tally.blocked.into()),
    ]
}

const fn stage(activity: &Activity) -> &'static str {
    match activity {
        Activity::ReadingCard => "reading-card",
        Activity::WaitingForPermission => "waiting-for-permission",
        Activity::Diagnosing => "diagnosing",
        Activity::Talking(_) => "talking",
    }
}

/// An object of this type. What is null is left out, as in a report.
fn object(kind: &str, given: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    members([("type", kind.into())].into_iter().chain(given))
}

fn members(given: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let present = given.into_iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn text(text: &str) -> Value {
    text.into()
}

fn some(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { text.into() }
}
