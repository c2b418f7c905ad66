//! Everything that was sent and came back, as a list by time, of which only the lines in sight are in the document, and some before
//! and behind them for the keyboard.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::checker_client::{show_answer, when_answered};
use super::evidence::EvidenceList;
use super::export_menu::{export, export_button};
use super::focus::{focus, focus_with_next_frame, focused_id};
use super::state::{Page, RunPhase};
use super::widgets::{ForEach, button, search};
use crate::engine::requirement::Level;
use crate::report::Format;
use crate::view_model::evidence::Evidence;
use crate::view_model::format::count;
use crate::view_model::messages::Question;
use crate::view_model::traffic::TrafficLine;
use crate::view_model::workbench::exchange_title;

/// How high a line is, in pixels (`style/views.css` says so too).
const LINE: usize = 36;
/// How many lines the list shows at most on the largest screens.
const IN_SIGHT: usize = 60;
/// How many more there are before and behind them.
const AROUND: usize = 12;

/// The beginning of the ids of the lines' buttons.
const BUTTON: &str = "exchange-";

#[component]
pub(super) fn Traffic(page: Page) -> impl IntoView {
    let lines = RwSignal::new(Vec::<TrafficLine>::new());
    let wanted = RwSignal::new(String::new());
    let opened = RwSignal::new(None::<Evidence>);
    Effect::new(move || {
        // Once a second while the run goes on, and when it is over, or another is shown.
        page.seconds.track();
        page.phase.track();
        page.runs.track();
        page.bench.is_busy.track();
        show_answer(&Question::Traffic, lines);
    });
    // By their numbers, which stay when more exchanges come in between.
    let found = Memo::new(move |_| {
        let fits = |line: &&TrafficLine| wanted.with(|wanted| line.holds(wanted));
        lines.with(|lines| lines.iter().filter(fits).map(|line| line.id as usize).collect::<Vec<usize>>())
    });
    let counted = move || {
        let (shown, all) = (found.with(Vec::len), lines.with(Vec::len));
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        match (shown == all, all) {
            (_, 0) if page.phase.get() == RunPhase::Running => "Nothing was sent yet.".to_owned(),
            (_, 0) => "No exchanges were recorded, or the report was kept without them.".to_owned(),
            (true, all) => count(number(all), "exchange"),
            (false, all) => format!("{shown} of {}", count(number(all), "exchange")),
        }
    };
    let har_note = RwSignal::new(String::new());
    let har = move || export(Format::Har, move |trouble| har_note.set(trouble));
    view! {
        <div class="view-tools">
            {search("traffic-text", "Search the traffic", wanted)}
            <p class="note" id="traffic-count" role="status">{move || counted()}</p>
            {export_button("traffic-har", "HAR", "for developer tools", Box::new(har))}
            <p class="export-note" role="status">{move || har_note.get()}</p>
        </div>
        <div class="traffic" class:has-exchange=move || opened.with(Option::is_some)>
            <Lines lines found opened/>
            {move || opened.get().map(|exchange| view! { <Opened exchange opened/> }.into_any()).into_any()}
        </div>
    }
}

