//! The whole of a body that was cut where it was first shown, or its bytes as they came, and how much of it is shown then.

use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;
use crate::wire::json::{self, Line, Value};

/// How much is shown when all of it is asked for, in bytes: what a browser lays out without a pause that anybody would mind.
const SHOWN: usize = 1_000_000;

/// A body of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSide {
    /// That of the request.
    Request,
    /// That of the answer.
    Answer,
    /// The data of an event, from 1.
    Event(usize),
}

binary_encoding! { enum MessageSide { Request, Answer, Event(of) } }

/// A body in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullBody {
    /// The text.
    pub text: String,
    /// A note on what is still left out; else empty.
    pub cut: String,
}

binary_encoding! { struct FullBody { text, cut } }

/// A body in full: as it came, or laid out if it is JSON. `None` for one that is not there.
#[must_use]
pub fn whole(exchange: &Exchange, part: MessageSide, is_raw: bool) -> Option<FullBody> {
    let answer = exchange.response.as_ref();
    let (bytes, total) = match part {
        MessageSide::Request => exchange.request.body.as_deref().map(|body| (body, body.len()))?,
        MessageSide::Answer => answer.map(|answer| (answer.body.as_slice(), answer.bytes.max(answer.body.len())))?,
        MessageSide::Event(number) => {
            let data = answer?.frames.get(number.checked_sub(1)?)?.frame.data.as_bytes();
            (data, data.len())
        }
    };
    let laid_out = if is_raw { None } else { json::read(bytes).as_ref().map(laid_out) };
    let text = laid_out.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    let is_cut = text.len() > SHOWN || bytes.len() < total;
    let text = crate::report::text::head(&text, SHOWN).to_owned();
    let cut = if is_cut { "The rest is not shown; the downloaded report has what was read of it." } else { "" };
    Some(FullBody { text, cut: cut.to_owned() })
}

/// A JSON value over several lines.
#[must_use]
pub fn laid_out(value: &Value) -> String {
    let line = |line: &Line| {
        let spans: String = line.spans.iter().map(|span| span.text.as_str()).collect();
        format!("{}{spans}", "  ".repeat(line.indent.min(40)))
    };
    json::tokens(value).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{End, Response, TimedFrame};
    use crate::wire::http::Request;
    use crate::wire::sse::Frame;

    fn answered(body: &str, events: &[&str]) -> Exchange {
        let frame = |data: &&str| TimedFrame { at_ms: 1.0, frame: Frame { data: (*data).into(), ..Frame::default() } };
        let response = Response {
            status: 200,
            body: body.as_bytes().to_vec(),
            bytes: body.len(),
            frames: events.iter().map(frame).collect(),
            ..Response::default()
        };
        Exchange {
            id: 1,
            lane: None,
            scenario: "s".into(),
            step: "send".into(),
            request: Request::get("http://h/"),
            sent_ms: 0.0,
            response: Some(response),
            end: End::Complete,
            end_ms: 1.0,
        }
    }

    #[test]
    fn the_whole_of_a_body_is_there_raw_and_laid_out() {
        let values: Vec<String> = (0..5_000).map(|n| format!("\"value {n}\"")).collect();
        let body = format!("[ {} ]", values.join(" ,"));
        let exchange = answered(&body, &[r#"{"b":1}"#]);
        assert_eq!(
            whole(&exchange, MessageSide::Answer, true).unwrap(),
            FullBody { text: body.clone(), cut: String::new() }
        );
        let pretty = whole(&exchange, MessageSide::Answer, false).unwrap();
        assert!(
            pretty.text.starts_with("[\n  \"value 0\",\n") && pretty.text.contains("value 4999"),
            "{}",
            pretty.text.len()
        );
        assert_eq!(whole(&exchange, MessageSide::Event(1), false).unwrap().text, "{\n  \"b\": 1\n}");
        assert_eq!(whole(&exchange, MessageSide::Event(2), false), None);
        assert_eq!(whole(&exchange, MessageSide::Request, true), None);
    }

    #[test]
    fn what_is_far_too_long_is_cut_and_says_so() {
        let whole = whole(&answered(&"\u{fc}".repeat(SHOWN), &[]), MessageSide::Answer, true).unwrap();
        assert!(whole.text.len() <= SHOWN && whole.cut.contains("downloaded report"));
    }
}
