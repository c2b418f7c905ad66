//! Push notifications that arrive, over sockets and without, and those that cannot.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Outcome;
use a2a_conformance::host::native::{block_on, host};
use a2a_conformance::host::webhooks::{ReceivedRequest, WebhookAnswer, WebhookReceiver};
use a2a_conformance::host::{Clock, Host, StreamedResponse, Transport};
use a2a_conformance::server::HttpWebhookReceiver;
use a2a_conformance::wire::exchange::{Exchange, TransportError};
use a2a_conformance::wire::http::{Method, Request};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;

use crate::cli::{Served, run};
use crate::support::{AGENT, FinishedRun, JumpClock, SECURE_AGENT, check_on, host_with_webhooks};
use crate::webhook_double::PUBLIC;

/// The outcome of a check on each lane, with its sentence.
fn outcomes(told: &FinishedRun, check: &str) -> Vec<(Outcome, String)> {
    let of_check = told.results.iter().filter(|result| result.row.check.id == check);
    of_check.map(|result| (result.verdict.outcome, result.verdict.message.clone())).collect()
}

fn at(address: &str, (host, clock): (Host, JumpClock)) -> FinishedRun {
    check_on(host, &clock, Options { address: address.to_owned(), ..Options::default() })
}

/// The checks of delivery, each of which must have that outcome for that reason.
fn assert_all(told: &FinishedRun, outcome: Outcome, words: &str) {
    for check in ["push.delivery", "push.terminal-state", "push.payload", "push.authentication", "push.once"] {
        let found = outcomes(told, check);
        assert_eq!(found.len(), 2, "{check}");
        for (seen, why) in found {
            assert!(seen == outcome && why.contains(words), "{check}: {seen:?} {why}");
        }
    }
}

#[test]
fn notifications_of_every_version_are_received_and_cost_one_message_for_each_interface() {
    for (version, check) in
        [("", "push.payload"), ("/0.3", "push.notified-task"), ("/0.2", "push.token"), ("/0.1", "push.terminal-state")]
    {
        let told = at(&format!("{AGENT}{version}"), host_with_webhooks(&[], (PUBLIC, true)));
        let found = outcomes(&told, check);
        assert!(
            !found.is_empty() && found.iter().all(|(outcome, _)| *outcome == Outcome::Pass),
            "{version}: {found:?}"
        );
        if version.is_empty() {
            let inline = outcomes(&told, "send.push-config-inline");
            assert!(inline.len() == 2 && inline.iter().all(|(outcome, _)| *outcome == Outcome::Pass), "{inline:?}");
        }
        // One of the webhooks comes with the message.
        assert!(told.exchanges.iter().any(|exchange| exchange.step == "given-webhook"), "{version}");
        // Each stands in the record at the time at which it came: behind the call that named its webhook.
        let names = |exchange: &Exchange, url: &str| {
            exchange.request.body.as_deref().is_some_and(|body| String::from_utf8_lossy(body).contains(url))
        };
        for received in told.exchanges.iter().filter(|exchange| exchange.request.url.starts_with(PUBLIC)) {
            let named = told.exchanges.iter().find(|exchange| names(exchange, &received.request.url)).unwrap();
            assert!(received.sent_ms > named.sent_ms, "{} {}", received.sent_ms, named.sent_ms);
        }
        let (host, clock) = host_with_webhooks(&[], (PUBLIC, true));
        let without = at(&format!("{AGENT}{version}"), (Host { webhooks: None, ..host }, clock));
        let lanes = u32::try_from(found.len()).unwrap();
        assert_eq!(told.tally.messages, without.tally.messages + lanes, "{version}");
    }
}

#[test]
fn a_run_takes_as_long_whenever_its_host_began() {
    let took = [0.0, 300_000.0].map(|before_ms| {
        let (host, clock) = host_with_webhooks(&[], (PUBLIC, true));
        clock.block_on(clock.sleep(before_ms));
        at(AGENT, (host, clock)).duration_ms
    });
    assert!((took[0] - took[1]).abs() < 100.0, "{took:?}");
}

#[test]
fn where_nothing_can_arrive_the_checks_are_not_observable() {
    let (host, clock) = host_with_webhooks(&[], (PUBLIC, true));
    let told = at(AGENT, (Host { webhooks: None, ..host }, clock));
    assert_all(&told, Outcome::NotObservable, "nobody listens for notifications in this run");
    // An agent on another machine is not given an address of this one.
    let told = at(AGENT, host_with_webhooks(&[], ("http://127.0.0.1:1/", false)));
    assert_all(&told, Outcome::NotObservable, "--webhook-url");
    let sent = |exchange: &Rc<Exchange>| {
        exchange.request.body.as_ref().is_some_and(|body| String::from_utf8_lossy(body).contains("127.0.0.1:1/"))
    };
    assert!(!told.exchanges.iter().any(sent));
}

