//! The signals that ask this program to end: Ctrl-C, and on Unix SIGTERM (`timeout`, `docker stop`, a CI that cancels) and SIGHUP (a
//! terminal that is closed). The first stops what is under way, so that what was seen is written; the next ends the program at once.
//!
//! A thread of its own waits for them: while something is computed or written nothing else would see the second.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::watch;

use super::exit::Exit;
use super::out;
use crate::host::native;

/// Whether there was a signal; there is none before somebody waits for one, and until then a signal ends the program.
static STOPPED: OnceLock<watch::Sender<bool>> = OnceLock::new();

/// Whether the next signal ends the program, though it is the first.
static ENDS_AT_NEXT: AtomicBool = AtomicBool::new(false);

/// Ends when there was a signal, or had been one before.
pub(super) async fn stopped() {
    if STOPPED.get_or_init(listening).subscribe().wait_for(|is_stopped| *is_stopped).await.is_err() {
        // Nobody can send any more.
        std::future::pending::<()>().await;
    }
}

/// Listens from now on: who says that it serves can be told to end.
pub(super) fn listen() {
    STOPPED.get_or_init(listening);
}

/// Whether there was a signal.
pub(super) fn is_stopped() -> bool {
    STOPPED.get().is_some_and(|stopped| *stopped.borrow())
}

/// Has the next signal end the program: while a report is made and written there is nothing more to stop.
pub(super) fn end_at_next() {
    ENDS_AT_NEXT.store(true, Ordering::SeqCst);
}

/// Begins to listen, and returns when no signal can be missed any more.
fn listening() -> watch::Sender<bool> {
    let (sender, _) = watch::channel(false);
    let (ready, is_ready) = mpsc::channel();
    let stopped = sender.clone();
    std::thread::spawn(move || {
        native::block_on(async move {
            let mut signals = Signals::new();
            // Whoever waits for it has waited long enough otherwise.
            let _ = ready.send(());
            loop {
                signals.next().await;
                // Asked first: who is told to stop by this signal may say at once that the next one ends all.
                let ends = ENDS_AT_NEXT.load(Ordering::SeqCst);
                if stopped.send_replace(true) || ends {
                    end();
                }
            }
        });
    });
    let _ = is_ready.recv_timeout(Duration::from_secs(1));
    sender
}

/// Ends the program.
fn end() -> ! {
    out::remove_draft();
    out::stderr_line("error: ended at once: what was not written by now is lost");
    std::process::exit(i32::from(Exit::Usage as u8))
}

#[cfg(unix)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // The signals that this program was started to ignore, as bits; none where the system does not say it in a file.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
        let is_heard = |kind: &SignalKind| {
            // `nohup` has a program ignore that its terminal is closed. Ctrl-C is heard in the background, too.
            let bit = u32::try_from(kind.as_raw_value() - 1).ok().and_then(|place| 1_u64.checked_shl(place));
            *kind == SignalKind::interrupt() || bit.is_none_or(|bit| ignored & bit == 0)
        };
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        Self(kinds.into_iter().filter(is_heard).filter_map(|kind| signal(kind).ok()).collect())
    }

    async fn next(&mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let each = self.0.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures_util::future::select_all(each).await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    const fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
