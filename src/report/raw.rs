//! The way out when a writer fails: everything that was recorded, as plain JSON put together by hand, so that no fault
//! in a report loses a run.

use serde_json::{Value, json};

use super::model::{Report, TOOL};
use crate::engine::event::Completion;

/// Why a raw dump was written: a reader tells it from a report by this member.
pub const KIND: &str = "raw-results";

/// The results and the exchanges as JSON. Cannot fail: it uses nothing of the writers.
#[must_use]
pub fn write(report: &Report) -> String {
    let results: Vec<Value> = report
        .results
        .iter()
        .map(|result| {
            json!({
                "test": result.check,
                "lane": result.lane,
                "level": result.level.as_str(),
                "status": result.outcome.status().as_str(),
                "reason": result.outcome.reason(),
                "message": result.message,
                "expected": result.expected,
                "actual": result.actual,
                "pointer": result.pointer,
                "exchanges": result.exchanges,
                "spec": result.spec,
                "remediation": result.remediation,
            })
        })
        .collect();
    let exchanges: Vec<Value> = report
        .exchanges
        .iter()
        .map(|exchange| {
            let response = exchange.response.as_ref();
            let sent = exchange.request.body.as_deref();
            json!({
                "id": exchange.id,
                "lane": exchange.lane,
                "scenario": exchange.scenario,
                "step": exchange.step,
                "method": exchange.request.method.as_str(),
                "url": exchange.request.url,
                "requestBody": sent.map(String::from_utf8_lossy),
                "status": response.map(|response| response.status),
                "responseHeaders": response.map(|response| response.headers.iter().collect::<Vec<_>>()),
                "responseBody": response.map(|response| String::from_utf8_lossy(&response.body)),
                "events": response.map(|response| {
                    response.frames.iter().map(|timed| timed.frame.data.as_str()).collect::<Vec<_>>()
                }),
                "end": format!("{:?}", exchange.end),
            })
        })
        .collect();
    let completion = match &report.completion {
        None => "running".to_owned(),
        Some(Completion::Complete) => "complete".to_owned(),
        Some(Completion::Filtered) => "filtered".to_owned(),
        Some(Completion::Stopped) => "stopped".to_owned(),
        Some(Completion::Incomplete(why)) => format!("incomplete: {why}"),
    };
    let dump = json!({
        "kind": KIND,
        "tool": format!("{TOOL} {}", report.environment.tool_version),
        "agentUrl": report.address,
        "completion": completion,
        "cause": report.cause,
        "results": results,
        "exchanges": exchanges,
    });
    format!("{dump:#}\n")
}
