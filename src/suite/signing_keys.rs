//! Keys that signatures are verified with, and what both kinds of signatures have in common: those of cards and of notifications.

use crate::engine::drive::Driver;
use crate::engine::jwks;
use crate::wire::base64::URL_SAFE;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};

/// The keys that the user trusts; none where none were given.
///
/// # Errors
/// Why they cannot be read.
pub(super) async fn trusted_keys(d: &Driver) -> Result<Vec<Value>, String> {
    let given = d.facts().jwks.clone();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let document = if jwks::is_url(&given) {
        let step = d.fetch_without_credentials("trusted-keys", Request::get(given.as_str())).await;
        step.reply.document.clone().filter(|_| step.exchange.status() == Some(200))
    } else {
        parse(given.as_bytes()).value
    };
    let keys = jwks::keys(document.as_ref()).map(<[Value]>::to_vec);
    keys.ok_or_else(|| "no key set could be read from the URL of the trusted keys".to_owned())
}

/// The bytes of base64url; `None` for an empty text as well.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE.decode(text).filter(|bytes| !bytes.is_empty())
}

/// Whether a key has this id.
pub(super) fn has_kid(key: &Value, kid: &str) -> bool {
    key.get("kid").and_then(Value::as_str) == Some(kid)
}
