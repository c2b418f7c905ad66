//! The structural difference of two values: which places were added, removed or changed, and how many are listed.

use serde_json::Value;

use super::pointer::{Path, Pointer};
use crate::wire::limits::MOST_DIFFERENCES;
use serde_json::Number;

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueDifference {
    /// The place: in the old value for what was removed, in the new one for what was added, in both for what changed.
    pub pointer: Pointer,
    /// The change.
    pub change: ChangeKind,
}

/// The change at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Only the new value has it.
    Added,
    /// Only the old value has it.
    Removed,
    /// Both have it, with different content: another type or, if it is not a container, another value.
    Changed,
}

/// The places where `new` differs from `old`, at most [`MOST_DIFFERENCES`]: in the old value's order, members that an object
/// gained behind its others.
///
/// Objects compare by name whatever their order, arrays by index, numbers by what they amount to (`1` is `1.0`). What was
/// added or removed is one difference, however much it holds.
#[must_use]
pub fn diff(old: &Value, new: &Value) -> Vec<ValueDifference> {
    let mut found = Vec::new();
    compare(old, new, &Path::ROOT, &mut found);
    found
}

fn compare(old: &Value, new: &Value, path: &Path<'_>, found: &mut Vec<ValueDifference>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                compare_member(Some(value), new.get(name), &path.key(name), found);
            }
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                compare_member(None, Some(value), &path.key(name), found);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                compare_member(old.get(index), new.get(index), &path.index(index), found);
            }
        }
        (Value::Number(old), Value::Number(new)) if same_number(old, new) => {}
        (old, new) if old == new => {}
        _ => note(ChangeKind::Changed, path, found),
    }
}

fn compare_member(old: Option<&Value>, new: Option<&Value>, path: &Path<'_>, found: &mut Vec<ValueDifference>) {
    match (old, new) {
        _ if found.len() >= MOST_DIFFERENCES => {}
        (Some(old), Some(new)) => compare(old, new, path, found),
        (Some(_), None) => note(ChangeKind::Removed, path, found),
        (None, Some(_)) => note(ChangeKind::Added, path, found),
        (None, None) => {}
    }
}

fn note(change: ChangeKind, path: &Path<'_>, found: &mut Vec<ValueDifference>) {
    found.push(ValueDifference { pointer: path.pointer(), change });
}

fn same_number(a: &Number, b: &Number) -> bool {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64() == b.as_f64(),
        _ => false,
    }
}

/// The number as an integer, if it is one and not beyond all that integers are written for. A double of more than 2^53
/// must not be compared as a double: it would equal its neighbours.
fn whole(number: &Number) -> Option<i128> {
    let double = || number.as_f64().filter(|double| double.fract() == 0.0 && double.abs() < 1e30);
    number.as_i128().or_else(|| double().map(|double| double as i128))
}

#[cfg(test)]
mod tests {
    use super::super::samples::Random;
    use super::*;
    use ChangeKind::{Added, Changed, Removed};
    use serde_json::json;

    #[track_caller]
    fn check(old: Value, new: Value, expected: &[(&str, ChangeKind)]) {
        let found = diff(&old, &new);
        let found: Vec<_> = found.iter().map(|found| (found.pointer.as_str(), found.change)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn members_are_added_removed_and_changed() {
        check(
            json!({"a": 1, "b": {"c": [1, 2]}, "d": null}),
            json!({"b": {"c": [1, 3, 4], "x/y": 0}, "d": {}}),
            &[("/a", Removed), ("/b/c/1", Changed), ("/b/c/2", Added), ("/b/x~1y", Added), ("/d", Changed)],
        );
        check(json!([1, [2]]), json!([1]), &[("/1", Removed)]);
        check(json!("a"), json!(["a"]), &[("", Changed)]);
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        check(json!({"a": 1, "b": [2]}), json!({"b": [2], "a": 1}), &[]);
    }

    #[test]
    fn numbers_compare_by_what_they_amount_to() {
        for (old, new) in
            [("1", "1.0"), ("100", "1e2"), ("0", "-0"), ("0.5", "5e-1"), ("9007199254740992", "9007199254740992.0")]
        {
            check(old.parse().unwrap(), new.parse().unwrap(), &[]);
        }
        for (old, new) in [("1", "1.5"), ("9007199254740993", "9007199254740992.0"), ("1", "true"), ("1e300", "1e301")]
        {
            check(old.parse().unwrap(), new.parse().unwrap(), &[("", Changed)]);
        }
    }

    #[test]
    fn the_list_is_bounded() {
        let old: Value = (0..1000).collect();
        assert_eq!(diff(&old, &json!([])).len(), MOST_DIFFERENCES);
        assert_eq!(diff(&json!([1]), &json!([old, old])).len(), 2);
    }

    #[test]
    fn nothing_differs_exactly_when_values_are_equal() {
        let mut random = Random::new(3);
        let values: Vec<Value> = (0..60).map(|_| random.value(3)).collect();
        for old in &values {
            assert_eq!(diff(old, old), []);
            for new in &values {
                // At every place that is found, both sides agree about what is there.
                for ValueDifference { pointer, change } in diff(old, new) {
                    let there = (pointer.resolve(old).is_some(), pointer.resolve(new).is_some());
                    assert_eq!(there, (change != Added, change != Removed), "{old} {new} {pointer}");
                }
            }
        }
    }
}
