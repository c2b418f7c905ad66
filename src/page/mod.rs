//! The page: Leptos components over view-models that know no Leptos. The view-models are compiled and tested everywhere,
//! the rest is for wasm32 only; this file holds the one switch between them.
#![cfg_attr(
    target_arch = "wasm32",
    expect(
        unreachable_pub,
        reason = "what `#[component]` makes of a function with any visibility is a `pub` function"
    ),
    expect(clippy::redundant_closure, reason = "only a closure that is written in `view!` has its type erased")
)]

pub mod view_model;

#[cfg(target_arch = "wasm32")]
mod address_field;
#[cfg(target_arch = "wasm32")]
mod agents_switch;
#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod banner;
#[cfg(target_arch = "wasm32")]
mod card;
#[cfg(target_arch = "wasm32")]
mod checker_client;
#[cfg(target_arch = "wasm32")]
mod comparison;
#[cfg(target_arch = "wasm32")]
mod conversation;
#[cfg(target_arch = "wasm32")]
mod copy_button;
#[cfg(target_arch = "wasm32")]
mod credentials;
#[cfg(target_arch = "wasm32")]
mod demo;
#[cfg(target_arch = "wasm32")]
mod detail;
#[cfg(target_arch = "wasm32")]
mod downloads;
#[cfg(target_arch = "wasm32")]
mod evidence;
#[cfg(target_arch = "wasm32")]
mod export_menu;
#[cfg(target_arch = "wasm32")]
mod file_picker;
#[cfg(target_arch = "wasm32")]
mod files;
#[cfg(target_arch = "wasm32")]
mod filters;
#[cfg(target_arch = "wasm32")]
mod findings;
#[cfg(target_arch = "wasm32")]
mod focus;
#[cfg(target_arch = "wasm32")]
mod form;
#[cfg(target_arch = "wasm32")]
mod grid;
#[cfg(target_arch = "wasm32")]
mod incremental_list;
#[cfg(target_arch = "wasm32")]
mod keys;
#[cfg(target_arch = "wasm32")]
mod legend;
#[cfg(target_arch = "wasm32")]
mod past_runs;
#[cfg(target_arch = "wasm32")]
mod past_store;
#[cfg(target_arch = "wasm32")]
mod printed;
#[cfg(target_arch = "wasm32")]
mod reach;
#[cfg(target_arch = "wasm32")]
mod rerun;
#[cfg(target_arch = "wasm32")]
mod results;
#[cfg(target_arch = "wasm32")]
mod run;
#[cfg(target_arch = "wasm32")]
mod second_address;
#[cfg(target_arch = "wasm32")]
mod selection;
#[cfg(target_arch = "wasm32")]
mod several_agents;
#[cfg(target_arch = "wasm32")]
mod several_agents_files;
#[cfg(target_arch = "wasm32")]
mod several_agents_results;
#[cfg(target_arch = "wasm32")]
mod several_agents_runs;
#[cfg(target_arch = "wasm32")]
mod several_agents_tables;
#[cfg(target_arch = "wasm32")]
mod share;
#[cfg(target_arch = "wasm32")]
mod skipped_and_disputed;
#[cfg(target_arch = "wasm32")]
mod state;
#[cfg(target_arch = "wasm32")]
mod storage;
#[cfg(target_arch = "wasm32")]
mod tab_title;
#[cfg(target_arch = "wasm32")]
mod table;
#[cfg(target_arch = "wasm32")]
mod tabs;
#[cfg(target_arch = "wasm32")]
mod test_files;
#[cfg(target_arch = "wasm32")]
mod test_steps;
#[cfg(target_arch = "wasm32")]
mod tests_state;
#[cfg(target_arch = "wasm32")]
mod text_tables;
#[cfg(target_arch = "wasm32")]
mod theme;
#[cfg(target_arch = "wasm32")]
mod traffic;
#[cfg(target_arch = "wasm32")]
mod waiting;
#[cfg(target_arch = "wasm32")]
mod watch;
#[cfg(target_arch = "wasm32")]
mod watch_state;
#[cfg(target_arch = "wasm32")]
mod what_is_sent;
#[cfg(target_arch = "wasm32")]
mod widgets;
#[cfg(target_arch = "wasm32")]
mod workbench;
#[cfg(target_arch = "wasm32")]
mod workbench_calls;
#[cfg(target_arch = "wasm32")]
mod workbench_state;

#[cfg(target_arch = "wasm32")]
pub use app::start;
