//! The files of tests that are open in the page.

use std::cell::RefCell;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::checker::{LARGEST, OpenedFiles, OpenedTests, fetch_text};
use a2a_conformance::host::web;
use a2a_conformance::view_model::binary_encoding::to_bytes;

/// The name of the report of the tests' own format.
pub(super) const FORMAT: &str = "acts";

thread_local! {
    static FILES: RefCell<OpenedFiles> = RefCell::default();
}

pub(super) fn open(name: &str, text: String) -> Vec<u8> {
    FILES.with_borrow_mut(|files| to_bytes(&files.add(name, text)))
}

pub(super) fn close(name: &str) -> Vec<u8> {
    FILES.with_borrow_mut(|files| to_bytes(&files.remove(name)))
}

pub(super) async fn fetch(typed: &str) -> Vec<u8> {
    let url = typed.trim();
    if !url.starts_with("https://") && !url.starts_with("http://") {
        let why = format!("{url} is not the URL of a file: it begins with https:// or http://.");
        return FILES.with_borrow(|files| to_bytes(&files.refused(why)));
    }
    match fetch_text(&web::host(&OWN), url, "application/yaml, application/json, text/plain, */*", LARGEST).await {
        Ok(text) => open(url, text),
        Err(why) => {
            let why = format!("The file at {url} cannot be read: {why}. Open it from this machine.");
            FILES.with_borrow(|files| to_bytes(&files.refused(why)))
        }
    }
}

/// The tests to run, with what the user says about them.
pub(super) fn tests(given: &str) -> Result<OpenedTests, String> {
    FILES.with_borrow_mut(|files| files.tests(given))
}
