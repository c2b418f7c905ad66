//! The first phase of a run: has the card fetched, its version detected, and judged what is about the card.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, MaybeDone, join_all, maybe_done};

use super::context::{CANDIDATE, DISCOVERY, DriverLane, NO_CARD, NOT_CALLED, RunContext, drive};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::model::{Card, Interface, Payload};
use crate::engine::check::Scenario;
use crate::engine::detect::{self, Detected};
use crate::engine::discover::{self, DeclaredInterfaces, SkippedInterface, WantedInterfaces};
use crate::engine::event::{Agent, EXTENDED_CARD, Event, PUSH_NOTIFICATIONS, STREAMING};
use crate::engine::options::{Endpoint, Source};
use crate::engine::plan::{Planned, plan, scenarios};
use crate::engine::plural::count_of;
use crate::engine::prompt::Prompts;
use crate::engine::security_schemes::{self, SecurityScheme};
use crate::engine::session::{RequestLabel, RequestTarget};
use crate::engine::transcript::{RunFacts, Step, Transcript};
use crate::engine::verdict::Verdict;
use crate::engine::version_questions::{VersionTarget, ask_version, version_answered};
use crate::wire::json::parse;
use crate::wire::place_index::IdentitySet;
use crate::wire::url::Url;

/// What is left of judging the card: the few scenarios that wait for an answer. Nothing else waits for them.
pub(super) type CardScenarios<'a> = MaybeDone<LocalBoxFuture<'a, ()>>;

/// The findings of the first phase.
pub(super) struct Discovered {
    /// The card, if one could be read.
    pub(super) card: Option<Rc<Card>>,
    pub(super) facts: Rc<RunFacts>,
    /// Its interfaces.
    pub(super) interfaces: DeclaredInterfaces,
    /// Why discovery ended before its end, if it did.
    pub(super) stopped: Option<Verdict>,
    /// The recording of its fetching.
    pub(super) recording: Rc<Transcript>,
}

impl RunContext {
    /// Fetches the card, and judges everything that is about it and needs no further answer.
    pub(super) async fn discover(&self) -> (Discovered, CardScenarios<'_>) {
        let mut discovery = match &self.options.source {
            Source::Discovery => self.fetch_card().await,
            Source::Card(bytes) => self.given_card(bytes),
            Source::Endpoint(_) => Transcript::without_steps(DISCOVERY, None, &Rc::new(self.facts(None, None))),
        };
        // There is no way to what was handed over.
        if matches!(self.options.source, Source::Discovery)
            && let Some(diagnosis) = self.reach.after_discovery(&discovery).await
        {
            let exchange = discovery.steps.last().map_or(0, |step| step.exchange.id);
            discovery.stopped = Some(diagnosis.verdict(exchange));
        }
        let read = match &self.options.source {
            Source::Endpoint(endpoint) => {
                discovery = self.ask_endpoint(endpoint).await;
                Some(self.card_of(endpoint, &discovery))
            }
            Source::Discovery | Source::Card(_) => self.read_card(&discovery),
        };
        let (card, detected) = read.map(|(card, detected)| (Rc::new(card), detected)).unzip();
        let facts = Rc::new(self.facts(card.clone(), detected.as_ref()));
        // Which checks the card needs depends on its version.
        let mut planned = plan(self.areas, None, None, &facts, &self.options);
        for planned in &mut planned {
            let is_discovery = planned.scenario.id == DISCOVERY;
            let why = match &self.options.source {
                Source::Card(_) if is_discovery => Some(NOT_CALLED),
                Source::Endpoint(_) => Some(NO_CARD),
                Source::Discovery | Source::Card(_) => None,
            };
            if let Some(why) = why {
                planned.without = Some(Verdict::not_observable(why));
            }
        }
        self.announce(&planned);
        let mut interfaces = match card.as_deref() {
            Some(card) if facts.candidate => {
                DeclaredInterfaces { skipped: candidate_interfaces(card), ..DeclaredInterfaces::default() }
            }
            Some(card) => match &facts.gateway {
                Some(gateway) => self.wanted_lanes(&gateway.past_it(card)),
                None => self.wanted_lanes(card),
            },
            None => DeclaredInterfaces::default(),
        };
        self.keep_callable_grpc(&mut interfaces).await;
        if let (Some(card), Some(detected)) = (&card, detected) {
            let card_url = match &self.options.source {
                Source::Card(_) => self.options.address.clone(),
                _ => discovery.step("card").map(|step| step.exchange.asked_url()).unwrap_or_default(),
            };
            self.introduce(card, card_url, detected, &facts, interfaces.skipped.clone());
        }
        let stopped = discovery.stopped.clone();
        let recording = Rc::new(Transcript { facts: Rc::clone(&facts), ..discovery });
        let mut card_scenarios = maybe_done(self.judge_card(planned, &recording, &facts));
        // Those that need no answer end now, before the agent is called.
        poll_fn(|context| Poll::Ready(Pin::new(&mut card_scenarios).poll(context).is_ready())).await;
        (Discovered { card, facts, interfaces, stopped, recording }, card_scenarios)
    }

