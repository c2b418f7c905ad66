//! Moving the focus, and bringing things into view.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The element of that id.
pub(super) fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Focuses an element by its id; answers whether it is there.
pub(super) fn focus(id: &str) -> bool {
    element(id).is_some_and(|element| element.focus().is_ok())
}

/// Focuses this element; answers whether it has the focus then, and is no longer gone or hidden.
pub(super) fn focus_this(element: &HtmlElement) -> bool {
    let _ = element.focus();
    document().active_element().is_some_and(|focused| element.is_same_node(Some(&focused)))
}

/// The element that has the focus, unless none has, or all.
pub(super) fn focused() -> Option<HtmlElement> {
    let is_one = |element: &HtmlElement| !matches!(element.tag_name().as_str(), "BODY" | "MAIN");
    document().active_element()?.dyn_into().ok().filter(is_one)
}

/// Focuses the first element of a selector; answers whether there is one.
pub(super) fn focus_first(selector: &str) -> bool {
    let found = document().query_selector(selector).ok().flatten();
    found.and_then(|found| found.dyn_into::<HtmlElement>().ok()).is_some_and(|found| found.focus().is_ok())
}

/// Unfolds what is folded up, by its id.
pub(super) fn unfold(id: &str) {
    if let Some(fold) = element(id) {
        let _ = fold.set_attribute("open", "");
    }
}

/// Folds up what is unfolded, by its id.
pub(super) fn fold_up(id: &str) {
    if let Some(fold) = element(id) {
        let _ = fold.remove_attribute("open");
    }
}

/// Focuses an element that is there with the next frame.
pub(super) fn focus_with_next_frame(id: &'static str) {
    request_animation_frame(move || {
        focus(id);
    });
}

/// Focuses an element that comes with one of the next frames.
pub(super) fn focus_when_shown(id: &'static str) {
    focus_within_frames(id, FRAMES);
}

fn focus_within_frames(id: &'static str, frames: u32) {
    request_animation_frame(move || {
        if !focus(id) && frames > 0 {
            focus_within_frames(id, frames - 1);
        }
    });
}

/// Whether the focus is within an element.
pub(super) fn is_within(id: &str) -> bool {
    let focused = document().active_element();
    element(id).is_some_and(|element| element.contains(focused.as_deref()))
}

/// Focuses an element if what had the focus is gone.
pub(super) fn rescue(id: &'static str) {
    request_animation_frame(move || {
        let focused = document().active_element();
        if focused.is_none_or(|focused| focused.tag_name() == "BODY") {
            focus(id);
        }
    });
}

/// The id of the element that has the focus; empty when it has none.
pub(super) fn focused_id() -> String {
    document().active_element().map(|element| element.id()).unwrap_or_default()
}

/// Scrolls an element to the top with the next frame.
pub(super) fn bring_up(id: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = element(id) {
            element.scroll_into_view();
        }
    });
}

/// Brings an element into view with the next frame, unless it is.
pub(super) fn reveal(id: &'static str) {
    request_animation_frame(move || reveal_now(id));
}

/// Brings an element into view, unless it is.
pub(super) fn reveal_now(id: &str) {
    if let Some(element) = element(id) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Brings a line of a list into view, unless it is. What comes into view with it may turn out taller than was assumed, and push it
/// out again; hence for some frames.
pub(super) fn reveal_line(id: String) {
    follow(id, FRAMES);
}

/// In how many frames a line that moves is followed, or an element waited for.
const FRAMES: u32 = 5;

fn follow(id: String, frames: u32) {
    reveal_now(&id);
    if frames > 0 {
        request_animation_frame(move || follow(id, frames - 1));
    }
}
