//! The beacon of a run: the agent of ours that the agent under test is told to call, and the judgement of its client.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::delegation_args::DelegationArgs;
use super::running::environment;
use crate::clients::ClientWatch;
use crate::engine::event::Event;
use crate::engine::options::Options;
use crate::host::beacon::Beacon;
use crate::host::{Clock, Host};
use crate::report::{Report, ReportBuilder};
use crate::server::{BeaconObserver, BeaconServer};
use crate::wire::received::{ClientRequest, ServedCard};

/// The beacon of a run, if the agent is told to call one.
pub(super) struct BeaconOfRun {
    server: Option<(BeaconServer, Rc<ClientJudgement>)>,
}

struct ClientJudgement {
    clock: Rc<dyn Clock>,
    opened_ms: Cell<f64>,
    watch: RefCell<Option<ClientWatch>>,
    builder: Rc<RefCell<ReportBuilder>>,
    has_received: Cell<bool>,
}

impl BeaconOfRun {
    /// A beacon for a run with these options, which listens as soon as the agent is told to call it.
    pub(super) fn new(args: &DelegationArgs, options: &Options, host: &Host) -> Self {
        let server = options.delegation.as_ref().map(|_| {
            let judgement = Rc::new(ClientJudgement {
                clock: Rc::clone(&host.clock),
                opened_ms: Cell::default(),
                watch: RefCell::default(),
                builder: Rc::new(RefCell::new(ReportBuilder::new(environment()))),
                has_received: Cell::default(),
            });
            let observer = Rc::clone(&judgement) as Rc<dyn BeaconObserver>;
            let listen = args.beacon_listen.clone().unwrap_or_else(|| "127.0.0.1:0".to_owned());
            (BeaconServer::new(host, listen, args.beacon_url.clone(), observer), judgement)
        });
        Self { server }
    }

    /// The host with the beacon.
    pub(super) fn on(&self, host: Host) -> Host {
        let beacon = self.server.as_ref().map(|(server, _)| Rc::new(server.clone()) as Rc<dyn Beacon>);
        Host { beacon, ..host }
    }

    /// The agent's report, with that on its client if it called.
    pub(super) fn with_client(&self, report: Report) -> Report {
        let client = self.server.as_ref().and_then(|(server, judgement)| {
            server.flush();
            judgement.report()
        });
        Report { clients: client.map(Rc::new).into_iter().collect(), ..report }
    }
}

impl ClientJudgement {
    /// The report on the client; `None` if nothing was received.
    fn report(&self) -> Option<Report> {
        let watch = &mut *self.watch.borrow_mut();
        let watch = watch.as_mut().filter(|_| self.has_received.get())?;
        watch.finish(self.clock.now_ms() - self.opened_ms.get());
        Some(self.builder.borrow().report())
    }
}

impl BeaconObserver for ClientJudgement {
    fn opened(&self, base: &str, cards: Vec<ServedCard>) {
        self.opened_ms.set(self.clock.now_ms());
        let builder = Rc::clone(&self.builder);
        let emit = Rc::new(move |event: Event| builder.borrow_mut().apply(&event));
        let watch = ClientWatch::new(base, self.clock.wall_ms(), &cards, emit);
        *self.watch.borrow_mut() = Some(watch);
    }

    fn received(&self, received: ClientRequest) {
        self.has_received.set(true);
        if let Some(watch) = self.watch.borrow_mut().as_mut() {
            watch.receive(received);
        }
    }
}
