//! The definition of a binding: a name, and the functions that write its requests and read its answers.

use std::rc::Rc;

use serde_json::Value;

use super::call::{Call, SentCall};
use super::reply::{Reply, ReplyKind, StreamItemKind};
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{AgentError, Interface};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::url::{Url, UrlProblem};

/// A way of carrying operations over HTTP.
pub struct Binding {
    /// As interfaces declare it: `JSONRPC`.
    pub id: &'static str,
    /// As lane ids spell it: `jsonrpc`.
    pub slug: &'static str,
    /// As people read it: `JSON-RPC`.
    pub title: &'static str,
    /// The media types that a unary answer may have.
    pub media_types: &'static [&'static str],
    /// The content of a unary answer, for a finding.
    pub one_document: &'static str,
    /// The rule that an answer is one of this binding at all, which a check of its own judges.
    pub form: Rule,
    /// Whether a body that cannot be read breaks that rule: on some routes only the web framework may answer.
    pub has_form: fn(&Dialect, &SentCall, u16) -> bool,
    /// The URL that an interface with this one is requested at.
    pub url: fn(&str) -> Result<String, UrlProblem>,
    /// Makes the request of a call; the error says why the binding has no words for it.
    pub request: fn(&Dialect, &Interface, &Call) -> Result<Request, String>,
    /// Whether an answer of that status may have no body at all.
    pub may_be_empty: fn(&SentCall, u16) -> bool,
    /// Whether an answer of that status may be due to the verb, so that the other one should be tried.
    pub blames_verb: fn(&SentCall, u16) -> bool,
    /// The error of a refusal without a JSON document, by its status, in a version that leaves the form of errors open.
    pub wordless: fn(&Dialect, u16) -> Option<AgentError>,
    /// Reads the reply out of a recorded exchange.
    pub reply: fn(&Self, &Dialect, &SentCall, &Exchange) -> Reply,
    /// Reads the document of a unary answer.
    pub read: fn(&Dialect, &SentCall, &Rc<Value>, u16, &mut Notes) -> ReplyKind,
    /// Reads the data of one event of a stream.
    pub event: fn(&Dialect, &SentCall, &str, &mut Notes) -> StreamItemKind,
}

/// The URL of an interface that is an HTTP URL itself.
pub(super) fn http_url(url: &str) -> Result<String, UrlProblem> {
    Url::parse(url).map(|_| url.to_owned())
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Binding({})", self.id)
    }
}
