//! Title and icon of the tab, kept in step with the run (`view_model/tab_title.rs` says what they are).

use leptos::prelude::*;

use super::state::{Page, RunPhase};
use crate::report::VerdictWord;
use crate::view_model::tab_title::{self, TitleState};

/// Follows the page as long as it lives.
pub(super) fn follow(page: Page) {
    let standing = move || match page.phase.get() {
        RunPhase::Empty => TitleState::Empty,
        RunPhase::Running => page.tally.with(|tally| TitleState::Running { judged: tally.judged, total: tally.total }),
        RunPhase::Done => TitleState::Over {
            word: page.banner.with(|banner| banner.as_ref().map_or(VerdictWord::Incomplete, |banner| banner.word)),
            failed: page.tally.with(|tally| tally.failed_required),
        },
    };
    let title = Memo::new(move |_| page.subject.with(|subject| tab_title::title(standing(), subject)));
    let icon = Memo::new(move |_| tab_title::icon(standing()));
    Effect::new(move || title.with(|title| document().set_title(title)));
    Effect::new(move || {
        let link = document().query_selector("link[rel=icon]").ok().flatten();
        if let (Some(link), Some(icon)) = (link, icon.get()) {
            let _ = link.set_attribute("href", &icon);
        }
    });
}
