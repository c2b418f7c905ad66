//! A test that is run, with what it needs.

use super::document::{ActsDocument, ActsTest};
use super::settings::TestSettings;
use crate::engine::drive::Driver;

#[derive(Clone, Copy)]
pub(super) struct TestRun<'a> {
    pub(super) document: &'a ActsDocument,
    pub(super) test: &'static ActsTest,
    pub(super) settings: &'a TestSettings,
    pub(super) driver: &'a Driver,
}
