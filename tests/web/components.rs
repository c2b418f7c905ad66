//! The page's components in a real browser: what a visitor and a screen reader find, and that nothing an agent sends is
//! ever more than text.

use a2a_conformance::page;
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Document, Element, HtmlElement};

use crate::checker;

fn document() -> Document {
    web_sys::window().unwrap().document().unwrap()
}

fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).unwrap()
}

fn get(selector: &str) -> HtmlElement {
    find(selector).unwrap_or_else(|| panic!("there is no {selector}")).unchecked_into()
}

fn text(selector: &str) -> String {
    get(selector).text_content().unwrap_or_default()
}

pub(crate) async fn sleep(ms: i32) {
    let wait = |resolve: js_sys::Function, _| {
        web_sys::window().unwrap().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).unwrap();
    };
    JsFuture::from(Promise::new(&mut { wait })).await.unwrap();
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        sleep(25).await;
    }
    panic!("waited in vain: {what}");
}

/// The page as on a first visit.
async fn open() {
    open_with(checker::install).await;
}

/// The same with another checker.
async fn open_with(install: impl Fn()) {
    if let Some(old) = find("#app") {
        old.remove();
    }
    install();
    // Else it would open what the test before it had open.
    web_sys::window().unwrap().location().set_hash("").unwrap();
    let app = document().create_element("div").unwrap();
    app.set_id("app");
    document().body().unwrap().append_child(&app).unwrap();
    page::start();
    sleep(20).await;
}

fn type_into(selector: &str, value: &str) {
    let field: web_sys::HtmlInputElement = get(selector).unchecked_into();
    field.set_value(value);
    field.dispatch_event(&web_sys::Event::new("input").unwrap()).unwrap();
}

fn level() -> String {
    find("#verdict").and_then(|verdict| verdict.get_attribute("data-level")).unwrap_or_default()
}

/// Presses a button that starts a run, and waits for the run's end.
async fn run(button: &str) {
    let number = || find("#verdict").and_then(|verdict| verdict.get_attribute("data-run"));
    let before = number();
    get(button).click();
    until("the run", || number() != before).await;
    until("the verdict", || !matches!(level().as_str(), "running" | "none")).await;
    sleep(50).await;
    all_lines().await;
}

/// Waits for the end of a list, which is made in slices.
async fn all_lines() {
    until("all lines", || find(".checks table[aria-busy=true]").is_none()).await;
}

fn all(selector: &str) -> Vec<Element> {
    // web-sys has no node list without one more feature, which the page does not need.
    let all = Reflect::get(&document(), &"querySelectorAll".into()).unwrap().unchecked_into::<js_sys::Function>();
    let all = all.call1(&document(), &selector.into()).unwrap();
    js_sys::Array::from(&all).iter().map(JsCast::unchecked_into).collect()
}

fn count(selector: &str) -> usize {
    all(selector).len()
}

/// The rows of that status, of the lines that are shown.
fn rows(status: &str) -> usize {
    count(&format!("tr[data-check] .dot[data-status={status}]"))
}

/// Shows the lines that are folded away.
async fn unfold() {
    get("#unfold").click();
    until("the lines", || text("#unfold") == "Collapse all").await;
    sleep(20).await;
    all_lines().await;
}

#[wasm_bindgen_test]
async fn the_card_url_is_shown_before_anything_is_sent_and_a_bad_address_is_refused() {
    open().await;
    type_into("#address", " agent.example.com/base/ ");
    until("the preview", || find("#card-url").is_some()).await;
    assert_eq!(text("#card-url"), "https://agent.example.com/base/.well-known/agent-card.json");
    type_into("#address", "ftp://agent.example.com");
    get("#run").click();
    until("the problem", || !text("#problem").is_empty()).await;
    assert!(find("#verdict").is_none());
    type_into("#address", "");
}

#[wasm_bindgen_test]
async fn the_demo_agent_passes_and_its_faults_are_found() {
    open().await;
    run("#demo").await;
    assert_eq!(level(), "full");
    assert_eq!(get("#verdict").get_attribute("data-word").as_deref(), Some("conformant"));
    unfold().await;
    assert_eq!((rows("fail"), rows("pending"), rows("running")), (0, 0, 0));
    assert!(rows("pass") > 50);

    run("#demo-faulty").await;
    until("all that failed", || find(".checks table[aria-busy=false]").is_some()).await;
    // Failed checks need no unfolding; passed ones are counted.
    assert!(rows("fail") > 0);
    assert_eq!(count("tr[data-status=pass]"), 0);
    unfold().await;
    for status in ["pass", "fail", "advisory", "blocked", "skip"] {
        assert!(rows(status) > 0, "no row is {status}");
        assert_eq!(text(&format!("#count-{status}")), rows(status).to_string());
    }
    assert!(text("#announce").contains("Not conformant"), "{}", text("#announce"));
}

