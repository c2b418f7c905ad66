//! How the runs of several agents stand, asked twice a second; and ending them.

use std::time::Duration;

use leptos::prelude::*;

use super::checker_client::{Answer, answer_or_say, when_answered};
use super::focus::rescue;
use super::state::Page;
use crate::view_model::messages::Question;
use crate::view_model::several_agents::AgentLines;

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
    when_answered(&Question::SeveralStop(which), move |stopped: Answer<()>| {
        if stopped.is_ok() {
            follow(page);
        }
    });
}
