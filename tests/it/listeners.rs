//! Attacks on what listens: the scripted agent, the page that `serve` hands out, and the receiver of webhooks, over real sockets. Each
//! survives, stays small, and answers others all the while. Prints what was tried, what survived, and the worst time and memory.
//! Those that take long are in `attacks`: `cargo test --test it listeners::attacks -- --ignored --nocapture`.

mod attacks;
mod bodies;
mod http2;
mod names;
mod paths;
mod requests;

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::{Folder, Served, program};

/// The most memory that a listener may take, whatever it meets.
const MOST_KB: u64 = 300 * 1024;

/// How long somebody else may wait for an answer during an attack. Tests run on machines that are busy with others.
const PATIENCE: Duration = Duration::from_secs(15);

/// An attack: how often something was tried, and how often the listener came through it.
struct Attack {
    name: &'static str,
    tried: usize,
    survived: usize,
    worst: Duration,
}

impl Attack {
    fn new(name: &'static str) -> Self {
        Self { name, tried: 0, survived: 0, worst: Duration::ZERO }
    }

    /// One attempt, which panics where it is not survived.
    fn attempt<T>(&mut self, attempt: impl FnOnce() -> T) -> T {
        self.tried += 1;
        let begun = Instant::now();
        let made = attempt();
        self.worst = self.worst.max(begun.elapsed());
        self.survived += 1;
        made
    }

    /// The row of the table, once a listener that was attacked still answers and is small.
    fn end(mut self, served: Option<&Served>) {
        let peak = served.and_then(|served| {
            self.worst = self.worst.max(answers_others(served.agent_url()));
            served.peak_kb()
        });
        assert!(peak.is_none_or(|peak| peak < MOST_KB), "{}: {peak:?} KB", self.name);
        let mut row = format!("{:<44} tried {:>6}  survived {:>6}", self.name, self.tried, self.survived);
        let _ = write!(row, "  worst time {:>7.3} s", self.worst.as_secs_f64());
        if let Some(peak) = peak {
            let _ = write!(row, "  worst memory {:>4} MB", peak / 1024);
        }
        // One line at a time, whichever tests run side by side.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock();
        eprintln!("{row}");
        assert_eq!(self.tried, self.survived, "{}", self.name);
    }
}

