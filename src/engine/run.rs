//! The runner: card first, then every lane's plan, side by side within bounds. It emits events and keeps no results.

mod lane;

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::join_all;

use super::catch_panic::catch_panic;
use super::cause;
use super::check::{Area, Scenario, Scope};
use super::credentials::{CredentialStore, not_allowed};
use super::detect::{self, Detected};
use super::discover::{self, Address};
use super::drive::{Driver, DriverContext};
use super::event::{Agent, CheckResult, Completion, Event, Row};
use super::options::Options;
use super::plan::{Planned, messages, plan, scenarios};
use super::prompt::Prompts;
use super::reach::ReachMonitor;
use super::requirement::Level;
use super::security_schemes::{self, SecurityScheme};
use super::session::Session;
use super::transcript::{Lane, Peer, RunFacts, Transcript};
use super::verdict::{Outcome, Verdict};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::Card;
use crate::host::Host;
use crate::wire::url::Url;
use lane::UnresponsiveLane;

/// What the run is at first.
const READING: &str = "Reading the agent card";

/// The scenario whose recording holds the card, at its step `card`.
pub const DISCOVERY: &str = "discovery";
/// The scenario that first calls a lane: when it gets no answer, the lane's others are blocked.
pub const PROBE: &str = "probe";
/// The check that says of which dialect a card of the release candidate is.
pub const OF_CANDIDATE: &str = "card.release-candidate";
/// What explains everything about an agent that speaks the release candidate.
const CANDIDATE: &str = "the agent uses the release candidate of 1.0, which 1.0 clients do not understand";
/// How many lanes run side by side.
const LANES_AT_ONCE: usize = 2;

/// A suite: areas of scenarios.
pub type Areas = &'static [&'static Area];

struct Run {
    session: Rc<Session>,
    areas: Areas,
    options: Options,
    address: Rc<Address>,
    reach: ReachMonitor,
    purse: Rc<CredentialStore>,
}

/// Checks an agent and tells everything through `emit`. Dropping the future stops the run and aborts its requests.
pub async fn run(host: Host, areas: Areas, options: Options, emit: Rc<dyn Fn(Event)>) {
    let wall_ms = host.clock.wall_ms();
    let session = Rc::new(Session::new(host, &options, emit));
    session.emit(Event::Started { address: options.address.clone(), wall_ms });
    let address = match discover::normalise(&options.address) {
        Ok(address) => Rc::new(address),
        Err(problem) => {
            finish(&session, Completion::Incomplete(problem.to_string()), None);
            return;
        }
    };
    let reach = ReachMonitor::new(&session);
    let purse = Rc::new(CredentialStore::new(&options, &address.url()));
    let run = Run { session, areas, options, address, reach, purse };
    let (completion, cause) = run.whole().await;
    finish(&run.session, completion, cause);
}

fn finish(session: &Session, completion: Completion, cause: Option<String>) {
    let tally = *session.tally.borrow();
    session.emit(Event::Finished { completion, tally, cause, duration_ms: session.now_ms() });
}

