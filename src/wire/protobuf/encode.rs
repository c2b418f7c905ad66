//! From ProtoJSON to the bytes of a message.

use serde_json::Value;

use super::schema::{Cardinality, FieldKind, MessageField, Schema, WellKnown};
use super::wire_format::{put_bytes, put_double, put_number};
use crate::wire::base64::{STANDARD, URL_SAFE};
use crate::wire::json::type_name;
use crate::wire::timestamp;

/// The bytes of a message of that type. The error says what it cannot hold: a member that is not one of its fields, or a value of another type.
pub fn encode(schema: &Schema, message: &str, value: &Value) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    match WellKnown::from_name(message) {
        Some(known) => well_known(schema, known, value, &mut out)?,
        None => write_message(schema, message, value, &mut out)?,
    }
    Ok(out)
}

fn write_message(schema: &Schema, name: &str, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    let Value::Object(members) = value else { return Err(format!("{name} cannot be {}", type_name(value))) };
    let message = schema.message(name).ok_or_else(|| format!("there is no message {name}"))?;
    for (member, value) in members.iter().filter(|(member, value)| !value.is_null() && *member != "@type") {
        let is_it = |field: &&MessageField| field.json_name == *member || field.name == *member;
        let field = message.fields.iter().find(is_it).ok_or_else(|| format!("{name} has no field {member}"))?;
        write_field(schema, field, value, out)?;
    }
    Ok(())
}

fn write_field(schema: &Schema, field: &MessageField, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    let wrong = || format!("{} cannot be {}", field.json_name, type_name(value));
    match field.cardinality {
        Cardinality::Single => put(schema, field, value, out),
        Cardinality::Repeated => {
            value.as_array().ok_or_else(wrong)?.iter().try_for_each(|each| put(schema, field, each, out))
        }
        Cardinality::Map => value.as_object().ok_or_else(wrong)?.iter().try_for_each(|(key, value)| {
            let mut entry = Vec::new();
            put_bytes(&mut entry, 1, key.as_bytes());
            let of_value = MessageField { number: 2, json_name: key.clone(), ..MessageField::new(field.kind) };
            put(schema, &of_value, value, &mut entry)?;
            put_bytes(out, field.number, &entry);
            Ok(())
        }),
    }
}

impl MessageField {
    /// A single field of that type.
    const fn new(kind: FieldKind) -> Self {
        Self {
            number: 0,
            name: "",
            json_name: String::new(),
            kind,
            cardinality: Cardinality::Single,
            is_required: false,
            has_presence: true,
            oneof: None,
        }
    }
}

/// Writes one value, unless it is the default one and that is left out.
fn put(schema: &Schema, field: &MessageField, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    let omits_default = field.cardinality == Cardinality::Single && !field.has_presence;
    let wrong = || format!("{} cannot be {}", field.json_name, type_name(value));
    match field.kind {
        FieldKind::Text | FieldKind::Bytes => {
            let text = value.as_str().ok_or_else(wrong)?;
            let decoded = || STANDARD.decode(text).or_else(|| URL_SAFE.decode(text));
            let bytes = match field.kind {
                FieldKind::Bytes => decoded().ok_or_else(|| format!("{} must be base64", field.json_name))?,
                _ => text.as_bytes().to_vec(),
            };
            if !(omits_default && bytes.is_empty()) {
                put_bytes(out, field.number, &bytes);
            }
        }
        FieldKind::Bool | FieldKind::Integer => {
            let number = match (field.kind, value) {
                (FieldKind::Bool, Value::Bool(flag)) => i64::from(*flag),
                (FieldKind::Integer, Value::Number(number)) => {
                    let number = number.as_i64().ok_or_else(|| format!("{} cannot be {number}", field.json_name))?;
                    i32::try_from(number).map_err(|_| format!("{} cannot be {number}", field.json_name))?.into()
                }
                _ => return Err(wrong()),
            };
            if !(omits_default && number == 0) {
                put_number(out, field.number, number.cast_unsigned());
            }
        }
        FieldKind::Double => put_double(out, field.number, value.as_f64().ok_or_else(wrong)?),
        FieldKind::Named(name) => match schema.enumeration(name) {
            Some(known) => {
                let named = |text: &str| known.values.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
                let number = value.as_i64().or_else(|| named(value.as_str()?));
                let number = number.ok_or_else(|| format!("{name} has no value {value}"))?;
                if !(omits_default && number == 0) {
                    put_number(out, field.number, number.cast_unsigned());
                }
            }
            None => put_bytes(out, field.number, &encode(schema, name, value)?),
        },
        FieldKind::WellKnown(known) => {
            let mut inner = Vec::new();
            well_known(schema, known, value, &mut inner).map_err(|why| if why.is_empty() { wrong() } else { why })?;
            put_bytes(out, field.number, &inner);
        }
    }
    Ok(())
}

/// Writes the content of a well-known message. An empty error says that the value is of another type.
fn well_known(schema: &Schema, known: WellKnown, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    match known {
        WellKnown::Empty if value.is_object() => Ok(()),
        WellKnown::Struct => {
            let field = MessageField { number: 1, cardinality: Cardinality::Map, ..MessageField::new(VALUE) };
            write_field(schema, &field, value, out).map_err(|_| String::new())
        }
        WellKnown::ListValue => {
            let field = MessageField { number: 1, cardinality: Cardinality::Repeated, ..MessageField::new(VALUE) };
            write_field(schema, &field, value, out)
        }
        WellKnown::Value => {
            let (number, kind) = match value {
                Value::Null => {
                    put_number(out, 1, 0);
                    return Ok(());
                }
                Value::Number(_) => (2, FieldKind::Double),
                Value::String(_) => (3, FieldKind::Text),
                Value::Bool(_) => (4, FieldKind::Bool),
                Value::Object(_) => (5, FieldKind::WellKnown(WellKnown::Struct)),
                Value::Array(_) => (6, FieldKind::WellKnown(WellKnown::ListValue)),
            };
            put(schema, &MessageField { number, ..MessageField::new(kind) }, value, out)
        }
        WellKnown::Timestamp => {
            let text = value.as_str().ok_or_else(String::new)?;
            let (seconds, nanos) = timestamp::parse(text).ok_or_else(|| format!("\"{text}\" is not a time"))?;
            if seconds != 0 {
                put_number(out, 1, seconds.cast_unsigned());
            }
            if nanos != 0 {
                put_number(out, 2, nanos.into());
            }
            Ok(())
        }
        WellKnown::Any => {
            let kind = value.get("@type").and_then(Value::as_str).ok_or_else(String::new)?;
            let name = kind.rsplit('.').next().unwrap_or_default();
            put_bytes(out, 1, kind.as_bytes());
            put_bytes(out, 2, &encode(schema, name, value)?);
            Ok(())
        }
        WellKnown::Empty => Err(String::new()),
    }
}

const VALUE: FieldKind = FieldKind::WellKnown(WellKnown::Value);
