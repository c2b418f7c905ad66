//! Places in a JSON value: the pointer of RFC 6901, and parts of a document that is kept once.

use crate::wire::limits::MOST_POINTER;
use serde_json::Value;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// A JSON pointer (RFC 6901): empty for the whole value, else `/` before each member name or index.
///
/// It always is valid: `~` and `/` in a name are written `~0` and `~1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Pointer(String);

impl Pointer {
    /// The whole value.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// The member of that name of the object here.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        let mut text = self.0.clone();
        push_key(&mut text, name);
        Self(text)
    }

    /// The element at that place of the array here, from 0.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// The pointer's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name or index it ends with, unescaped; `None` for the root.
    #[must_use]
    pub fn last(&self) -> Option<String> {
        self.0.rsplit_once('/').map(|(_, token)| unescape(token))
    }

    /// Reads a pointer's text; `None` if it is neither empty nor starts with `/`, or has a `~` without `0` or `1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let escapes_hold = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        (escapes_hold && (text.is_empty() || text.starts_with('/'))).then(|| Self(text.to_owned()))
    }

    /// The value at this place, if there is one. An index has no leading zeros; `-`, the element after the last, never
    /// is there.
    #[must_use]
    pub fn resolve<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.split('/').skip(1).try_fold(value, |value, token| match value {
            Value::Object(members) => members.get(&unescape(token)),
            Value::Array(elements) => {
                elements.get(token.parse().ok().filter(|index: &usize| index.to_string() == token)?)
            }
            _ => None,
        })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

impl From<&Pointer> for String {
    fn from(pointer: &Pointer) -> Self {
        pointer.0.clone()
    }
}

impl From<&str> for Pointer {
    /// Reads a pointer as a person writes it: a missing first `/` is added, and a `~` that escapes nothing is itself.
    fn from(text: &str) -> Self {
        let slash = if text.is_empty() || text.starts_with('/') { "" } else { "/" };
        let mut pieces = text.split('~');
        let mut out = format!("{slash}{}", pieces.next().unwrap_or_default());
        for piece in pieces {
            out.push_str(if piece.starts_with(['0', '1']) { "~" } else { "~0" });
            out.push_str(piece);
        }
        Self(out)
    }
}

fn push_key(pointer: &mut String, name: &str) {
    pointer.push('/');
    for char in name.chars() {
        match char {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(char),
        }
    }
}

fn unescape(token: &str) -> String {
    // In this order, so that `~01` becomes `~1` (RFC 6901 §4).
    token.replace("~1", "/").replace("~0", "~")
}

/// The way from the root to where a walk is, kept on the walk's own stack; a pointer is built only where one is needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path<'p> {
    up: Option<(&'p Path<'p>, PathSegment<'p>)>,
    /// How many containers the place lies in.
    pub(super) depth: usize,
}

#[derive(Debug, Clone, Copy)]
enum PathSegment<'p> {
    Key(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    pub(super) const ROOT: Self = Self { up: None, depth: 0 };

    pub(super) const fn key(&'p self, name: &'p str) -> Self {
        Self { up: Some((self, PathSegment::Key(name))), depth: self.depth + 1 }
    }

    pub(super) const fn index(&'p self, index: usize) -> Self {
        Self { up: Some((self, PathSegment::Index(index))), depth: self.depth + 1 }
    }

    /// The pointer to here, or to the closest enclosing value whose pointer is not absurdly long: many flaws below one
    /// huge name must not multiply it.
    pub(super) fn pointer(&self) -> Pointer {
        let mut steps = Vec::with_capacity(self.depth);
        let mut up = self.up;
        while let Some((path, step)) = up {
            steps.push(step);
            up = path.up;
        }
        let mut text = String::new();
        for step in steps.into_iter().rev() {
            let end = text.len();
            match step {
                PathSegment::Key(name) if name.len() > MOST_POINTER => break,
                PathSegment::Key(name) => push_key(&mut text, name),
                PathSegment::Index(index) => text.push_str(&format!("/{index}")),
            }
            if text.len() > MOST_POINTER {
                text.truncate(end);
                break;
            }
        }
        Pointer(text)
    }
}

