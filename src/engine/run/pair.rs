//! Two agents together: both cards, the interface that they have in common (how many are tried), and the conversations with both.
//! One session records all of it, and each agent has its own credentials.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::card::Discovered;
use super::context::{Areas, DriverLane, RunContext, begin_session, drive};
use crate::a2a::binding::ReplyKind;
use crate::engine::check::{Scenario, Scope};
use crate::engine::common_interfaces::common;
use crate::engine::event::{Activity, Agent, Completion, Emit, Event};
use crate::engine::options::{FixedCredentials, Options};
use crate::engine::plan::{Planned, rows, scenarios};
use crate::engine::requirement::Level;
use crate::engine::security_schemes;
use crate::engine::transcript::{Lane, Peer, Transcript};
use crate::engine::user_waits::Waits;
use crate::engine::verdict::{Outcome, Verdict};
use crate::host::Host;

/// The scenario that first calls both agents, at the step `call`: when one of them does not answer, the others are blocked.
pub const CALL: &str = "agents-call";

/// The check that blocks all others when one of the two agents cannot be reached.
const CARDS: &str = "pair.cards";

/// How credentials are given for each of two agents, in the words of findings.
pub const CREDENTIAL_OPTIONS: &str = "the options --bearer for agent A and --peer-bearer for agent B, and the like";

/// How many interfaces that both have are tried.
const MOST_TRIED: usize = 3;

/// The names of the two in the ids of lanes.
const NAMES: [&str; 2] = ["a", "b"];

/// What two agents are checked by.
#[derive(Clone, Copy)]
pub struct PairSuite {
    /// Finds a card, and judges nothing.
    pub discovery: Areas,
    /// The scenarios with both agents.
    pub agents: Areas,
}

/// One of the two agents, once its card was looked for.
struct Side {
    context: RunContext,
    discovered: Discovered,
    token: Result<(), String>,
}

/// The first call of both: on which interfaces, and as each of them saw it.
struct FirstCall {
    lanes: [Rc<Lane>; 2],
    called: [Rc<Transcript>; 2],
}

/// Checks two agents together and emits everything that happens. What each of them does alone is not judged here.
pub fn run_pair(
    host: Host,
    suite: PairSuite,
    first: Options,
    second: Options,
    emit: Emit,
) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        let session = begin_session(host, &first, Options::redactor_of(&[&first, &second]), &emit, Waits::default());
        let obstacle = Rc::new(RefCell::new(None));
        let noting = noting_obstacle(&emit, &obstacle);
        let contexts = (
            RunContext::new(&session, suite.agents, first.clone(), &noting),
            RunContext::new(&session, suite.discovery, of_side(&first, NAMES[0]), &only_activity(&emit)),
            RunContext::new(&session, suite.discovery, of_side(&second, NAMES[1]), &only_activity(&emit)),
        );
        let (completion, tally) = match contexts {
            (Ok(both), Ok(first), Ok(second)) => {
                let sides = [side(first).await, side(second).await];
                both.check_both(&sides).await;
                let mut checks = scenarios(suite.agents).flat_map(|(_, scenario)| scenario.checks);
                let is_whole = checks.all(|check| both.options.wants(check.id));
                let whole = if is_whole { Completion::Pair } else { Completion::Filtered };
                (session.exhausted().map_or(whole, Completion::Incomplete), both.tally())
            }
            (Err(problem), ..) | (_, Err(problem), _) | (.., Err(problem)) => {
                (Completion::Incomplete(problem.to_string()), Default::default())
            }
        };
        let cause = obstacle.borrow_mut().take().map(|why| format!("the two agents cannot talk: {why}"));
        emit(Event::Finished { completion, tally, cause, duration_ms: session.now_ms() });
    })
}

/// An emitter that also keeps the first reason why the two cannot talk.
fn noting_obstacle(emit: &Emit, obstacle: &Rc<RefCell<Option<String>>>) -> Emit {
    let (emit, obstacle) = (Rc::clone(emit), Rc::clone(obstacle));
    Rc::new(move |event: Event| {
        if let Event::Judged { result, .. } = &event {
            let is_about_talking = result.row.scenario.scope == Scope::TwoAgents || result.row.scenario.id == CALL;
            // An agent that was not reached broke nothing.
            let is_unreached = result.row.check.id == CARDS && result.verdict.outcome == Outcome::Blocked;
            let is_broken = result.verdict.outcome == Outcome::Fail && result.level == Level::Must;
            if is_about_talking && (is_broken || is_unreached) {
                obstacle.borrow_mut().get_or_insert_with(|| result.verdict.message.clone());
            }
        }
        emit(event);
    })
}

/// What is told of the search for one of two cards.
fn only_activity(emit: &Emit) -> Emit {
    let emit = Rc::clone(emit);
    Rc::new(move |event: Event| {
        if let Event::Activity(_) = event {
            emit(event);
        }
    })
}

