//! The files about several agents: buttons that save them.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::checker_client::{NOT_LOADED, answer};
use super::downloads::save;
use super::state::Page;
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
        let press = move |_| {
            let format = format.as_str().to_owned();
            save_answer(
                page,
                match topic {
                    Some(topic) => Question::SeveralTableFile { topic, format },
                    None => Question::SeveralFile(format),
                },
            );
        };
        view! {
            <button type="button" class="plain" id=id on:click=press>
                {format.title()}
            </button>
        }
        .into_any()
    };
    view! {
        <p class="buttons" role="group" aria-label=label>
            {files.into_iter().map(button).collect_view()}
        </p>
    }
    .into_any()
}

fn save_answer(page: Page, question: Question) {
    spawn_local(async move {
        match answer::<Option<File>>(&question).await {
            Ok(Some(File { name, media_type, text })) => save(&name, &media_type, &text),
            Ok(None) => {}
            Err(_) => page.agents_problem.set(NOT_LOADED.to_owned()),
        }
    });
}
