//! What a server over gRPC says about itself where no call of A2A works: the services that it has, and whether it serves calls. Both are
//! services that many servers have beside their own; nobody has to.

use serde_json::json;

use crate::a2a::binding::Credentials;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::proto;
use crate::engine::prelude::{Driver, Transcript};
use crate::engine::run::{GRPC_HEALTH, GRPC_REFLECTION};
use crate::wire::grpc::MEDIA_TYPE;
use crate::wire::http::Request;
use crate::wire::json::Value;
use crate::wire::protobuf::Schema;

/// So many services are named.
const NAMED: usize = 5;

/// Asks an interface over gRPC whose methods are unknown for its services.
pub(super) async fn ask_for_services(d: &Driver) {
    let question = json!({ "listServices": "*" });
    for schema in [&*proto::REFLECTION, &*proto::REFLECTION_ALPHA] {
        if let Some(answer) = ask(d, GRPC_REFLECTION, schema, "ServerReflectionInfo", &question).await
            && !services(&answer).is_empty()
        {
            return;
        }
    }
}

/// Asks an interface over gRPC that has refused a call as unavailable whether it serves any.
pub(super) async fn ask_for_health(d: &Driver) {
    ask(d, GRPC_HEALTH, &proto::HEALTH, "Check", &json!({})).await;
}

/// The answer of a method of another service, as a document; `None` where there is none, or where the lane is of another binding.
async fn ask(d: &Driver, step: &'static str, schema: &Schema, method: &str, question: &Value) -> Option<Value> {
    let lane = d.lane().filter(|lane| lane.binding.id == GRPC.id)?;
    let base = (lane.binding.url)(&lane.interface.url).ok()?;
    let request = Request::post(format!("{base}/{}/{method}", schema.service()), MEDIA_TYPE, question.to_string());
    d.send_written(step, request, Credentials::Own).await.reply.document.as_deref().cloned()
}

fn services(answer: &Value) -> Vec<&str> {
    let list = answer.pointer("/listServicesResponse/service").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|service| service.get("name")?.as_str()).collect()
}

/// The services that the server says it has, in words; nothing where it does not say.
pub(super) fn told_services(t: &Transcript) -> String {
    let answers = t.every(GRPC_REFLECTION).filter_map(|step| step.reply.document.as_deref());
    let names: Vec<&str> = answers.flat_map(services).filter(|name| !name.starts_with("grpc.")).collect();
    if names.is_empty() {
        return String::new();
    }
    let rest = names.len().saturating_sub(NAMED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    format!("; by reflection the server has {named}{more}")
}
