//! The runs of several agents: how often the checker is asked how they stand, ending them, and saving files about them.

use std::time::Duration;

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, answer_or_say, when_answered};
use super::downloads::save;
use super::focus::rescue;
use super::state::Page;
use super::widgets::button;
use crate::report::Format;
use crate::view_model::messages::{File, Question};
use crate::view_model::several_agents::{AgentLines, TableTopic};

/// How often the runs are asked for, in milliseconds.
const PACE_MS: u64 = 500;

/// Asks how the runs stand until they are over.
pub(super) fn follow(page: Page) {
    page.agents_asked.update(|asked| *asked += 1);
    ask(page, page.agents_asked.get_untracked());
}

fn ask(page: Page, mine: u32) {
    answer_or_say(&Question::SeveralLines, page.agents_problem, move |lines: AgentLines| {
        if page.agents_asked.get_untracked() != mine {
            return;
        }
        let is_over = lines.is_over;
        if page.agents.with_untracked(|known| *known != lines) {
            page.agents.set(lines);
        }
        if is_over {
            page.spoken.set(page.agents.with_untracked(AgentLines::summary));
            rescue("several-run");
        } else {
            set_timeout(move || ask(page, mine), Duration::from_millis(PACE_MS));
        }
    });
}

/// Ends the run of one agent, or all.
pub(super) fn stop(page: Page, which: Option<usize>) {
    when_answered(&Question::SeveralStop(which), move |stopped: CheckerAnswer<()>| {
        if stopped.is_ok() {
            follow(page);
        }
    });
}

/// A button for each of these files, which have ids: of the tables of a topic, or of all reports.
pub(super) fn file_buttons(
    page: Page,
    label: &'static str,
    files: [(Format, &'static str); 3],
    topic: Option<TableTopic>,
) -> AnyView {
    let file = move |(format, id): (Format, &'static str)| {
        let press = move || {
            let format = format.as_str().to_owned();
            let question = match topic {
                Some(topic) => Question::SeveralTableFile { topic, format },
                None => Question::SeveralFile(format),
            };
            save_answer(page, &question);
        };
        button("plain", id, format.title(), press)
    };
    view! {
        <p class="buttons" role="group" aria-label=label>
            {files.into_iter().map(file).collect_view()}
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
