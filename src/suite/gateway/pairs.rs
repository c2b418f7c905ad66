//! A request that was sent both ways, to the agent itself and through the gateway: its two answers, how they are compared, and the
//! words of a difference.

use std::rc::Rc;

use serde_json::Value;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{AgentError, ErrorName};
use crate::engine::prelude::{Judged, Step, Transcript, Verdict};
use crate::wire::json::{ValueDifference, brief, diff};

/// The steps of a request: the one that was sent directly, and the one that went through the gateway.
pub(super) type Names = (&'static str, &'static str);

/// The two answers to a request.
#[derive(Clone, Copy)]
pub(super) struct Pair<'t> {
    pub(super) direct: &'t Rc<Step>,
    pub(super) through: &'t Rc<Step>,
}

/// The gateway, for people.
pub(super) fn gateway(t: &Transcript) -> String {
    t.facts.gateway.as_ref().map(|route| route.name()).unwrap_or_default()
}

/// The answers to a request that the agent answered directly, or why there is nothing to compare.
pub(super) fn pair(t: &Transcript, names: Names) -> Result<Pair<'_>, Verdict> {
    let direct = t.answered(names.0)?;
    Ok(Pair { direct, through: through(t, names.1)? })
}

/// The pairs of these that were answered directly.
pub(super) fn pairs<'t>(t: &'t Transcript, names: &[Names]) -> Vec<Pair<'t>> {
    names.iter().filter_map(|names| pair(t, *names).ok()).collect()
}

/// What came back through the gateway; *not observable* when it is hidden.
pub(super) fn through<'t>(t: &'t Transcript, name: &str) -> Result<&'t Rc<Step>, Verdict> {
    let step = t.step(name)?;
    if step.is_hidden() { Err(hidden(t, step)) } else { Ok(step) }
}

/// The verdict on what the host hides (T-GW-6).
pub(super) fn hidden(t: &Transcript, step: &Step) -> Verdict {
    let why = format!(
        "a page can read what comes through {} only if the gateway lets the page's origin in (Access-Control-Allow-Origin), also in \
         preflights and errors; the command line needs no such header",
        gateway(t)
    );
    Verdict::not_observable(why).seen_in(step.exchange.id)
}

impl Pair<'_> {
    /// Whether both answers say the same: both succeed, or both are the same error with the same details.
    pub(super) fn is_same(&self) -> bool {
        match (&self.direct.reply.kind, &self.through.reply.kind) {
            (ReplyKind::Result(_), ReplyKind::Result(_)) | (ReplyKind::Stream(_), ReplyKind::Stream(_)) => true,
            (ReplyKind::Error(direct), ReplyKind::Error(through)) => {
                let told = |error: &AgentError| (error.name, error.code, error.grpc_code, error.reason.clone());
                told(direct) == told(through) || self.has_same_document()
            }
            (ReplyKind::Unreadable(_) | ReplyKind::Unavailable(_), _) => {
                self.has_same_document() || self.direct.reply.kind == self.through.reply.kind
            }
            _ => false,
        }
    }

    /// Whether the answers have the same document, but for the id of the request.
    fn has_same_document(&self) -> bool {
        let without_id = |step: &Step| {
            let mut document = step.reply.document.as_deref().cloned()?;
            if let Value::Object(map) = &mut document {
                map.shift_remove("id");
            }
            Some(document)
        };
        let direct = without_id(self.direct);
        direct.is_some() && direct == without_id(self.through)
    }

    /// Whether a difference is a finding of its own; *blocked* when it is that of another check, which refuses the request as a whole.
    pub(super) fn unexplained(&self) -> Result<(), Verdict> {
        if self.is_same() {
            return Ok(());
        }
        let by = match &self.through.reply.kind {
            ReplyKind::Unavailable(401 | 403) => "gateway.credentials-kept",
            ReplyKind::Error(error) if error.name == Some(ErrorName::VersionNotSupported) => "gateway.version-kept",
            ReplyKind::Error(error) if error.name == Some(ErrorName::ExtensionSupportRequired) => {
                "gateway.extensions-kept"
            }
            ReplyKind::Unavailable(429 | 503) => {
                return Err(self.through.blocked("the gateway limits the rate of calls, or is not available"));
            }
            _ => return Ok(()),
        };
        Err(self.through.blocked(format!("{} through the gateway; see {by}", self.through.reply.kind.describe())))
    }

    /// The verdict where what came through the gateway shows nothing of what is to be judged.
    pub(super) fn blocked(&self) -> Verdict {
        Verdict::blocked(format!("{} through the gateway", self.through.reply.kind.describe()))
    }

    /// A finding that names the gateway as its cause.
    pub(super) fn differs(&self, t: &Transcript, expected: impl AsRef<str>, actual: impl AsRef<str>) -> Verdict {
        let expected = format!("{}, as without the gateway", expected.as_ref());
        let actual = format!("{} through {}", actual.as_ref(), gateway(t));
        self.through.fail(expected, actual).seen_in(self.direct.exchange.id)
    }

    /// The finding that the answers differ as a whole.
    pub(super) fn answers_differ(&self, t: &Transcript) -> Verdict {
        self.differs(t, self.direct.reply.kind.describe(), self.through.reply.kind.describe())
    }

    /// The finding that the answers have different media types, if they have.
    pub(super) fn media_types_differ(&self, t: &Transcript) -> Option<Verdict> {
        let [direct, through] = [self.direct, self.through].map(|step| {
            let media_type = step.exchange.response.as_ref().and_then(|response| response.headers.media_type());
            media_type.unwrap_or_else(|| "no Content-Type".to_owned())
        });
        (direct != through).then(|| self.differs(t, direct, through).at("header Content-Type"))
    }

    /// That the claim holds.
    pub(super) fn holds(&self) -> Verdict {
        self.direct.pass().seen_in(self.through.exchange.id)
    }
}

