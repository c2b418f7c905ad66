//! gRPC (1.0 §10, 0.3 §3.2.2): reads an operation and its message from path and body, and calls it; and what a server has beside the
//! service of A2A: reflection, which names its services, and health.

use serde_json::{Value, json};

use super::call::Handled;
use super::call_form::IncomingCall;
use super::fault::{FaultId, Faults};
use super::grpc_answer::{media_type, message_and_end, refusal};
use super::proto_shapes::params_from_proto;
use super::rejection::Rejection;
use super::request::json_body;
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use crate::a2a::grpc_codec::message_of;
use crate::a2a::model::{ErrorName, Operation};
use crate::a2a::proto;
use crate::host::StreamedResponse;
use crate::wire::http::Request;
use crate::wire::protobuf::{Schema, encode};

impl ScriptedAgent {
    /// Puts the message of a request over gRPC into its body, as JSON. One that cannot be read leaves no body.
    pub(super) fn open_message(&self, request: &mut Request) {
        if !self.is_grpc(request) {
            return;
        }
        let readable = message_of(request).filter(|message| message.flaws.is_empty() && !message.is_cut);
        request.body = readable.map(|message| message.value.to_string().into_bytes());
    }

    pub(super) fn handle_grpc(&self, request: &Request) -> Handled {
        self.0.over_rpc.set(false);
        let (served_version, path) = self.served_version(request);
        if let Some(answer) = self.serve_beside(served_version, request) {
            return Handled::Answer(answer);
        }
        if self.has(FaultId::GrpcUnavailable) {
            return Handled::Answer(refusal(&media_type(request), "UNAVAILABLE", "the model is starting", None));
        }
        let Some(operation) = self.method_of(served_version, path) else {
            return Handled::Answer(refusal(&media_type(request), "UNIMPLEMENTED", "unknown method", None));
        };
        let call = IncomingCall { operation: Some(operation), ..IncomingCall::from_request(self, request) };
        let ignores_metadata = self.has(FaultId::GrpcMetadataIgnored);
        if let Err(rejection) = self.check_version(served_version, request)
            && !ignores_metadata
        {
            return Handled::Answer(call.answer(self, Err(rejection)));
        }
        let Some(mut params) = json_body(request) else {
            return call.finish(self, Err(Rejection::new(ErrorName::InvalidParams, "the message cannot be read")));
        };
        if served_version.older.is_some() {
            params_from_proto(operation, &mut params);
        }
        let params = served_version.translate_params(operation, Some(&params));
        let checked = if ignores_metadata { Ok(()) } else { self.check_extensions(served_version, operation, request) };
        call.finish(self, checked.and_then(|()| self.operate(served_version, operation, params.as_ref())))
    }

    /// The operation whose method a path names.
    fn method_of(&self, served_version: &ServedVersion, path: &str) -> Option<Operation> {
        let (service, method) = path.trim_start_matches('/').rsplit_once('/')?;
        let known = served_version.grpc()?;
        let served = self.service_name(served_version)?;
        let is_missing = |operation: Operation| {
            (operation == Operation::CancelTask && self.has(FaultId::GrpcCancelMissing))
                || (operation.streams() && self.has(FaultId::GrpcStreamsMissing))
        };
        let (operation, _) = known.methods.iter().find(|(_, name)| *name == method && service == served)?;
        Some(*operation).filter(|operation| !is_missing(*operation))
    }

    /// The answer of a service beside that of A2A; `None` for a call that is for A2A's. Reflection has the older of its names, as in
    /// Google's library for Python.
    pub(super) fn serve_beside(&self, served_version: &ServedVersion, request: &Request) -> Option<StreamedResponse> {
        let (schema, _) = proto::method_at(&request.url)?;
        let serves = |known: &'static Schema| std::ptr::eq(schema, known);
        if serves(&proto::HEALTH) {
            let status = if self.has(FaultId::GrpcUnavailable) { "NOT_SERVING" } else { "SERVING" };
            return Some(beside(request, schema, "HealthCheckResponse", &json!({ "status": status })));
        }
        if serves(&proto::REFLECTION_ALPHA) {
            let services = [self.service_name(served_version)?, schema.service()].map(|name| json!({ "name": name }));
            let list = json!({ "listServicesResponse": { "service": services } });
            return Some(beside(request, schema, "ServerReflectionResponse", &list));
        }
        None
    }

    /// The full name of the service of A2A.
    pub(super) fn service_name(&self, served_version: &ServedVersion) -> Option<String> {
        let name = served_version.grpc()?.schema.service();
        // The name alone is what is left when the package is forgotten.
        let short = || name.rsplit('.').next().map(str::to_owned);
        if self.has(FaultId::GrpcOtherService) { short() } else { Some(name) }
    }
}

fn beside(request: &Request, schema: &Schema, message: &str, value: &Value) -> StreamedResponse {
    let media = media_type(request);
    match encode(schema, message, value) {
        Ok(bytes) => message_and_end(&media, &bytes, &Faults::none()),
        Err(why) => refusal(&media, "INTERNAL", &why, None),
    }
}
