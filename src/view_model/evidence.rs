//! What is shown of an exchange that a result rests on: its title, its times, and the sheets that `wire.rs` makes of it.

use super::format;
use super::wire::{self, HttpMessage, Mark};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;

/// An exchange as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Its id in the run.
    pub id: u32,
    /// The purpose of the exchange.
    pub step: String,
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The status, or that there was no answer.
    pub status: String,
    /// How long it took, in words.
    pub duration: String,
    /// The request.
    pub request: HttpMessage,
    /// The answer, if one came.
    pub response: Option<HttpMessage>,
    /// How it ended, if not simply with its last byte; else empty.
    pub ending: String,
    /// The request as a command for a POSIX shell.
    pub curl: String,
    /// The request as a command for PowerShell.
    pub power_shell: String,
}

binary_encoding! { struct Evidence { id, step, method, url, status, duration, request, response, ending, curl, power_shell } }

impl Evidence {
    /// An exchange as the page shows it.
    #[must_use]
    pub fn new(exchange: &Exchange, mark: &Mark, hides_from: Option<&str>) -> Self {
        Self {
            id: exchange.id,
            step: exchange.step.clone(),
            method: exchange.request.method.as_str().to_owned(),
            url: exchange.request.url.clone(),
            status: exchange.status().map_or_else(|| "no answer".to_owned(), |status| status.to_string()),
            duration: format::duration(exchange.duration_ms()),
            request: wire::request(exchange),
            response: wire::response(exchange, mark, hides_from),
            ending: wire::ending(&exchange.end).unwrap_or_default(),
            curl: wire::bash(exchange),
            power_shell: wire::power_shell(exchange),
        }
    }
}
