//! Legal oddities: what conformant agents do that careless checkers take for faults. Each is put over the conformant agent's
//! answers on their way, and nothing may fail for it.

use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use a2a_conformance::agent::fault::TOKEN;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::prompt::{Behaviour, Texts};
use a2a_conformance::engine::verdict::Status;
use a2a_conformance::host::{Clock, StreamedResponse, Transport};
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::Request;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::support::{AGENT, Answers, Touched, check_on, host};

/// Changes the document of an answer; the request says which.
type Document = fn(&Request, &mut Value);

/// A change to an agent's answers.
#[derive(Clone, Copy)]
struct Oddity {
    /// Over every JSON document, those in streams included.
    document: Document,
    /// Over the text of a stream's chunk.
    stream: fn(String) -> Vec<Vec<u8>>,
    /// Over status and headers.
    head: fn(&Value, &mut StreamedResponse),
    /// Over the URL of a request, before it is sent.
    url: fn(&str) -> String,
    /// How long the agent takes to wake up for every request.
    delay_ms: f64,
    /// Which answers it changes in a run: all of these, or the test shows nothing.
    touches: &'static [Answers],
}

const PLAIN: Oddity = Oddity {
    document: |_, _| {},
    stream: |text| vec![text.into_bytes()],
    head: |_, _| {},
    url: str::to_owned,
    delay_ms: 0.0,
    touches: &[Answers::JsonRpc, Answers::HttpJson],
};

/// No oddity: the agent as it is.
const NONE: Oddity = Oddity { touches: &[], ..PLAIN };

struct Odd {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    oddity: Oddity,
    touched: Rc<Touched>,
}

