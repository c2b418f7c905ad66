//! Elements without types of their own. `view!` compiles a copy of Leptos' rendering for every tag, attribute and closure
//! of the page; an [`El`] is one type for all of them, so that the page carries that code once. It still is a Leptos view:
//! its effects and children are Leptos' own.

use std::borrow::Cow;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::reactive::effect::RenderEffect;
use leptos::reactive::owner::Owner;
use leptos::tachys::html::InertElement;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::renderer::{RemoveEventHandler, Rndr};
use leptos::tachys::view::iterators::StaticVec;
use leptos::tachys::view::{Mountable, Position, PositionState};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, Node};

type Text = Cow<'static, str>;
type Kids = StaticVec<AnyView>;

/// Attributes that never change, with their values.
pub(super) type Fixed = &'static [(&'static str, &'static str)];

/// What an element has beside its fixed attributes and its children.
enum Part {
    /// An attribute that is known when the element is made.
    Given(Option<Text>),
    /// An attribute that changes, or goes.
    Live(Box<dyn Fn() -> Option<Text> + Send>),
    /// A class that comes and goes.
    Class(Box<dyn Fn() -> bool + Send>),
    /// A property of the DOM.
    Property(Box<dyn Fn() -> JsValue + Send>),
    /// A listener, called within the owner that made it.
    On(Box<dyn FnMut(Event) + Send>, Owner),
}

/// An element to be.
pub(super) struct El {
    tag: &'static str,
    fixed: Fixed,
    parts: Vec<(&'static str, Part)>,
    children: Vec<AnyView>,
}

/// Begins an element.
pub(super) fn el(tag: &'static str, fixed: Fixed) -> El {
    El { tag, fixed, parts: Vec::new(), children: Vec::new() }
}

/// An element that holds one child and has no more to it than perhaps a class.
pub(super) fn tag(tag: &'static str, class: &'static str, child: impl Child) -> AnyView {
    tag_of(tag, class, child.view())
}

fn tag_of(tag: &'static str, class: &'static str, child: AnyView) -> AnyView {
    el(tag, &[]).given("class", (!class.is_empty()).then(|| class.into())).child(child).into_any()
}

/// A term and what it stands for.
pub(super) fn pair(term: impl Child, meaning: impl Child) -> El {
    el("div", &[]).child(tag("dt", "", term)).child(tag("dd", "", meaning))
}

/// Elements that never change, as they are written in HTML. Never anything that came from outside.
pub(super) fn html(source: &'static str) -> AnyView {
    InertElement::new(source).into_any()
}

/// Text that changes.
pub(super) fn text(now: impl Fn() -> String + Send + 'static) -> AnyView {
    text_of(Box::new(move || Text::Owned(now())))
}

fn text_of(now: Box<dyn FnMut() -> Text + Send>) -> AnyView {
    now.into_any()
}

/// A view that changes.
pub(super) fn live<C: Child>(now: impl Fn() -> C + Send + 'static) -> AnyView {
    live_of(Box::new(move || now().view()))
}

fn live_of(now: Box<dyn FnMut() -> AnyView + Send>) -> AnyView {
    now.into_any()
}

/// A view for every number of a list, kept as long as the list has the number.
pub(super) fn each(list: Memo<Vec<usize>>, view: impl Fn(usize) -> AnyView + Send + Sync + 'static) -> AnyView {
    each_of(list, Arc::new(view))
}

fn each_of(list: Memo<Vec<usize>>, view: Arc<dyn Fn(usize) -> AnyView + Send + Sync>) -> AnyView {
    view! { <For each=move || list.get() key=|number| *number children=move |number| view(number) /> }.into_any()
}

/// A yes or no that tells of its changes only.
pub(super) fn flag(now: impl Fn() -> bool + Send + Sync + 'static) -> Memo<bool> {
    flag_of(Box::new(now))
}

fn flag_of(now: Box<dyn Fn() -> bool + Send + Sync>) -> Memo<bool> {
    Memo::new(move |_| now())
}

/// A list that tells of its changes only.
pub(super) fn list(now: impl Fn() -> Vec<usize> + Send + Sync + 'static) -> Memo<Vec<usize>> {
    list_of(Box::new(now))
}

fn list_of(now: Box<dyn Fn() -> Vec<usize> + Send + Sync>) -> Memo<Vec<usize>> {
    Memo::new(move |_| now())
}

/// What can be put into an element.
pub(super) trait Child {
    /// The one type that children have.
    fn view(self) -> AnyView;
}

impl Child for AnyView {
    fn view(self) -> AnyView {
        self
    }
}

impl Child for El {
    fn view(self) -> AnyView {
        self.into_any()
    }
}

impl Child for Text {
    fn view(self) -> AnyView {
        self.into_any()
    }
}

impl Child for &'static str {
    fn view(self) -> AnyView {
        Text::Borrowed(self).view()
    }
}

