//! A conversation with the agent, over as many turns as it takes: what was said, the task's states, artifacts as they grow.

use leptos::prelude::*;

use super::state::Page;
use super::widgets::{button_unless, submitted};
use super::workbench_calls::talk;
use crate::view_model::workbench::{ConversationAction, ConversationEntry};

#[component]
pub(super) fn Conversation(page: Page) -> impl IntoView {
    let turn = |ConversationEntry { who, title, text }: ConversationEntry| {
        view! {
            <li data-who=who>
                <b>{title}</b>
                <span>{text}</span>
            </li>
        }
        .into_any()
    };
    let turns = move || {
        let turns = page.bench.heard.with(|heard| heard.talk.turns.clone());
        turns.into_iter().map(turn).collect_view().into_any()
    };
    let waits = move || page.bench.heard.with(|heard| heard.talk.waits.clone());
    let has_task = move || page.bench.heard.with(|heard| !heard.talk.task.is_empty());
    let is_busy = move || page.bench.is_busy.get();
    let streams = move || page.bench.composed.with(|it| it.streams);
    let context = move || page.bench.heard.with(|heard| heard.talk.context.clone());
    let submit = submitted(move || {
        talk(page, if untrack(streams) { ConversationAction::Stream } else { ConversationAction::Say });
    });
    let act = move |id: &'static str, title: &'static str, act: ConversationAction| {
        let is_off = move || !has_task() || (is_busy() && act != ConversationAction::Cancel);
        button_unless(is_off, "plain", id, title, move || talk(page, act))
    };
    let restart = move || talk(page, ConversationAction::Restart);
    view! {
        <section class="bench-talk" aria-labelledby="talk-title" data-waits=move || waits()>
            <h2 id="talk-title">"Conversation"</h2>
            <p class="note">"Messages go to the interface that is chosen above. Context and task are kept from turn to turn."</p>
            <ol class="turns" id="turns">{move || turns()}</ol>
            <p class="talk-next" id="talk-next" role="status">{move || page.bench.heard.with(|heard| heard.talk.next.clone())}</p>
            <p class="note" id="talk-context" hidden=move || context().is_empty()>
                "Context "
                <code>{move || context()}</code>
            </p>
            <form on:submit=submit>
                <label>
                    <span>
                        {move || if waits() == "input" { "Your answer to the agent".to_owned() } else { "Your message".to_owned() }}
                    </span>
                    <input
                        id="talk-text"
                        type="text"
                        autocomplete="off"
                        prop:value=move || page.bench.message.get()
                        on:input=move |event| page.bench.message.set(event_target_value(&event))
                    />
                </label>
                <p class="buttons">
                    <button type="submit" class="plain" id="talk-send" aria-disabled=move || is_busy().to_string()>"Send message"</button>
                    {act("talk-look", "Refresh", ConversationAction::Look)}
                    {act("talk-watch", "Watch the task", ConversationAction::Watch)}
                    {act("talk-cancel", "Cancel the task", ConversationAction::Cancel)}
                    {button_unless(is_busy, "quiet", "talk-restart", "New conversation", restart)}
                </p>
            </form>
        </section>
    }
}
