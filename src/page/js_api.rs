//! The checker for other scripts: `checkAgent(options)` in the page's JavaScript module, which Trunk puts on
//! `window.wasmBindings`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::run::environment;
use super::view::form;
use crate::engine::options::Options;
use crate::engine::prompt::{Behaviour, Texts};
use crate::engine::run::run;
use crate::host::web;
use crate::report::{Format, Recorder, write};
use crate::suite;

/// What a script asks for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CheckOptions {
    url: String,
    bearer: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    timeout_seconds: Option<f64>,
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    #[serde(default)]
    only: Vec<String>,
}

impl CheckOptions {
    fn read(self) -> Result<Options, String> {
        let lines: Vec<String> = self.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let timeout = self.timeout_seconds.map(|seconds| seconds.to_string()).unwrap_or_default();
        let mut prompts = Texts::default();
        for (name, text) in self.prompts {
            let behaviour =
                Behaviour::parse(&name).ok_or_else(|| format!("no behaviour is called \u{201c}{name}\u{201d}"))?;
            prompts.set(behaviour, text);
        }
        let settings =
            form::Settings { bearer: self.bearer.unwrap_or_default(), headers: lines.join("\n"), timeout, prompts };
        Ok(Options { only: self.only, ..settings.options(&self.url)? })
    }
}

/// Checks an agent and answers the report of version 1 as a plain object, the same that the JSON download holds.
///
/// `options` is an object: `url` (what the address field takes), and if wanted `bearer` (a token), `headers` (an object of
/// names and values), `timeoutSeconds` (per conversation), `prompts` (an object of behaviours, such as `input-required`,
/// and messages) and `only` (an array of check ids in which `*` stands for anything).
///
/// ```js
/// const report = await window.wasmBindings.checkAgent({ url: "http://localhost:9999", only: ["card.*"] });
/// console.log(report.conformanceLevel, report.summary.failed);
/// ```
///
/// # Errors
/// Rejects with an `Error` when the options cannot be used. An agent that cannot be reached is a report.
#[wasm_bindgen(js_name = checkAgent)]
pub async fn check_agent(options: JsValue) -> Result<JsValue, JsValue> {
    let options: CheckOptions = serde_wasm_bindgen::from_value(options)?;
    let options = options.read().map_err(|problem| js_sys::Error::new(&problem))?;
    let recorder = Rc::new(RefCell::new(Recorder::new(environment())));
    let heard = Rc::clone(&recorder);
    run(web::host(), suite::AREAS, options, Rc::new(move |event| heard.borrow_mut().apply(&event))).await;
    js_sys::JSON::parse(&write(&recorder.borrow().report(), Format::Json))
}
