//! HTTP+JSON (1.0 §11): reads an operation and its parameters from method, path, query and body, and calls it.

use serde_json::Value;

use super::call::Handled;
use super::call_form::{CallForm, IncomingCall};
use super::fault::FaultId;
use super::json_values::{data, set, set_text};
use super::params::query_param_value;
use super::rejection::Rejection;
use super::request::{json_body, query_pairs};
use super::responses::{method_not_allowed, not_found, plain_error, typed_response};
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use crate::a2a::binding::rest::{A2A_JSON, PathParameters, path_parameters};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::Operation;
use crate::host::StreamedResponse;
use crate::wire::http::{Method, Request};
use crate::wire::url::decode;

impl ScriptedAgent {
    /// Handles a request to a route, which is the path below the interface's URL.
    pub(super) fn handle_route(
        &self,
        served_version: &'static ServedVersion,
        request: &Request,
        path: &str,
    ) -> Handled {
        self.0.over_rpc.set(false);
        let (operation, path_params) = match self.find_route(served_version, request.method, path) {
            Ok(found) => found,
            Err(answer) => return Handled::Answer(answer),
        };
        let call = IncomingCall { served_version, form: CallForm::Http, operation: Some(operation) };
        if let Err(rejection) = self.check_version(served_version, request) {
            return Handled::Answer(call.answer(self, Err(rejection)));
        }
        let mut params = if request.method != Method::Post {
            query_params(operation, &request.url)
        } else if let Some(answer) = self.refuse_body(operation, request) {
            return Handled::Answer(answer);
        } else if request.body.as_ref().is_none_or(Vec::is_empty) {
            data("{}", &[])
        } else if let Some(body) = json_body(request) {
            body
        } else {
            return Handled::Answer(call.answer_malformed(self));
        };
        for (name, value) in path_params {
            set_text(&mut params, name, &value);
        }
        let params = served_version.translate_params(operation, Some(&params));
        let checked = self.check_extensions(served_version, operation, request);
        let mut outcome = checked.and_then(|()| self.operate(served_version, operation, params.as_ref()));
        if operation == Operation::CancelTask && self.has(FaultId::RestOtherErrors) {
            outcome = outcome.map_err(Rejection::not_cancelable_as_unsupported);
        }
        call.finish(self, outcome)
    }

    /// The operation of a route and the parameters in its path; otherwise the error to answer.
    fn find_route(
        &self,
        served_version: &ServedVersion,
        method: Method,
        path: &str,
    ) -> Result<(Operation, PathParameters), StreamedResponse> {
        let mut verbs = Vec::new();
        for (operation, verb, template) in
            if self.has(FaultId::RoutesOf10) { V1_0.routes } else { served_version.dialect.routes }
        {
            let moved = *operation == Operation::ListTasks && self.has(FaultId::RoutesUnderV1);
            let template = if moved { "/v1/tasks" } else { template };
            let Some(path_params) = path_parameters(template, path) else { continue };
            let missing = match operation {
                Operation::ListTasks => self.has(FaultId::RestWithoutList),
                Operation::CancelTask => self.has(FaultId::CancelMissing),
                Operation::ListPushConfigs => self.has(FaultId::RestWithoutPushList),
                _ => false,
            };
            if missing && verb == &method {
                break;
            }
            // 1.0 §11.3.2 subscribes by POST, the proto by GET.
            let verbs_here: &[Method] = match operation {
                Operation::SubscribeToTask => &[Method::Post, Method::Get],
                Operation::CancelTask if self.has(FaultId::CancelByGet) => &[Method::Get],
                _ => &[*verb],
            };
            if verbs_here.contains(&method) {
                return Ok((*operation, path_params));
            }
            verbs.extend(verbs_here.iter().map(|verb| verb.as_str()));
        }
        Err(if !verbs.is_empty() {
            method_not_allowed(&verbs.join(", "))
        } else if self.has(FaultId::AnyRouteAnswers) {
            typed_response(200, A2A_JSON, b"{}".to_vec())
        } else {
            not_found()
        })
    }

    /// The error for a body that is refused before it is read.
    fn refuse_body(&self, operation: Operation, request: &Request) -> Option<StreamedResponse> {
        let cancel = operation == Operation::CancelTask;
        let empty = request.body.as_ref().is_none_or(Vec::is_empty);
        if empty && cancel && self.has(FaultId::EmptyCancelRefused) {
            return Some(plain_error(400, "a body is required"));
        }
        let accepted = match request.headers.media_type().as_deref() {
            Some(A2A_JSON) => !self.has(FaultId::A2aJsonRefused),
            Some("application/json") => !(cancel && self.has(FaultId::PlainJsonRefused)),
            Some(_) if !empty && self.has(FaultId::OtherMediaTypeInternal) => {
                return Some(plain_error(500, "the body has no members"));
            }
            Some(_) => empty,
            None => true,
        };
        (!accepted).then(|| plain_error(415, "bodies of this media type are not accepted"))
    }
}

/// The parameters in a query. It may name the version, too, which is not a parameter.
fn query_params(operation: Operation, url: &str) -> Value {
    let mut params = data("{}", &[]);
    for (name, value) in query_pairs(url) {
        let name = decode(name);
        if !name.eq_ignore_ascii_case("a2a-version") {
            set(&mut params, &name, query_param_value(operation, &name, &decode(value)));
        }
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_matches_one_template_and_its_ids_are_decoded() {
        let matches = |path: &str| -> Vec<_> {
            let routes = V1_0.routes.iter();
            routes.filter_map(|(operation, _, template)| Some((*operation, path_parameters(template, path)?))).collect()
        };
        let id = |id: &str| vec![("id", id.to_owned())];
        assert_eq!(matches("/tasks/a%2Fb%3A"), [(Operation::GetTask, id("a/b:"))]);
        assert_eq!(matches("/tasks/a:cancel"), [(Operation::CancelTask, id("a"))]);
        let one = vec![("taskId", "a".to_owned()), ("id", "b".to_owned())];
        assert_eq!(
            matches("/tasks/a/pushNotificationConfigs/b"),
            [(Operation::GetPushConfig, one.clone()), (Operation::DeletePushConfig, one)]
        );
        for path in ["", "/", "/tasks/", "/tasks/a/b", "/tasks/a:b", "/tasks/:cancel", "/message:sen", "/message:send/"]
        {
            assert_eq!(matches(path), [], "{path}");
        }
    }
}
