//! How the driver makes a call: with credentials, tenant and required extensions, in the verb and the JSON form that the agent
//! accepts.

use std::rc::Rc;

use super::grace::EventWatcher;
use super::{Driver, DriverContext, StepFuture};
use crate::a2a::binding::{Binding, Call, Credentials, Reply, ReplyKind, SentCall, VersionSelection};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::grpc_codec::expects_stream;
use crate::a2a::model::Operation;
use crate::a2a::rule::Notes;
use crate::engine::session::{Patience, RequestLabel, StreamControl, Traffic, URGENT};
use crate::engine::transcript::{Lane, Step};
use crate::engine::verdict::Verdict;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::sse::Frame;

/// The step that records a message in a JSON form that the agent may not accept.
const FIRST_FORM: &str = "first-form";

/// A call that was answered, in one of the two verbs that a subscription may have.
struct SubscribeAttempt {
    step: Step,
    /// Whether the answer refuses the verb and not the call.
    blames_verb: bool,
}

impl Driver {
    /// Sends a request with these credentials, and again if the identity's token had expired and there is a new one.
    pub(super) async fn exchange(
        &self,
        label: RequestLabel<'_>,
        request: Request,
        (which, rank): (Credentials, u32),
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Rc<Exchange> {
        let DriverContext { session, credentials, .. } = &self.context;
        let identity = credentials.identity(which);
        let has_token = matches!(which, Credentials::Own | Credentials::Second);
        let sends_token = has_token && identity.sends_token(&request.url, label.lane());
        let traffic = if expects_stream(&request) { Traffic::Stream } else { Traffic::Call };
        let mut retries = 0;
        loop {
            // First, lest the token expires while the request waits.
            let place = self.in_line(session.gate.acquire(rank, traffic)).await;
            let token = if sends_token { identity.renew_if_due(session).await } else { 0 };
            let mut authorized = request.clone();
            credentials.apply(&mut authorized, label.lane(), which);
            let exchange = session.exchange(label, authorized, self.deadline_ms(), watch).await;
            // It keeps its place while a new token is fetched, lest all the others come back at once and use it up.
            let is_over = !sends_token || !identity.should_retry(session, token, &exchange, retries).await;
            drop(place);
            if is_over {
                return exchange;
            }
            retries += 1;
        }
    }

    /// The one place where calls are made. Boxed, so that the many conversations of a suite share one piece of code.
    pub(super) fn call_on<'a>(
        &'a self,
        lane: Option<Rc<Lane>>,
        step: &'static str,
        mut call: Call,
        mut watch: EventWatcher<'a>,
    ) -> StepFuture<'a> {
        Box::pin(async move {
            let Some(lane) = lane else {
                self.stop(Verdict::harness_error("a scenario without a lane made a call"));
                return self.fetch(step, Request::get(self.context.address.url())).await;
            };
            self.name_what_is_required(&lane, &mut call);
            let sent = call.sent();
            let mut on_frame = |frame: &Frame| {
                if frame.data.trim().is_empty() {
                    return StreamControl::Continue;
                }
                let event = (lane.binding.event)(lane.dialect, &sent, &frame.data, &mut Notes::default());
                self.context.session.tasks.note_event(&event);
                watch(&event)
            };
            call.other_verb = lane.other_verb.get() && call.operation == Some(Operation::SubscribeToTask);
            let first = match self.attempt(&lane, step, &call, &sent, &mut on_frame).await {
                Ok(attempt) if attempt.blames_verb => attempt.step,
                Ok(SubscribeAttempt { step, .. }) | Err(step) => return self.record(step),
            };
            call.other_verb = !call.other_verb;
            match self.attempt(&lane, step, &call, &sent, &mut on_frame).await {
                // A call without credentials that is refused says nothing about the other verb.
                Ok(attempt)
                    if call.credentials == Credentials::None
                        && matches!(attempt.step.reply.kind, ReplyKind::Unavailable(401 | 403))
                        && matches!(first.reply.kind, ReplyKind::Error(_)) =>
                {
                    self.record(first)
                }
                Ok(attempt) if !attempt.blames_verb => {
                    lane.other_verb.set(call.other_verb);
                    self.record(attempt.step)
                }
                // Both verbs are refused: the refusal in the protocol's form is the agent's, the other its framework's.
                Ok(_) if matches!(first.reply.kind, ReplyKind::Error(_)) => self.record(first),
                Ok(SubscribeAttempt { step, .. }) | Err(step) => self.record(step),
            }
        })
    }

    /// Makes a call once. An error is the step of a call that the binding cannot express, and that was not made.
    async fn attempt(
        &self,
        lane: &Rc<Lane>,
        name: &'static str,
        call: &Call,
        sent: &SentCall,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Result<SubscribeAttempt, Step> {
        let (binding, dialect): (&Binding, &Dialect) = (lane.binding, lane.dialect);
        let awaited = call.operation.and_then(|operation| dialect.method(operation)).unwrap_or(name);
        let label = self.label(Some(lane), name, awaited);
        let request = (binding.request)(dialect, &lane.interface, call).map_err(|why| {
            let reply = Reply { kind: ReplyKind::NotExpressible(why), ..Reply::default() };
            Step { name, exchange: self.context.session.unsent(label), sent: sent.clone(), reply }
        })?;
        let cost = self.cost_of(call);
        let sent = SentCall { cost, ..sent.clone() };
        let mut label = RequestLabel { cost, ..label };
        label.patience = self.patience_for(label);
        let mut turn = None;
        loop {
            // It means something only while the task is at work, which must not end while the request waits in line. One that is wrong on
            // purpose means no task.
            let is_urgent = call.operation == Some(Operation::CancelTask) && call.what.is_none();
            let rank = if is_urgent { URGENT } else { self.rank() };
            let exchange = self.exchange(label, request.clone(), (call.credentials, rank), watch).await;
            self.note_read(call.operation, &exchange, label);
            let blames_verb = exchange.status().is_some_and(|status| (binding.blames_verb)(&sent, status));
            let reply = binding.reply(dialect, &sent, &exchange);
            self.context.session.tasks.note(&reply);
            let step = Step { name, exchange, sent: sent.clone(), reply };
            if turn.is_none() {
                turn = self.turn_to_try_again(label, &step).await;
                if turn.is_some() {
                    label.patience = Patience::Whole;
                    continue;
                }
            }
            self.look_after_silence(lane, label, &step).await;
            return Ok(SubscribeAttempt { step, blames_verb });
        }
    }

    /// Notes how long a read took, or for how long at least it would have.
    fn note_read(&self, operation: Option<Operation>, exchange: &Exchange, label: RequestLabel<'_>) {
        let session = &self.context.session;
        if let Some(operation @ (Operation::GetTask | Operation::ListTasks)) = operation
            && (exchange.response.is_some() || session.was_cut_early(label, exchange))
        {
            session.gate.note_read(operation, exchange.sent_ms, exchange.duration_ms());
        }
    }

    /// Names in a call what every call on a lane names, where the call does not say otherwise: version and extensions.
    pub(super) fn name_what_is_required(&self, lane: &Lane, call: &mut Call) {
        if let Some(version) = lane.named_version.get()
            && matches!(call.version, VersionSelection::Declared)
        {
            call.version = VersionSelection::Other(version.clone());
        }
        call.extensions.get_or_insert_with(|| self.required_extensions());
    }

    /// T-EXT-3: without the extensions that the card requires every call would fail for this one reason.
    #[must_use]
    pub fn required_extensions(&self) -> Vec<String> {
        let declared = self.context.facts.card.iter().flat_map(|card| card.extensions.iter());
        declared.filter(|(_, required)| *required).map(|(uri, _)| uri.clone()).collect()
    }

    /// Sends a message. Where the version has two JSON forms and it is not known which one the agent accepts, the other one
    /// is tried if the first is refused.
    pub(super) fn send_in_either_form<'a>(
        &'a self,
        step: &'static str,
        operation: Operation,
        outgoing: &Outgoing,
        mut watch: EventWatcher<'a>,
    ) -> StepFuture<'a> {
        self.count_message();
        let dialect = self.dialect();
        let call = self.operation(operation, (dialect.send_params)(dialect, outgoing));
        let lane = self.context.lane.as_ref().filter(|lane| lane.form.get().is_none());
        let (Some(lane), Some(other)) = (lane, dialect.other_form) else {
            return self.call_on(self.context.lane.clone(), step, call, watch);
        };
        let second = self.operation(operation, (other.send_params)(other, outgoing));
        Box::pin(async move {
            let first = self.call_on(Some(Rc::clone(lane)), FIRST_FORM, call, Box::new(&mut *watch)).await;
            let refused = first.exchange.status().is_some_and(|status| matches!(status, 400 | 415 | 422 | 500));
            if !refused || lane.form.get().is_some() {
                lane.form.set(lane.form.get().or((!refused).then_some(dialect)));
                let renamed = Step { name: step, ..Step::clone(&first) };
                self.steps.borrow_mut().retain(|known| !Rc::ptr_eq(known, &first));
                return self.record(renamed);
            }
            let answer = self.call_on(Some(Rc::clone(lane)), step, second, watch).await;
            if matches!(answer.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_)) {
                lane.form.set(Some(other));
            }
            answer
        })
    }
}
