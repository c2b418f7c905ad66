//! The answers to the page's questions, each of which is handed on to whoever knows: the run, the files, the workbench or the list.
//! The types of both are in `view_model/messages.rs`.
#![expect(unreachable_pub, reason = "what wasm-bindgen exports has to be `pub`")]

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::fault::FAULTS;
use a2a_conformance::checker::{
    RunRecord, SeveralAgents, card_now, catalogue, fetch_report, open_har, qr_code, read_catalogue, read_list,
};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::host::probe::Permission;
use a2a_conformance::host::{Host, web};
use a2a_conformance::report::Format;
use a2a_conformance::suite::AREAS;
use a2a_conformance::view_model::binary_encoding::{of_bytes, to_bytes};
use a2a_conformance::view_model::messages::{CODING_AGENT, File, ISSUE, Opening, Question};
use a2a_conformance::view_model::test_call::{self, TestCall};
use js_sys::{Error, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

use super::exports::environment_of_page;
use super::runs::{RUNS, Runs};
use super::several_agents::{SEVERAL, SeveralRuns};
use super::target::Target;
use super::test_files;
use super::watched;
use super::workbench;

/// Calls this function with every batch of messages from now on.
#[wasm_bindgen]
pub fn listen(listener: Function) {
    console_error_panic_hook::set_once();
    RUNS.with(|runs| runs.listen(listener));
}

/// Answers a question of the page; the promise rejects with an `Error` where it cannot be answered. A file that comes with it is
/// the text of the question.
#[wasm_bindgen]
pub fn ask(question: &Uint8Array, file: Option<Vec<u8>>) -> Promise {
    let question: Question = of_bytes(&question.to_vec());
    let question = match file {
        Some(file) => with_text(question, &file),
        None => question,
    };
    future_to_promise(async move {
        let answer = answer(&RUNS.with(Rc::clone), question).await?;
        Ok(Uint8Array::from(answer.as_slice()).into())
    })
}

async fn answer(runs: &Rc<Runs>, question: Question) -> Result<Vec<u8>, JsValue> {
    Ok(match question {
        Question::Check { address, settings, home, run } => {
            to_bytes(&runs.begin(run, Target::Agent { address, settings, home }, None)?)
        }
        Question::CheckDemo { faults, run } => to_bytes(&runs.begin(run, Target::Demo { faults }, None)?),
        Question::OpenTests { name, text } => test_files::open(&name, text),
        Question::FetchTests(url) => test_files::fetch(&url).await,
        Question::CloseTests(name) => test_files::close(&name),
        Question::RunTests { given, address, settings, home, run } => {
            let target = match address.is_empty() {
                true => Target::Demo { faults: Vec::new() },
                false => Target::Agent { address, settings, home },
            };
            to_bytes(&match test_files::tests(&given) {
                Ok(tests) => Ok(runs.begin(run, target, Some(tests))?),
                Err(why) => Err(why),
            })
        }
        Question::Rerun { checks, settings, run } => to_bytes(&runs.begin_again(run, checks, settings.as_deref())?),
        Question::Waiting => to_bytes(&runs.waits().list()),
        Question::WaitLonger(id) => to_bytes(&runs.waits().wait_longer(id)),
        Question::GiveUp(id) => to_bytes(&runs.waits().give_up(id)),
        Question::Stop => to_bytes(&runs.stop()),
        Question::Detail(row) => to_bytes(&runs.of_record(|record| record.detail(row))),
        Question::Body { row, exchange, part, is_raw } => {
            let of_run = runs.of_record(|record| record.body(row, exchange, part, is_raw));
            to_bytes(&of_run.or_else(|| workbench::body(exchange, part, is_raw)))
        }
        Question::Report(format) => to_bytes(&report(runs, &format)?),
        Question::Kept(whole) => to_bytes(&runs.of_whole(|record| Some(record.kept(whole)))),
        Question::ShowReport(place) => to_bytes(&runs.show_report(place)),
        Question::Open { text, run } => to_bytes(&open(runs, run, &text).await),
        Question::Compare(with) => to_bytes(&runs.of_record(|record| Some(record.compare(&with)))),
        Question::Traffic => {
            let of_run = runs.of_record(|record| Some(record.traffic())).unwrap_or_default();
            to_bytes(&[of_run, workbench::traffic()].concat())
        }
        Question::Exchange(id) => {
            to_bytes(&workbench::evidence(id).or_else(|| runs.of_record(|record| record.exchange(id))))
        }
        Question::Workbench { bench, ask } => workbench::answer(runs, *bench, ask).await,
        Question::Since(with) => to_bytes(&runs.of_record(|record| Some(record.since(&with))).unwrap_or_default()),
        Question::CardNow(typed) => to_bytes(&card_now(&web::host(&OWN), &typed).await),
        Question::Card => to_bytes(&runs.of_record(RunRecord::card)),
        Question::Qr(text) => to_bytes(&qr_code(&text)),
        Question::ReadList(text) => to_bytes(&read_list(&text, "")),
        Question::ReadCatalogue(typed) => to_bytes(&read_catalogue(&web::host(&OWN), &typed).await),
        Question::SeveralAgents { agents, settings, home } => to_bytes(&several().begin(agents, *settings, home)),
        Question::SeveralLines => to_bytes(&several().read(SeveralAgents::lines).unwrap_or_default()),
        Question::SeveralMatrix { text, is_all, most } => {
            to_bytes(&several().read(|several| several.matrix(&text, is_all, most)).unwrap_or_default())
        }
        Question::SeveralStop(which) => to_bytes(&several().stop(which)),
        Question::SeveralOpen { agent, run } => {
            let opened = several().read(|several| several.open(agent)).flatten();
            to_bytes(&opened.map(|opened| opened.map(|opened| shown(runs, run, opened))))
        }
        Question::SeveralPairs => to_bytes(&several().begin_pairs()),
        Question::SeveralTables(topic) => {
            to_bytes(&several().read(|several| several.tables(topic)).unwrap_or_default())
        }
        Question::SeveralTableFile { topic, format } => {
            to_bytes(&several().read(|several| several.table_file(topic, &format)).flatten())
        }
        Question::SeveralFile(format) => to_bytes(&several().file(&format)),
        Question::Printed => to_bytes(&runs.of_record(|record| Some(record.printed()))),
        Question::TestCall { address, settings, home } => {
            let (host, options) = Target::Agent { address, settings, home }.run()?;
            let only = vec![test_call::CHECK.to_owned()];
            to_bytes(&run_test_call(host, Options { only, ..options }).await)
        }
        Question::PermissionGiven(space) => {
            if let Some(prober) = web::host(&OWN).prober {
                prober.permission_changed(space, Permission::Denied).await;
            }
            to_bytes(&())
        }
        Question::Watch { address, known, is_anew, home } => {
            watched::look(web::host_of(&OWN, home), &address, &known, is_anew).await
        }
        Question::WatchOpen(run) => to_bytes(&open(runs, run, &watched::report()).await),
        Question::Faults => {
            let faults = FAULTS.iter().map(|fault| (fault.id.to_owned(), fault.title.to_owned()));
            to_bytes(&faults.collect::<Vec<_>>())
        }
        Question::Catalogue => to_bytes(&catalogue()),
    })
}

fn with_text(mut question: Question, file: &[u8]) -> Question {
    if let Question::Open { text, .. }
    | Question::OpenTests { text, .. }
    | Question::Compare(text)
    | Question::ReadList(text) = &mut question
    {
        // Some programs write a mark of the byte order.
        *text = String::from_utf8_lossy(file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)).into_owned();
    }
    question
}

