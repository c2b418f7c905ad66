//! The parameters of a client's calls about tasks: required ones, page sizes, and no subscription to a task that has finished.

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use crate::a2a::model::Operation;
use crate::engine::check::Check;
use crate::engine::verdict::Judged;
use crate::wire::json::{Value, brief};

/// How much of a value a finding shows.
const SHOWN: usize = 40;

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.required-params",
        title: "Requests have the parameters that their operation requires",
        why: "An agent cannot tell which task is meant, and refuses the request.",
        fix: "Set the required parameters: message for a send, id for a task, taskId and id for a push config.",
        requirements: &["client.required-params", "client.required-params-0x"],
        ..Check::tripped_by(&["get-without-id", "send-without-message"])
    }
    .judging_clients_by(required),
    Check {
        id: "client.page-size",
        title: "pageSize is from 1 to 100",
        why: "An agent refuses a page of another size.",
        fix: "Ask for 1 to 100 tasks, or leave pageSize out.",
        ..Check::tripped_by(&["page-of-thousand"])
    }
    .judging_clients_by(page_size),
    Check {
        id: "client.no-subscription-to-finished",
        title: "Subscriptions are not for tasks that have finished",
        why: "A task that has finished sends no more events; the agent returns an error.",
        fix: "Read a finished task with GetTask.",
        ..Check::tripped_by(&["subscription-to-finished-task"])
    }
    .judging_clients_by(no_subscription_to_finished),
];

/// The parameters that have to be strings which are not empty. Versions with ids of push configs in 1.0 only.
fn required_texts(call: &ClientCall, operation: Operation) -> &'static [&'static str] {
    let is_newest = call.dialect().version_header.is_some();
    match operation {
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => &["id"],
        Operation::GetPushConfig | Operation::DeletePushConfig if is_newest => &["taskId", "id"],
        Operation::ListPushConfigs if is_newest => &["taskId"],
        Operation::GetPushConfig | Operation::ListPushConfigs => &["id"],
        Operation::DeletePushConfig => &["id", "pushNotificationConfigId"],
        Operation::CreatePushConfig if is_newest => &[],
        // 0.1 names the task `id`.
        Operation::CreatePushConfig if call.dialect().forms.ids => &["taskId"],
        Operation::CreatePushConfig => &["id"],
        Operation::SendMessage | Operation::SendStreamingMessage if !call.dialect().forms.ids => &["id"],
        _ => &[],
    }
}

fn required(c: &ClientConversation<'_>) -> Judged {
    let named = c.calls().filter_map(|call| Some((call, call.operation?)));
    // Another check judges parameters that are not objects; no check judges a gRPC message that cannot be read.
    let read = named.filter(|(call, _)| call.params.is_object() || (call.params.is_null() && !call.is_grpc()));
    judge_places(read, "the client called no operation", |call, operation| {
        let missing = |name: &&&str| call.text(name).is_none();
        let texts = required_texts(call, operation);
        let no_message = call.is_send() && !call.params.get("message").is_some_and(Value::is_object);
        let name = if no_message { "message" } else { texts.iter().find(missing)? };
        let actual = call.params.get(name).map_or_else(|| "none".to_owned(), |given| brief(given, SHOWN));
        let kind = if no_message { "an object" } else { "a string that is not empty" };
        Some(call.fail(format!("{name}, {kind}"), actual).at(call.place(name)))
    })
}

fn page_size(c: &ClientConversation<'_>) -> Judged {
    let sized = c.calls().filter(|call| call.is(&[Operation::ListTasks])).filter_map(|call| {
        let size = call.params.get("pageSize")?;
        let number = size.as_i64().or_else(|| size.as_str()?.parse().ok());
        Some((call, (number, size)))
    });
    let without = "the client asked for no page of a size; list tasks with a pageSize";
    judge_places(sized, without, |call, (number, size)| {
        let fits = number.is_some_and(|number: i64| (1..=100).contains(&number));
        (!fits).then(|| call.fail("1 to 100", brief(size, SHOWN)).at(call.place("pageSize")))
    })
}

fn no_subscription_to_finished(c: &ClientConversation<'_>) -> Judged {
    let subscriptions = c.calls().filter(|call| call.is(&[Operation::SubscribeToTask]));
    let named = subscriptions.filter_map(|call| Some((call, text(&call.params, "id")?)));
    judge_places(named, "the client subscribed to no task", |call, task| {
        let told = c.session.told_finished(task, call)?;
        let actual = format!("a subscription to {task:?}, which has");
        Some(call.fail("a task that has not finished", actual).at("/id").seen_in(told.id()))
    })
}
