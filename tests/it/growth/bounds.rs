//! What happens at limits that a run over the scripted agent does not reach by itself, and how long a run computes without a break.

use std::cell::Cell;
use std::rc::Rc;

use a2a_conformance::a2a::rule::{Notes, Rule};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::engine::security_schemes::schemes_of;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::native::{self, block_on};
use a2a_conformance::host::webhooks::{NO_ROOM, ReceivedRequest, WebhookAnswer, WebhookReceiver};
use a2a_conformance::host::{Clock, Host, Transport};
use a2a_conformance::server::HttpWebhookReceiver;
use a2a_conformance::suite;
use a2a_conformance::wire::http::Request;
use a2a_conformance::wire::json::Pointer;
use a2a_conformance::wire::limits::{
    LONG_REPORT, LONGEST_FINDING, LONGEST_URL, MB, MOST_EVENTS, MOST_EXAMPLES, MOST_FIELDS, MOST_INTERFACES, MOST_KEYS,
    MOST_LEVELS, MOST_MESSAGE_LEVELS, MOST_MESSAGE_VALUES, MOST_NOTIFICATIONS, MOST_NOTIFIED, MOST_PAGES,
    MOST_REDIRECTS, MOST_SCHEMES, MOST_SIGNATURES, MOST_TOLD, MOST_TOLD_IN_LONG, OF_CHECKS, OF_WRITTEN_TESTS,
};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::json;

use super::{Grown, cards, map, on_processor_ms};
use crate::support::{AGENT, JumpClock, check_on, host, host_with_webhooks};

#[test]
fn the_limits_that_users_are_told_are_those_that_hold() {
    let documented = include_str!("../../../docs/OPTIONS.md").split_once("## Limits").unwrap().1;
    let numbers = [
        MOST_EVENTS,
        MOST_FIELDS,
        MOST_LEVELS,
        MOST_MESSAGE_LEVELS,
        MOST_REDIRECTS,
        MOST_INTERFACES,
        LONGEST_URL,
        MOST_SCHEMES,
        MOST_SIGNATURES,
        MOST_KEYS,
        MOST_EXAMPLES,
        MOST_PAGES,
        MOST_NOTIFICATIONS,
    ];
    let mut words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let sizes = [
        OF_CHECKS.body,
        OF_CHECKS.stream,
        OF_CHECKS.line,
        OF_CHECKS.event,
        OF_CHECKS.weight,
        OF_CHECKS.kept,
        OF_WRITTEN_TESTS.body,
        OF_WRITTEN_TESTS.stream,
        OF_WRITTEN_TESTS.kept,
        MOST_NOTIFIED,
        LONG_REPORT,
    ];
    words.extend(sizes.iter().map(|size| format!("{} MB", size / MB)));
    words.extend([MOST_TOLD, MOST_TOLD_IN_LONG].map(|size| format!("{} KB", size / 1024)));
    words.extend([MOST_MESSAGE_VALUES, LONGEST_FINDING].map(|number| format!("{},000", number / 1000)));
    let missing: Vec<_> = words.iter().filter(|word| !documented.contains(word.as_str())).collect();
    assert!(missing.is_empty(), "docs/OPTIONS.md lacks {missing:?}");
}

#[test]
fn of_a_rule_that_is_broken_everywhere_the_first_places_are_kept_and_all_are_counted() {
    let mut notes = Notes::default();
    let broken = |notes: &mut Notes, times: usize| {
        for at in 0..times {
            notes.breaks(Rule::PartContent, &Pointer::root().index(at), "a part", "none");
        }
        notes.holds(Rule::PartContent);
    };
    broken(&mut notes, 250);
    notes.breaks(Rule::TaskId, &Pointer::root(), "an id", "none");
    assert_eq!(
        (notes.seen(Rule::PartContent), notes.breaches(Rule::PartContent), notes.breaches(Rule::Role)),
        (251, 250, 0)
    );
    assert_eq!(notes.deviations().count(), 101);
    assert_eq!(notes.broken(Rule::PartContent).unwrap().pointer, "/0");
    let mut all = Notes::default();
    broken(&mut all, 1);
    all.absorb(notes, |rule| rule == Rule::PartContent);
    assert_eq!(
        (all.seen(Rule::PartContent), all.breaches(Rule::PartContent), all.breaches(Rule::TaskId)),
        (253, 251, 0)
    );
    assert!(all.broken(Rule::TaskId).is_none());
}

#[test]
fn of_a_great_many_security_schemes_the_first_are_offered_and_the_others_counted() {
    let key = |at| json!({ "apiKeySecurityScheme": { "location": "header", "name": format!("K{at}") } });
    let found = schemes_of(&json!({ "securitySchemes": map(100, key) }));
    assert_eq!((found.len(), found.last().unwrap().name()), (MOST_SCHEMES + 1, "one of 36 more schemes of the card"));
    assert_eq!(schemes_of(&json!({ "securitySchemes": map(MOST_SCHEMES, key) })).len(), MOST_SCHEMES);
}

