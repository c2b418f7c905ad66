//! Judges what a client sends while it sends it, and tells the same events as a run of the suite; how many requests are judged.

use std::rc::Rc;

use super::client_check::ClientCheck;
use super::conversation::{CardFetch, ClientConversation, ClientSession};
use super::registry::{GROUPS, add_requirements};
use super::served_lanes::{ServedLane, find, is_for_card, is_meant_for_agent, lanes_of, read_call};
use crate::a2a::dialect::DIALECTS;
use crate::a2a::model::Card;
use crate::engine::check::Scope;
use crate::engine::event::{Agent, CheckResult, Completion, Emit, Event, Row, Tally};
use crate::engine::run_settings::RunSettings;
use crate::engine::transcript::Lane;
use crate::engine::verdict::Verdict;
use crate::wire::exchange::Exchange;
use crate::wire::json;
use crate::wire::received::{ClientRequest, ServedCard};

/// How many requests are judged: more would not show more, and each is kept.
const MAX_REQUESTS: usize = 5000;
/// How much memory those that are judged may take, in bytes, counted as below.
const MAX_BYTES: usize = 256 << 20;
/// What a value of JSON costs beside its text.
const VALUE_BYTES: usize = 200;

/// The judgement of a client, by what was received so far.
pub struct ClientWatch {
    emit: Emit,
    served: Vec<ServedLane>,
    /// Where the cards are, and of which versions.
    cards: Vec<(String, &'static str)>,
    /// The card of the newest version, for what is not about one interface.
    card: Rc<Card>,
    session: ClientSession,
    /// The lanes that the client used, in the order of their first requests.
    used: Vec<Rc<Lane>>,
    rows: Vec<JudgedRow>,
    /// Of the rows, the next one to judge in the round that is under way.
    next_row: usize,
    /// Whether something came since the round began.
    is_behind: bool,
    clients: Vec<String>,
    received: usize,
    /// How many were kept, and what they cost.
    kept: usize,
    bytes: usize,
}

/// A row of the plan with its check and its last verdict.
struct JudgedRow {
    row: Row,
    check: &'static ClientCheck,
    verdict: Option<Verdict>,
}

impl ClientWatch {
    /// Begins to watch over an agent at this address.
    #[must_use]
    pub fn new(address: &str, wall_ms: f64, cards: &[ServedCard], emit: Emit) -> Self {
        add_requirements();
        let settings = RunSettings { source: "client", ..RunSettings::default() };
        emit(Event::Started { address: address.to_owned(), wall_ms, settings: Box::new(settings) });
        let served = lanes_of(cards);
        let card = served.first().map(|served| Rc::clone(&served.card)).unwrap_or_default();
        let mut watch = Self {
            emit,
            served,
            cards: cards.iter().map(|card| (card.url.clone(), card.version)).collect(),
            card,
            session: ClientSession::default(),
            used: Vec::new(),
            rows: Vec::new(),
            next_row: 0,
            is_behind: false,
            clients: Vec::new(),
            received: 0,
            kept: 0,
            bytes: 0,
        };
        watch.plan(None);
        watch
    }

    /// Keeps one more request. It is judged when somebody wants to know: so long as nobody does, a client waits no longer for its
    /// thousandth answer than for its first.
    pub fn receive(&mut self, mut received: ClientRequest) {
        self.received += 1;
        self.bytes += cost(&received.exchange);
        // What was refused once is full, so that those that were judged are the first ones.
        if self.kept + 1 < self.received || self.kept >= MAX_REQUESTS || self.bytes > MAX_BYTES {
            return;
        }
        self.kept += 1;
        self.is_behind = true;
        self.note_client(&received);
        let request = &received.exchange.request;
        if is_for_card(request) {
            self.name(&mut received, None, "card");
            let body = received.exchange.response.as_ref().and_then(|response| json::read(&response.body));
            let known = self.cards.iter().find(|(url, _)| *url == received.exchange.request.url);
            let version = known.filter(|_| body.is_some_and(|card| card.is_object())).map(|(_, version)| *version);
            return self.session.add_card(CardFetch { received, version });
        }
        let Some(lane) = find(&self.served, request).map(|served| Rc::clone(&served.lane)) else {
            let is_stray = is_meant_for_agent(request);
            self.name(&mut received, None, "elsewhere");
            if is_stray {
                self.session.strays.push(received);
            }
            return;
        };
        self.use_lane(&lane);
        let mut call = read_call(&lane, received);
        let step = call.operation.map_or("unknown", |operation| {
            DIALECTS.first().and_then(|newest| newest.method(operation)).unwrap_or("call")
        });
        self.name(&mut call.received, Some(&lane), step);
        self.session.add_call(call);
    }

