//! The page's elements. `view!` compiles a copy of Leptos' rendering for every tag, attribute and closure of the page; a
//! [`View`] is one type for all of them, so that the page carries that code once. It is a Leptos view, mounted by Leptos,
//! and what changes in it are Leptos' effects.

use std::borrow::Cow;
use std::cell::RefCell;
use std::mem;
use std::rc::Rc;

use leptos::prelude::{Mountable, Render};
use leptos::tachys::renderer::{RemoveEventHandler, Rndr};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, Node};

use super::signal::{Derived, Effect, effect};

type Text = Cow<'static, str>;

/// Attributes that never change, with their values.
pub(super) type Fixed = &'static [(&'static str, &'static str)];

/// What an element has beside its fixed attributes and its children.
enum Part {
    /// An attribute that is known when the element is made.
    Given(Option<Text>),
    /// An attribute that changes.
    Live(Box<dyn Fn() -> String>),
    /// An attribute without a value that comes and goes.
    LiveIf(Box<dyn Fn() -> bool>),
    /// A class that comes and goes.
    Class(Box<dyn Fn() -> bool>),
    /// A property of the DOM.
    Property(Box<dyn Fn() -> JsValue>),
    /// A listener.
    On(Box<dyn FnMut(Event)>),
}

/// What a view is.
enum What {
    Element { tag: &'static str, fixed: Fixed },
    Text(Text),
    LiveText(Box<dyn Fn() -> String>),
    Html(&'static str),
    List,
    Live(Box<dyn Fn() -> View>),
    Each(Derived<Vec<usize>>, Box<dyn Fn(usize) -> View>),
}

struct Plan {
    what: What,
    /// Of an element.
    parts: Vec<(&'static str, Part)>,
    /// Of an element or a list.
    children: Vec<View>,
}

/// Anything that can stand in the page, to be.
pub(super) struct View(Box<Plan>);

/// An element to be.
pub(super) struct El(View);

#[inline(never)]
fn plan(what: What) -> View {
    View(Box::new(Plan { what, parts: Vec::new(), children: Vec::new() }))
}

/// Begins an element.
pub(super) fn el(tag: &'static str, fixed: Fixed) -> El {
    El(plan(What::Element { tag, fixed }))
}

/// An element that holds one child and has no more to it than perhaps a class.
pub(super) fn tag(tag: &'static str, class: &'static str, child: impl Child) -> View {
    tag_of(tag, class, child.view())
}

fn tag_of(tag: &'static str, class: &'static str, child: View) -> View {
    el(tag, &[]).given("class", (!class.is_empty()).then_some(Text::Borrowed(class))).push(child).view()
}

/// A term and what it stands for.
pub(super) fn pair(term: impl Child, meaning: impl Child) -> El {
    el("div", &[]).child(tag("dt", "", term)).child(tag("dd", "", meaning))
}

/// Elements that never change, as they are written in HTML. Never anything that came from outside.
pub(super) fn html(source: &'static str) -> View {
    plan(What::Html(source))
}

/// A view that changes.
pub(super) fn live<C: Child>(now: impl Fn() -> C + 'static) -> View {
    plan(What::Live(Box::new(move || now().view())))
}

/// A view for every number of a list, kept as long as the list has the number.
pub(super) fn each(list: Derived<Vec<usize>>, view: impl Fn(usize) -> View + 'static) -> View {
    plan(What::Each(list, Box::new(view)))
}

/// What can be put into an element.
pub(super) trait Child {
    /// The one type that children have.
    fn view(self) -> View;
}

impl Child for View {
    fn view(self) -> View {
        self
    }
}

impl Child for El {
    fn view(self) -> View {
        self.0
    }
}

impl Child for &'static str {
    fn view(self) -> View {
        plan(What::Text(Text::Borrowed(self)))
    }
}

impl Child for String {
    fn view(self) -> View {
        plan(What::Text(Text::Owned(self)))
    }
}

impl Child for Vec<View> {
    fn view(self) -> View {
        let mut list = plan(What::List);
        list.0.children = self;
        list
    }
}

impl<C: Child> Child for Option<C> {
    fn view(self) -> View {
        self.map_or_else(|| plan(What::List), Child::view)
    }
}

impl El {
    #[inline(never)]
    fn part(mut self, name: &'static str, part: Part) -> Self {
        self.0.0.parts.push((name, part));
        self
    }

    fn given(self, name: &'static str, value: Option<Text>) -> Self {
        self.part(name, Part::Given(value))
    }

    #[inline(never)]
    fn push(mut self, child: View) -> Self {
        self.0.0.children.push(child);
        self
    }

    /// Adds a child.
    pub(super) fn child(self, child: impl Child) -> Self {
        self.push(child.view())
    }

    /// Adds a text that changes.
    pub(super) fn text(self, now: impl Fn() -> String + 'static) -> Self {
        self.push(plan(What::LiveText(Box::new(now))))
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
    pub(super) fn live(self, name: &'static str, now: impl Fn() -> String + 'static) -> Self {
        self.part(name, Part::Live(Box::new(now)))
    }

    /// Adds an attribute without a value that comes and goes.
    pub(super) fn live_if(self, name: &'static str, now: impl Fn() -> bool + 'static) -> Self {
        self.part(name, Part::LiveIf(Box::new(now)))
    }

    /// Adds a class that comes and goes.
    pub(super) fn class(self, name: &'static str, now: impl Fn() -> bool + 'static) -> Self {
        self.part(name, Part::Class(Box::new(now)))
    }

    /// Adds a property of the DOM.
    pub(super) fn prop<V: Into<JsValue>>(self, name: &'static str, now: impl Fn() -> V + 'static) -> Self {
        self.part(name, Part::Property(Box::new(move || now().into())))
    }

    /// Listens to an event.
    pub(super) fn on(self, name: &'static str, act: impl FnMut(Event) + 'static) -> Self {
        self.part(name, Part::On(Box::new(act)))
    }
}

/// What keeps a part of an element alive.
enum Held {
    Given(Option<Text>),
    /// The effect and the listener end when they are dropped.
    Effect {
        _keeps: Effect,
    },
    Listener {
        _keeps: RemoveEventHandler<Element>,
    },
}

/// What a standing view was made from, as far as another view is compared with it, and what keeps it alive.
enum Kept {
    Element { tag: &'static str, fixed: Fixed, held: Vec<(&'static str, Held)>, children: Vec<Standing> },
    Text(Text),
    Html(&'static str),
    List(Vec<Standing>),
    LiveText { _keeps: Effect },
    Live { inside: Rc<RefCell<Vec<Standing>>>, _keeps: Effect },
}

/// A view in the page.
pub(super) struct Standing {
    /// Its element or text. What has neither of its own, or more than one, has a comment at its end.
    node: Node,
    kept: Kept,
}

fn set(element: &Element, name: &str, value: Option<&str>) {
    match value {
        Some(value) => Rndr::set_attribute(element, name, value),
        None => Rndr::remove_attribute(element, name),
    }
}

/// Makes a part of an element, or makes it again.
fn hold(element: &Element, name: &'static str, part: Part, before: Option<Held>) -> Held {
    let known = match before {
        Some(Held::Given(known)) => known,
        // The old effect and the old listener end before the new ones begin.
        ended => {
            drop(ended);
            None
        }
    };
    let target = element.clone();
    let run: Box<dyn FnMut()> = match part {
        Part::Given(value) => {
            if value != known {
                set(element, name, value.as_deref());
            }
            return Held::Given(value);
        }
        Part::On(mut act) => {
            let call = Box::new(move |event: JsValue| act(event.unchecked_into()));
            return Held::Listener { _keeps: Rndr::add_event_listener(element, name, call) };
        }
        Part::Live(now) => {
            let mut last = None;
            Box::new(move || {
                let value = Some(now());
                if last != value {
                    set(&target, name, value.as_deref());
                    last = value;
                }
            })
        }
        Part::LiveIf(now) => Box::new(move || set(&target, name, now().then_some(""))),
        Part::Class(now) => Box::new(move || {
            let classes = Rndr::class_list(&target);
            if now() {
                Rndr::add_class(&classes, name);
            } else {
                Rndr::remove_class(&classes, name);
            }
        }),
        Part::Property(now) => {
            let mut last = None;
            Box::new(move || {
                let value = Some(now());
                if last != value {
                    if let Some(value) = &value {
                        Rndr::set_property(&target, name, value);
                    }
                    last = value;
                }
            })
        }
    };
    Held::Effect { _keeps: effect(run) }
}

/// Makes what stands there follow other views, in order; `end` is the node behind them.
fn follow(views: Vec<View>, standing: &mut Vec<Standing>, parent: Option<&Node>, end: Option<&Node>) {
    for gone in standing.drain(views.len().min(standing.len())..) {
        gone.unmount();
    }
    for (place, view) in views.into_iter().enumerate() {
        match standing.get_mut(place) {
            Some(standing) => standing.follow(view),
            None => {
                let new = view.stand();
                if let Some(parent) = parent {
                    new.put(parent, end);
                }
                standing.push(new);
            }
        }
    }
}

/// Keeps a view for every number of the list, in its order, in front of `end`.
fn follow_list(
    list: Derived<Vec<usize>>,
    view: Box<dyn Fn(usize) -> View>,
    end: Node,
    inside: Rc<RefCell<Vec<Standing>>>,
) -> Effect {
    let mut known: Vec<usize> = Vec::new();
    effect(Box::new(move || {
        let numbers = list.get();
        let parent = end.parent_node();
        let before = known.drain(..).zip(inside.take());
        let (mut stay, gone): (Vec<_>, Vec<_>) = before.partition(|(number, _)| numbers.contains(number));
        for (_, gone) in gone {
            gone.unmount();
        }
        // What stands where it belongs is not touched: moving it would take the focus away from it.
        let mut next = stay.first().map_or_else(|| end.clone(), |(_, first)| first.first());
        let mut after = Vec::with_capacity(numbers.len());
        for number in &numbers {
            let standing = match stay.iter().position(|(known, _)| known == number) {
                Some(place) => stay.remove(place).1,
                None => view(*number).stand(),
            };
            if let Some(parent) = &parent {
                if standing.first() == next {
                    next = standing.node.next_sibling().unwrap_or_else(|| end.clone());
                } else {
                    standing.put(parent, Some(&next));
                }
            }
            after.push(standing);
        }
        known = numbers;
        inside.replace(after);
    }))
}

impl View {
    /// Makes it, outside the page as yet.
    fn stand(self) -> Standing {
        let Plan { what, parts, children } = *self.0;
        match what {
            What::Element { tag, fixed } => {
                let is_drawing = matches!(tag, "svg" | "use");
                let element = Rndr::create_element(tag, is_drawing.then_some("http://www.w3.org/2000/svg"));
                for (name, value) in fixed {
                    Rndr::set_attribute(&element, name, value);
                }
                let held = parts.into_iter().map(|(name, part)| (name, hold(&element, name, part, None))).collect();
                let mut standing = Vec::with_capacity(children.len());
                follow(children, &mut standing, Some(&element), None);
                Standing { node: element.into(), kept: Kept::Element { tag, fixed, held, children: standing } }
            }
            What::Text(text) => Standing { node: Rndr::create_text_node(&text).into(), kept: Kept::Text(text) },
            What::LiveText(now) => {
                let node: Node = Rndr::create_text_node("").into();
                let target = node.clone();
                let mut last = String::new();
                let run = move || {
                    let text = now();
                    if text != last {
                        target.set_node_value(Some(&text));
                        last = text;
                    }
                };
                Standing { node, kept: Kept::LiveText { _keeps: effect(Box::new(run)) } }
            }
            What::Html(source) => {
                Standing { node: Rndr::create_element_from_html(source.into()).into(), kept: Kept::Html(source) }
            }
            What::List => {
                let mut standing = Vec::with_capacity(children.len());
                follow(children, &mut standing, None, None);
                Standing { node: Rndr::create_placeholder().into(), kept: Kept::List(standing) }
            }
            What::Live(now) => {
                let node: Node = Rndr::create_placeholder().into();
                let end = node.clone();
                let inside: Rc<RefCell<Vec<Standing>>> = Rc::default();
                let standing = Rc::clone(&inside);
                let run = move || {
                    let mut now_there = standing.take();
                    follow(vec![now()], &mut now_there, end.parent_node().as_ref(), Some(&end));
                    standing.replace(now_there);
                };
                Standing { node, kept: Kept::Live { inside, _keeps: effect(Box::new(run)) } }
            }
            What::Each(list, view) => {
                let node: Node = Rndr::create_placeholder().into();
                let inside = Rc::default();
                let keeps = follow_list(list, view, node.clone(), Rc::clone(&inside));
                Standing { node, kept: Kept::Live { inside, _keeps: keeps } }
            }
        }
    }

    /// Whether what stands there can become this view.
    fn fits(&self, standing: &Standing) -> bool {
        let alike = |((name, part), (held_name, held)): (&(&str, Part), &(&str, Held))| {
            let same_kind = match part {
                Part::Given(_) => matches!(held, Held::Given(_)),
                Part::On(_) => matches!(held, Held::Listener { .. }),
                _ => matches!(held, Held::Effect { .. }),
            };
            name == held_name && same_kind
        };
        match (&self.0.what, &standing.kept) {
            (What::Element { tag, fixed }, Kept::Element { tag: known_tag, fixed: known, held, .. }) => {
                tag == known_tag
                    && fixed == known
                    && self.0.parts.len() == held.len()
                    && self.0.parts.iter().zip(held).all(alike)
            }
            (What::Html(source), Kept::Html(known)) => source == known,
            (What::Text(_), Kept::Text(_)) | (What::List, Kept::List(_)) => true,
            _ => false,
        }
    }
}

impl Standing {
    /// Becomes that view: by changing if it fits, so that it keeps the focus and what is open.
    fn follow(&mut self, view: View) {
        if !view.fits(self) {
            let new = view.stand();
            if let Some(parent) = self.node.parent_node() {
                new.put(&parent, Some(&self.node));
            }
            mem::replace(self, new).unmount();
            return;
        }
        let Plan { what, parts, children } = *view.0;
        let node = &self.node;
        match (what, &mut self.kept) {
            (What::Text(text), Kept::Text(known)) if text != *known => {
                node.set_node_value(Some(&text));
                *known = text;
            }
            (_, Kept::List(known)) => follow(children, known, node.parent_node().as_ref(), Some(node)),
            (_, Kept::Element { held, children: known, .. }) => {
                let element: &Element = node.unchecked_ref();
                let before = mem::take(held);
                let parts = parts.into_iter().zip(before);
                *held = parts.map(|((name, part), (_, held))| (name, hold(element, name, part, Some(held)))).collect();
                follow(children, known, Some(node), None);
            }
            _ => {}
        }
    }

    /// Its nodes in order.
    fn nodes(&self, act: &mut dyn FnMut(&Node)) {
        match &self.kept {
            Kept::List(inside) => inside.iter().for_each(|standing| standing.nodes(act)),
            Kept::Live { inside, .. } => inside.borrow().iter().for_each(|standing| standing.nodes(act)),
            _ => {}
        }
        act(&self.node);
    }

    fn first(&self) -> Node {
        let mut first = None;
        self.nodes(&mut |node| {
            first.get_or_insert_with(|| node.clone());
        });
        first.unwrap_or_else(|| self.node.clone())
    }

    fn put(&self, parent: &Node, before: Option<&Node>) {
        self.nodes(&mut |node| {
            // Fails only for a parent that cannot have children, and those have none.
            let _ = parent.insert_before(node, before);
        });
    }

    fn unmount(self) {
        self.nodes(&mut Rndr::remove);
    }
}

impl Render for View {
    type State = Standing;

    fn build(self) -> Standing {
        self.stand()
    }

    fn rebuild(self, state: &mut Standing) {
        state.follow(self);
    }
}

impl Mountable for Standing {
    fn unmount(&mut self) {
        self.nodes(&mut Rndr::remove);
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        self.put(parent, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let parent = self.node.parent_element();
        if let Some(parent) = &parent {
            child.mount(parent, Some(&self.first()));
        }
        parent.is_some()
    }

    fn elements(&self) -> Vec<Element> {
        self.node.dyn_ref().cloned().into_iter().collect()
    }
}
