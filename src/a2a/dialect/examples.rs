//! Examples of every version: what is read out of them, what is found wrong with them, and what requests look like.

use serde_json::{Value, json};

use super::v0_1::V0_1;
use super::v0_2::{V0_2, V0_2_HTTP};
use super::v0_3::{V0_3, V0_3_HTTP};
use super::v1_0::V1_0;
use super::write::{Outgoing, PushConfigRequest};
use super::{DIALECTS, Dialect};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{Content, ErrorName, Operation, Payload, Role, StreamEvent, TaskState};
use crate::a2a::rule::{Notes, Rule};

fn read(dialect: &Dialect, operation: Operation, result: &Value) -> (Payload, Notes) {
    let mut notes = Notes::default();
    let payload = (dialect.read_result)(dialect, operation, &Cursor::root(result), &mut notes);
    (payload, notes)
}

fn event(dialect: &Dialect, data: &Value) -> (StreamEvent, Notes) {
    let mut notes = Notes::default();
    let event = (dialect.read_event)(dialect, &Cursor::root(data), &mut notes);
    (event, notes)
}

/// The rules that a reading found broken, in order.
fn broken(notes: &Notes) -> Vec<Rule> {
    notes.deviations().map(|place| place.rule).collect()
}

/// A finished task in the words of 0.2 and 0.3.
fn tagged_task() -> Value {
    json!({
        "kind": "task", "id": "t-7", "contextId": "c-7",
        "status": { "state": "completed", "timestamp": "2026-03-04T05:06:07" },
        "artifacts": [{ "artifactId": "a-7", "parts": [
            { "kind": "text", "text": "seven" },
            { "kind": "file", "file": { "bytes": "c2V2ZW4=", "mimeType": "text/plain" } },
            { "kind": "data", "data": { "seven": 7 } },
        ] }],
        "history": [{ "kind": "message", "messageId": "m-7", "role": "user", "parts": [{ "kind": "text", "text": "count" }] }],
        "metadata": null,
    })
}

/// The same in the proto's JSON form.
fn proto_task() -> Value {
    json!({
        "id": "t-7", "contextId": "c-7", "status": { "state": "TASK_STATE_COMPLETED" },
        "artifacts": [{ "artifactId": "a-7", "parts": [
            { "text": "seven" },
            { "file": { "fileWithBytes": "c2V2ZW4=", "mimeType": "text/plain" } },
            { "data": { "data": { "seven": 7 } } },
        ] }],
        "history": [{ "messageId": "m-7", "role": "ROLE_USER", "content": [{ "text": "count" }] }],
    })
}

#[test]
fn a_task_reads_alike_in_every_form_that_it_has() {
    let first = json!({
        "id": "t-7", "sessionId": "c-7", "status": { "state": "completed", "message": null },
        "artifacts": [{ "index": 0, "parts": [
            { "type": "text", "text": "seven" },
            { "type": "file", "file": { "bytes": "c2V2ZW4=", "mimeType": "text/plain" } },
            { "type": "data", "data": { "seven": 7 } },
        ] }],
        "history": [{ "role": "user", "parts": [{ "type": "text", "text": "count" }] }],
    });
    for (dialect, task) in [
        (&V0_3, tagged_task()),
        (&V0_2, tagged_task()),
        (&V0_3_HTTP, proto_task()),
        (&V0_2_HTTP, proto_task()),
        (&V0_3_HTTP, tagged_task()),
        (&V0_1, first),
    ] {
        let (payload, notes) = read(dialect, Operation::GetTask, &task);
        assert_eq!(broken(&notes), [], "{dialect:?} {task}");
        let Payload::Task(task) = payload else { panic!("{dialect:?}") };
        assert_eq!((task.id.as_deref(), task.context_id.as_deref()), (Some("t-7"), Some("c-7")));
        assert_eq!(task.state, Some(TaskState::Completed));
        let contents: Vec<_> = task
            .artifacts
            .iter()
            .flatten()
            .flat_map(|artifact| &artifact.parts)
            .filter_map(|part| part.content.clone())
            .collect();
        assert_eq!(
            contents,
            [Content::Text("seven".into()), Content::Raw("c2V2ZW4=".len()), Content::Data(json!({ "seven": 7 }))]
        );
        assert_eq!(task.history.iter().flatten().map(|message| message.role).collect::<Vec<_>>(), [Some(Role::User)]);
    }
}

