//! Asks an agent which version it answers in, where nothing else tells: the newest first, and the next only where that is not
//! known. None of it makes the agent work, but for the messages at the end, which are sent only where nothing else helps.

use std::rc::Rc;

use super::drive::Driver;
use super::prompt::Behaviour;
use super::transcript::Step;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::binding::{Binding, Call, ReplyKind};
use crate::a2a::dialect::{Dialect, v0_1::V0_1, v0_2::V0_2, v0_3::V0_3, v1_0::V1_0};
use crate::a2a::grpc_codec::STATUS;
use crate::a2a::model::{Interface, Operation};
use crate::wire::grpc::code_name;
use crate::wire::json::Value;

/// The steps that ask with a method of one version each, and without parameters so that nothing is done.
const QUESTIONS: [(&str, &Dialect); 3] = [(FIRST, &V1_0), ("speaks-0.2", &V0_2), (LAST, &V0_1)];
const FIRST: &str = "speaks-1.0";
const LAST: &str = "speaks-0.1";
/// The steps that ask by a real message, where the answers to the others show nothing: some agents break at a request without
/// parameters, whatever its method.
const MESSAGES: [(&str, &Dialect); 2] = [("speaks-message-1.0", &V1_0), ("speaks-message", &V0_2)];

/// Whether the agent knows the method that a question named, as far as the answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MethodIs {
    Known,
    /// The samples of 0.1 call a request of an unknown method invalid, and others one without parameters.
    Invalid,
    Unknown,
    /// The answer is not an answer of the binding.
    Open,
}

fn method_is(step: &Step) -> MethodIs {
    if let Some(answer) = step.exchange.response.as_ref().and_then(|response| response.grpc.as_ref()) {
        let code = answer.trailers.as_ref().and_then(|trailers| trailers.get(STATUS)?.parse().ok()).and_then(code_name);
        return match code {
            Some("UNIMPLEMENTED") => MethodIs::Unknown,
            Some(_) => MethodIs::Known,
            None => MethodIs::Open,
        };
    }
    let status = step.exchange.status().unwrap_or_default();
    // Over HTTP a method is a route.
    if step.exchange.request.url.ends_with(ROUTE) {
        return match status {
            404 | 405 | 501 => MethodIs::Unknown,
            200..=299 | 400 | 409 | 415 | 422 => MethodIs::Known,
            _ => MethodIs::Open,
        };
    }
    let Some(document) = &step.reply.document else { return MethodIs::Open };
    match document.get("error").and_then(|error| error.get("code")).and_then(Value::as_i64) {
        Some(-32601) => MethodIs::Unknown,
        Some(code) if code == VERSION_NOT_SUPPORTED && step.name == FIRST => MethodIs::Unknown,
        Some(-32600) => MethodIs::Invalid,
        Some(_) => MethodIs::Known,
        None if document.get("jsonrpc").is_some() && document.get("result").is_some() => MethodIs::Known,
        None => MethodIs::Open,
    }
}

/// How the route of a message ends, in every version.
const ROUTE: &str = "/message:send";
/// 1.0 §5.4; a request that names a version and is refused for it shows that this one is not served.
const VERSION_NOT_SUPPORTED: i64 = -32009;

/// The answers to some of the steps, with the versions whose methods they named.
fn answers(steps: &[Rc<Step>], asked: &[(&str, &'static Dialect)]) -> Vec<(MethodIs, &'static Dialect)> {
    let answer = |(name, dialect): &(&str, &'static Dialect)| {
        let step = steps.iter().find(|step| step.name == *name)?;
        Some((method_is(step), *dialect))
    };
    asked.iter().filter_map(answer).collect()
}

/// The newest version whose method the agent knows by the answers so far. `None` while it is not clear.
#[must_use]
pub fn version_answered(steps: &[Rc<Step>]) -> Option<&'static Dialect> {
    let answers = self::answers(steps, &QUESTIONS);
    let known = |answers: &[(MethodIs, &'static Dialect)]| {
        answers.iter().find(|(answer, _)| *answer == MethodIs::Known).map(|(_, dialect)| *dialect)
    };
    // When all were asked, the only one that is not unknown.
    let all_asked = steps.iter().any(|step| step.name == LAST);
    let mut left = answers.iter().filter(|(answer, _)| *answer != MethodIs::Unknown);
    let by_exclusion = match (left.next(), left.next()) {
        (Some((MethodIs::Invalid, dialect)), None) if all_asked => Some(*dialect),
        _ => None,
    };
    known(&answers).or(by_exclusion).or_else(|| known(&self::answers(steps, &MESSAGES)))
}

/// Where to ask, and what every call there has to name.
pub struct VersionTarget {
    /// The interface; its version does not matter.
    pub interface: Interface,
    /// The extensions that the agent requires.
    pub extensions: Vec<String>,
    /// Whether it may speak the newest version.
    pub may_be_newest: bool,
}

/// Asks: each question only where the answers before it did not tell.
pub async fn ask_version(d: &Driver, target: &VersionTarget) {
    let from = usize::from(!target.may_be_newest);
    let mut steps: Vec<Rc<Step>> = Vec::new();
    for (name, dialect) in QUESTIONS.iter().skip(from) {
        let Some(step) = ask(d, target, name, dialect, Value::Object(Default::default())).await else { continue };
        let is_closed = matches!(step.reply.kind, ReplyKind::NoAnswer(_) | ReplyKind::Unavailable(_));
        steps.push(step);
        if is_closed || version_answered(&steps).is_some() {
            return;
        }
    }
    for (name, dialect) in MESSAGES.iter().skip(from) {
        // Where the method does not exist, a message would not tell more.
        let is_unknown = |known: &(MethodIs, &Dialect)| known.0 == MethodIs::Unknown && std::ptr::eq(known.1, *dialect);
        if answers(&steps, &QUESTIONS).iter().any(is_unknown) {
            continue;
        }
        let Some(message) = d.prompt(Behaviour::Complete) else { return };
        d.count_message();
        let Some(step) = ask(d, target, name, dialect, (dialect.send_params)(dialect, &message)).await else {
            continue;
        };
        steps.push(step);
        if version_answered(&steps).is_some() {
            return;
        }
    }
}

/// Asks with the method that sends messages in that version; `None` where the binding has none in it.
async fn ask(
    d: &Driver,
    target: &VersionTarget,
    name: &'static str,
    dialect: &'static Dialect,
    params: Value,
) -> Option<Rc<Step>> {
    let binding = Binding::named(&target.interface.binding)?;
    // 0.2 and 0.3 name their methods alike, and gRPC came with 0.3.
    let dialect = if binding.id == GRPC.id && std::ptr::eq(dialect, &V0_2) { &V0_3 } else { dialect };
    let interface = Interface { version: dialect.version.to_owned(), ..target.interface.clone() };
    let call = Call {
        operation: Some(Operation::SendMessage),
        params: Some(params),
        id: Value::from("speaks"),
        extensions: Some(target.extensions.clone()),
        ..Call::default()
    };
    Some(d.fetch(name, (binding.request)(dialect.over(binding.id), &interface, &call).ok()?).await)
}
