//! The lists that a second identity asks for, and whether a task of the first is on one of their pages.

use std::iter;
use std::rc::Rc;

use super::second_identity_replies::{Seen, asked, separates_identities, task_at};
use crate::a2a::binding::{Call, Credentials};
use crate::a2a::dialect::write::ListQuery;

use crate::engine::drive::{StepFuture, list_of};
use crate::engine::prelude::{Driver, Judged, Transcript, Verdict};
use crate::suite::list_tasks::next;
use crate::suite::messaging::finished;
use crate::wire::limits::MOST_PAGES;

/// The lists, each with the name of its further pages.
const LISTS: [(&str, &str); 2] = [("list-context", "list-context-next"), ("list", "list-next")];

/// Lists the tasks of the second identity, all and those of a context of the first.
pub(super) async fn read(d: &Driver, context: Option<String>) {
    let mut calls = vec![page(d, "list", ListQuery::default())];
    if context.is_some() {
        calls.push(page(d, "list-context", ListQuery { context_id: context.clone(), ..ListQuery::default() }));
    }
    d.together(calls).await;
    for (name, further) in LISTS {
        let context_id = context.clone().filter(|_| name == "list-context");
        let mut before = None;
        for _ in 1..MOST_PAGES {
            let token = d.last(further).or_else(|| d.last(name)).and_then(|step| next(&step));
            // The same token again would lead to the same page again.
            if token.is_none() || token == before {
                break;
            }
            before.clone_from(&token);
            page(d, further, ListQuery { context_id: context_id.clone(), page_token: token, ..ListQuery::default() })
                .await;
        }
    }
}

fn page<'a>(d: &'a Driver, step: &'static str, query: ListQuery) -> StepFuture<'a> {
    d.call(step, Call { credentials: Credentials::Second, ..d.list_tasks(&query) })
}

/// That no page shows a task of the first identity.
pub(super) fn unlisted(t: &Transcript) -> Judged {
    let done = finished(t.earlier("send")?)?;
    let live = task_at(t, "list")?;
    separates_identities(t)?;
    let mut verdict = Verdict::pass();
    for (name, further) in LISTS {
        if t.every(name).next().is_none() {
            continue;
        }
        let Seen { step, .. } = asked(t, name)?;
        t.list(name)?;
        for step in iter::once(step).chain(t.every(further).map(Rc::as_ref)) {
            let Some(list) = list_of(&step.reply) else { continue };
            if let Some(task) = list.tasks.iter().find(|task| task.id == done.id || task.id == live.id) {
                let actual = format!("the task {} of another identity", task.id.as_deref().unwrap_or_default());
                return step.claim(false, "only tasks of the caller's own", actual, &task.at);
            }
            verdict = verdict.seen_in(step.exchange.id);
        }
    }
    Ok(verdict)
}
