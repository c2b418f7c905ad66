//! Broken agents whose fault has to be found: what they keep of a conversation, how they end it, and what they say of webhooks and ids.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Texts};
use a2a_conformance::engine::requirement::Level;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::{StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::FutureExt;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use serde_json::{Value, json};

use crate::reported::{Changing, answering, changing, is_card, only};
use crate::reported_values::{
    BOTH, LANES, asks, changed, every_object, params, passes, result, result_in, says, whole,
};
use crate::support::{Answers, Touched, check_at, check_on, host};

/// An agent that gives a push config without an id the id of its task.
struct NamedAfterTask {
    agent: Rc<dyn Transport>,
    /// The ids that the config has and that its task has, of each config that was made so.
    renamed: Rc<RefCell<Vec<(String, String)>>>,
}

impl Transport for NamedAfterTask {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let creates = asks(&request, &["CreateTaskPushNotificationConfig"], "/pushNotificationConfigs");
        let sent = params(&request);
        let makes_id = creates && sent["url"].is_string() && sent["id"].is_null();
        // Whoever asks for the config by the id of its task gets it.
        for (own, task) in self.renamed.borrow().iter() {
            if let Some(base) = request.url.strip_suffix(&format!("/pushNotificationConfigs/{task}")) {
                request.url = format!("{base}/pushNotificationConfigs/{own}");
            }
            if let Some(mut body) = request.body.as_deref().and_then(|body| serde_json::from_slice::<Value>(body).ok())
                && body["params"]["taskId"] == *task
                && body["params"]["id"] == *task
            {
                body["params"]["id"] = json!(own);
                request.body = Some(body.to_string().into_bytes());
            }
        }
        let (sent, renamed) = (self.agent.send(request), Rc::clone(&self.renamed));
        async move {
            let mut answer = sent.await?;
            if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                return Ok(answer);
            }
            let bytes: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            let mut text = String::from_utf8(bytes).expect("text");
            if makes_id && let Ok(mut document) = serde_json::from_str::<Value>(&text) {
                let config = result_in(&mut document);
                if let (Some(id), Some(task)) = (config["id"].as_str(), config["taskId"].as_str()) {
                    renamed.borrow_mut().push((id.to_owned(), task.to_owned()));
                }
            }
            for (own, task) in renamed.borrow().iter() {
                text = text.replace(own, task);
            }
            answer.body = iter([Ok(text.into_bytes())]).boxed_local();
            Ok(answer)
        }
        .boxed_local()
    }
}

/// What the first SDK does: a second config without an id takes the place of the first (T-PUSH-1).
#[test]
fn a_push_config_named_after_its_task_is_noted() {
    let (mut host, clock) = host(&[]);
    let renamed: Rc<RefCell<Vec<(String, String)>>> = Rc::default();
    host.transport = Rc::new(NamedAfterTask { agent: host.transport, renamed: Rc::clone(&renamed) });
    let told = check_on(host, &clock, whole(""));
    assert!(renamed.borrow().len() >= 2, "{renamed:?}");
    for lane in LANES {
        let said = "the id of the task: a second config without an id takes the place of the first";
        says(&told, &format!("push.create-id@{lane}"), (Outcome::Note, Level::Must), said);
        passes(&told, &format!("push.list@{lane}"));
    }
}

/// A task of 0.3 over HTTP+JSON whose status has no state.
#[test]
fn a_task_without_a_state_over_http_in_0_3_is_found() {
    let touched = Touched::at(&[Answers::HttpJson]);
    let (host, clock) = changing(move |request, document| {
        if !request.url.contains("/0.3/rest") {
            return;
        }
        let before = document.clone();
        every_object(document, &mut |map| {
            if map.contains_key("id")
                && let Some(status) = map.get_mut("status").and_then(Value::as_object_mut)
            {
                status.remove("state");
            }
        });
        touched.note(&request.url, before != *document);
    });
    let told = check_on(host, &clock, whole("/0.3"));
    says(&told, "send.task-shape@rest-0.3", (Outcome::Fail, Level::Must), "state");
    passes(&told, "send.task-shape@jsonrpc-0.3");
}

