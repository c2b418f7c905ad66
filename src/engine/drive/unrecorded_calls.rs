//! Calls beside the record, for a load of so many that only those which show something are kept.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::grace::with_grace;
use super::unrecorded_answer::{UnrecordedAnswer, UnrecordedFuture};
use super::{Driver, DriverContext};
use crate::a2a::binding::{Binding, Call, Credentials, Reply, ReplyKind, SentCall, StreamItemKind};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::Operation;
use crate::a2a::rule::Notes;
use crate::engine::load::{LoadFigures, LoadOptions};
use crate::engine::session::StreamControl;
use crate::engine::transcript::{Lane, Step};
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::sse::Frame;

impl Driver {
    /// The load that the user asked for.
    #[must_use]
    pub const fn load(&self) -> Option<LoadOptions> {
        self.context.load
    }

    /// Waits, whatever the deadline of the scenario is.
    pub fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        self.context.session.host.clock.sleep(ms)
    }

    /// The call that sends a message; it counts as one.
    #[must_use]
    pub fn sending(&self, operation: Operation, outgoing: &Outgoing) -> Call {
        self.count_message();
        let dialect = self.dialect();
        self.operation(operation, (dialect.send_params)(dialect, outgoing))
    }

    /// The call of an operation that names a task.
    #[must_use]
    pub fn about_task(&self, operation: Operation, task: &str) -> Call {
        self.operation(operation, (self.dialect().task_params)(task, None))
    }

    /// Makes a call beside the record. It takes no place in line, and has a deadline of its own. A stream is read until it ends, and
    /// gets a grace period after the event that should be its last, or until `watch` has seen enough.
    pub fn call_apart<'a>(
        &'a self,
        step: &'static str,
        mut call: Call,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> UnrecordedFuture<'a> {
        let mut watch = with_grace(Box::new(watch));
        Box::pin(async move {
            let Some(lane) = &self.context.lane else { return self.unsent(None, step, call.sent()) };
            self.name_what_is_required(lane, &mut call);
            let (binding, dialect): (&Binding, &Dialect) = (lane.binding, lane.dialect);
            let sent = call.sent();
            let mut on_frame = |frame: &Frame| {
                if frame.data.trim().is_empty() {
                    return StreamControl::Continue;
                }
                watch(&(binding.event)(dialect, &sent, &frame.data, &mut Notes::default()))
            };
            let mut has_tried_other_verb = false;
            loop {
                call.other_verb = lane.other_verb.get() && call.operation == Some(Operation::SubscribeToTask);
                let Ok(request) = (binding.request)(dialect, &lane.interface, &call) else {
                    return self.unsent(Some(lane), step, sent);
                };
                let begun_ms = self.now_ms();
                let exchange = self.exchange_apart(lane, step, request, &mut on_frame).await;
                let blames_verb = exchange.status().is_some_and(|status| (binding.blames_verb)(&sent, status));
                if blames_verb && !has_tried_other_verb {
                    has_tried_other_verb = true;
                    lane.other_verb.set(!call.other_verb);
                    continue;
                }
                let reply = binding.reply(dialect, &sent, &exchange);
                return UnrecordedAnswer { exchange, sent, reply, begun_ms, ended_ms: self.now_ms() };
            }
        })
    }

    /// Sends a request with the user's credentials, and again if their token had expired and there is a new one.
    async fn exchange_apart(
        &self,
        lane: &Rc<Lane>,
        step: &'static str,
        request: Request,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Exchange {
        let DriverContext { session, credentials, .. } = &self.context;
        let label = self.label(Some(lane), step, step);
        let sends_token = credentials.sends_token(&request.url, label.lane());
        let mut retries = 0;
        loop {
            let token = if sends_token { credentials.renew_if_due(session).await } else { 0 };
            let mut authorized = request.clone();
            credentials.apply(&mut authorized, label.lane(), Credentials::Own);
            let exchange = session.exchange_apart(label, authorized, session.deadline_ms(), watch).await;
            if !sends_token || !credentials.should_retry(session, token, &exchange, retries).await {
                return exchange;
            }
            retries += 1;
        }
    }

    /// The answer to a call that the binding cannot express.
    fn unsent(&self, lane: Option<&Rc<Lane>>, step: &'static str, sent: SentCall) -> UnrecordedAnswer {
        let exchange = Exchange::clone(&self.context.session.unsent(self.label(lane, step, step)));
        let kind = ReplyKind::NotExpressible("the binding has no such call".to_owned());
        let now_ms = self.now_ms();
        UnrecordedAnswer {
            exchange,
            sent,
            reply: Reply { kind, ..Reply::default() },
            begun_ms: now_ms,
            ended_ms: now_ms,
        }
    }

    /// A text without the secrets of the run, for what is read from an exchange that still has them.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.context.session.mask(text)
    }

    /// Puts such a call on the record, masked, as a step of that name, if there is room for it.
    pub fn keep(&self, name: &'static str, answer: UnrecordedAnswer) -> Option<Rc<Step>> {
        let exchange = self.context.session.keep(answer.exchange)?;
        Some(self.record(Step { name, exchange, sent: answer.sent, reply: answer.reply }))
    }

    /// Puts the figures of a load on the record.
    pub fn record_load(&self, figures: LoadFigures) {
        self.context.session.record_load(figures);
    }
}
