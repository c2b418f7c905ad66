//! What a server over gRPC has beside the service of A2A: reflection, which names its services, and health.

use serde_json::{Value, json};

use super::fault::FaultId;
use super::grpc_answer::{media_type, refusal};
use super::responses::typed_response;
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use crate::a2a::grpc_codec::STATUS;
use crate::a2a::proto;
use crate::host::StreamedResponse;
use crate::wire::grpc::{frame, trailers_frame};
use crate::wire::http::Request;
use crate::wire::protobuf::{Schema, encode};

impl ScriptedAgent {
    /// The answer of a service beside that of A2A; `None` for a call that is for A2A's. Reflection has the older of its names, as in
    /// Google's library for Python.
    pub(super) fn serve_beside(&self, served_version: &ServedVersion, request: &Request) -> Option<StreamedResponse> {
        let (schema, _) = proto::method_at(&request.url)?;
        let serves = |known: &'static Schema| std::ptr::eq(schema, known);
        if serves(&proto::HEALTH) {
            let status = if self.has(FaultId::GrpcUnavailable) { "NOT_SERVING" } else { "SERVING" };
            return Some(answer(request, schema, "HealthCheckResponse", &json!({ "status": status })));
        }
        if serves(&proto::REFLECTION_ALPHA) {
            let services: Vec<Value> = [self.service_name(served_version)?, schema.service()]
                .into_iter()
                .map(|name| json!({ "name": name }))
                .collect();
            let list = json!({ "listServicesResponse": { "service": services } });
            return Some(answer(request, schema, "ServerReflectionResponse", &list));
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

fn answer(request: &Request, schema: &Schema, message: &str, value: &Value) -> StreamedResponse {
    let media = media_type(request);
    match encode(schema, message, value) {
        Ok(bytes) => {
            let trailers = trailers_frame(&[(STATUS, "0")].into_iter().collect());
            typed_response(200, &media, [frame(&bytes), trailers].concat())
        }
        Err(why) => refusal(&media, "INTERNAL", &why, None),
    }
}
