//! A watch costs a client the same for each message, however many there were, and judges the same whenever it does.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::Faults;
use a2a_conformance::agent::gateway::Gateway;
use a2a_conformance::clients::ClientWatch;
use a2a_conformance::engine::event::Event;
use a2a_conformance::host::Clock;
use a2a_conformance::server::{ExchangeRecorder, Situations, served_cards};
use a2a_conformance::wire::http::Request;
use serde_json::{Value, json};

use crate::support::{AGENT, CountedIds, JumpClock};

/// What a watch over so many messages took: to receive the first hundred and the last, to judge them all at the end, and how many
/// verdicts were told before that.
struct Cost {
    first: Duration,
    last: Duration,
    judging: Duration,
    told_meanwhile: usize,
    finished: String,
}

fn call(number: usize, method: &str, params: &Value) -> Request {
    let body = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }).to_string();
    Request::post(format!("{AGENT}/rpc"), "application/json", body).with_header("A2A-Version", "1.0")
}

/// Watches a client that sends so many messages: to new tasks, to known ones, with webhooks, and some that it fetches the card between.
fn watched(messages: usize) -> Cost {
    let clock = JumpClock::default();
    let (judged, finished) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(String::new())));
    clock.block_on(async {
        let shared: Rc<dyn Clock> = Rc::new(clock.clone());
        let agent = ScriptedAgent::new(AGENT, Rc::clone(&shared), Rc::new(CountedIds::default()), Faults::none());
        let cards = served_cards(&agent, &Faults::none()).await;
        let emit = {
            let (judged, finished) = (Rc::clone(&judged), Rc::clone(&finished));
            Rc::new(move |event| match event {
                Event::Judged { .. } => judged.set(judged.get() + 1),
                Event::Finished { cause, .. } => *finished.borrow_mut() = cause.unwrap_or_default(),
                _ => {}
            })
        };
        let watch = Rc::new(RefCell::new(ClientWatch::new(AGENT, shared.wall_ms(), &cards, emit)));
        let took = Rc::new(RefCell::new(Vec::new()));
        let recorder = {
            let (watch, took) = (Rc::clone(&watch), Rc::clone(&took));
            ExchangeRecorder::in_situations(shared, Situations::default(), move |received| {
                let begun = Instant::now();
                watch.borrow_mut().receive(received);
                took.borrow_mut().push(begun.elapsed());
            })
        };
        let gateway = Gateway::before(agent);
        let mut known = (String::new(), String::new());
        for number in 0..messages {
            let mut message =
                json!({ "messageId": format!("m-{number}"), "role": "ROLE_USER", "parts": [{ "text": "multi-turn" }] });
            let is_follow_up = number % 3 == 1;
            if is_follow_up {
                (message["taskId"], message["contextId"]) = (json!(known.0), json!(known.1));
            }
            let hook = json!({ "url": "https://hooks.example.com/h", "token": format!("token-{number}") });
            let configuration = json!({ "returnImmediately": true, "taskPushNotificationConfig": hook });
            let request = match number % 3 {
                2 => Request::get(format!("{AGENT}/.well-known/agent-card.json"))
                    .with_header("cache-control", "no-cache"),
                _ => call(number, "SendMessage", &json!({ "message": message, "configuration": configuration })),
            };
            let answer = recorder.respond(&gateway, request, &format!("127.0.0.1:{}", number % 50)).await.unwrap();
            let (_, body) = answer.collected().await;
            let body: Value = serde_json::from_slice(&body).unwrap();
            if number % 3 == 0 {
                let text = |name: &str| body["result"]["task"][name].as_str().unwrap().to_owned();
                known = (text("id"), text("contextId"));
            }
        }
        let told_meanwhile = judged.get();
        // The shortest of several: others may have the processor meanwhile.
        let judging = (0..7).map(|_| {
            let begun = Instant::now();
            watch.borrow_mut().finish(clock.now_ms());
            begun.elapsed()
        });
        let judging = judging.min().unwrap();
        // One of the shortest, for the same reason.
        let undisturbed = |times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort();
            times[times.len() / 10]
        };
        let took = took.borrow();
        let (first, last) = (undisturbed(&took[..100]), undisturbed(&took[took.len() - 100..]));
        Cost { first, last, judging, told_meanwhile, finished: finished.borrow().clone() }
    })
}

