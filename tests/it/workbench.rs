//! The workbench: its requests are those of the engine, it judges what it saw and no more, and it keeps what was sent.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::checker::{Exchanges, RunRecord, Workbench};
use a2a_conformance::engine::options::Options;
use a2a_conformance::report::{Environment, Format};
use a2a_conformance::view_model::traffic::by_hand;
use a2a_conformance::view_model::workbench::{
    Composed, ConversationAction, Draft, ExchangeProgress, FIRST, FinishedExchange, Typed,
};
use a2a_conformance::wire::exchange::{End, Exchange};
use futures_util::future::{join, join3};

use crate::support::{AGENT, JumpClock, check_as_told, host};

/// A workbench for the scripted agent at a path, which is that of a version.
struct Desk {
    bench: Rc<Workbench>,
    clock: JumpClock,
    exchanges: Exchanges,
    draft: RefCell<Draft>,
}

impl Desk {
    fn new(at: &str, faults: &[&str], options: Options) -> Self {
        let (host, clock) = host(faults);
        let exchanges = Exchanges::default();
        let options = Options { address: format!("{AGENT}{at}"), ..options };
        let bench = Workbench::new(host, options, None, Rc::clone(&exchanges));
        Self { bench, clock, exchanges, draft: RefCell::default() }
    }

    /// One that has read the card.
    fn with_card(at: &str, faults: &[&str]) -> Self {
        // The card of 0.1 fits 0.2 as well, and nobody was asked.
        let version = (at == "/0.1").then(|| "0.1".to_owned());
        let desk = Self::new(at, faults, Options { version, ..Options::default() });
        desk.clock.block_on(desk.bench.read_card());
        assert!(desk.bench.has_card(), "{at}");
        desk
    }

    fn choose(&self, choices: &[(&str, &str)]) -> Composed {
        for (name, value) in choices {
            self.draft.borrow_mut().set(name, value);
        }
        self.bench.compose(&self.draft.borrow())
    }

    fn request(&self, choices: &[(&str, &str)]) -> Typed {
        let composed = self.choose(choices);
        composed.request.unwrap_or_else(|| panic!("{choices:?}: {}", composed.problem))
    }

    /// Sends a request and hears it to its end.
    fn send(&self, request: &Typed) -> FinishedExchange {
        let sending = self.bench.send(&self.draft.borrow(), request, true).expect("it is sent");
        self.clock.block_on(sending);
        *self.heard().ended.expect("it was sent")
    }

    fn heard(&self) -> ExchangeProgress {
        self.clock.block_on(self.bench.hear(u32::MAX))
    }

    fn talk(&self, act: ConversationAction, text: &str) -> ExchangeProgress {
        let going_on = self.bench.talk(&self.draft.borrow(), act, text).expect("it goes on");
        self.clock.block_on(going_on);
        self.heard()
    }

    fn last(&self) -> Rc<Exchange> {
        Rc::clone(self.exchanges.borrow().last().expect("something was sent"))
    }

    fn body_of_last(&self) -> String {
        String::from_utf8(self.last().request.body.clone().unwrap_or_default()).unwrap()
    }

    fn turns(&self) -> Vec<String> {
        self.heard().talk.turns.into_iter().map(|turn| format!("{}: {}", turn.who, turn.text)).collect()
    }
}

fn broken(ended: &FinishedExchange) -> Vec<(&str, &str)> {
    ended.judged.broken.iter().map(|broken| (broken.key.as_str(), broken.level.as_str())).collect()
}

fn options_of(composed: &Composed, name: &str) -> Vec<(String, String)> {
    let options = composed.choice(name).map(|choice| choice.options.clone()).unwrap_or_default();
    options.into_iter().filter(|(.., can)| *can).map(|(value, label, _)| (value, label)).collect()
}

