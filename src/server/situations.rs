//! Situations into which the scripted agent brings its clients, to see how they cope: places that move after some calls, and
//! answers that come late or never; after how many, and how late. They stand before the agent and not in it, so that no page
//! carries them.

use std::cell::Cell;
use std::rc::Rc;

use crate::agent::gateway::Gateway;
use crate::host::{Clock, StreamedResponse};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::grpc::is_grpc;
use crate::wire::http::{Method, Request, ResponseHead};
use crate::wire::json::{self, Value};
use crate::wire::named_enum::named_enum;

/// Where a card and its interfaces are once they have moved.
pub(super) const MOVED: &str = "/moved";

/// Where calls are redirected to: the same agent under another origin.
pub(super) const ELSEWHERE: &str = "/elsewhere";

/// The ends of the paths of cards, of all versions.
const CARD_PATHS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// The methods of JSON-RPC that send a message, of all versions.
const SENDS: [&str; 6] =
    ["SendMessage", "SendStreamingMessage", "message/send", "message/stream", "tasks/send", "tasks/sendSubscribe"];

/// So many calls are answered before the interfaces move.
const CALLS_BEFORE_MOVE: u32 = 3;

/// How late an answer is, in milliseconds.
const LATE_MS: f64 = 10_000.0;

named_enum! {
    /// A situation, with its name on the command line.
    pub enum Situation {
        /// The card is somewhere else.
        CardRedirected = "card-redirected",
        /// The interfaces are somewhere else after some calls, and the card says where.
        InterfaceMoved = "interface-moved",
        /// Calls are redirected to another origin.
        CallsRedirected = "calls-redirected",
        /// Some answers never come.
        AnswersLost = "answers-lost",
        /// Some answers come late.
        AnswersLate = "answers-late",
    }
}

impl Situation {
    /// The situation with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

/// The situations that a client is brought into. A clone is the same.
#[derive(Debug, Clone, Default)]
pub struct Situations(Rc<SituationState>);

#[derive(Debug, Default)]
struct SituationState {
    on: Vec<Situation>,
    calls: Cell<u32>,
    sends: Cell<u32>,
}

impl From<Vec<Situation>> for Situations {
    fn from(on: Vec<Situation>) -> Self {
        Self(Rc::new(SituationState { on, ..SituationState::default() }))
    }
}

impl Situations {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.on.is_empty()
    }

    fn has(&self, situation: Situation) -> bool {
        self.0.on.contains(&situation)
    }

    fn has_moved(&self) -> bool {
        self.has(Situation::InterfaceMoved) && self.0.calls.get() > CALLS_BEFORE_MOVE
    }

    /// The agent's answer to a request, as these situations let it come.
    pub(super) async fn respond(
        &self,
        agent: &Gateway,
        request: Request,
        clock: &Rc<dyn Clock>,
    ) -> Result<StreamedResponse, TransportError> {
        let place = Place::from_url(&request.url);
        if self.is_empty() || is_grpc(&request.headers) && !place.is_card() {
            return agent.respond(request).await;
        }
        let inner = Request { url: format!("{}{}", place.origin, place.rest), ..request.clone() };
        if place.is_card() && matches!(request.method, Method::Get | Method::Head) {
            return self.card(agent, inner, &place).await;
        }
        if !place.is_interface() {
            return agent.respond(inner).await;
        }
        self.call(agent, inner, &place, clock).await
    }

    async fn card(&self, agent: &Gateway, request: Request, place: &Place) -> Result<StreamedResponse, TransportError> {
        if self.has(Situation::CardRedirected) && place.prefix.is_empty() {
            return Ok(answer(301, "location", &format!("{}{MOVED}{}", place.origin, place.rest), ""));
        }
        if self.has_moved() { moved_card(agent, request, &place.origin).await } else { agent.respond(request).await }
    }

    async fn call(
        &self,
        agent: &Gateway,
        request: Request,
        place: &Place,
        clock: &Rc<dyn Clock>,
    ) -> Result<StreamedResponse, TransportError> {
        let is_here = place.prefix.is_empty();
        self.0.calls.set(self.0.calls.get() + u32::from(is_here));
        if is_here && self.has_moved() {
            let said = "This interface has moved; the agent's card has its new URL.\n";
            return Ok(answer(410, "content-type", "text/plain; charset=utf-8", said));
        }
        if is_here && self.has(Situation::CallsRedirected) {
            let location = format!("{}{ELSEWHERE}{}", other_origin(&place.origin), place.rest);
            return Ok(answer(307, "location", &location, ""));
        }
        if !is_send(&request) {
            return agent.respond(request).await;
        }
        // The first of three, so that whoever asks again has an answer.
        self.0.sends.set(self.0.sends.get() + 1);
        let is_unlucky = self.0.sends.get() % 3 == 1;
        if is_unlucky && self.has(Situation::AnswersLate) {
            clock.sleep(LATE_MS).await;
        }
        let answered = agent.respond(request).await;
        if is_unlucky && self.has(Situation::AnswersLost) {
            let detail = "the connection is closed before the answer".to_owned();
            return Err(TransportError { kind: TransportErrorKind::Other, detail });
        }
        answered
    }
}

