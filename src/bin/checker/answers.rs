//! What the page asks of the checker, and what it is answered. The types of both are in `page/view/messages.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::checker::{RunRecord, catalogue, qr_code};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::host::probe::Permission;
use a2a_conformance::host::{Host, web};
use a2a_conformance::page::view::messages::Question;
use a2a_conformance::page::view::test_call::{self, TestCall};
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::suite::AREAS;
use js_sys::{Error, Function, Promise};
use serde_wasm_bindgen::from_value;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

use super::runs::{RUNS, Runs, told};
use super::scripts::user_agent;
use super::target::{Target, options};
use super::workbench;

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
            let hides_from = Some(home.origin.clone());
            runs.begin(run, Target::Agent { address, settings, home }, environment(), hides_from)?;
            told(&())
        }
        Question::CheckDemo { faults, run } => {
            runs.begin(run, Target::Demo { faults }, environment(), None)?;
            told(&())
        }
        Question::Again { checks, settings, run } => {
            runs.begin_again(run, checks, settings.as_deref())?;
            told(&())
        }
        Question::Waiting => told(&runs.waits().list()),
        Question::WaitLonger(id) => {
            runs.waits().wait_longer(id);
            told(&())
        }
        Question::GiveUp(id) => {
            runs.waits().give_up(id);
            told(&())
        }
        Question::Stop => {
            runs.stop();
            told(&())
        }
        Question::Detail { row } => told(&runs.of_record(|record| record.detail(row))),
        Question::Body { row, exchange, part, is_raw } => {
            let of_run = runs.of_record(|record| record.body(row, exchange, part, is_raw));
            told(&of_run.or_else(|| workbench::body(exchange, part, is_raw)))
        }
        Question::Report { format } => {
            let format = Format::parse(&format).ok_or_else(|| Error::new("there is no such format"))?;
            let by_hand = workbench::exchanges();
            let of_run = runs.of_record(|record| Some(record.file(format, &by_hand)));
            // The traffic of a workbench alone is a file as well.
            let alone = || (!by_hand.is_empty()).then(|| RunRecord::new(environment(), None).file(format, &by_hand));
            told(&of_run.or_else(alone))
        }
        Question::Kept { whole } => told(&runs.of_record(|record| Some(record.kept(whole)))),
        Question::Open { text, run } => told(&RunRecord::open(&text).map(|(record, opening)| {
            if let Some(record) = record {
                runs.show(run, record);
            }
            opening
        })),
        Question::Compare { with } => told(&runs.of_record(|record| Some(record.compare(&with)))),
        Question::Traffic => {
            let of_run = runs.of_record(|record| Some(record.traffic())).unwrap_or_default();
            told(&[of_run, workbench::traffic()].concat())
        }
        Question::Exchange { id } => {
            told(&workbench::evidence(id).or_else(|| runs.of_record(|record| record.exchange(id))))
        }
        Question::Workbench { bench, ask } => workbench::answer(runs, *bench, ask).await,
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