impl Transport for Odd {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (oddity, touched) = (self.oddity, Rc::clone(&self.touched));
        let url = (oddity.url)(&request.url);
        touched.note(&url, url != request.url || oddity.delay_ms > 0.0);
        request.url = url;
        let (sent, pause) = (self.inner.send(request.clone()), self.clock.sleep(oddity.delay_ms));
        async move {
            pause.await;
            let mut answer = sent.await?;
            if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
                let chunks = answer.body.map(move |chunk| {
                    let text = String::from_utf8(chunk.unwrap()).unwrap();
                    let pieces = (oddity.stream)(events(&request, oddity.document, &text));
                    touched.note(&request.url, pieces != (PLAIN.stream)(events(&request, PLAIN.document, &text)));
                    iter(pieces.into_iter().map(Ok))
                });
                answer.body = chunks.flatten().boxed_local();
                return Ok(answer);
            }
            let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
            answer.body = iter([]).boxed_local();
            let Ok(mut document) = serde_json::from_slice::<Value>(&body) else {
                answer.body = iter([Ok(body)]).boxed_local();
                return Ok(answer);
            };
            let before = (document.clone(), answer.head.clone());
            (oddity.document)(&request, &mut document);
            (oddity.head)(&document.clone(), &mut answer);
            touched.note(&request.url, before.0 != document || before.1 != answer.head);
            if !body.is_empty() {
                answer.body = iter([Ok(document.to_string().into_bytes())]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// The events of a chunk with changed documents.
fn events(request: &Request, change: Document, text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("data:").map(|data| serde_json::from_str::<Value>(data.trim())) {
        Some(Ok(mut document)) => {
            change(request, &mut document);
            format!("data: {document}")
        }
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Checks the conformant agent with an oddity over it; answers what failed.
fn failures(oddity: Oddity, options: Options) -> Vec<String> {
    failures_of(&[], oddity, options)
}

/// The same of an agent with faults, or of a variant.
fn failures_of(faults: &[&str], oddity: Oddity, options: Options) -> Vec<String> {
    let (mut host, clock) = host(faults);
    let touched = Touched::at(oddity.touches);
    host.transport = Rc::new(Odd { inner: host.transport, clock: Rc::clone(&host.clock), oddity, touched });
    let told = check_on(host, &clock, options);
    assert!(told.results.len() > 100, "only {} checks were made: {:?}", told.results.len(), told.completion);
    let failed = told.results.iter().filter(|result| result.verdict.outcome.status() == Status::Fail);
    failed
        .map(|result| {
            let (key, verdict) = (result.row.key(), &result.verdict);
            format!("{key}: {:?} {:?} at {:?}", verdict.expected, verdict.actual, verdict.pointer)
        })
        .collect()
}

#[track_caller]
fn nothing_fails(oddity: Oddity) {
    let failed = failures(oddity, Options::default());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Calls `change` on every object of a document.
fn every_object(value: &mut Value, change: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(|member| every_object(member, change));
            change(map);
        }
        Value::Array(list) => list.iter_mut().for_each(|element| every_object(element, change)),
        _ => {}
    }
}

fn is_card(document: &Value) -> bool {
    document.get("supportedInterfaces").is_some()
}

#[test]
fn unknown_members_everywhere() {
    nothing_fails(Oddity {
        document: |_, document| {
            every_object(document, &|map| {
                map.insert("xVendorHint".to_owned(), json!({ "anything": [1, null, "two"] }));
            });
        },
        ..PLAIN
    });
}

/// T-HIST-1, also where many tasks work at once.
#[test]
fn no_history_at_all() {
    let without = Oddity {
        document: |_, document| {
            every_object(document, &|map| {
                map.shift_remove("history");
            });
        },
        ..PLAIN
    };
    let failed = failures(without, Options { is_thorough: true, ..Options::default() });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn streams_in_crlf_with_comments_and_split_at_every_byte() {
    nothing_fails(Oddity {
        stream: |text| {
            let text = format!(": ping - now\n\n{text}").replace('\n', "\r\n");
            text.into_bytes().chunks(1).map(<[u8]>::to_vec).collect()
        },
        ..PLAIN
    });
}

#[test]
fn streams_with_names_and_ids_and_data_over_several_lines() {
    nothing_fails(Oddity {
        stream: |text| {
            let spread = |line: &str| match line.strip_prefix("data: ").map(serde_json::from_str::<Value>) {
                Some(Ok(document)) => {
                    let lines = serde_json::to_string_pretty(&document).unwrap().replace('\n', "\ndata: ");
                    format!("event: message\nid: 7\nretry: 1000\ndata: {lines}")
                }
                _ => line.to_owned(),
            };
            vec![text.split('\n').map(spread).collect::<Vec<_>>().join("\n").into_bytes()]
        },
        ..PLAIN
    });
}

/// Options in which every behaviour is asked for by one text.
fn always(text: &str) -> Options {
    let mut prompts = Texts::default();
    for behaviour in Behaviour::ALL {
        prompts.set(behaviour, text.to_owned());
    }
    Options { prompts, ..Options::default() }
}

#[test]
fn an_agent_that_always_answers_with_a_message() {
    let failed = failures(NONE, always("message-only whatever was asked"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn an_agent_that_finishes_everything_at_once() {
    let failed = failures(NONE, always("task-lifecycle whatever was asked"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn an_agent_that_rejects_everything() {
    let failed = failures(NONE, always("task-reject whatever was asked"));
    // Advice: it may, but such a run shows little.
    let other: Vec<_> = failed.iter().filter(|line| !line.starts_with("task.completes@")).collect();
    assert!(other.is_empty() && failed.len() == 2, "{failed:#?}");
}

#[test]
fn errors_that_name_another_domain_as_well() {
    nothing_fails(Oddity {
        document: |_, document| {
            let own = json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "GONE",
                              "domain": "agent.example.com" });
            for pointer in ["/error/data", "/error/details"] {
                if let Some(details) = document.pointer_mut(pointer).and_then(Value::as_array_mut) {
                    details.push(own.clone());
                }
            }
        },
        ..PLAIN
    });
}

#[test]
fn a_cancel_that_answers_while_the_task_still_works() {
    nothing_fails(Oddity {
        document: |request, document| {
            let body = request.body.as_deref().unwrap_or_default();
            let cancels = request.url.ends_with(":cancel") || String::from_utf8_lossy(body).contains("CancelTask");
            for pointer in ["/status/state", "/result/status/state"] {
                if let Some(state) = document.pointer_mut(pointer).filter(|_| cancels) {
                    *state = json!("TASK_STATE_WORKING");
                }
            }
        },
        ..PLAIN
    });
}

/// 1.0 §3.1.5: not every task can be cancelled at every stage.
#[test]
fn a_cancel_that_the_agent_does_not_support_for_a_task_at_work() {
    let failed = failures(
        Oddity {
            document: |request, document| {
                if !of_operation(request, "CancelTask", ":cancel") || document.get("error").is_some() {
                    return;
                }
                let info = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                                    "reason": "UNSUPPORTED_OPERATION", "domain": "a2a-protocol.org" }]);
                *document = match document.get("id").filter(|_| document.get("jsonrpc").is_some()) {
                    Some(id) => json!({ "jsonrpc": "2.0", "id": id, "error": {
                        "code": -32004, "message": "Cannot be cancelled.", "data": info } }),
                    None => json!({ "error": { "code": 400, "status": "FAILED_PRECONDITION",
                        "message": "Cannot be cancelled.", "details": info } }),
                };
            },
            head: |document, answer| {
                if document.pointer("/error/message") == Some(&json!("Cannot be cancelled.")) {
                    answer.head.status = if document["error"]["code"] == 400 { 400 } else { 200 };
                }
            },
            ..PLAIN
        },
        Options::default(),
    );
    // The task is cancelled all the same, which other checks see.
    let refused: Vec<_> = failed.iter().filter(|line| line.starts_with("cancel.returns-task")).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// Changes what a call of this operation is answered with, over either binding.
fn of_operation(request: &Request, method: &str, verb: &str) -> bool {
    let body = request.body.as_deref().unwrap_or_default();
    request.url.ends_with(verb) || String::from_utf8_lossy(body).contains(method)
}

/// The snapshot may be taken while older events wait in line (T-STR-15).
#[test]
fn a_subscription_whose_snapshot_is_newer_than_its_first_updates() {
    nothing_fails(Oddity {
        document: |request, document| {
            for pointer in ["/task/status/timestamp", "/result/task/status/timestamp"] {
                if let Some(time) =
                    document.pointer_mut(pointer).filter(|_| of_operation(request, "SubscribeToTask", ":subscribe"))
                {
                    *time = json!("2031-01-01T00:00:00.000Z");
                }
            }
        },
        ..PLAIN
    });
}

/// The task again instead of an update (T-STR-4).
#[test]
fn a_stream_that_shows_artifacts_in_snapshots_of_the_task() {
    nothing_fails(Oddity {
        document: |request, document| {
            if !of_operation(request, "SendStreamingMessage", ":stream") {
                return;
            }
            let event = if document.get("result").is_some() { &mut document["result"] } else { document };
            if let Some(update) = event.get("artifactUpdate").filter(|update| update.get("append").is_none()) {
                *event = json!({ "task": {
                    "id": update["taskId"], "contextId": update["contextId"], "artifacts": [update["artifact"]],
                    "status": { "state": "TASK_STATE_WORKING" },
                } });
            }
        },
        ..PLAIN
    });
}

/// Makes an unknown task unsupported to subscribe to for those without credentials, as every other is.
#[test]
fn a_stranger_who_may_subscribe_to_nothing_at_all() {
    let headers = vec![("Authorization".to_owned(), format!("Bearer {TOKEN}"))];
    let oddity = Oddity {
        document: |request, document| {
            let stranger = request.headers.get("authorization").is_none();
            if stranger
                && of_operation(request, "SubscribeToTask", ":subscribe")
                && document.pointer("/error").is_some()
            {
                for (pointer, value) in [
                    ("/error/code", json!(-32004)),
                    ("/error/data/0/reason", json!("UNSUPPORTED_OPERATION")),
                    ("/error/details/0/reason", json!("UNSUPPORTED_OPERATION")),
                ] {
                    if let Some(place) = document
                        .pointer_mut(pointer)
                        .filter(|place| pointer != "/error/code" || place.as_i64() < Some(0))
                    {
                        *place = value;
                    }
                }
            }
        },
        ..PLAIN
    };
    let options = || Options { headers: headers.clone(), ..Options::default() };
    let of_subscriptions = |failed: Vec<String>| {
        failed.into_iter().filter(|line| line.starts_with("auth.every-operation")).collect::<Vec<_>>()
    };
    let open = ["auth-subscribe-open"];
    assert_eq!(of_subscriptions(failures_of(&open, NONE, options())).len(), 2);
    assert_eq!(of_subscriptions(failures_of(&open, oddity, options())), [""; 0]);
}

#[test]
fn running_tasks_anywhere_in_a_list() {
    nothing_fails(Oddity {
        document: |_, document| {
            for pointer in ["/tasks", "/result/tasks"] {
                let Some(tasks) = document.pointer_mut(pointer).and_then(Value::as_array_mut) else { continue };
                // A task that changed while the list was made: it is newer than its place.
                let running = |task: &Value| task["status"]["state"] == "TASK_STATE_WORKING";
                if let Some(place) = tasks.iter().position(running) {
                    let task = tasks.remove(place);
                    tasks.push(task);
                }
            }
        },
        ..PLAIN
    });
}

/// An index that lags behind has a new task a moment later (T-LIST-14).
#[test]
fn a_list_that_lacks_a_task_for_a_moment() {
    static LAGS: [AtomicU32; 2] = [AtomicU32::new(1), AtomicU32::new(1)];
    nothing_fails(Oddity {
        document: |request, document| {
            let is_http = request.url.contains("/rest");
            let list = if is_http { Some(document) } else { document.get_mut("result") };
            let is_new = |tasks: &Vec<Value>| match tasks.as_slice() {
                [task] => {
                    ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"].iter().any(|state| task["status"]["state"] == *state)
                }
                _ => false,
            };
            let Some(list) = list.filter(|list| list["tasks"].as_array().is_some_and(is_new)) else { return };
            if LAGS.get(usize::from(is_http)).unwrap().swap(0, Ordering::Relaxed) > 0 {
                list["tasks"] = json!([]);
                list["totalSize"] = json!(0);
            }
        },
        ..PLAIN
    });
    assert_eq!(LAGS.each_ref().map(|lags| lags.load(Ordering::Relaxed)), [0, 0], "no list lagged");
}

/// Others use the agent, too (T-LIST-6).
#[test]
fn a_total_that_counts_tasks_of_others_where_no_context_is_given() {
    nothing_fails(Oddity {
        document: |request, document| {
            let body = request.body.as_deref().unwrap_or_default();
            let filtered = request.url.contains("contextId") || String::from_utf8_lossy(body).contains("contextId");
            for pointer in ["/totalSize", "/result/totalSize"] {
                if let Some(total) = document.pointer_mut(pointer).filter(|_| !filtered) {
                    *total = json!(total.as_i64().unwrap_or_default() + 7);
                }
            }
        },
        ..PLAIN
    });
}

#[test]
fn slow_answers() {
    nothing_fails(Oddity { delay_ms: 2500.0, ..PLAIN });
}

#[test]
fn interfaces_that_we_do_not_speak() {
    nothing_fails(Oddity {
        document: |_, document| {
            if is_card(document) {
                let more = [
                    json!({ "url": "agent.test:50051", "protocolBinding": "GRPC", "protocolVersion": "1.0" }),
                    json!({ "url": "wss://agent.test/ws", "protocolBinding": "https://example.com/bindings/ws/v1",
                            "protocolVersion": "1.0" }),
                ];
                document["supportedInterfaces"].as_array_mut().unwrap().extend(more);
            }
        },
        touches: &[Answers::Card],
        ..PLAIN
    });
}

#[test]
fn interface_urls_with_a_slash_at_the_end() {
    nothing_fails(Oddity {
        document: |_, document| {
            if is_card(document) {
                for interface in document["supportedInterfaces"].as_array_mut().unwrap() {
                    interface["url"] = json!(format!("{}/", interface["url"].as_str().unwrap()));
                }
            }
        },
        url: |url| url.trim_end_matches('/').to_owned(),
        // Over HTTP+JSON a path follows the slash, and the requests are as they were.
        touches: &[Answers::Card, Answers::JsonRpc],
        ..PLAIN
    });
}

#[test]
fn a_card_that_serves_readers_of_0_3_as_well() {
    nothing_fails(Oddity {
        document: |_, document| {
            if is_card(document) {
                document["url"] = json!("http://agent.test/rpc");
                document["preferredTransport"] = json!("JSONRPC");
                document["protocolVersion"] = json!("0.3.0");
                document["additionalInterfaces"] = json!([{ "url": "http://agent.test/rpc", "transport": "JSONRPC" }]);
                document["supportsAuthenticatedExtendedCard"] = json!(false);
                document["capabilities"]["stateTransitionHistory"] = json!(false);
            }
        },
        touches: &[Answers::Card],
        ..PLAIN
    });
}

#[test]
fn defaults_that_are_left_out() {
    nothing_fails(Oddity {
        document: |_, document| {
            every_object(document, &|map| {
                // Members that ProtoJSON leaves out; the four members of a list must be there all the same (1.0 §3.1.4).
                let list = map.contains_key("nextPageToken");
                map.retain(|name, value| {
                    let empty = match value {
                        Value::Bool(flag) => !*flag,
                        Value::Array(list) => list.is_empty(),
                        Value::Object(map) => map.is_empty() && name != "capabilities" && name != "result",
                        Value::String(text) => text.is_empty(),
                        Value::Number(number) => number.as_i64() == Some(0),
                        Value::Null => false,
                    };
                    !empty || list
                });
            });
        },
        ..PLAIN
    });
}

#[test]
fn optional_members_that_are_null() {
    nothing_fails(Oddity {
        document: |_, document| {
            every_object(document, &|map| {
                let mut null = |name: &str| {
                    map.entry(name.to_owned()).or_insert(Value::Null);
                };
                ["metadata", "extensions"].into_iter().for_each(&mut null);
            });
        },
        ..PLAIN
    });
}

/// T-HIST-6: a server that stores what was said makes the ids of old messages anew.
#[test]
fn message_ids_that_are_made_anew_with_every_response() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    nothing_fails(Oddity {
        document: |_, document| {
            every_object(document, &|map| {
                if map.contains_key("role") && map.contains_key("messageId") {
                    let number = MADE.fetch_add(1, Ordering::Relaxed);
                    map.insert("messageId".to_owned(), json!(format!("made-{number}")));
                }
            });
        },
        ..PLAIN
    });
}

/// T-ERR-3: 1.0.0 itself shows such an error.
#[test]
fn an_object_as_the_data_of_an_error_of_json_rpc() {
    nothing_fails(Oddity {
        document: |request, document| {
            let standard = document.pointer("/error/code").and_then(Value::as_i64).is_some_and(|code| code < -32099);
            if request.url.contains("/rpc") && standard {
                document["error"]["data"] = json!({ "method": "invalid/method" });
            }
        },
        touches: &[Answers::JsonRpc],
        ..PLAIN
    });
}

#[test]
fn the_http_statuses_and_media_types_of_1_0_0() {
    nothing_fails(Oddity {
        document: |request, document| {
            if request.url.contains("/rest")
                && let Some(status) = of_1_0_0(document)
            {
                document["error"]["code"] = json!(status);
            }
        },
        head: |document, answer| {
            let statuses = [409, 415, 502];
            let code =
                document.pointer("/error/code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            if let Some(status) = code.filter(|code| statuses.contains(code)) {
                answer.head.status = status;
            }
            if answer.head.headers.media_type().as_deref() == Some("application/a2a+json") {
                answer.head.headers.replace("content-type", "application/json");
            }
        },
        touches: &[Answers::HttpJson],
        ..PLAIN
    });
}

/// The HTTP status that 1.0.0 had for an error, where 1.0.1 has another.
fn of_1_0_0(document: &Value) -> Option<u16> {
    let details = document.pointer("/error/details")?.as_array()?;
    match details.iter().find_map(|detail| detail.get("reason")?.as_str())? {
        "TASK_NOT_CANCELABLE" => Some(409),
        "CONTENT_TYPE_NOT_SUPPORTED" => Some(415),
        "INVALID_AGENT_RESPONSE" => Some(502),
        _ => None,
    }
}

#[test]
fn an_empty_list_of_parts_is_allowed_where_no_sentence_asks_for_one() {
    let emptied = |at: &str| {
        let document: Document = |_, value| {
            every_object(value, &|map| {
                if map.get("role").is_some_and(|role| role == "agent" || role == "ROLE_AGENT") {
                    map.insert("parts".to_owned(), json!([]));
                }
            })
        };
        let address = format!("{AGENT}{at}");
        failures(Oddity { document, ..PLAIN }, Options { address, ..Options::default() })
    };
    // 1.0 §5.7 asks for one element in every list that is required, and 0.1 §6.4 for one part.
    assert!(emptied("").iter().any(|row| row.contains("send.message-shape")));
    assert!(!emptied("/0.3").iter().any(|row| row.contains("send.message-shape")));
    assert!(!emptied("/0.2").iter().any(|row| row.contains("send.message-shape")));
}

/// An object without an id may be taken for a notification, and no client waits for its answer (T-RPC-14). Whatever has an id
/// must be answered.
#[test]
fn objects_without_an_id_that_get_no_response() {
    let silent = |fits: fn(&Value) -> bool| {
        let (mut host, clock) = host(&[]);
        host.transport = Rc::new(Silent { inner: host.transport, fits });
        let told = check_on(host, &clock, Options::default());
        let failed = told.results.iter().filter(|result| result.verdict.outcome.status() == Status::Fail);
        failed.map(|result| result.row.key()).collect::<Vec<_>>()
    };
    assert_eq!(silent(|body| body.is_object() && body.get("id").is_none() && body.get("jsonrpc").is_none()), [""; 0]);
    let without_method = silent(|body| body.get("id").is_some() && body.get("method").is_none());
    assert!(without_method.contains(&"jsonrpc.invalid-request-refused@jsonrpc-1.0".to_owned()), "{without_method:?}");
}

/// Answers nothing to bodies of JSON-RPC that fit.
struct Silent {
    inner: Rc<dyn Transport>,
    fits: fn(&Value) -> bool,
}

impl Transport for Silent {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = request.body.as_deref().and_then(|body| serde_json::from_slice::<Value>(body).ok());
        let is_silent = request.url.ends_with("/rpc") && body.is_some_and(|body| (self.fits)(&body));
        let sent = self.inner.send(request);
        async move {
            let mut answer = sent.await?;
            if is_silent {
                answer.head.status = 204;
                answer.body = iter([]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

#[test]
fn an_agent_that_declares_no_streaming_is_asked_for_no_stream_of_a_finished_task() {
    let (mut host, clock) = host(&[]);
    let without_streaming: Document = |_, document| {
        if let Some(streaming) = document.pointer_mut("/capabilities/streaming") {
            *streaming = json!(false);
        }
    };
    let oddity = Oddity { document: without_streaming, ..NONE };
    let touched = Touched::at(oddity.touches);
    host.transport = Rc::new(Odd { inner: host.transport, clock: Rc::clone(&host.clock), oddity, touched });
    let told = check_on(host, &clock, Options::default());
    let of_finished = told.exchanges.iter().filter(|exchange| exchange.scenario == "finished");
    let asked: Vec<_> = of_finished.map(|exchange| exchange.step.as_str()).collect();
    assert!(asked.contains(&"message"), "{asked:?}");
    assert!(!asked.iter().any(|step| step.starts_with("stream") || step.starts_with("subscribe")), "{asked:?}");
}