    /// Ends it.
    pub fn finish(&mut self, duration_ms: f64) {
        self.session.is_over = true;
        self.is_behind = true;
        self.judge();
        let why = if self.kept < MAX_REQUESTS { ": they have used up the memory allowed" } else { "" };
        let cause = (self.received > self.kept)
            .then(|| format!("only the first {} of {} requests were judged{why}", self.kept, self.received));
        let tally = self.tally();
        (self.emit)(Event::Finished { completion: Completion::Watched, tally, cause, duration_ms });
    }

    /// Judges every row by all that came so far.
    pub fn judge(&mut self) {
        self.is_behind |= self.next_row < self.rows.len();
        self.next_row = self.rows.len();
        while self.judge_one() {}
    }

    /// Judges the next row, and tells its verdict if that has changed; `false` when all are judged by all that came.
    pub fn judge_one(&mut self) -> bool {
        if self.next_row >= self.rows.len() {
            if !self.is_behind {
                return false;
            }
            (self.next_row, self.is_behind) = (0, false);
        }
        let (session, served, card) = (&self.session, &self.served, &self.card);
        let Some(judged) = self.rows.get_mut(self.next_row) else { return false };
        self.next_row += 1;
        let lane = judged.row.lane.as_ref();
        let of_lane = lane.and_then(|lane| served.iter().find(|served| served.lane.id == lane.id));
        let card = of_lane.map_or(&**card, |served| &*served.card);
        let verdict = match (judged.check.judge)(&ClientConversation { session, lane, card }) {
            Ok(verdict) | Err(verdict) => verdict,
        };
        if judged.verdict.as_ref() != Some(&verdict) {
            judged.verdict = Some(verdict.clone());
            let row = judged.row.clone();
            let (level, tally) = (row.level(), self.tally());
            let result = Rc::new(CheckResult { row, verdict, level, duration_ms: 0.0 });
            (self.emit)(Event::Judged { result, tally });
        }
        true
    }

    /// Gives an exchange its place in the report, and tells it.
    fn name(&self, received: &mut ClientRequest, lane: Option<&Rc<Lane>>, step: &str) {
        let lane = lane.map(|lane| lane.id.clone());
        let exchange = Exchange::clone(&received.exchange);
        received.exchange =
            Rc::new(Exchange { lane, scenario: "client".to_owned(), step: step.to_owned(), ..exchange });
        (self.emit)(Event::Exchanged(Rc::clone(&received.exchange)));
    }

    /// Notes what a client calls itself.
    fn note_client(&mut self, received: &ClientRequest) {
        let name = match received.user_agent() {
            "" => "a client without a name",
            name => name,
        };
        if self.clients.iter().any(|known| known == name) {
            return;
        }
        self.clients.push(name.to_owned());
        (self.emit)(Event::Agent(Agent { name: self.clients.join(", "), ..Agent::default() }));
    }

    fn use_lane(&mut self, lane: &Rc<Lane>) {
        if self.used.iter().any(|known| known.id == lane.id) {
            return;
        }
        self.used.push(Rc::clone(lane));
        (self.emit)(Event::Lanes(self.used.clone()));
        self.plan(Some(lane));
    }

    /// Plans the checks of a lane, or those that are about none.
    fn plan(&mut self, lane: Option<&Rc<Lane>>) {
        let newest = DIALECTS.first().map_or("", |dialect| dialect.version);
        let version = lane.map_or(newest, |lane| lane.dialect.version);
        let binding = lane.map(|lane| lane.binding.slug);
        let mut rows = Vec::new();
        for group in GROUPS.iter().filter(|group| (group.scenario.scope == Scope::Agent) == lane.is_none()) {
            for check in group.checks.iter().filter(|check| check.declared.applies(version, binding)) {
                let row = Row {
                    check: &check.declared,
                    scenario: group.scenario,
                    area: group.area,
                    lane: lane.map(Rc::clone),
                    version,
                };
                rows.push(row.clone());
                self.rows.push(JudgedRow { row, check, verdict: None });
            }
        }
        (self.emit)(Event::Planned { rows, messages: 0 });
        self.is_behind = true;
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally { total: u32::try_from(self.rows.len()).unwrap_or(u32::MAX), ..Tally::default() };
        for judged in &self.rows {
            if let Some(verdict) = &judged.verdict {
                tally.count(verdict.outcome, judged.row.level());
            }
        }
        tally
    }
}

/// What it costs to keep an exchange, in bytes: its texts, and the values of its body, of which each has at least a comma or a bracket.
fn cost(exchange: &Exchange) -> usize {
    let body = exchange.request.body.as_deref().unwrap_or_default();
    let values = body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    let answer = exchange.response.as_ref().map_or(0, |response| {
        response.body.len() + response.frames.iter().map(|timed| timed.frame.data.len()).sum::<usize>()
    });
    exchange.request.url.len() + 2 * body.len() + values * VALUE_BYTES + answer
}
