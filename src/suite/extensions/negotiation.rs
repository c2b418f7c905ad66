//! Asks for an extension that nobody knows.

use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::a2a::binding::{Call, Said};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::check::anyone;
use crate::engine::drive::Driver;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "unknown-extension", "Ask for an extension that nobody knows", in Extensions, scope: Lane,
    messages: 0, streams: 0, after: ["probe"], needs: anyone, drive: drive,
    checks: {
        /// Clients ask for what they could use; an agent that does not know it goes on without.
        ///
        /// Fix: Ignore URIs in A2A-Extensions that you do not know.
        "ext.unknown-ignored", "An unknown extension is ignored",
        requires: ["ext.unknown-ignored"], faults: ["unknown-extension-refused"], judge: ignored;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let declared = d.facts.card.iter().flat_map(|card| card.extensions.clone());
        let mut extensions: Vec<_> = declared.filter(|(_, required)| *required).map(|(uri, _)| uri).collect();
        let get = |d: &Driver| d.operation(Operation::GetTask, json!({ "id": d.fresh() }));
        d.call("without", get(d)).await;
        extensions.push("https://example.com/a2a-conformance/unknown/v1".to_owned());
        d.call("with", Call { extensions: Some(extensions), ..get(d) }).await;
    })
}

fn ignored(t: &Take) -> Judged {
    let found = |said: &Said| matches!(said, Said::Error(error) if error.is(ErrorName::TaskNotFound));
    if !found(&t.answered("without")?.reply.said) {
        return Err(Verdict::blocked(
            "an unknown task is not answered with TaskNotFoundError even without the extension",
        ));
    }
    let step = t.answered("with")?;
    let expected = "the same answer as without the extension";
    step.claim(found(&step.reply.said), expected, step.reply.said.describe(), "")
}