/// The options of one of the two. Credentials for single lanes are given by the ids that its lanes have when it is alone.
fn of_side(options: &Options, name: &str) -> Options {
    let renamed = |lanes: &[(String, FixedCredentials)]| {
        lanes.iter().map(|(lane, fixed)| (format!("{name}-{lane}"), fixed.clone())).collect()
    };
    Options { lanes: renamed(&options.lanes), second_lanes: renamed(&options.second_lanes), ..options.clone() }
}

/// Looks for the card of one of the two, and gets the token for its calls.
async fn side(context: RunContext) -> Side {
    let mut token = context.credentials.fetch_first_token(&context.session, None).await;
    context.emit(Event::Activity(Activity::ReadingCard));
    let discovered = {
        let (discovered, card_scenarios) = context.discover().await;
        card_scenarios.await;
        discovered
    };
    if let (Ok(()), Some(card)) = (&token, &discovered.card) {
        let schemes = security_schemes::schemes_of(&card.raw);
        token = context.credentials.fetch_first_token(&context.session, Some(&schemes)).await;
    }
    Side { context, discovered, token }
}

impl RunContext {
    /// Drives and judges everything that is about both.
    async fn check_both(&self, sides: &[Side; 2]) {
        let [a, b] = sides;
        self.emit(Event::Agent(both(a, b)));
        let cards = Transcript {
            before: vec![Rc::clone(&a.discovered.recording), Rc::clone(&b.discovered.recording)],
            ..Transcript::without_steps("", None, &a.discovered.facts)
        };
        let cards = Rc::new(cards);
        let of_cards = |scenario: &Scenario| scenario.scope == Scope::TwoAgents && self.is_wanted(scenario);
        for (_, scenario) in scenarios(self.areas).filter(|(_, scenario)| of_cards(scenario)) {
            let planned = self.plan_for(scenario, None, a.discovered.facts.version);
            self.announce(std::slice::from_ref(&planned));
            self.judge(&planned, &Rc::new(Transcript { scenario: scenario.id, ..Transcript::clone(&cards) }));
        }
        let lanes = [&a.discovered.interfaces.lanes, &b.discovered.interfaces.lanes];
        let each: Vec<&'static Scenario> = scenarios(self.areas)
            .map(|(_, scenario)| scenario)
            .filter(|scenario| scenario.scope == Scope::EachAgent && self.is_wanted(scenario))
            .collect();
        match common(lanes[0], lanes[1]) {
            Ok(places) => self.converse(sides, &each, &places).await,
            Err(_) => {
                for scenario in each {
                    let why = Verdict::blocked("the two agents have no interface in common: see pair.common-interface");
                    let facts = &a.discovered.facts;
                    let planned = Planned { without: Some(why), ..self.plan_for(scenario, None, facts.version) };
                    self.announce(std::slice::from_ref(&planned));
                    self.judge(&planned, &Rc::new(Transcript::without_steps(scenario.id, None, facts)));
                }
            }
        }
    }

    /// Whether the user wants a check of this scenario. The first call is wanted where any other conversation is.
    fn is_wanted(&self, scenario: &Scenario) -> bool {
        let wants = |scenario: &Scenario| scenario.checks.iter().any(|check| self.options.wants(check.id));
        let mut others = scenarios(self.areas).map(|(_, other)| other);
        wants(scenario) || scenario.id == CALL && others.any(|other| other.scope == Scope::EachAgent && wants(other))
    }

