//! Judges of the scenario `push-delivery`: whether notifications arrived, for which task and state, with which content and
//! credentials, in order and once.

use std::rc::Rc;

use super::notification::{Notification, names};
use super::usual_task::judge_end;
use super::webhooks::{
    ALL, DELETED, DELETION, GIVEN, KEPT, REACHABLE, SECOND, STREAMED, TOKEN, Webhook, authorization, is_at_work_after,
};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{StreamEvent, Task, TaskState};
use crate::engine::prelude::{Behaviour, Judged, Step, Transcript, Verdict, count_of, task_of};
use crate::engine::transcript::NO_NOTIFICATION;
use crate::wire::http::Method;
use crate::wire::json::Value;

const TOO_SHORT: &str = "the task finished before a webhook could be notified of it; to run this check, use a prompt \
                         \"long-running\" that works for some seconds";

/// A webhook that was registered, and what arrived there.
pub(super) struct Delivered<'a> {
    conversation: &'a Transcript,
    registration: &'a Rc<Step>,
    task: &'a Task,
    dialect: &'static Dialect,
    pub(super) notifications: Vec<Notification<'a>>,
}

impl<'a> Delivered<'a> {
    /// The last reading of the task.
    fn end(&self) -> Option<(&'a Rc<Step>, &'a Task)> {
        let readings = self.conversation.every(GIVEN.registered).chain(self.conversation.every("poll"));
        readings.filter_map(|step| Some((step, task_of(&step.reply)?))).last()
    }

    fn was_at_work_after(&self, ms: f64) -> bool {
        self.conversation.every("poll").any(|reading| is_at_work_after(reading, ms))
    }

    /// Whether the task was at work when the webhook was there: one that came with the message was there before the task.
    fn was_in_time(&self) -> bool {
        self.registration.name == GIVEN.registered || self.was_at_work_after(self.registration.exchange.end_ms)
    }

    fn tells_of_end(&self) -> bool {
        let mut states = self.notifications.iter().filter_map(|notification| notification.state());
        states.any(TaskState::is_terminal)
    }

    /// The first notification that breaks a rule.
    fn judge(&self, mut broken: impl FnMut(&Notification<'a>) -> Option<Verdict>) -> Judged {
        let all = self.notifications.iter().map(|notification| notification.step.exchange.id);
        let pass = || all.fold(Verdict::pass(), Verdict::seen_in);
        Ok(self.notifications.iter().find_map(&mut broken).unwrap_or_else(pass))
    }
}

/// A webhook that the agent accepted.
fn registered<'a>(t: &'a Transcript, webhook: &'a Webhook) -> Result<Delivered<'a>, Verdict> {
    t.ran_to_its_end()?;
    let (sent, task) = t.task("send")?;
    t.lasts(sent, Behaviour::LongRunning)?;
    let Some(registration) = t.every(webhook.registered).last() else {
        // An agent that answers only when the task is over leaves time for none but the one that came with the message.
        let is_given = webhook.name == KEPT.name && task.is_over() && carries_config(sent);
        return if is_given { registered(t, &GIVEN) } else { Err(Verdict::inconclusive(TOO_SHORT)) };
    };
    if let ReplyKind::Error(error) = &registration.reply.kind {
        let why = format!(
            "the agent refused the webhook with {}, as agents may that accept no addresses of private networks (1.0 \
             §13.2); to run this check, allow the address in the agent's settings, or give a public one with \
             --webhook-listen and --webhook-url",
            error.describe()
        );
        return Err(Verdict::not_observable(why).seen_in(registration.exchange.id));
    }
    t.succeeded(webhook.registered)?;
    let Some(lane) = &t.lane else { return Err(Verdict::harness_error("notifications without a lane")) };
    let delivered = |registration, webhook: &Webhook| {
        let notifications = t.every(webhook.name).map(|step| Notification::from_step(step, lane.dialect)).collect();
        Delivered { conversation: t, registration, task, dialect: lane.dialect, notifications }
    };
    let own = delivered(registration, webhook);
    // One of several is served: that the others are not is the finding of another check.
    if webhook.name == KEPT.name && own.notifications.is_empty() && t.every(SECOND.registered).next().is_some() {
        let given = delivered(sent, &GIVEN);
        if given.tells_of_end() {
            return Ok(given);
        }
    }
    Ok(own)
}

/// The same where something arrived.
pub(super) fn arrived<'a>(t: &'a Transcript, webhook: &'a Webhook) -> Result<Delivered<'a>, Verdict> {
    let delivered = registered(t, webhook)?;
    if delivered.notifications.is_empty() {
        let _ = undelivered(t, &delivered)?;
        return Err(Verdict::blocked("no notification arrived: see push.delivery"));
    }
    Ok(delivered)
}

/// What arrived for the task, or for the streamed one where nothing did: how a notification looks, all of them tell.
fn notified(t: &Transcript) -> Result<Delivered<'_>, Verdict> {
    let own = registered(t, &KEPT)?;
    let streamed = || {
        let registration = t.every(STREAMED.registered).last()?;
        let task = registration.whole_tasks().into_iter().next()?;
        let notifications =
            t.every(STREAMED.name).map(|step| Notification::from_step(step, own.dialect)).collect::<Vec<_>>();
        (!notifications.is_empty()).then_some(Delivered { registration, task, notifications, ..own })
    };
    match own.notifications.is_empty().then(streamed).flatten() {
        Some(streamed) => Ok(streamed),
        None => arrived(t, &KEPT),
    }
}