#[test]
fn a_webhook_keeps_no_more_than_it_has_room_for() {
    block_on(async {
        let host = native::host();
        let receiver = HttpWebhookReceiver::new(&host, "127.0.0.1:0".to_owned(), None);
        let send = async |name: &str, body: String| {
            let url = receiver.url(name).await.unwrap();
            host.transport.send(Request::post(url, "application/json", body)).await.unwrap().head.status
        };
        let statuses = |name: &str| receiver.received(name).iter().map(|each| each.status).collect::<Vec<_>>();
        for _ in 0..MOST_NOTIFICATIONS {
            assert_eq!(send("many", "{}".to_owned()).await, 200);
        }
        assert_eq!(send("many", "{}".to_owned()).await, NO_ROOM);
        assert_eq!(send("many", "{}".to_owned()).await, NO_ROOM);
        let kept = statuses("many");
        assert_eq!((kept.len(), kept.last()), (MOST_NOTIFICATIONS + 1, Some(&Some(NO_ROOM))));
        let large = format!("\"{}\"", "x".repeat(4 * MB));
        for at in 0..6 {
            assert_eq!(send("large", large.clone()).await, if at < 3 { 200 } else { NO_ROOM });
        }
        assert_eq!(statuses("large"), [Some(200), Some(200), Some(200), Some(NO_ROOM)]);
        assert_eq!(receiver.received("large").last().unwrap().request.body, None);
        receiver.renew();
        assert_eq!(send("large", large).await, 200);
    });
}

/// A receiver in which there was no room for the last that came.
struct Full(Rc<dyn WebhookReceiver>);

impl WebhookReceiver for Full {
    fn is_reachable(&self) -> bool {
        self.0.is_reachable()
    }

    fn renew(&self) {
        self.0.renew();
    }

    fn url(&self, name: &str) -> LocalBoxFuture<'static, Result<String, String>> {
        self.0.url(name)
    }

    fn answer(&self, name: &str, answer: WebhookAnswer) {
        self.0.answer(name, answer);
    }

    fn received(&self, name: &str) -> Vec<ReceivedRequest> {
        let mut all = self.0.received(name);
        if let Some(last) = all.last_mut() {
            last.status = Some(NO_ROOM);
            last.request.body = None;
        }
        all
    }

    fn is_validated(&self, name: &str) -> bool {
        self.0.is_validated(name)
    }
}

#[test]
fn an_agent_is_not_judged_by_notifications_for_which_there_was_no_room() {
    let (plain, clock) = host_with_webhooks(&[], ("https://hooks.example.com/", true));
    let webhooks = plain.webhooks.clone().map(|inner| Rc::new(Full(inner)) as Rc<dyn WebhookReceiver>);
    let told = check_on(Host { webhooks, ..plain }, &clock, Options { is_thorough: true, ..Options::default() });
    let of_push = told.results.iter().filter(|result| result.row.check.id.starts_with("push."));
    let failed: Vec<_> = of_push.clone().filter(|result| result.verdict.outcome == Outcome::Fail).collect();
    assert!(failed.is_empty(), "{failed:?}");
    for check in ["push.delivery", "push.payload"] {
        let found: Vec<_> = of_push.clone().filter(|result| result.row.check.id == check).collect();
        assert!(!found.is_empty());
        for result in found {
            let Outcome::Inconclusive = result.verdict.outcome else { panic!("{check}: {:?}", result.verdict) };
            assert!(result.verdict.message.contains("1000 for a webhook, and 16 MB together"), "{:?}", result.verdict);
        }
    }
}

/// A clock that goes on while this thread has the processor.
struct ProcessorClock {
    clock: JumpClock,
    begun_ms: f64,
}

impl Clock for ProcessorClock {
    fn now_ms(&self) -> f64 {
        self.clock.now_ms() + on_processor_ms() - self.begun_ms
    }

    fn wall_ms(&self) -> f64 {
        self.clock.wall_ms()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep(ms)
    }
}

#[test]
fn however_much_there_is_to_compute_whoever_wants_to_stop_a_run_has_a_turn() {
    for name in ["interfaces", "skills", "tags", "default-modes", "schemes"] {
        let (plain, clock) = host(&[]);
        let dimension = cards::dimensions().into_iter().find(|dimension| dimension.name == name).unwrap();
        let size = *dimension.sizes.last().unwrap();
        let agent = Rc::clone(&plain.transport);
        let transport: Rc<dyn Transport> = Rc::new(Grown { agent, part: dimension.part, size, times: Rc::default() });
        let busy = Rc::new(ProcessorClock { clock: clock.clone(), begun_ms: on_processor_ms() });
        let options = Options { address: AGENT.to_owned(), ..Options::default() };
        let emit = Rc::new(move |_| {});
        let mut checking = run(Host { clock: busy, transport, ..plain }, suite::areas_for(&options), options, emit);
        let (longest_ms, turns) = (Cell::new(0.0_f64), Cell::new(0));
        clock.block_on(std::future::poll_fn(|context| {
            let begun_ms = on_processor_ms();
            let polled = checking.poll_unpin(context);
            longest_ms.set(longest_ms.get().max(on_processor_ms() - begun_ms));
            turns.set(turns.get() + 1);
            polled
        }));
        println!("{name}: {} turns, the longest of {:.0} ms", turns.get(), longest_ms.get());
        assert!(longest_ms.get() < 2_000.0, "{name}: {:.0} ms", longest_ms.get());
    }
}