    /// The conversations with both, on the first interface in common on which both answer.
    async fn converse(&self, sides: &[Side; 2], each: &[&'static Scenario], places: &[(usize, usize)]) {
        let Some(call) = each.iter().copied().find(|scenario| scenario.id == CALL) else { return };
        let Some(FirstCall { lanes, called }) = self.first_call(call, sides, places).await else { return };
        self.emit(Event::Lanes(lanes.to_vec()));
        self.emit(Event::Activity(Activity::Talking(vec!["both agents".to_owned()])));
        self.judge_each(call, &lanes, &called, None);
        let works = called.iter().all(|transcript| is_reached(transcript));
        for scenario in each.iter().copied().filter(|scenario| scenario.id != CALL) {
            let why = match self.session.exhausted() {
                Some(why) => Some(Verdict::not_run(why)),
                None if !works => Some(Verdict::blocked("one of the two agents cannot be called: see pair.reachable")),
                None => None,
            };
            let transcripts = match &why {
                Some(_) => called.clone(),
                None => self.drive_both(scenario, sides, &lanes, Some(&called)).await,
            };
            self.judge_each(scenario, &lanes, &transcripts, why);
        }
    }

    /// The first call of both, on the first interface in common on which both answer; where there is none, on the first of all.
    async fn first_call(
        &self,
        call: &'static Scenario,
        sides: &[Side; 2],
        places: &[(usize, usize)],
    ) -> Option<FirstCall> {
        let mut tried: Option<FirstCall> = None;
        for (first, second) in places.iter().take(MOST_TRIED) {
            let Some(lanes) = lanes_at(sides, (*first, *second)) else { continue };
            let called = self.drive_both(call, sides, &lanes, None).await;
            if called.iter().all(|transcript| answers(transcript)) {
                return Some(FirstCall { lanes, called });
            }
            tried.get_or_insert(FirstCall { lanes, called });
        }
        tried
    }

    /// Drives a conversation with both; returns it as seen from each of them.
    async fn drive_both(
        &self,
        scenario: &'static Scenario,
        sides: &[Side; 2],
        lanes: &[Rc<Lane>; 2],
        before: Option<&[Rc<Transcript>; 2]>,
    ) -> [Rc<Transcript>; 2] {
        let [a, b] = sides;
        let [lane_a, lane_b] = lanes;
        let driver = |side: &Side, lane: &Rc<Lane>, place: usize| {
            let before = before.and_then(|before| before.get(place)).cloned().into_iter().collect();
            let on = DriverLane { lane: Some(Rc::clone(lane)), before, ..DriverLane::default() };
            let driver = side.context.driver(scenario, &side.discovered.facts, on);
            if let Some(withheld) = side.context.withheld(lane, &side.token) {
                driver.stop(withheld.verdict);
            }
            driver
        };
        self.emit(Event::ScenarioStarted { scenario, lane: Some(Rc::clone(lane_a)) });
        let seen = drive(scenario, driver(a, lane_a, 0).with_other(driver(b, lane_b, 1))).await;
        let alone = |transcript: &Transcript| Rc::new(Transcript { peer: None, ..transcript.clone() });
        let of_a = alone(&seen);
        let of_b = seen.peer.iter().flat_map(|peer| &peer.transcripts).next().cloned();
        let of_b =
            of_b.unwrap_or_else(|| Rc::new(Transcript::without_steps(scenario.id, Some(lane_b), &b.discovered.facts)));
        let beside = |own: &Rc<Transcript>, lane: &Rc<Lane>, other: &Rc<Transcript>| {
            let peer = Peer { lane: Rc::clone(lane), transcripts: vec![Rc::clone(other)] };
            Rc::new(Transcript { peer: Some(Rc::new(peer)), ..Transcript::clone(own) })
        };
        [beside(&of_a, lane_b, &of_b), beside(&of_b, lane_a, &of_a)]
    }

    fn judge_each(
        &self,
        scenario: &'static Scenario,
        lanes: &[Rc<Lane>; 2],
        transcripts: &[Rc<Transcript>; 2],
        why: Option<Verdict>,
    ) {
        let plans = lanes.each_ref().map(|lane| {
            let planned = self.plan_for(scenario, Some(lane), lane.dialect.version);
            Planned { without: why.clone(), ..planned }
        });
        self.announce(&plans);
        for (planned, transcript) in plans.iter().zip(transcripts) {
            self.judge(planned, transcript);
        }
    }

    fn plan_for(&self, scenario: &'static Scenario, lane: Option<&Rc<Lane>>, version: &'static str) -> Planned {
        let area = scenarios(self.areas).find(|(_, known)| known.id == scenario.id).map(|(area, _)| area);
        let rows = area.map(|area| rows(area, scenario, lane, version)).unwrap_or_default();
        Planned { scenario, rows, without: None }
    }
}

/// Whether an agent answered its first call.
fn answers(transcript: &Transcript) -> bool {
    let is_answer =
        |kind: &ReplyKind| matches!(kind, ReplyKind::Result(_) | ReplyKind::Error(_) | ReplyKind::Stream(_));
    transcript.step("call").is_ok_and(|step| is_answer(&step.reply.kind))
}

/// Whether anything came back for it but a refusal to let anybody in, in whatever form.
fn is_reached(transcript: &Transcript) -> bool {
    let is_unreadable = |kind: &ReplyKind| matches!(kind, ReplyKind::Unreadable(_));
    answers(transcript) || transcript.step("call").is_ok_and(|step| is_unreadable(&step.reply.kind))
}

/// What is told of the two as if they were one.
fn both(a: &Side, b: &Side) -> Agent {
    let name = |side: &Side| {
        let name = side.discovered.card.as_ref().and_then(|card| card.name.clone()).filter(|name| !name.is_empty());
        name.unwrap_or_else(|| side.context.address.parsed().host.clone())
    };
    Agent {
        name: format!("{} and {}", name(a), name(b)),
        card_url: a.context.address.url(),
        profile: a.discovered.facts.prompts.profile.as_str().to_owned(),
        detected: (
            a.discovered.facts.version.to_owned(),
            "the version of agent A; its own report has the reason".to_owned(),
        ),
        ..Agent::default()
    }
}

/// The two interfaces at these places, under names that tell the agents apart.
fn lanes_at(sides: &[Side; 2], places: (usize, usize)) -> Option<[Rc<Lane>; 2]> {
    let [a, b] = sides;
    let named = |side: &Side, place: usize, name: &str| {
        let lane = side.discovered.interfaces.lanes.get(place)?;
        Some(Rc::new(Lane::new(format!("{name}-{}", lane.id), lane.interface.clone(), lane.dialect, lane.binding)))
    };
    Some([named(a, places.0, NAMES[0])?, named(b, places.1, NAMES[1])?])
}
