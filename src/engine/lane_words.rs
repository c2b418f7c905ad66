//! Texts of checks on a lane: operations have the names of its version, and over gRPC a status code stands where other bindings have a
//! number of JSON-RPC or an HTTP status.

use super::sdk::advice_on;
use super::transcript::Lane;
use super::verdict::Verdict;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::GrpcService;
use crate::wire::grpc::{code_name, code_of_status};

/// What to do about a finding, in the words of its lane. What a check tells about an operation is of use to somebody who has it, so that one
/// that is missing is to be implemented first. An SDK may have named the mistake in the error that it returns.
#[must_use]
pub fn remedy(lane: Option<&Lane>, fix: &str, verdict: &Verdict) -> String {
    let fix = in_words_of(lane, fix);
    let verdicts = || verdict.of_runs.iter().map(|each| &each.verdict).chain([verdict]);
    let missing = verdicts().find_map(|verdict| verdict.missing);
    if let Some(advice) = verdicts().find_map(|verdict| advice_on(verdict.actual.as_deref()?)) {
        return format!("{advice} {fix}");
    }
    match lane.zip(missing).and_then(|(lane, operation)| lane.method(operation)) {
        Some(method) => format!("Implement {method} first. {fix}"),
        None => fix,
    }
}

/// A text of a check, such as what to do, in the words of a lane's version and binding.
#[must_use]
pub fn in_words_of(lane: Option<&Lane>, text: &str) -> String {
    let Some(lane) = lane else { return text.to_owned() };
    let service = lane.dialect.grpc.as_ref().filter(|_| lane.binding.id == GRPC.id);
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        if let Some((name, method)) = method_for(lane, word) {
            words.push(word.replacen(name, method, 1));
            continue;
        }
        let core = word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-');
        let code = service.and_then(|service| code_for(lane, service, core));
        // "HTTP 401" is one name of a status.
        if code.is_some() && words.last().is_some_and(|last| last == "HTTP") {
            words.pop();
        }
        words.push(code.map_or_else(|| word.to_owned(), |code| word.replace(core, code)));
    }
    words.join(" ")
}

/// The method that a word names, and what the lane calls it. Texts name operations as the newest version does.
fn method_for<'w>(lane: &Lane, word: &'w str) -> Option<(&'w str, &'static str)> {
    let name = word.split(|c: char| !c.is_ascii_alphanumeric()).find(|part| !part.is_empty())?;
    let (operation, _) = Dialect::newest().methods.iter().find(|(_, method)| *method == name)?;
    Some((name, lane.method(*operation)?))
}

/// The status code in place of a number of JSON-RPC, or of an HTTP status that refuses a call.
fn code_for(lane: &Lane, service: &'static GrpcService, number: &str) -> Option<&'static str> {
    match number.parse::<i64>().ok()? {
        code @ ..=-32000 => service.code_of(lane.dialect.error_name(code)?),
        401 => code_name(code_of_status(401)),
        403 => code_name(code_of_status(403)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::{Card, Interface};
    use crate::engine::discover::lanes;

    fn said_in(version: &str, binding: &str, text: &str) -> String {
        let (url, version) = ("http://h:1".to_owned(), version.to_owned());
        let interface = Interface { url, binding: binding.to_owned(), version, tenant: None };
        let lanes = lanes(&Card { interfaces: vec![interface], ..Card::default() }).0;
        in_words_of(lanes.first().map(AsRef::as_ref), text)
    }

    #[test]
    fn older_versions_have_other_names_for_the_operations() {
        let text = "Implement CancelTask, and return the Task; GetTask's answer, SendMessage and ListTasks.";
        for (version, binding, older) in [
            (
                "0.3",
                "JSONRPC",
                "Implement tasks/cancel, and return the Task; tasks/get's answer, message/send and ListTasks.",
            ),
            (
                "0.1",
                "JSONRPC",
                "Implement tasks/cancel, and return the Task; tasks/get's answer, tasks/send and ListTasks.",
            ),
            ("1.0", "JSONRPC", text),
            ("1.0", "HTTP+JSON", text),
        ] {
            assert_eq!(said_in(version, binding, text), older);
        }
    }

    #[test]
    fn over_grpc_numbers_become_status_codes() {
        let said = |binding: &str, text: &str| said_in("1.0", binding, text);
        for (text, over_grpc) in [
            ("Return -32001 (TaskNotFoundError).", "Return NOT_FOUND (TaskNotFoundError)."),
            ("UnsupportedOperationError (-32004), always", "UnsupportedOperationError (FAILED_PRECONDITION), always"),
            ("Return HTTP 401 first, and 403 then.", "Return UNAUTHENTICATED first, and PERMISSION_DENIED then."),
            ("The message/send of 1.0 §3.1.1 - and 2 more", "The message/send of 1.0 §3.1.1 - and 2 more"),
        ] {
            assert_eq!(said("GRPC", text), over_grpc);
            assert_eq!(said("JSONRPC", text), text);
        }
    }
}