/// T-TASK-6: the task may still be working for a moment, but who cancels it sees no end of it.
#[test]
fn a_cancel_that_answers_before_the_task_has_ended_is_noted() {
    let touched = Touched::at(&[Answers::JsonRpc, Answers::HttpJson]);
    let (host, clock) = changing(move |request, document| {
        let cancels = asks(request, &["CancelTask"], ":cancel");
        let status = result_in(document).get_mut("status");
        if let Some(status) = status.filter(|status| cancels && status["state"] == "TASK_STATE_CANCELED") {
            status["state"] = json!("TASK_STATE_WORKING");
            touched.note(&request.url, true);
        }
    });
    let told = check_on(host, &clock, whole(""));
    for lane in LANES {
        let said = "got TASK_STATE_WORKING: the cancel returned before the task had ended";
        says(&told, &format!("cancel.matches-get@{lane}"), (Outcome::Note, Level::Must), said);
        passes(&told, &format!("cancel.state@{lane}"));
    }
}

/// Data is what an agent that takes no text is sent.
#[test]
fn a_part_with_data_that_the_history_lacks_is_found() {
    let touched = Touched::at(&[Answers::Card]);
    let (mut host, clock) = host(&["history-text-only"]);
    host.transport = Rc::new(Changing {
        agent: host.transport,
        change: move |request: &Request, document: &mut Value| {
            if !is_card(request) {
                return;
            }
            document["defaultInputModes"] = json!(["application/json"]);
            for skill in document["skills"].as_array_mut().into_iter().flatten() {
                skill["inputModes"] = json!(["application/json"]);
            }
            touched.note(&request.url, true);
        },
    });
    let mut prompts = Texts::default();
    prompts.set(Behaviour::Complete, json!({"order": 7}).to_string());
    let told = check_on(host, &clock, Options { prompts, ..whole("") });
    for lane in LANES {
        let of = result(&told, &format!("history.as-sent@{lane}"));
        let found = (of.verdict.outcome, of.level);
        assert_eq!(found, (Outcome::Fail, Level::Should), "{lane}: {}", of.verdict.message);
        let expected = of.verdict.expected.as_deref().unwrap_or_default();
        assert_eq!(expected, "[{\"data\":{\"order\":7}}] at /parts of the message, as it was sent", "{lane}");
    }
}

/// The chunks of 0.2 and 0.3 that do not say that they are appended begin their artifact again.
#[test]
fn chunks_that_replace_each_other_are_found_before_1_0_as_well() {
    for (version, lanes) in [("0.3", ["jsonrpc-0.3", "rest-0.3"].as_slice()), ("0.2", &["jsonrpc-0.2"])] {
        let touched = if lanes.len() > 1 { BOTH } else { &[Answers::JsonRpc] };
        let (host, clock, _touched) = changed(touched, |_, document| {
            every_object(document, &mut |map| {
                if map.get("append") == Some(&json!(true)) {
                    map.insert("append".to_owned(), json!(false));
                }
            });
        });
        let options = Options { version: Some(version.to_owned()), ..whole(&format!("/{version}")) };
        let told = check_on(host, &clock, options);
        for lane in lanes {
            let of = result(&told, &format!("stream.matches-get@{lane}"));
            assert_eq!(of.verdict.outcome, Outcome::Fail, "{lane}: {}", of.verdict.message);
            let expected = of.verdict.expected.as_deref().unwrap_or_default();
            assert!(expected.contains("append false"), "{lane}: {expected}");
        }
    }
}