#[test]
fn a_cautious_agent_that_refuses_private_webhooks_is_not_blamed() {
    let told = at(SECURE_AGENT, host_with_webhooks(&["https"], ("http://10.0.0.1/", true)));
    assert_all(&told, Outcome::NotObservable, "the agent refused the webhook");
}

#[test]
fn silence_is_a_failure_only_where_the_agent_surely_reaches_the_webhook() {
    let told = at(AGENT, host_with_webhooks(&["push-nothing-sent"], (PUBLIC, true)));
    assert!(outcomes(&told, "push.delivery").iter().all(|(outcome, _)| *outcome == Outcome::Fail));
    for (address, expected) in [("", "no notification arrived"), ("--webhook-url", "none, although the task became")] {
        let agent = Served::agent(&["push-nothing-sent"]);
        let mut args = vec!["check", agent.agent_url(), "--format", "json", "--webhook-listen", "127.0.0.1:0"];
        if !address.is_empty() {
            args.extend([address, "http://127.0.0.1:9"]);
        }
        let found = results(&report(&args), "push.delivery");
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(_, message)| message.contains(expected)), "{found:?}");
    }
}

#[test]
fn notifications_arrive_over_sockets_where_one_listens() {
    let agent = Served::agent(&[]);
    let unheard = results(&report(&["check", agent.agent_url(), "--format", "json", "--no-webhooks"]), "push.delivery");
    assert!(unheard.len() == 2 && unheard.iter().all(|(_, why)| why.contains("--webhook-listen")), "{unheard:?}");
    // An agent on this machine needs no option, and several runs do not take each other's notifications for theirs.
    let report = report(&["check", agent.agent_url(), "--format", "json", "--repeat", "2"]);
    for check in ["push.delivery", "push.delivery-each", "push.authentication", "push.stops-after-delete", "push.order"]
    {
        let found = results(&report, check);
        assert!(found.len() == 2 && found.iter().all(|(status, _)| status == "pass"), "{check}: {found:?}");
    }
}

/// Status and body of an answer; none when the connection was closed without one.
async fn answer(transport: &dyn Transport, request: Request) -> Option<(u16, String)> {
    let answer = transport.send(request).await.ok()?;
    let body: Vec<_> = answer.body.map(Result::unwrap).collect().await;
    Some((answer.head.status, String::from_utf8(body.concat()).unwrap()))
}

