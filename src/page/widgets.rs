//! Small parts of views: buttons, fields, the shape beside the word for a result, and lists. They are functions of one type, so that
//! the page carries their code once.

use leptos::ev;
use leptos::prelude::*;

/// A button with a text. Its class is `plain`, `primary`, `quiet` or `link`, as style sheets know buttons.
pub(super) fn button(class: &'static str, id: &'static str, text: &'static str, press: impl Fn() + 'static) -> AnyView {
    button_of(When::Always, class, id, text, Box::new(press))
}

/// A button that cannot be pressed while this holds.
pub(super) fn button_unless(
    is_off: impl Fn() -> bool + Send + Sync + 'static,
    class: &'static str,
    id: &'static str,
    text: &'static str,
    press: impl Fn() + 'static,
) -> AnyView {
    button_of(When::Unless(Box::new(is_off)), class, id, text, Box::new(press))
}

/// A button that says while this holds that it does nothing now; it keeps the focus.
pub(super) fn button_idle_while(
    is_idle: impl Fn() -> bool + Send + Sync + 'static,
    class: &'static str,
    id: &'static str,
    text: &'static str,
    press: impl Fn() + 'static,
) -> AnyView {
    button_of(When::IdleWhile(Box::new(is_idle)), class, id, text, Box::new(press))
}

/// When a button can be pressed.
enum When {
    Always,
    Unless(Box<dyn Fn() -> bool + Send + Sync>),
    IdleWhile(Box<dyn Fn() -> bool + Send + Sync>),
}

fn button_of(when: When, class: &'static str, id: &'static str, text: &'static str, press: Box<dyn Fn()>) -> AnyView {
    let press = move |_| press();
    match when {
        When::Always => view! { <button type="button" class=class id=id on:click=press>{text}</button> }.into_any(),
        When::Unless(is_off) => view! {
            <button type="button" class=class id=id disabled=move || is_off() on:click=press>{text}</button>
        }
        .into_any(),
        When::IdleWhile(is_idle) => view! {
            <button type="button" class=class id=id aria-disabled=move || is_idle().to_string() on:click=press>{text}</button>
        }
        .into_any(),
    }
}

/// A button with a title, and below it a line on what it is for.
pub(super) fn button_with_line(
    class: &'static str,
    id: &'static str,
    title: &'static str,
    line: &'static str,
    press: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button type="button" class=class id=id on:click=move |_| press()>
            <b>{title}</b>
            <span>{line}</span>
        </button>
    }
    .into_any()
}

/// A note in a frame, with what can be done about it.
pub(super) fn framed(id: &'static str, label: &'static str, sentences: Vec<String>, buttons: Vec<AnyView>) -> AnyView {
    view! {
        <aside class="kept" id=id aria-label=label>
            <ul>{lines(sentences)}</ul>
            <p class="buttons">{buttons}</p>
        </aside>
    }
    .into_any()
}

/// Does this when a form is sent off, in place of what a browser would do.
pub(super) fn submitted(act: impl Fn() + 'static) -> Box<dyn Fn(ev::SubmitEvent)> {
    Box::new(move |event| {
        event.prevent_default();
        act();
    })
}

/// A field for an address with a button beside it, by their ids. No form, since it may stand in one: Enter does what the button does.
pub(super) fn address_field(
    [field, button]: [&'static str; 2],
    label: &'static str,
    placeholder: &'static str,
    says: &'static str,
    typed: RwSignal<String>,
    act: Callback<()>,
) -> AnyView {
    let key = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            act.run(());
        }
    };
    view! {
        <div class="several-catalogue">
            <label for=field>{label}</label>
            <div class="bar">
                <input
                    id=field
                    type="text"
                    inputmode="url"
                    autocapitalize="off"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=placeholder
                    prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event))
                    on:keydown=key
                />
                {self::button("plain", button, says, move || act.run(()))}
            </div>
        </div>
    }
    .into_any()
}

/// A field to search in something.
pub(super) fn search(id: &'static str, label: &'static str, text: RwSignal<String>) -> AnyView {
    view! {
        <label>
            <span>{label}</span>
            <input
                type="search"
                id=id
                autocomplete="off"
                spellcheck="false"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            />
        </label>
    }
    .into_any()
}

/// A paragraph, unless there is nothing to say.
pub(super) fn said(class: &'static str, id: Option<&'static str>, text: String) -> Option<AnyView> {
    (!text.is_empty()).then(|| view! { <p class=class id=id>{text}</p> }.into_any())
}

/// Why something could not be done; empty for nothing.
pub(super) fn problem(id: &'static str, text: RwSignal<String>) -> AnyView {
    view! { <p class="problem" id=id role="alert">{move || text.get()}</p> }.into_any()
}

/// The options of a menu: values with their titles.
pub(super) fn options(options: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<AnyView> {
    let option =
        |(value, title): (&'static str, &'static str)| view! { <option value=value>{title}</option> }.into_any();
    options.into_iter().map(option).collect()
}

/// A button that opens the browser's picker of files; `style/files.js` hears of what is chosen.
#[component]
pub(super) fn FilePicker(
    /// The action for the file: `show`, `compare`, `agents` or `tests`.
    purpose: &'static str,
    label: &'static str,
) -> impl IntoView {
    let is_tests = purpose == "tests";
    let accept = if is_tests { ".yaml,.yml,.json" } else { ".json,.har,.txt,application/json,text/plain" };
    view! {
        <label class="file-picker">
            <span>{label}</span>
            <input type="file" id=format!("file-{purpose}") data-opens=purpose multiple=is_tests accept=accept/>
        </label>
    }
}

/// The shape of a kind of result, by the kind's id; `index.html` holds the drawings.
#[component]
pub(super) fn Shape(#[prop(into)] id: String) -> impl IntoView {
    view! {
        <svg class="shape" aria-hidden="true">
            <use href=format!("#shape-{id}")></use>
        </svg>
    }
}

/// The shape of a result that changes. It stays the same element.
pub(super) fn live_shape(id: Box<dyn Fn() -> &'static str + Send + Sync>) -> AnyView {
    view! {
        <svg class="shape" aria-hidden="true">
            <use href=move || format!("#shape-{}", id())></use>
        </svg>
    }
    .into_any()
}

/// A part that is folded up until somebody opens it.
pub(super) fn fold(id: &'static str, title: String, content: AnyView) -> AnyView {
    view! {
        <details class="fold" id=id>
            <summary>{title}</summary>
            {content}
        </details>
    }
    .into_any()
}

/// A line of a list of facts: a name and its value.
pub(super) fn fact((name, value): (impl Into<String>, String)) -> AnyView {
    let name: String = name.into();
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    }
    .into_any()
}

/// A line of a list for each of these texts.
pub(super) fn lines(texts: Vec<String>) -> Vec<AnyView> {
    texts.into_iter().map(|text| view! { <li>{text}</li> }.into_any()).collect()
}

/// A view for each number of a list, kept as long as the list has the number. It is `<For>` for one type.
#[component]
pub(super) fn ForEach(numbers: Memo<Vec<usize>>, #[prop(into)] view: Callback<(usize,), AnyView>) -> impl IntoView {
    view! { <For each=move || numbers.get() key=|number| *number children=move |number| view.run((number,))/> }
}
