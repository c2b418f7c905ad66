//! Benchmarks that print ratios: how much longer a bigger input takes than a small one, and what a run costs.
//!
//! `cargo bench` (or `make bench`). Nothing here fails: a timed test would fail on a busy machine.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::run();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::time::Instant;

    use a2a_conformance::wire::json::parse;
    use a2a_conformance::wire::sse::{Limits, Parser};

    /// The shortest of several runs, in milliseconds.
    fn best(mut work: impl FnMut()) -> f64 {
        (0..7)
            .map(|_| {
                let started = Instant::now();
                work();
                started.elapsed().as_secs_f64() * 1000.0
            })
            .fold(f64::INFINITY, f64::min)
    }

    fn stream(events: usize) -> Vec<u8> {
        let event = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t\"}}}\n\n";
        event.repeat(events).into_bytes()
    }

    fn document(tasks: usize) -> Vec<u8> {
        let task = r#"{"id":"t-1","status":{"state":"TASK_STATE_COMPLETED"},"history":[{"messageId":"m","parts":[{"text":"hi"}]}]}"#;
        format!("[{}]", vec![task; tasks].join(",")).into_bytes()
    }

    fn sse(bytes: &[u8], chunk: usize) {
        let mut parser = Parser::new(Limits::default());
        let mut events = 0;
        for chunk in bytes.chunks(chunk) {
            events += parser.push(chunk).len();
        }
        assert!(events + parser.finish().len() > 0);
    }

    #[expect(clippy::print_stdout, reason = "a benchmark's whole point is what it prints")]
    pub(super) fn run() {
        let (small, large) = (stream(1_000), stream(10_000));
        let (one, ten) = (best(|| sse(&small, 1400)), best(|| sse(&large, 1400)));
        println!(
            "sse    1 000 events {one:8.2} ms   10 000 events {ten:8.2} ms   ratio {:5.1} (10 is linear)",
            ten / one
        );
        let bytewise = best(|| sse(&small, 1));
        println!("sse    byte by byte {bytewise:8.2} ms   ratio to whole chunks {:5.1}", bytewise / one);

        let (small, large) = (document(500), document(5_000));
        let (one, ten) = (best(|| drop(parse(&small))), best(|| drop(parse(&large))));
        println!(
            "json   500 tasks    {one:8.2} ms   5 000 tasks   {ten:8.2} ms   ratio {:5.1} (10 is linear)",
            ten / one
        );
        let reference = best(|| drop(serde_json::from_slice::<serde_json::Value>(&large)));
        println!("json   serde_json   {reference:8.2} ms   ratio to it {:5.1}", ten / reference);
    }
}
