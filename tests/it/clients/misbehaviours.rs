//! What the small client does wrong when it is told to, each one thing only.

use a2a_conformance::wire::http::Request;
use serde_json::{Value, json};

use super::small_client::Draft;

/// Each misbehaviour, with the faults of the agent that it needs.
pub(super) const MISBEHAVIOURS: &[(&str, &[&str])] = &[
    ("card-refetched", &[]),
    ("other-url", &[]),
    ("other-binding-url", &[]),
    ("no-version", &[]),
    ("version-with-patch", &[]),
    ("other-version", &[]),
    ("tenant-forgotten", &["tenants"]),
    ("tenant-invented", &[]),
    ("extension-not-requested", &["extensions"]),
    ("two-extension-fields", &[]),
    ("routes-of-another-version", &[]),
    ("text-plain", &[]),
    ("snake-case", &[]),
    ("broken-json", &[]),
    ("no-jsonrpc-member", &[]),
    ("id-is-an-object", &[]),
    ("no-id", &[]),
    ("params-are-text", &[]),
    ("method-of-another-version", &[]),
    ("no-message-id", &[]),
    ("no-role", &[]),
    ("no-kind", &[]),
    ("no-parts", &[]),
    ("role-agent", &[]),
    ("role-of-another-version", &[]),
    ("empty-parts", &[]),
    ("part-without-content", &[]),
    ("part-with-two-contents", &[]),
    ("part-of-another-version", &[]),
    ("message-id-reused", &[]),
    ("task-id-invented", &[]),
    ("context-of-another-task", &[]),
    ("message-to-finished-task", &[]),
    ("get-without-id", &[]),
    ("send-without-message", &[]),
    ("page-of-thousand", &[]),
    ("subscription-to-finished-task", &[]),
    ("stream-undeclared", &["modest"]),
    ("push-undeclared", &["modest"]),
    ("extended-undeclared", &[]),
    ("push-without-url", &[]),
    ("push-over-http", &[]),
    ("push-token-reused", &[]),
    ("stream-accepts-json", &[]),
    ("stream-not-resumed", &["stream-ends-early"]),
    ("credentials-forgotten", &["protected"]),
    ("basic-credentials", &["protected"]),
    ("extended-without-credentials", &["protected"]),
    ("token-in-query", &["protected"]),
    ("token-in-metadata", &["protected"]),
    ("credentials-unasked", &[]),
    ("credentials-forwarded", &["protected", "@calls-redirected"]),
    ("redirect-not-followed", &["@card-redirected"]),
    ("move-not-noticed", &["@interface-moved"]),
    ("retry-with-new-id", &["@answers-lost"]),
];

/// Whether a step is left out.
pub(super) fn skips(misbehaviour: &str, step: &str) -> bool {
    // What asks for a task otherwise, and what needs the task of an answer that is never read.
    match misbehaviour {
        "stream-not-resumed" => matches!(step, "list" | "cancel" | "subscribe" | "get"),
        "move-not-noticed" => matches!(step, "get" | "push-1" | "push-2" | "push-get" | "subscribe" | "cancel"),
        _ => false,
    }
}

/// Does one thing wrong.
pub(super) fn alter(misbehaviour: &str, draft: &mut Draft) {
    let step = draft.step;
    let is_newest = draft.version == "1.0";
    let is_grpc = draft.request.headers.media_type().is_some_and(|media| media.starts_with("application/grpc"));
    match misbehaviour {
        "other-url" if step == "goodbye" && !is_grpc => {
            draft.request.url = draft.request.url.replace("/rpc", "/jsonrpc").replace("/rest", "/api");
        }
        "other-binding-url" if step == "goodbye" && draft.is_rpc => {
            draft.request.url = draft.request.url.replace("/rpc", "/rest");
        }
        "no-version" if step == "get" => draft.request.headers.remove("A2A-Version"),
        "version-with-patch" if step == "get" && is_newest => draft.request.headers.replace("A2A-Version", "1.0.1"),
        "other-version" if step == "get" && is_newest => draft.request.headers.replace("A2A-Version", "0.3"),
        "extension-not-requested" if step == "task" => draft.request.headers.remove("A2A-Extensions"),
        "two-extension-fields" if step == "task" && is_newest => {
            draft.request.headers.push("A2A-Extensions", "https://example.com/one/v1");
            draft.request.headers.push("A2A-Extensions", "https://example.com/two/v1");
        }
        "routes-of-another-version" if step == "get" && !is_grpc => {
            let url = &draft.request.url;
            draft.request.url =
                if is_newest { url.replace("/rest/", "/rest/v1/") } else { url.replace("/rest/v1/", "/rest/") };
        }
        "text-plain" if step == "goodbye" && !is_grpc => draft.request.headers.replace("content-type", "text/plain"),
        "broken-json" if step == "goodbye" && draft.is_rpc => draft.request.body = Some(b"{\"jsonrpc\":".to_vec()),
        "stream-accepts-json" if step == "stream" && !is_grpc => {
            draft.request.headers.replace("accept", "application/json");
        }
        "credentials-forgotten" if step == "get" => draft.request.headers.remove("authorization"),
        "credentials-unasked" if step == "get" => {
            draft.request.headers.push("authorization", "Bearer of-another-agent")
        }
        "extended-without-credentials" if step == "extended" => draft.request.headers.remove("authorization"),
        "basic-credentials" if step == "goodbye" => {
            draft.request.headers.replace("authorization", "Basic dXNlcjpwYXNzd29yZC1vZi1pdA==");
        }
        "token-in-query" if step == "get" && !is_grpc => add_to_query(&mut draft.request),
        _ => alter_body(misbehaviour, draft, is_newest, is_grpc),
    }
}

