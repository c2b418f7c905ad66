//! What the page asks of the checker, and what it is answered. The types of both are in `page/view/messages.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::checker::{RunRecord, Several, catalogue, open_har, qr_code, read_catalogue, read_list};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::host::probe::Permission;
use a2a_conformance::host::{Host, web};
use a2a_conformance::page::view::messages::{Opening, Question};
use a2a_conformance::page::view::passing::{of_bytes, to_bytes};
use a2a_conformance::page::view::test_call::{self, TestCall};
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::suite::AREAS;
use js_sys::{Error, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

use super::runs::{RUNS, Runs};
use super::scripts::user_agent;
use super::several::{SEVERAL, SeveralRuns};
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
pub fn ask(question: &Uint8Array) -> Promise {
    let question: Question = of_bytes(&question.to_vec());
    future_to_promise(async move {
        let answer = answer(&RUNS.with(Rc::clone), question).await?;
        Ok(Uint8Array::from(answer.as_slice()).into())
    })
}

async fn answer(runs: &Rc<Runs>, question: Question) -> Result<Vec<u8>, JsValue> {
    Ok(match question {
        Question::Check { address, settings, home, run } => {
            let hides_from = Some(home.origin.clone());
            runs.begin(run, Target::Agent { address, settings, home }, environment(), hides_from)?;
            to_bytes(&())
        }
        Question::CheckDemo { faults, run } => {
            runs.begin(run, Target::Demo { faults }, environment(), None)?;
            to_bytes(&())
        }
        Question::Again { checks, settings, run } => {
            runs.begin_again(run, checks, settings.as_deref())?;
            to_bytes(&())
        }
        Question::Waiting => to_bytes(&runs.waits().list()),
        Question::WaitLonger(id) => {
            runs.waits().wait_longer(id);
            to_bytes(&())
        }
        Question::GiveUp(id) => {
            runs.waits().give_up(id);
            to_bytes(&())
        }
        Question::Stop => {
            runs.stop();
            to_bytes(&())
        }
        Question::Detail { row } => to_bytes(&runs.of_record(|record| record.detail(row))),
        Question::Body { row, exchange, part, is_raw } => {
            let of_run = runs.of_record(|record| record.body(row, exchange, part, is_raw));
            to_bytes(&of_run.or_else(|| workbench::body(exchange, part, is_raw)))
        }
        Question::Report { format } => {
            let format = Format::parse(&format).ok_or_else(|| Error::new("there is no such format"))?;
            let by_hand = workbench::exchanges();
            let of_run = runs.of_record(|record| Some(record.file(format, &by_hand)));
            // The traffic of a workbench alone is a file as well.
            let alone = || (!by_hand.is_empty()).then(|| RunRecord::new(environment(), None).file(format, &by_hand));
            to_bytes(&of_run.or_else(alone))
        }
        Question::Kept { whole } => to_bytes(&runs.of_record(|record| Some(record.kept(whole)))),
        Question::Open { text, run } => {
            if let Some(opened) = open_har(&text, web::host(&OWN), environment()).await {
                return Ok(to_bytes(&opened.map(|(record, opening)| shown(runs, run, (Some(record), opening)))));
            }
            to_bytes(&RunRecord::open(&text).map(|opened| shown(runs, run, opened)))
        }
        Question::Compare { with } => to_bytes(&runs.of_record(|record| Some(record.compare(&with)))),
        Question::Traffic => {
            let of_run = runs.of_record(|record| Some(record.traffic())).unwrap_or_default();
            to_bytes(&[of_run, workbench::traffic()].concat())
        }
        Question::Exchange { id } => {
            to_bytes(&workbench::evidence(id).or_else(|| runs.of_record(|record| record.exchange(id))))
        }
        Question::Workbench { bench, ask } => workbench::answer(runs, *bench, ask).await,
        Question::Card => to_bytes(&runs.of_record(RunRecord::card)),
        Question::Qr { text } => to_bytes(&qr_code(&text)),
        Question::ReadList(text) => to_bytes(&read_list(&text, "")),
        Question::ReadCatalogue(typed) => to_bytes(&read_catalogue(&web::host(&OWN), &typed).await),
        Question::Several { agents, settings, home } => {
            several().begin(agents, *settings, home, environment());
            to_bytes(&())
        }
        Question::SeveralLines => to_bytes(&several().of(Several::lines).unwrap_or_default()),
        Question::SeveralMatrix { text, is_all, most } => {
            to_bytes(&several().of(|several| several.matrix(&text, is_all, most)).unwrap_or_default())
        }
        Question::SeveralStop(which) => {
            several().stop(which);
            to_bytes(&())
        }
        Question::SeveralOpen { agent, run } => {
            let opened = several().of(|several| several.open(agent)).flatten();
            to_bytes(&opened.map(|opened| opened.map(|opened| shown(runs, run, opened))))
        }
        Question::SeveralFile { format } => {
            let several = several();
            let wall_ms = several.wall_ms();
            to_bytes(&several.of(|several| several.file(&format, wall_ms)).flatten())
        }
        Question::Printed => to_bytes(&runs.of_record(|record| Some(record.printed()))),
        Question::TestCall { address, settings, home } => {
            let options = Options { only: vec![test_call::CHECK.to_owned()], ..options(&address, &settings)? };
            to_bytes(&test_call_of(web::host_of(&OWN, home), options).await)
        }
        Question::PermissionGiven(space) => {
            if let Some(prober) = web::host(&OWN).prober {
                prober.permission_changed(space, Permission::Denied).await;
            }
            to_bytes(&())
        }
        Question::Faults => {
            to_bytes(&FAULTS.iter().map(|fault| (fault.id.to_owned(), fault.title.to_owned())).collect::<Vec<_>>())
        }
        Question::Catalogue => to_bytes(&catalogue()),
    })
}

/// Shows a record that was opened.
fn shown(runs: &Rc<Runs>, run: u32, (record, opening): (Option<RunRecord>, Opening)) -> Opening {
    if let Some(record) = record {
        runs.show(run, record);
    }
    opening
}

fn several() -> Rc<SeveralRuns> {
    SEVERAL.with(Rc::clone)
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