#[test]
fn what_a_task_of_0_3_lacks_is_found() {
    for (member, rule) in
        [("kind", Rule::Kind), ("id", Rule::TaskId), ("contextId", Rule::TaskMembers), ("status", Rule::TaskStatus)]
    {
        let mut task = tagged_task();
        task.as_object_mut().unwrap().remove(member);
        assert_eq!(broken(&read(&V0_3, Operation::GetTask, &task).1), [rule], "{member}");
    }
    for (pointer, value, rule) in [
        ("/status/state", json!("TASK_STATE_COMPLETED"), Rule::TaskState),
        ("/status/timestamp", json!("yesterday"), Rule::Timestamp),
        ("/artifacts/0/parts/0", json!({ "type": "text", "text": "x" }), Rule::PartContent),
        ("/artifacts/0/parts/0", json!({ "kind": "text", "data": {} }), Rule::PartContent),
        ("/artifacts/0/parts/1/file/uri", json!("https://a.test/f"), Rule::PartFile),
        ("/artifacts/0/parts/2/data", json!([1]), Rule::PartContent),
        ("/history/0/role", json!("robot"), Rule::Role),
    ] {
        let mut task = tagged_task();
        match task.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => task["artifacts"][0]["parts"][1]["file"]["uri"] = value,
        }
        assert_eq!(broken(&read(&V0_3, Operation::GetTask, &task).1), [rule], "{pointer}");
    }
}

#[test]
fn a_send_answers_bare_over_json_rpc_and_wrapped_over_http() {
    let message =
        json!({ "kind": "message", "messageId": "m-8", "role": "agent", "parts": [{ "kind": "text", "text": "hi" }] });
    for (dialect, result, found) in [
        (&V0_3, tagged_task(), vec![]),
        (&V0_3, message.clone(), vec![]),
        (&V0_3, json!({ "task": tagged_task() }), vec![Rule::SendPayload]),
        (&V0_3, json!({ "message": message }), vec![Rule::SendPayload]),
        (&V0_3_HTTP, json!({ "task": proto_task() }), vec![]),
        (&V0_3_HTTP, json!({ "task": tagged_task() }), vec![]),
        (
            &V0_3_HTTP,
            json!({ "msg": { "messageId": "m", "role": "ROLE_AGENT", "content": [{ "text": "x" }] } }),
            vec![],
        ),
        (&V0_3_HTTP, proto_task(), vec![Rule::SendPayload]),
        (&V0_1, json!({ "id": "t", "status": { "state": "working" } }), vec![]),
    ] {
        let (payload, notes) = read(dialect, Operation::SendMessage, &result);
        assert_eq!(broken(&notes), found, "{dialect:?} {result}");
        assert!(
            matches!(&payload, Payload::Sent { task, message } if task.is_some() != message.is_some()),
            "{dialect:?} {result}"
        );
    }
}

