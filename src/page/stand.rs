//! What stands in the DOM: a [`View`] that was made, and what it becomes when another is to stand there. It is mounted by
//! Leptos, and what changes in it are Leptos' effects.

use std::cell::RefCell;
use std::mem;
use std::rc::Rc;

use leptos::prelude::{Mountable, Render};
use leptos::tachys::renderer::{RemoveEventHandler, Rndr};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node};

use super::erase::{Fixed, Part, Plan, Text, View, What};
use super::signal::{Derived, Effect, effect};

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
