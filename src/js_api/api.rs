//! `checkAgent` and `checkList` for JavaScript, without the exports themselves: those are in the programs, because whatever a
//! library exports, every module that is made of it exports and carries.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{AbortHandle, Abortable};
use js_sys::{Array, Error, Function, JSON, Object, Reflect};
use serde::Serialize;
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue};
use web_sys::AbortSignal;

use super::events::{report_event, script_events};
use super::list::list;
use super::options::{GivenRun, known, read};
use super::problem::{Code, Problem};
use crate::engine::event::Event;
use crate::engine::run::{run, run_pair};
use crate::host::Host;
use crate::report::{Environment, Report, ReportBuilder, json as report_json};
use crate::suite::{agents, areas_for};
use crate::wire::json;

/// The checks that a script can ask for: an array of `{ id, title, level }`. Where JavaScript works, this never fails.
pub fn check_list() -> Result<JsValue, JsValue> {
    handed_out(&list())
}

/// Checks an agent and answers the report of version 1 as a plain object. `docs/SCRIPTS.md` says what `options` may hold.
///
/// Rejects with an [`error`] when the options cannot be used or the caller's signal ended the run, and with whatever the
/// callback threw. An agent that cannot be reached is a report.
pub async fn check_agent(host: Host, environment: Environment, options: JsValue) -> Result<JsValue, JsValue> {
    let in_browser = host.visibility.is_limited_by_cors;
    let (asked, signal, callback) = taken_apart(&options)?;
    let asked = json::read(asked.as_bytes()).unwrap_or_default();
    let given = read(&asked, in_browser).map_err(|problem| error(&problem))?;
    if let Some(signal) = signal.as_ref().filter(|signal| signal.aborted()) {
        return Err(aborted(signal));
    }

    let clock = Rc::clone(&host.clock);
    let started_ms = clock.now_ms();
    let (handle, registration) = AbortHandle::new_pair();
    let telling = Rc::new(Telling {
        recorder: RefCell::new(ReportBuilder::new(environment.clone())),
        environment,
        agents: RefCell::default(),
        callback,
        thrown: RefCell::new(None),
        stop: handle.clone(),
    });
    let is_of_two = given.peer.is_some();
    let checking = check(host, given, Rc::clone(&telling));
    let ended = {
        let _heard = signal.as_ref().map(|signal| AbortListener::new(signal, handle));
        Abortable::new(checking, registration).await
    };

    if ended.is_err() {
        let tally = telling.recorder.borrow().tally();
        telling.tell(&Event::stopped(tally, clock.now_ms() - started_ms));
        if is_of_two {
            telling.give_up();
        }
    }
    if let Some(thrown) = telling.thrown.take() {
        return Err(thrown);
    }
    let report = JSON::parse(&report_json::write(&telling.report()))?;
    match (ended, signal) {
        (Err(_), Some(signal)) => {
            let error = aborted(&signal);
            Reflect::set(&error, &"report".into(), &report)?;
            Err(error)
        }
        _ => Ok(report),
    }
}

/// Checks an agent, or two of them: each alone, and then both together.
async fn check(host: Host, given: GivenRun, telling: Rc<Telling>) {
    let emit = {
        let telling = Rc::clone(&telling);
        Rc::new(move |event: Event| telling.tell(&event))
    };
    let GivenRun { first, peer } = given;
    let Some(peer) = peer else { return run(host, areas_for(&first), first, emit).await };
    for (report, options) in [("a", &first), ("b", &peer)] {
        telling.begin(report);
        let emit = Rc::clone(&emit);
        run(host.clone(), areas_for(options), options.clone(), emit).await;
        telling.keep_agent();
    }
    telling.begin("both");
    run_pair(host, agents::SUITE, first, peer, emit).await;
}

struct Telling {
    recorder: RefCell<ReportBuilder>,
    environment: Environment,
    /// The reports of the two agents alone, where there are two.
    agents: RefCell<Vec<Rc<Report>>>,
    callback: Option<Function>,
    /// The error that the callback threw. After it, the callback is not called again, and the run ends.
    thrown: RefCell<Option<JsValue>>,
    stop: AbortHandle,
}

impl Telling {
    fn tell(&self, event: &Event) {
        self.recorder.borrow_mut().apply(event);
        self.call(script_events(event));
    }

    /// Tells that one of the runs of two agents begins.
    fn begin(&self, report: &str) {
        self.call(vec![report_event(report)]);
    }

    /// Keeps the report of an agent alone; the next begins.
    fn keep_agent(&self) {
        let report = self.recorder.replace(ReportBuilder::new(self.environment.clone())).report();
        self.agents.borrow_mut().push(Rc::new(report));
    }

    /// The run of two agents was stopped before it came to both: so says the report on both.
    fn give_up(&self) {
        if self.agents.borrow().len() < 2 {
            self.keep_agent();
            let tally = self.recorder.borrow().tally();
            self.recorder.borrow_mut().apply(&Event::stopped(tally, 0.0));
        }
    }