#[test]
fn events_say_what_they_are_and_which_is_the_last() {
    let status = json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "status": { "state": "failed" }, "final": true });
    let artifact = json!({ "kind": "artifact-update", "taskId": "t", "contextId": "c", "append": true,
        "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": "x" }] } });
    let (StreamEvent::Status(update), notes) = event(&V0_3, &status) else { panic!() };
    assert_eq!((update.last, update.state, broken(&notes)), (Some(true), Some(TaskState::Failed), vec![]));
    let (StreamEvent::Artifact(update), notes) = event(&V0_3, &artifact) else { panic!() };
    assert_eq!((update.append, broken(&notes)), (true, vec![]));
    let mut without = status.clone();
    without.as_object_mut().unwrap().remove("final");
    assert_eq!(broken(&event(&V0_3, &without).1), [Rule::StatusEvent]);
    without.as_object_mut().unwrap().remove("kind");
    assert_eq!(broken(&event(&V0_3, &without).1), [Rule::Kind, Rule::StatusEvent]);

    let wrapped =
        json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_CANCELLED" } } });
    let (StreamEvent::Status(update), notes) = event(&V0_3_HTTP, &wrapped) else { panic!() };
    assert_eq!((update.state, broken(&notes)), (Some(TaskState::Canceled), vec![]));

    let first = json!({ "id": "t", "status": { "state": "completed" }, "final": true });
    let (StreamEvent::Status(update), notes) = event(&V0_1, &first) else { panic!() };
    assert_eq!((update.task_id.as_deref(), update.last, broken(&notes)), (Some("t"), Some(true), vec![]));
    let chunk =
        json!({ "id": "t", "artifact": { "index": 2, "parts": [{ "type": "text", "text": "x" }], "lastChunk": true } });
    let (StreamEvent::Artifact(update), notes) = event(&V0_1, &chunk) else { panic!() };
    assert_eq!((update.artifact.artifact_id.as_deref(), update.last_chunk, broken(&notes)), (Some("2"), true, vec![]));
    let both = json!({ "id": "t", "status": { "state": "working" }, "artifact": { "parts": [] } });
    assert_eq!(broken(&event(&V0_1, &both).1), [Rule::EventPayload]);
}

#[test]
fn push_configs_are_nested_and_lists_are_arrays() {
    let config = json!({ "taskId": "t", "pushNotificationConfig": { "id": "p", "url": "https://h.test/" } });
    let named =
        json!({ "name": "tasks/t/pushNotificationConfigs/p", "pushNotificationConfig": { "url": "https://h.test/" } });
    let first = json!({ "id": "t", "pushNotificationConfig": { "url": "https://h.test/" } });
    for (dialect, result, id) in
        [(&V0_3, config.clone(), Some("p")), (&V0_3_HTTP, named.clone(), Some("p")), (&V0_1, first, None)]
    {
        let (payload, notes) = read(dialect, Operation::CreatePushConfig, &result);
        let Payload::PushConfig(read) = payload else { panic!("{dialect:?}") };
        assert_eq!(
            (read.task_id.as_deref(), read.id.as_deref(), read.url.as_deref()),
            (Some("t"), id, Some("https://h.test/"))
        );
        assert_eq!(broken(&notes), []);
    }
    let flat = json!({ "id": "p", "taskId": "t", "url": "https://h.test/" });
    assert_eq!(broken(&read(&V0_3, Operation::GetPushConfig, &flat).1), [Rule::PushConfig]);
    assert_eq!(broken(&read(&V0_3, Operation::ListPushConfigs, &json!([config])).1), []);
    assert_eq!(broken(&read(&V0_3, Operation::ListPushConfigs, &json!({ "configs": [config] })).1), [Rule::PushList]);
    assert_eq!(broken(&read(&V0_3_HTTP, Operation::ListPushConfigs, &json!({ "configs": [named] })).1), []);
    assert_eq!(broken(&read(&V0_3_HTTP, Operation::ListPushConfigs, &json!({})).1), []);
    assert_eq!(broken(&read(&V0_3, Operation::DeletePushConfig, &Value::Null).1), []);
}

fn outgoing() -> Outgoing {
    Outgoing {
        message_id: "m-9".to_owned(),
        text: "ping".to_owned(),
        more_parts: vec![json!({ "raw": "AQ==", "mediaType": "image/png" }), json!({ "data": { "a": 1 } })],
        context_id: Some("c-9".to_owned()),
        history_length: Some(2),
        push_config: Some(json!({ "url": "https://h.test/" })),
        ..Outgoing::default()
    }
}

