//! Judges of the scenario `delegation`: whether the calls arrived that the agent was told to make, and whether what came of them
//! stayed apart.

use super::orders::{ALONE, ARRIVED, OTHERS, TOGETHER};
use super::reading::{Agreed, Ending, agreed, calls_with, ending, holds, is_call, last_seen, tokens_of, words};
use crate::engine::prelude::{Judged, Transcript, Verdict};

/// Whether the call arrived. An agent that reports itself that it failed is not accused: it may not reach the beacon (T-DEL-1).
pub(super) fn called(t: &Transcript) -> Judged {
    let Agreed { told, token, url, .. } = agreed(t, &ALONE)?;
    if let Some(call) = calls_with(t, token).next() {
        return Ok(told.pass().seen_in(call.exchange.id));
    }
    let last = last_seen(t, &ALONE)?;
    let expected = format!("a call of the agent at {url} with the token of the message");
    if let Some(call) = t.every(ARRIVED).find(|step| is_call(step)) {
        return Ok(told.fail(expected, "a call without it").seen_in(call.exchange.id));
    }
    let said = match words(last) {
        said if said.is_empty() => "without a word".to_owned(),
        said => format!("with \"{said}\""),
    };
    let fetched = t.every(ARRIVED).next().map_or("no request arrived there", |_| "only its card was fetched");
    let hint =
        "if the agent cannot reach that address, listen with --beacon-listen and give the public URL with --beacon-url";
    let verdict = match ending(t, last) {
        Ending::Done => {
            let verdict = told.fail(expected, format!("no call, though the agent answered {said}"));
            verdict.because(format!("the agent answered {said}, but did not call the agent at {url}: {fetched}"))
        }
        Ending::Undone(state) => {
            let why = format!("the agent did not call, and says so: its task is {state}, {said}; {fetched}; {hint}");
            told.inconclusive(why)
        }
        Ending::Open(state) => {
            told.inconclusive(format!("no call arrived in time, and the task is still {state}; {fetched}; {hint}"))
        }
    };
    Ok(verdict.seen_in(last.exchange.id))
}

/// Whether what only the call brought is in the agent's result.
pub(super) fn result(t: &Transcript) -> Judged {
    let Agreed { told, token, result, .. } = agreed(t, &ALONE)?;
    if calls_with(t, token).next().is_none() {
        return Err(not_called().seen_in(told.exchange.id));
    }
    let last = last_seen(t, &ALONE)?;
    if [told, last].into_iter().any(|step| holds(step, result)) {
        return Ok(last.pass());
    }
    match ending(t, last) {
        Ending::Open(state) => Err(Verdict::inconclusive(format!("the task is still {state}"))),
        Ending::Done | Ending::Undone(_) => {
            let said = words(last);
            let said = if said.is_empty() { "no text".to_owned() } else { format!("\"{said}\"") };
            Ok(last.fail(format!("{result}, which the other agent returned"), said).seen_in(told.exchange.id))
        }
    }
}

/// Whether each of the calls at the same time carried its own token only, and each answer has its own result only.
pub(super) fn apart(t: &Transcript) -> Judged {
    let first = agreed(t, &ALONE)?;
    if calls_with(t, first.token).next().is_none() {
        return Err(not_called().seen_in(first.told.exchange.id));
    }
    if t.every(TOGETHER[0].told).next().is_none() {
        let why = "the run makes one request at a time, so that no two tasks work at once";
        return Err(Verdict::not_applicable(why));
    }
    let orders = [ALONE].iter().chain(&TOGETHER).map(|order| agreed(t, order)).collect::<Result<Vec<_>, _>>()?;
    let crowded = t.every(ARRIVED).find(|step| tokens_of(step).count() > 1);
    if let Some(call) = crowded {
        let verdict = call.fail("a call with the token of one task", "one with those of several");
        return Ok(verdict.seen_in(first.told.exchange.id));
    }
    if let Some(verdict) = crossed(t, &orders) {
        return Ok(verdict);
    }
    missing_call(t, &orders)?;
    let seen = orders.iter().flat_map(|order| calls_with(t, order.token).take(1));
    Ok(seen.fold(Verdict::pass(), |verdict, call| verdict.seen_in(call.exchange.id)))
}

/// An answer of the agent that holds the token or the result of another order.
fn crossed(t: &Transcript, orders: &[Agreed<'_>]) -> Option<Verdict> {
    let told = [ALONE].into_iter().chain(TOGETHER);
    let of_orders = told.zip(orders).flat_map(|(order, own)| [order.told, order.read].map(|step| (step, own.token)));
    let all = of_orders.chain(OTHERS.map(|step| (step, "")));
    all.flat_map(|(name, own)| t.every(name).map(move |step| (step, own))).find_map(|(step, own)| {
        let others = orders.iter().filter(|order| order.token != own);
        let strange = others.flat_map(|order| [order.token, order.result]).find(|text| holds(step, text))?;
        let actual = format!("{strange}, which belongs to another task");
        Some(step.fail("an answer with what belongs to its own task", actual))
    })
}

/// A call that did not arrive: a finding where the agent says that all is done.
fn missing_call(t: &Transcript, orders: &[Agreed<'_>]) -> Result<(), Verdict> {
    for (order, own) in TOGETHER.iter().zip(orders.iter().skip(1)) {
        if calls_with(t, own.token).next().is_some() {
            continue;
        }
        let last = last_seen(t, order)?;
        let id = last.exchange.id;
        return Err(match ending(t, last) {
            Ending::Done => {
                let verdict = Verdict::fail(id, "a call with the token of each of three tasks", "none for one of them");
                verdict.seen_in(own.told.exchange.id)
            }
            Ending::Undone(state) | Ending::Open(state) => {
                Verdict::inconclusive(format!("no call arrived for one of three tasks, which is {state}")).seen_in(id)
            }
        });
    }
    Ok(())
}

/// The verdict of what needs a call.
pub(super) fn not_called() -> Verdict {
    Verdict::blocked("the agent did not call: see delegation.called")
}