/// Whether a message brought a webhook for its task.
fn carries_config(sent: &Step) -> bool {
    let configuration = sent.sent.params.as_ref().and_then(|params| params.get("configuration"));
    let members = ["taskPushNotificationConfig", "pushNotificationConfig", "pushNotification"];
    configuration.is_some_and(|given| members.iter().any(|name| given.get(name).is_some()))
}

/// Judges that nothing arrived.
fn undelivered(t: &Transcript, delivered: &Delivered<'_>) -> Judged {
    let registration = delivered.registration.exchange.id;
    let Some((read, end)) = delivered.end() else { return Err(Verdict::blocked("the task was not read")) };
    if !end.is_over() {
        let why = "the task did not finish, so that nothing had to be notified: see push.task-goes-on";
        return Err(read.blocked(why));
    }
    if !delivered.was_in_time() {
        return Err(Verdict::inconclusive(TOO_SHORT).seen_in(registration));
    }
    let says_so = t.every(REACHABLE).any(|step| step.reply.document.as_deref() == Some(&Value::Bool(true)));
    let is_reachable = says_so || ALL.iter().any(|webhook| t.every(webhook.name).next().is_some());
    // What came is told: whoever looks for it here finds it.
    let asked = t.every(NO_NOTIFICATION).last().map(|step| step.exchange.request.method);
    let asked = asked.map(|method| format!(", only a request by {method}, which is no notification"));
    let asked = asked.unwrap_or_default();
    if !is_reachable {
        return Err(Verdict::not_observable(format!(
            "no notification arrived{asked}; the agent may send none to addresses of private networks (1.0 §13.2), or may not \
             reach this one, as from a container; to run this check, give an address that it surely reaches with \
             --webhook-listen and --webhook-url"
        ))
        .seen_in(registration));
    }
    let state = end.state_text.as_deref().unwrap_or_default();
    let actual = format!("none, although the task became {state}{asked}");
    Ok(Verdict::fail(registration, "a notification of the task", actual).seen_in(read.exchange.id))
}

pub(super) fn delivery(t: &Transcript, webhook: &Webhook) -> Judged {
    let delivered = registered(t, webhook)?;
    if delivered.notifications.is_empty() {
        return undelivered(t, &delivered);
    }
    // 1.0 §4.3.3: a webhook is called by POST, and what listens for it takes nothing else.
    let is_posted = |notification: &&Notification<'_>| notification.step.exchange.request.method == Method::Post;
    match delivered.notifications.first() {
        Some(first) if !delivered.notifications.iter().any(|known| is_posted(&known)) => {
            Ok(first.step.fail("a notification by POST", format!("one by {}", first.step.exchange.request.method)))
        }
        _ => delivered.judge(|_| None),
    }
}

pub(super) fn terminal_state(t: &Transcript) -> Judged {
    let delivered = arrived(t, &KEPT)?;
    if delivered.tells_of_end() {
        return delivered.judge(|_| None);
    }
    let Some((read, end)) = delivered.end().filter(|(_, task)| task.is_over()) else {
        return Err(Verdict::blocked("the task did not finish: see push.task-goes-on"));
    };
    let expected = format!("a notification of {}", end.state_text.as_deref().unwrap_or("the terminal state"));
    let actual = format!("{} without it", count_of(delivered.notifications.len(), "notification"));
    let verdict = read.fail(expected, actual);
    Ok(delivered.notifications.iter().fold(verdict, |verdict, known| verdict.seen_in(known.step.exchange.id)))
}

pub(super) fn task_goes_on(t: &Transcript) -> Judged {
    let registration = registered(t, &KEPT)?.registration;
    let readings = if registration.name == GIVEN.registered { GIVEN.registered } else { "poll" };
    judge_end(t, readings, registration.exchange.id)
}

pub(super) fn payload(t: &Transcript) -> Judged {
    notified(t)?.judge(|notification| {
        let actual = match (&notification.event, notification.body) {
            (Some(StreamEvent::Other(_)), Some(Value::Object(members))) if members.is_empty() => "{}".to_owned(),
            (Some(StreamEvent::Other(_)), Some(Value::Object(members))) => {
                format!("an object with {}", members.keys().take(12).map(String::as_str).collect::<Vec<_>>().join(", "))
            }
            (Some(StreamEvent::Other(_)), _) => "JSON that is not an object".to_owned(),
            (Some(_), _) => return None,
            (None, _) if notification.is_too_deep() => return None,
            (None, _) => "a body that is not JSON".to_owned(),
        };
        Some(notification.step.fail("an object with one of task, message, statusUpdate and artifactUpdate", actual))
    })
}

