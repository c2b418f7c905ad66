//! The way to the agent: the lamps, and for what is in the way why, the one thing to do, and the fix to paste.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::downloads::{self, Look};
use super::erase::{Child, El, Fixed, View, el, html, live, tag};
use super::state::{Page, Phase};
use super::view::fix::{self, ServerStack};
use super::view::reach::{Lamp, Panel, lamps, panel};
use super::{keys, run, store};
use crate::engine::reach::{Action, StageResult, StageStatus};
use crate::host::probe::Permission;
use crate::host::web;

/// The lamps, and the panel once the run is over; nothing where nothing stands between.
pub(super) fn reach(page: Page) -> View {
    let strip = move || {
        let lamps: Vec<View> = page.reached.with(|reached| lamps(reached)).into_iter().map(lamp).collect();
        (!lamps.is_empty())
            .then(|| el("ol", &[("class", "way"), ("id", "way"), ("aria-label", "The way to the agent")]).child(lamps))
    };
    let why = move || {
        let is_over = page.phase.get() == Phase::Done;
        page.reached.with(|reached| panel(reached)).filter(|_| is_over).map(|panel| shown(page, panel))
    };
    tag("div", "reach", vec![live(strip), live(why)])
}

/// Whether something is in the way; then its button is the one to press, and no other.
pub(super) fn is_blocked(page: Page) -> bool {
    page.phase.get() == Phase::Done && page.reached.with(|reached| panel(reached).is_some())
}

/// Whether the browser asks its user just now.
pub(super) fn is_asking(page: Page) -> bool {
    page.reached.with_untracked(|reached| reached.last().is_some_and(|reached| reached.light == StageStatus::Asking))
}

fn lamp(lamp: Lamp) -> View {
    let shape = el("svg", &[("class", "shape"), ("aria-hidden", "true")])
        .child(el("use", &[]).attr("href", format!("#shape-{}", lamp.shape)));
    el("li", &[])
        .attr("data-stage", lamp.id)
        .attr("data-light", lamp.light)
        .child(shape)
        .child(tag("b", "", lamp.title))
        .child(tag("span", "", lamp.word))
        .view()
}

fn shown(page: Page, panel: Panel) -> View {
    let causes: Vec<View> = panel.causes.iter().map(|cause| tag("li", "", cause.clone())).collect();
    let also: Vec<View> = panel.also.iter().map(|other| tag("p", "note", format!("Also: {other}"))).collect();
    let causes = (!causes.is_empty()).then(|| el("ol", &[("class", "causes"), ("id", "reach-causes")]).child(causes));
    let fixed: Fixed = &[("class", "why"), ("id", "reach"), ("aria-labelledby", "reach-title")];
    let text = panel.text();
    let buttons = el("p", &[("class", "buttons")]).child(action(page, &panel)).child(downloads::copy_as(
        Look::Plain,
        "copy-diagnosis",
        "Copy the diagnosis",
        "",
        move || text.clone(),
    ));
    let fix = (panel.action == Action::Fix).then(|| picker(page, &panel));
    el("section", fixed)
        .attr("data-reason", panel.reason)
        .child(el("h3", &[("id", "reach-title")]).child(panel.title.clone()))
        .child(tag("p", "", panel.meaning.clone()))
        .child(causes)
        .child(el("p", &[("class", "remedy"), ("id", "reach-remedy")]).child(panel.remedy.clone()))
        .child(buttons)
        .child(fix)
        .child(also)
        .child(evidence(&panel))
        .child(ways_out(page))
        .view()
}

/// The one thing to do.
fn action(page: Page, panel: &Panel) -> View {
    let label = panel.label.clone();
    let fixed: Fixed = &[("type", "button"), ("class", "primary"), ("id", "reach-action")];
    match panel.action {
        Action::Fix => {
            let (home, headers) = (panel.home.clone(), panel.headers.clone());
            let text = move || chosen(page).map(|stack| stack.fix(&home, &headers)).unwrap_or_default();
            downloads::copy_as(Look::Primary, "reach-action", label, "", text)
        }
        Action::Local => {
            let address = page.address.get_untracked();
            let way = fix::ways_out(&window().location().href().unwrap_or_default(), &address);
            let command = way.into_iter().next().map(|(_, command)| command).unwrap_or_default();
            downloads::copy_as(Look::Primary, "reach-action", label, "", move || command.clone())
        }
        Action::Tab => {
            let fixed: Fixed = &[
                ("class", "primary button"),
                ("id", "reach-action"),
                ("target", "_blank"),
                ("rel", "noreferrer noopener"),
            ];
            // A diagnosis is only of what could be requested: http or https.
            el("a", fixed).attr("href", panel.url.clone()).child(label).view()
        }
        Action::Again => el("button", fixed).on("click", move |_| run::start(page)).child(label).view(),
        Action::Wait => {
            let (id, timeouts) = (panel.waited_for, panel.timeouts);
            let press = move |_| {
                page.settings.update(|settings| settings.wait(id, timeouts));
                run::start(page);
            };
            el("button", fixed).on("click", press).child(label).view()
        }
        Action::Address => {
            let press = move |_| {
                keys::focus("address");
            };
            el("button", fixed).on("click", press).child(label).view()
        }
    }
}