#[test]
fn a_receiver_repeats_validation_tokens_keeps_what_comes_and_answers_as_it_was_told() {
    block_on(async {
        let host = host();
        let receiver = HttpWebhookReceiver::new(&host, "127.0.0.1:0".to_owned(), None);
        let url = receiver.url("hook").await.unwrap();
        let post = |url: &str| Request::post(url, "application/json", r#"{"task":{"id":"t"}}"#);
        let asked = Request::get(format!("{url}?validationToken=a%20b"));
        assert_eq!(answer(&*host.transport, asked).await, Some((200, "a b".to_owned())));
        let by_header = Request::get(url.as_str()).with_header("validationToken", "c");
        assert_eq!(answer(&*host.transport, by_header).await, Some((200, "c".to_owned())));
        assert!(receiver.received("hook").is_empty() && receiver.is_validated("hook"));
        let other = receiver.url("other").await.unwrap();
        receiver.answer("other", WebhookAnswer::Disown);
        assert_eq!(answer(&*host.transport, post(&other)).await.unwrap().0, 200);
        assert!(!receiver.is_validated("other"));
        let asked = Request::get(format!("{other}?validationToken=a"));
        assert_eq!(answer(&*host.transport, asked).await, Some((404, String::new())));
        for (how, statuses) in [(WebhookAnswer::FailOnce, [500, 200]), (WebhookAnswer::Deny, [401, 401])] {
            let name = format!("{how:?}");
            receiver.answer(&name, how);
            let url = receiver.url(&name).await.unwrap();
            for status in statuses {
                assert_eq!(answer(&*host.transport, post(&url)).await.unwrap().0, status, "{name}");
            }
            let kept: Vec<_> = receiver.received(&name).iter().map(|each| each.status).collect();
            assert_eq!(kept, statuses.map(Some), "{name}");
            assert!(receiver.received(&name).iter().all(|each| each.request.url == url), "{name}");
        }
        // Whoever asks by GET is answered and kept, and takes nothing from a notification.
        receiver.answer("asked", WebhookAnswer::FailOnce);
        let asked = receiver.url("asked").await.unwrap();
        for (request, status) in [(Request::get(asked.as_str()), 200), (post(&asked), 500), (post(&asked), 200)] {
            assert_eq!(answer(&*host.transport, request).await.unwrap().0, status);
        }
        let kept: Vec<_> = receiver.received("asked").iter().map(ReceivedRequest::is_notification).collect();
        assert_eq!(kept, [false, true, true]);
        let (origin, _) = url.rsplit_once('/').and_then(|(rest, _)| rest.rsplit_once('/')).unwrap();
        assert_eq!(answer(&*host.transport, post(&format!("{origin}/guessed/hook"))).await.unwrap().0, 404);
        receiver.answer("hook", WebhookAnswer::Hang);
        let waiting = answer(&*host.transport, post(&url));
        let looking = async {
            while receiver.received("hook").is_empty() {
                host.clock.sleep(10.0).await;
            }
        };
        tokio::select! {
            answered = waiting => panic!("{answered:?}"),
            () = looking => assert_eq!(receiver.received("hook")[0].status, None),
        }
    });
}

/// An agent that goes on whatever its webhooks answer, and those that do not.
#[test]
fn webhooks_that_fail_are_tried_in_a_thorough_run() {
    let thorough = |faults: &[&str], at: &str| {
        let (host, clock) = host_with_webhooks(faults, (PUBLIC, true));
        check_on(host, &clock, Options { address: format!("{AGENT}{at}"), is_thorough: true, ..Options::default() })
    };
    for at in ["", "/0.3", "/0.2", "/0.1"] {
        let told = thorough(&[], at);
        for check in ["push.refused-webhook", "push.hanging-webhook"] {
            let found = outcomes(&told, check);
            let is_passed = |(outcome, _): &(Outcome, String)| *outcome == Outcome::Pass;
            assert!(!found.is_empty() && found.iter().all(is_passed), "{at} {check}: {found:?}");
        }
    }
    let retried = outcomes(&thorough(&[], ""), "push.retry");
    let seconds = |why: &str| why.strip_prefix("sent again after ")?.strip_suffix(" s")?.parse::<f64>().ok();
    assert!(retried.iter().all(|(_, why)| seconds(why).is_some_and(|after_s| after_s < 10.0)), "{retried:?}");
    for (fault, check, outcome) in [
        ("push-failure-stops", "push.refused-webhook", Outcome::Fail),
        ("push-holds-task", "push.hanging-webhook", Outcome::Note),
        ("push-not-retried", "push.retry", Outcome::Note),
        ("push-nothing-sent", "push.refused-webhook", Outcome::Blocked),
    ] {
        let found = outcomes(&thorough(&[fault], ""), check);
        assert!(found.len() == 2 && found.iter().all(|(seen, _)| *seen == outcome), "{fault}: {found:?}");
    }
}

fn report(args: &[&str]) -> Value {
    serde_json::from_slice(&run(args).stdout).unwrap()
}

/// Status and message of a check on each lane.
fn results(report: &Value, check: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["categories"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
    // The id of a result names its lane behind the check.
    let of_check = all.filter(|row| text(&row["test"]).split('@').next() == Some(check));
    of_check.map(|row| (text(&row["status"]), text(&row["message"]))).collect()
}

/// A receiver of whose requests this is seen.
struct SeenAs<F> {
    inner: Rc<dyn WebhookReceiver>,
    seen: F,
}

impl<F: Fn(Vec<ReceivedRequest>) -> Vec<ReceivedRequest>> WebhookReceiver for SeenAs<F> {
    fn is_reachable(&self) -> bool {
        self.inner.is_reachable()
    }

    fn renew(&self) {
        self.inner.renew();
    }

    fn url(&self, name: &str) -> LocalBoxFuture<'static, Result<String, String>> {
        self.inner.url(name)
    }

    fn answer(&self, name: &str, answer: WebhookAnswer) {
        self.inner.answer(name, answer);
    }

    fn received(&self, name: &str) -> Vec<ReceivedRequest> {
        (self.seen)(self.inner.received(name))
    }

    fn is_validated(&self, name: &str) -> bool {
        self.inner.is_validated(name)
    }
}

/// A receiver that learns late of what arrived.
fn late(inner: Rc<dyn WebhookReceiver>, clock: JumpClock, late_ms: f64) -> Rc<dyn WebhookReceiver> {
    let seen = move |received: Vec<ReceivedRequest>| {
        let now_ms = clock.now_ms();
        received.into_iter().filter(|known| known.arrived_ms + late_ms <= now_ms).collect()
    };
    Rc::new(SeenAs { inner, seen })
}

/// A receiver of an agent that calls its webhooks by this method.
fn called_by(inner: Rc<dyn WebhookReceiver>, method: Method) -> Rc<dyn WebhookReceiver> {
    let seen = move |mut received: Vec<ReceivedRequest>| {
        received.iter_mut().for_each(|known| known.request.method = method);
        received
    };
    Rc::new(SeenAs { inner, seen })
}

#[test]
fn a_webhook_that_is_called_by_another_method_than_post_is_told_of() {
    let delivery = |method| {
        let (host, clock) = host_with_webhooks(&[], (PUBLIC, true));
        let webhooks = host.webhooks.clone().map(|inner| called_by(inner, method));
        outcomes(&at(AGENT, (Host { webhooks, ..host }, clock)), "push.delivery")
    };
    for (method, outcome, words) in [
        (Method::Post, Outcome::Pass, ""),
        (Method::Put, Outcome::Fail, "expected a notification by POST, got one by PUT"),
        (Method::Get, Outcome::Fail, "only a request by GET, which is no notification"),
    ] {
        let found = delivery(method);
        assert_eq!(found.len(), 2, "{method}");
        for (seen, why) in found {
            assert!(seen == outcome && why.contains(words), "{method}: {seen:?} {why}");
        }
    }
}

/// A machine that stands still once a webhook was registered, so often: what is asked from then on is answered when a task would be over.
struct StandsStill {
    agent: Rc<dyn Transport>,
    clock: JumpClock,
    times: Cell<u32>,
    until_ms: Cell<f64>,
    registered: RefCell<Vec<String>>,
}

/// How long it stands still: for longer than the agent works on a task.
const STILL_MS: f64 = 8_000.0;

impl Transport for StandsStill {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let body = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let now_ms = self.clock.now_ms();
        let due_ms = self.until_ms.get();
        if let Some((_, after)) = body.split_once(PUBLIC).filter(|_| !body.contains("\"message\"")) {
            self.registered.borrow_mut().extend(after.split('"').next().map(str::to_owned));
            if now_ms >= due_ms && self.times.get() > 0 {
                self.times.set(self.times.get() - 1);
                self.until_ms.set(now_ms + STILL_MS);
            }
        }
        let sent = self.agent.send(request);
        let still = self.clock.sleep((due_ms - now_ms).max(0.0));
        async move {
            still.await;
            sent.await
        }
        .boxed_local()
    }
}

