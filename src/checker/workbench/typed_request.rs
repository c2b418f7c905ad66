//! Reads the request that somebody typed: whether it can be sent, and which call of A2A it is. Edits count as they are in the
//! editor, not as the request was written first.

use crate::a2a::binding::SentCall;
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::Operation;
use crate::a2a::rule::{Notes, Rule};
use crate::engine::transcript::Lane;
use crate::view_model::workbench::{Typed, line_and_column};
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json::{FlawKind, Map, Value, parse};
use crate::wire::url::{Url, decode};

/// The rules of messages. An agent that returns our message breaks those that the message breaks.
const OF_MESSAGES: [Rule; 8] = [
    Rule::MessageMembers,
    Rule::PartContent,
    Rule::PartRaw,
    Rule::PartFile,
    Rule::Role,
    Rule::Kind,
    Rule::NoKind,
    Rule::Unspecified,
];

/// Reads what was typed. The error is one sentence on why it is not sent.
pub(super) fn request(typed: &Typed, as_it_is: bool) -> Result<Request, String> {
    let method = typed.method.trim();
    let can_be_sent = |method: &Method| !matches!(method, Method::Options | Method::Head);
    let method = Method::parse(method).filter(can_be_sent).ok_or_else(|| {
        format!("\u{201c}{method}\u{201d} is not a method that can be sent; use GET, POST, PUT or DELETE.")
    })?;
    let url = typed.url.trim();
    Url::parse(url).map_err(|problem| format!("The URL cannot be requested: {problem}."))?;
    let mut headers = Headers::new();
    for (number, line) in typed.headers.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let field = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let is_token = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
        };
        match field.filter(|(name, value)| is_token(name) && !value.contains(char::is_control)) {
            Some((name, value)) => headers.push(name, value),
            None => {
                let line = number + 1;
                return Err(format!("Line {line} of the headers does not have the form \u{201c}Name: value\u{201d}."));
            }
        }
    }
    let body = Some(&typed.body).filter(|body| !body.trim().is_empty());
    if method == Method::Get && body.is_some() {
        return Err("A browser sends no body with GET. Empty the body, or choose POST.".to_owned());
    }
    let says_json = headers.media_type().is_none_or(|media| media.contains("json"));
    if let Some(body) = body.filter(|_| !as_it_is && says_json) {
        valid(body)?;
    }
    Ok(Request { method, url: url.to_owned(), headers, body: body.map(|body| body.as_bytes().to_vec()) })
}

/// Whether a body is JSON; else where it is not.
fn valid(body: &str) -> Result<(), String> {
    use FlawKind::{Empty, NotJson, Syntax, TooDeep, TrailingText};
    let parsed = parse(body.as_bytes());
    let breaks = |kind: FlawKind| matches!(kind, Syntax | NotJson | TrailingText | TooDeep | Empty);
    match parsed.flaws.iter().find(|flaw| breaks(flaw.kind)) {
        Some(flaw) => {
            let (line, column) = line_and_column(body, flaw.offset);
            Err(format!("The body is not JSON at line {line}, column {column}: {}. Nothing was sent.", flaw.detail))
        }
        None => Ok(()),
    }
}

/// The call of A2A that a request to an interface is. The error says why its answer cannot be judged, as a clause.
pub(super) fn call(lane: &Lane, request: &Request) -> Result<SentCall, String> {
    if let Some(header) = lane.dialect.version_header {
        let named = request.headers.get(header).unwrap_or_default();
        let fits = named == lane.version()
            || lane.unknown_version() == Some(named)
            || Dialect::of_version(named).is_some_and(|named| named.is_version_of(lane.dialect));
        if !fits {
            return Err(format!("the request does not name the version {} of its interface", lane.dialect.version));
        }
    }
    match lane.binding.slug {
        "rest" => over_http(lane, request),
        _ => over_rpc(lane, request),
    }
}

