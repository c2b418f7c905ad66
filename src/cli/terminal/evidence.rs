//! The evidence of a finding: the request, the answer, and the place in it; and how many exchanges are named.

use crate::engine::credentials::CREDENTIALS;
use crate::report::groups::distinct;
use crate::report::{CheckedRow, Report};
use crate::wire::exchange::Exchange;
use crate::wire::json::{Value, parse};

/// How many exchanges are named behind the first.
const MORE: usize = 4;

/// `exchange 41 (POST http://h/rpc GetTask: HTTP 200) at /error/code; also 42 and 43`.
pub(super) fn evidence(report: &Report, row: &CheckedRow) -> String {
    let mut text = String::new();
    if let Some((first, others)) = row.exchanges.split_first() {
        text = match report.exchanges.iter().find(|exchange| exchange.id == *first) {
            Some(exchange) => format!("exchange {first} ({})", asked_and_answered(exchange)),
            None => format!("exchange {first}"),
        };
        if let Some(pointer) = &row.pointer {
            text.push_str(&format!(" at {pointer}"));
        }
        let named: Vec<_> = others.iter().take(MORE).map(u32::to_string).collect();
        let rest = others.len().saturating_sub(MORE);
        if !named.is_empty() {
            let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
            text.push_str(&format!("; also {}{rest}", named.join(", ")));
        }
    } else if let Some(pointer) = &row.pointer {
        text.push_str(pointer);
    }
    text
}

/// `POST http://h/rpc GetTask: HTTP 200`.
fn asked_and_answered(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let document = request.body.as_deref().and_then(|body| parse(body).value);
    let method = document.as_ref().and_then(|document| document.get("method")).and_then(Value::as_str);
    let method = method.map_or_else(String::new, |method| format!(" {method}"));
    let answer = exchange.status().map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
    format!("{} {}{method}: {answer}", request.method, request.url)
}

/// The exchanges with the agent itself; tokens come from an authorization server.
pub(super) fn with_agent(report: &Report) -> impl DoubleEndedIterator<Item = &Exchange> {
    report.exchanges.iter().map(|exchange| &**exchange).filter(|exchange| exchange.scenario != CREDENTIALS)
}

/// The URLs that were tried for a card, or the address when nothing was sent.
pub(super) fn tried(report: &Report) -> String {
    let urls = distinct(with_agent(report).map(|exchange| exchange.request.url.as_str()));
    if urls.is_empty() { report.address.clone() } else { urls.join(", ") }
}