impl Child for String {
    fn view(self) -> AnyView {
        Text::Owned(self).view()
    }
}

impl Child for Vec<AnyView> {
    fn view(self) -> AnyView {
        Kids::from(self).into_any()
    }
}

impl<C: Child> Child for Option<C> {
    fn view(self) -> AnyView {
        self.map_or_else(|| ().into_any(), Child::view)
    }
}

impl El {
    fn part(mut self, name: &'static str, part: Part) -> Self {
        self.parts.push((name, part));
        self
    }

    fn given(self, name: &'static str, value: Option<Text>) -> Self {
        self.part(name, Part::Given(value))
    }

    fn push(mut self, child: AnyView) -> Self {
        self.children.push(child);
        self
    }

    /// Adds a child.
    pub(super) fn child(self, child: impl Child) -> Self {
        self.push(child.view())
    }

    /// Adds a text that changes.
    pub(super) fn text(self, now: impl Fn() -> String + Send + 'static) -> Self {
        self.push(text(now))
    }

    /// Adds an attribute.
    pub(super) fn attr(self, name: &'static str, value: impl Into<Text>) -> Self {
        self.given(name, Some(value.into()))
    }

    /// Adds an attribute without a value, or leaves it out.
    pub(super) fn attr_if(self, name: &'static str, is_there: bool) -> Self {
        self.given(name, is_there.then_some(Text::Borrowed("")))
    }

    /// Adds an attribute that changes.
    pub(super) fn live(self, name: &'static str, now: impl Fn() -> String + Send + 'static) -> Self {
        self.part(name, Part::Live(Box::new(move || Some(Text::Owned(now())))))
    }

    /// Adds an attribute without a value that comes and goes.
    pub(super) fn live_if(self, name: &'static str, now: impl Fn() -> bool + Send + 'static) -> Self {
        self.part(name, Part::Live(Box::new(move || now().then_some(Text::Borrowed("")))))
    }

    /// Adds a class that comes and goes.
    pub(super) fn class(self, name: &'static str, now: impl Fn() -> bool + Send + 'static) -> Self {
        self.part(name, Part::Class(Box::new(now)))
    }

    /// Adds a property of the DOM.
    pub(super) fn prop<V: Into<JsValue>>(self, name: &'static str, now: impl Fn() -> V + Send + 'static) -> Self {
        self.part(name, Part::Property(Box::new(move || now().into())))
    }

    /// Listens to an event.
    pub(super) fn on(self, name: &'static str, act: impl FnMut(Event) + Send + 'static) -> Self {
        let owner = Owner::current().unwrap_or_default();
        self.part(name, Part::On(Box::new(act), owner))
    }

    /// Whether what stands there can become this element.
    fn fits(&self, state: &Standing) -> bool {
        let alike = |((name, part), (held_name, held)): (&(&str, Part), &(&str, Held))| {
            let same_kind = match part {
                Part::Given(_) => matches!(held, Held::Given(_)),
                Part::Live(_) | Part::Class(_) | Part::Property(_) => matches!(held, Held::Effect(_)),
                Part::On(..) => matches!(held, Held::Listener(_)),
            };
            name == held_name && same_kind
        };
        self.tag == state.tag
            && self.fixed == state.fixed
            && self.parts.len() == state.held.len()
            && self.parts.iter().zip(&state.held).all(alike)
    }
}

