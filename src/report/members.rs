//! Reads the members of the objects in a file. What is missing or of another type is noted and read as nothing, so that whoever
//! reads does not have to stop at each member: a file with such a note is refused as a whole. Types that serde derives did the same
//! for 60 KB of the page's checker.

use std::cell::OnceCell;

use serde_json::{Map, Value};

/// The fault of a file: the first member that is missing or of another type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MalformedMember(String);

/// The members of an object in a file. Where there are two methods for a type, `maybe_…` is for a member that may be missing.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    /// The member that holds the object.
    holder: &'a str,
    object: Option<&'a Map<String, Value>>,
    damage: &'a OnceCell<MalformedMember>,
}

/// Reads the object of a file, unless a member is missing or of another type.
pub(super) fn of_file<T>(file: &Value, read: impl FnOnce(Members<'_>) -> T) -> Result<T, MalformedMember> {
    let damage = OnceCell::new();
    let value = read(Members { holder: "the file", object: file.as_object(), damage: &damage });
    damage.into_inner().map_or(Ok(value), Err)
}

impl<'a> Members<'a> {
    /// A member that is there; `null` is the same as none.
    fn member(self, name: &str) -> Option<&'a Value> {
        self.object.and_then(|object| object.get(name)).filter(|value| !value.is_null())
    }

    fn note(self, name: &str, what: &str) {
        let trouble = if self.member(name).is_some() { "is not" } else { "is missing, which must be" };
        self.refuse(format!("{name} of {} {trouble} {what}", self.holder));
    }

    /// Notes a fault that is not one of a member's type.
    pub(super) fn refuse(self, why: String) {
        self.damage.get_or_init(|| MalformedMember(why));
    }

    /// The value of a member, if it exists.
    fn maybe<T>(self, name: &str, what: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let value = read(self.member(name)?);
        if value.is_none() {
            self.note(name, what);
        }
        value
    }

    /// The same for a member that has to be there.
    fn must<T: Default>(self, name: &str, what: &str, value: Option<T>) -> T {
        if value.is_none() {
            self.note(name, what);
        }
        value.unwrap_or_default()
    }

    pub(super) fn maybe_text(self, name: &str) -> Option<String> {
        self.maybe(name, "a text", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn text(self, name: &str) -> String {
        self.must(name, "a text", self.maybe_text(name))
    }

    pub(super) fn maybe_number(self, name: &str) -> Option<f64> {
        self.maybe(name, "a number", Value::as_f64)
    }

    pub(super) fn number(self, name: &str) -> f64 {
        self.must(name, "a number", self.maybe_number(name))
    }

    pub(super) fn maybe_count<T: TryFrom<u64>>(self, name: &str) -> Option<T> {
        self.maybe(name, "a count", |value| value.as_u64().and_then(|count| count.try_into().ok()))
    }

    pub(super) fn count<T: TryFrom<u64> + Default>(self, name: &str) -> T {
        self.must(name, "a count", self.maybe_count(name))
    }

    pub(super) fn maybe_flag(self, name: &str) -> Option<bool> {
        self.maybe(name, "true or false", Value::as_bool)
    }

    pub(super) fn flag(self, name: &str) -> bool {
        self.must(name, "true or false", self.maybe_flag(name))
    }

    pub(super) fn maybe_word<T: Clone>(self, name: &str, all: &[T], word: fn(&T) -> &'static str) -> Option<T> {
        let meant = |value: &Value| {
            let said = value.as_str()?;
            all.iter().find(|known| word(known) == said).cloned()
        };
        self.maybe(name, "a word that is known", meant)
    }

    /// One of some values by its word.
    pub(super) fn word<T: Clone>(self, name: &str, otherwise: T, all: &[T], word: fn(&T) -> &'static str) -> T {
        let meant = self.maybe_word(name, all, word);
        self.must(name, "a word that is known", meant.as_ref().map(|_| ()));
        meant.unwrap_or(otherwise)
    }

    pub(super) fn maybe_map(self, name: &str) -> Option<Map<String, Value>> {
        self.maybe(name, "an object", |value| value.as_object().cloned())
    }

    /// The members of an object, as they are.
    pub(super) fn map(self, name: &str) -> Map<String, Value> {
        self.must(name, "an object", self.maybe_map(name))
    }

    pub(super) fn maybe_object<T>(self, name: &'a str, read: impl FnOnce(Self) -> T) -> Option<T> {
        self.member(name).map(|_| self.object(name, read))
    }

    pub(super) fn object<T>(self, name: &'a str, read: impl FnOnce(Self) -> T) -> T {
        let object = self.maybe(name, "an object", Value::as_object);
        self.must(name, "an object", object.map(|_| ()));
        read(Self { holder: name, object, ..self })
    }

    pub(super) fn maybe_list<T>(self, name: &'a str, read: impl Fn(Self) -> T) -> Option<Vec<T>> {
        let list = self.maybe(name, "a list", Value::as_array)?;
        let entry = |entry: &'a Value| {
            let object = entry.as_object();
            if object.is_none() {
                self.note(name, "a list of objects");
            }
            read(Self { holder: name, object, ..self })
        };
        Some(list.iter().map(entry).collect())
    }

    pub(super) fn list<T>(self, name: &'a str, read: impl Fn(Self) -> T) -> Vec<T> {
        self.must(name, "a list", self.maybe_list(name, read))
    }

    pub(super) fn maybe_texts(self, name: &str) -> Option<Vec<String>> {
        self.maybe(name, "a list of texts", |value| {
            value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
        })
    }

    pub(super) fn texts(self, name: &str) -> Vec<String> {
        self.must(name, "a list of texts", self.maybe_texts(name))
    }

    pub(super) fn maybe_counts(self, name: &str) -> Option<Vec<u32>> {
        self.maybe(name, "a list of counts", |value| {
            value.as_array()?.iter().map(|entry| entry.as_u64().and_then(|count| count.try_into().ok())).collect()
        })
    }
}