/// A push config without a URL is the client's mistake, which an internal error does not say.
#[test]
fn a_push_config_without_a_url_that_breaks_the_agent_is_found() {
    for status in [200, 500] {
        let counted = Rc::new(Cell::new(0));
        let count = Rc::clone(&counted);
        let (host, clock) = answering(&[], move |request, body| {
            let sent = params(request);
            if sent["id"] != "nowhere" || sent.get("url").is_some() {
                return None;
            }
            count.set(count.get() + 1);
            if request.url.contains("/rest") {
                let error = json!({"error": {"code": 500, "status": "INTERNAL", "message": "url"}});
                return Some((500, "application/a2a+json", error.to_string()));
            }
            let error = json!({"code": -32603, "message": "url"});
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
            Some((status, "application/json", answer.to_string()))
        });
        let told = check_on(host, &clock, whole(""));
        assert_eq!(counted.get(), 2);
        for lane in LANES {
            let said = "expected an error about the missing url, got ";
            says(&told, &format!("push.create-missing-url@{lane}"), (Outcome::Fail, Level::Should), said);
        }
    }
}

/// A batch has one response to each request, found by its id.
#[test]
fn a_response_to_a_batch_with_another_id_is_noted() {
    let another = || json!("another");
    for (version, lane, id, outcome) in [
        ("", "1.0", another(), Outcome::Note),
        ("", "1.0", Value::Null, Outcome::Pass),
        ("/0.3", "0.3", another(), Outcome::Note),
        ("/0.2", "0.2", another(), Outcome::Note),
        ("/0.1", "0.1", another(), Outcome::Note),
    ] {
        let counted = Rc::new(Cell::new(0));
        let (count, own) = (Rc::clone(&counted), id.clone());
        let (host, clock) = answering(&[], move |_, body| {
            let error = json!({"code": -32001, "message": "there is no such task"});
            let responses = json!([{"jsonrpc": "2.0", "id": own, "error": error}]);
            let is_batch = body.is_array();
            count.set(count.get() + u32::from(is_batch));
            is_batch.then(|| (200, "application/json", responses.to_string()))
        });
        let options = Options { version: Some(lane.to_owned()), ..only(version) };
        let told = check_on(host, &clock, options);
        assert!(counted.get() > 0, "{version}: no batch");
        let of = result(&told, &format!("jsonrpc.batch@jsonrpc-{lane}"));
        assert_eq!(of.verdict.outcome, outcome, "{version} {id}: {}", of.verdict.message);
        if outcome == Outcome::Note {
            let message = &of.verdict.message;
            assert!(message.contains("of the request in the batch") && message.contains("\"another\""), "{message}");
        }
    }
}

/// Where no list has a third task created in a context, another message does.
#[test]
fn the_third_task_of_a_context_is_found_in_every_version_that_has_contexts() {
    for (at, version) in [("", "1.0"), ("/0.3", "0.3"), ("/0.2", "0.2")] {
        let told = check_at(at, &["third-task-new-context"], Options::default());
        let row = format!("context.new-task-in-context@jsonrpc-{version}");
        says(&told, &row, (Outcome::Fail, Level::Should), "contextId");
        assert!(check_at(at, &[], Options::default()).findings().is_empty(), "{version}");
    }
}

/// A config that was set must be readable, also where the request names no config but that of the task.
#[test]
fn a_push_config_that_cannot_be_read_is_found_in_every_version() {
    for (version, lane, names_config) in [("/0.3", "0.3", true), ("/0.2", "0.2", true), ("/0.1", "0.1", false)] {
        let counted = Rc::new(Cell::new((0, 0)));
        let count = Rc::clone(&counted);
        let (host, clock) = answering(&[], move |_, body| {
            let is_read = body["method"]
                .as_str()
                .is_some_and(|name| ["tasks/pushNotificationConfig/get", "tasks/pushNotification/get"].contains(&name));
            if !is_read {
                return None;
            }
            let names = body["params"]["pushNotificationConfigId"].is_string();
            let (named, plain) = count.get();
            count.set(if names { (named + 1, plain) } else { (named, plain + 1) });
            let error = json!({"code": -32603, "message": "something went wrong"});
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
            Some((200, "application/json", answer.to_string()))
        });
        let options = Options { version: Some(lane.to_owned()), ..only(version) };
        let told = check_on(host, &clock, options);
        let (named, plain) = counted.get();
        assert_eq!((named > 0, plain > 0), (names_config, !names_config), "{version}: {named} {plain}");
        says(&told, &format!("push.read@jsonrpc-{lane}"), (Outcome::Fail, Level::Must), "-32603");
    }
}
