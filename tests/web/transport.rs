//! The page's transport and clock in a real browser.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::host::{Clock, Host, Signed, StreamedResponse, Verifier, Visibility, web};
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::Request;
use a2a_conformance::wire::json::Value;
use futures_util::future::{Either, LocalBoxFuture, join, join3, select};
use futures_util::{FutureExt, StreamExt};
use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Blob, BlobPropertyBag, Url};

fn host() -> Host {
    web::host(&OWN)
}

/// The URL of a blob of so many bytes `x`.
fn blob_url(size: u32) -> String {
    let bytes = Uint8Array::new_with_length(size);
    bytes.fill(b'x', 0, size);
    let kind = BlobPropertyBag::new();
    kind.set_type("text/event-stream");
    let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&bytes), &kind).unwrap();
    Url::create_object_url_with_blob(&blob).unwrap()
}

async fn send(request: Request) -> StreamedResponse {
    match host().transport.send(request).await {
        Ok(answer) => answer,
        Err(trouble) => panic!("{trouble:?}"),
    }
}

async fn trouble(url: &str) -> TransportError {
    match host().transport.send(Request::get(url)).await {
        Ok(answer) => panic!("{url} answered {:?}", answer.head),
        Err(trouble) => trouble,
    }
}

#[wasm_bindgen_test]
async fn a_body_is_streamed_with_its_head() {
    const SIZE: u32 = 3 << 20;
    let url = blob_url(SIZE);
    let StreamedResponse { head, mut body } = send(Request::get(url.clone())).await;
    assert_eq!((head.status, head.redirected, head.url), (200, false, url));
    assert_eq!(head.headers.media_type().as_deref(), Some("text/event-stream"));
    let mut sizes = Vec::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.unwrap();
        assert!(chunk.iter().all(|byte| *byte == b'x'));
        sizes.push(chunk.len());
    }
    assert_eq!(sizes.iter().sum::<usize>(), SIZE as usize);
    assert!(sizes.len() > 1, "all in one piece");
    assert!(body.next().await.is_none(), "and it stays ended");
}

#[wasm_bindgen_test]
async fn a_data_url_answers_its_bytes() {
    let mut answer = send(Request::get("data:application/json,%7B%22a%22%3A%22%C3%A9%22%7D")).await;
    assert_eq!(answer.head.headers.media_type().as_deref(), Some("application/json"));
    assert_eq!(answer.body.next().await, Some(Ok("{\"a\":\"é\"}".as_bytes().to_vec())));
    assert_eq!(answer.body.next().await, None);
}

#[wasm_bindgen_test]
async fn an_empty_body_ends_at_once() {
    let mut answer = send(Request::get("data:text/plain,")).await;
    assert_eq!(answer.body.next().await, None);
}

#[wasm_bindgen_test]
async fn nobody_listening_is_opaque() {
    // No service has this port; a browser refuses some low ones by itself.
    let trouble = trouble("http://127.0.0.1:59321/").await;
    assert_eq!(trouble.kind, TransportErrorKind::Opaque);
    assert!(!trouble.detail.is_empty());
}

#[wasm_bindgen_test]
async fn what_is_no_url_is_a_bad_url() {
    for url in ["", "nonsense", "/relative", "http://", "http://user:pass@127.0.0.1/"] {
        assert_eq!(trouble(url).await.kind, TransportErrorKind::BadUrl, "{url}");
    }
}

#[wasm_bindgen_test]
async fn a_header_that_cannot_be_sent_is_told_without_its_value() {
    let request = Request::get("http://127.0.0.1:59321/").with_header("X-Key", "secret\nvalue");
    let trouble = host().transport.send(request).await.err().unwrap();
    assert_eq!((trouble.kind, trouble.detail.as_str()), (TransportErrorKind::Other, "the header X-Key cannot be sent"));
}

#[wasm_bindgen_test]
async fn dropping_aborts_and_nothing_breaks() {
    let host = host();
    // Before it was sent, while it is under way, and with half a body.
    drop(host.transport.send(Request::get("http://127.0.0.1:59321/")));
    let mut sending = host.transport.send(Request::get("http://127.0.0.1:59321/"));
    assert!((&mut sending).now_or_never().is_none());
    drop(sending);
    let mut answer = send(Request::get(blob_url(8 << 20))).await;
    assert!(answer.body.next().await.is_some());
    drop(answer);
    host.clock.sleep(50.0).await;
}

