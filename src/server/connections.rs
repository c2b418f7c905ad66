//! What the connections of a listener are doing, and which of them make room when there are too many.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

/// How many connections a listener has at once, if the system lets it.
const MOST: usize = 2_000;
/// How long a connection may take until its first request is there.
const SILENT: Duration = Duration::from_secs(30);
/// How long one may wait for its next request. Over HTTP/1.1 hyper closes it earlier.
const IDLE: Duration = Duration::from_secs(120);
/// How long a client may leave unread what it is sent.
const UNREAD: Duration = Duration::from_secs(120);
/// For how long a connection has only just begun.
const BEGINNING: Duration = Duration::from_secs(2);
/// How often a connection is looked at.
const LOOK: Duration = Duration::from_secs(5);
/// After how many connections those that have ended are forgotten.
const FORGOTTEN_AT_ONCE: usize = 32;
/// What the system says when no more files can be opened, by a process or by all: of Unix, and of Windows.
const TOO_MANY_FILES: [i32; 3] = [24, 23, 10_024];

/// What a connection is doing. A clone is the same.
#[derive(Debug, Clone)]
pub struct ConnectionUse(Rc<UseState>);

#[derive(Debug)]
struct UseState {
    /// How many requests are being answered.
    requests: Cell<usize>,
    /// Whether there was a request at all.
    has_spoken: Cell<bool>,
    /// Since when there is no request.
    quiet_since: Cell<Instant>,
    /// Since when the other side takes nothing.
    unread_since: Cell<Option<Instant>>,
}

/// A request that is being answered. Dropping it is the end of the answer.
#[derive(Debug)]
pub struct RequestGuard(ConnectionUse);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let state = &self.0.0;
        state.requests.set(state.requests.get().saturating_sub(1));
        state.quiet_since.set(Instant::now());
    }
}

impl ConnectionUse {
    /// That of a connection which has only just begun.
    pub(super) fn begin() -> Self {
        Self(Rc::new(UseState {
            requests: Cell::default(),
            has_spoken: Cell::default(),
            quiet_since: Cell::new(Instant::now()),
            unread_since: Cell::default(),
        }))
    }

    /// Notes a request, until what is returned is dropped.
    #[must_use]
    pub fn request(&self) -> RequestGuard {
        self.0.requests.set(self.0.requests.get() + 1);
        self.0.has_spoken.set(true);
        RequestGuard(self.clone())
    }

    /// Waits until the connection is of no use any more: nobody says anything, or nobody reads.
    pub(super) async fn is_over(&self) {
        loop {
            sleep(LOOK).await;
            let patience = if self.0.has_spoken.get() { IDLE } else { SILENT };
            let is_quiet = self.0.requests.get() == 0 && self.0.quiet_since.get().elapsed() >= patience;
            if is_quiet || self.0.unread_since.get().is_some_and(|since| since.elapsed() >= UNREAD) {
                return;
            }
        }
    }
}

/// The open connections of a listener, oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenConnections(RefCell<Vec<(ConnectionUse, AbortHandle)>>);

impl OpenConnections {
    pub(super) fn add(&self, usage: ConnectionUse, task: AbortHandle) {
        let mut all = self.0.borrow_mut();
        // What has ended takes memory for as long as it is listed.
        if all.len().is_multiple_of(FORGOTTEN_AT_ONCE) {
            all.retain(|(_, task)| !task.is_finished());
        }
        all.push((usage, task));
    }

    /// Whether there are as many as there may be.
    pub(super) fn are_full(&self) -> bool {
        let mut all = self.0.borrow_mut();
        if all.len() >= MOST {
            all.retain(|(_, task)| !task.is_finished());
        }
        all.len() >= MOST
    }

    /// Closes the one that has said nothing for longest, or else the one that has waited longest for its next request, and only
    /// then one that has just begun: it is about to say something. Those that are answered stay. Returns whether there was one.
    pub(super) fn make_room(&self) -> bool {
        let mut all = self.0.borrow_mut();
        all.retain(|(_, task)| !task.is_finished());
        let quiet = all.iter().enumerate().filter(|(_, (usage, _))| usage.0.requests.get() == 0);
        let longest = quiet.min_by_key(|(_, (usage, _))| {
            let since = usage.0.quiet_since.get();
            let turn = match usage.0.has_spoken.get() {
                false if since.elapsed() >= BEGINNING => 0,
                true => 1,
                false => 2,
            };
            (turn, since)
        });
        let Some(place) = longest.map(|(place, _)| place) else { return false };
        all.remove(place).1.abort();
        true
    }
}

/// Whether a connection could not be taken because too many files are open.
pub(super) fn is_out_of_files(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}

/// The stream of a connection, which notes whether the other side takes what it is sent.
#[derive(Debug)]
pub struct WatchedStream {
    stream: TcpStream,
    usage: ConnectionUse,
}

impl WatchedStream {
    pub(super) const fn new(stream: TcpStream, usage: ConnectionUse) -> Self {
        Self { stream, usage }
    }

    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        let since = &self.usage.0.unread_since;
        since.set(if written.is_pending() { since.get().or_else(|| Some(Instant::now())) } else { None });
        written
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
