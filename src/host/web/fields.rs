//! Header fields as they pass between two modules of a page: an array of names and values in turn. An object of fetch would
//! change their case and their order.

use js_sys::{Array, JsString};

use crate::wire::http::Headers;

/// The fields as an array.
#[must_use]
pub fn to_array(headers: &Headers) -> Array {
    headers.iter().flat_map(|(name, value)| [JsString::from(name), JsString::from(value)]).collect()
}

/// The fields of such an array.
#[must_use]
pub fn from_array(fields: &Array) -> Headers {
    pairs(fields).collect()
}

/// The elements of an array in turn, two by two.
pub fn pairs(array: &Array) -> impl Iterator<Item = (String, String)> {
    let text = |at: u32| array.get(at).as_string().unwrap_or_default();
    (0..array.length() / 2).map(move |pair| (text(2 * pair), text(2 * pair + 1)))
}
