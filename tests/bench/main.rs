//! Benchmarks that print ratios: how much longer a bigger input takes than a small one, and what a run costs.
//!
//! `cargo bench` (or `make bench`). Nothing here fails: a timed test would fail on a busy machine.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::run();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::time::Instant;

    use a2a_conformance::engine::options::{Options, Source};
    use a2a_conformance::engine::run as engine_run;
    use a2a_conformance::host::native;
    use a2a_conformance::report::{Environment, Format, ReportBuilder, write};
    use a2a_conformance::suite;
    use a2a_conformance::wire::json::parse;
    use a2a_conformance::wire::sse::{Limits, Parser};
    use serde_json::{Value, json};

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

    /// What a card may list, and where: the member, and each entry of it by its number.
    type CardList = (&'static str, fn(usize) -> Value);

    const LISTS: [(&str, CardList); 7] = [
        ("interfaces", ("/supportedInterfaces", interface)),
        ("skills", ("/skills", |at| skill(at, &[]))),
        ("examples", ("/skills/0/examples", |at| json!(format!("Say {at}")))),
        ("extensions", ("/capabilities/extensions", |at| json!({ "uri": format!("https://e.example/{at}/v1") }))),
        (
            "requirements",
            ("/securityRequirements", |at| json!({ "schemes": { "k": { "list": [format!("scope-{at}")] } } })),
        ),
        ("signatures", ("/signatures", |at| json!({ "protected": "e30", "signature": format!("AAA{}", at % 10) }))),
        ("modes", ("/defaultInputModes", |at| json!(format!("text/x-{at}")))),
    ];

    fn interface(at: usize) -> Value {
        json!({ "url": format!("https://h.example/{at}"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" })
    }

    fn skill(at: usize, examples: &[Value]) -> Value {
        json!({ "id": format!("s{at}"), "name": "s", "description": "s", "tags": ["s"], "examples": examples })
    }

    /// A card that has so many entries in one list.
    fn card((place, entry): CardList, entries: usize) -> Vec<u8> {
        let mut card = json!({
            "name": "n", "description": "d", "version": "1", "capabilities": { "extensions": [] },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "supportedInterfaces": [interface(0)], "skills": [skill(0, &[])], "signatures": [],
            "securitySchemes": { "k": { "apiKeySecurityScheme": { "location": "header", "name": "K" } } },
            "securityRequirements": [],
        });
        if let Some(list) = card.pointer_mut(place) {
            *list = (0..entries).map(entry).collect();
        }
        card.to_string().into_bytes()
    }

    /// Judges a card alone; the number of rows in the report.
    fn judged_alone(card: &[u8]) -> usize {
        let options =
            Options { address: "card.json".to_owned(), source: Source::Card(card.to_vec()), ..Options::default() };
        let builder = Rc::new(RefCell::new(ReportBuilder::new(Environment::default())));
        let applied = Rc::clone(&builder);
        let emit = Rc::new(move |event| applied.borrow_mut().apply(&event));
        native::block_on(engine_run::run(native::host(), suite::AREAS, options, emit));
        let report = builder.borrow().report();
        assert!(!write(&report, Format::Json).is_empty());
        report.results.len()
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
        for (what, list) in LISTS {
            let times = [10, 100, 1_000, 10_000].map(|entries| {
                let card = card(list, entries);
                let mut rows = 0;
                let ms = best(|| rows = judged_alone(&card));
                format!("{entries:6} {ms:8.2} ms {rows:5} rows")
            });
            println!("card   {what:<14}{}", times.join("  "));
        }
    }
}
