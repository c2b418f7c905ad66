//! A transport that answers from a recording, request by request as they were made, so that a run can be repeated without its
//! agent, or says where the run has become another.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::pending;
use futures_util::stream::{self, StreamExt};

use super::{BodyStream, Clock, PendingResponse, RequestPurpose, StreamedResponse, Transport};
use crate::wire::exchange::{End, Exchange, Response, TransportError, TransportErrorKind};
use crate::wire::http::{Request, ResponseHead};
use crate::wire::json::{Value, parse};
use crate::wire::mask::MASK;
use crate::wire::sse::write;

/// How long a UUID is as it is written, with its hyphens.
const UUID_LENGTH: usize = uuid::fmt::Hyphenated::LENGTH;

/// Answers from a recording, in the recorded time of its clock.
pub struct ReplayTransport {
    clock: Rc<dyn Clock>,
    /// What was not asked for yet, in the order in which it was sent.
    left: RefCell<Vec<Exchange>>,
    /// UUIDs of the recording that were made by the checker, and those that this run made in their places.
    ids: RefCell<Vec<(String, String)>>,
    misfit: RefCell<Option<String>>,
    /// Answers that were too large: the error with which they end here, what was recorded, and how many bytes had come.
    too_large: RefCell<Vec<(String, String, usize)>>,
}

impl ReplayTransport {
    /// Answers from these exchanges.
    #[must_use]
    pub fn new(mut recorded: Vec<Exchange>, clock: Rc<dyn Clock>) -> Self {
        recorded.sort_by_key(|exchange| exchange.id);
        Self {
            clock,
            left: RefCell::new(recorded),
            ids: RefCell::default(),
            misfit: RefCell::default(),
            too_large: RefCell::default(),
        }
    }

    /// Why the recording is not one of this run, if it is not.
    #[must_use]
    pub fn misfit(&self) -> Option<String> {
        let found = self.misfit.borrow().clone();
        found.or_else(|| {
            let left = self.left.borrow();
            let first = left.first()?;
            let Request { method, url, .. } = &first.request;
            let place = place(&first.scenario, &first.step, first.lane.as_deref());
            let count = if left.len() == 1 { "1 request".to_owned() } else { format!("{} requests", left.len()) };
            Some(format!("{count} of the recording were not made; the first is {method} {url} {place}"))
        })
    }

    /// Takes the recorded exchange that a request repeats. The error says what was expected in its place.
    fn take(&self, purpose: RequestPurpose<'_>, request: &Request) -> Result<Exchange, String> {
        let mut left = self.left.borrow_mut();
        let is_of = |exchange: &Exchange| {
            exchange.scenario == purpose.scenario
                && exchange.step == purpose.step
                && exchange.lane.as_deref() == purpose.lane
        };
        let mut expected = None;
        for (index, exchange) in left.iter().enumerate().filter(|(_, exchange)| is_of(exchange)) {
            if let Some(ids) = self.same(&exchange.request, request) {
                self.ids.borrow_mut().extend(ids);
                return Ok(left.remove(index));
            }
            expected.get_or_insert(&exchange.request);
        }
        let place = place(purpose.scenario, purpose.step, purpose.lane);
        let Request { method, url, .. } = request;
        Err(match expected {
            Some(known) if (known.method, &known.url) == (*method, url) => {
                format!("the body of {method} {url} {place} is another one than in the recording")
            }
            Some(known) => format!("{method} {url} {place} was {} {} in the recording", known.method, known.url),
            None => format!("the recording has no {method} {url} {place}"),
        })
    }

    /// The ids by which two requests differ, if they differ in nothing else.
    fn same(&self, recorded: &Request, now: &Request) -> Option<Vec<(String, String)>> {
        if recorded.method != now.method {
            return None;
        }
        let mut ids = self.ids.borrow().clone();
        let known = ids.len();
        align(&recorded.url, &now.url, &mut ids)?;
        align(&without_number(recorded).0, &without_number(now).0, &mut ids)?;
        Some(ids.split_off(known))
    }

    /// A text of the recording with the ids of this run.
    fn translated(&self, text: &str) -> String {
        self.ids.borrow().iter().fold(text.to_owned(), |text, (recorded, now)| text.replace(recorded, now))
    }

    fn body(&self, response: &Response, exchange: &Exchange, numbers: Option<&NumberPair>) -> BodyStream {
        let text = |bytes: &[u8]| renumbered(self.translated(&String::from_utf8_lossy(bytes)), numbers);
        let mut chunks = Vec::new();
        let mut at_ms = response.head_ms;
        let mut until = |then_ms: f64| {
            let wait = (then_ms - at_ms).max(0.0);
            at_ms = at_ms.max(then_ms);
            wait
        };
        for timed in &response.frames {
            let mut frame = timed.frame.clone();
            frame.data = text(frame.data.as_bytes());
            chunks.push((until(timed.at_ms), Ok(write(&frame).into_bytes())));
        }
        let body = match std::str::from_utf8(&response.body) {
            Ok(_) => text(&response.body).into_bytes(),
            Err(_) => response.body.clone(),
        };
        let wait = until(exchange.end_ms);
        // The body of an exchange that ended otherwise is there before that end.
        let is_whole = matches!(exchange.end, End::Complete | End::NoAnswer(_));
        chunks.push((if is_whole { wait } else { 0.0 }, Ok(body)));
        match &exchange.end {
            End::Broken(detail) => chunks.push((wait, Err(detail.clone()))),
            End::TooLarge(detail) => {
                // Told apart from each other and from all that breaks.
                let name = format!("{detail} (exchange {})", exchange.id);
                self.too_large.borrow_mut().push((name.clone(), detail.clone(), response.bytes));
                chunks.push((wait, Err(name)));
            }
            _ => {}
        }
        // An exchange that was left before its end has no end here either.
        let is_open = matches!(exchange.end, End::HungUp | End::Deadline(_));
        let clock = Rc::clone(&self.clock);
        let timed = stream::iter(chunks).then(move |(wait_ms, chunk)| {
            let sleep = clock.sleep(wait_ms);
            async move {
                sleep.await;
                chunk
            }
        });
        if is_open { Box::pin(timed.chain(stream::pending())) } else { Box::pin(timed) }
    }
}