/// The value at the place of a difference, in words.
pub(super) fn shown_at(difference: &ValueDifference, value: &Value, length: usize) -> String {
    difference.pointer.resolve(value).map_or_else(|| "nothing".to_owned(), |value| brief(value, length))
}

/// Where two values differ, but for where two readings of the first differ from each other.
pub(super) fn lasting_differences(direct: &Value, through: &Value, moving: &[ValueDifference]) -> Vec<ValueDifference> {
    let is_moving = |at: &str| moving.iter().any(|moved| at.starts_with(moved.pointer.as_str()));
    let mut found = diff(direct, through);
    found.retain(|change| !is_moving(change.pointer.as_str()));
    found
}

/// Judges all of these pairs that can be compared by one function: the first finding, or a pass that rests on all. A pass would be said of
/// what is hidden, too.
pub(super) fn each(
    t: &Transcript,
    names: &[Names],
    nothing: &str,
    finding: impl Fn(&Pair<'_>) -> Result<Option<Verdict>, Verdict>,
) -> Judged {
    let mut seen: Option<Verdict> = None;
    let mut why = None;
    for pair in pairs(t, names) {
        match finding(&pair) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {
                let verdict = seen.unwrap_or_else(Verdict::pass);
                seen = Some(verdict.seen_in(pair.direct.exchange.id).seen_in(pair.through.exchange.id));
            }
            Err(open) => why = why.or(Some(open)),
        }
    }
    let answered = names.iter().filter(|names| t.answered(names.0).is_ok());
    if let Some(step) = answered.filter_map(|names| t.step(names.1).ok()).find(|step| step.is_hidden()) {
        return Err(hidden(t, step));
    }
    seen.ok_or_else(|| why.unwrap_or_else(|| Verdict::inconclusive(nothing)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::a2a::model::Payload;
    use crate::engine::transcript::examples::{error, step};

    fn is_same(direct: ReplyKind, through: ReplyKind, documents: [Option<Value>; 2]) -> bool {
        let [own, others] = documents.map(|document| document.map(Rc::new));
        let mut both = [step("direct", 1, direct), step("through", 2, through)];
        (both[0].reply.document, both[1].reply.document) = (own, others);
        let [direct, through] = both.map(Rc::new);
        Pair { direct: &direct, through: &through }.is_same()
    }

    #[test]
    fn what_cannot_be_read_is_the_same_if_the_gateway_hands_it_on() {
        let unreadable = |what: &str| ReplyKind::Unreadable(what.to_owned());
        let result = || ReplyKind::Result(Payload::Nothing);
        assert!(is_same(ReplyKind::Unavailable(503), ReplyKind::Unavailable(503), [None, None]));
        assert!(!is_same(ReplyKind::Unavailable(503), ReplyKind::Unavailable(500), [None, None]));
        assert!(is_same(unreadable("a page"), unreadable("a page"), [None, None]));
        assert!(!is_same(unreadable("a page"), result(), [None, None]));
        assert!(!is_same(result(), unreadable("a page"), [None, None]));
        // The same document, but for the request's id.
        let documents = [1, 2].map(|id| Some(json!({ "id": id, "detail": "no" })));
        assert!(is_same(unreadable("an object"), unreadable("a page"), documents));
        assert!(is_same(error(ErrorName::TaskNotFound), error(ErrorName::TaskNotFound), [None, None]));
        assert!(!is_same(error(ErrorName::TaskNotFound), error(ErrorName::Internal), [None, None]));
    }

    #[test]
    fn a_gateway_that_refuses_every_call_is_told_of_by_the_check_that_says_why() {
        let direct = Rc::new(step("direct", 1, ReplyKind::Result(Payload::Nothing)));
        for (kind, see) in [
            (ReplyKind::Unavailable(401), Some("see gateway.credentials-kept")),
            (error(ErrorName::VersionNotSupported), Some("see gateway.version-kept")),
            (error(ErrorName::ExtensionSupportRequired), Some("see gateway.extensions-kept")),
            (ReplyKind::Unavailable(429), Some("limits the rate")),
            (error(ErrorName::TaskNotFound), None),
            (ReplyKind::Result(Payload::Nothing), None),
        ] {
            let through = Rc::new(step("through", 2, kind));
            let why = Pair { direct: &direct, through: &through }.unexplained().err();
            match (&why, see) {
                (Some(verdict), Some(see)) => assert!(verdict.message.contains(see), "{verdict:?}"),
                (found, see) => assert!(found.is_none() && see.is_none(), "{found:?} {see:?}"),
            }
        }
    }
}
