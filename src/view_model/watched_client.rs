//! A client that is watched live: what it sent, newest first, how many requests of it are shown, and every check with what was
//! found so far.

use super::format;
use super::rows::RowStatus;
use super::text_table::{TextCell, TextTable};
use crate::engine::discover::{Address, normalise};
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::report::{CheckedRow, Report};
use crate::view_model::banner::Banner;
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;
use crate::wire::order;

const MOST: usize = 200;

/// The agent that watches as far as the address of the form tells it: that of an agent on this machine, as `serve` names the one beside
/// the page. Of no other it is known that it watches; empty then.
#[must_use]
pub fn watched_agent(typed: &str) -> String {
    let address = normalise(typed).ok().filter(Address::is_loopback);
    address.map(|address| address.origin()).unwrap_or_default()
}

/// What came of a look at the watch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watching {
    /// Why nothing can be seen, and what to do; else empty.
    pub problem: String,
    /// What there is to see; `None` where it is what was seen before.
    pub seen: Option<WatchedClient>,
}

binary_encoding! { struct Watching { problem, seen } }

/// What was found of the clients so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WatchedClient {
    /// The mark by which the next look knows whether something is new.
    pub mark: String,
    /// The clients' own names, and the agent that they call.
    pub subject: String,
    /// The verdict so far: `Client: conformant`.
    pub title: String,
    /// Its reason.
    pub reason: String,
    /// The requests, and the checks.
    pub tables: Vec<TextTable>,
}

binary_encoding! { struct WatchedClient { mark, subject, title, reason, tables } }

impl WatchedClient {
    /// What a report on clients amounts to so far.
    #[must_use]
    pub fn from_report(report: &Report, mark: String) -> Self {
        let banner = Banner::from_report(report, &|row| (row.title.to_owned(), String::new()));
        let name = report.agent.as_ref().map_or("No client", |agent| &agent.name);
        Self {
            mark,
            subject: format!("{name}, at {}", report.address),
            title: banner.title,
            reason: banner.reason,
            tables: vec![requests(report), checks(report)],
        }
    }
}

/// The requests, the newest first.
fn requests(report: &Report) -> TextTable {
    let head = ["No.", "After", "Request", "Interface", "Answer", "Found"];
    let mut table = TextTable::new("watched-requests", "Requests", &head);
    let mut exchanges: Vec<&Exchange> = report.exchanges.iter().map(|exchange| &**exchange).collect();
    order::sort_by_key(&mut exchanges, |exchange| std::cmp::Reverse(exchange.id));
    let all = exchanges.len();
    for exchange in exchanges.into_iter().take(MOST) {
        let lane = exchange.lane.as_deref().map(lane_name).unwrap_or_default();
        let answer = exchange.status().map_or_else(|| exchange.end.no_answer(), |status| format!("HTTP {status}"));
        let texts = [
            exchange.id.to_string(),
            format::duration(exchange.sent_ms),
            operation(exchange),
            if lane.is_empty() { "-".to_owned() } else { lane },
            answer,
        ];
        let mut row: Vec<TextCell> = texts.into_iter().map(TextCell::plain).collect();
        row.push(found(report, exchange.id));
        table.rows.push(row);
    }
    table.note = match all {
        0 => "No request has come yet. Point your client at the agent, and each request stands here as soon as it was answered."
            .to_owned(),
        all if all > MOST => format!("The newest {MOST} of {all} requests. The report has all of them."),
        _ => String::new(),
    };
    table
}

/// The operation that a request calls, or what else it is.
fn operation(exchange: &Exchange) -> String {
    match exchange.step.as_str() {
        "card" => "Agent card".to_owned(),
        "elsewhere" => format!("{} outside of every interface", exchange.request.method),
        "unknown" => "an operation of no version".to_owned(),
        step => step.to_owned(),
    }
}

fn found(report: &Report, id: u32) -> TextCell {
    let is_about =
        |row: &&CheckedRow| matches!(row.outcome, Outcome::Fail | Outcome::Note) && row.exchanges.contains(&id);
    let mut rows: Vec<&CheckedRow> = report.results.iter().filter(is_about).collect();
    order::sort_by_key(&mut rows, |row| RowStatus::Judged(row.outcome, row.level).rank());
    let Some(worst) = rows.first() else { return TextCell::plain("-") };
    let texts: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.check, row.message)).collect();
    TextCell { kind: RowStatus::Judged(worst.outcome, worst.level).kind().id().to_owned(), text: texts.join("; ") }
}

/// Every check, the failures first, and last those for which the client has done nothing yet.
fn checks(report: &Report) -> TextTable {
    let mut table = TextTable::new("watched-checks", "Checks", &["Result", "Check", "Interface", "What was seen"]);
    let mut rows: Vec<&CheckedRow> = report.results.iter().collect();
    order::sort_by_key(&mut rows, |row| RowStatus::Judged(row.outcome, row.level).rank());
    for row in rows {
        let status = RowStatus::Judged(row.outcome, row.level);
        let word = match row.outcome {
            Outcome::NotApplicable | Outcome::Inconclusive => "not seen yet",
            _ => status.word(),
        };
        let level = if row.level == Level::Must { "" } else { " (recommended)" };
        table.rows.push(vec![
            TextCell { kind: status.kind().id().to_owned(), text: word.to_owned() },
            TextCell::plain(format!("{}{level}", row.title)),
            TextCell::plain(row.lane.as_deref().map_or_else(|| "all".to_owned(), lane_name)),
            TextCell::plain(row.message.clone()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Environment, ReportBuilder};

    #[test]
    fn before_the_first_request_it_says_what_to_do() {
        let report =
            ReportBuilder::new(Environment { tool_version: "0".into(), host: "page".into(), user_agent: None })
                .report();
        let seen = WatchedClient::from_report(&report, "1-0".to_owned());
        assert_eq!(seen.tables.iter().map(|table| table.rows.len()).collect::<Vec<_>>(), [0, 0]);
        assert!(seen.tables[0].note.starts_with("No request has come yet"), "{seen:?}");
    }
}
