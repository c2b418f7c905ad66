//! The workbench of one agent: requests go out one at a time, are put on the record without their secrets, and their events can be
//! watched as they come; how many exchanges are kept.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::LocalBoxFuture;

use super::agent_knowledge::{KnownCard, LatestIds};
use super::caller::{Caller, PATIENCE_MS};
use super::compose::{Destination, RequestWriter, name};
use super::conversation::Conversation;
use super::current_exchange::Live;
use super::judge::{Answer, not_judged};
use super::reach::way_of;
use super::typed_request;
use crate::a2a::binding::{Credentials, SentCall};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::headers::OWN;
use crate::a2a::model::Operation;
use crate::a2a::rule::Notes;
use crate::engine::discover::normalise;
use crate::engine::options::Options;
use crate::engine::prompt::Prompts;
use crate::engine::security_schemes::schemes_of;
use crate::engine::session::{RequestLabel, RequestTarget, StreamControl};
use crate::engine::transcript::{Lane, RunFacts};
use crate::host::Host;
use crate::view_model::evidence::Evidence;
use crate::view_model::format;
use crate::view_model::reach::ReachView;
use crate::view_model::wire::{Mark, event_summary};
use crate::view_model::workbench::{
    AnswerJudgement, Composed, ConversationAction, Draft, ExchangeProgress, FIRST, FinishedExchange, Typed,
};
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::sse::Frame;

const SCENARIO: &str = "workbench";
/// How many exchanges are kept.
const KEPT: usize = 300;
/// How long events wait for others before they are told, in milliseconds.
const PACE_MS: f64 = 60.0;

/// The exchanges of all workbenches, whichever agent was asked.
pub type Exchanges = Rc<RefCell<Vec<Rc<Exchange>>>>;

/// The workbench of one agent.
pub struct Workbench {
    host: Host,
    /// The origin of the page from which a browser hides header fields.
    hides_from: Option<String>,
    exchanges: Exchanges,
    caller: RefCell<Rc<Caller>>,
    known: RefCell<KnownCard>,
    seen: RefCell<LatestIds>,
    live: RefCell<Live>,
    talk: RefCell<Conversation>,
    /// Whether a message was sent that breaks rules itself.
    was_odd: Cell<bool>,
}

struct Sending {
    target: Destination,
    request: Request,
    step: &'static str,
    is_talk: bool,
    /// Whether another exchange goes on, which is the one that is watched.
    is_aside: bool,
}

impl Workbench {
    /// A workbench for the agent of these options; what is exchanged is added to the list.
    #[must_use]
    pub fn new(host: Host, options: Options, hides_from: Option<String>, exchanges: Exchanges) -> Rc<Self> {
        let caller = RefCell::new(Rc::new(Caller::new(&host, options)));
        let (known, seen, live, talk, was_odd) = Default::default();
        Rc::new(Self { host, hides_from, exchanges, caller, known, seen, live, talk, was_odd })
    }

    /// From now on with these options of the same agent: other credentials.
    pub fn use_options(&self, options: Options) {
        let is_same = {
            let caller = self.caller.borrow();
            caller.options == options && caller.session.exhausted().is_none()
        };
        if !is_same {
            self.caller.replace(Rc::new(Caller::new(&self.host, options)));
        }
    }

    /// Takes over a card that is known already; `version` is the one that it is judged by, if that was settled.
    pub fn take_card(&self, document: &Value, version: Option<&str>) {
        let chosen = self.caller().options.version.as_deref().and_then(Dialect::of_version);
        self.known.replace(match chosen {
            Some(chosen) => KnownCard::chosen(document, chosen),
            None => KnownCard::of_card(document, version),
        });
    }

    /// The options of its requests.
    #[must_use]
    pub fn options(&self) -> Options {
        self.caller().options.clone()
    }

    /// Whether the agent's card is known.
    #[must_use]
    pub fn has_card(&self) -> bool {
        self.known.borrow().card.is_some()
    }