#[wasm_bindgen_test]
async fn what_to_fix_stands_first_and_opens_its_row_wherever_that_is() {
    open().await;
    run("#demo-faulty").await;
    let musts = count("#findings [data-finding][data-status=fail]");
    assert!(musts > 0 && count("#findings [data-status=advisory] ~ [data-status=fail]") == 0);
    // The rows that a filter hides are shown again when they are asked for.
    get("[data-filter=pass]").click();
    until("the filter", || count("tr[data-status=pass]") > 0).await;
    let finding = get("#findings [data-finding]").get_attribute("data-finding").unwrap();
    get("#findings [data-finding] .finding-open").click();
    until("the detail", || find("#detail-title").is_some()).await;
    assert_eq!(text("#detail .ids code"), finding);
    until("its line", || find(&format!("tr[data-check='{finding}'].open")).is_some()).await;
    assert_eq!(get("[data-filter=pass]").get_attribute("aria-pressed").as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn the_picture_counts_every_row_and_a_cell_is_a_filter() {
    open().await;
    run("#demo-faulty").await;
    // JSON-RPC, task lifecycle.
    let cell = ".grid tbody tr:nth-child(2) td:nth-of-type(2) .cell";
    assert_eq!(get(cell).get_attribute("data-status").as_deref(), Some("fail"));
    let name = get(cell).get_attribute("aria-label").unwrap();
    get(cell).click();
    until("the filter", || get(cell).get_attribute("aria-pressed").as_deref() == Some("true")).await;
    // The list is built a slice at a time.
    until("other groups to go", || {
        count(".group-button:not([data-category='1'])") == count("tbody.hidden .group-button")
    })
    .await;
    let of_lane = |status: &str| count(&format!("tr[data-check] .dot[data-lane='jsonrpc-1.0'][data-status={status}]"));
    for (status, words) in [("fail", "failed"), ("pass", "passed"), ("skip", "not applicable")] {
        until(words, || name.contains(&format!("{} {words}", of_lane(status)))).await;
    }
    get(cell).click();
    until("everything", || find("#filter-reset:disabled").is_some()).await;
}

#[wasm_bindgen_test]
async fn a_lane_is_a_dot_in_its_line_and_a_tab_in_its_detail() {
    open().await;
    run("#demo-faulty").await;
    assert_eq!(count("tr[data-check='stream.oneof']"), 1);
    get("tr[data-check='stream.oneof'] .dot[data-lane='rest-1.0']").click();
    until("the detail", || find("#detail .lane-chip[aria-pressed=true]").is_some()).await;
    assert!(text("#detail .lane-chip[aria-pressed=true]").contains("HTTP+JSON 1.0"));
    assert!(text("#detail .ids").contains("HTTP+JSON 1.0"));
    get("#detail .lane-chip[aria-pressed=false]").click();
    until("the other lane", || text("#detail .ids").contains("JSON-RPC 1.0")).await;
}

#[wasm_bindgen_test]
async fn a_failure_says_what_was_expected_what_came_and_how_to_fix_it() {
    open().await;
    run("#demo-faulty").await;
    get("tr[data-status=fail] .row-button").click();
    until("the explanation", || find("#why").is_some() && !text("#why").is_empty()).await;
    for part in ["#expected", "#actual", "#why", "#fix", ".requirements a[href^='https://a2a-protocol.org/']", ".sheet"]
    {
        assert!(
            find(part).is_some_and(|part| part.text_content().is_some_and(|text| !text.is_empty())),
            "{part} in {}",
            text("#detail")
        );
    }
    get("#detail-close").click();
    until("the closed detail", || find("#detail-title").is_none()).await;
}

#[wasm_bindgen_test]
async fn filters_hide_rows_and_explain_an_empty_list() {
    open().await;
    run("#demo").await;
    unfold().await;
    let shown = || count("tr[data-check]");
    let all = shown();
    get("[data-filter=skip]").click();
    until("the filter", || shown() < all).await;
    until("all of them", || find(".checks table[aria-busy=false]").is_some()).await;
    assert_eq!(shown(), count("tr[data-status=skip]"));
    assert_eq!(get("[data-filter=skip]").get_attribute("aria-pressed").as_deref(), Some("true"));
    type_into("#filter-text", "unicorn");
    until("the explanation", || find("#nothing-shown").is_some()).await;
    assert!(text("#nothing-shown").contains("unicorn"));
    get("#filter-reset").click();
    until("all rows", || shown() == all).await;
}

#[wasm_bindgen_test]
async fn no_line_changes_its_place_when_the_run_is_over() {
    open().await;
    get("#demo-faulty").click();
    until("the list", || find("#unfold").is_some()).await;
    unfold().await;
    let order = || {
        let lines = all("tr[data-check]");
        lines.iter().map(|line| line.get_attribute("data-check").unwrap()).collect::<Vec<_>>()
    };
    let during = order();
    until("the verdict", || !["none", "running"].contains(&level().as_str())).await;
    all_lines().await;
    let after = order();
    assert!(rows("fail") > 1);
    let kept: Vec<_> = after.iter().filter(|check| during.contains(check)).collect();
    assert_eq!(kept, during.iter().collect::<Vec<_>>());
    assert_eq!(
        count("tr[data-check] .dot"),
        ["pass", "fail", "advisory", "blocked", "skip"].map(rows).iter().sum::<usize>()
    );
}

#[wasm_bindgen_test]
async fn a_detail_keeps_the_focus_while_its_result_comes() {
    let held = checker::Held::default();
    open_with(|| held.install()).await;
    get("#demo").click();
    until("the list", || find("#unfold").is_some()).await;
    unfold().await;
    // Its rows are there when their group is, and have no result as long as nothing more is told.
    let is_planned = || find(".group-button[data-category='4']").is_some();
    until("the plan", || is_planned() || (held.tell_next() && is_planned())).await;
    let row = "tr[data-check^='interop.'][data-status=pending] .row-button";
    until("the row", || find(row).is_some()).await;
    // The checker may know the result by now.
    held.hold_answers();
    get(row).click();
    until("the detail", || find("#detail-title").is_some()).await;
    assert!(find("#why").is_none());
    get("#detail-title").focus().unwrap();
    held.release();
    until("the verdict", || !matches!(level().as_str(), "running" | "none")).await;
    until("the result", || find("#why").is_some()).await;
    assert_eq!(document().active_element().map(|element| element.id()).as_deref(), Some("detail-title"));
}

#[wasm_bindgen_test]
async fn stop_ends_the_run_and_keeps_what_was_finished() {
    open().await;
    get("#demo").click();
    // Before the run is over, which takes it about as long as to unfold the list.
    let judged = |bar: Element| Reflect::get(&bar, &"value".into()).unwrap().as_f64().unwrap();
    until("a first result", || find("#progress").map(judged).is_some_and(|rows| rows > 0.0)).await;
    get("#stop").click();
    until("the end", || level() != "running").await;
    assert_eq!(level(), "not-rated");
    unfold().await;
    assert!(rows("pass") > 0);
    // It did not come to its end by itself.
    assert!(rows("skip") > 100, "{} rows are left", rows("skip"));
    assert_eq!(rows("pending") + rows("running"), 0);
}

#[wasm_bindgen_test]
async fn markup_of_an_agent_stays_text() {
    open().await;
    get("#faults > summary").click();
    until("the faults", || find("[data-fault=endpoint-404]").is_some()).await;
    get("[data-fault=endpoint-404]").click();
    run("#demo-run").await;
    get("tr[data-status=fail] .row-button").click();
    until("the evidence", || find(".sheet .body").is_some()).await;
    assert!(text(".evidence").contains("<html"), "{}", text(".evidence"));
    assert!(find(".evidence html, .evidence body, .evidence h1, .evidence title, .evidence script").is_none());
}

#[wasm_bindgen_test]
async fn a_checker_that_cannot_be_loaded_is_explained_and_tried_again() {
    open().await;
    checker::install_broken();
    get("#demo").click();
    until("the sentence", || text("#demo-note").contains("could not be loaded")).await;
    assert!(text("#demo-note").contains("reload the page"), "{}", text("#demo-note"));
    assert!(find("#verdict").is_none());
    get("#faults > summary").click();
    sleep(50).await;
    assert!(find("[data-fault]").is_none());

    checker::install();
    run("#demo").await;
    assert_eq!(level(), "full");
    assert_eq!(text("#demo-note"), "");
}

#[wasm_bindgen_test]
async fn the_api_refuses_what_it_does_not_know_and_answers_a_plain_report() {
    let options = Object::new();
    Reflect::set(&options, &"uri".into(), &"http://localhost".into()).unwrap();
    let refused = checker::exports::check_agent(options.into()).await.unwrap_err();
    assert!(refused.is_instance_of::<js_sys::Error>());

    let options = Object::new();
    // Nothing listens on the discard port, and browsers do not even try.
    Reflect::set(&options, &"url".into(), &"http://127.0.0.1:9".into()).unwrap();
    let report = checker::exports::check_agent(options.into()).await.unwrap();
    assert_eq!(Reflect::get(&report, &"schemaVersion".into()).unwrap(), JsValue::from_f64(1.0));
    assert_eq!(Object::get_prototype_of(&report), Object::get_prototype_of(&Object::new()));
}