/// The outcomes of the checks of delivery, and the webhooks that were registered.
fn where_it_stands_still(times: u32, late_ms: f64) -> (FinishedRun, Vec<String>) {
    let (host, clock) = host_with_webhooks(&[], (PUBLIC, true));
    let transport = Rc::new(StandsStill {
        agent: Rc::clone(&host.transport),
        clock: clock.clone(),
        times: Cell::new(times),
        until_ms: Cell::new(0.0),
        registered: RefCell::default(),
    });
    let webhooks = host.webhooks.clone().map(|inner| late(inner, clock.clone(), late_ms));
    let told = at(AGENT, (Host { transport: transport.clone(), webhooks, ..host }, clock));
    let registered = transport.registered.take();
    (told, registered)
}

const OF_DELIVERY: [&str; 6] = [
    "push.delivery",
    "push.delivery-each",
    "push.terminal-state",
    "push.stops-after-delete",
    "push.order",
    "push.once",
];

#[test]
fn a_notification_that_comes_late_is_waited_for() {
    for late_ms in [0.0, 1_500.0, 4_000.0] {
        let (told, _) = where_it_stands_still(0, late_ms);
        for check in OF_DELIVERY {
            let found = outcomes(&told, check);
            assert!(
                found.len() == 2 && found.iter().all(|(outcome, _)| *outcome == Outcome::Pass),
                "{check}: {found:?}"
            );
        }
    }
}

/// Twice in a row, it is a machine on which one conversation finds out whether a call is never answered while another, which has the agent for
/// itself, waits for what it finds: neither may wait for the other for ever.
#[test]
fn webhooks_are_registered_for_another_task_at_other_addresses_where_the_first_was_over_before() {
    let (_, once) = where_it_stands_still(0, 0.0);
    for times in [1, 2, 50] {
        let (told, again) = where_it_stands_still(times, 4_000.0);
        let fresh = |all: &[String]| all.iter().collect::<std::collections::BTreeSet<_>>().len();
        assert!(fresh(&again) > fresh(&once), "{again:?}");
        for check in OF_DELIVERY {
            let found = outcomes(&told, check);
            assert_eq!(found.len(), 2, "{check}");
            for (outcome, why) in found {
                assert!(
                    outcome != Outcome::Fail && (times > 2 || outcome == Outcome::Pass),
                    "{times} {check}: {outcome:?} {why}"
                );
            }
        }
    }
}