impl Transport for ReplayTransport {
    fn send(&self, request: Request) -> PendingResponse {
        self.send_for(RequestPurpose { scenario: "", step: "", lane: None }, request)
    }

    fn send_for(&self, purpose: RequestPurpose<'_>, request: Request) -> PendingResponse {
        let exchange = match self.take(purpose, &request) {
            Ok(exchange) => exchange,
            Err(detail) => {
                self.misfit.borrow_mut().get_or_insert_with(|| detail.clone());
                return Box::pin(async move { Err(TransportError { kind: TransportErrorKind::Other, detail }) });
            }
        };
        let numbers = without_number(&exchange.request).1.zip(without_number(&request).1);
        let Some(response) = &exchange.response else {
            let sleep = self.clock.sleep(exchange.end_ms - exchange.sent_ms);
            return Box::pin(async move {
                sleep.await;
                match exchange.end {
                    End::NoAnswer(error) => Err(error),
                    _ => pending().await,
                }
            });
        };
        let head = ResponseHead {
            status: response.status,
            headers: response.headers.clone(),
            url: response.url.clone(),
            redirected: response.redirected,
        };
        let body = self.body(response, &exchange, numbers.as_ref());
        let sleep = self.clock.sleep(response.head_ms - exchange.sent_ms);
        Box::pin(async move {
            sleep.await;
            Ok(StreamedResponse { head, body })
        })
    }

    fn end_of(&self, detail: String, response: &mut Response) -> End {
        let too_large = self.too_large.borrow();
        let Some((_, recorded, bytes)) = too_large.iter().find(|(name, ..)| *name == detail) else {
            return End::Broken(detail);
        };
        response.bytes = *bytes;
        End::TooLarge(recorded.clone())
    }
}

/// The number of a call of JSON-RPC, as it was recorded and as it is now: calls are numbered over all tests of a run.
type NumberPair = (Value, Value);

/// The answer with the number of now.
fn renumbered(text: String, numbers: Option<&NumberPair>) -> String {
    let renumbered = || {
        let (recorded, now) = numbers.filter(|(recorded, now)| recorded != now)?;
        let mut document = parse(text.as_bytes()).value?;
        *document.get_mut("id").filter(|id| **id == *recorded)? = now.clone();
        Some(document.to_string())
    };
    renumbered().unwrap_or(text)
}

/// The body of a request without the number of its call, and that number.
fn without_number(request: &Request) -> (String, Option<Value>) {
    let Some(body) = request.body.as_deref() else { return (String::new(), None) };
    match parse(body).value {
        Some(Value::Object(mut members)) if members.contains_key("jsonrpc") => {
            let number = members.shift_remove("id");
            (Value::Object(members).to_string(), number)
        }
        _ => (String::from_utf8_lossy(body).into_owned(), None),
    }
}

/// Compares a recorded text with one of now. UUIDs in the same place may differ, if they always differ so; secrets were masked.
fn align(recorded: &str, now: &str, ids: &mut Vec<(String, String)>) -> Option<()> {
    if recorded.contains(MASK) {
        return Some(());
    }
    let (mut recorded, mut now) = (recorded, now);
    loop {
        let (before, id, after) = cut_at_uuid(recorded);
        let (before_now, id_now, after_now) = cut_at_uuid(now);
        if before != before_now {
            return None;
        }
        match (id, id_now) {
            (None, None) => return Some(()),
            (Some(id), Some(id_now)) => match ids.iter().find(|(known, other)| known == id || other == id_now) {
                Some((known, other)) if known == id && other == id_now => {}
                Some(_) => return None,
                None if id == id_now => {}
                None => ids.push((id.to_owned(), id_now.to_owned())),
            },
            _ => return None,
        }
        (recorded, now) = (after, after_now);
    }
}

/// What stands before the first UUID of a text, the UUID, and what stands behind it.
fn cut_at_uuid(text: &str) -> (&str, Option<&str>, &str) {
    let found = text.as_bytes().windows(UUID_LENGTH).position(|text| uuid::Uuid::try_parse_ascii(text).is_ok());
    let cut =
        found.and_then(|at| Some((text.get(..at)?, text.get(at..at + UUID_LENGTH)?, text.get(at + UUID_LENGTH..)?)));
    cut.map_or((text, None, ""), |(before, id, after)| (before, Some(id), after))
}

/// Where a request belongs, for a message.
fn place(scenario: &str, step: &str, lane: Option<&str>) -> String {
    let lane = lane.map(|lane| format!(" on {lane}")).unwrap_or_default();
    format!("in {scenario}, step {step}{lane},")
}
