//! Keys that signatures are verified with, how those of a URL are fetched, and what both kinds of signatures have in common: those of cards and of notifications.

use std::rc::Rc;

use crate::engine::jwks;
use crate::engine::prelude::{Driver, Step};
use crate::wire::base64::URL_SAFE;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::limits::MOST_KEYS;

/// The keys that the user trusts, or why they cannot be read; none where none were given.
pub(super) async fn trusted_keys(d: &Driver) -> Result<Vec<Value>, String> {
    let given = d.facts().jwks.clone();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let keys = if jwks::is_url(&given) {
        published_keys(d, "trusted-keys", &given).await.0
    } else {
        jwks::keys(parse(given.as_bytes()).value.as_ref()).map(<[Value]>::to_vec)
    };
    keys.ok_or_else(|| "no key set could be read from the URL of the trusted keys".to_owned())
}

/// The keys of the set at a URL, if there is one, and the step that fetched it.
pub(super) async fn published_keys(d: &Driver, name: &'static str, url: &str) -> (Option<Vec<Value>>, Rc<Step>) {
    let step = d.fetch_without_credentials(name, Request::get(url)).await;
    let document = step.reply.document.as_deref().filter(|_| step.exchange.status() == Some(200));
    (jwks::keys(document).map(<[Value]>::to_vec), step)
}

/// The bytes of base64url; `None` for an empty text as well.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE.decode(text).filter(|bytes| !bytes.is_empty())
}

/// Those of a set that a signature with this id may have been made with, by their own; or why it is not tried.
pub(super) fn keys_to_try<'a>(keys: &'a [Value], kid: &str) -> Result<Vec<&'a Value>, String> {
    let fits = |key: &&Value| kid.is_empty() || has_kid(key, kid) || key.get("kid").is_none();
    let fitting: Vec<&Value> = keys.iter().filter(fits).take(MOST_KEYS + 1).collect();
    if fitting.len() > MOST_KEYS {
        return Err(format!("more than {MOST_KEYS} keys may have made it, and no more are tried"));
    }
    Ok(fitting)
}

/// Whether a key has this id.
pub(super) fn has_kid(key: &Value, kid: &str) -> bool {
    key.get("kid").and_then(Value::as_str) == Some(kid)
}
