//! From what was chosen in the workbench to the exact request, written by the engine's own dialects and bindings, and the remarks
//! beside it.

use std::rc::Rc;

use super::agent_knowledge::{KnownCard, LatestIds};
use crate::a2a::binding::{BINDINGS, Binding, Call, VersionSelection};
use crate::a2a::dialect::write::{ListQuery, Outgoing, PushConfigRequest};
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::Operation;
use crate::engine::transcript::Lane;
use crate::view_model::wire::laid_out;
use crate::view_model::workbench::{Choice, Composed, Draft, Typed};
use crate::wire::http::Request;
use crate::wire::json::{Map, Value, parse};

/// The formats of a request: the name in a draft, the label, whether a page can send it, and a description.
const FORMATS: [(&str, &str, bool, &str); 6] = [
    (
        "a2a-jsonrpc",
        "A2A Protocol (JSON-RPC 2.0)",
        true,
        "The official JSON-RPC binding: every call is a POST to one URL, and the body names the method.",
    ),
    (
        "a2a-rest",
        "A2A Protocol (REST)",
        true,
        "The official HTTP+JSON binding: every operation has a route of its own, and the body is the bare request.",
    ),
    ("a2a-grpc", "A2A Protocol (gRPC), which no page can send", false, ""),
    (
        "batch",
        "JSON-RPC batch",
        true,
        "Several calls in one array (JSON-RPC 2.0 \u{a7}6). A2A does not mention batches; an agent may refuse them.",
    ),
    (
        "rest-passthrough",
        "Simple REST (Passthrough)",
        true,
        "Your JSON is sent as it is. Nothing is wrapped around it, and nothing is added but the credentials.",
    ),
    (
        "custom",
        "Custom wrapper",
        true,
        "A wrapper around your parameters, as some gateways send: interaction_type, parameters, protocol_version. Edit it \
         to your own.",
    ),
];

const NOT_VALIDATED: &str =
    "Nothing is validated: this is not A2A, so neither the request nor the answer is judged, whatever comes back.";

/// The interface that a request goes to, and in which operation.
pub(super) struct Destination {
    /// The interface; its URL alone where the format is not one of A2A's.
    pub(super) lane: Rc<Lane>,
    /// Whether the card declares it, or there is no card that could.
    pub(super) is_declared: bool,
    /// Whether the format is one of A2A's own, with one call in a request.
    pub(super) is_a2a: bool,
}

/// The writer of a request: the choices of the form, and the facts that it needs.
pub(super) struct RequestWriter<'a> {
    pub(super) draft: &'a Draft,
    pub(super) known: &'a KnownCard,
    pub(super) seen: &'a LatestIds,
    pub(super) address: &'a str,
    /// An id that was never used before.
    pub(super) fresh: String,
}