/// The stack that is chosen; tracks.
fn chosen(page: Page) -> Option<ServerStack> {
    stack_of(&page.stack.get())
}

/// The stack of that id, or the first.
fn stack_of(id: &str) -> Option<ServerStack> {
    let stacks = fix::stacks();
    stacks.iter().find(|stack| stack.id == id).or(stacks.first()).copied()
}

fn picker(page: Page, panel: &Panel) -> El {
    // Untracked: choosing another stack changes the snippet and not the whole panel.
    let selected = stack_of(&page.stack.get_untracked()).map(|stack| stack.id);
    let option = |stack: ServerStack| {
        el("option", &[])
            .attr("value", stack.id)
            .attr_if("selected", selected == Some(stack.id))
            .child(stack.title)
            .view()
    };
    let options: Vec<View> = fix::stacks().into_iter().map(option).collect();
    let change = move |event| {
        let id = event_target_value(&event);
        store::set_stack(&id);
        page.stack.set(id);
    };
    let select = el("select", &[("id", "stack")]).on("change", change).child(options);
    let label = el("label", &[("class", "field")]).child(tag("span", "", "Your agent runs on")).child(select);
    let (home, headers) = (panel.home.clone(), panel.headers.clone());
    let text = move || {
        chosen(page).map(|stack| {
            vec![
                tag("p", "note", stack.place),
                el("pre", &[("class", "body"), ("id", "snippet"), ("tabindex", "0"), ("aria-label", "The fix")])
                    .child(tag("code", "", stack.fix(&home, &headers)))
                    .view(),
            ]
        })
    };
    el("div", &[("class", "picker")]).child(label).child(live(text))
}

/// A command, and the button that copies it.
fn command(text: String) -> Vec<View> {
    let line = el("pre", &[("class", "body"), ("tabindex", "0")]).child(tag("code", "", text.clone()));
    vec![line.view(), downloads::copy("", "Copy", "", move || text.clone())]
}

/// What the diagnosis rests on, and how to see more.
fn evidence(panel: &Panel) -> View {
    let trail: Vec<View> = panel
        .trail
        .iter()
        .map(|(asked, met)| el("li", &[]).child(tag("code", "", asked.clone())).child(": ").child(met.clone()).view())
        .collect();
    let curls: Vec<View> = panel.curls.iter().map(|curl| command(curl.clone()).view()).collect();
    el("details", &[("class", "fold"), ("id", "reach-evidence")])
        .child(html("<summary>Requests and their results</summary>"))
        .child(el("ol", &[("id", "reach-trail")]).child(trail))
        .child(html("<p class=\"note\">These two commands show what a page cannot see:</p>"))
        .child(el("div", &[("id", "reach-curl")]).child(curls))
        .view()
}

fn ways_out(page: Page) -> View {
    let ways = fix::ways_out(&window().location().href().unwrap_or_default(), &page.address.get_untracked());
    let ways: Vec<View> = ways
        .into_iter()
        .map(|(title, text)| {
            let mut way = vec![tag("p", "note", title)];
            way.extend(command(text));
            way.view()
        })
        .collect();
    el("details", &[("class", "fold"), ("id", "reach-local")])
        .child(html("<summary>Ways around the browser</summary>"))
        .child(ways)
        .view()
}

/// Runs again when the user has changed the permission that was denied.
pub(super) fn watch_permission(page: Page) {
    let denied = |reached: &StageResult| {
        let diagnosis = reached.diagnosis.as_deref()?;
        (diagnosis.finding.reason.id == "permission-denied").then_some(diagnosis.space)
    };
    let address = page.address.get_untracked();
    let Some(space) = page.reached.with_untracked(|all| all.iter().find_map(denied)) else { return };
    let runs = page.runs.get_untracked();
    spawn_local(async move {
        web::prober().permission_changed(space, Permission::Denied).await;
        // Only what the user asked for, and nothing in between.
        if !page.is_running() && page.runs.get_untracked() == runs && page.address.get_untracked() == address {
            run::start(page);
        }
    });
}