    fn report(&self) -> Report {
        Report { agents: self.agents.borrow().clone(), ..self.recorder.borrow().report() }
    }

    fn call(&self, events: Vec<Value>) {
        let Some(callback) = &self.callback else { return };
        for told in events {
            if self.thrown.borrow().is_some() {
                return;
            }
            if let Err(thrown) = handed_out(&told).and_then(|told| callback.call1(&JsValue::UNDEFINED, &told)) {
                self.thrown.replace(Some(thrown));
                self.stop.abort();
            }
        }
    }
}

/// A listener of a signal, for as long as this lives.
struct AbortListener<'a> {
    signal: &'a AbortSignal,
    listener: Closure<dyn FnMut()>,
}

impl<'a> AbortListener<'a> {
    fn new(signal: &'a AbortSignal, stop: AbortHandle) -> Self {
        let listener = Closure::<dyn FnMut()>::new(move || stop.abort());
        // A signal takes any listener.
        let _ = signal.add_event_listener_with_callback("abort", listener.as_ref().unchecked_ref());
        Self { signal, listener }
    }
}

impl Drop for AbortListener<'_> {
    fn drop(&mut self) {
        let _ = self.signal.remove_event_listener_with_callback("abort", self.listener.as_ref().unchecked_ref());
    }
}

/// A problem as scripts have it: an `Error` with `name`, `code` and, where it is about one, `option`.
#[must_use]
pub fn error(problem: &Problem) -> JsValue {
    let error = Error::new(&problem.message);
    error.set_name(problem.code.error_name());
    let members = [("code", problem.code.as_str()), ("option", problem.option.as_str())];
    for (name, value) in members.into_iter().filter(|(_, value)| !value.is_empty()) {
        // A new error takes any member.
        let _ = Reflect::set(&error, &name.into(), &value.into());
    }
    error.into()
}

fn aborted(signal: &AbortSignal) -> JsValue {
    let message = "the check was aborted".to_owned();
    let error = error(&Problem { code: Code::Aborted, option: String::new(), message });
    let _ = Reflect::set(&error, &"cause".into(), &signal.reason());
    error
}

/// A value as JavaScript has it: objects are plain ones, as from `JSON.parse`.
fn handed_out(value: &Value) -> Result<JsValue, JsValue> {
    value.serialize(&Serializer::json_compatible()).map_err(JsValue::from)
}

/// The options as JSON, and apart from them what JSON cannot hold. Through text, because the page has a reader of JSON anyway,
/// and one of JavaScript values costs 8 KB to download.
fn taken_apart(options: &JsValue) -> Result<(String, Option<AbortSignal>, Option<Function>), JsValue> {
    let invalid = |option: &str, what: &str| error(&Problem::invalid(option, format!("`{option}` is not {what}")));
    if !options.is_object() {
        return Err(invalid("options", "an object"));
    }
    let options: &Object = options.unchecked_ref();
    let held = |name: &str| Reflect::get(options, &name.into()).map(|value| Some(value).filter(is_given));
    let signal = held("signal")?.map(JsCast::dyn_into).transpose();
    let signal = signal.map_err(|_| invalid("signal", "an AbortSignal"))?;
    let callback = held("onEvent")?.map(JsCast::dyn_into).transpose();
    let callback = callback.map_err(|_| invalid("onEvent", "a function"))?;
    let plain = Object::new();
    for entry in Object::entries(options).iter() {
        let entry: Array = entry.unchecked_into();
        let (name, value) = (entry.get(0).as_string().unwrap_or_default(), entry.get(1));
        // Before JSON leaves it out, because it is undefined, or a function.
        known(&name).map_err(|problem| error(&problem))?;
        if is_given(&value) && !matches!(name.as_str(), "signal" | "onEvent") {
            Reflect::set(&plain, &entry.get(0), &value)?;
        }
    }
    let text = JSON::stringify_with_replacer(&plain, &replacer())?;
    Ok((text.as_string().unwrap_or_default(), signal, callback))
}

fn is_given(value: &JsValue) -> bool {
    !value.is_undefined() && !value.is_null()
}

/// Refuses values that JSON would silently leave out or turn into null or `{}`: functions, NaN and infinity, and objects such as
/// a Map or Headers.
fn replacer() -> JsValue {
    let refuse = |name: JsValue, value: JsValue| {
        if is_json(&value) {
            return Ok(value);
        }
        let name = name.as_string().unwrap_or_default();
        let message = format!("`{name}` is not a string, a number, an array or a plain object");
        Err(error(&Problem::invalid(&name, message)))
    };
    Closure::<dyn FnMut(JsValue, JsValue) -> Result<JsValue, JsValue>>::new(refuse).into_js_value()
}

fn is_json(value: &JsValue) -> bool {
    if value.is_object() && !Array::is_array(value) {
        // Objects of another window have a prototype of their own, which has none in its turn.
        let prototype = Object::get_prototype_of(value);
        return prototype.is_null() || Object::get_prototype_of(&prototype).is_null();
    }
    !value.is_function() && !value.is_symbol() && value.as_f64().is_none_or(f64::is_finite)
}
