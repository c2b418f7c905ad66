//! The scenario of a load, with the texts of its checks.

use super::drive::drive;
use super::ids::{
    AGREES, CANCEL_RACE, COMPLETE, ENDS, KEPT, LEAVING, LISTS, NO_SERVER_ERRORS, ORDER, OWN_ANSWERS, OWN_EVENTS,
    OWN_OUTPUT, READABLE, RETURNING, STREAMS_AGREE, TASK_IDS,
};
use super::judgement::judged;
use crate::engine::check::{Check, Scenario, Scope};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "load",
    title: "Have many conversations at once",
    scope: Scope::Load,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: TASK_IDS,
        title: "Under load each conversation gets a task id of its own",
        why: "Two clients share a task, and each sees and changes what the other does.",
        fix: "Generate task ids so that they are unique however many are generated at once, such as UUIDs of version 4.",
        requirements: &["send.task-ids-unique"],
        judge: |t| judged(t, TASK_IDS),
        ..Check::tripped_by(&["load-reuses-ids"])
    },
    Check {
        id: OWN_ANSWERS,
        title: "Under load each answer is about the task that was asked for",
        why: "A client gets the task of another one, and its own result is lost.",
        fix: "Keep what belongs to a request in that request, and not in a member of the handler that all requests share.",
        requirements: &["get.consistent-ids", "send.task-ids-unique"],
        judge: |t| judged(t, OWN_ANSWERS),
        ..Check::tripped_by(&["load-swaps-tasks"])
    },
    Check {
        id: OWN_EVENTS,
        title: "Under load a stream holds events of its own task only",
        why: "A client that runs several tasks mixes up their results, or shows them to the wrong user.",
        fix: "Give every stream a queue of its own, and publish the events of a task only to the queues of that task.",
        requirements: &["stream.consistent-ids"],
        judge: |t| judged(t, OWN_EVENTS),
        ..Check::tripped_by(&["load-leaks-events"])
    },
    Check {
        id: OWN_OUTPUT,
        title: "Under load the output of a task does not repeat what other conversations said",
        why: "What one client wrote is shown to another.",
        fix: "Keep what a task works with in that task, and not in a variable that tasks share.",
        judge: |t| judged(t, OWN_OUTPUT),
        ..Check::tripped_by(&["load-crosses-artifacts"])
    },
    Check {
        id: LISTS,
        title: "Under load a context's list has exactly its tasks",
        why: "A client that finds its tasks by a list misses some, or sees those of others.",
        fix: "Add a task to the list before its id is returned, and let lists see every change that was answered.",
        requirements: &["list.filter-context", "list.includes-created", "list.total-size"],
        judge: |t| judged(t, LISTS),
        ..Check::tripped_by(&["load-loses-listed"])
    },
    Check {
        id: KEPT,
        title: "Under load a task can be read after its id was returned",
        why: "A client cannot get the result of its task.",
        fix: "Store a task before its id is returned, and keep it when many others are made.",
        requirements: &["get.after-completion"],
        judge: |t| judged(t, KEPT),
        ..Check::tripped_by(&["load-forgets-tasks"])
    },
    Check {
        id: COMPLETE,
        title: "Under load no update of a stream is lost",
        why: "A client gets a part of the result, and nothing says that something is missing.",
        fix: "Do not drop updates when a queue is full or a task has ended: write what is in the queue before the stream ends.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        judge: |t| judged(t, COMPLETE),
        ..Check::tripped_by(&["load-loses-updates"])
    },
    Check {
        id: ORDER,
        title: "Under load the updates of a stream come in order",
        why: "A client that appends chunks as they come gets a text that nobody wrote.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        requirements: &["stream.order", "stream.v03.matches-get"],
        judge: |t| judged(t, ORDER),
        ..Check::tripped_by(&["load-swaps-updates"])
    },
    Check {
        id: ENDS,
        title: "Under load every task ends or waits for its client",
        why: "A client waits for a result that never comes.",
        fix: "Look for work that is lost when queues are full or workers are busy, and let what fails end in the state failed.",
        judge: |t| judged(t, ENDS),
        ..Check::tripped_by(&["load-never-ends"])
    },
    Check {
        id: AGREES,
        title: "Under load GetTask agrees with what was answered before",
        why: "A client does not know which of two answers to believe.",
        fix: "Store a change of a task before it is sent, and let nothing change a task that has ended.",
        requirements: &["task.terminal-immutable", "stream.matches-get"],
        judge: |t| judged(t, AGREES),
        ..Check::tripped_by(&["load-reopens-tasks"])
    },
    Check {
        id: READABLE,
        title: "Under load every answer is one of the protocol",
        why: "Clients cannot read the answer, and do not know whether to try again.",
        fix: "Let whatever refuses requests for lack of room answer with HTTP 429 or 503, and write answers to their end.",
        requirements: &["jsonrpc.response-object", "grpc.messages", "send.task-or-message", "send.v03.rest-wrapper"],
        judge: |t| judged(t, READABLE),
        ..Check::tripped_by(&["load-breaks-answers"])
    },
    Check {
        id: NO_SERVER_ERRORS,
        title: "Under load the agent says that it is busy, and does not break",
        why: "A client that gets HTTP 500 reports a bug; one that gets 429 or 503 tries again.",
        fix: "Refuse with HTTP 429 or 503, and Retry-After, what there is no room for.",
        requirements: &["load.no-server-errors", "load.older.no-server-errors"],
        judge: |t| judged(t, NO_SERVER_ERRORS),
        ..Check::tripped_by(&["load-errors-500"])
    },
    Check {
        id: STREAMS_AGREE,
        title: "Under load several streams of one task have the same events in the same order",
        why: "Two people who watch the same task see different things happen.",
        fix: "Send every event to all streams of its task, through a queue of each stream's own.",
        requirements: &["subscribe.multi-broadcast"],
        judge: |t| judged(t, STREAMS_AGREE),
        ..Check::tripped_by(&["load-streams-differ"])
    },
    Check {
        id: LEAVING,
        title: "Under load closing one stream leaves the others of the task open",
        why: "When one client loses its connection, all others lose theirs.",
        fix: "When a stream is closed, remove that stream from its task, and nothing else.",
        requirements: &["subscribe.close-independent"],
        judge: |t| judged(t, LEAVING),
        ..Check::tripped_by(&["load-one-closes-all"])
    },
    Check {
        id: RETURNING,
        title: "Under load a subscriber that comes back sees the end of the task",
        why: "A client that lost its connection never learns how its task ended.",
        fix: "Begin a subscription with the task as it is, and send it all events after that.",
        requirements: &["subscribe.matches-get", "subscribe.v03.resubscribe"],
        judge: |t| judged(t, RETURNING),
        ..Check::tripped_by(&["load-forgets-returned"])
    },
    Check {
        id: CANCEL_RACE,
        title: "A cancel that races with the end of its task has one outcome",
        why: "A client believes that nothing was done, and the work was done and charged all the same.",
        fix: "Decide in one place, and once, how a task ends: what comes second finds the task ended.",
        requirements: &["task.terminal-immutable", "cancel.terminal"],
        judge: |t| judged(t, CANCEL_RACE),
        ..Check::tripped_by(&["load-cancel-overtaken", "load-cancel-denied"])
    },
];
