//! Applies the faults of form: changes that faults make to a value on its way out, by the tables of `form_faults`.

use serde_json::Value;

use super::fault::{FaultId, Faults};
use super::form_faults::{FAULT_MUTATIONS, OLDER_FAULT_MUTATIONS};
use super::json_values::{Mutation, snake_case};
use super::shape::{Shape, walk};

/// Applies the faults to a value of this shape, and to the objects inside it.
pub(super) fn mutate(faults: &Faults, value: &mut Value, shape: Shape) {
    walk(value, shape, &mut |shape, object| mutate_object(faults, shape, object));
}

/// Applies the faults to one object, which has the shape of 1.0.
pub(super) fn mutate_object(faults: &Faults, shape: Shape, object: &mut Value) {
    apply(FAULT_MUTATIONS, faults, shape, object);
}

/// Applies the faults of older versions to one object, which has the shape of its version.
pub(super) fn mutate_older_object(faults: &Faults, shape: Shape, object: &mut Value) {
    apply(OLDER_FAULT_MUTATIONS, faults, shape, object);
    if faults.has(FaultId::SnakeCase) && shape != Shape::Card {
        rename_members(object);
    }
}

fn apply(table: &[(FaultId, Shape, Mutation)], faults: &Faults, shape: Shape, object: &mut Value) {
    for (fault, mutated, mutation) in table {
        if *mutated == shape && faults.has(*fault) {
            mutation.apply(object);
        }
    }
}

/// Renames members as the fault `snake-case` does. It comes after the other faults because the walk goes by the names.
pub(super) fn to_snake_case(faults: &Faults, value: &mut Value, shape: Shape) {
    if faults.has(FaultId::SnakeCase) {
        walk(value, shape, &mut |_, object| rename_members(object));
    }
}

fn rename_members(object: &mut Value) {
    if let Value::Object(map) = object {
        *map = std::mem::take(map).into_iter().map(|(name, value)| (snake_case(&name), value)).collect();
    }
}
