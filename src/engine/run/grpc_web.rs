//! gRPC on a host without trailers: as gRPC-Web, where the agent or a proxy before it speaks that.

use std::rc::Rc;

use futures_util::future::join_all;

use super::context::RunContext;
use super::root_cause::PROBE;
use crate::a2a::binding::Call;
use crate::a2a::binding::grpc::{GRPC, hides_status};
use crate::a2a::model::Operation;
use crate::engine::discover::{DeclaredInterfaces, SkippedInterface};
use crate::engine::session::{RequestLabel, RequestTarget, StreamControl};
use crate::engine::transcript::Lane;
use crate::wire::exchange::Exchange;

impl RunContext {
    /// Leaves those interfaces over gRPC among the lanes that can be called from here, and says of each other one why it cannot.
    pub(super) async fn keep_callable_grpc(&self, interfaces: &mut DeclaredInterfaces) {
        if self.session.host.visibility.trailers {
            return;
        }
        let DeclaredInterfaces { lanes, skipped, .. } = interfaces;
        let bindings = &self.options.bindings;
        let is_wanted = bindings.is_empty() || bindings.iter().any(|wanted| wanted == GRPC.slug);
        let asked = join_all(lanes.iter().filter(|lane| is_wanted && lane.binding.id == GRPC.id).map(|lane| async {
            let why = self.why_not_grpc_web(lane).await?;
            let run = self.address.url();
            Some((lane.id.clone(), format!("{why}; to check this interface, run: a2a-conformance check {run}")))
        }));
        let failed: Vec<SkippedInterface> = asked.await.into_iter().flatten().collect();
        lanes.retain(|lane| !failed.iter().any(|(id, _)| *id == lane.id));
        skipped.extend(failed);
    }

    /// Reads a task that does not exist, once, to see whether an interface answers gRPC-Web; if it does not, why.
    async fn why_not_grpc_web(&self, lane: &Rc<Lane>) -> Option<String> {
        if self.is_offline() {
            return Some("a page can call gRPC only as gRPC-Web, and nothing is called in this run".to_owned());
        }
        let id = self.session.host.ids.fresh();
        let params = Some((lane.dialect.task_params)(&id, None));
        let call = Call { operation: Some(Operation::GetTask), params, ..Call::default() };
        let mut request = (lane.binding.request)(lane.dialect, &lane.interface, &call).ok()?;
        self.credentials.apply(&mut request, Some(&lane.id), call.credentials);
        let label = RequestLabel::new(RequestTarget::Lane(&lane.id), PROBE, "grpc-web", "an answer over gRPC-Web");
        let deadline = self.session.deadline_ms();
        let exchange = self.session.exchange(label, request, deadline, &mut |_| StreamControl::Continue).await;
        refusal(&exchange)
    }
}

/// Why an answer shows that the interface cannot be called by gRPC-Web.
fn refusal(exchange: &Exchange) -> Option<String> {
    const CORS: &str = "let it allow the headers content-type, x-grpc-web and a2a-version, and expose grpc-status, \
                        grpc-message and grpc-status-details-bin";
    let Some(response) = &exchange.response else {
        return Some(format!(
            "a page can call gRPC only as gRPC-Web, and no such answer could be read: either nobody speaks it at this address, or \
             whoever does sends no CORS headers ({CORS})"
        ));
    };
    if response.grpc.is_none() {
        // A refusal for lack of credentials says nothing about the form.
        let media = response.headers.media_type().unwrap_or_else(|| "no Content-Type".to_owned());
        let status = response.status;
        let is_gate = matches!(status, 401 | 403);
        return (!is_gate).then(|| {
            format!(
                "a page can call gRPC only as gRPC-Web, which the interface does not speak (HTTP {status} with {media})"
            )
        });
    }
    hides_status(response)
        .then(|| format!("the browser hides the status of answers over gRPC-Web from the page: {CORS}"))
}
