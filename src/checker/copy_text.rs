//! The text that is copied from a result: the finding, with the first exchange that it rests on; how it is worded is in
//! `report/finding.rs`.

use crate::engine::event::CheckResult;
use crate::report::finding::Finding;
use crate::view_model::detail::Detail;
use crate::view_model::rows::{RowInfo, RowStatus};
use crate::view_model::wire;
use crate::wire::exchange::{Exchange, Response};

/// How many events of a stream are quoted.
const EVENTS: usize = 20;

/// A result as it is told somebody else.
pub(super) fn finding(
    info: &RowInfo,
    result: &CheckResult,
    detail: &Detail,
    exchange: Option<&Exchange>,
    (address, tool): (&str, &str),
) -> Finding {
    let level = result.level.title();
    let mut rules = Vec::new();
    for rule in &detail.rules {
        if rule.quote.is_none() {
            rules.extend(rule.cites.first().map(|(cite, url)| (rule.title.clone(), cite.clone(), url.clone())));
        }
        rules.extend(rule.quote.iter().map(|quote| (quote.text.clone(), quote.place.clone(), quote.url.clone())));
    }
    Finding {
        title: info.title.clone(),
        check: info.check.clone(),
        lane: info.lane_label.clone(),
        result: format!("{} ({level})", RowStatus::Judged(result.verdict.outcome, result.level).word()),
        address: address.to_owned(),
        message: detail.message.clone(),
        pair: detail.pair.clone(),
        place: detail.place.clone(),
        rules,
        why: detail.why.clone(),
        fix: detail.fix.clone(),
        sheets: exchange.map(sheets).unwrap_or_default(),
        command: exchange.map(wire::bash).unwrap_or_default(),
        tool: tool.to_owned(),
    }
}

fn sheets(exchange: &Exchange) -> Vec<(String, String)> {
    let request = &exchange.request;
    let sent = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let answer = match &exchange.response {
        Some(answer) => format!("HTTP {}\n{}", answer.status, received(answer)),
        None => exchange.end.no_answer(),
    };
    vec![
        ("Request".to_owned(), format!("{} {}\n{sent}", request.method, request.url).trim_end().to_owned()),
        ("Answer".to_owned(), answer.trim_end().to_owned()),
    ]
}

fn received(answer: &Response) -> String {
    if answer.frames.is_empty() {
        return String::from_utf8_lossy(&answer.body).into_owned();
    }
    let events =
        answer.frames.iter().take(EVENTS).map(|timed| format!("data: {}", timed.frame.data.replace('\n', "\ndata: ")));
    events.collect::<Vec<_>>().join("\n\n")
}
