//! The page's elements. `view!` compiles a copy of Leptos' rendering for every tag, attribute and closure of the page; a
//! [`View`] is one type for all of them, so that the page carries that code once. Here is what a view is
//! and how it is built; what then stands in the DOM is in `stand.rs`.

use std::borrow::Cow;

use wasm_bindgen::JsValue;
use web_sys::Event;

use super::signal::Derived;

/// A text of a view.
pub(super) type Text = Cow<'static, str>;

/// Attributes that never change, with their values.
pub(super) type Fixed = &'static [(&'static str, &'static str)];

/// What an element has beside its fixed attributes and its children.
pub(super) enum Part {
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
pub(super) enum What {
    Element { tag: &'static str, fixed: Fixed },
    Text(Text),
    LiveText(Box<dyn Fn() -> String>),
    Html(&'static str),
    List,
    Live(Box<dyn Fn() -> View>),
    Each(Derived<Vec<usize>>, Box<dyn Fn(usize) -> View>),
}

/// A view as it is planned.
pub(super) struct Plan {
    /// What it is.
    pub(super) what: What,
    /// Of an element.
    pub(super) parts: Vec<(&'static str, Part)>,
    /// Of an element or a list.
    pub(super) children: Vec<View>,
}

/// Anything that can stand in the page, to be.
pub(super) struct View(pub(super) Box<Plan>);

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
