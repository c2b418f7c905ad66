//! The view of the agent's card: headings and notes around what `view_model/card.rs` reads from it.

use leptos::prelude::*;

use super::checker_client::when_answered;
use super::evidence::coloured_spans;
use super::findings::row_link;
use super::focus::{focus, reveal_now};
use super::state::Page;
use super::widgets::{Shape, fact, lines, said};
use crate::view_model::card::{CardFinding, CardSection, CardSkill, CardView, Judgement};
use crate::view_model::messages::Question;
use crate::view_model::wire::TextLine;

#[component]
pub(super) fn Card(page: Page) -> impl IntoView {
    // Read again when a run is over, since only then all is known of it.
    let card = RwSignal::new(None::<CardView>);
    let is_asked = RwSignal::new(false);
    Effect::new(move || {
        page.phase.track();
        page.runs.track();
        page.agent.track();
        when_answered(&Question::Card, move |told| {
            if let Ok(told) = told {
                card.try_set(told);
            }
            is_asked.try_set(true);
        });
    });
    let content = move || match card.get() {
        Some(card) => view! { <CardOf page card/> }.into_any(),
        None if is_asked.get() => view! { <p class="note" id="no-card">"No agent card was read."</p> }.into_any(),
        None => ().into_any(),
    };
    view! { {move || content()} }
}

#[component]
fn CardOf(page: Page, card: CardView) -> impl IntoView {
    let CardView { name, url, description, sections, skills, verification, extended, findings, lines, cut } = card;
    let found = match findings.len() {
        0 => "Nothing was found about this card.".to_owned(),
        1 => "One finding about this card".to_owned(),
        count => format!("{count} findings about this card"),
    };
    let verified = (!verification.is_empty()).then(|| {
        let items = verification.into_iter().map(|each| view! { <li>{judgement(page, each)}</li> }.into_any());
        view! {
            <h3>"Checks of the signatures"</h3>
            <ul class="card-judgements">{items.collect_view()}</ul>
        }
        .into_any()
    });
    let more = match extended {
        None => "It was not fetched: the card does not declare one, or no call brought it.".into_any(),
        Some(more) if more.is_empty() => "It is the same as this card.".into_any(),
        Some(more) => {
            let item = |text: String| view! { <li><code>{text}</code></li> }.into_any();
            view! { <ul class="card-differences">{more.into_iter().map(item).collect_view()}</ul> }.into_any()
        }
    };
    let description = (!description.is_empty()).then(|| view! { <p>{description}</p> }.into_any());
    view! {
        <div class="card-view" id="card">
            <div class="card-facts">
                <h2>{name}</h2>
                {description}
                <p class="note"><code>{url}</code></p>
                {sections.into_iter().map(section).collect_view()}
                {verified}
                <section id="card-extended">
                    <h3>"Extended card"</h3>
                    <div>{more}</div>
                </section>
                <section id="card-skills">
                    <h3>{format!("Skills: {}", skills.len())}</h3>
                    {skills.into_iter().map(skill).collect_view()}
                </section>
            </div>
            <div class="card-source">
                <h3>{found}</h3>
                <ul class="card-judgements" id="card-findings">
                    {findings.into_iter().map(|each| finding(page, each)).collect_view()}
                </ul>
                <pre class="body card-lines" tabindex="0" aria-label="The card as JSON">
                    {lines.into_iter().enumerate().map(line).collect_view()}
                </pre>
                {said("note", None, cut.unwrap_or_default())}
            </div>
        </div>
    }
}

fn section(section: CardSection) -> AnyView {
    let facts = match section.facts.is_empty() {
        true => view! { <p class="note">{section.nothing}</p> }.into_any(),
        false => view! { <dl>{section.facts.into_iter().map(fact).collect_view()}</dl> }.into_any(),
    };
    view! {
        <section id=format!("card-{}", section.id)>
            <h3>{section.title}</h3>
            {facts}
        </section>
    }
    .into_any()
}

fn skill(skill: CardSkill) -> AnyView {
    let CardSkill { id, name, description, facts, examples } = skill;
    let fact = |(name, value): (String, String)| view! { <p class="note">{format!("{name}: {value}")}</p> }.into_any();
    let examples =
        (!examples.is_empty()).then(|| view! { <ul aria-label="Examples">{lines(examples)}</ul> }.into_any());
    view! {
        <details class="skill" open=true>
            <summary>
                <b>{name}</b>
                " "
                <code>{id}</code>
            </summary>
            <p>{description}</p>
            {facts.into_iter().map(fact).collect_view()}
            {examples}
        </details>
    }
    .into_any()
}

/// A check's conclusion about the card; it opens the check.
fn judgement(page: Page, judgement: Judgement) -> AnyView {
    let Judgement { key, kind, title, result } = judgement;
    let status = kind.clone();
    view! {
        <span data-status=status>
            <Shape id=kind/>
        </span>
        {row_link(page, "link", title, key)}
        <span class="note">{result}</span>
    }
    .into_any()
}

fn finding(page: Page, found: CardFinding) -> AnyView {
    let jump = found.line.map(|at| {
        let go = move |_| {
            let id = line_id(at);
            reveal_now(&id);
            focus(&id);
        };
        view! {
            <button type="button" class="quiet" on:click=go>{format!("Line {}", at + 1)}</button>
        }
        .into_any()
    });
    view! {
        <li data-line=found.line.map(|at| (at + 1).to_string())>
            {judgement(page, found.judgement)}
            {jump}
        </li>
    }
    .into_any()
}

fn line_id(at: usize) -> String {
    format!("card-line-{}", at + 1)
}

fn line((at, line): (usize, TextLine)) -> AnyView {
    let spans = coloured_spans(line.spans);
    if line.marked {
        view! {
            <mark id=line_id(at) tabindex="-1">{spans}</mark>
            "\n"
        }
        .into_any()
    } else {
        view! {
            {spans}
            "\n"
        }
        .into_any()
    }
}
