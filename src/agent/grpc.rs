//! gRPC (1.0 §10): reads an operation and its message from path and body, and calls it.

use super::call::{Handled, IncomingCall};
use super::fault::FaultId;
use super::grpc_answer::{media_type, refusal};
use super::rejection::Rejection;
use super::request::{json_body, path_of};
use super::scripted_agent::ScriptedAgent;
use super::served_version::CURRENT;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation};
use crate::a2a::proto;
use crate::wire::grpc::{FrameReader, Piece, is_grpc};
use crate::wire::http::Request;
use crate::wire::protobuf::decode;

impl ScriptedAgent {
    /// Whether a request is one over gRPC, which only a variant of the agent serves.
    pub(super) fn is_grpc(&self, request: &Request) -> bool {
        self.has(FaultId::Grpc) && is_grpc(&request.headers)
    }

    /// Puts the message of a request over gRPC into its body, as JSON. One that cannot be read leaves no body.
    pub(super) fn open_message(&self, request: &mut Request) {
        if !self.is_grpc(request) {
            return;
        }
        let body = request.body.take().unwrap_or_default();
        let message = FrameReader::default().push(&body).into_iter().find_map(|piece| match piece {
            Piece::Message { bytes, is_compressed: false } => Some(bytes),
            _ => None,
        });
        let decoded = proto::method_at(&request.url).zip(message);
        let decoded = decoded.map(|((schema, method), message)| decode(schema, method.request, &message));
        let readable = decoded.filter(|decoded| decoded.flaws.is_empty());
        request.body = readable.map(|decoded| decoded.value.to_string().into_bytes());
    }

    /// Handles a call over gRPC.
    pub(super) fn handle_grpc(&self, request: &Request) -> Handled {
        self.0.raised.over_rpc.set(false);
        let Some(operation) = self.method_of(request) else {
            let media = media_type(request);
            return Handled::Answer(refusal(&media, "UNIMPLEMENTED", "there is no such method", None));
        };
        let call = IncomingCall { operation: Some(operation), ..IncomingCall::of(self, request) };
        let ignores_metadata = self.has(FaultId::GrpcMetadataIgnored);
        if let Err(rejection) = self.check_version(&CURRENT, request)
            && !ignores_metadata
        {
            return Handled::Answer(call.answer(self, Err(rejection)));
        }
        let Some(params) = json_body(request) else {
            return Handled::Answer(
                call.answer(self, Err(Rejection::of(ErrorName::InvalidParams, "the message cannot be read"))),
            );
        };
        let checked = if ignores_metadata { Ok(()) } else { self.check_extensions(&CURRENT, operation, request) };
        let outcome = checked.and_then(|()| self.operate(&CURRENT, operation, Some(&params)));
        call.finish(self, outcome)
    }

    /// The operation whose method a request's path names.
    fn method_of(&self, request: &Request) -> Option<Operation> {
        let (service, method) = path_of(&request.url).rsplit_once('/')?;
        let served = if self.has(FaultId::GrpcOtherService) { &proto::V0_3 } else { &proto::V1_0 };
        if service.rsplit('/').next() != Some(served.service().as_str()) {
            return None;
        }
        let is_missing = |operation: Operation| {
            (operation == Operation::CancelTask && self.has(FaultId::GrpcCancelMissing))
                || (operation.streams() && self.has(FaultId::GrpcStreamsMissing))
        };
        let known = V1_0.grpc.as_ref()?.methods.iter().find(|(_, name)| *name == method);
        known.map(|(operation, _)| *operation).filter(|operation| !is_missing(*operation))
    }
}