/// The run and the calls of the workbench as a file. Without a run, the traffic of the workbench is a file as well.
fn report(runs: &Rc<Runs>, format: &str) -> Result<Option<File>, JsValue> {
    if format == test_files::FORMAT {
        return Ok(runs.tests_file());
    }
    if format == ISSUE {
        return Ok(runs.of_record(|record| Some(record.issue())));
    }
    if format == CODING_AGENT {
        return Ok(runs.of_record(|record| Some(record.for_coding_agent())));
    }
    let format = Format::parse(format).ok_or_else(|| Error::new("there is no such format"))?;
    let by_hand = workbench::exchanges();
    let of_run = runs.of_record(|record| Some(record.file(format, &by_hand)));
    let alone = || (!by_hand.is_empty()).then(|| RunRecord::new(environment_of_page(), None).file(format, &by_hand));
    Ok(of_run.or_else(alone))
}

/// Opens a file: a HAR file is judged, any other is read as a report or a card.
async fn open(runs: &Rc<Runs>, run: u32, text: &str) -> Result<Opening, String> {
    // A report is no address.
    let is_address = text.starts_with("http://") || text.starts_with("https://");
    let fetched = if is_address { fetch_report(&web::host(&OWN), text).await? } else { String::new() };
    let text = if is_address { &fetched } else { text };
    let opened = match open_har(text, web::host(&OWN), environment_of_page()).await {
        Some(opened) => opened.map(|(record, opening)| (Some(record), opening)),
        None => RunRecord::open(text),
    };
    opened.map(|opened| shown(runs, run, opened))
}

fn shown(runs: &Rc<Runs>, run: u32, (record, mut opening): (Option<RunRecord>, Opening)) -> Opening {
    let told = record.and_then(|record| runs.show(run, record));
    if let (Opening::Report(opened), Some(told)) = (&mut opening, told) {
        opened.messages.insert(0, told);
    }
    opening
}

fn several() -> Rc<SeveralRuns> {
    SEVERAL.with(Rc::clone)
}

/// Runs the one check that tries the credentials, and tells its result in a sentence.
async fn run_test_call(host: Host, options: Options) -> String {
    let call: Rc<RefCell<TestCall>> = Rc::default();
    let seen = Rc::clone(&call);
    run(host, AREAS, options, Rc::new(move |event| seen.borrow_mut().apply(&event))).await;
    call.borrow().result()
}
