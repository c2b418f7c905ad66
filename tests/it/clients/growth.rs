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
use a2a_conformance::wire::received::ClientRequest;
use serde_json::{Value, json};

use crate::support::{AGENT, CountedIds, JumpClock};

/// A watch over so many messages: what it took to receive the first hundred and the last, how many verdicts were told meanwhile, and the
/// last of the messages.
struct Watched {
    watch: Rc<RefCell<ClientWatch>>,
    first: Duration,
    last: Duration,
    told_meanwhile: usize,
    newest: ClientRequest,
    finished: Rc<RefCell<String>>,
}

/// How long these watches take to judge all that they received: each check of all of them before the next, so that it is as long ago
/// that a message was read, whether all are of one watch or of several.
fn judging(watches: &[Watched]) -> Duration {
    // One more makes them judge anew.
    watches.iter().for_each(|each| each.watch.borrow_mut().receive(each.newest.clone()));
    let begun = Instant::now();
    while watches.iter().filter(|each| each.watch.borrow_mut().judge_one()).count() > 0 {}
    begun.elapsed()
}

fn call(number: usize, method: &str, params: &Value) -> Request {
    let body = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }).to_string();
    Request::post(format!("{AGENT}/rpc"), "application/json", body).with_header("A2A-Version", "1.0")
}

/// Watches a client that sends so many messages: to new tasks, to known ones, with webhooks, and some that it fetches the card between.
fn watched(messages: usize) -> Watched {
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
        let (took, newest) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(None)));
        let recorder = {
            let (watch, took, newest) = (Rc::clone(&watch), Rc::clone(&took), Rc::clone(&newest));
            ExchangeRecorder::in_situations(shared, Situations::default(), move |received| {
                newest.replace(Some(received.clone()));
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
        // One of the shortest: others may have the processor meanwhile.
        let undisturbed = |times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort();
            times[times.len() / 10]
        };
        let took = took.borrow();
        let (first, last) = (undisturbed(&took[..100]), undisturbed(&took[took.len() - 100..]));
        let newest = newest.take().expect("a message");
        Watched { watch, first, last, told_meanwhile, newest, finished }
    })
}

#[test]
fn the_last_message_of_five_thousand_costs_what_the_first_did() {
    // So that there is room for a few more.
    let one = [watched(4_900)];
    let ten: Vec<Watched> = (0..10).map(|_| watched(490)).collect();
    assert!(one.iter().chain(&ten).all(|each| each.told_meanwhile == 0), "nothing is judged on the way of an answer");
    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    let of_receiving = ratio(one[0].last, one[0].first);
    eprintln!("{:?} for each of the first, {:?} for each of the last", one[0].first, one[0].last);
    assert!(of_receiving < 4.0, "receiving grows: {of_receiving}");
    // As many messages, in one watch and in ten. Equal times, if judging is linear; one check that does no more than compare the
    // numbers of each two messages makes it 1.7. The shortest of several, in turn: others may have the processor meanwhile, and the
    // memory, which the one watch needs more of. That passes, what is slow by itself does not.
    let (mut of_one, mut of_ten) = (Duration::MAX, Duration::MAX);
    for round in 0..300 {
        (of_one, of_ten) = (of_one.min(judging(&one)), of_ten.min(judging(&ten)));
        if round >= 15 && ratio(of_one, of_ten) < 1.5 {
            break;
        }
    }
    eprintln!("{of_one:?} to judge 4900 messages of one watch, {of_ten:?} of ten");
    let of_judging = ratio(of_one, of_ten);
    assert!(of_judging < 1.5, "judging grows faster than what is judged: {of_judging}");
    eprintln!("ratios: receiving {of_receiving:.1}, judging {of_judging:.1}");
    for each in one.iter().chain(&ten) {
        each.watch.borrow_mut().finish(0.0);
        assert_eq!(*each.finished.borrow(), "", "all were judged");
    }
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
    let watched = watched(5_002);
    watched.watch.borrow_mut().finish(0.0);
    assert_eq!(*watched.finished.borrow(), "only the first 5000 of 5002 requests were judged");
}
