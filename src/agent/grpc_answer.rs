//! Answers over gRPC: messages and a status, in the form of gRPC-Web, whose trailers stand in the body. A listener for gRPC itself
//! turns them into trailers of HTTP/2.

use futures_util::StreamExt;
use futures_util::stream::{LocalBoxStream, iter};
use serde_json::{Value, json};

use super::call_form::IncomingCall;
use super::encode::grpc_status;
use super::fault::{FaultId, Faults};
use super::json_values::wrap;
use super::rejection::Rejection;
use super::responses::typed_response;
use super::served_version::{CURRENT, ServedVersion};
use crate::a2a::grpc_codec::{DETAILS, MESSAGE, STATUS};
use crate::a2a::model::Operation;
use crate::a2a::proto;
use crate::host::StreamedResponse;
use crate::wire::base64::STANDARD;
use crate::wire::grpc::{code_name, code_of, code_of_status, encode_message, frame, is_grpc, trailers_frame};
use crate::wire::http::{Headers, Request};
use crate::wire::json;
use crate::wire::protobuf::encode;

/// The media type of an answer to a request that has none of its own.
const WEB: &str = "application/grpc-web+proto";
/// Field 6 of a Task, its metadata, as a varint.
const METADATA_AS_NUMBER: &[u8] = &[0x30, 0x01];

/// The media type of the answer to a request: its own.
pub(super) fn media_type(request: &Request) -> String {
    request.headers.media_type().unwrap_or_else(|| WEB.to_owned())
}

impl IncomingCall {
    /// The answer to a call: a message and OK, or the status of its error.
    pub(super) fn grpc_answer(
        &self,
        faults: &Faults,
        media: &str,
        outcome: Result<Value, Rejection>,
    ) -> StreamedResponse {
        match outcome {
            Ok(value) => match self.message(faults, &value) {
                Ok(bytes) => message_and_end(media, &bytes, faults),
                Err(why) => refusal(media, "INTERNAL", &why, None),
            },
            Err(rejection) => {
                let name = rejection.name(self.served_version, faults);
                let is_a2a = CURRENT.dialect.error_reason(name).is_some();
                let code = if is_a2a && faults.has(FaultId::GrpcErrorUnknown) { "UNKNOWN" } else { grpc_status(name) };
                let details = rejection.details(name);
                // Before 1.0 errors have a code and a message only.
                let has_details = !details.is_null() && self.served_version.older.is_none();
                let details = (has_details && !faults.has(FaultId::GrpcNoErrorInfo)).then_some(details);
                refusal(media, code, rejection.message(), details)
            }
        }
    }

    fn message(&self, faults: &Faults, value: &Value) -> Result<Vec<u8>, String> {
        let service = self.served_version.grpc().ok_or_else(|| "this version has no service".to_owned())?;
        let method = self.operation.and_then(|operation| service.method(operation)).unwrap_or_default();
        let response = service.schema.method(method).map(|method| method.response).unwrap_or_default();
        match self.operation {
            Some(Operation::GetTask) if faults.has(FaultId::GrpcTaskOdd) => {
                Ok([encode(service.schema, response, value)?, METADATA_AS_NUMBER.to_vec()].concat())
            }
            Some(Operation::DeletePushConfig) if faults.has(FaultId::GrpcDeleteAnswers) => {
                let member = if self.served_version.older.is_some() { "name" } else { "id" };
                encode(service.schema, "TaskPushNotificationConfig", &wrap(member, "deleted".into()))
            }
            Some(Operation::DeletePushConfig) => Ok(Vec::new()),
            _ => encode(service.schema, response, value),
        }
    }
}

pub(super) fn message_and_end(media: &str, message: &[u8], faults: &Faults) -> StreamedResponse {
    typed_response(200, media, [frame(message), end(faults)].concat())
}

/// A refusal: a status without a message before it.
pub(super) fn refusal(media: &str, code: &str, message: &str, details: Option<Value>) -> StreamedResponse {
    let number = code_of(code).unwrap_or(2);
    let mut trailers: Headers =
        [(STATUS, number.to_string()), (MESSAGE, encode_message(message))].into_iter().collect();
    if let Some(details) = details {
        let status = json!({"message": message, "code": number, "details": details});
        let bytes = encode(&proto::GOOGLE_RPC, "Status", &status).unwrap_or_default();
        trailers.push(DETAILS, STANDARD.encode(&bytes));
    }
    typed_response(200, media, trailers_frame(&trailers))
}

/// The end of an answer that succeeded.
fn end(faults: &Faults) -> Vec<u8> {
    if faults.has(FaultId::GrpcNoStatus) {
        return Vec::new();
    }
    trailers_frame(&[(STATUS, "0")].into_iter().collect())
}

/// The bytes of an event of a stream, which is given as JSON.
pub(super) fn event_bytes(served_version: &ServedVersion, event: &str) -> Vec<u8> {
    let encoded = json::read(event.as_bytes())
        .and_then(|event| encode(served_version.grpc()?.schema, "StreamResponse", &event).ok());
    encoded.map(|bytes| frame(&bytes)).unwrap_or_default()
}

pub(super) fn stream_answer(
    faults: &Faults,
    media: &str,
    messages: LocalBoxStream<'static, Result<Vec<u8>, String>>,
) -> StreamedResponse {
    let answer = typed_response(200, media, Vec::new());
    let end = iter([Ok(end(faults))]);
    StreamedResponse { body: messages.chain(end).boxed_local(), ..answer }
}

/// An answer of HTTP that a call over gRPC gets all the same, as a status: those of access control, say.
pub(super) fn as_status(media: &str, answer: StreamedResponse) -> StreamedResponse {
    if answer.head.status == 200 || is_grpc(&answer.head.headers) {
        return answer;
    }
    let code = code_name(code_of_status(answer.head.status)).unwrap_or_default();
    let mut refused = refusal(media, code, "the call was refused before it was read", None);
    let others = answer.head.headers.iter().filter(|(name, _)| *name != "content-type");
    others.for_each(|(name, value)| refused.head.headers.push(name, value));
    refused
}