impl RequestWriter<'_> {
    fn format(&self) -> &'static str {
        let chosen = self.draft.get("format");
        let known = FORMATS.iter().find(|(name, _, can, _)| *name == chosen && *can).map(|(name, ..)| *name);
        let first = || match self.known.lanes.first() {
            Some(lane) if lane.binding.slug == "rest" => "a2a-rest",
            _ => "a2a-jsonrpc",
        };
        known.unwrap_or_else(first)
    }

    fn binding(&self) -> &'static Binding {
        let slug = if self.format() == "a2a-rest" { "rest" } else { "jsonrpc" };
        let of_slug = BINDINGS.iter().copied().find(|binding| binding.slug == slug);
        of_slug.unwrap_or(&crate::a2a::binding::jsonrpc::JSONRPC)
    }

    /// Whether what is sent is a call of A2A, and no batch of them.
    fn is_a2a(&self) -> bool {
        self.format().starts_with("a2a-")
    }

    fn has_operations(&self) -> bool {
        self.is_a2a() || self.format() == "batch"
    }

    /// The URL of requests that no declared interface takes.
    fn at(&self) -> String {
        let typed = self.draft.get("at").trim();
        let binding = self.binding().id;
        let declared = || {
            let of_binding = self.known.lanes.iter().find(|lane| lane.interface.binding == binding);
            of_binding.or_else(|| self.known.lanes.first()).map(|lane| lane.interface.url.clone())
        };
        if typed.is_empty() { declared().unwrap_or_else(|| self.address.to_owned()) } else { typed.to_owned() }
    }

    /// The interface that was chosen; the first that fits if none was.
    pub(super) fn target(&self) -> Destination {
        let binding = self.binding();
        let chosen = self.draft.get("interface");
        let mut fitting = self.known.lanes.iter().filter(|lane| lane.binding.slug == binding.slug);
        let is_a2a = self.is_a2a();
        if !self.has_operations() {
            let version = Dialect::newest();
            return Destination { lane: Lane::undeclared(binding, version, &self.at()), is_declared: false, is_a2a };
        }
        if let Some(lane) = fitting.clone().find(|lane| lane.id == chosen) {
            return Destination { lane: Rc::clone(lane), is_declared: true, is_a2a };
        }
        let forced = versions(binding).find(|version| version.version == chosen);
        match (forced, fitting.next()) {
            (None, Some(lane)) => Destination { lane: Rc::clone(lane), is_declared: true, is_a2a },
            (forced, _) => {
                let newest = || versions(binding).next().unwrap_or_else(Dialect::newest);
                let version = forced.unwrap_or_else(newest);
                // When no card was read, only the user can know what is spoken there.
                let is_declared = self.known.card.is_none();
                Destination { lane: Lane::undeclared(binding, version, &self.at()), is_declared, is_a2a }
            }
        }
    }

    fn operation(&self, dialect: &Dialect) -> Operation {
        let chosen = self.draft.get("operation");
        let is_it = |operation: &Operation| name(*operation) == chosen && has(dialect, self.binding(), *operation);
        Operation::ALL.into_iter().find(is_it).unwrap_or(Operation::SendMessage)
    }

    /// The text of a field, else what answers named.
    fn or_seen(&self, field: &str) -> String {
        let typed = self.draft.get(field).trim();
        let seen = match field {
            "task" => &self.seen.task,
            "context" => &self.seen.context,
            "config" => &self.seen.config,
            _ => "",
        };
        if typed.is_empty() { seen.to_owned() } else { typed.to_owned() }
    }

    pub(super) fn composed(&self) -> Composed {
        let target = self.target();
        let (lane, format) = (&target.lane, self.format());
        let operation = self.operation(lane.dialect);
        let written = match format {
            "batch" => self.batch(lane, operation),
            "rest-passthrough" => Ok(self.plain(r#"{"query": "Hello"}"#)),
            "custom" => Ok(self.plain(
                r#"{"interaction_type": "query", "parameters": {"query": "Hello"}, "protocol_version": "1.0"}"#,
            )),
            _ => self.request(lane, operation),
        };
        let (request, problem) = match written {
            Ok(request) => (Some(typed(&request)), String::new()),
            Err(problem) => (None, problem),
        };
        let about = FORMATS.iter().find(|(name, ..)| *name == format).map(|(.., about)| *about);
        let is_forced = self.has_operations() && !self.known.lanes.iter().any(|known| Rc::ptr_eq(known, lane));
        let fields = self.fields(operation, is_forced || !self.has_operations());
        Composed {
            agent: self.about_agent(),
            has_card: self.known.card.is_some(),
            choices: self.choices(&target, operation),
            fields: fields.into_iter().map(str::to_owned).collect(),
            request,
            about: about.unwrap_or_default().to_owned(),
            warning: match (self.has_operations(), is_forced && self.known.card.is_some()) {
                (false, _) => NOT_VALIDATED.to_owned(),
                (true, true) => format!(
                    "The card does not declare {} {}: the agent need not understand this, and its answer is not judged.",
                    lane.binding.title, lane.dialect.version
                ),
                (true, false) => String::new(),
            },
            credentials: String::new(),
            problem,
            can_talk: target.is_a2a,
            streams: self.known.card.as_ref().is_none_or(|card| card.streaming),
        }
    }

    fn about_agent(&self) -> String {
        let Some(card) = &self.known.card else {
            return match self.known.problem.as_str() {
                "" => {
                    "No card was read yet. Read it to see what the agent declares, or choose for yourself.".to_owned()
                }
                problem => format!("The card could not be read: {problem}. You can choose for yourself."),
            };
        };
        let lanes: Vec<String> =
            self.known.lanes.iter().map(|lane| format!("{} {}", lane.binding.title, lane.dialect.version)).collect();
        let lanes = if lanes.is_empty() { "nothing that can be called from here".to_owned() } else { lanes.join(", ") };
        format!("{} declares {lanes}.", card.name.as_deref().unwrap_or("The agent"))
    }

    fn fields(&self, operation: Operation, has_address: bool) -> Vec<&'static str> {
        let mut fields = if has_address { vec!["at"] } else { Vec::new() };
        if self.has_operations() {
            fields.extend_from_slice(match operation {
                Operation::SendMessage | Operation::SendStreamingMessage => &["text", "task", "context"],
                Operation::GetTask
                | Operation::CancelTask
                | Operation::SubscribeToTask
                | Operation::ListPushConfigs => &["task"],
                Operation::ListTasks => &["context"],
                Operation::CreatePushConfig => &["task", "config", "notify"],
                Operation::GetPushConfig | Operation::DeletePushConfig => &["task", "config"],
                Operation::GetExtendedCard => &[],
            });
        }
        fields
    }

    fn choices(&self, target: &Destination, operation: Operation) -> Vec<Choice> {
        let (lane, binding) = (&target.lane, self.binding());
        let formats = FORMATS.iter().map(|(name, label, can, _)| ((*name).to_owned(), (*label).to_owned(), *can));
        let mut choices =
            vec![Choice { name: "format".to_owned(), chosen: self.format().to_owned(), options: formats.collect() }];
        if !self.has_operations() {
            return choices;
        }
        let of_binding = || self.known.lanes.iter().filter(|lane| lane.binding.slug == binding.slug);
        let declared = of_binding().map(|lane| {
            let label = format!("{} {} at {}", binding.title, lane.dialect.version, lane.interface.url);
            (lane.id.clone(), label, true)
        });
        let others = versions(binding).filter(|version| !of_binding().any(|lane| lane.dialect.is_version_of(version)));
        let why = if self.known.card.is_some() { ", not in the card" } else { "" };
        let others = others
            .map(|version| (version.version.to_owned(), format!("{} {}{why}", binding.title, version.version), true));
        let is_declared = of_binding().any(|known| Rc::ptr_eq(known, lane));
        let chosen = if is_declared { lane.id.clone() } else { lane.dialect.version.to_owned() };
        choices.push(Choice { name: "interface".to_owned(), chosen, options: declared.chain(others).collect() });
        let operations = Operation::ALL.into_iter().filter(|operation| has(lane.dialect, binding, *operation));
        let operations = operations.map(|operation| {
            let canonical = name(operation);
            let method = lane.dialect.method(operation).filter(|method| *method != canonical && binding.slug != "rest");
            let method = method.map(|method| format!(" \u{b7} {method}")).unwrap_or_default();
            let undeclared = if self.declares(operation) { "" } else { ", not declared" };
            (canonical.to_owned(), format!("{canonical}{method}{undeclared}"), true)
        });
        let operation = name(operation).to_owned();
        choices.push(Choice { name: "operation".to_owned(), chosen: operation, options: operations.collect() });
        choices
    }

    fn declares(&self, operation: Operation) -> bool {
        self.known.card.as_ref().is_none_or(|card| card.offers(operation))
    }

    /// The request of an operation. The error is a sentence that names what is missing.
    fn request(&self, lane: &Lane, operation: Operation) -> Result<Request, String> {
        self.call(lane, operation, self.params(lane.dialect, operation)?)
    }

    pub(super) fn message(&self, lane: &Lane, operation: Operation, outgoing: &Outgoing) -> Result<Request, String> {
        let outgoing = Outgoing { message_id: self.fresh.clone(), ..outgoing.clone() };
        self.call(lane, operation, (lane.dialect.send_params)(lane.dialect, &outgoing))
    }

    pub(super) fn of_task(&self, lane: &Lane, operation: Operation, task: &str) -> Result<Request, String> {
        self.call(lane, operation, (lane.dialect.task_params)(task, None))
    }

    fn call(&self, lane: &Lane, operation: Operation, params: Value) -> Result<Request, String> {
        let version = match lane.unknown_version() {
            Some(version) => VersionSelection::Other(version.to_owned()),
            None => VersionSelection::Declared,
        };
        let call = Call {
            operation: Some(operation),
            params: Some(params),
            id: Value::from(format!("call-{}", self.fresh)),
            version,
            extensions: Some(self.known.required_extensions()),
            ..Call::default()
        };
        (lane.binding.request)(lane.dialect, &lane.interface, &call)
            .map_err(|why| format!("{} cannot be written: {why}.", name(operation)))
    }

    fn params(&self, dialect: &Dialect, operation: Operation) -> Result<Value, String> {
        let given = |field: &str| Some(self.or_seen(field)).filter(|text| !text.is_empty());
        let name = name(operation);
        let task = || {
            let missing =
                || format!("{name} names a task: type its id, or send a message that makes the agent create one.");
            given("task").ok_or_else(missing)
        };
        let typed = |field: &str| Some(self.draft.get(field).trim().to_owned()).filter(|text| !text.is_empty());
        Ok(match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => {
                let outgoing = Outgoing {
                    message_id: self.fresh.clone(),
                    text: typed("text").unwrap_or_else(|| "Hello".to_owned()),
                    // Ids that an earlier answer named belong to another conversation.
                    task_id: typed("task"),
                    context_id: typed("context"),
                    ..Outgoing::default()
                };
                (dialect.send_params)(dialect, &outgoing)
            }
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
                (dialect.task_params)(&task()?, None)
            }
            Operation::ListTasks => {
                (dialect.list_params)(dialect, &ListQuery { context_id: typed("context"), ..ListQuery::default() })
            }
            Operation::GetExtendedCard => Value::Object(Map::new()),
            _ => {
                let url = typed("notify").unwrap_or_else(|| "https://example.com/notifications".to_owned());
                let mut config_id = given("config");
                // The config of a task needs no id when it is the only one.
                let has_ids = has(dialect, self.binding(), Operation::ListPushConfigs);
                if operation == Operation::ListPushConfigs {
                    config_id = None;
                } else if operation != Operation::CreatePushConfig && config_id.is_none() && has_ids {
                    return Err(format!("{name} names a config: type its id, or create one first."));
                }
                (dialect.push_params)(operation, &PushConfigRequest { task_id: task()?, config_id, url })
            }
        })
    }

    /// Two calls in one array: the chosen one, and another that changes nothing.
    fn batch(&self, lane: &Lane, operation: Operation) -> Result<Request, String> {
        let first = self.request(lane, operation)?;
        let missing = (lane.dialect.task_params)("a-task-that-does-not-exist", None);
        let second = self.call(lane, Operation::GetTask, missing)?;
        let body = |request: &Request| parse(request.body.as_deref().unwrap_or_default()).value.unwrap_or_default();
        let mut other = body(&second);
        // Every call of a batch needs an id of its own.
        if let Some(id) = other.get_mut("id") {
            *id = Value::from(format!("second-{}", self.fresh));
        }
        let body = Value::Array(vec![body(&first), other]);
        Ok(Request { body: Some(body.to_string().into_bytes()), ..first })
    }

    fn plain(&self, example: &str) -> Request {
        Request::post(self.at(), "application/json", example)
            .with_header("accept", "application/json, text/event-stream")
    }
}

/// The versions that a binding has, newest first.
fn versions(binding: &'static Binding) -> impl Iterator<Item = &'static Dialect> {
    DIALECTS
        .iter()
        .copied()
        .filter(|version| Operation::ALL.into_iter().any(|op| has(version.over(binding.id), binding, op)))
}

fn has(dialect: &Dialect, binding: &Binding, operation: Operation) -> bool {
    match binding.slug {
        "rest" => dialect.route(operation).is_some(),
        _ => dialect.method(operation).is_some(),
    }
}

/// The name of an operation: that of the newest version.
pub(super) fn name(operation: Operation) -> &'static str {
    Dialect::newest().method(operation).unwrap_or_default()
}

fn typed(request: &Request) -> Typed {
    let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    Typed {
        method: request.method.as_str().to_owned(),
        url: request.url.clone(),
        headers: headers.join("\n"),
        body: request.body.as_deref().and_then(|body| parse(body).value).as_ref().map(laid_out).unwrap_or_default(),
    }
}
