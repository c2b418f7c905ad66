//! What the page asks of the checker, and what it is answered. The types of both are in `page/view/messages.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FAULTS, Faults};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::checker::{RunRecord, catalogue, qr_code};
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::engine::run::run;
use a2a_conformance::host::probe::Permission;
use a2a_conformance::host::{Host, RandomIdSource, Visibility, web};
use a2a_conformance::page::view::demo;
use a2a_conformance::page::view::messages::Question;
use a2a_conformance::page::view::settings::Settings;
use a2a_conformance::page::view::test_call::{self, TestCall};
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::suite::AREAS;
use js_sys::{Error, Function, Promise};
use serde::Serialize;
use serde_wasm_bindgen::{from_value, to_value};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

use super::runs::{RUNS, Runs};
use super::scripts::user_agent;

/// Calls this function with every batch of messages from now on.
#[wasm_bindgen]
pub fn listen(listener: Function) {
    console_error_panic_hook::set_once();
    RUNS.with(|runs| runs.listen(listener));
}

/// Answers a question of the page; the promise rejects with an `Error` where it cannot be answered.
#[wasm_bindgen]
pub fn ask(question: JsValue) -> Promise {
    future_to_promise(async move {
        let question: Question = from_value(question)?;
        answer(&RUNS.with(Rc::clone), question).await
    })
}

async fn answer(runs: &Rc<Runs>, question: Question) -> Result<JsValue, JsValue> {
    match question {
        Question::Check { address, settings, home, run } => {
            let options = options(&address, &settings)?;
            runs.begin(run, web::host_of(&OWN, home), options, environment());
            told(&())
        }
        Question::CheckDemo { faults, run } => {
            let (host, options) = demo_agent(&faults);
            runs.begin(run, host, options, environment());
            told(&())
        }
        Question::Stop => {
            runs.stop();
            told(&())
        }
        Question::Detail { row } => told(&runs.of_record(|record| record.detail(row))),
        Question::Report { format } => {
            let format = Format::parse(&format).ok_or_else(|| Error::new("there is no such format"))?;
            told(&runs.of_record(|record| Some(record.file(format))))
        }
        Question::Kept { whole } => told(&runs.of_record(|record| Some(record.kept(whole)))),
        Question::Open { text, run } => told(&RunRecord::open(&text).map(|(record, opening)| {
            if let Some(record) = record {
                runs.show(run, record);
            }
            opening
        })),
        Question::Compare { with } => told(&runs.of_record(|record| Some(record.compare(&with)))),
        Question::Traffic => told(&runs.of_record(|record| Some(record.traffic())).unwrap_or_default()),
        Question::Exchange { id } => told(&runs.of_record(|record| record.exchange(id))),
        Question::Card => told(&runs.of_record(RunRecord::card)),
        Question::Qr { text } => told(&qr_code(&text)),
        Question::Printed => told(&runs.of_record(|record| Some(record.printed()))),
        Question::TestCall { address, settings, home } => {
            let options = Options { only: vec![test_call::CHECK.to_owned()], ..options(&address, &settings)? };
            told(&test_call_of(web::host_of(&OWN, home), options).await)
        }
        Question::PermissionGiven(space) => {
            if let Some(prober) = web::host(&OWN).prober {
                prober.permission_changed(space, Permission::Denied).await;
            }
            told(&())
        }
        Question::Faults => told(&FAULTS.iter().map(|fault| (fault.id, fault.title)).collect::<Vec<_>>()),
        Question::Catalogue => told(&catalogue()),
    }
}

fn told(answer: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(to_value(answer)?)
}

/// The page has looked at the form before, and said what is wrong with it.
fn options(address: &str, settings: &Settings) -> Result<Options, JsValue> {
    settings.options(address).map_err(|problem| Error::new(&problem).into())
}

/// A host on which only the demo agent is reached, and the options of a run: the credentials that the agent asks for, and the
/// address at which its faults show, which is that of a version.
fn demo_agent(names: &[String]) -> (Host, Options) {
    // The names come from `Question::Faults`, or from a link, which may be of another version.
    let known = names.iter().map(String::as_str).filter(|name| FAULTS.iter().any(|fault| fault.id == *name));
    let faults = Faults::parse(known).unwrap_or_default();
    let second = faults.second_credentials().into_iter().collect();
    let options = Options {
        address: format!("{}{}", demo::ADDRESS, faults.at()),
        headers: faults.credentials().into_iter().collect(),
        second: FixedCredentials { headers: second, query: Vec::new() },
        ..Options::default()
    };
    let host = web::host(&OWN);
    let agent = ScriptedAgent::new(demo::ADDRESS, Rc::clone(&host.clock), Rc::new(RandomIdSource), faults);
    let transport = Rc::new(Loopback::new(agent));
    (Host { transport, visibility: Visibility::FULL, prober: None, ..host }, options)
}

async fn test_call_of(host: Host, options: Options) -> String {
    let call: Rc<RefCell<TestCall>> = Rc::default();
    let seen = Rc::clone(&call);
    run(host, AREAS, options, Rc::new(move |event| seen.borrow_mut().apply(&event))).await;
    call.borrow().result()
}

/// What every report of the page says of this program.
fn environment() -> Environment {
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        host: "page".to_owned(),
        user_agent: user_agent(),
    }
}
