//! Answers that are well-formed and make no sense.

use std::fmt::Write as _;
use std::net::TcpStream;

use super::attack::Attack;
use super::attack::Place::{Calls, Gets, Lists, Sends};
use super::harm::{Strike, acts, body, body_for, changed, ok, raw, send};
use serde_json::Value;

use super::server::{AskedRequest, JSON, honest};

/// A task in the form of 1.0, with more members.
fn task(more: &str) -> String {
    format!("{{\"id\":\"t\",\"contextId\":\"c\",\"status\":{{\"state\":\"TASK_STATE_COMPLETED\"}}{more}}}")
}

fn artifacts(count: usize) -> String {
    let mut list = String::new();
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(list, "{comma}{{\"artifactId\":\"{number}\",\"parts\":[{{\"text\":\"x\"}}]}}");
    }
    format!(",\"artifacts\":[{list}]")
}

fn history(count: usize) -> String {
    let message =
        |number| format!("{{\"messageId\":\"{number}\",\"role\":\"ROLE_AGENT\",\"parts\":[{{\"text\":\"x\"}}]}}");
    format!(",\"history\":[{}]", (0..count).map(message).collect::<Vec<_>>().join(","))
}

/// A message's task, as SendMessage returns it.
fn sent(strike: &Strike<'_>, more: &str) -> String {
    strike.asked.wrap(&format!("{{\"task\":{}}}", task(more)))
}

/// An error in the form of the binding.
fn error(strike: &Strike<'_>, code: &str, message: &str) -> String {
    match strike.asked.id() {
        Some(id) => {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}")
        }
        None => format!("{{\"error\":{{\"code\":500,\"status\":\"INTERNAL\",\"message\":\"{message}\"}}}}"),
    }
}

/// Answers as the agent would, with this in the place of the id of the request.
fn send_with_id(strike: &Strike<'_>, stream: &mut TcpStream, id: &str) {
    let (_, text) = strike.honest();
    let text = strike
        .asked
        .id()
        .map_or(text.clone(), |own| text.replacen(&format!("\"id\":{own}"), &format!("\"id\":{id}"), 1));
    send(stream, &ok(JSON, text.as_bytes()));
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [greatness(), names(), never_ending(), wrong_answers(), uniform()].into_iter().flatten().collect()
}

fn greatness() -> Vec<Attack> {
    vec![
        Attack::new("10,000 artifacts", Sends, body_for(|strike| sent(strike, &artifacts(10_000)))).heavy(),
        Attack::new("100,000 artifacts", Sends, body_for(|strike| sent(strike, &artifacts(100_000)))),
        Attack::new("a history of 10,000 messages", Sends, body_for(|strike| sent(strike, &history(10_000)))).heavy(),
        Attack::new(
            "50,000 parts",
            Sends,
            body_for(|strike| {
                sent(
                    strike,
                    &format!(
                        ",\"artifacts\":[{{\"artifactId\":\"a\",\"parts\":[{}{{\"text\":\"\"}}]}}]",
                        "{\"text\":\"x\"},".repeat(50_000)
                    ),
                )
            }),
        ),
        Attack::new(
            "metadata of 100,000 keys",
            Sends,
            body_for(|strike| {
                let keys: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
                sent(strike, &format!(",\"metadata\":{{{}}}", keys.join(",")))
            }),
        )
        .heavy(),
        Attack::new(
            "a task with an id of 1 MB",
            Sends,
            body_for(|strike| sent(strike, "").replace("\"id\":\"t\"", &format!("\"id\":\"{}\"", "i".repeat(1 << 20)))),
        )
        .heavy(),
        Attack::new(
            "a task with an id of control characters",
            Sends,
            body_for(|strike| sent(strike, "").replace("\"id\":\"t\"", "\"id\":\"../../\\u0000\\r\\nX: y/?#%00\"")),
        ),
        Attack::new(
            "a file of 3 MB",
            Sends,
            body_for(|strike| {
                let part = format!("{{\"raw\":\"{}\",\"mediaType\":\"image/png\"}}", "QUFB".repeat(786_432));
                sent(strike, &format!(",\"artifacts\":[{{\"artifactId\":\"a\",\"parts\":[{part}]}}]"))
            }),
        )
        .heavy(),
        Attack::new(
            "an error with a message of 4 MB",
            Sends,
            body_for(|strike| error(strike, "-32603", &"x".repeat(4 << 20))),
        )
        .heavy(),
        Attack::new("an error with a code of 10^308", Sends, body_for(|strike| error(strike, "1e308", "x"))),
    ]
}

/// Part of the id of each task: what a path, a query or an option would be, and as it stands in a path (RFC 3986 §2.1).
const ODD: &str = "/../a?b=c#d:cancel %2e&--x";
const ODD_IN_PATH: &str = "%2F..%2Fa%3Fb%3Dc%23d%3Acancel%20%252e%26--x";