    /// The interfaces that this run is about.
    fn wanted_lanes(&self, card: &Card) -> DeclaredInterfaces {
        let bindings = self.options.bindings.as_slice();
        if self.options.first_interface_only {
            let why_no_more = "only the first interface was asked for";
            let wanted = WantedInterfaces { bindings, most: 1, why_no_more };
            return DeclaredInterfaces { too_many: 0, ..discover::wanted_lanes(card, wanted) };
        }
        let most = self.options.most_interfaces;
        let why_no_more = format!("this run was about no more than {}", count_of(most, "interface"));
        discover::wanted_lanes(card, WantedInterfaces { bindings, most, why_no_more: &why_no_more })
    }

    /// Drives the discovery scenario. A suite without one fetches nothing.
    async fn fetch_card(&self) -> Transcript {
        let facts = Rc::new(self.facts(None, None));
        match self.discovery_scenario() {
            Some(scenario) => self.drive_unless(None, scenario, &facts, DriverLane::default()).await,
            None => Transcript::without_steps(DISCOVERY, None, &facts),
        }
    }

    fn discovery_scenario(&self) -> Option<&'static Scenario> {
        scenarios(self.areas).map(|(_, scenario)| scenario).find(|scenario| scenario.id == DISCOVERY)
    }

    /// The recording of a card that was handed over, as if it had been fetched from where the user has it.
    fn given_card(&self, bytes: &[u8]) -> Transcript {
        let label = RequestLabel::new(RequestTarget::Agent, DISCOVERY, "card", "the card");
        let exchange = self.session.record_given(label, &self.options.address, bytes);
        let kind = ReplyKind::Result(Payload::Nothing);
        let step = Rc::new(Step::without_call("card", exchange, kind, parse(bytes).value));
        Transcript { steps: vec![step], ..Transcript::without_steps(DISCOVERY, None, &Rc::new(self.facts(None, None))) }
    }

    /// Asks an endpoint that was given without a card which version it answers in, unless the user chose one.
    async fn ask_endpoint(&self, endpoint: &Endpoint) -> Transcript {
        let facts = Rc::new(self.facts(None, None));
        let scenario = self.discovery_scenario().filter(|_| self.chosen_version().is_none());
        let Some(scenario) = scenario else { return Transcript::without_steps(DISCOVERY, None, &facts) };
        let driver = self.driver(scenario, &facts, DriverLane::default());
        let extensions = endpoint.extensions.clone();
        let interface = self.interface_of(endpoint, Dialect::newest());
        ask_version(&driver, &VersionTarget { interface, extensions, may_be_newest: true }).await;
        driver.finish()
    }

    fn interface_of(&self, endpoint: &Endpoint, dialect: &Dialect) -> Interface {
        Interface {
            url: self.address.url(),
            binding: endpoint.binding.clone(),
            version: dialect.version.to_owned(),
            tenant: endpoint.tenant.clone(),
        }
    }

    /// The facts of an endpoint that was given without a card, and what it answered when it was asked for its version.
    fn card_of(&self, endpoint: &Endpoint, asked: &Transcript) -> (Card, Detected) {
        let detected = match (self.chosen_version(), version_answered(&asked.steps)) {
            (Some(dialect), _) => Detected::new(dialect, "you chose it; there is no card"),
            (None, Some(_)) => {
                let why = "there is no card, and you chose no version";
                let open = Detected { open: true, may_be_newest: true, ..Detected::new(&V0_3, why) };
                detect::settle(open, asked)
            }
            (None, None) => Detected::new(
                Dialect::newest(),
                "the newest; there is no card, you chose no version, and no answer showed one",
            ),
        };
        let interface = self.interface_of(endpoint, detected.dialect);
        let card = Card {
            interfaces: vec![interface],
            streaming: endpoint.streaming,
            push_notifications: endpoint.push_notifications,
            extended_card: endpoint.extended_card,
            extensions: endpoint.extensions.iter().map(|uri| (uri.clone(), true)).collect(),
            ..Card::default()
        };
        (card, detected)
    }

    fn facts(&self, card: Option<Rc<Card>>, detected: Option<&Detected>) -> RunFacts {
        let prompts = match &card {
            Some(card) => Prompts::new(card, self.options.prompts.clone(), self.options.profile, &self.options.skills),
            None => Prompts::without_card(self.options.prompts.clone(), self.options.profile),
        };
        let interfaces = card.iter().flat_map(|card| &card.interfaces).map(|interface| interface.url.clone());
        let mut urls = interfaces.chain([self.address.url()]).filter_map(|url| Url::parse(&url).ok());
        let is_on_this_machine = urls.any(|url| url.is_loopback());
        let receiver = self.session.host.webhooks.as_ref();
        RunFacts {
            card,
            prompts,
            visibility: self.session.host.visibility,
            version: detected.map_or(Dialect::newest().version, |detected| detected.dialect.version),
            is_version_chosen: self.chosen_version().is_some(),
            candidate: detected.is_some_and(|detected| detected.candidate),
            without_card: matches!(self.options.source, Source::Endpoint(_)),
            second_identity: self.options.has_second_identity(),
            jwks: self.options.jwks.clone(),
            receives_notifications: receiver.is_some_and(|receiver| receiver.is_reachable() || is_on_this_machine),
            gateway: self.options.via.as_deref().and_then(|via| self.address.through(via).ok()).map(Rc::new),
        }
    }

    /// The version that the user chose, if they did.
    fn chosen_version(&self) -> Option<&'static Dialect> {
        self.options.version.as_deref().and_then(Dialect::of_version)
    }

    /// The card that discovery found, and how its version was detected.
    fn read_card<'a>(&self, discovery: &'a Transcript) -> Option<(Card, Detected)> {
        let document = |step: &'a Rc<Step>| step.reply.document.as_deref();
        let card = discovery.step("card").ok().and_then(document).filter(|document| document.is_object())?;
        let newer = detect::newer_card(discovery).and_then(document);
        if let Some(dialect) = self.chosen_version() {
            return Some(detect::force(newer.filter(|_| dialect.is_newest()).unwrap_or(card), dialect));
        }
        let detected = match (detect::detect(card), &self.options.source) {
            // Nobody is there to ask.
            (detected, Source::Card(_)) => Detected { open: false, ..detected },
            (detected, _) => detect::settle(detected, discovery),
        };
        let read = detect::read(card, &detected);
        match newer.map(|card| (card, detect::detect(card))) {
            Some((card, mut newer)) => {
                let mut joined = detect::read(card, &newer);
                detect::join(&mut joined, &read);
                let version = newer.dialect.version;
                newer.why =
                    format!("{}, when requested with A2A-Version: {version}; otherwise {}", newer.why, detected.why);
                Some((joined, newer))
            }
            None => Some((read, detected)),
        }
    }

    /// Emits what is known of the agent.
    fn introduce(
        &self,
        card: &Card,
        card_url: String,
        detected: Detected,
        facts: &RunFacts,
        skipped: Vec<SkippedInterface>,
    ) {
        let name = card.name.clone().filter(|name| !name.is_empty());
        let asks = security_schemes::schemes_of(&card.raw);
        let elsewhere = self.other_origins(card, &asks);
        self.emit(Event::Agent(Agent {
            name: name.unwrap_or_else(|| match &self.options.source {
                Source::Card(_) => self.options.address.clone(),
                Source::Discovery | Source::Endpoint(_) => self.address.parsed().host.clone(),
            }),
            version: card.version.clone().unwrap_or_default(),
            card_url,
            detected: (detected.dialect.version.to_owned(), detected.why),
            capabilities: vec![
                (STREAMING.to_owned(), card.streaming),
                (PUSH_NOTIFICATIONS.to_owned(), card.push_notifications),
                (EXTENDED_CARD.to_owned(), card.extended_card),
            ],
            profile: facts.prompts.profile.as_str().to_owned(),
            silent_interfaces: skipped,
            asks,
            elsewhere,
        }));
    }

    /// The origins to which the card makes clients send credentials, besides those that the user allowed.
    fn other_origins(&self, card: &Card, schemes: &[SecurityScheme]) -> Vec<String> {
        let interfaces = card.interfaces.iter().map(|interface| interface.url.as_str());
        let tokens = schemes.iter().flat_map(|scheme| match scheme {
            SecurityScheme::OAuth { token_url, device_url, .. } => [token_url.as_str(), device_url.as_str()],
            // The token endpoint is mostly at the origin of the provider's description.
            SecurityScheme::OpenId { url, .. } => [url.as_str(), ""],
            _ => ["", ""],
        });
        let (mut found, mut known) = (Vec::new(), IdentitySet::default());
        for url in interfaces.chain(tokens).filter(|url| !self.credentials.may_go_to(url)) {
            let origin = Url::parse(url).map(|url| url.origin()).unwrap_or_default();
            if !origin.is_empty() && known.add(&[&origin]) {
                found.push(origin);
            }
        }
        found
    }

    /// Judges everything that is about the card: one recording, many scenarios of checks, few of which ask for more.
    fn judge_card(
        &self,
        planned: Vec<Planned>,
        discovery: &Rc<Transcript>,
        facts: &Rc<RunFacts>,
    ) -> LocalBoxFuture<'_, ()> {
        let scenarios = planned.into_iter().map(|planned| {
            let (discovery, facts) = (Rc::clone(discovery), Rc::clone(facts));
            async move { self.judge_card_scenario(&planned, &discovery, &facts).await }
        });
        join_all(scenarios).map(drop).boxed_local()
    }

    async fn judge_card_scenario(&self, planned: &Planned, discovery: &Rc<Transcript>, facts: &Rc<RunFacts>) {
        let transcript = if planned.scenario.id == DISCOVERY {
            Rc::clone(discovery)
        } else {
            let before = vec![Rc::clone(discovery)];
            let driver = self.driver(planned.scenario, facts, DriverLane { before, ..DriverLane::default() });
            Rc::new(match planned.without {
                None if !self.is_offline() => drive(planned.scenario, driver).await,
                _ => driver.finish(),
            })
        };
        self.judge_in_turns(planned, &transcript).await;
    }
}

/// The interfaces of a card of the release candidate, none of which is called.
fn candidate_interfaces(card: &Card) -> Vec<SkippedInterface> {
    let name = |interface: &Interface| format!("{} at {}", interface.binding, interface.url);
    card.interfaces.iter().map(|interface| (name(interface), CANDIDATE.to_owned())).collect()
}
