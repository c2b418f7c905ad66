//! HTTP+JSON (1.0 §11): a route, a query and a body in, an operation's parameters out; errors as google.rpc.Status.

use serde_json::Value;

use super::call::{Call, CallForm};
use super::fault::{FaultId, Faults};
use super::json_values::{data, set, set_text};
use super::mutate::{self, Shape};
use super::operations::around;
use super::params::of_query;
use super::rpc::{Rejection, body_of, query_pairs};
use super::served_version::ServedVersion;
use super::{Handled, ScriptedAgent, json_answer, not_allowed, not_found, plain_error};
use crate::a2a::binding::rest::A2A_JSON;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;
use crate::wire::http::{Method, Request};
use crate::wire::url::decode;

impl ScriptedAgent {
    /// Answers a request to a path below the interface's URL.
    pub(super) fn call_route(&self, served_version: &'static ServedVersion, request: &Request, path: &str) -> Handled {
        let (operation, in_path) = match self.route(served_version, request.method, path) {
            Ok(found) => found,
            Err(answer) => return Handled::Answer(answer),
        };
        let call = Call { served_version, form: CallForm::Http, operation: Some(operation) };
        if let Err(refusal) = self.check_version(served_version, request) {
            return Handled::Answer(call.answer(self, Err(refusal)));
        }
        let mut params = if request.method != Method::Post {
            in_query(operation, &request.url)
        } else if let Some(answer) = self.refused_body(operation, request) {
            return Handled::Answer(answer);
        } else if request.body.as_ref().is_none_or(Vec::is_empty) {
            data("{}", &[])
        } else if let Some(body) = body_of(request) {
            body
        } else {
            return Handled::Answer(self.malformed(&call));
        };
        for (name, value) in in_path {
            set_text(&mut params, name, &value);
        }
        let params = served_version.translate_params(operation, Some(&params));
        let checked = self.check_extensions(served_version, operation, request);
        let mut outcome = checked.and_then(|()| self.operate(served_version, operation, params.as_ref()));
        if operation == Operation::CancelTask && self.has(FaultId::RestOtherErrors) {
            outcome = outcome.map_err(Rejection::misnamed);
        }
        call.served(self, outcome)
    }

    /// The operation that has this route, and what its path says; else the answer that there is none.
    fn route(
        &self,
        served_version: &ServedVersion,
        method: Method,
        path: &str,
    ) -> Result<(Operation, PathParams), StreamedResponse> {
        let mut verbs = String::new();
        for (operation, verb, template) in
            if self.has(FaultId::RoutesOf10) { V1_0.routes } else { served_version.dialect.routes }
        {
            let moved = *operation == Operation::ListTasks && self.has(FaultId::RoutesUnderV1);
            let template = if moved { "/v1/tasks" } else { template };
            let Some(in_path) = fit(template, path) else { continue };
            let lost = match operation {
                Operation::ListTasks => self.has(FaultId::RestWithoutList),
                Operation::ListPushConfigs => self.has(FaultId::RestWithoutPushList),
                _ => false,
            };
            if lost && verb == &method {
                break;
            }
            // 1.0 §11.3.2 has POST for a subscription, and the proto has GET.
            let verbs_here: &[Method] = match operation {
                Operation::SubscribeToTask => &[Method::Post, Method::Get],
                Operation::CancelTask if self.has(FaultId::CancelByGet) => &[Method::Get],
                _ => &[*verb],
            };
            if verbs_here.contains(&method) {
                return Ok((*operation, in_path));
            }
            for verb in verbs_here {
                verbs.push_str(if verbs.is_empty() { "" } else { ", " });
                verbs.push_str(verb.as_str());
            }
        }
        Err(if !verbs.is_empty() {
            not_allowed(&verbs)
        } else if self.has(FaultId::AnyRouteAnswers) {
            json_answer(200, A2A_JSON, b"{}".to_vec())
        } else {
            not_found()
        })
    }

    /// What is answered to a body that is not even looked at, if it is one of these.
    fn refused_body(&self, operation: Operation, request: &Request) -> Option<StreamedResponse> {
        let cancel = operation == Operation::CancelTask;
        let empty = request.body.as_ref().is_none_or(Vec::is_empty);
        if empty && cancel && self.has(FaultId::EmptyCancelRefused) {
            return Some(plain_error(400, "a body is required"));
        }
        let taken = match request.headers.media_type().as_deref() {
            Some(A2A_JSON) => !self.has(FaultId::A2aJsonRefused),
            Some("application/json") => !(cancel && self.has(FaultId::PlainJsonRefused)),
            Some(_) => empty,
            None => true,
        };
        (!taken).then(|| plain_error(415, "bodies of this media type are not accepted"))
    }
}