/// Adds it to the ids of all tasks.
fn rename(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(rename),
        Value::Object(members) => {
            let is_task = members.contains_key("status") && members.contains_key("id");
            for (name, value) in members.iter_mut() {
                match value {
                    Value::String(id) if name == "taskId" || (is_task && name == "id") => id.push_str(ODD),
                    Value::Array(ids) if name == "referenceTaskIds" => {
                        ids.iter_mut().for_each(|id| *id = format!("{}{ODD}", id.as_str().unwrap_or_default()).into());
                    }
                    value => rename(value),
                }
            }
        }
        _ => {}
    }
}

/// The agent with other ids: they are its own matter (1.0 §4.1.1).
fn with_odd_ids(strike: &Strike<'_>, stream: &mut TcpStream) {
    let body = strike.asked.body.replace(ODD, "");
    let line = |line: &str| match line.to_ascii_lowercase().starts_with("content-length:") {
        true => format!("Content-Length: {}\r\n", body.len()),
        false => format!("{}\r\n", line.replace(ODD_IN_PATH, "")),
    };
    let asked = AskedRequest { head: strike.asked.head.lines().map(line).collect(), body: body.clone() };
    let (head, text) = honest(&asked, strike.own, strike.agent);
    let renamed = |text: &str| {
        serde_json::from_str(text).map_or(text.to_owned(), |mut value| {
            rename(&mut value);
            value.to_string()
        })
    };
    let text = if head.contains("event-stream") {
        let line =
            |line: &str| line.strip_prefix("data: ").map_or(line.to_owned(), |data| format!("data: {}", renamed(data)));
        text.lines().map(|text| line(text) + "\n").collect()
    } else {
        renamed(&text)
    };
    send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
}

/// The bearer's token, as the agent got it.
fn token<'a>(strike: &Strike<'a>) -> &'a str {
    let line = strike.asked.head.lines().find(|line| line.to_ascii_lowercase().starts_with("authorization: bearer "));
    line.and_then(|line| line.split(' ').nth(2)).unwrap_or("none")
}

fn names() -> Vec<Attack> {
    let named = |name, id: fn(&Strike<'_>) -> String| {
        Attack::new(
            name,
            Sends,
            acts(move |strike, stream| {
                let text = sent(strike, "").replace("\"id\":\"t\"", &format!("\"id\":\"{}\"", id(strike)));
                send(stream, &ok(JSON, text.as_bytes()));
            }),
        )
    };
    vec![
        Attack::new("tasks that are named like paths", Calls, acts(with_odd_ids)).with(&["--no-webhooks"]).heavy(),
        named("a task named by two dots", |_| "..".to_owned()),
        named("a task named by the token", |strike| token(strike).to_owned()),
        Attack::new(
            "a context named by the token",
            Sends,
            body_for(|strike| sent(strike, "").replace("\"c\"", &format!("\"{}\"", token(strike)))),
        ),
        Attack::new(
            "the token in pieces of escapes",
            Sends,
            body_for(|strike| {
                let escaped: String =
                    token(strike).chars().map(|letter| format!("\\u{:04X}", u32::from(letter))).collect();
                sent(strike, &format!(",\"metadata\":{{\"{escaped}\":\"Bearer%20{escaped}\"}}"))
            }),
        ),
        Attack::new(
            "files elsewhere",
            Sends,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let part = format!("{{\"url\":\"http://{}/x.png\",\"mediaType\":\"image/png\"}}", strike.canary);
                let text = text.replace(
                    "\"artifacts\":[",
                    &format!("\"artifacts\":[{{\"artifactId\":\"elsewhere\",\"parts\":[{part}]}},"),
                );
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
            }),
        ),
        Attack::new(
            "a list whose next page looks like a request",
            Lists,
            body_for(|strike| {
                let token = "x&pageSize=99999#/../../y?z HTTP/1.1\\r\\nX-Injected: 1\\u0000";
                strike.asked.wrap(&format!(
                    "{{\"tasks\":[{}],\"nextPageToken\":\"{token}\",\"pageSize\":1,\"totalSize\":9223372036854775808}}",
                    task("")
                ))
            }),
        ),
    ]
}