#[test]
fn every_operation_of_every_version_and_binding_is_sent_and_nothing_wrong_is_seen_of_a_conformant_agent() {
    let mut judged = 0;
    for at in ["", "/0.3", "/0.2", "/0.1"] {
        let desk = Desk::with_card(at, &[]);
        for format in ["a2a-jsonrpc", "a2a-rest"] {
            let composed = desk.choose(&[("format", format), ("interface", "")]);
            let declared: Vec<_> = options_of(&composed, "interface")
                .into_iter()
                .filter(|(_, label)| !label.contains("not in the card"))
                .collect();
            assert!(!declared.is_empty() || (format, at) == ("a2a-rest", "/0.1"), "{at} {format}: {}", composed.agent);
            for (interface, _) in declared {
                let composed = desk.choose(&[("interface", &interface), ("text", "task-lifecycle")]);
                let operations = options_of(&composed, "operation");
                assert!(operations.len() > 4, "{at} {interface}: {operations:?}");
                // First what makes a task, and a config to read.
                for (operation, _) in operations {
                    let composed = desk.choose(&[("operation", &operation)]);
                    let Some(request) = composed.request else {
                        panic!("{interface} {operation}: {}", composed.problem)
                    };
                    let ended = desk.send(&request);
                    assert_eq!(broken(&ended), [], "{at} {interface} {operation}: {:?}", ended.judged);
                    assert_ne!(desk.last().response, None, "{at} {interface} {operation}");
                    judged += usize::from(ended.judged.tone == "pass");
                }
            }
        }
    }
    // Deletions over HTTP have no body that a rule of form could look at.
    assert!(judged > 55, "{judged}");
}

#[test]
fn what_is_forced_and_not_declared_is_sent_and_not_judged() {
    let desk = Desk::with_card("", &[]);
    let composed = desk.choose(&[("format", "a2a-jsonrpc"), ("interface", "0.3")]);
    assert!(composed.warning.contains("does not declare JSON-RPC 0.3"), "{}", composed.warning);
    assert!(composed.has("at") && composed.choice("interface").unwrap().chosen == "0.3");
    let request = composed.request.unwrap();
    assert!(request.body.contains("message/send") && request.body.contains("\"kind\": \"text\""), "{}", request.body);
    let ended = desk.send(&request);
    assert_eq!(ended.judged.tone, "skip");
    assert!(ended.judged.sentence.contains("the card does not declare JSON-RPC 0.3"), "{}", ended.judged.sentence);
    // Without a card only the user knows what is spoken there.
    let desk = Desk::new("", &[], Options::default());
    let request = desk.request(&[("format", "a2a-rest"), ("interface", "1.0"), ("at", &format!("{AGENT}/rest"))]);
    assert_eq!(request.url, format!("{AGENT}/rest/message:send"));
}

#[test]
fn a_card_that_leaves_its_version_open_is_read_and_nothing_is_judged_by_a_guess() {
    let desk = Desk::new("/0.1", &[], Options::default());
    desk.clock.block_on(desk.bench.read_card());
    let ended = desk.send(&desk.request(&[("text", "hello")]));
    assert!(ended.judged.sentence.contains("leaves open which version"), "{}", ended.judged.sentence);
}

#[test]
fn a_broken_rule_is_named_with_its_row_and_level() {
    for (fault, key, level) in [
        ("timestamps-offset", "timestamp.utc@jsonrpc-1.0", "must"),
        ("rpc-version-missing", "jsonrpc.version-member@jsonrpc-1.0", "must"),
        ("timestamps-seconds", "timestamp.millis@jsonrpc-1.0", "may"),
        ("snake-case", "json.camel-case@jsonrpc-1.0", "must"),
    ] {
        let desk = Desk::with_card("", &[fault]);
        let ended = desk.send(&desk.request(&[("format", "a2a-jsonrpc"), ("text", "task-lifecycle")]));
        assert!(broken(&ended).contains(&(key, level)), "{fault}: {:?}", ended.judged);
        let tone = if level == "must" { "fail" } else { "advisory" };
        assert_eq!(ended.judged.tone, tone, "{fault}");
        assert!(ended.judged.sentence.contains("was not looked at"), "{}", ended.judged.sentence);
        let known = check_as_told(&[fault], Options::default());
        assert!(known.results.iter().any(|result| result.row.key() == key), "a run has that row too");
    }
    for (fault, key) in [
        ("stream-two-payloads", "stream.oneof@rest-1.0"),
        ("status-code-grpc", "rest.error-code-equals-status@rest-1.0"),
        ("list-no-token", "list.next-page-token@rest-1.0"),
    ] {
        let desk = Desk::with_card("", &[fault]);
        let operation = match fault {
            "stream-two-payloads" => "SendStreamingMessage",
            "list-no-token" => "ListTasks",
            _ => "GetTask",
        };
        let choices =
            [("format", "a2a-rest"), ("text", "streaming"), ("task", "no-such-task"), ("operation", operation)];
        // A message to a task that does not exist would be refused.
        let choices = if operation == "SendStreamingMessage" {
            [choices[0], choices[1], ("task", ""), choices[3]]
        } else {
            choices
        };
        let ended = desk.send(&desk.request(&choices));
        assert!(broken(&ended).iter().any(|(known, _)| *known == key), "{fault}: {:?}", ended.judged);
    }
}

