//! JSON as data: texts with holes, members, and edits by place.

use serde_json::Value;

use crate::wire::json;

/// The value of a JSON text of ours. A hole is a name in braces, and at most one of them stands in a string.
pub(super) fn data(text: &str, placeholders: &[(&str, &str)]) -> Value {
    // Tests read every one of these texts.
    let mut value = json::read(text.as_bytes()).unwrap_or_default();
    fill(&mut value, placeholders);
    value
}

/// Puts texts in place of holes. What was put in is not looked at again.
pub(super) fn fill(value: &mut Value, placeholders: &[(&str, &str)]) {
    match value {
        Value::String(text) => {
            if let Some((hole, filling)) = placeholders.iter().find(|(hole, _)| text.contains(hole)) {
                *text = text.replace(hole, filling);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|entry| fill(entry, placeholders)),
        Value::Object(map) => map.values_mut().for_each(|member| fill(member, placeholders)),
        _ => {}
    }
}

/// Adds a member to an object; null is nothing to add.
pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    if let (Value::Object(map), false) = (object, value.is_null()) {
        map.insert(name.to_owned(), value);
    }
}

/// Adds a member that is a text.
pub(super) fn set_text(object: &mut Value, name: &str, text: &str) {
    set(object, name, text.into());
}

/// Takes a member away.
pub(super) fn remove(object: &mut Value, name: &str) {
    if let Value::Object(map) = object {
        map.shift_remove(name);
    }
}

/// Takes a member out; null if there is none.
pub(super) fn take(object: &mut Value, name: &str) -> Value {
    let member = object.get_mut(name).map(Value::take).unwrap_or_default();
    remove(object, name);
    member
}

/// A member that is a text; an empty text if there is none.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of a member that is a list; none if there is no such member.
pub(super) fn elements<'a>(object: &'a mut Value, name: &str) -> &'a mut [Value] {
    object.get_mut(name).and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default()
}

/// Changes one place, given as a JSON pointer: `-` at its end appends to a list, and no value takes the member away.
pub(super) fn change(value: &mut Value, pointer: &str, new: Option<Value>) {
    let (holder, name) = pointer.rsplit_once('/').unwrap_or_default();
    match (value.pointer_mut(holder), new) {
        (Some(Value::Array(list)), Some(new)) => list.push(new),
        (Some(Value::Object(map)), Some(new)) => drop(map.insert(name.to_owned(), new)),
        (Some(holder), None) => remove(holder, name),
        _ => {}
    }
}
