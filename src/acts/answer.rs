//! The answer to a step, in the form that assertions look at: the object of A2A without what carried it.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::a2a::binding::{ReplyKind, SentCall};
use crate::a2a::model::AgentError;
use crate::a2a::rule::Notes;
use crate::engine::transcript::{Lane, Step};
use crate::wire::exchange::Exchange;
use crate::wire::json::parse;

pub(super) struct StepAnswer {
    /// What assertions look at: the result; `{"error": …}`; or of a stream `{"events": […]}`.
    pub(super) root: Value,
    /// What came, in general.
    pub(super) kind: AnswerOutcome,
    pub(super) status: Option<u16>,
    /// The header fields, with names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) exchange: Rc<Exchange>,
    pub(super) duration_ms: f64,
    /// Why a stream was left before its end, if it was.
    pub(super) cut: Option<String>,
}

/// What came, in general.
pub(super) enum AnswerOutcome {
    Success,
    Error(AgentError),
    Stream(Vec<Value>),
    /// Neither, in words.
    Other(String),
    /// Nothing was sent, because there are no words for it in this binding or version.
    NotSent(String),
}

impl StepAnswer {
    /// The answer to a call of an operation.
    pub(super) fn to_call(step: &Step) -> Self {
        let document = step.reply.document.as_deref().cloned();
        let (kind, root) = match &step.reply.kind {
            ReplyKind::Result(_) => (AnswerOutcome::Success, unwrapped(document.unwrap_or_default())),
            ReplyKind::Error(error) => {
                let first = events(&step.exchange).into_iter().next();
                (AnswerOutcome::Error(error.clone()), json!({ "error": error_object(document.or(first)) }))
            }
            ReplyKind::Stream(_) => {
                let events: Vec<Value> = events(&step.exchange).into_iter().map(unwrapped).collect();
                let root = json!({ "events": events });
                (AnswerOutcome::Stream(events), root)
            }
            ReplyKind::Unavailable(status) => {
                let error = AgentError { status: *status, ..AgentError::default() };
                (AnswerOutcome::Error(error), json!({ "error": error_object(document) }))
            }
            ReplyKind::Unreadable(what) | ReplyKind::NoAnswer(what) => {
                (AnswerOutcome::Other(what.clone()), Value::Null)
            }
            ReplyKind::NotExpressible(why) => (AnswerOutcome::NotSent(why.clone()), Value::Null),
        };
        Self::new(&step.exchange, kind, root)
    }

    /// The answer to a request that was written in the file: its body as it is.
    pub(super) fn to_written(step: &Step, lane: Option<&Lane>) -> Self {
        let Some(response) = &step.exchange.response else {
            let why = step.exchange.end.no_answer();
            return Self::new(&step.exchange, AnswerOutcome::Other(why), Value::Null);
        };
        if response.is_event_stream() {
            let events = events(&step.exchange);
            let root = json!({ "events": events });
            return Self::new(&step.exchange, AnswerOutcome::Stream(events), root);
        }
        let root = step.reply.document.clone().unwrap_or_default();
        let read = lane.map(|lane| {
            (lane.binding.read)(lane.dialect, &SentCall::default(), &root, response.status, &mut Notes::default())
        });
        let kind = match read {
            Some(ReplyKind::Error(error)) => AnswerOutcome::Error(error),
            _ if response.status >= 400 => {
                AnswerOutcome::Error(AgentError { status: response.status, ..AgentError::default() })
            }
            _ => AnswerOutcome::Success,
        };
        Self::new(&step.exchange, kind, Rc::unwrap_or_clone(root))
    }

    fn new(exchange: &Rc<Exchange>, kind: AnswerOutcome, root: Value) -> Self {
        let response = exchange.response.as_ref();
        let headers = response.map(|response| response.headers.iter()).into_iter().flatten();
        Self {
            root,
            kind,
            status: exchange.status(),
            headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect(),
            exchange: Rc::clone(exchange),
            duration_ms: exchange.duration_ms(),
            cut: exchange.end.cut(),
        }
    }

    /// What came, for "got …".
    pub(super) fn describe(&self) -> String {
        match &self.kind {
            AnswerOutcome::Success => format!("a result with HTTP {}", self.status.unwrap_or_default()),
            AnswerOutcome::Error(error) => error.describe(),
            AnswerOutcome::Stream(events) if events.len() == 1 => "a stream of 1 event".to_owned(),
            AnswerOutcome::Stream(events) => format!("a stream of {} events", events.len()),
            AnswerOutcome::Other(what) | AnswerOutcome::NotSent(what) => what.clone(),
        }
    }

    /// The error's details: `error.data` of JSON-RPC, `error.details` of HTTP.
    pub(super) fn error_data(&self) -> Option<&Value> {
        let error = self.root.get("error")?;
        error.get("data").or_else(|| error.get("details"))
    }
}

/// The documents of a stream's events.
fn events(exchange: &Exchange) -> Vec<Value> {
    let frames = exchange.response.iter().flat_map(|response| &response.frames);
    let texts = frames.map(|timed| timed.frame.data.trim()).filter(|data| !data.is_empty());
    texts.map(|data| parse(data.as_bytes()).value.unwrap_or_else(|| Value::from(data))).collect()
}

/// A document without the envelope of JSON-RPC.
pub(super) fn unwrapped(mut document: Value) -> Value {
    if document.get("jsonrpc").is_none() {
        return document;
    }
    document.get_mut("result").map(Value::take).unwrap_or_default()
}

/// The error of a document, or the document where it is the error itself.
fn error_object(document: Option<Value>) -> Value {
    let mut document = document.unwrap_or_else(|| json!({}));
    document.get_mut("error").map(Value::take).unwrap_or(document)
}