/// Names and values of what a path says.
type PathParams = Vec<(&'static str, String)>;

/// What a path says in the places that a template has in braces; none if it does not fit the template.
fn fit(template: &'static str, path: &str) -> Option<PathParams> {
    let mut found = PathParams::new();
    let (mut template, mut path) = (template, path);
    while let Some((before, after)) = template.split_once('{') {
        let (name, after) = after.split_once('}')?;
        path = path.strip_prefix(before)?;
        // A colon begins what is done with the thing that the path names.
        let end = path.find(['/', ':']).unwrap_or(path.len());
        let (value, rest) = path.split_at_checked(end).filter(|(value, _)| !value.is_empty())?;
        found.push((name, decode(value)));
        (template, path) = (after, rest);
    }
    (template == path).then_some(found)
}

/// The parameters that a query holds. The version may stand there, too, and is none.
fn in_query(operation: Operation, url: &str) -> Value {
    let mut params = data("{}", &[]);
    for (name, value) in query_pairs(url) {
        let name = decode(name);
        if !name.eq_ignore_ascii_case("a2a-version") {
            set(&mut params, &name, of_query(operation, &name, &decode(value)));
        }
    }
    params
}

/// The answer to a call: its result as it is, or its error with the status that belongs to it.
pub(super) fn answer(
    served_version: &ServedVersion,
    faults: &Faults,
    outcome: Result<Value, Rejection>,
) -> StreamedResponse {
    let (status, value) = match outcome {
        Ok(result) => (200, result),
        // 0.3 §3.2.3 wants one form for all errors, and that of JSON-RPC has the codes.
        Err(refusal) if served_version.older.is_some() => {
            let mut error = refusal.to_value(served_version, faults);
            mutate::mutate(faults, &mut error, Shape::Error);
            let status = served_version.dialect.status_of(refusal.name(served_version, faults));
            if faults.has(FaultId::ErrorsAsText) {
                return json_answer(status, "text/plain", refusal.message().as_bytes().to_vec());
            }
            (if faults.has(FaultId::RestErrorsOk) { 200 } else { status }, error)
        }
        Err(refusal) => {
            let name = refusal.name(served_version, faults);
            let broken = V1_0.error_reason(name).is_some() && faults.has(FaultId::StatusAlways500);
            let status = if broken { 500 } else { V1_0.status_of(name) };
            let mut error = data(
                r#"{"code":0,"status":"{status}","message":"{message}"}"#,
                &[("{status}", grpc_status(name)), ("{message}", refusal.message())],
            );
            set(&mut error, "code", status.into());
            set(&mut error, "details", refusal.details(name));
            let mut body = around("error", error);
            mutate::mutate(faults, &mut body, Shape::HttpError);
            (status, body)
        }
    };
    let usual = if served_version.older.is_some() { "application/json" } else { A2A_JSON };
    json_answer(status, mutate::media_type(faults, usual), mutate::bytes(faults, &value))
}

/// 1.0 §5.4.
const fn grpc_status(name: ErrorName) -> &'static str {
    match name {
        ErrorName::TaskNotFound | ErrorName::MethodNotFound => "NOT_FOUND",
        ErrorName::Internal | ErrorName::InvalidAgentResponse => "INTERNAL",
        ErrorName::Parse
        | ErrorName::InvalidRequest
        | ErrorName::InvalidParams
        | ErrorName::ContentTypeNotSupported => "INVALID_ARGUMENT",
        _ => "FAILED_PRECONDITION",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_one_template_and_says_its_ids_decoded() {
        let fits = |path: &str| -> Vec<_> {
            let routes = V1_0.routes.iter();
            routes.filter_map(|(operation, _, template)| Some((*operation, fit(template, path)?))).collect()
        };
        let id = |id: &str| vec![("id", id.to_owned())];
        assert_eq!(fits("/tasks/a%2Fb%3A"), [(Operation::GetTask, id("a/b:"))]);
        assert_eq!(fits("/tasks/a:cancel"), [(Operation::CancelTask, id("a"))]);
        let one = vec![("taskId", "a".to_owned()), ("id", "b".to_owned())];
        assert_eq!(
            fits("/tasks/a/pushNotificationConfigs/b"),
            [(Operation::GetPushConfig, one.clone()), (Operation::DeletePushConfig, one)]
        );
        for path in ["", "/", "/tasks/", "/tasks/a/b", "/tasks/a:b", "/tasks/:cancel", "/message:sen", "/message:send/"]
        {
            assert_eq!(fits(path), [], "{path}");
        }
    }
}
