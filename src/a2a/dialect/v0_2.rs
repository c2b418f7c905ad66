//! A2A 0.2 as tables, in the forms of 0.2.6, where it differs from 0.3.

use super::definition::Dialect;
use super::{older_requests, v0_3};

/// A2A 0.2.
pub static V0_2: Dialect = Dialect { over_http: Some(&V0_2_HTTP), ..BASE };

/// A2A 0.2 over HTTP, which 0.2.6 describes method by method.
pub static V0_2_HTTP: Dialect = Dialect {
    version: "0.2",
    card_path: BASE.card_path,
    methods: BASE.methods,
    error_codes: BASE.error_codes,
    other_form: Some(&V0_2),
    ..v0_3::BASE_OVER_HTTP
};

const BASE: Dialect = Dialect {
    version: "0.2",
    card_path: "/.well-known/agent.json",
    // The extended card has a URL of its own here, and no method (0.2 §7.10).
    // Lists and deletions of push configs are from 0.2.5 on.
    methods: v0_3::METHODS.split_at(9).0,
    send_params: older_requests::send_params_with_modes,
    // 0.2 §8.2: those of 0.3 without its last one.
    error_codes: v0_3::BASE.error_codes.split_at(11).0,
    ..v0_3::BASE
};
