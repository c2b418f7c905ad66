//! Runs that begin by themselves when an agent on this machine was started again or has another card. Its card is fetched every
//! second for that, while the page is in front: one that is back sooner with the same card is not seen to have been away.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::rerun::run_all;
use super::state::{Page, RunTarget};
use crate::view_model::messages::{NOBODY, Question};

const EVERY: Duration = Duration::from_secs(1);

/// Looks at the card from now on, whenever somebody wants it.
pub(super) fn begin(page: Page) {
    // Of which agent, and what was seen last: nothing before the first look.
    let known: Rc<RefCell<(String, String)>> = Rc::default();
    set_interval(
        move || {
            let RunTarget::Agent(address) = page.target.get_untracked() else { return };
            if !page.follows.get_untracked() || known.borrow().0 != address {
                known.replace((address.clone(), String::new()));
            }
            if !page.follows.get_untracked() || page.is_busy_now() || document().hidden() {
                return;
            }
            let known = Rc::clone(&known);
            when_answered(&Question::CardNow(address), move |mark: CheckerAnswer<String>| {
                let mark = mark.unwrap_or_default();
                let before = std::mem::replace(&mut known.borrow_mut().1, mark.clone());
                if page.follows.get_untracked() && !before.is_empty() && before != mark && mark != NOBODY {
                    run_all(page);
                }
            });
        },
        EVERY,
    );
}
