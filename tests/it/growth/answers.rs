//! The things of answers that grow.

use a2a_conformance::engine::options::Options;
use serde_json::{Map, Value, json};

use super::{Dimension, Part, TO_1K, TO_1M, TO_10K, TO_100K, list, map, method};

/// A thing of every task that an agent shows.
fn task(name: &'static str, sizes: &'static [usize], grow: fn(&mut Map<String, Value>, usize)) -> Dimension {
    Dimension::new(name, sizes, Part::Tasks(grow))
}

fn insert(task: &mut Map<String, Value>, name: &str, value: Value) {
    task.insert(name.to_owned(), value);
}

fn text(task: &Map<String, Value>, name: &str) -> String {
    task.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn over_grpc(options: Options) -> Options {
    Options { bindings: vec!["grpc".to_owned()], ..options }
}

/// A frame of gRPC with these flags.
fn frame(flags: u8, content: &[u8]) -> Vec<u8> {
    [&[flags], u32::try_from(content.len()).unwrap().to_be_bytes().as_slice(), content].concat()
}

fn grpc(name: &'static str, grow: fn(&str, Vec<u8>, usize) -> Vec<u8>) -> Dimension {
    Dimension::new(name, TO_100K, Part::Bytes(grow)).of(&["grpc"]).with(over_grpc)
}

const FULL: &str = "the answers in this run have used up the memory allowed";

pub(super) fn dimensions() -> Vec<Dimension> {
    vec![
        task("artifacts", TO_10K, |task, n| {
            insert(
                task,
                "artifacts",
                list(n, |at| json!({ "artifactId": format!("a{at}"), "parts": [{ "text": "t" }] })),
            );
        })
        .told(FULL),
        task("artifacts-thorough", TO_1K, |task, n| {
            insert(
                task,
                "artifacts",
                list(n, |at| json!({ "artifactId": format!("a{at}"), "parts": [{ "text": "t" }] })),
            );
        })
        .with(|options| Options { is_thorough: true, first_interface_only: false, ..options }),
        task("parts", TO_10K, |task, n| {
            let parts = list(n, |at| json!({ "text": format!("t{at}") }));
            insert(task, "artifacts", json!([{ "artifactId": "a", "parts": parts }]));
        })
        .told(FULL),
        task("parts-broken", TO_10K, |task, n| {
            let parts = list(n, |at| json!({ "text": at, "raw": "-", "mediaType": 5, "url": "x" }));
            insert(task, "artifacts", json!([{ "artifactId": "a", "parts": parts }]));
        })
        .told(FULL),
        task("history", TO_10K, |task, n| {
            let one = |at| json!({ "messageId": format!("h{at}"), "role": "ROLE_AGENT", "parts": [{ "text": "t" }] });
            insert(task, "history", list(n, one));
        })
        .told(FULL),
        task("metadata", TO_10K, |task, n| insert(task, "metadata", map(n, |at| json!(at)))).told(FULL),
        task("unknown-members-of-task", TO_10K, |task, n| {
            task.extend((0..n).map(|at| (format!("x{at}"), json!(at))));
        })
        .told(FULL),
        task("length-of-task-id", TO_1M, |task, n| {
            let id = text(task, "id");
            insert(task, "id", json!(format!("{id}{}", "x".repeat(n))));
        })
        .told(FULL),
        task("length-of-context-id", TO_1M, |task, n| {
            let id = text(task, "contextId");
            insert(task, "contextId", json!(format!("{id}{}", "x".repeat(n))));
        })
        .told(FULL),
        task("length-of-state", TO_100K, |task, n| insert(task, "status", json!({ "state": "x".repeat(n) })))
            .told("xxxx\u{2026}"),
        Dimension::new(
            "tasks-of-list",
            TO_10K,
            Part::Results(|request, result, n| {
                let first = result["tasks"][0].clone();
                if method(request) == "ListTasks" && first.is_object() {
                    result["tasks"] = list(n, |at| {
                        let mut task = first.clone();
                        task["id"] = json!(format!("t{at}"));
                        task
                    });
                    result["totalSize"] = json!(n);
                }
            }),
        )
        .told(FULL),
        Dimension::new(
            "pages",
            &[1],
            Part::Text(&["ListTasks"], |text, _| {
                let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
                // The agent does not know the token, and refuses it.
                if document["error"].is_object() {
                    document = json!({ "jsonrpc": "2.0", "id": document["id"], "result": { "tasks": [] } });
                }
                document["result"]["nextPageToken"] = json!("again");
                document.to_string()
            }),
        )
        .told("6 pages without an end"),
        Dimension::new(
            "length-of-page-token",
            TO_1M,
            Part::Results(|request, result, n| {
                if method(request) == "ListTasks" {
                    result["nextPageToken"] = json!("x".repeat(n));
                }
            }),
        ),
        Dimension::new(
            "configs",
            TO_10K,
            Part::Results(|_, result, n| {
                let first = result["configs"][0].clone();
                if first.is_object() {
                    result["configs"] = list(n, |at| {
                        let mut config = first.clone();
                        config["id"] = json!(format!("c{at}"));
                        config
                    });
                }
            }),
        ),
        Dimension::new(
            "error-details",
            TO_10K,
            Part::Text(&["GetTask", "CancelTask"], |text, n| {
                let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
                if document["error"].is_object() {
                    let kind = "type.googleapis.com/google.rpc.ErrorInfo";
                    document["error"]["data"] = list(n, |at| json!({ "@type": kind, "reason": format!("R{at}") }));
                    return document.to_string();
                }
                text
            }),
        ),
        Dimension::new(
            "length-of-error",
            TO_1M,
            Part::Text(&["GetTask", "CancelTask"], |text, n| {
                text.replace("\"message\":\"", &format!("\"message\":\"{}", "x".repeat(n)))
            }),
        ),
        Dimension::new(
            "tiny-values",
            TO_100K,
            Part::Text(&["GetTask"], |text, n| text.replacen('{', &format!("{{\"x\":[{}[]],", "[],".repeat(n)), 1)),
        )
        .told(FULL),
        Dimension::new(
            "events",
            TO_10K,
            Part::Events(|text, n| if text.contains("WORKING") { text.repeat(n) } else { text.to_owned() }),
        )
        .told("the stream contains more than 2000 events"),
        Dimension::new(
            "artifacts-of-stream",
            TO_10K,
            Part::Events(|text, n| {
                let chunk = |at| text.replace("\"artifactId\":\"", &format!("\"artifactId\":\"{at}-"));
                if text.contains("artifactUpdate") { (0..n).map(chunk).collect() } else { text.to_owned() }
            }),
        )
        .told("the stream contains more than 2000 events"),
        Dimension::new("comments", TO_100K, Part::Events(|text, n| ": c\n".repeat(n) + text)),
        Dimension::new(
            "unknown-lines",
            TO_100K,
            Part::Events(|text, n| (0..n).map(|at| format!("x{at}: c\n")).collect::<String>() + text),
        ),
        Dimension::new(
            "length-of-event-names",
            TO_100K,
            Part::Events(|text, n| text.replace("data:", &format!("event: {}\ndata:", "x".repeat(n)))),
        ),
        Dimension::new(
            "fields",
            TO_1K,
            Part::Fields(|fields, n| (0..n).for_each(|at| fields.push(format!("x-{at}"), "y"))),
        )
        .told("the head of the answer has more than 100 fields"),
        Dimension::new(
            "challenges",
            TO_10K,
            Part::Fields(|fields, n| {
                let all: Vec<_> = (0..n).map(|at| format!("Scheme{at} realm=\"r{at}\"")).collect();
                fields.push("www-authenticate", all.join(", "));
            }),
        )
        .of(&["protected"]),
        Dimension::new(
            "extensions-of-answer",
            TO_10K,
            Part::Fields(|fields, n| {
                let all: Vec<_> = (0..n).map(|at| format!("https://x.example/{at}")).collect();
                fields.push("a2a-extensions", all.join(", "));
            }),
        )
        .told(FULL),
        grpc("grpc-compressed", |_, body, n| [frame(1, &[]).repeat(n), body].concat()),
        grpc("grpc-empty", |_, body, n| [frame(0, &[]).repeat(n), body].concat()),
        grpc("grpc-tiny-tasks", |url, body, n| {
            let tasks = frame(0, &[0x0a, 0].repeat(n));
            if url.ends_with("ListTasks") { [tasks, body].concat() } else { body }
        })
        .told("a message contains more values than fit in memory"),
        grpc("grpc-trailers", |_, body, n| [frame(0x80, "x: y\r\n".repeat(n).as_bytes()), body].concat())
            .told("the trailers have more than 100 fields"),
    ]
}
