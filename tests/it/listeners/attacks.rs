//! The attacks that take long: run by `make hostile`.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Attack, Client, agent_with_files, answers_others, connect, message, post};
use crate::cli::Served;

#[test]
#[ignore = "it waits for half a minute: make hostile"]
fn whoever_says_nothing_or_speaks_slowly_is_cut_off() {
    let agent = Served::agent(&["grpc"]);
    let mut attack = Attack::new("silent and slow connections");
    let begun = Instant::now();
    let kinds: [(&str, &[u8]); 6] = [
        ("silent", b""),
        ("a byte", b"G"),
        ("half a head", b"POST /rpc HTTP/1.1\r\nX-Slow: "),
        ("half a body", b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n{"),
        ("half a preface", b"PRI * HTTP/2.0\r\n"),
        ("no frame", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ];
    let mut open: Vec<_> = kinds
        .iter()
        .map(|(name, bytes)| {
            let mut stream = connect(agent.agent_url());
            stream.write_all(bytes).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
            (*name, stream)
        })
        .collect();
    // Over HTTP/2 a client that has begun may wait longer.
    let most = Duration::from_secs(70);
    while !open.is_empty() && begun.elapsed() < most {
        std::thread::sleep(Duration::from_millis(200));
        open.retain_mut(|(name, stream)| {
            // The head and the body come in drops.
            if matches!(*name, "half a head" | "a byte") {
                let _ = stream.write_all(b"a");
            }
            let mut piece = [0; 4096];
            match stream.read(&mut piece) {
                Ok(0) => false,
                Err(error) => matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
                Ok(_) => true,
            }
        });
    }
    for (name, _) in &kinds {
        attack.attempt(|| assert!(!open.iter().any(|(left, _)| left == name), "{name} is still open"));
    }
    attack.worst = begun.elapsed();
    attack.end(Some(&agent));
}

#[test]
#[ignore = "it sends 20,000 messages: make hostile"]
fn twenty_thousand_messages_leave_the_agent_as_it_was() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("20,000 messages");
    let mut client = Client::of(agent.agent_url());
    let mut after_2_000 = None;
    for number in 0..20_000 {
        attack.attempt(|| {
            let mut params = message("task-lifecycle");
            params["configuration"] = json!({ "returnImmediately": true });
            assert!(client.call("SendMessage", &params)["result"]["task"]["id"].is_string());
        });
        if number == 2_000 {
            after_2_000 = agent.peak_kb();
        }
    }
    let peak = agent.peak_kb();
    eprintln!("memory after 2,000: {after_2_000:?} KB, after 20,000: {peak:?} KB");
    assert!(peak.zip(after_2_000).is_none_or(|(peak, before)| peak < 2 * before), "{after_2_000:?} {peak:?}");
    attack.end(Some(&agent));
}

#[test]
#[ignore = "it opens 500 streams: make hostile"]
fn five_hundred_subscribers_do_not_keep_anybody_out() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("500 open streams");
    let mut client = Client::of(agent.agent_url());
    let mut params = message("multi-turn");
    params["configuration"] = json!({ "returnImmediately": true });
    let task = client.call("SendMessage", &params)["result"]["task"]["id"].clone();
    let mut open = Vec::new();
    for number in 0..500 {
        attack.attempt(|| {
            let mut stream = connect(agent.agent_url());
            stream.write_all(post("SubscribeToTask", &json!({ "id": task }), "").as_bytes()).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200");
            open.push(stream);
        });
        if number % 100 == 99 {
            attack.attempt(|| answers_others(agent.agent_url()));
        }
    }
    attack.end(Some(&agent));
}

#[test]
#[ignore = "it registers 10,000 webhooks: make hostile"]
fn ten_thousand_webhooks_that_nobody_answers_do_not_use_up_the_connections() {
    let agent = agent_with_files(512, &[]);
    let mut attack = Attack::new("10,000 webhooks that hang");
    // It takes connections and says nothing.
    let hole = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", hole.local_addr().unwrap());
    let mut client = Client::of(agent.agent_url());
    for _ in 0..100 {
        let mut params = message("multi-turn");
        params["configuration"] = json!({ "returnImmediately": true });
        let task = client.call("SendMessage", &params)["result"]["task"]["id"].clone();
        for _ in 0..100 {
            attack.attempt(|| {
                let params = json!({ "taskId": task, "url": url });
                let answer = client.call("CreateTaskPushNotificationConfig", &params);
                assert!(answer["result"]["id"].is_string(), "{answer}");
            });
        }
        // All of them are told at once.
        let cancelled = client.call("CancelTask", &json!({ "id": task }));
        assert_eq!(cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED", "{cancelled}");
        attack.attempt(|| answers_others(agent.agent_url()));
    }
    attack.end(Some(&agent));
}

/// The shortest of the times that a hundred calls took, of which this is the last: others may have had the processor during the rest.
fn shortest(times: &[Duration], end: usize) -> Duration {
    times[end - 100..end].iter().copied().min().unwrap()
}

#[test]
#[ignore = "it sends 10,000 messages: make hostile"]
fn a_client_that_is_watched_waits_no_longer_for_its_last_answer_than_for_its_first() {
    let mut table = Vec::new();
    for watch in [false, true] {
        let mut args = vec!["agent", "--listen", "127.0.0.1:0"];
        args.extend(if watch { &["--watch", "--quiet"][..] } else { &[] });
        let agent = Served::start(&args, "scripted agent");
        let mut attack = Attack::new(if watch { "5,000 messages, watched" } else { "5,000 messages" });
        let mut client = Client::of(agent.agent_url());
        let times: Vec<Duration> = (0..5_000)
            .map(|number| {
                let mut params = message("message-only hello");
                params["message"]["messageId"] = Value::from(format!("m-{number}"));
                let begun = Instant::now();
                attack.attempt(|| assert!(client.call("SendMessage", &params)["result"].is_object()));
                begun.elapsed()
            })
            .collect();
        table.push([100, 1_000, 5_000].map(|count| shortest(&times, count)));
        attack.end(Some(&agent));
    }
    let [plain, watched] = &table[..] else { panic!("two runs") };
    eprintln!("time of a call after 100, 1,000 and 5,000: {plain:?}, watched {watched:?}");
    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    eprintln!("watched, the last is {:.1} times the first", ratio(watched[2], watched[0]));
    assert!(ratio(watched[2], watched[0]) < 5.0, "{watched:?}");
    assert!(ratio(watched[2], plain[2]) < 10.0, "{watched:?} {plain:?}");
}