fn add_to_query(request: &mut Request) {
    let between = if request.url.contains('?') { '&' } else { '?' };
    request.url = format!("{}{between}access_token=open-sesame", request.url);
}

fn alter_body(misbehaviour: &str, draft: &mut Draft, is_newest: bool, is_grpc: bool) {
    let (step, is_rpc) = (draft.step, draft.is_rpc);
    // HTTP+JSON of 0.3 has other objects, and gRPC has no names and no types that could be wrong.
    let has_own_form = is_grpc || (!is_newest && !is_rpc);
    let remove = |object: Option<&mut Value>, name: &str| {
        if let Some(object) = object.and_then(Value::as_object_mut) {
            object.shift_remove(name);
        }
    };
    let set = |object: Option<&mut Value>, name: &str, value: Value| {
        if let Some(object) = object.and_then(Value::as_object_mut) {
            object.insert(name.to_owned(), value);
        }
    };
    match (misbehaviour, step) {
        ("tenant-forgotten", "task") => remove(draft.params(), "tenant"),
        ("tenant-invented", "task") if is_newest => set(draft.params(), "tenant", "somebody".into()),
        ("snake-case", "task") if is_newest && !is_grpc => {
            let configuration = draft.params().and_then(|params| params.get_mut("configuration"));
            set(configuration, "accepted_output_modes", json!(["text/plain"]));
        }
        ("no-jsonrpc-member", "get") if is_rpc => remove(draft.body.as_mut(), "jsonrpc"),
        ("id-is-an-object", "get") if is_rpc => set(draft.body.as_mut(), "id", json!({})),
        ("no-id", "get") if is_rpc => remove(draft.body.as_mut(), "id"),
        ("params-are-text", "get") if is_rpc => set(draft.body.as_mut(), "params", "x".into()),
        ("method-of-another-version", "get") if is_rpc => {
            set(draft.body.as_mut(), "method", if is_newest { "tasks/get" } else { "GetTask" }.into());
        }
        ("no-message-id", "task") if !has_own_form => remove(draft.message(), "messageId"),
        ("no-role", "task") if !has_own_form => remove(draft.message(), "role"),
        ("no-kind", "task") if !has_own_form => remove(draft.message(), "kind"),
        ("no-parts", "task") if !has_own_form => remove(draft.message(), "parts"),
        ("role-agent", "task") if !has_own_form => {
            set(draft.message(), "role", if is_newest { "ROLE_AGENT" } else { "agent" }.into());
        }
        ("role-of-another-version", "task") if !has_own_form => {
            set(draft.message(), "role", if is_newest { "user" } else { "ROLE_USER" }.into());
        }
        ("empty-parts", "task") if !has_own_form => set(draft.message(), "parts", json!([])),
        ("part-without-content", "task") if !has_own_form => {
            let tag = if draft.version == "0.1" { "type" } else { "kind" };
            set(draft.message(), "parts", json!([{ tag: "text" }]));
        }
        ("part-with-two-contents", "task") if is_newest && !is_grpc => {
            set(draft.message(), "parts", json!([{ "text": "task-lifecycle", "url": "https://example.com/" }]));
        }
        ("part-of-another-version", "task") if !has_own_form => {
            let part = if is_newest {
                json!({ "kind": "file", "file": { "uri": "https://example.com/" } })
            } else {
                json!({ "text": "x" })
            };
            set(draft.message(), "parts", json!([part]));
        }
        ("message-id-reused", "task" | "ask") if draft.version != "0.1" => {
            set(draft.message(), "messageId", "m-again".into())
        }
        ("task-id-invented", "goodbye") if draft.version != "0.1" => set(draft.message(), "taskId", "made-up".into()),
        ("context-of-another-task", "follow-up") if draft.version != "0.1" => {
            set(draft.message(), "contextId", "another".into());
        }
        ("get-without-id", "get") if is_rpc => remove(draft.params(), "id"),
        ("send-without-message", "goodbye") if !has_own_form => remove(draft.params(), "message"),
        ("page-of-thousand", "list") => {
            set(draft.params(), "pageSize", 1000.into());
            draft.request.url = draft.request.url.replace("pageSize=10", "pageSize=1000");
        }
        ("push-without-url", "push-1") if !is_grpc => remove(config_of(draft), "url"),
        ("push-over-http", "push-1") => set(config_of(draft), "url", "http://hooks.example.com/first".into()),
        ("push-token-reused", "push-1" | "push-2") => set(config_of(draft), "token", "the-same-token".into()),
        ("token-in-metadata", "task") if !is_grpc => {
            set(draft.params(), "metadata", json!({ "secret": "open-sesame" }));
        }
        _ => {}
    }
}

/// The push config in the body.
fn config_of(draft: &mut Draft) -> Option<&mut Value> {
    let params = draft.params()?;
    if params.get("pushNotificationConfig").is_some() { params.get_mut("pushNotificationConfig") } else { Some(params) }
}
