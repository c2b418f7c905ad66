//! Building and changing JSON values: templates with placeholders, members, and changes by JSON pointer, also as data: the entries
//! of the tables of faults and of older versions.

use serde_json::Value;

use crate::wire::json;

/// The value of one of our JSON texts. A placeholder is a name in braces; a string has at most one.
pub(super) fn data(text: &str, placeholders: &[(&str, &str)]) -> Value {
    // Tests read every one of these texts.
    let mut value = json::read(text.as_bytes()).unwrap_or_default();
    fill(&mut value, placeholders);
    value
}

/// Replaces placeholders by texts. A text that was put in is not searched again, since users write some of them.
pub(super) fn fill(value: &mut Value, placeholders: &[(&str, &str)]) {
    for_each_value(value, &mut |value| {
        if let Value::String(text) = value
            && let Some((name, filling)) = placeholders.iter().find(|(name, _)| text.contains(name))
        {
            *text = text.replace(name, filling);
        }
    });
}

/// Changes a value and then every value inside it.
pub(super) fn for_each_value(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    change(value);
    match value {
        Value::Array(list) => list.iter_mut().for_each(|entry| for_each_value(entry, change)),
        Value::Object(map) => map.values_mut().for_each(|member| for_each_value(member, change)),
        _ => {}
    }
}

/// How many bytes a value takes, about: its texts, and something for each value.
pub(super) fn size_of(value: &Value) -> usize {
    const VALUE: usize = 32;
    VALUE
        + match value {
            Value::String(text) => text.len(),
            Value::Array(list) => list.iter().map(size_of).sum(),
            Value::Object(map) => map.iter().map(|(name, member)| name.len() + VALUE + size_of(member)).sum(),
            _ => 0,
        }
}

/// An object with this one member.
pub(super) fn wrap(name: &str, value: Value) -> Value {
    let mut object = data("{}", &[]);
    set(&mut object, name, value);
    object
}

/// Sets a member of an object; null changes nothing.
pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    if let (Value::Object(map), false) = (object, value.is_null()) {
        map.insert(name.to_owned(), value);
    }
}

pub(super) fn set_text(object: &mut Value, name: &str, text: &str) {
    set(object, name, text.into());
}

pub(super) fn remove(object: &mut Value, name: &str) {
    take(object, name);
}

/// Removes a member and returns it; null if there is none.
pub(super) fn take(object: &mut Value, name: &str) -> Value {
    object.as_object_mut().and_then(|map| map.shift_remove(name)).unwrap_or_default()
}

/// The text of a member; empty if there is none.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of a member that is a list; none if there is no such member.
pub(super) fn elements<'a>(object: &'a mut Value, name: &str) -> &'a mut [Value] {
    object.get_mut(name).and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default()
}

/// Changes the value at a JSON pointer: `*` is every element of a list, `-` at the end appends to one, and no value removes the
/// member.
pub(super) fn change(value: &mut Value, pointer: &str, new: Option<Value>) {
    if let Some((list, rest)) = pointer.split_once("/*") {
        let elements = value.pointer_mut(list).and_then(Value::as_array_mut);
        return elements.into_iter().flatten().for_each(|element| change(element, rest, new.clone()));
    }
    let (holder, name) = pointer.rsplit_once('/').unwrap_or_default();
    match (value.pointer_mut(holder), new) {
        (Some(Value::Array(list)), Some(new)) => list.push(new),
        (Some(Value::Object(map)), Some(new)) => drop(map.insert(name.to_owned(), new)),
        (Some(holder), None) => remove(holder, name),
        _ => {}
    }
}

/// A change to a JSON value. Places are those of [`change`], and values are JSON texts.
pub(super) enum Mutation {
    /// Writes a value at a place.
    Put(&'static str, &'static str),
    /// Writes a value at a place that already has one.
    Replace(&'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Do(fn(&mut Value)),
}

impl Mutation {
    pub(super) fn apply(&self, value: &mut Value) {
        match self {
            Self::Put(pointer, json) => change(value, pointer, Some(data(json, &[]))),
            Self::Replace(pointer, json) => {
                if let Some(place) = value.pointer_mut(pointer) {
                    *place = data(json, &[]);
                }
            }
            Self::Remove(pointer) => change(value, pointer, None),
            Self::Rename(old, new) => {
                let member = take(value, old);
                set(value, new, member);
            }
            Self::Do(mutate) => mutate(value),
        }
    }
}

/// The proto's name of a member: `contextId` is `context_id`.
pub(super) fn snake_case(name: &str) -> String {
    let written = |c: char| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]);
    name.chars().flat_map(written).collect()
}