/// A value within a document that is kept once, whoever holds parts of it: of a great answer there is no second copy.
#[derive(Debug, Clone, Default)]
pub struct SharedValue {
    document: Rc<Value>,
    at: Pointer,
}

impl SharedValue {
    /// A value by itself.
    #[must_use]
    pub fn of(value: Value) -> Self {
        Self { document: Rc::new(value), at: Pointer::root() }
    }

    /// The value at this place of a document; `null` if there is none.
    #[must_use]
    pub fn within(document: &Rc<Value>, at: &Pointer) -> Self {
        Self { document: Rc::clone(document), at: at.clone() }
    }
}

impl Deref for SharedValue {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.at.resolve(&self.document).unwrap_or(&Value::Null)
    }
}

impl PartialEq for SharedValue {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_examples_of_the_rfc_resolve_as_it_says() {
        let value = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        for (text, expected) in [
            ("", value.clone()),
            ("/foo", json!(["bar", "baz"])),
            ("/foo/0", json!("bar")),
            ("/", json!(0)),
            ("/a~1b", json!(1)),
            ("/c%d", json!(2)),
            ("/e^f", json!(3)),
            ("/g|h", json!(4)),
            ("/i\\j", json!(5)),
            ("/k\"l", json!(6)),
            ("/ ", json!(7)),
            ("/m~0n", json!(8)),
        ] {
            assert_eq!(Pointer::parse(text).unwrap().resolve(&value), Some(&expected), "{text:?}");
            assert_eq!(value.pointer(text), Some(&expected), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_there_resolves_to_nothing() {
        let value = json!({"a": [1], "s": "x"});
        for text in ["/b", "/a/1", "/a/-", "/a/00", "/a/+0", "/a/", "/s/0", "/a/0/0", "/a/99999999999999999999999"] {
            assert_eq!(Pointer::from(text).resolve(&value), None, "{text}");
        }
    }

    #[test]
    fn names_are_escaped_and_come_back() {
        for name in ["a", "", "a/b", "m~n", "~1", "~01", "//~~", "€"] {
            let pointer = Pointer::root().key("x").key(name);
            assert_eq!(pointer.last().as_deref(), Some(name));
            assert_eq!(Pointer::parse(pointer.as_str()), Some(pointer.clone()));
            assert_eq!(pointer.resolve(&json!({"x": {name: 1}})), Some(&json!(1)));
        }
        assert_eq!(Pointer::root().key("a/b~").index(3).to_string(), "/a~1b~0/3");
        assert_eq!(Pointer::root().last(), None);
    }

    #[test]
    fn text_that_is_no_pointer_is_refused_or_mended() {
        for (text, mended) in [("a", "/a"), ("/~", "/~0"), ("/~2", "/~02"), ("a~/b~1", "/a~0/b~1")] {
            assert_eq!(Pointer::parse(text), None, "{text}");
            assert_eq!(Pointer::from(text).as_str(), mended);
            assert!(Pointer::parse(mended).is_some());
        }
    }

    #[test]
    fn a_path_gives_the_pointer_of_its_steps() {
        let (a, i);
        a = Path::ROOT.key("a/b");
        i = a.index(2);
        assert_eq!(i.pointer(), Pointer::root().key("a/b").index(2));
        assert_eq!((Path::ROOT.pointer(), i.depth), (Pointer::root(), 2));
    }

    #[test]
    fn a_path_of_huge_names_stops_at_an_enclosing_place() {
        let name = "/".repeat(MOST_POINTER);
        let (a, b, c);
        a = Path::ROOT.key("a");
        b = a.key(&name);
        c = b.index(0);
        assert_eq!(c.pointer().as_str(), "/a");
    }
}