#[component]
fn Lines(
    lines: RwSignal<Vec<TrafficLine>>,
    found: Memo<Vec<usize>>,
    opened: RwSignal<Option<Evidence>>,
) -> impl IntoView {
    let first = RwSignal::new(0_usize);
    let from = move || first.get().min(found.with(Vec::len).saturating_sub(IN_SIGHT));
    let numbers = Memo::new(move |_| {
        let from = from();
        found.with(|found| found.iter().skip(from).take(IN_SIGHT + 2 * AROUND).copied().collect::<Vec<usize>>())
    });
    let scroll = move |event: ev::Event| {
        let top = usize::try_from(event_target::<HtmlElement>(&event).scroll_top()).unwrap_or_default() / LINE;
        let next = top.saturating_sub(AROUND);
        if next.abs_diff(first.get_untracked()) < AROUND / 2 {
            return;
        }
        let focused = focused_exchange();
        first.set(next);
        // The line that had the focus may be leaving; the keyboard stays in the list.
        let stays = |id: usize| numbers.with_untracked(|numbers| numbers.contains(&id));
        if focused.is_some_and(|id| !stays(id)) {
            focus("traffic-list");
        }
    };
    let walk = move |event: ev::KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        let next = found.with_untracked(|found| {
            let at = found.iter().position(|id| Some(*id) == focused_exchange())?;
            found.get(at.checked_add_signed(by)?).copied()
        });
        if let Some(next) = next {
            event.prevent_default();
            focus(&format!("{BUTTON}{next}"));
        }
    };
    let row = move |id: usize| {
        let line = lines.with_untracked(|lines| lines.iter().find(|line| line.id as usize == id).cloned());
        line.map(|line| row(line, found, opened)).into_any()
    };
    let behind = move || found.with(Vec::len).saturating_sub(from() + numbers.with(Vec::len));
    view! {
        <div class="traffic-list" id="traffic-list" tabindex="0" role="region" aria-label="Exchanges" on:scroll=scroll on:keydown=walk>
            <table aria-rowcount=move || (found.with(Vec::len) + 1).to_string()>
                <thead>
                    <tr>
                        <th scope="col" class="at">"At"</th>
                        <th scope="col" class="method">"Method"</th>
                        <th scope="col">"Path"</th>
                        <th scope="col" class="operation">"Operation"</th>
                        <th scope="col" class="status">"Status"</th>
                        <th scope="col" class="ms">"Took"</th>
                    </tr>
                </thead>
                <tbody>
                    {move || space(from()).into_any()}
                    <ForEach numbers view=row/>
                    {move || space(behind()).into_any()}
                </tbody>
            </table>
        </div>
    }
}

/// The number of the exchange whose line has the focus.
fn focused_exchange() -> Option<usize> {
    focused_id().strip_prefix(BUTTON)?.parse().ok()
}

/// Room for the lines that are not there.
fn space(lines: usize) -> Option<AnyView> {
    (lines > 0).then(|| {
        let height = format!("{}px", lines * LINE);
        view! {
            <tr aria-hidden="true" class="space">
                <td colspan="6" style:height=height></td>
            </tr>
        }
        .into_any()
    })
}

fn row(line: TrafficLine, found: Memo<Vec<usize>>, opened: RwSignal<Option<Evidence>>) -> AnyView {
    let id = line.id;
    // Behind the head, from 1.
    let place =
        move || found.with(|found| found.iter().position(|known| *known == id as usize).unwrap_or_default() + 2);
    let open = move |_| {
        when_answered(&Question::Exchange(id), move |exchange| {
            if let Ok(Some(exchange)) = exchange {
                opened.set(Some(exchange));
                focus_with_next_frame("traffic-exchange-title");
            }
        });
    };
    let state = if line.is_ok { "ok" } else { "error" };
    let lane = if line.lane.is_empty() { line.step } else { format!("{}, {}", line.lane, line.step) };
    view! {
        <tr aria-rowindex=move || place().to_string() data-exchange=id.to_string() data-state=state>
            <td class="at">{line.at}</td>
            <td class="method"><code>{line.method}</code></td>
            <td>
                <button
                    type="button"
                    class="link"
                    id=format!("{BUTTON}{id}")
                    title=lane
                    aria-pressed=move || opened.with(|opened| opened.as_ref().is_some_and(|open| open.id == id)).to_string()
                    on:click=open
                >
                    <code>{line.path}</code>
                </button>
            </td>
            <td class="operation">{line.operation}</td>
            <td class="status"><code>{line.status}</code></td>
            <td class="ms">{line.duration}</td>
        </tr>
    }
    .into_any()
}

/// An exchange in full.
#[component]
fn Opened(exchange: Evidence, opened: RwSignal<Option<Evidence>>) -> impl IntoView {
    let id = exchange.id;
    let close = move || {
        opened.set(None);
        // Its line may be out of sight by now.
        let _ = focus(&format!("{BUTTON}{id}")) || focus("traffic-list");
    };
    view! {
        <section class="traffic-exchange" id="traffic-exchange" aria-labelledby="traffic-exchange-title">
            <h2 id="traffic-exchange-title" tabindex="-1">{exchange_title(id, &exchange.step)}</h2>
            {button("quiet", "traffic-exchange-close", "Close", close)}
            <EvidenceList row=None evidence=vec![exchange] level=Level::Must/>
        </section>
    }
}