impl Run {
    async fn whole(&self) -> (Completion, Option<String>) {
        let mut token = self.purse.begin(&self.session, None).await;
        self.session.emit(Event::Stage(READING.to_owned()));
        let unknown = Rc::new(self.facts(None));
        if let Some(first) = self.address.candidates().first() {
            self.reach.permit(first, READING).await;
        }
        let mut discovery = self.discover(&unknown).await;
        if let Some(why) = self.reach.of_card(&discovery).await {
            discovery.stopped = Some(why.verdict(discovery.steps.last().map_or(0, |step| step.exchange.id)));
        }
        let card_url = discovery.step("card").map(|step| step.exchange.asked_url()).unwrap_or_default();
        let read = self.read_card(&discovery);
        let (card, detected) = read.map_or((None, None), |(card, detected)| (Some(Rc::new(card)), Some(detected)));
        let mut facts = self.facts(card.clone());
        if let Some(detected) = &detected {
            facts.version = detected.dialect.version;
            facts.candidate = detected.candidate;
        }
        let facts = Rc::new(facts);
        // Which checks the card needs depends on the version that it turned out to be of.
        let planned = plan(self.areas, None, None, &facts, &self.options);
        self.announce(&planned);
        let (lanes, silent) = match card.as_deref() {
            Some(card) if facts.candidate => (Vec::new(), refused(card)),
            Some(card) => discover::lanes(card),
            None => Default::default(),
        };
        if let (Some(card), Some(detected)) = (&card, detected) {
            let told = (detected.dialect.version.to_owned(), detected.why);
            self.introduce(card, card_url, told, &facts, silent.clone());
        }
        self.judge_agent(&planned, discovery.clone(), &facts).await;

        if card.is_none() {
            // A card behind a login is not read without the token, and why there is none tells more than a 401.
            if let Err(why) = token {
                return (Completion::Incomplete(why.clone()), Some(why));
            }
            let why = discovery.stopped.as_ref().map_or_else(String::new, |verdict| verdict.message.clone());
            let blocked = discovery.stopped.as_ref().is_some_and(|verdict| verdict.outcome == Outcome::Blocked);
            let completion = if blocked { Completion::Incomplete(why.clone()) } else { self.completion() };
            return (completion, (!why.is_empty()).then_some(why));
        }
        self.session.emit(Event::Lanes(lanes.clone()));
        if facts.candidate {
            return (self.completion(), Some(CANDIDATE.to_owned()));
        }
        if let Some(why) = self.unknown_lane(&lanes) {
            return (Completion::Incomplete(why.clone()), Some(why));
        }
        if let (Some(card), true) = (&card, token.is_ok()) {
            token = self.purse.begin(&self.session, Some(&security_schemes::asked(&card.raw))).await;
        }
        if lanes.is_empty() {
            let why = silent.first().map_or_else(
                || "the card declares no interface to call".to_owned(),
                |(name, reason)| format!("no declared interface can be checked: {name}: {reason}"),
            );
            return (Completion::Incomplete(why.clone()), Some(why));
        }
        let plans: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let peer = peer_of(lane, &lanes);
                (Rc::clone(lane), plan(self.areas, Some(lane), peer, &facts, &self.options))
            })
            .collect();
        for (_, planned) in &plans {
            self.announce(planned);
        }
        let names: Vec<_> =
            lanes.iter().map(|lane| format!("{} {}", lane.binding.title, lane.dialect.version)).collect();
        let talking = format!("Calling the agent over {}", names.join(" and "));
        self.session.emit(Event::Stage(talking.clone()));
        let mut causes = Vec::new();
        let mut dead = Vec::new();
        let mut ended: Vec<Rc<Peer>> = Vec::new();
        let mut comparisons = Vec::new();
        let mut waiting = plans.into_iter();
        loop {
            // Side by side, but not so many that they keep each other waiting.
            let together: Vec<_> = waiting.by_ref().take(LANES_AT_ONCE.min(self.options.concurrency)).collect();
            if together.is_empty() {
                break;
            }
            let share = self.options.concurrency.div_ceil(together.len());
            let (mut ids, mut running) = (Vec::new(), Vec::new());
            for (lane, planned) in together {
                let (pairs, own): (Vec<_>, Vec<_>) =
                    planned.into_iter().partition(|planned| planned.scenario.scope == Scope::Pair);
                comparisons.extend(pairs.into_iter().map(|planned| (Rc::clone(&lane), planned)));
                ids.push(Rc::clone(&lane));
                let (facts, held) = (&facts, self.held(&lane, &token));
                // Before any lane begins: no clock of a conversation runs while the browser asks.
                if held.is_none() {
                    self.reach.permit(&lane.interface.url, &talking).await;
                }
                running.push(async move { self.lane(&lane, own, facts, share, held).await });
            }
            for (lane, (transcripts, died)) in ids.into_iter().zip(join_all(running).await) {
                let told = |dead: &&UnresponsiveLane| {
                    dead.seen || transcripts.iter().all(|transcript| transcript.steps.is_empty())
                };
                let died_of = died.as_ref().filter(told).map(|dead| dead.verdict.message.clone());
                causes.extend(died_of.or_else(|| cause::of_lane(&transcripts)));
                // A lane that broke its word was seen to do so; one that let us see nothing leaves the run incomplete.
                dead.extend(died.filter(|dead| !dead.seen));
                ended.push(Rc::new(Peer { lane, transcripts }));
            }
        }
        for (lane, planned) in comparisons {
            self.compare(&lane, &planned, peer_of(&lane, &lanes), &ended, &facts).await;
        }
        let completion = match dead.first() {
            _ if self.session.over().is_some() => Completion::Incomplete(self.session.over().unwrap_or_default()),
            Some(dead_lane) if dead.len() == lanes.len() => Completion::Incomplete(dead_lane.verdict.message.clone()),
            _ => self.completion(),
        };
        match cause::crash(&self.session.exchanges()) {
            // What was not seen for that reason is not held against the agent, nor counted for it.
            Some(crash) => (Completion::Incomplete(crash.clone()), Some(crash)),
            None => (completion, self.reach.cause().or_else(|| causes.into_iter().next())),
        }
    }

    /// Credentials for an interface that is not there are a slip of the pen, and better told before anything is sent.
    fn unknown_lane(&self, lanes: &[Rc<Lane>]) -> Option<String> {
        let (name, _) = self.options.lanes.iter().find(|(id, _)| lanes.iter().all(|lane| lane.id != *id))?;
        let known: Vec<_> = lanes.iter().map(|lane| lane.id.as_str()).collect();
        (!lanes.is_empty()).then(|| {
            format!(
                "credentials were given for the interface {name}, which this agent does not have; it has {}",
                known.join(", ")
            )
        })
    }

    fn completion(&self) -> Completion {
        if self.options.only.is_empty() { Completion::Complete } else { Completion::Filtered }
    }

    fn facts(&self, card: Option<Rc<Card>>) -> RunFacts {
        let prompts = match &card {
            Some(card) => Prompts::new(card, self.options.prompts.clone(), self.options.profile),
            None => Prompts::default(),
        };
        RunFacts { card, prompts, visibility: self.session.host.visibility, version: V1_0.version, candidate: false }
    }

    /// The card that discovery found, and what was found out about it.
    fn read_card(&self, discovery: &Transcript) -> Option<(Card, Detected)> {
        let document = |name: &str| {
            let found = discovery.step(name).ok().and_then(|step| step.reply.document.as_ref());
            found.filter(|document| document.is_object())
        };
        let card = document("card")?;
        if let Some(dialect) = self.options.version.as_deref().and_then(Dialect::of) {
            return Some(detect::force(card, dialect));
        }
        let detected = detect::settle(detect::detect(card), discovery);
        let read = detect::read(card, &detected);
        // T-VER-6: what the agent shows to clients of 1.0, if that is another card.
        let newer = document(detect::NEWER_CARD).map(|card| (card, detect::detect(card)));
        match newer
            .filter(|(_, newer)| std::ptr::eq(newer.dialect, &V1_0) && !std::ptr::eq(newer.dialect, detected.dialect))
        {
            Some((card, mut newer)) => {
                let mut joined = detect::read(card, &newer);
                detect::join(&mut joined, &read);
                newer.why = format!("{}, when requested with A2A-Version: 1.0; otherwise {}", newer.why, detected.why);
                Some((joined, newer))
            }
            None => Some((read, detected)),
        }
    }

    /// Why a lane is not called at all: the credentials for it are not there, or may not go there.
    fn held(&self, lane: &Lane, token: &Result<(), String>) -> Option<UnresponsiveLane> {
        let why = match token {
            Err(why) if self.purse.lends(&lane.interface.url, Some(&lane.id)) => why.clone(),
            _ if self.purse.is_empty() || self.purse.may_go_to(&lane.interface.url) => return None,
            _ => {
                let origin = Url::parse(&lane.interface.url).map(|url| url.origin()).unwrap_or_default();
                not_allowed("the card places this interface at", &origin)
            }
        };
        Some(UnresponsiveLane { verdict: Verdict::blocked(why), seen: false })
    }

    /// Where the card leads besides the address's origin, as far as credentials would have to go along.
    fn elsewhere(&self, card: &Card, asks: &[SecurityScheme]) -> Vec<String> {
        let interfaces = card.interfaces.iter().map(|interface| interface.url.as_str());
        let tokens = asks.iter().flat_map(|asked| match asked {
            SecurityScheme::OAuth { token_url, device_url, .. } => [token_url.as_str(), device_url.as_str()],
            // Mostly the provider's tokens are beside its description.
            SecurityScheme::OpenId { url } => [url.as_str(), ""],
            _ => ["", ""],
        });
        let mut found: Vec<String> = Vec::new();
        for url in interfaces.chain(tokens).filter(|url| !self.purse.may_go_to(url)) {
            let origin = Url::parse(url).map(|url| url.origin()).unwrap_or_default();
            if !origin.is_empty() && !found.contains(&origin) {
                found.push(origin);
            }
        }
        found
    }

    fn announce(&self, planned: &[Planned]) {
        let rows: Vec<Row> = planned.iter().flat_map(|planned| planned.rows.iter().cloned()).collect();
        self.session.tally.borrow_mut().total += u32::try_from(rows.len()).unwrap_or(u32::MAX);
        self.session.emit(Event::Planned { rows, messages: messages(planned) });
    }

    fn introduce(
        &self,
        card: &Card,
        card_url: String,
        detected: (String, String),
        facts: &RunFacts,
        silent: Vec<(String, String)>,
    ) {
        let name = card.name.clone().filter(|name| !name.is_empty());
        let asks = security_schemes::asked(&card.raw);
        let elsewhere = self.elsewhere(card, &asks);
        self.session.emit(Event::Agent(Agent {
            name: name.unwrap_or_else(|| self.address.host().to_owned()),
            version: card.version.clone().unwrap_or_default(),
            card_url,
            detected,
            capabilities: vec![
                ("streaming".to_owned(), card.streaming),
                ("push notifications".to_owned(), card.push_notifications),
                ("extended card".to_owned(), card.extended_card),
            ],
            profile: facts.prompts.profile().as_str().to_owned(),
            silent_interfaces: silent,
            asks,
            elsewhere,
        }));
    }

    fn driver(
        &self,
        scenario: &'static Scenario,
        lane: Option<&Rc<Lane>>,
        facts: &Rc<RunFacts>,
        before: Vec<Rc<Transcript>>,
        peer: Option<Rc<Peer>>,
        resting: &Rc<Cell<usize>>,
    ) -> Driver {
        Driver::new(DriverContext {
            session: Rc::clone(&self.session),
            scenario,
            lane: lane.cloned(),
            facts: Rc::clone(facts),
            address: Rc::clone(&self.address),
            purse: Rc::clone(&self.purse),
            before,
            peer,
            resting: Rc::clone(resting),
        })
    }

    /// Fetches the card. Without a discovery scenario in the suite there is none to fetch.
    async fn discover(&self, facts: &Rc<RunFacts>) -> Transcript {
        let Some(scenario) =
            scenarios(self.areas).map(|(_, scenario)| scenario).find(|scenario| scenario.id == DISCOVERY)
        else {
            return empty(DISCOVERY, None, facts);
        };
        self.session.emit(Event::ScenarioStarted { scenario, lane: None });
        let driver = self.driver(scenario, None, facts, Vec::new(), None, &Rc::default());
        (scenario.drive)(&driver).await;
        driver.finish()
    }

    /// Judges everything that is about the card: one recording, many scenarios of checks, few of which ask for more.
    async fn judge_agent(&self, planned: &[Planned], discovery: Transcript, facts: &Rc<RunFacts>) {
        let discovery = Rc::new(Transcript { facts: Rc::clone(facts), ..discovery });
        for planned in planned {
            let transcript = if planned.scenario.id == DISCOVERY {
                Rc::clone(&discovery)
            } else {
                let driver =
                    self.driver(planned.scenario, None, facts, vec![Rc::clone(&discovery)], None, &Rc::default());
                if planned.without.is_none() {
                    (planned.scenario.drive)(&driver).await;
                }
                Rc::new(driver.finish())
            };
            self.judge(planned, &transcript);
        }
    }

    fn judge(&self, planned: &Planned, transcript: &Rc<Transcript>) {
        for row in &planned.rows {
            let verdict = if self.options.wants(row.check.id) {
                match &planned.without {
                    Some(why) => why.clone(),
                    // One finding instead of forty: what is judged by 1.0 is not what the card was written by.
                    None if transcript.facts.candidate
                        && row.scenario.id != DISCOVERY
                        && row.check.id != OF_CANDIDATE =>
                    {
                        Verdict::blocked(CANDIDATE)
                    }
                    None => verdict(row, transcript),
                }
            } else {
                Verdict::not_run("this check was not selected")
            };
            self.conclude(row, verdict, transcript);
        }
    }

    fn conclude(&self, row: &Row, mut verdict: Verdict, transcript: &Transcript) {
        let level = row.level();
        // A may-level check never fails: it notes.
        if level == Level::May && verdict.outcome == Outcome::Fail {
            verdict.outcome = Outcome::Note;
        }
        let read_from = |id: u32| transcript.steps.iter().find(|step| step.exchange.id == id);
        let duration_ms =
            verdict.exchanges.iter().filter_map(|id| read_from(*id)).map(|step| step.exchange.duration_ms()).sum();
        let result = CheckResult { row: row.clone(), verdict, level, duration_ms };
        let tally = {
            let mut tally = self.session.tally.borrow_mut();
            tally.count(result.verdict.outcome, result.level);
            *tally
        };
        self.session.emit(Event::Judged { result: Rc::new(result), tally });
    }
}

