//! Fetches cards: that of the agent under test, and those of further agents, with the interface that a step with `x-agent` calls.

use std::rc::Rc;

use super::scope::FurtherAgent;
use super::test_run::TestRun;
use crate::a2a::binding::Credentials;
use crate::engine::detect::{detect, read};
use crate::engine::discover::{Address, lanes, normalise};
use crate::engine::drive::Driver;
use crate::engine::transcript::{Lane, Step};
use crate::wire::http::Request;

/// Fetches a card from the first place that has it.
pub(super) async fn fetch_card(
    driver: &Driver,
    address: &Address,
    step: &'static str,
    credentials: Credentials,
) -> Rc<Step> {
    let mut urls = address.candidates().into_iter();
    let first = urls.next().unwrap_or_else(|| address.url());
    let mut answer = driver.send_written(step, Request::get(first), credentials).await;
    for url in urls {
        if answer.exchange.status().is_none_or(|status| status != 404) {
            break;
        }
        answer = driver.send_written(step, Request::get(url), credentials).await;
    }
    answer
}

pub(super) fn further_address(name: &str, run: &TestRun<'_>) -> Result<Address, String> {
    let url = run.settings.agent_url(name)?;
    normalise(url).map_err(|problem| format!("the agent {name} cannot be called: {problem}"))
}

/// The interface of a further agent that a test calls: of the test's version, and if there is one of the binding that it is run on.
pub(super) async fn further_agent(name: &str, step: &'static str, run: &TestRun<'_>) -> Result<FurtherAgent, String> {
    let card = fetch_card(run.driver, &further_address(name, run)?, step, Credentials::None).await;
    let Some(document) = card.reply.document.as_deref().filter(|_| card.exchange.status() == Some(200)) else {
        let came =
            card.exchange.status().map_or_else(|| card.exchange.end.no_answer(), |status| format!("HTTP {status}"));
        return Err(format!("the agent {name} has no card that can be read: {came}"));
    };
    let card = read(document, &detect(document));
    let version = run.driver.dialect().version;
    let of_version = lanes(&card).0.into_iter().filter(|lane| lane.dialect.version == version);
    let own = run.driver.lane();
    let is_other_binding = |lane: &Rc<Lane>| own.is_none_or(|own| own.binding.slug != lane.binding.slug);
    let found = of_version.min_by_key(is_other_binding).and_then(Rc::into_inner);
    let Some(mut lane) = found else {
        return Err(format!("the agent {name} declares no interface of A2A {version} that this program can call"));
    };
    if let Some(own) = own {
        lane.id.clone_from(&own.id);
    }
    let required = card.extensions.into_iter().filter(|(_, required)| *required);
    Ok(FurtherAgent { lane: Rc::new(lane), extensions: required.map(|(uri, _)| uri).collect() })
}
