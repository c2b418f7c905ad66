//! The workbench of the page: which agent it asks, and the answers to the page's questions.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::checker::{Exchanges, Workbench};
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::host::web;
use a2a_conformance::view_model::binary_encoding::to_bytes;
use a2a_conformance::view_model::evidence::Evidence;
use a2a_conformance::view_model::traffic::{TrafficLine, by_hand};
use a2a_conformance::view_model::wire::{FullBody, Mark, MessageSide, whole};
use a2a_conformance::view_model::workbench::{Ask, Bench, Composed};
use a2a_conformance::wire::exchange::Exchange;
use a2a_conformance::wire::json;
use wasm_bindgen_futures::spawn_local;

use super::runs::Runs;
use super::target::demo_at_its_pace;

thread_local! {
    /// One module works for one page.
    static WORKBENCHES: Workbenches = Workbenches::default();
}

/// The workbench, and what was exchanged on it and those before it.
#[derive(Default)]
struct Workbenches {
    current: RefCell<Option<CurrentWorkbench>>,
    exchanges: Exchanges,
}

struct CurrentWorkbench {
    is_demo: bool,
    address: String,
    faults: Vec<String>,
    /// The origin of the page from which a browser hides header fields.
    hides_from: Option<String>,
    bench: Rc<Workbench>,
}

pub(super) async fn answer(runs: &Rc<Runs>, bench: Bench, ask: Ask) -> Vec<u8> {
    let draft = bench.draft.clone();
    let current = match WORKBENCHES.with(|desk| desk.workbench_for(runs, bench)) {
        Ok(current) => current,
        // Without an agent nothing can be sent, and the form says why.
        Err(problem) => {
            return match ask {
                Ask::Compose | Ask::ReadCard => to_bytes(&Composed { problem, ..Composed::default() }),
                _ => to_bytes(&Err::<(), String>(problem)),
            };
        }
    };
    match ask {
        Ask::Compose => to_bytes(&current.compose(&draft)),
        Ask::ReadCard => {
            current.read_card().await;
            to_bytes(&current.compose(&draft))
        }
        Ask::Send { request, as_it_is } => to_bytes(&current.send(&draft, &request, as_it_is).map(spawn_local)),
        Ask::Talk { act, text } => to_bytes(&current.talk(&draft, act, &text).map(spawn_local)),
        Ask::Hear(known) => to_bytes(&current.hear(known).await),
        Ask::Stop => {
            current.stop();
            to_bytes(&())
        }
    }
}

impl Workbenches {
    fn workbench_for(&self, runs: &Runs, bench: Bench) -> Result<Rc<Workbench>, String> {
        let Bench { address, settings, home, faults, draft } = bench;
        let is_demo = draft.is_demo();
        let known = self.current.borrow().as_ref().and_then(|current| {
            let same = current.is_demo == is_demo
                && if is_demo { current.faults == faults } else { current.address == address };
            same.then(|| Rc::clone(&current.bench))
        });
        let hides_from = (!is_demo).then(|| home.origin.clone());
        let turned = match known {
            Some(bench) => {
                if !is_demo {
                    bench.use_options(settings.options(&address)?);
                }
                bench
            }
            None => {
                let (host, options) = match is_demo {
                    true => demo_at_its_pace(&faults),
                    false => (web::host_of(&OWN, home), settings.options(&address)?),
                };
                Workbench::new(host, options, hides_from.clone(), Rc::clone(&self.exchanges))
            }
        };
        if !turned.has_card() {
            self.take_card(runs, &turned, &turned.options());
        }
        let current = CurrentWorkbench { is_demo, address, faults, hides_from, bench: Rc::clone(&turned) };
        let before = self.current.replace(Some(current));
        // Nobody watches what another agent still sends.
        if let Some(before) = before.filter(|before| !Rc::ptr_eq(&before.bench, &turned)) {
            before.bench.stop();
        }
        Ok(turned)
    }

    /// The card that was pasted, or that the last run of this agent read.
    fn take_card(&self, runs: &Runs, bench: &Workbench, options: &Options) {
        if let Source::Card(bytes) = &options.source {
            if let Some(card) = json::read(bytes) {
                bench.take_card(&card, None);
            }
        } else if let Some((card, version)) = runs.of_record(|record| record.card_of(&options.address)) {
            bench.take_card(&card, Some(&version));
        }
    }
}

/// The exchanges of the workbench, as the view of the traffic lists them.
pub(super) fn traffic() -> Vec<TrafficLine> {
    WORKBENCHES.with(|desk| by_hand(desk.exchanges.borrow().iter().map(|exchange| &**exchange)))
}

pub(super) fn exchanges() -> Vec<Rc<Exchange>> {
    WORKBENCHES.with(|desk| desk.exchanges.borrow().clone())
}

fn exchange(id: u32) -> Option<Rc<Exchange>> {
    WORKBENCHES.with(|desk| desk.exchanges.borrow().iter().find(|known| known.id == id).cloned())
}

/// An exchange of the workbench in full; `None` for one of a run.
pub(super) fn evidence(id: u32) -> Option<Evidence> {
    let hides_from =
        WORKBENCHES.with(|desk| desk.current.borrow().as_ref().and_then(|current| current.hides_from.clone()));
    exchange(id).map(|exchange| Evidence::new(&exchange, &Mark::default(), hides_from.as_deref()))
}

pub(super) fn body(id: u32, part: MessageSide, is_raw: bool) -> Option<FullBody> {
    exchange(id).and_then(|exchange| whole(&exchange, part, is_raw))
}