pub(super) fn notified_task(t: &Transcript) -> Judged {
    let delivered = notified(t)?;
    let Some(id) = delivered.task.id.as_deref() else { return Err(Verdict::blocked("the task has no id")) };
    delivered.judge(|notification| {
        let body = notification.body?;
        let is_named = match notification.task_id() {
            Some(named) => named == id,
            // A message need not belong to a task.
            None => matches!(notification.event, Some(StreamEvent::Message(_))) || names(body, id),
        };
        let actual = match notification.task_id() {
            Some(named) => format!("one of the task {named}"),
            None => "one that does not name it".to_owned(),
        };
        let expected = format!("a notification of the task {id}");
        (!is_named).then(|| notification.step.fail(expected, actual))
    })
}

pub(super) fn content_type(t: &Transcript) -> Judged {
    notified(t)?.judge(|notification| {
        let media_type = notification.step.exchange.request.headers.media_type();
        // 1.0.0 has application/json here, and 1.0.1 application/a2a+json.
        let is_json = media_type.as_deref().is_some_and(|kind| kind == "application/json" || kind.ends_with("+json"));
        let actual = media_type.map_or_else(|| "no Content-Type".to_owned(), |kind| format!("Content-Type: {kind}"));
        let expected = "Content-Type: application/a2a+json or application/json";
        (!is_json).then(|| notification.step.fail(expected, actual).at("Content-Type"))
    })
}

pub(super) fn authentication(t: &Transcript) -> Judged {
    let wanted = authorization();
    notified(t)?.judge(|notification| {
        let sent = notification.field("authorization");
        // Names of schemes are compared without case (RFC 9110 §11.1).
        let is_there = sent.and_then(|sent| sent.split_once(' ')).is_some_and(|(scheme, credentials)| {
            wanted.split_once(' ').is_some_and(|(wanted_scheme, wanted_credentials)| {
                scheme.eq_ignore_ascii_case(wanted_scheme) && credentials.trim() == wanted_credentials
            })
        });
        let actual = if sent.is_some() { "another Authorization" } else { "no Authorization" };
        let expected = "Authorization with the scheme and the credentials of the config";
        (!is_there).then(|| notification.step.fail(expected, actual).at("Authorization"))
    })
}

pub(super) fn token(t: &Transcript) -> Judged {
    notified(t)?.judge(|notification| {
        let sent = notification.field("token");
        let actual = if sent.is_some() { "another token" } else { "no such header" };
        let expected = "X-A2A-Notification-Token with the token of the config";
        (sent != Some(TOKEN)).then(|| notification.step.fail(expected, actual).at("X-A2A-Notification-Token"))
    })
}

/// One that was under way may still arrive; the end of a task that was at work after the deletion
/// came later.
pub(super) fn stops_after_delete(t: &Transcript) -> Judged {
    let deleted = registered(t, &DELETED)?;
    let (deletion, _) = t.succeeded(DELETION)?;
    if !deleted.was_at_work_after(deletion.exchange.end_ms) {
        return Err(deletion.inconclusive(TOO_SHORT));
    }
    let is_end = |known: &&Notification<'_>| known.state().is_some_and(TaskState::is_terminal);
    if let Some(late) = deleted.notifications.iter().find(is_end) {
        let verdict = late.step.fail("no notification after the deletion", "a notification of the task's end");
        return Ok(verdict.seen_in(deletion.exchange.id));
    }
    if !arrived(t, &KEPT)?.tells_of_end() {
        return Err(Verdict::blocked("the other webhook was not told of the end either: see push.terminal-state"));
    }
    Ok(deletion.pass())
}

pub(super) fn order(t: &Transcript) -> Judged {
    let delivered = arrived(t, &KEPT)?;
    let mut end = None;
    delivered.judge(|notification| {
        let state = notification.state()?;
        if state.is_terminal() {
            end.get_or_insert(notification.step.exchange.id);
        }
        let end = end.filter(|_| !state.is_terminal())?;
        let expected = "no notification of an earlier state after that of the task's end";
        Some(notification.step.fail(expected, delivered.dialect.state_name(state)).seen_in(end))
    })
}

pub(super) fn once(t: &Transcript) -> Judged {
    let delivered = arrived(t, &KEPT)?;
    let mut seen: Vec<(&[u8], u32)> = Vec::new();
    delivered.judge(|notification| {
        let body = notification.step.exchange.request.body.as_deref().unwrap_or_default();
        if let Some((_, earlier)) = seen.iter().find(|(known, _)| *known == body) {
            return Some(notification.step.fail("each notification once", "the same twice").seen_in(*earlier));
        }
        seen.push((body, notification.step.exchange.id));
        None
    })
}