fn connect(url: &str) -> TcpStream {
    let stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// What comes back for these bytes until the other side closes, or says nothing for so long.
fn said(url: &str, bytes: &[u8], patience: Duration) -> String {
    let mut stream = connect(url);
    stream.set_read_timeout(Some(patience)).unwrap();
    // It may have hung up before everything was sent.
    let _ = stream.write_all(bytes);
    let mut said = Vec::new();
    let mut piece = [0; 16 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        said.extend_from_slice(&piece[..count]);
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// How long it takes to get the card from an agent, as anybody else would.
fn answers_others(url: &str) -> Duration {
    let begun = Instant::now();
    let card = said(
        url,
        b"GET /.well-known/agent-card.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        PATIENCE,
    );
    assert!(card.starts_with("HTTP/1.1 200 ") && card.contains("supportedInterfaces"), "{card:?}");
    begun.elapsed()
}

/// A call over JSON-RPC, with more header lines.
fn post(method: &str, params: &Value, more: &str) -> String {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    format!(
        "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{call}",
        call.len()
    )
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A client that keeps its connection. Reads answers whose length is announced, or chunked.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    fn of(url: &str) -> Self {
        let stream = connect(url);
        stream.set_nodelay(true).unwrap();
        Self { stream, buffer: Vec::new() }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.stream.write_all(post(method, params, "").as_bytes()).unwrap();
        let head = self.take_until(b"\r\n\r\n").to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let body = match length {
            Some(length) => self.take(length),
            None => {
                assert!(head.contains("transfer-encoding: chunked"), "{head}");
                let mut body = Vec::new();
                loop {
                    let size = usize::from_str_radix(self.take_until(b"\r\n").trim(), 16).unwrap();
                    body.extend(self.take(size));
                    self.take(2);
                    if size == 0 {
                        break body;
                    }
                }
            }
        };
        serde_json::from_slice(&body).unwrap()
    }

    fn take_until(&mut self, end: &[u8]) -> String {
        loop {
            if let Some(place) = self.buffer.windows(end.len()).position(|window| window == end) {
                return String::from_utf8(self.take(place + end.len())).unwrap();
            }
            self.read();
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            self.read();
        }
        self.buffer.drain(..length).collect()
    }

    fn read(&mut self) {
        let mut piece = [0; 16 * 1024];
        let count = self.stream.read(&mut piece).unwrap();
        assert!(count > 0, "it hung up");
        self.buffer.extend_from_slice(&piece[..count]);
    }
}

/// The agent in a process that may open so few files.
fn agent_with_files(files: usize, more: &[&str]) -> Served {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]).arg(program().get_program());
    Served::of(command.args(["agent", "--listen", "127.0.0.1:0"]).args(more), "scripted agent")
}

/// The page, with the agent beside it.
fn page(folder: &Folder) -> Served {
    std::fs::write(folder.0.join("index.html"), "the start page").unwrap();
    let folder = folder.0.to_str().unwrap();
    Served::start(&["serve", "--page", folder, "--listen", "127.0.0.1:0", "--agent", "127.0.0.1:0"], "open ")
}

#[test]
fn five_hundred_connections_that_say_nothing_do_not_keep_anybody_out() {
    // So few files that they cannot all stay open.
    let agent = agent_with_files(256, &[]);
    let mut attack = Attack::new("500 silent connections, 256 files");
    let mut open = Vec::new();
    for number in 0..500 {
        attack.attempt(|| open.push(connect(agent.agent_url())));
        if number % 100 == 99 {
            attack.attempt(|| answers_others(agent.agent_url()));
        }
    }
    attack.end(Some(&agent));
}

#[test]
fn connections_that_wait_for_their_next_request_make_room_for_others() {
    let agent = agent_with_files(128, &[]);
    let mut attack = Attack::new("300 idle connections, 128 files");
    let mut open = Vec::new();
    for _ in 0..300 {
        attack.attempt(|| {
            let mut client = Client::of(agent.agent_url());
            assert!(client.call("GetTask", &json!({ "id": "none" }))["error"].is_object());
            open.push(client);
        });
    }
    attack.end(Some(&agent));
}

#[test]
fn the_oldest_tasks_are_forgotten_and_who_asks_for_one_is_told() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("1,500 tasks");
    let mut client = Client::of(agent.agent_url());
    let mut first = Value::Null;
    let kept = json!({ "returnImmediately": true });
    for number in 0..1_500 {
        attack.attempt(|| {
            let mut params = message("task-lifecycle");
            params["configuration"] = kept.clone();
            let task = client.call("SendMessage", &params)["result"]["task"]["id"].clone();
            assert!(task.is_string());
            if number == 0 {
                first = task;
            }
        });
    }
    let answer = client.call("GetTask", &json!({ "id": first }));
    let said = answer["error"]["message"].as_str().unwrap();
    assert!(said.contains("this agent has forgotten 500 older tasks: it keeps 1000 at most"), "{answer}");
    attack.end(Some(&agent));
}

