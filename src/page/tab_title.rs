//! Title and icon of the tab, kept in step with the run (`view_model/tab_title.rs` says what they are).

use leptos::prelude::*;

use super::state::{Page, RunPhase};
use crate::report::VerdictWord;
use crate::view_model::several_agents::AgentLines;
use crate::view_model::tab_title::{self, TitleState};

/// Follows the page as long as it lives.
pub(super) fn follow(page: Page) {
    let is_of_several = Memo::new(move |_| page.several.get() && page.agents.with(AgentLines::is_begun));
    let standing = move || match page.phase.get() {
        _ if is_of_several.get() => page.agents.with(AgentLines::standing),
        RunPhase::Empty => TitleState::Empty,
        RunPhase::Running => page.tally.with(|tally| TitleState::Running { judged: tally.judged, total: tally.total }),
        RunPhase::Done => TitleState::Over {
            word: page.banner.with(|banner| banner.as_ref().map_or(VerdictWord::Incomplete, |banner| banner.word)),
            failed: page.tally.with(|tally| tally.failed_required),
        },
    };
    let title = Memo::new(move |_| {
        let several = "several agents".to_owned();
        tab_title::title(standing(), &if is_of_several.get() { several } else { page.subject.get() })
    });
    let icon = Memo::new(move |_| tab_title::icon(standing()));
    Effect::new(move || title.with(|title| document().set_title(title)));
    Effect::new(move || {
        let link = document().query_selector("link[rel=icon]").ok().flatten();
        if let (Some(link), Some(icon)) = (link, icon.get()) {
            let _ = link.set_attribute("href", &icon);
        }
    });
}