#[wasm_bindgen_test]
async fn sleeps_last_about_as_long_as_they_are_told_side_by_side() {
    let clock = host().clock;
    let before = clock.now_ms();
    join(clock.sleep(120.0), clock.sleep(60.0)).await;
    clock.sleep(0.0).await;
    clock.sleep(-1.0).await;
    clock.sleep(f64::NAN).await;
    let took = clock.now_ms() - before;
    assert!((119.0..5000.0).contains(&took), "{took} ms");
    assert!(clock.wall_ms() > 1.7e12, "milliseconds since 1970");
}

#[wasm_bindgen_test]
async fn where_no_wait_takes_real_time_sleeps_still_end_in_their_order() {
    let (real, clock) = (host().clock, web::without_waits(host()).clock);
    let (begun, before) = (real.now_ms(), clock.now_ms());
    let order = RefCell::new(Vec::new());
    let sleeper = async |name: &'static str, ms: f64| {
        clock.sleep(ms).await;
        order.borrow_mut().push(name);
    };
    join3(sleeper("hour", 3_600_000.0), sleeper("second", 1_000.0), sleeper("minute", 60_000.0)).await;
    assert_eq!(*order.borrow(), ["second", "minute", "hour"]);
    assert!((clock.now_ms() - before - 3_600_000.0).abs() < 1.0, "{} ms by its own time", clock.now_ms() - before);
    assert!(real.now_ms() - begun < 10_000.0, "{} ms by ours", real.now_ms() - begun);
    // What was dropped is not waited for, and does not stop those that wait.
    drop(clock.sleep(5.0));
    match select(clock.sleep(10.0), clock.sleep(20.0)).await {
        Either::Left(((), longer)) => drop(longer),
        Either::Right(_) => panic!("the longer one was shorter"),
    }
    clock.sleep(1.0).await;
}

/// A browser that takes its time to verify: by a clock of its own.
struct SlowVerifier(Rc<dyn Clock>);

impl Verifier for SlowVerifier {
    fn verify(&self, _: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        let slow = self.0.sleep(50.0);
        Box::pin(async move {
            slow.await;
            Ok(true)
        })
    }
}

#[wasm_bindgen_test]
async fn no_time_passes_while_the_browser_verifies() {
    let browser = host();
    let verifier = Rc::new(SlowVerifier(Rc::clone(&browser.clock)));
    let host = web::without_waits(Host { verifier, ..browser });
    let signed = Signed { algorithm: "ES256".to_owned(), key: Value::Null, bytes: Vec::new(), signature: Vec::new() };
    let (sleep, verified) = (host.clock.sleep(60_000.0), host.verifier.verify(signed));
    match select(sleep, verified).await {
        Either::Left(_) => panic!("a minute went by"),
        Either::Right((verified, sleep)) => {
            assert_eq!(verified, Ok(true));
            sleep.await;
        }
    }
}

#[wasm_bindgen_test]
async fn a_dropped_sleep_is_forgotten_and_one_may_outlive_its_clock() {
    let host = host();
    let (short, long) = (host.clock.sleep(20.0), host.clock.sleep(60_000.0));
    match select(short, long).await {
        Either::Left(((), long)) => drop(long),
        Either::Right(_) => panic!("the long one was shorter"),
    }
    let orphan = host.clock.sleep(40.0);
    drop(host);
    orphan.await;
}

#[wasm_bindgen_test]
async fn sleeps_end_without_a_worker_too() {
    // One that cannot be made, and one that a policy forbids after it was made.
    for body in [
        "throw new DOMException('no', 'SecurityError')",
        "this.postMessage = this.terminate = () => {}; setTimeout(() => this.onerror(new Event('error')), 10);",
    ] {
        let window = web_sys::window().unwrap();
        let (name, own) = ("Worker".into(), Function::new_with_args("", body));
        let real = Reflect::get(&window, &name).unwrap();
        Reflect::set(&window, &name, &own).unwrap();
        let clock = host().clock;
        Reflect::set(&window, &name, &real).unwrap();
        let before = clock.now_ms();
        clock.sleep(60.0).await;
        let took = clock.now_ms() - before;
        assert!((58.0..5000.0).contains(&took), "{body}: {took} ms");
    }
}

#[wasm_bindgen_test]
fn a_page_knows_what_it_cannot_see_and_makes_ids() {
    let host = host();
    assert_eq!(host.visibility, Visibility::PAGE);
    let (one, two) = (host.ids.fresh(), host.ids.fresh());
    assert!(one.len() == 36 && one != two, "{one} {two}");
}