#[test]
fn a_message_is_written_in_the_words_of_the_version() {
    let write = |dialect: &Dialect| (dialect.send_params)(dialect, &outgoing());
    assert_eq!(
        write(&V0_3),
        json!({
            "message": { "kind": "message", "messageId": "m-9", "role": "user", "parts": [
                { "kind": "text", "text": "ping" },
                { "kind": "file", "file": { "bytes": "AQ==", "mimeType": "image/png" } },
                { "kind": "data", "data": { "a": 1 } },
            ], "contextId": "c-9" },
            "configuration": { "pushNotificationConfig": { "url": "https://h.test/" }, "blocking": true, "historyLength": 2 },
        })
    );
    assert!(write(&V0_2)["configuration"]["acceptedOutputModes"].as_array().is_some_and(|modes| !modes.is_empty()));
    assert_eq!(
        write(&V0_3_HTTP),
        json!({
            "message": { "messageId": "m-9", "role": "ROLE_USER", "content": [
                { "text": "ping" },
                { "file": { "fileWithBytes": "AQ==", "mimeType": "image/png" } },
                { "data": { "data": { "a": 1 } } },
            ], "contextId": "c-9" },
            "configuration": { "pushNotification": { "url": "https://h.test/" }, "blocking": true, "historyLength": 2 },
        })
    );
    assert_eq!(
        write(&V0_1),
        json!({
            "id": "m-9", "sessionId": "c-9",
            "message": { "role": "user", "parts": [
                { "type": "text", "text": "ping" },
                { "type": "file", "file": { "bytes": "AQ==", "mimeType": "image/png" } },
                { "type": "data", "data": { "a": 1 } },
            ] },
            "pushNotification": { "url": "https://h.test/" }, "historyLength": 2,
        })
    );
}

#[test]
fn an_early_answer_is_asked_for_with_the_flag_of_the_version() {
    let hasty = Outgoing { return_immediately: Some(true), ..outgoing() };
    assert_eq!((V0_3.send_params)(&V0_3, &hasty)["configuration"]["blocking"], false);
    assert!((V0_1.send_params)(&V0_1, &hasty).get("configuration").is_none());
}

#[test]
fn push_parameters_are_nested_as_the_version_has_them() {
    let target = PushConfigRequest {
        task_id: "t".to_owned(),
        config_id: Some("p".to_owned()),
        url: "https://h.test/".to_owned(),
    };
    let config = json!({ "id": "p", "url": "https://h.test/" });
    assert_eq!(
        (V0_3.push_params)(Operation::CreatePushConfig, &target),
        json!({ "taskId": "t", "pushNotificationConfig": config })
    );
    assert_eq!(
        (V0_3.push_params)(Operation::DeletePushConfig, &target),
        json!({ "id": "t", "pushNotificationConfigId": "p" })
    );
    assert_eq!(
        (V0_3_HTTP.push_params)(Operation::CreatePushConfig, &target),
        json!({ "taskId": "t", "parent": "tasks/t", "configId": "p",
            "config": { "name": "tasks/t/pushNotificationConfigs/p", "pushNotificationConfig": config } })
    );
    assert_eq!(
        (V0_1.push_params)(Operation::CreatePushConfig, &target),
        json!({ "id": "t", "pushNotificationConfig": { "url": "https://h.test/" } })
    );
}