    fn caller(&self) -> Rc<Caller> {
        Rc::clone(&self.caller.borrow())
    }

    /// Fetches the card.
    pub async fn read_card(&self) {
        let caller = self.caller();
        let mut problem = "the address cannot be requested".to_owned();
        let candidates = normalise(&caller.options.address).map(|address| address.candidates()).unwrap_or_default();
        let label = RequestLabel::new(RequestTarget::Agent, SCENARIO, "card", "the card");
        for (number, url) in candidates.into_iter().enumerate() {
            let mut request = Request::get(url).with_header("accept", "application/json");
            caller.credentials.apply(&mut request, None, Credentials::Own);
            let deadline_ms = caller.session.now_ms() + PATIENCE_MS;
            let exchange = caller.session.exchange(label, request, deadline_ms, &mut |_| StreamControl::Continue).await;
            let exchange = self.keep(&exchange);
            let found = exchange.response.as_ref().filter(|response| response.status < 300);
            let document = found.and_then(|response| parse(&response.body).value).filter(Value::is_object);
            if let Some(document) = document {
                self.take_card(&document, None);
                return;
            }
            let why = match exchange.status() {
                Some(status) => format!("HTTP {status} at {}", exchange.request.url),
                None => format!("{} from {}", exchange.end.no_answer(), exchange.request.url),
            };
            // The first place is the one that was meant.
            if number == 0 {
                problem = why;
            }
        }
        let known = KnownCard { problem, ..KnownCard::default() };
        self.known.replace(known);
    }

    fn desk<T>(&self, draft: &Draft, what: impl FnOnce(&RequestWriter<'_>) -> T) -> T {
        let caller = self.caller();
        what(&RequestWriter {
            draft,
            known: &self.known.borrow(),
            seen: &self.seen.borrow(),
            address: &caller.options.address,
            fresh: self.host.ids.fresh(),
        })
    }

    /// The request that the choices amount to.
    #[must_use]
    pub fn compose(&self, draft: &Draft) -> Composed {
        let (composed, lane) = self.desk(draft, |desk| (desk.composed(), desk.target().lane));
        let caller = self.caller();
        let credentials = match &composed.request {
            Some(request) => caller.added_credentials(&lane, &request.url),
            None => String::new(),
        };
        Composed { credentials, ..composed }
    }

    /// Sends what is in the editor. The future is over when the answer is; the error is one sentence on why nothing is sent.
    pub fn send(
        self: &Rc<Self>,
        draft: &Draft,
        typed: &Typed,
        as_it_is: bool,
    ) -> Result<LocalBoxFuture<'static, ()>, String> {
        let request = typed_request::request(typed, as_it_is)?;
        let target = self.desk(draft, |desk| desk.target());
        let is_called = target.is_a2a.then(|| typed_request::call(&target.lane, &request).ok()).flatten();
        let step = is_called.and_then(|sent| sent.operation).map_or("request", name);
        self.begin(Sending { target, request, step, is_talk: false, is_aside: false })
    }

