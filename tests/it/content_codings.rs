//! Answers with a content coding (RFC 9110 §8.4), which nobody asked for and which is acceptable all the same (RFC 9110 §12.5.3): the built
//! program against real sockets.

use std::collections::BTreeMap;
use std::io::Write;
use std::thread;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::Value;

use crate::attacks::{EVENTS, JSON, ProgramRun, answer, server};
use crate::cli::{Served, run, stderr, stdout};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file of gzip may have many members (RFC 1952 §2.2): so many times the same.
fn members(bytes: &[u8], count: usize) -> Vec<u8> {
    gzip(bytes).repeat(count)
}

fn with_coding(media: &str, coding: &str) -> String {
    format!("{media}\r\nContent-Encoding: {coding}")
}

/// What a run says of each row, by check and lane.
fn verdicts(ran: &ProgramRun) -> BTreeMap<String, String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    ran.rows().map(|row| (format!("{} {}", text(row, "test"), text(row, "lane")), text(row, "status"))).collect()
}

#[test]
fn an_agent_that_compresses_all_that_it_sends_is_judged_as_one_that_does_not() {
    let run_of = |variants: &'static [&'static str]| {
        thread::spawn(move || {
            let agent = Served::agent(variants);
            ProgramRun::check("compressing or not", agent.agent_url(), &["--no-webhooks"])
        })
    };
    let (plain, compressing) = (run_of(&[]), run_of(&["compressing"]));
    let (plain, compressing) = (plain.join().unwrap(), compressing.join().unwrap());
    assert_eq!(compressing.failed(), Vec::<&str>::new());
    assert_eq!(verdicts(&compressing), verdicts(&plain));
    // Header fields stay as they were sent.
    assert!(compressing.text.to_lowercase().contains("content-encoding"));
    assert!(!plain.text.to_lowercase().contains("content-encoding"));
}

#[test]
fn what_is_shown_says_what_it_was_decoded_from() {
    // The fault is why the report shows an exchange.
    let agent = Served::agent(&["compressing", "card-no-etag"]);
    let output = run(&["check", agent.agent_url(), "--only", "discovery.*", "--trace", "--format", "html"]);
    let traced = stderr(&output);
    assert!(traced.contains(" bytes, decoded from gzip\n") && traced.contains("\"skills\""), "{traced}");
    assert!(stdout(&output).contains("Response, decoded from gzip"));
}

#[test]
fn a_card_in_any_coding_is_read() {
    let agent = Served::agent(&[]);
    // Without an origin the scripted agent's card has its own address, so that it is called as it is.
    let card = crate::cli::talk(agent.agent_url(), "GET /.well-known/agent-card.json HTTP/1.0\r\n\r\n", "no such text");
    let card = card.split_once("\r\n\r\n").unwrap().1.as_bytes().to_vec();
    let zlib = {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&card).unwrap();
        encoder.finish().unwrap()
    };
    // What the server that is added here leaves out of the head.
    let advice = ["discovery.cache-control", "discovery.etag"];
    for (coding, bytes) in [
        ("gzip", gzip(&card)),
        ("x-gzip", gzip(&card)),
        ("deflate", zlib),
        ("gzip, gzip", gzip(&gzip(&card))),
        ("identity", card.clone()),
        ("UTF-8", card.clone()),
    ] {
        let media = with_coding(JSON, coding);
        let url = server(agent.agent_url(), usize::MAX, move |_, asked, stream| {
            !asked.is_call() && answer(stream, &media, Some(bytes.len()), [&bytes])
        });
        let ran = ProgramRun::check(
            coding,
            &url,
            &["--only", "discovery.*", "--no-webhooks", "--allow-origin", agent.agent_url()],
        );
        assert_eq!(ran.failed(), advice, "{coding}");
        let read = ran.rows().any(|row| row["test"] == "discovery.well-known-is-card" && row["status"] == "pass");
        assert!(read, "{coding}: {}", ran.report["categories"]["agentCard"]);
    }
}

#[test]
fn bombs_are_told_as_too_large_and_stay_small() {
    let agent = Served::agent(&[]);
    let mega = vec![b' '; 1 << 20];
    let ten_gb = members(&mega, 10 * 1024);
    assert!(ten_gb.len() > 8 << 20 && ten_gb.len() < 12 << 20, "{}", ten_gb.len());
    let nested = gzip(&members(&mega, 1024));
    for (what, coding, bytes) in [("10 GB in 10 MB", "gzip", ten_gb), ("a bomb in a bomb", "gzip, gzip", nested)] {
        let media = with_coding(JSON, coding);
        let url = server(agent.agent_url(), usize::MAX, move |_, asked, stream| {
            asked.sends() && answer(stream, &media, Some(bytes.len()), [&bytes])
        });
        let ran = ProgramRun::check(what, &url, &["--only", "send.accepts-text", "--no-webhooks"]);
        ran.says("the body is longer than 5 MB: reading stopped");
        assert_eq!(ran.failed(), Vec::<&str>::new(), "{what}");
    }
    let comments = members(": keep-alive\n".repeat(80_000).as_bytes(), 50);
    let media = with_coding(EVENTS, "gzip");
    let url = server(agent.agent_url(), usize::MAX, move |_, asked, stream| {
        asked.streams() && answer(stream, &media, Some(comments.len()), [&comments])
    });
    ProgramRun::check("a stream of comments", &url, &["--only", "stream.first-event", "--no-webhooks"])
        .says("the stream is longer than 8 MB");
}

#[test]
fn what_cannot_be_decoded_is_told_by_the_name_of_its_coding_and_held_against_nobody() {
    let agent = Served::agent(&[]);
    let body = gzip(&vec![b' '; 4096]);
    let cut = body[..body.len() / 2].to_vec();
    let many = "gzip, ".repeat(1000);
    for (coding, bytes, words) in [
        ("foo", body.clone(), "the body has the content coding \"foo\", and only gzip, deflate and br are decoded"),
        ("zstd", body.clone(), "the body has the content coding \"zstd\", and only gzip, deflate and br are decoded"),
        ("br", b"{\"not\": \"brotli\"}".to_vec(), "the body cannot be decoded from br: its data are damaged"),
        ("gzip", b"{\"not\": \"gzip\"}".to_vec(), "the body cannot be decoded from gzip: its data are damaged"),
        ("gzip", cut, "the body ends in the middle of its gzip data"),
        (many.as_str(), body, "the body has 1000 content codings, and at most 5 are decoded"),
    ] {
        let media = with_coding(JSON, coding);
        let of_card = (media.clone(), bytes.clone());
        let url = server(agent.agent_url(), usize::MAX, move |_, asked, stream| {
            asked.sends() && answer(stream, &media, Some(bytes.len()), [&bytes])
        });
        let ran = ProgramRun::check(words, &url, &["--only", "send.accepts-text", "--no-webhooks"]);
        ran.says(words);
        assert_eq!(ran.failed(), Vec::<&str>::new(), "{words}");
        let accused = ran.rows().filter_map(|row| row["message"].as_str()).any(|said| said.contains("not JSON ("));
        assert!(!accused, "{words}");
        let url = server(agent.agent_url(), usize::MAX, move |_, _, stream| {
            answer(stream, &of_card.0, Some(of_card.1.len()), [&of_card.1])
        });
        let ran = ProgramRun::check(words, &url, &["--no-webhooks"]);
        assert!(ran.incomplete().contains(words), "{}", ran.incomplete());
        assert_eq!(ran.failed(), Vec::<&str>::new(), "{words}");
    }
}