#[test]
fn cards_of_older_versions_name_their_interfaces_in_order() {
    let card = json!({
        "name": "Echo", "url": "https://a.test/rpc", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0",
        "additionalInterfaces": [
            { "url": "https://a.test/rpc", "transport": "JSONRPC" },
            { "url": "https://a.test/rest", "transport": "HTTP+JSON" },
        ],
        "capabilities": { "streaming": true, "stateTransitionHistory": true },
        "security": [{ "tok": [] }], "supportsAuthenticatedExtendedCard": true,
    });
    let read = (V0_3.read_card)(&Cursor::root(&card));
    let interfaces: Vec<_> = read.interfaces.iter().map(|one| (one.binding.as_str(), one.url.as_str())).collect();
    assert_eq!(interfaces, [("JSONRPC", "https://a.test/rpc"), ("HTTP+JSON", "https://a.test/rest")]);
    assert!(read.streaming && read.state_history && read.extended_card && read.requires_auth);
    let card = json!({ "url": "https://a.test/", "authentication": { "schemes": ["Bearer"] } });
    assert!((V0_1.read_card)(&Cursor::root(&card)).requires_auth);
    let card = json!({ "url": "https://a.test/", "authentication": { "schemes": [] } });
    assert!(!(V0_1.read_card)(&Cursor::root(&card)).requires_auth);
}

#[test]
fn the_tables_of_every_version_agree_with_themselves() {
    for dialect in DIALECTS.iter().flat_map(|dialect| [Some(*dialect), dialect.over_http]).flatten() {
        for (state, name) in dialect.states {
            assert_eq!(dialect.state(name), Some(*state), "{dialect:?}");
        }
        for (error, code) in dialect.error_codes {
            assert_eq!(dialect.error_name(*code), Some(*error), "{dialect:?}");
        }
        assert!(dialect.method(Operation::SendMessage).is_some() && dialect.is_version_of(dialect));
    }
    // One code, three meanings.
    assert_eq!(V0_1.error_name(-32006), Some(ErrorName::StreamingNotSupported));
    assert_eq!(V0_2.error_name(-32006), Some(ErrorName::InvalidAgentResponse));
    assert_eq!((V0_2.error_name(-32007), V0_3.error_name(-32007)), (None, Some(ErrorName::ExtendedCardNotConfigured)));
    assert_eq!(V0_1.route(Operation::GetTask), None);
}

#[test]
fn a_message_of_0_2_names_no_extensions() {
    let outgoing =
        Outgoing { text: "a".to_owned(), extensions: vec!["https://e.test".to_owned()], ..Outgoing::default() };
    let message = |dialect: &Dialect| (dialect.send_params)(dialect, &outgoing)["message"].clone();
    assert_eq!(message(&V0_2).get("extensions"), None);
    assert_eq!(message(&V0_3).get("extensions"), Some(&json!(["https://e.test"])));
}

#[test]
fn what_is_no_wrapper_is_read_as_a_task_or_a_message_only_if_it_has_their_members() {
    for (result, is_task, is_message) in [
        (json!({ "id": "t", "status": { "state": "TASK_STATE_WORKING" } }), true, false),
        (json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "a" }] }), false, true),
        (json!({ "id": "t" }), false, false),
        (json!({ "status": {} }), false, false),
        (json!({ "messageId": "m" }), false, false),
        (json!({ "parts": [] }), false, false),
    ] {
        let (payload, notes) = read(&V1_0, Operation::SendMessage, &result);
        let Payload::Sent { task, message } = payload else { panic!("{payload:?}") };
        assert_eq!((task.is_some(), message.is_some()), (is_task, is_message), "{result}");
        assert!(notes.broken(Rule::SendPayload).is_some());
    }
}

#[test]
fn a_config_of_0_1_is_named_by_its_task() {
    let config = json!({ "id": "t", "pushNotificationConfig": { "url": "https://a.test/hook" } });
    for operation in [Operation::CreatePushConfig, Operation::GetPushConfig] {
        let (payload, notes) = read(&V0_1, operation, &config);
        let Payload::PushConfig(read) = payload else { panic!("{payload:?}") };
        assert_eq!((read.task_id.as_deref(), read.url.as_deref()), (Some("t"), Some("https://a.test/hook")));
        assert_eq!(notes.deviations().count(), 0);
    }
}