    /// Goes on in the conversation. Future and error are as those of [`Self::send`].
    pub fn talk(
        self: &Rc<Self>,
        draft: &Draft,
        act: ConversationAction,
        text: &str,
    ) -> Result<LocalBoxFuture<'static, ()>, String> {
        if act == ConversationAction::Restart {
            self.talk.replace(Conversation::default());
            self.live.borrow_mut().finish(None, String::new());
            return Ok(Box::pin(std::future::ready(())));
        }
        let (open, context) = {
            let talk = self.talk.borrow();
            (talk.open_task(), talk.context())
        };
        let (target, written) = self.desk(draft, |desk| {
            let target = desk.target();
            let written = match Conversation::operation(act) {
                Some(operation) => open
                    .ok_or_else(|| "There is no task in progress.".to_owned())
                    .and_then(|task| desk.of_task(&target.lane, operation, &task))
                    .map(|request| (operation, request)),
                None => {
                    let streams = act == ConversationAction::Stream;
                    let operation = if streams { Operation::SendStreamingMessage } else { Operation::SendMessage };
                    let text = text.to_owned();
                    let outgoing = Outgoing { text, task_id: open, context_id: context, ..Outgoing::default() };
                    desk.message(&target.lane, operation, &outgoing).map(|request| (operation, request))
                }
            };
            (target, written)
        });
        if !target.is_a2a {
            return Err("Choose one of A2A's own formats above to have a conversation.".to_owned());
        }
        if Conversation::operation(act).is_none() && text.trim().is_empty() {
            return Err("Type a message first.".to_owned());
        }
        let (operation, request) = written?;
        let is_aside = act == ConversationAction::Cancel && self.live.borrow().is_under_way();
        let sending = self.begin(Sending { target, request, step: name(operation), is_talk: true, is_aside })?;
        if Conversation::operation(act).is_none() {
            self.talk.borrow_mut().say(text.trim());
        }
        Ok(sending)
    }

    fn begin(self: &Rc<Self>, sending: Sending) -> Result<LocalBoxFuture<'static, ()>, String> {
        let mut live = self.live.borrow_mut();
        if live.is_under_way() && !sending.is_aside {
            return Err("A request is under way. Stop it, or wait for its answer.".to_owned());
        }
        if !sending.is_aside {
            live.begin();
        }
        drop(live);
        let bench = Rc::clone(self);
        Ok(Box::pin(async move { bench.exchange(sending).await }))
    }

    /// Everything about one exchange, from the token to the judgement.
    async fn exchange(self: Rc<Self>, sending: Sending) {
        let caller = self.caller();
        let lane = Rc::clone(&sending.target.lane);
        let card = self.known.borrow().card.clone();
        let schemes = card.as_ref().map(|card| schemes_of(&card.raw)).unwrap_or_default();
        if caller.credentials.sends_token(&sending.request.url, Some(&lane.id)) {
            if let Err(why) = caller.credentials.fetch_first_token(&caller.session, Some(&schemes)).await {
                let problem = format!("There is no token, so nothing was sent: {why}.");
                return self.live.borrow_mut().finish(None, problem);
            }
            caller.credentials.renew_if_due(&caller.session).await;
            caller.confirm.take();
        }
        let mut request = sending.request.clone();
        caller.credentials.apply(&mut request, Some(&lane.id), Credentials::Own);
        for (field, value) in sending.request.headers.iter() {
            // A typed header wins over the form's, and is as secret.
            if !OWN.iter().any(|own| own.eq_ignore_ascii_case(field)) {
                request.headers.replace(field, value);
                caller.session.learn_secret(value);
                caller.session.learn_secret(value.split_once(' ').map_or(value, |(_, token)| token));
            }
        }
        let call = typed_request::call(&lane, &sending.request).ok().filter(|_| sending.target.is_a2a);
        let label = RequestLabel::new(RequestTarget::Lane(&lane.id), SCENARIO, sending.step, sending.step);
        let begun_ms = caller.session.now_ms();
        let mut hear = |frame: &Frame| {
            self.hear_event(&caller, &lane, call.as_ref().filter(|_| sending.is_talk), frame, begun_ms);
            StreamControl::Continue
        };
        let exchange = caller.session.exchange(label, request, begun_ms + PATIENCE_MS, &mut hear).await;
        let exchange = self.keep(&exchange);
        let reply = call.as_ref().map(|sent| lane.binding.reply(lane.dialect, sent, &exchange));
        if let Some(reply) = &reply {
            self.seen.borrow_mut().note(&reply.kind);
            if sending.is_talk {
                self.talk.borrow_mut().reply(&reply.kind);
            }
        }
        if sending.is_aside {
            return;
        }
        let way = match exchange.response.is_none() && self.host.prober.is_some() {
            true => way_of(SCENARIO, &caller.session, &lane, self.facts(&caller), &exchange, reply).await,
            false => ReachView::default(),
        };
        let judged = self.judge(&sending, &exchange);
        let evidence = Evidence::new(&exchange, &Mark::default(), self.hides_from.as_deref());
        let ended = FinishedExchange { evidence, judged, way: way.panel };
        self.live.borrow_mut().finish(Some(Box::new(ended)), String::new());
    }

    fn hear_event(&self, caller: &Caller, lane: &Lane, sent: Option<&SentCall>, frame: &Frame, begun_ms: f64) {
        let at = format::duration(caller.session.now_ms() - begun_ms);
        let data = caller.session.mask(&frame.data);
        let mut live = self.live.borrow_mut();
        live.add_event(at, event_summary(&data));
        if let Some(sent) = sent.filter(|_| !data.trim().is_empty()) {
            let event = (lane.binding.event)(lane.dialect, sent, &data, &mut Notes::default());
            self.talk.borrow_mut().event(&event);
        }
        live.wake();
    }

    fn judge(&self, sending: &Sending, exchange: &Rc<Exchange>) -> AnswerJudgement {
        let lane = &sending.target.lane;
        if !sending.target.is_a2a {
            return not_judged("this is not a single call of A2A, so no rule of A2A applies to the answer");
        }
        if !sending.target.is_declared {
            return not_judged(&format!("the card does not declare {} {}", lane.binding.title, lane.dialect.version));
        }
        if self.known.borrow().is_open {
            return not_judged("the card leaves open which version it is of; a run of the checks finds out");
        }
        let sent = match typed_request::call(lane, &sending.request) {
            Ok(sent) => sent,
            Err(why) => return not_judged(&why),
        };
        if typed_request::is_odd(lane, &sent) {
            self.was_odd.set(true);
        }
        let (exchange, may_repeat) = (Rc::clone(exchange), self.was_odd.get());
        Answer { lane, facts: &self.facts(&self.caller()), sent, exchange, may_repeat }.judge()
    }

    fn facts(&self, caller: &Caller) -> Rc<RunFacts> {
        let known = self.known.borrow();
        Rc::new(RunFacts {
            card: known.card.clone(),
            prompts: Prompts::without_card(caller.options.prompts.clone(), caller.options.profile),
            visibility: self.host.visibility,
            version: known.lanes.first().map_or(Dialect::newest().version, |lane| lane.dialect.version),
            is_version_chosen: caller.options.version.is_some(),
            without_card: known.card.is_none(),
            ..RunFacts::default()
        })
    }

    /// Puts an exchange on the record, under a number of the workbench's own.
    fn keep(&self, exchange: &Exchange) -> Rc<Exchange> {
        let mut kept = self.exchanges.borrow_mut();
        let id = kept.last().map_or(FIRST, |last| last.id) + 1;
        let exchange = Rc::new(Exchange { id, ..exchange.clone() });
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Rc::clone(&exchange));
        exchange
    }

    /// The state of the exchange, as soon as there are more events than these, or it is over.
    pub async fn hear(&self, known: u32) -> ExchangeProgress {
        poll_fn(|context| {
            let mut live = self.live.borrow_mut();
            let must_confirm = known == 0 && !self.caller.borrow().confirm.borrow().is_empty();
            if live.has_news(known) || must_confirm {
                return Poll::Ready(());
            }
            live.wait(context.waker().clone());
            Poll::Pending
        })
        .await;
        if self.live.borrow().is_under_way() {
            // Events that come at once are told together.
            self.host.clock.sleep(PACE_MS).await;
        }
        self.live.borrow().shown(&self.caller().confirm.borrow(), self.talk.borrow().shown())
    }

    /// Hangs up; what came until then stays.
    pub fn stop(&self) {
        self.caller().waits.hang_up();
    }
}
