//! The checker for other scripts: `checkAgent(options)` and `checkList()` in the page's JavaScript module, which Trunk puts
//! on `window.wasmBindings`. `main.rs` exports them.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::JSON;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::JsValue;

use super::run::{checking, environment};
use super::view::form;
use crate::a2a::headers::OWN;
use crate::engine::check::Check;
use crate::engine::options::Options;
use crate::engine::prompt::Behaviour;
use crate::host::web;
use crate::report::{ReportBuilder, json};
use crate::suite;

/// What a script may ask for.
const FIELDS: &str =
    "`url`, `bearer`, `headers`, `secondBearer`, `secondHeaders`, `jwks`, `timeoutSeconds`, `prompts` or `only`";

/// Reads what a script asks for.
fn read(asked: &Value) -> Result<Options, String> {
    let Value::Object(fields) = asked else { return Err(format!("the options are not an object with {FIELDS}")) };
    let mut settings = form::Settings::default();
    let (mut url, mut only) = (None, Vec::new());
    for (name, value) in fields {
        match name.as_str() {
            "url" => url = Some(text(name, value)?),
            "bearer" if value.is_null() => {}
            "bearer" => settings.bearer = text(name, value)?,
            "headers" => {
                for (header, value) in object(name, value)? {
                    settings.headers.push_str(&format!("{header}: {}\n", text(header, value)?));
                }
            }
            "secondBearer" | "jwks" if value.is_null() => {}
            "secondBearer" => settings.give("second:bearer", text(name, value)?),
            "secondHeaders" => {
                for (header, value) in object(name, value)? {
                    settings.give(&format!("second:key:{header}"), text(header, value)?);
                }
            }
            "jwks" => settings.jwks = text(name, value)?,
            "timeoutSeconds" if value.is_null() => {}
            "timeoutSeconds" => {
                let Value::Number(seconds) = value else { return Err("`timeoutSeconds` is not a number".to_owned()) };
                settings.set_time("timeout", seconds.to_string());
            }
            "prompts" => {
                for (behaviour, prompt) in object(name, value)? {
                    let known = Behaviour::parse(behaviour)
                        .ok_or_else(|| format!("unknown behaviour \u{201c}{behaviour}\u{201d}"))?;
                    settings.prompts.set(known, text(behaviour, prompt)?);
                }
            }
            "only" => {
                let Value::Array(patterns) = value else { return Err("`only` is not an array".to_owned()) };
                for pattern in patterns {
                    only.push(text(name, pattern)?);
                }
            }
            _ => return Err(format!("unknown field `{name}`, expected {FIELDS}")),
        }
    }
    let url = url.ok_or("missing field `url`")?;
    Ok(Options { only, ..settings.options(&url)? })
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` is not a string"))
}

fn object<'a>(name: &str, value: &'a Value) -> Result<&'a serde_json::Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("`{name}` is not an object"))
}

/// A check, as [`check_list`] tells of it.
#[derive(Serialize)]
struct CheckSummary {
    id: &'static str,
    title: &'static str,
    level: &'static str,
}

/// What there is to ask for: an array of `{ id, title, level }`, whose ids `only` of `checkAgent` takes.
///
/// # Errors
/// Never, in a browser that works.
pub fn check_list() -> Result<JsValue, JsValue> {
    let summary = |check: &Check| CheckSummary { id: check.id, title: check.title, level: check.level().as_str() };
    let all: Vec<CheckSummary> = suite::checks().map(summary).collect();
    Ok(serde_wasm_bindgen::to_value(&all)?)
}

/// Checks an agent and answers the report of version 1 as a plain object, the same that the JSON download holds.
///
/// `options` is an object: `url` (what the address field takes), and if wanted `bearer` (a token), `headers` (an object of
/// names and values), `secondBearer` and `secondHeaders` (the same of a second identity, which must not see the first one's
/// tasks), `jwks` (the keys that are trusted to sign the card: a JSON Web Key Set as text, or its URL), `timeoutSeconds` (per conversation), `prompts` (an object of behaviours, such as `input-required`,
/// and messages) and `only` (an array of check ids in which `*` stands for anything).
///
/// ```js
/// const report = await window.wasmBindings.checkAgent({ url: "http://localhost:9999", only: ["card.*"] });
/// console.log(report.conformanceLevel, report.summary.failed);
/// ```
///
/// # Errors
/// Rejects with an `Error` when the options cannot be used. An agent that cannot be reached is a report.
pub async fn check_agent(options: JsValue) -> Result<JsValue, JsValue> {
    // Through text, because the page has a reader of JSON anyway, and one of JavaScript values costs 8 KB to download.
    let asked = JSON::stringify(&options)?.as_string().unwrap_or_default();
    let options = read(&crate::wire::json::read(asked.as_bytes()).unwrap_or_default());
    let options = options.map_err(|problem| js_sys::Error::new(&problem))?;
    let recorder = Rc::new(RefCell::new(ReportBuilder::new(environment())));
    let heard = Rc::clone(&recorder);
    checking(web::host(&OWN), options, Rc::new(move |event| heard.borrow_mut().apply(&event))).await;
    JSON::parse(&json::write(&recorder.borrow().report()))
}