/// A check's verdict; a panic in it is our fault and no one else's.
fn verdict(row: &Row, transcript: &Transcript) -> Verdict {
    let judge = || match (row.check.judge)(transcript) {
        Ok(verdict) | Err(verdict) => verdict,
    };
    catch_panic(judge, || {
        let id = row.check.id;
        Verdict::harness_error(format!("the check {id} failed because of a bug in this checker; please report it"))
    })
}

/// The interfaces of a card of the release candidate, none of which is called.
fn refused(card: &Card) -> Vec<(String, String)> {
    let name = |interface: &crate::a2a::model::Interface| format!("{} at {}", interface.binding, interface.url);
    card.interfaces.iter().map(|interface| (name(interface), CANDIDATE.to_owned())).collect()
}

fn empty(scenario: &'static str, lane: Option<&Rc<Lane>>, facts: &Rc<RunFacts>) -> Transcript {
    Transcript {
        scenario,
        lane: lane.cloned(),
        steps: Vec::new(),
        facts: Rc::clone(facts),
        peer: None,
        before: Vec::new(),
        stopped: None,
    }
}

/// The lane that a lane is compared with: the first of its version, unless that is itself.
fn peer_of<'a>(lane: &Lane, lanes: &'a [Rc<Lane>]) -> Option<&'a Rc<Lane>> {
    // Over HTTP a version may have a dialect of its own.
    let first = lanes.iter().find(|other| other.dialect.is_version_of(lane.dialect))?;
    (first.id != lane.id).then_some(first)
}
