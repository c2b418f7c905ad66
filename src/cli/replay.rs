//! Recordings of runs: a report with everything that was exchanged, whole and masked, and the run that is repeated from it.

use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, bail};

use super::running::collected;
use super::{input, out, trace};
use crate::engine::event::Event;
use crate::engine::options::Options;
use crate::engine::run::{self, Areas};
use crate::host::replay::ReplayTransport;
use crate::host::virtual_clock::VirtualClock;
use crate::host::{Host, native};
use crate::report::{self, Report};
use crate::suite;
use crate::wire::exchange::Exchange;

/// What a run is repeated from.
pub(super) struct Recording {
    /// The address that the user gave.
    pub(super) address: String,
    started_ms: Option<f64>,
    exchanges: Vec<Exchange>,
}

impl Recording {
    /// Reads one that [`record`] wrote.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = input::text(path, input::REPORT).with_context(|| format!("--replay {name} cannot be read"))?;
        let file = report::read(&text, suite::declaration)
            .map_err(|problem| anyhow!("{name} is not a recording: {problem}"))?;
        if let Some(id) = file.truncated {
            bail!("{name} is not a recording: exchange {id} was too large to be written whole; --record writes one");
        }
        let Report { started_ms, address, exchanges, .. } = file.report;
        Ok(Self { started_ms, address, exchanges: exchanges.into_iter().map(Rc::unwrap_or_clone).collect() })
    }

    /// Repeats the run. Time passes as it was recorded, from when it was, and takes none.
    pub(super) fn replay(self, areas: Areas, options: Options, is_traced: bool) -> Result<Report> {
        let clock = self.started_ms.map(VirtualClock::starting_at).unwrap_or_default();
        let transport = Rc::new(ReplayTransport::new(self.exchanges, Rc::new(clock.clone())));
        let host = Host { transport: Rc::clone(&transport) as _, clock: Rc::new(clock.clone()), ..native::host() };
        let (builder, apply) = collected();
        let emit = Rc::new(move |event: Event| {
            if let (true, Event::Exchanged(exchange)) = (is_traced, &event) {
                out::stderr_line(&trace::lines(exchange));
            }
            apply(event);
        });
        clock.block_on(run::run(host, areas, options, emit));
        if let Some(misfit) = transport.misfit() {
            bail!("the recording does not fit these files and options: {misfit}");
        }
        Ok(builder.borrow().report())
    }
}

/// Writes a recording, and answers whether it is there.
pub(super) fn record(report: &Report, path: &Path) -> bool {
    let written = out::write_file(path, &report::write_whole(report));
    if let Err(problem) = &written {
        out::stderr_line(&format!("error: the recording {} could not be written: {problem:#}", path.display()));
    }
    written.is_ok()
}