fn over_rpc(lane: &Lane, request: &Request) -> Result<SentCall, String> {
    if request.method != Method::Post || without_query(&request.url) != without_query(&lane.interface.url) {
        return Err("it was not a POST to the URL of the interface".to_owned());
    }
    if request.headers.media_type().as_deref() != Some("application/json") {
        return Err("the request does not say that it is application/json".to_owned());
    }
    let body = parse(request.body.as_deref().unwrap_or_default());
    let Some(document) = body.value.filter(|_| body.flaws.is_empty()) else {
        return Err("the request is not plain JSON".to_owned());
    };
    if document.is_array() {
        return Err("the request is a batch, which A2A does not mention".to_owned());
    }
    let method = document.get("method").and_then(Value::as_str).unwrap_or_default();
    let named = lane.dialect.methods.iter().find(|(_, known)| *known == method).map(|(operation, _)| *operation);
    let operation = named.ok_or("the request names no method of its version")?;
    let id = document.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
    if document.get("jsonrpc") != Some(&Value::from("2.0")) || id.is_none() {
        return Err("the request is not a JSON-RPC 2.0 call with an id".to_owned());
    }
    let params = document.get("params").cloned();
    Ok(SentCall { operation: Some(operation), id, params, ..SentCall::default() })
}

fn over_http(lane: &Lane, request: &Request) -> Result<SentCall, String> {
    let base = without_query(&lane.interface.url).trim_end_matches('/');
    let base_of_route =
        |route: &str| if route.starts_with("/v1/") { base.strip_suffix("/v1").unwrap_or(base) } else { base };
    let url = without_query(&request.url);
    let found = lane.dialect.routes.iter().find_map(|(operation, method, route)| {
        let path = url.strip_prefix(base_of_route(route))?;
        let either = *operation == Operation::SubscribeToTask && matches!(request.method, Method::Get | Method::Post);
        let fits = *method == request.method || either;
        Some((*operation, members(route, path).filter(|_| fits)?))
    });
    let (operation, mut params) = found.ok_or("the request is to no route of the interface")?;
    if let Some(body) = &request.body {
        let body = parse(body);
        match body.value.filter(|_| body.flaws.is_empty()) {
            Some(Value::Object(members)) => params.extend(members),
            _ => return Err("the request's body is not a plain JSON object".to_owned()),
        }
    }
    Ok(SentCall { operation: Some(operation), params: Some(Value::Object(params)), ..SentCall::default() })
}

/// The members that a path has in the places of a route's `{members}`; `None` if it is not that route.
fn members(route: &str, path: &str) -> Option<Map<String, Value>> {
    let mut members = Map::new();
    let (wanted, given) = (route.split('/'), path.split('/'));
    if wanted.clone().count() != given.clone().count() {
        return None;
    }
    for (wanted, given) in wanted.zip(given) {
        let Some((before, rest)) = wanted.split_once('{') else {
            if wanted == given {
                continue;
            }
            return None;
        };
        let (name, after) = rest.split_once('}')?;
        let value = given.strip_prefix(before)?.strip_suffix(after)?;
        if value.is_empty() || (after.is_empty() && value.contains(':')) {
            return None;
        }
        members.insert(name.to_owned(), Value::from(decode(value)));
    }
    Some(members)
}

fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// Whether the message of a call breaks rules itself, so that an agent that repeats it is not to blame.
pub(super) fn is_odd(lane: &Lane, sent: &SentCall) -> bool {
    let sends = matches!(sent.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
    let Some(params) = sent.params.as_ref().filter(|_| sends) else { return false };
    let Some(message) = params.get("message") else { return true };
    // The reader of answers reads messages: bare ones of older versions, and those with a name.
    let wrapped = Value::Object([("message".to_owned(), message.clone())].into_iter().collect());
    let mut notes = Notes::default();
    // In 0.1 an answer is never a message, but a status has one.
    let in_task = || serde_json::json!({"id": "t", "status": {"state": "working", "message": message}});
    let document = match lane.dialect.version {
        "0.1" => &in_task(),
        _ if lane.dialect.over_http.is_none() && lane.dialect.forms.rpc_status => &wrapped,
        _ => message,
    };
    let _ = (lane.dialect.read_result)(lane.dialect, Operation::SendMessage, &Cursor::root(document), &mut notes);
    notes.deviations().any(|deviation| OF_MESSAGES.contains(&deviation.rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::BINDINGS;
    use crate::a2a::dialect::DIALECTS;
    use crate::a2a::dialect::write::Outgoing;

    fn typed(method: &str, headers: &str, body: &str) -> Typed {
        Typed {
            method: method.to_owned(),
            url: "https://h.example/rpc".to_owned(),
            headers: headers.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn what_is_not_json_is_named_with_its_place_and_sent_only_on_demand() {
        let broken = typed("POST", "Content-Type: application/json", "{\n  \"a\": 1,\n  oops\n}");
        let problem = request(&broken, false).unwrap_err();
        assert!(problem.contains("line 3, column 3") && problem.contains("Nothing was sent"), "{problem}");
        assert_eq!(request(&broken, true).unwrap().body.as_deref(), Some(broken.body.as_bytes()));
        assert!(request(&typed("POST", "Content-Type: text/plain", "hello"), false).is_ok());
        assert!(request(&typed("POST", "", "{} {}"), false).unwrap_err().contains("line 1, column 4"));
    }

    #[test]
    fn what_cannot_be_sent_says_why() {
        for (given, words) in [
            (typed("BREW", "", ""), "BREW"),
            (typed("OPTIONS", "", ""), "OPTIONS"),
            (typed("HEAD", "", ""), "HEAD"),
            (typed("GET", "", "{}"), "no body with GET"),
            (typed("POST", "A: b\nno field", "{}"), "Line 2 of the headers"),
            (typed("POST", ": b", "{}"), "Line 1 of the headers"),
            (Typed { url: "ftp://h".to_owned(), ..typed("POST", "", "{}") }, "The URL cannot be requested"),
        ] {
            let problem = request(&given, true).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn messages_of_our_own_are_never_odd() {
        for version in DIALECTS {
            for binding in BINDINGS {
                let lane = Lane::undeclared(binding, version, "https://h.example/a2a");
                let outgoing = Outgoing { message_id: "m".to_owned(), text: "hello".to_owned(), ..Outgoing::default() };
                let params = (lane.dialect.send_params)(lane.dialect, &outgoing);
                let sent = SentCall {
                    operation: Some(Operation::SendMessage),
                    params: Some(params.clone()),
                    ..SentCall::default()
                };
                assert!(!is_odd(&lane, &sent), "{} {}", lane.id, params);
                let odd = params.to_string().replace("\"hello\"", "7");
                let odd = SentCall { params: parse(odd.as_bytes()).value, ..sent };
                assert!(is_odd(&lane, &odd), "{} {:?}", lane.id, odd.params);
            }
        }
    }

    #[test]
    fn an_edited_request_is_the_call_that_it_says() {
        let lane = Lane::undeclared(BINDINGS[0], DIALECTS[0], "https://h.example/rpc");
        let headers = "Content-Type: application/json\nA2A-Version: 1.0";
        let of = |headers: &str, body: &str| call(&lane, &request(&typed("POST", headers, body), true).unwrap());
        let get = r#"{"jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": {"id": "x"}}"#;
        assert_eq!(of(headers, get).unwrap().operation, Some(Operation::GetTask));
        for (headers, body) in [
            (headers, &*format!("[{get}]")),
            (headers, "{}"),
            (headers, &get.replace("GetTask", "Dance")),
            (headers, &get.replace("\"id\": 7,", "")),
            (headers, &get.replace("2.0", "1.0")),
            (headers, &get.replace('}', "")),
            ("Content-Type: application/json", get),
            ("Content-Type: application/json\nA2A-Version: 0.3", get),
            ("Content-Type: text/plain\nA2A-Version: 1.0", get),
        ] {
            assert!(of(headers, body).is_err(), "{headers} {body}");
        }
    }

    #[test]
    fn a_route_is_found_with_its_members() {
        let lane = Lane::undeclared(BINDINGS[1], DIALECTS[0], "https://h.example/base/");
        let of = |method: Method, path: &str| {
            let url = format!("https://h.example/base{path}");
            let request = Request { method, ..Request::get(url) }.with_header("A2A-Version", "1.0");
            call(&lane, &request).ok().and_then(|sent| sent.operation)
        };
        assert_eq!(of(Method::Get, "/tasks/7?historyLength=1"), Some(Operation::GetTask));
        assert_eq!(of(Method::Get, "/tasks"), Some(Operation::ListTasks));
        assert_eq!(of(Method::Post, "/tasks/7:cancel"), Some(Operation::CancelTask));
        assert_eq!(of(Method::Get, "/tasks/7:subscribe"), Some(Operation::SubscribeToTask));
        assert_eq!(of(Method::Delete, "/tasks/7/pushNotificationConfigs/c"), Some(Operation::DeletePushConfig));
        assert_eq!((of(Method::Post, "/tasks/7"), of(Method::Get, "/dance")), (None, None));
    }
}