#[test]
fn the_last_message_of_five_thousand_costs_what_the_first_did() {
    let costs = [100, 500, 5_000].map(|count| (count, watched(count)));
    for (count, cost) in &costs {
        eprintln!(
            "{count:>5} messages: {:?} for each of the first, {:?} for each of the last, {:?} to judge them all",
            cost.first, cost.last, cost.judging
        );
        assert_eq!(cost.told_meanwhile, 0, "nothing is judged on the way of an answer");
        assert_eq!(cost.finished, "");
    }
    let [_, (_, five_hundred), (_, five_thousand)] = &costs;
    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    let of_receiving = ratio(five_thousand.last, five_thousand.first);
    // Fifty times, if each message were compared with those before it: the bound is far from that and from what a cache that others
    // use meanwhile does to the time.
    assert!(of_receiving < 10.0, "receiving grows: {of_receiving}");
    // A ratio of these says more of the cache than of the judge: what is read of five thousand does not fit into it. Judged again from
    // the start with each message they would take minutes, as before they were judged beside the answers.
    let of_judging = ratio(five_thousand.judging, five_hundred.judging);
    assert!(five_thousand.judging < Duration::from_secs(5), "judging takes {:?}", five_thousand.judging);
    eprintln!("ratios: receiving {of_receiving:.1}, judging {of_judging:.1}");
}

#[test]
fn tokens_for_webhooks_are_masked_and_told_apart_however_many_there_are() {
    let clock = JumpClock::default();
    let received = Rc::new(RefCell::new(Vec::new()));
    clock.block_on(async {
        let shared: Rc<dyn Clock> = Rc::new(clock.clone());
        let agent = ScriptedAgent::new(AGENT, Rc::clone(&shared), Rc::new(CountedIds::default()), Faults::none());
        let captured = agent.capture_requests();
        let recorder = {
            let received = Rc::clone(&received);
            ExchangeRecorder::in_situations(shared, Situations::default(), move |each| received.borrow_mut().push(each))
        };
        let gateway = Gateway::before(agent);
        let ask = async |method: &str, params: Value| {
            let request = call(1, method, &params);
            let (_, body) = recorder.respond(&gateway, request, "127.0.0.1:1").await.unwrap().collected().await;
            serde_json::from_slice::<Value>(&body).unwrap()["result"].clone()
        };
        let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "multi-turn" }] });
        let mut task = Value::Null;
        for number in 0..300 {
            // A task may have a hundred.
            if number % 100 == 0 {
                task = ask("SendMessage", json!({ "message": message })).await["task"]["id"].clone();
            }
            let authentication = json!({ "scheme": "Basic", "credentials": format!("s3cret-of-{number}") });
            let config = json!({ "taskId": task, "url": "https://hooks.example.com/h", "token": format!("t0ken-{number}"),
                                 "authentication": authentication });
            let made = ask("CreateTaskPushNotificationConfig", config).await;
            assert_eq!(made["token"], format!("t0ken-{number}"));
            if number % 100 == 99 {
                let listed = ask("ListTaskPushNotificationConfigs", json!({ "taskId": task })).await;
                assert_eq!(listed["configs"].as_array().unwrap().len(), 100);
            }
        }
        let kept: String = captured.of_test_case(None).iter().map(|request| request.text()).collect();
        assert!(kept.matches("[redacted]").count() >= 600 && !kept.contains("t0ken-") && !kept.contains("s3cret-of-"));
    });
    let received = received.borrow();
    for each in received.iter() {
        let exchange = &each.exchange;
        let bodies = [exchange.request.body.as_deref(), exchange.response.as_ref().map(|answer| &*answer.body)];
        for body in bodies.into_iter().flatten().map(String::from_utf8_lossy) {
            assert!(!body.contains("t0ken-") && !body.contains("s3cret-of-"), "{}: {body}", exchange.id);
        }
    }
    let told_apart: BTreeSet<_> = received.iter().filter_map(|each| each.webhook_token).collect();
    assert_eq!((told_apart.len(), received.len()), (300, 306));
}

#[test]
fn a_watch_says_how_many_it_judged() {
    assert_eq!(watched(5_002).finished, "only the first 5000 of 5002 requests were judged");
}
