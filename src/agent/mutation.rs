//! One change to a JSON object, as data: the entries of the tables of faults and of older versions.

use serde_json::Value;

use super::json_values::{change, data, set, take};

/// A change to a JSON object. Places are JSON pointers, and values are JSON texts.
pub(super) enum Mutation {
    /// Writes a value at a place; `-` at the end of the place appends to a list.
    Put(&'static str, &'static str),
    /// Writes a value at a place that already has one.
    Replace(&'static str, &'static str),
    /// Removes the value at a place.
    Remove(&'static str),
    /// Renames a member.
    Rename(&'static str, &'static str),
    /// Anything else.
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
