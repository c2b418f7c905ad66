//! View-models: what the page shows, as plain values. Nothing in here knows Leptos, so that all of it is tested natively.

pub mod again;
pub mod banner;
pub mod demo;
pub mod detail;
pub mod filter;
pub mod findings;
pub mod fix;
pub mod form;
pub mod format;
pub mod fragment;
pub mod grid;
pub mod groups;
pub mod lines;
pub mod messages;
pub mod pasted;
pub mod preview;
pub mod printed;
pub mod reach;
pub mod rows;
pub mod settings;
pub mod tab_title;
pub mod test_call;
pub mod waiting;
pub mod wire;
