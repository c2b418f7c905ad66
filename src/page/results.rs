//! The changes that the messages of a run make to the rows of the page.

use std::sync::Arc;

use js_sys::Date;
use leptos::prelude::*;

use super::focus::{focus, focused_id};
use super::state::{LineHandle, Page, RowHandle};
use super::waiting;
use crate::view_model::agents_switch::AgentsSwitch;
use crate::view_model::banner::Banner;
use crate::view_model::messages::CheckerMessage;
use crate::view_model::reach::ReachView;
use crate::view_model::rerun::{self, RerunSummary};
use crate::view_model::rows::{Counts, RowInfo, RowKind, RowResult, RowState};

/// Changes that are made together after some messages.
pub(super) struct Changes {
    counts: Counts,
    touched: bool,
    /// The verdict, if the run is over.
    pub(super) banner: Option<Box<Banner>>,
    /// How what was run again ended, if that is over.
    pub(super) again: Option<RerunSummary>,
}

impl Changes {
    pub(super) fn watched_on(page: Page) -> Self {
        Self { counts: page.counts.get_untracked(), touched: false, banner: None, again: None }
    }

    /// Shows the counts as they are now.
    pub(super) fn show(&self, page: Page) {
        if self.touched {
            page.counts.set(self.counts);
            page.revision.update(|revision| *revision = revision.wrapping_add(1));
        }
    }

    pub(super) fn apply(&mut self, page: Page, message: CheckerMessage) {
        match message {
            CheckerMessage::Stage(text) => {
                page.confirm.set(None);
                page.stage.set(text.clone());
                page.spoken.set(text);
            }
            CheckerMessage::Confirm(confirm) => {
                page.spoken.set(confirm.spoken.clone());
                page.confirm.set(Some(confirm));
            }
            CheckerMessage::Reached(reached) => page.way.set(*reached),
            CheckerMessage::Agent(agent) => page.agent.set(Some(*agent)),
            CheckerMessage::Lanes(lanes) => page.lanes.set(lanes),
            CheckerMessage::Agents(switch) => self.turn_to(page, *switch),
            CheckerMessage::Planned { rows, messages } => {
                page.planned_messages.update(|total| *total += messages);
                self.plan(page, rows);
            }
            CheckerMessage::Running(rows) => {
                for row in rows.into_iter().filter_map(|row| page.row(row)) {
                    let was = row.state.with_untracked(|state| state.was);
                    self.become_state(&row, RowState::RUNNING.after(was));
                }
            }
            CheckerMessage::Judged { row, result } => self.judge(page, row, result),
            CheckerMessage::Finished(banner) => self.banner = Some(banner),
            CheckerMessage::Rerun { judged, asked, why } => self.again = Some(RerunSummary { judged, asked, why }),
        }
    }

    /// Of two agents another report is shown than before.
    fn turn_to(&mut self, page: Page, switch: AgentsSwitch) {
        if page.agents_switch.with_untracked(|before| before.is_given() && before.shown != switch.shown) {
            clear_rows(page);
            (self.counts, self.touched) = (Counts::default(), true);
        }
        page.subject.set(switch.subject.clone());
        page.agents_switch.set(switch);
    }

    fn plan(&mut self, page: Page, rows: Vec<RowInfo>) {
        let mut handles = page.rows.get_untracked();
        let mut lines = page.lines.get_untracked();
        let mut wanted = None;
        for info in rows {
            let line = lines.iter().position(|line| line.check == info.check).unwrap_or_else(|| {
                let (check, title, category) = (info.check.clone(), info.title.clone(), info.category);
                lines.push(LineHandle { check, title, category, rows: ArcRwSignal::new(Vec::new()) });
                lines.len() - 1
            });
            let was = page.status_before(handles.len(), &info.key);
            let state = ArcRwSignal::new(RowState::PENDING.after(was));
            let row = RowHandle { info: Arc::new(info), line, state };
            if page.wanted.with_untracked(|wanted| wanted.as_ref() == Some(&row.info.key)) {
                wanted = Some(row.clone());
            }
            if let Some(line) = lines.get(line) {
                line.rows.update(|rows| rows.push(row.clone()));
            }
            handles.push(row);
            self.count(RowKind::Pending, 1);
        }
        self.touched = true;
        page.rows.set(handles);
        page.lines.set(lines);
        if let Some(row) = wanted {
            page.wanted.set(None);
            // Rows that run again stay as they were shown.
            if page.before.with_untracked(Vec::is_empty) {
                page.uncover(&row);
                page.linked_row.set(Some(row.info.index));
            }
            page.selected.set(Some(row.info.index));
        }
    }

    fn judge(&mut self, page: Page, row: usize, result: RowResult) {
        if let Some(row) = page.row(row) {
            let was = row.state.with_untracked(|state| state.was);
            self.become_state(&row, RowState::from_result(result).after(was));
        }
    }

    pub(super) fn become_state(&mut self, row: &RowHandle, state: RowState) {
        let before = row.state.with_untracked(|state| state.status.kind());
        self.count(before, -1);
        self.count(state.status.kind(), 1);
        self.touched = true;
        row.state.set(state);
    }

    fn count(&mut self, kind: RowKind, by: i32) {
        if let Some(count) = self.counts.get_mut(kind.index()) {
            *count = count.saturating_add_signed(by);
        }
    }
}

/// Takes away what is shown of a report, for another one.
pub(super) fn clear_rows(page: Page) {
    page.selected.set(None);
    page.cursor.set(None);
    page.rows.set(Vec::new());
    page.lines.set(Vec::new());
    page.counts.set(Counts::default());
    page.planned_messages.set(0);
    page.agent.set(None);
    page.way.set(ReachView::default());
    page.lanes.set(Vec::new());
    page.banner.set(None);
}

/// Rows without a result are shown as every report has them: not run.
pub(super) fn leave_unjudged(page: Page) {
    let mut changes = Changes::watched_on(page);
    for row in page.rows.get_untracked() {
        if row.state.with_untracked(|state| state.status.is_open()) {
            changes.become_state(&row, RowState::NOT_RUN);
        }
    }
    changes.show(page);
}

/// The run of single checks is over: rows that came to nothing are as they were.
pub(super) fn finish_again(page: Page, over: RerunSummary) {
    waiting::nothing(page);
    let rows = page.again.get_untracked().unwrap_or_default();
    let mut changes = Changes::watched_on(page);
    let mut changed = 0;
    for (index, before) in rows {
        let Some(row) = page.row(index) else { continue };
        if row.state.with_untracked(|state| state.status.is_open()) {
            changes.become_state(&row, before);
        } else if row.state.with_untracked(|state| !state.changed_from().is_empty()) {
            changed += 1;
        }
    }
    changes.show(page);
    // Where nothing fails any more, its button is gone.
    if focused_id() == "stop" || focused_id() == "again-failed" {
        focus("again-all");
    }
    page.again.set(None);
    let now = Date::new_0();
    let time = format!("{:02}:{:02}", now.get_hours(), now.get_minutes());
    let note = rerun::over(&time, (over.judged, over.asked), changed, &over.why);
    page.spoken.set(note.clone());
    page.again_note.set(note);
}