fn never_ending() -> Vec<Attack> {
    vec![
        Attack::new(
            "a history that grows with every poll",
            Gets,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let message = "{\"messageId\":\"m\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"x\"}]},";
                let text =
                    text.replace("\"history\":[", &format!("\"history\":[{}", message.repeat(strike.number * 20)));
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
            }),
        )
        .heavy(),
        Attack::new(
            "tasks that work for ever",
            Gets,
            changed(|text| text.replace("TASK_STATE_COMPLETED", "TASK_STATE_WORKING").into_bytes()),
        )
        .with(&["--timeout", "4"]),
        Attack::new(
            "a state that changes with every poll",
            Gets,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let state = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_SUBMITTED", "TASK_STATE_FAILED"];
                let text = text.replace("TASK_STATE_COMPLETED", state[strike.number % 4]);
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
            }),
        ),
        Attack::new(
            "a state that nobody knows",
            Gets,
            changed(|text| text.replace("TASK_STATE_COMPLETED", "TASK_STATE_\\u202eEVIL").into_bytes()),
        ),
        Attack::new(
            "another task each time",
            Gets,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let text = text.replace("\"id\":\"", &format!("\"id\":\"{}-", strike.number));
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
            }),
        ),
        Attack::new(
            "a list whose next page never ends",
            Lists,
            body_for(|strike| {
                strike.asked.wrap(&format!(
                    "{{\"tasks\":[{}],\"nextPageToken\":\"page-{}\",\"pageSize\":1,\"totalSize\":1000000}}",
                    task("").replace("\"t\"", &format!("\"t{}\"", strike.number)),
                    strike.number
                ))
            }),
        ),
        Attack::new(
            "a list whose next page is itself",
            Lists,
            body_for(|strike| {
                strike.asked.wrap(&format!(
                    "{{\"tasks\":[{}],\"nextPageToken\":\"again\",\"pageSize\":1,\"totalSize\":2}}",
                    task("")
                ))
            }),
        ),
        Attack::new(
            "a list of 20,000 tasks",
            Lists,
            body_for(|strike| {
                let tasks: Vec<_> =
                    (0..20_000).map(|number| task("").replace("\"t\"", &format!("\"t{number}\""))).collect();
                strike.asked.wrap(&format!(
                    "{{\"tasks\":[{}],\"nextPageToken\":\"\",\"pageSize\":1,\"totalSize\":-1}}",
                    tasks.join(",")
                ))
            }),
        ),
        Attack::new(
            "a token of 1 MB for the next page",
            Lists,
            body_for(|strike| {
                strike.asked.wrap(&format!(
                    "{{\"tasks\":[],\"nextPageToken\":\"{}\",\"pageSize\":1,\"totalSize\":2}}",
                    "p".repeat(1 << 20)
                ))
            }),
        )
        .heavy(),
    ]
}

fn wrong_answers() -> Vec<Attack> {
    vec![
        Attack::new(
            "a request instead of an answer",
            Sends,
            body("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{}}"),
        ),
        Attack::new("a notification instead of an answer", Sends, body("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}")),
        Attack::new("an array of answers", Sends, changed(|text| format!("[{text},{text}]").into_bytes())),
        Attack::new(
            "a result and an error",
            Sends,
            changed(|text| text.replacen('{', "{\"error\":{\"code\":-32603,\"message\":\"both\"},", 1).into_bytes()),
        ),
        Attack::new(
            "another version of JSON-RPC",
            Sends,
            changed(|text| text.replace("\"jsonrpc\":\"2.0\"", "\"jsonrpc\":\"3.0\"").into_bytes()),
        ),
        Attack::new("an id of another type", Sends, acts(|strike, stream| send_with_id(strike, stream, "{\"a\":[]}"))),
        Attack::new(
            "an id of 1 MB",
            Sends,
            acts(|strike, stream| send_with_id(strike, stream, &format!("\"{}\"", "9".repeat(1 << 20)))),
        )
        .heavy(),
        Attack::new(
            "the id of another request",
            Sends,
            acts(|strike, stream| send_with_id(strike, stream, "\"not-yours\"")),
        ),
        Attack::new(
            "a stream for a message",
            Sends,
            acts(|strike, stream| {
                let text = format!("data: {}\n\n", sent(strike, ""));
                send(stream, &ok("text/event-stream", text.as_bytes()));
            }),
        ),
    ]
}

fn uniform() -> Vec<Attack> {
    let all = |name, line: &str| Attack::new(name, Calls, raw(format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n")));
    vec![
        Attack::new("the same task for every call", Calls, body_for(|strike| strike.asked.wrap(&task("")))),
        Attack::new("the same error for every call", Calls, body_for(|strike| error(strike, "-32603", "no"))),
        Attack::new("the request for every answer", Calls, body_for(|strike| strike.asked.body.clone())),
        Attack::new(
            "the head of the request for every answer",
            Calls,
            body_for(|strike| {
                let parts = serde_json::json!([{"text": strike.asked.head}]);
                strike
                    .asked
                    .wrap(&format!("{{\"message\":{{\"messageId\":\"m\",\"role\":\"ROLE_AGENT\",\"parts\":{parts}}}}}"))
            }),
        ),
        all("500 for every call", "500 Internal Server Error"),
        all("503 for every call", "503 Service Unavailable\r\nRetry-After: 0"),
        all("429 for every call", "429 Too Many Requests"),
        all("401 for every call", "401 Unauthorized\r\nWWW-Authenticate: Bearer"),
        all("404 for every call", "404 Not Found"),
        all("204 for every call", "204 No Content"),
        all("200 and nothing for every call", "200 OK"),
    ]
}
