//! What a page of some origin meets on its way to the agent, in the words and with the fixes of the page itself.

use super::as_page::Observed;
use crate::engine::reach::{Action, StageResult};
use crate::host::probe::PageOrigin;
use crate::report::connection::{Obstacle, PageAccess};
use crate::view_model::cors_snippets::stacks;
use crate::view_model::reach::{Panel, lamps, panel};

/// The way of a page, as far as it is known.
pub(super) fn page_access(home: &PageOrigin, observed: &Observed, reached: &[StageResult]) -> PageAccess {
    // The way is shown by its first obstacle in the page; here there is room for all of them.
    let mut panels: Vec<Panel> = Vec::new();
    for panel in reached.iter().filter_map(|stage| panel(std::slice::from_ref(stage))) {
        if !panels.iter().any(|known| known.reason == panel.reason && known.url == panel.url) {
            panels.push(panel);
        }
    }
    let stages = lamps(reached).into_iter().map(|lamp| [lamp.id, lamp.title, lamp.light, lamp.word]).collect();
    let headers: Vec<String> = panels.iter().flat_map(|panel| panel.headers.clone()).collect();
    let is_mended = panels.iter().any(|panel| panel.action == Action::Fix);
    let fixes = stacks()
        .into_iter()
        .filter(|_| is_mended)
        .map(|stack| [stack.title.to_owned(), stack.place.to_owned(), stack.fix(&home.origin, &headers)])
        .collect();
    let obstacle = |panel: Panel| Obstacle {
        observed: observed.at(&panel.url),
        reason: panel.reason,
        title: panel.title,
        meaning: panel.meaning,
        remedy: panel.remedy,
        url: panel.url,
        causes: panel.causes,
    };
    PageAccess { origin: home.origin.clone(), stages, obstacles: panels.into_iter().map(obstacle).collect(), fixes }
}

/// The same in sentences, for reports that have no place of their own for it.
pub(super) fn page_remarks(access: &PageAccess) -> Vec<String> {
    let how = format!(
        "The agent was called as a page of {} would call it, and judged by what a browser lets that page see (--cors-origin).",
        access.origin
    );
    let obstacles = access.obstacles.iter().map(|obstacle| {
        let seen = obstacle.observed.first().map_or_else(String::new, |seen| format!(" {seen}."));
        format!("{} ({}).{seen} {}", obstacle.title, obstacle.url, obstacle.remedy)
    });
    std::iter::once(how).chain(obstacles).collect()
}