#[test]
fn what_the_user_broke_is_not_held_against_the_agent() {
    let desk = Desk::with_card("", &[]);
    let request = desk.request(&[("format", "a2a-jsonrpc"), ("text", "task-lifecycle")]);
    let edited = |from: &str, to: &str| Typed { body: request.body.replace(from, to), ..request.clone() };
    for (request, why) in [
        (Typed { body: format!("[{}]", request.body), ..request.clone() }, "a batch"),
        (edited("SendMessage", "Dance"), "no method"),
        (edited("\"2.0\"", "\"1.0\""), "JSON-RPC 2.0"),
        (
            Typed { headers: "Content-Type: application/json".to_owned(), ..request.clone() },
            "does not name the version",
        ),
        (Typed { body: "{".to_owned(), ..request.clone() }, "not plain JSON"),
        (Typed { url: format!("{AGENT}/nowhere"), ..request.clone() }, "not a POST to the URL"),
    ] {
        let judged = desk.send(&request).judged;
        assert!(judged.tone == "skip" && judged.sentence.contains(why), "{why}: {}", judged.sentence);
    }
    // An agent may repeat what it was sent, in this answer and in others.
    let ended = desk.send(&edited("ROLE_USER", "user"));
    assert_eq!(broken(&ended), [], "{:?}", ended.judged);
    let ended = desk.send(&desk.request(&[("operation", "ListTasks")]));
    assert_eq!(broken(&ended), [], "{:?}", ended.judged);
}

