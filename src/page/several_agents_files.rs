//! The files about several agents: buttons that save them.

use leptos::prelude::*;

use super::checker_client::answer_or_say;
use super::downloads::save;
use super::state::Page;
use super::widgets::button;
use crate::report::Format;
use crate::view_model::messages::{File, Question};
use crate::view_model::several_agents::TableTopic;

/// A button for each of these files, which have ids: of the tables of a topic, or of all reports.
pub(super) fn file_buttons(
    page: Page,
    label: &'static str,
    files: [(Format, &'static str); 3],
    topic: Option<TableTopic>,
) -> AnyView {
    let button = move |(format, id): (Format, &'static str)| {
        let press = move || {
            let format = format.as_str().to_owned();
            let question = match topic {
                Some(topic) => Question::SeveralTableFile { topic, format },
                None => Question::SeveralFile { format },
            };
            save_answer(page, &question);
        };
        button("plain", id, format.title(), press)
    };
    view! {
        <p class="buttons" role="group" aria-label=label>
            {files.into_iter().map(button).collect_view()}
        </p>
    }
    .into_any()
}

fn save_answer(page: Page, question: &Question) {
    answer_or_say(question, page.agents_problem, |file| {
        if let Some(File { name, media_type, text }) = file {
            save(&name, &media_type, &text);
        }
    });
}