/// What keeps a part of an element alive.
enum Held {
    Given(Option<Text>),
    Effect(RenderEffect<()>),
    Listener(RemoveEventHandler<Element>),
}

/// An element in the page.
pub(super) struct Standing {
    element: Element,
    tag: &'static str,
    fixed: Fixed,
    held: Vec<(&'static str, Held)>,
    children: <Kids as Render>::State,
}

fn set(element: &Element, name: &str, value: Option<&str>) {
    match value {
        Some(value) => Rndr::set_attribute(element, name, value),
        None => Rndr::remove_attribute(element, name),
    }
}

/// Runs something now, and again when what it read changes.
fn effect(mut run: Box<dyn FnMut()>) -> Held {
    Held::Effect(RenderEffect::new(move |_| run()))
}

/// Makes a part of an element, or makes it again.
fn hold(element: &Element, name: &'static str, part: Part, before: Option<Held>) -> Held {
    let known = match before {
        Some(Held::Given(known)) => known,
        // The old effect and the old listener end before the new ones begin.
        Some(Held::Effect(effect)) => {
            drop(effect);
            None
        }
        Some(Held::Listener(listener)) => {
            drop(listener);
            None
        }
        None => None,
    };
    let target = element.clone();
    match part {
        Part::Given(value) => {
            if value != known {
                set(element, name, value.as_deref());
            }
            Held::Given(value)
        }
        Part::Live(now) => {
            let mut last = None;
            effect(Box::new(move || {
                let value = now();
                if last.as_ref() != Some(&value) {
                    set(&target, name, value.as_deref());
                    last = Some(value);
                }
            }))
        }
        Part::Class(now) => effect(Box::new(move || {
            let classes = Rndr::class_list(&target);
            if now() {
                Rndr::add_class(&classes, name);
            } else {
                Rndr::remove_class(&classes, name);
            }
        })),
        Part::Property(now) => {
            let mut last = None;
            effect(Box::new(move || {
                let value = now();
                if last.as_ref() != Some(&value) {
                    Rndr::set_property(&target, name, &value);
                    last = Some(value);
                }
            }))
        }
        Part::On(mut act, owner) => {
            let call = Box::new(move |event: JsValue| owner.with(|| act(event.unchecked_into())));
            Held::Listener(Rndr::add_event_listener(element, name, call))
        }
    }
}

impl Render for El {
    type State = Standing;

    fn build(self) -> Standing {
        let is_drawing = matches!(self.tag, "svg" | "use");
        let element = Rndr::create_element(self.tag, is_drawing.then_some("http://www.w3.org/2000/svg"));
        for (name, value) in self.fixed {
            Rndr::set_attribute(&element, name, value);
        }
        let held = self.parts.into_iter().map(|(name, part)| (name, hold(&element, name, part, None))).collect();
        let mut children = Kids::from(self.children).build();
        children.mount(&element, None);
        Standing { element, tag: self.tag, fixed: self.fixed, held, children }
    }

    fn rebuild(self, state: &mut Standing) {
        if self.fits(state) {
            let before = std::mem::take(&mut state.held);
            let parts = self.parts.into_iter().zip(before);
            state.held =
                parts.map(|((name, part), (_, held))| (name, hold(&state.element, name, part, Some(held)))).collect();
            Kids::from(self.children).rebuild(&mut state.children);
        } else {
            let mut new = self.build();
            state.insert_before_this(&mut new);
            state.unmount();
            *state = new;
        }
    }
}

impl Mountable for Standing {
    fn unmount(&mut self) {
        self.element.unmount();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        self.element.mount(parent, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        self.element.insert_before_this(child)
    }

    fn elements(&self) -> Vec<Element> {
        vec![self.element.clone()]
    }
}

leptos::tachys::no_attrs!(El);

/// The page is never rendered on a server; of this trait only [`RenderHtml::into_owned`] is ever called.
impl RenderHtml for El {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(self, _: &mut String, _: &mut Position, _: bool, _: bool, _: Vec<AnyAttribute>) {}

    fn hydrate<const FROM_SERVER: bool>(self, _: &Cursor, _: &PositionState) -> Standing {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}
