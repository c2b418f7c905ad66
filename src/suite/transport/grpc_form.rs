//! The form of every answer over gRPC: service and methods, streaming, messages, status, and the codes of errors.

use std::rc::Rc;

use super::grpc_help::told_services;
use super::traffic::everywhere;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::GrpcService;
use crate::a2a::model::Operation;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict};
use crate::suite::streaming::declared;

pub(super) static SCENARIO: Scenario =
    Scenario::of_traffic("grpc-form", "Check the format of every gRPC response", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "grpc.service",
        title: "The service has the full name that the proto gives it",
        why: "Clients that are generated from the specification's proto call the service by its full name.",
        fix: "Generate the server from the specification's a2a.proto of the version that the card declares, and register \
              its A2AService.",
        requirements: &["grpc.service", "grpc.v03.service"],
        judge: service,
        ..Check::tripped_by(&["grpc-other-service"])
    },
    Check {
        id: "grpc.methods",
        title: "Every method of the service is implemented",
        why: "A method that is generated and not filled in returns UNIMPLEMENTED, which no client expects.",
        fix: "Implement every method of A2AService. For a capability that the card does not declare, return the error \
              of A2A, in 1.0 with its ErrorInfo.",
        judge: methods,
        ..Check::tripped_by(&["grpc-cancel-missing"])
    },
    Check {
        id: "grpc.streaming",
        title: "Streaming methods stream their messages",
        why: "A client that opens a stream waits for its messages and for the status at its end.",
        fix: "Implement SendStreamingMessage and SubscribeToTask (in 0.3 TaskSubscription) as server streaming methods that \
              send StreamResponse messages.",
        judge: streaming,
        ..Check::tripped_by(&["grpc-streams-missing"])
    },
    Check {
        id: "grpc.messages",
        title: "Messages follow the proto of the specification",
        why: "A field of another type cannot be read, and libraries give up on the whole message.",
        fix: "Serialize with code that is generated from the specification's a2a.proto, and send messages without compression \
              unless the client offers one.",
        judge: |t| everywhere(t, Rule::GrpcMessage, "message"),
        ..Check::tripped_by(&["grpc-task-odd"])
    },
    Check {
        id: "grpc.status",
        title: "Every answer ends with a status of gRPC",
        why: "Without a status, libraries report a failure although there is a result.",
        fix: "End every answer with grpc-status in the trailers. Make sure that no proxy drops them.",
        judge: |t| t.ran_to_its_end().and_then(|()| everywhere(t, Rule::GrpcStatus, "answer")),
        ..Check::tripped_by(&["grpc-no-status"])
    },
    Check {
        id: "error.map-grpc",
        title: "A2A errors have the status code that the specification assigns",
        why: "Clients and proxies tell by the code who is at fault, and whether to try again.",
        fix: "Return each error with its code from the table in 1.0 §5.4: NOT_FOUND for TaskNotFoundError, \
              FAILED_PRECONDITION for most others.",
        judge: |t| everywhere(t, Rule::GrpcErrorCode, "error with a reason"),
        ..Check::tripped_by(&["grpc-error-unknown"])
    },
    Check {
        id: "error.info-grpc",
        title: "A2A errors carry ErrorInfo",
        why: "Six errors share the code FAILED_PRECONDITION, and only ErrorInfo distinguishes them.",
        fix: "Put a google.rpc.Status into grpc-status-details-bin whose details have a google.rpc.ErrorInfo with reason \
              and the domain a2a-protocol.org.",
        judge: |t| everywhere(t, Rule::GrpcErrorInfo, "error defined by A2A"),
        ..Check::tripped_by(&["grpc-no-error-info"])
    },
];

/// The steps that called an operation and were answered by the service or in its place.
fn answered(t: &Transcript) -> impl Iterator<Item = &Rc<Step>> {
    let is_answered =
        |kind: &ReplyKind| matches!(kind, ReplyKind::Result(_) | ReplyKind::Stream(_) | ReplyKind::Error(_));
    t.steps.iter().filter(move |step| step.sent.operation.is_some() && is_answered(&step.reply.kind))
}

/// Whether an answer says that there is no such method. An error of A2A's own comes from the method.
fn is_unimplemented(step: &Step) -> bool {
    matches!(&step.reply.kind, ReplyKind::Error(error) if error.is_missing_method())
}

fn nothing(t: &Transcript, what: &str) -> Verdict {
    t.stopped_or(|| Verdict::not_applicable(format!("the agent {what}")))
}

fn service(t: &Transcript) -> Judged {
    if let Some(step) = answered(t).find(|step| !is_unimplemented(step)) {
        return Ok(step.pass());
    }
    let step = answered(t).next().ok_or_else(|| nothing(t, "answered no call"))?;
    let name = service_of(t).map(|service| service.schema.service()).unwrap_or_default();
    Ok(step.fail(format!("the service {name}"), format!("UNIMPLEMENTED from every method{}", told_services(t))))
}

fn methods(t: &Transcript) -> Judged {
    // Another check reports those that stream.
    let is_expected = |operation: Operation| !operation.streams() && t.facts.offers(operation);
    let called = || answered(t).filter(|step| step.sent.operation.is_some_and(is_expected));
    let first = called().next().ok_or_else(|| nothing(t, "answered no call"))?;
    if answered(t).all(|step| is_unimplemented(step)) {
        return Err(first.blocked("no method of the service was found"));
    }
    match called().find(|step| is_unimplemented(step)) {
        Some(step) => Ok(finding(t, step)),
        None => Ok(first.pass()),
    }
}

fn streaming(t: &Transcript) -> Judged {
    declared(&t.facts)?;
    let streams = || answered(t).filter(|step| step.sent.operation.is_some_and(Operation::streams));
    if answered(t).all(|step| is_unimplemented(step)) {
        return Err(nothing(t, "has no method of the service"));
    }
    if let Some(step) = streams().find(|step| is_unimplemented(step)) {
        return Ok(finding(t, step));
    }
    let opened = |step: &&Rc<Step>| matches!(&step.reply.kind, ReplyKind::Stream(items) if !items.is_empty());
    let step = streams().find(opened).ok_or_else(|| nothing(t, "opened no stream"))?;
    Ok(step.pass())
}

fn service_of(t: &Transcript) -> Option<&GrpcService> {
    t.lane.as_ref().and_then(|lane| lane.dialect.grpc.as_ref())
}

fn finding(t: &Transcript, step: &Step) -> Verdict {
    let method = service_of(t).zip(step.sent.operation).and_then(|(service, operation)| service.method(operation));
    step.fail(format!("the method {}", method.unwrap_or_default()), step.reply.kind.describe())
}