#[test]
fn a_task_has_so_many_webhooks_and_none_where_no_client_is() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("webhooks by the hundred, and in odd places");
    let mut client = Client::of(agent.agent_url());
    let mut params = message("multi-turn");
    params["configuration"] = json!({ "returnImmediately": true });
    let task = client.call("SendMessage", &params)["result"]["task"]["id"].clone();
    let config = |url: &str| json!({ "taskId": task, "url": url });
    for number in 0..150 {
        attack.attempt(|| {
            let answer = client.call("CreateTaskPushNotificationConfig", &config("http://127.0.0.1:9/hook"));
            if number < 100 {
                assert!(answer["result"]["id"].is_string(), "{number}: {answer}");
            } else {
                let said = answer["error"]["message"].as_str().unwrap();
                assert!(said.contains("has 100 push notification configs, the most that a task has here"), "{said}");
            }
        });
    }
    let other = client.call("SendMessage", &params)["result"]["task"]["id"].clone();
    for url in ["http://169.254.169.254/latest/", "http://[fe80::1]/", "http://2852039166/", "http://0xa9fea9fe/"] {
        attack.attempt(|| {
            let answer = client.call("CreateTaskPushNotificationConfig", &json!({ "taskId": other, "url": url }));
            let said = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(said.contains("must not point into a private network"), "{url}: {answer}");
        });
    }
    // A page from elsewhere would reach through the agent what its browser keeps from it.
    for (origin, is_allowed) in [("https://page.example", false), ("null", false), ("http://localhost:8484", true)] {
        attack.attempt(|| {
            let params = json!({ "taskId": other, "url": "http://127.0.0.1:9/hook" });
            let more = format!("Origin: {origin}\r\nConnection: close\r\n");
            let call = post("CreateTaskPushNotificationConfig", &params, &more);
            let answer = said(agent.agent_url(), call.as_bytes(), PATIENCE);
            assert_eq!(answer.contains("must not point into a private network"), !is_allowed, "{origin}: {answer}");
        });
    }
    attack.end(Some(&agent));
}

/// A webhook that begins each answer so and goes on with this piece for ever. Returns its URL, and the length of each answer when the
/// agent has closed its connection.
fn endless_webhook(head: &'static str, piece: Vec<u8>, pause: Duration) -> (String, Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (ended, ends) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, piece, ended) = (stream.unwrap(), piece.clone(), ended.clone());
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 16 * 1024]);
                let mut length = 0;
                let mut sent = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes());
                while sent.is_ok() {
                    std::thread::sleep(pause);
                    sent = stream.write_all(&piece);
                    length += piece.len();
                }
                let _ = ended.send(length);
            });
        }
    });
    (url, ends)
}

#[test]
fn the_answers_of_webhooks_are_read_no_further_than_a_little() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("webhooks that answer without an end");
    let hooks = [
        endless_webhook("Content-Length: 1000000000000", vec![b'x'; 64 * 1024], Duration::ZERO),
        endless_webhook(
            "Transfer-Encoding: chunked",
            b"400\r\n".iter().copied().chain([b'x'; 1024]).chain(*b"\r\n").collect(),
            Duration::ZERO,
        ),
        endless_webhook("Content-Type: text/event-stream", b": ping\n\n".to_vec(), Duration::from_millis(250)),
    ];
    for (url, _) in &hooks {
        let mut params = message("task-lifecycle");
        params["configuration"] = json!({ "taskPushNotificationConfig": { "url": url } });
        let answer = Client::of(agent.agent_url()).call("SendMessage", &params);
        assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    }
    for (url, ends) in &hooks {
        let length = attack.attempt(|| ends.recv_timeout(Duration::from_secs(60)).unwrap());
        assert!(length < 128 << 20, "{url}: {length} bytes");
    }
    assert!(agent.peak_kb().is_none_or(|peak| peak < 64 * 1024), "{:?} KB", agent.peak_kb());
    attack.end(Some(&agent));
}

#[test]
fn a_webhook_that_is_the_agent_itself_makes_no_loop() {
    let agent = Served::agent(&[]);
    let mut attack = Attack::new("webhooks that are the agent itself");
    for path in ["/rpc", "/rest/message:send", "/0.3/rpc", "/_captured", "/.well-known/agent-card.json"] {
        attack.attempt(|| {
            let mut client = Client::of(agent.agent_url());
            let mut params = message("task-lifecycle");
            let url = format!("{}{path}", agent.agent_url());
            params["configuration"] = json!({ "taskPushNotificationConfig": { "url": url } });
            let answer = client.call("SendMessage", &params);
            assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
        });
    }
    std::thread::sleep(Duration::from_secs(1));
    let ask = "GET /_captured HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    let captured = said(agent.agent_url(), ask.as_bytes(), PATIENCE);
    let received = captured.matches("\"number\":").count();
    // Each event once, and once more where it was refused.
    assert!((5..100).contains(&received), "{received}");
    attack.end(Some(&agent));
}