/// A URL, taken apart.
struct Place {
    origin: String,
    /// [`MOVED`], [`ELSEWHERE`] or nothing.
    prefix: &'static str,
    /// The path behind it, with the query.
    rest: String,
}

impl Place {
    fn from_url(url: &str) -> Self {
        let host = url.find("://").map_or(0, |at| at + 3);
        let end = url.get(host..).and_then(|rest| rest.find('/')).map_or(url.len(), |at| host + at);
        let (origin, path) = url.split_at_checked(end).unwrap_or((url, ""));
        let found = [MOVED, ELSEWHERE].into_iter().find_map(|prefix| {
            let rest = path.strip_prefix(prefix).filter(|rest| rest.starts_with('/'))?;
            Some((prefix, rest))
        });
        let (prefix, rest) = found.unwrap_or(("", path));
        Self { origin: origin.to_owned(), prefix, rest: rest.to_owned() }
    }

    fn path(&self) -> &str {
        self.rest.split('?').next().unwrap_or_default()
    }

    fn is_card(&self) -> bool {
        CARD_PATHS.iter().any(|end| self.path().ends_with(end))
    }

    fn is_interface(&self) -> bool {
        self.path().split('/').any(|part| matches!(part, "rpc" | "rest"))
    }
}

/// The same machine under another name, which is another origin.
fn other_origin(origin: &str) -> String {
    if origin.contains("//localhost") {
        origin.replacen("//localhost", "//127.0.0.1", 1)
    } else {
        let port = origin.rsplit(':').next().filter(|port| port.chars().all(|c| c.is_ascii_digit()));
        port.map_or_else(|| "http://localhost".to_owned(), |port| format!("http://localhost:{port}"))
    }
}

fn is_send(request: &Request) -> bool {
    let path = request.url.split('?').next().unwrap_or_default();
    let named = || {
        let body = request.body.as_deref().and_then(json::read)?;
        Some(SENDS.contains(&body.get("method")?.as_str()?))
    };
    path.ends_with("/message:send") || path.ends_with("/message:stream") || named().unwrap_or(false)
}

fn answer(status: u16, name: &str, value: &str, body: &str) -> StreamedResponse {
    let headers = [(name, value.to_owned()), ("content-length", body.len().to_string())].into_iter().collect();
    let head = ResponseHead { status, headers, ..ResponseHead::default() };
    StreamedResponse::whole(head, body.as_bytes().to_vec())
}

/// The card with its interfaces where they have moved to. The signature would be that of the other card, so it is left out.
async fn moved_card(agent: &Gateway, mut request: Request, origin: &str) -> Result<StreamedResponse, TransportError> {
    request.headers.remove("if-none-match");
    request.headers.remove("if-modified-since");
    let (mut head, body) = agent.respond(request).await?.collected().await;
    let body = json::read(&body).map(|card| moved(card, MOVED, origin).to_string()).unwrap_or_default();
    head.headers.replace("etag", "\"moved\"");
    head.headers.replace("content-length", body.len().to_string());
    Ok(StreamedResponse::whole(head, body.into_bytes()))
}

/// A card whose interfaces are behind a prefix.
#[must_use]
pub(super) fn moved(mut card: Value, prefix: &str, origin: &str) -> Value {
    let place = |url: &mut Value| {
        let rest = url.as_str().and_then(|known| known.strip_prefix(origin)).map(str::to_owned);
        if let Some(rest) = rest {
            *url = format!("{origin}{prefix}{rest}").into();
        }
    };
    if let Some(members) = card.as_object_mut() {
        members.shift_remove("signatures");
        members.get_mut("url").into_iter().for_each(place);
        for list in ["supportedInterfaces", "additionalInterfaces"] {
            let interfaces = members.get_mut(list).and_then(Value::as_array_mut);
            interfaces.into_iter().flatten().filter_map(|interface| interface.get_mut("url")).for_each(place);
        }
    }
    card
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_with_and_without_its_prefix() {
        for (url, prefix, rest, is_card, is_interface) in [
            ("http://a.test/rpc", "", "/rpc", false, true),
            ("http://a.test/moved/rest/tasks?pageSize=1", MOVED, "/rest/tasks?pageSize=1", false, true),
            ("http://a.test/0.3/.well-known/agent-card.json", "", "/0.3/.well-known/agent-card.json", true, false),
            ("http://a.test", "", "", false, false),
            ("http://a.test/movedx", "", "/movedx", false, false),
        ] {
            let place = Place::from_url(url);
            assert_eq!((place.origin.as_str(), place.prefix, place.rest.as_str()), ("http://a.test", prefix, rest));
            assert_eq!((place.is_card(), place.is_interface()), (is_card, is_interface), "{url}");
        }
    }

    #[test]
    fn the_other_origin_is_the_same_port() {
        assert_eq!(other_origin("http://127.0.0.1:8485"), "http://localhost:8485");
        assert_eq!(other_origin("http://localhost:8485"), "http://127.0.0.1:8485");
        assert_eq!(other_origin("http://agent.test"), "http://localhost");
    }

    #[test]
    fn every_situation_has_a_name() {
        assert!(Situation::ALL.iter().all(|known| Situation::parse(known.as_str()) == Some(*known)));
        assert_eq!(Situation::parse("none"), None);
    }
}