#[test]
fn formats_that_are_not_a2a_are_sent_as_they_are_and_never_judged() {
    let desk = Desk::with_card("", &[]);
    let composed = desk.choose(&[("format", "rest-passthrough"), ("at", &format!("{AGENT}/anything"))]);
    assert!(composed.warning.contains("Nothing is validated"), "{}", composed.warning);
    assert!(composed.choice("operation").is_none() && !composed.can_talk);
    let own = Typed { body: r#"{"query":"x","custom_field":1}"#.to_owned(), ..composed.request.unwrap() };
    let judged = desk.send(&own).judged;
    assert_eq!((desk.body_of_last().as_str(), judged.tone.as_str()), (own.body.as_str(), "skip"));
    let wrapper = desk.request(&[("format", "custom")]);
    for member in ["interaction_type", "parameters", "protocol_version"] {
        assert!(wrapper.body.contains(member), "{}", wrapper.body);
    }
    let batch = desk.request(&[("format", "batch"), ("interface", ""), ("text", "hello")]);
    let calls: Vec<serde_json::Value> = serde_json::from_str(&batch.body).unwrap();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    let ended = desk.send(&batch);
    assert_eq!((ended.judged.tone.as_str(), desk.last().status()), ("skip", Some(200)));
    // No page can send gRPC, and so it is never chosen.
    let composed = desk.choose(&[("format", "a2a-grpc")]);
    assert!(composed.choice("format").unwrap().options.iter().any(|(name, _, can)| name == "a2a-grpc" && !can));
    assert_eq!(composed.choice("format").unwrap().chosen, "a2a-jsonrpc");
}

#[test]
fn events_are_told_as_they_come() {
    let desk = Desk::with_card("", &[]);
    let request = desk.request(&[("operation", "SendStreamingMessage"), ("text", "streaming")]);
    let sending = desk.bench.send(&desk.draft.borrow(), &request, false).unwrap();
    let watching = async {
        let mut told = vec![desk.bench.hear(0).await];
        while !told.last().unwrap().is_over {
            let known = told.last().unwrap().count;
            told.push(desk.bench.hear(known).await);
        }
        told
    };
    let ((), told) = desk.clock.block_on(join(sending, watching));
    let counts: Vec<_> = told.iter().map(|heard| heard.count).collect();
    assert!(!told[0].is_over && counts[0] > 0 && counts.len() > 3, "{counts:?}");
    let last = told.last().unwrap();
    assert!(last.events.iter().any(|(_, said)| said.contains("artifactUpdate \u{b7} append")), "{:?}", last.events);
    assert_eq!(last.ended.as_ref().unwrap().judged.tone, "pass");
}

#[test]
fn a_stream_that_is_stopped_is_kept_as_far_as_it_came() {
    let desk = Desk::with_card("", &[]);
    let request = desk.request(&[("operation", "SendStreamingMessage"), ("text", "long-running")]);
    let sending = desk.bench.send(&desk.draft.borrow(), &request, false).unwrap();
    let stopping = async {
        desk.bench.hear(1).await;
        assert!(desk.bench.send(&desk.draft.borrow(), &request, false).is_err(), "one at a time");
        desk.bench.stop();
    };
    desk.clock.block_on(join(sending, stopping));
    let exchange = desk.last();
    assert_eq!(exchange.end, End::HungUp);
    let frames = exchange.response.as_ref().unwrap().frames.len();
    assert!((2..8).contains(&frames), "{frames}");
    // Half of an answer that is not a stream shows nothing.
    let request = desk.request(&[("operation", "SendMessage"), ("text", "task-cancel")]);
    let sending = desk.bench.send(&desk.draft.borrow(), &request, false).unwrap();
    let stopping = async { desk.bench.stop() };
    desk.clock.block_on(join(sending, stopping));
    assert_eq!((desk.last().response.is_none(), desk.heard().ended.unwrap().judged.tone.as_str()), (true, "skip"));
}

#[test]
fn secrets_are_sent_and_not_recorded() {
    let headers = vec![("Authorization".to_owned(), "Bearer canary-of-the-form".to_owned())];
    let desk = Desk::new("", &["protected"], Options { headers, ..Options::default() });
    desk.clock.block_on(desk.bench.read_card());
    let composed = desk.choose(&[("text", "canary-of-the-editor and canary-of-the-form")]);
    assert!(composed.credentials.contains("Authorization") && !composed.credentials.contains("canary"));
    let request = composed.request.unwrap();
    assert!(!request.headers.contains("canary"), "the form's are added when it is sent");
    let typed = Typed { headers: format!("{}\nX-Token: canary-of-the-editor", request.headers), ..request };
    let ended = desk.send(&typed);
    let exchange = desk.last();
    let names: Vec<_> = exchange.request.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    assert!(names.contains(&"authorization".to_owned()) && names.contains(&"x-token".to_owned()), "{names:?}");
    for text in [format!("{exchange:?}"), format!("{ended:?}")] {
        assert!(!text.contains("canary"), "{text}");
    }
    // A typed header wins over the form's.
    let typed = Typed { headers: format!("{}\nauthorization: Bearer other-canary", typed.headers), ..typed };
    desk.send(&typed);
    let fields =
        desk.last().request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization")).count();
    assert_eq!(fields, 1);
    // To another origin nothing of the form goes along.
    let elsewhere = desk.choose(&[("format", "rest-passthrough"), ("at", "https://other.example/")]);
    assert!(elsewhere.credentials.contains("https://other.example"), "{}", elsewhere.credentials);
    desk.send(&elsewhere.request.unwrap());
    assert_eq!(desk.last().request.headers.get("authorization"), None);
}

#[test]
fn what_was_sent_by_hand_is_traffic() {
    let desk = Desk::with_card("", &[]);
    desk.send(&desk.request(&[("text", "hello")]));
    let exchanges = desk.exchanges.borrow().clone();
    let ids: Vec<_> = exchanges.iter().map(|exchange| exchange.id).collect();
    assert_eq!(ids, [FIRST + 1, FIRST + 2]);
    let lines = by_hand(exchanges.iter().map(|exchange| &**exchange));
    assert_eq!((lines[0].method.as_str(), lines[1].operation.as_str()), ("GET", "SendMessage"));
    let environment = Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None };
    let har = RunRecord::new(environment, None).file(Format::Har, &exchanges);
    let har: serde_json::Value = serde_json::from_str(&har.text).unwrap();
    assert_eq!(har["log"]["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn a_card_that_a_run_has_read_is_taken_over() {
    let told = check_as_told(&[], Options::default());
    let environment = Environment { tool_version: "0.0.0".to_owned(), host: "page".to_owned(), user_agent: None };
    let mut record = RunRecord::new(environment, None);
    for event in &told.events {
        record.apply(event);
    }
    assert!(record.card_of("http://elsewhere.test").is_none());
    let (card, version) = record.card_of(AGENT).expect("the run has read it");
    let desk = Desk::new("", &[], Options::default());
    desk.bench.take_card(&card, Some(&version));
    let composed = desk.choose(&[]);
    assert!(composed.has_card && composed.agent.contains("JSON-RPC 1.0, HTTP+JSON 1.0"), "{}", composed.agent);
    assert!(desk.exchanges.borrow().is_empty(), "nothing was fetched again");
}

#[test]
fn a_conversation_goes_on_over_turns_until_the_task_is_over() {
    for at in ["", "/0.3", "/0.2", "/0.1"] {
        let desk = Desk::with_card(at, &[]);
        let heard = desk.talk(ConversationAction::Say, "multi-turn");
        assert_eq!(heard.talk.waits, "input", "{at}: {:?}", heard.talk);
        let (task, context) = (heard.talk.task.clone(), heard.talk.context.clone());
        assert!(!task.is_empty() && !context.is_empty(), "{at}");
        let heard = desk.talk(ConversationAction::Say, "done");
        assert_eq!((heard.talk.waits.as_str(), heard.talk.task.as_str()), ("", ""), "{at}");
        assert!(desk.body_of_last().contains(&task) && desk.body_of_last().contains(&context), "{at}");
        let turns = desk.turns();
        assert!(turns.iter().any(|turn| turn.starts_with("artifact: The conversation is over")), "{at}: {turns:?}");
        // Another task in the same context.
        let heard = desk.talk(ConversationAction::Say, "task-lifecycle");
        assert_eq!(heard.talk.context, context, "{at}");
        let names_task = desk.body_of_last().contains(&format!("\"{task}\""));
        assert!(!names_task && desk.body_of_last().contains(&context), "{at}");
        assert!(
            desk.bench.talk(&desk.draft.borrow(), ConversationAction::Cancel, "").is_err(),
            "{at}: there is none to cancel"
        );
        desk.talk(ConversationAction::Restart, "");
        assert_eq!(desk.turns(), Vec::<String>::new());
    }
}

#[test]
fn artifacts_grow_as_they_come_and_a_task_is_cancelled_while_it_is_watched() {
    let desk = Desk::with_card("", &[]);
    let going_on = desk.bench.talk(&desk.draft.borrow(), ConversationAction::Stream, "streaming").unwrap();
    let watching = async {
        let mut grown = Vec::new();
        let mut known = 0;
        loop {
            let heard = desk.bench.hear(known).await;
            known = heard.count;
            grown.extend(heard.talk.turns.iter().find(|turn| turn.who == "artifact").map(|turn| turn.text.clone()));
            if heard.is_over {
                return grown;
            }
        }
    };
    let ((), mut grown) = desk.clock.block_on(join(going_on, watching));
    grown.dedup();
    assert!(grown.len() > 2, "{grown:?}");
    assert_eq!(grown.last().map(String::as_str), Some("One artifact, four chunks."));

    let going_on = desk.bench.talk(&desk.draft.borrow(), ConversationAction::Stream, "task-cancel").unwrap();
    let cancelling = async {
        desk.bench.hear(1).await;
        let cancel = desk.bench.talk(&desk.draft.borrow(), ConversationAction::Cancel, "").expect("beside the stream");
        cancel.await;
    };
    let watching = async {
        let mut known = 0;
        loop {
            let heard = desk.bench.hear(known).await;
            known = heard.count;
            if heard.is_over {
                return heard;
            }
        }
    };
    let ((), (), heard) = desk.clock.block_on(join3(going_on, cancelling, watching));
    assert!(desk.turns().contains(&"state: canceled".to_owned()), "{:?}", desk.turns());
    assert_eq!(heard.ended.unwrap().evidence.step, "SendStreamingMessage", "the stream is what is shown");
}
