//! Control endpoints by names that are not of this machine (DNS rebinding), past proxies, and from pages of others.

use super::{Attack, PATIENCE, said};
use crate::cli::Served;

/// Ways to ask that are not those of a program or a page of this machine: the target, and the header lines.
const FROM_ELSEWHERE: &[(&str, &str)] = &[
    ("PATH", "Host: evil.example"),
    ("PATH", "Host: evil.example:8485"),
    ("PATH", "Host: 127.0.0.1.evil.example"),
    ("PATH", "Host: 192.0.2.1"),
    ("PATH", "Host: "),
    ("PATH", "Host: 127.0.0.1\r\nHost: evil.example"),
    ("PATH", "Host: evil.example\r\nHost: 127.0.0.1"),
    ("PATH", "Host: evil@127.0.0.1"),
    ("http://evil.examplePATH", "Host: 127.0.0.1"),
    ("PATH", "Host: 127.0.0.1\r\nOrigin: https://evil.example"),
    ("PATH", "Host: 127.0.0.1\r\nOrigin: null"),
    ("PATH", "Host: evil.example\r\nOrigin: http://evil.example"),
    ("PATH", "Host: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.1"),
    ("PATH", "Host: 127.0.0.1\r\nX-Forwarded-Host: agent.example"),
    ("PATH", "Host: 127.0.0.1\r\nX-Real-IP: 192.0.2.1"),
    ("PATH", "Host: 127.0.0.1\r\nForwarded: for=192.0.2.1"),
    ("PATH", "Host: 127.0.0.1\r\nVia: 1.1 proxy"),
];

#[test]
fn control_endpoints_are_for_this_machine_and_say_how_others_get_in() {
    let agent = Served::start(&["agent", "--listen", "127.0.0.1:0", "--watch"], "from a page");
    let key = agent.url("from a page elsewhere at ").rsplit('/').next().unwrap().to_owned();
    let mut attack = Attack::new("control endpoints, from elsewhere");
    let ask = |method: &str, target: &str, fields: &str| {
        let request = format!("{method} {target} HTTP/1.1\r\n{fields}\r\nConnection: close\r\n\r\n");
        said(agent.agent_url(), request.as_bytes(), PATIENCE)
    };
    for (path, way_in) in [("/_captured", "--expose-captured"), ("/_watch", "the key that the command prints")] {
        for method in ["GET", "DELETE"] {
            for (target, fields) in FROM_ELSEWHERE {
                attack.attempt(|| {
                    let answer = ask(method, &target.replace("PATH", path), fields);
                    assert!(
                        answer.starts_with("HTTP/1.1 403 ") && answer.contains(way_in),
                        "{method} {path} {fields}: {answer}"
                    );
                });
            }
        }
        for fields in ["Host: 127.0.0.1", "Host: localhost:1", "Host: [::1]"] {
            let answer = ask("GET", path, fields);
            assert!(answer.starts_with("HTTP/1.1 200 "), "{path} {fields}: {answer}");
        }
    }
    // The documented ways in.
    assert!(
        ask("GET", &format!("/_watch/{key}"), "Host: agent.example\r\nVia: 1.1 proxy").starts_with("HTTP/1.1 200 ")
    );
    // Whatever name it has, the agent itself answers: behind a proxy, in a container, for a page.
    let card = ask("GET", "/.well-known/agent-card.json", "Host: agent.example\r\nOrigin: https://page.example");
    assert!(card.starts_with("HTTP/1.1 200 ") && card.contains("access-control-allow-origin: *"), "{card}");
    attack.end(Some(&agent));
}
