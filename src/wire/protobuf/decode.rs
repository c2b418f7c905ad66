//! From the bytes of a message to ProtoJSON, with every flaw: how deep messages may lie, and how many flaws are kept.

use serde_json::{Map, Value};

use super::schema::{Cardinality, FieldKind, MessageField, Schema, WellKnown};
use super::wire_format::{Record, Records, WireValue};
use crate::wire::base64::STANDARD;
use crate::wire::json::Pointer;
use crate::wire::limits::{MOST_MESSAGE_FLAWS, MOST_MESSAGE_LEVELS, MOST_MESSAGE_VALUES};
use crate::wire::timestamp;

/// A message as ProtoJSON, as far as it could be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decoded {
    /// The message.
    pub value: Value,
    /// What is wrong with its bytes, in their order.
    pub flaws: Vec<ProtoFlaw>,
    /// Whether it has more values than are read, so that the message is not whole.
    pub is_cut: bool,
}

/// A place where bytes are not what the schema has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtoFlaw {
    /// The kind of flaw.
    pub kind: ProtoFlawKind,
    /// The field, as a place in the JSON.
    pub at: Pointer,
    /// What the schema has there.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

/// The kinds of flaw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtoFlawKind {
    /// Bytes that are not a message at all, or a field of another type.
    Malformed,
    /// A string that is not UTF-8.
    NotUtf8,
    /// Messages that lie too deep in each other to be read, or are too many. No fault of whoever wrote them.
    TooDeep,
}

/// Reads a message of that type. Unknown fields are passed over: they may be of a later version (T-GRPC-3). Fields that the schema
/// requires have their default value where they are absent, because that is how proto3 writes it (T-GRPC-2).
#[must_use]
pub fn decode(schema: &Schema, message: &str, bytes: &[u8]) -> Decoded {
    let mut decoder = Decoder { schema, flaws: Vec::new(), depth: 0, room: MOST_MESSAGE_VALUES };
    let root = Pointer::root();
    let value = match WellKnown::from_name(message) {
        Some(known) => decoder.well_known(known, bytes, &root),
        None => {
            let mut map = Map::new();
            decoder.message(message, bytes, &mut map, &root);
            Value::Object(map)
        }
    };
    Decoded { value, flaws: decoder.flaws, is_cut: decoder.room == 0 }
}

struct Decoder<'s> {
    schema: &'s Schema,
    flaws: Vec<ProtoFlaw>,
    /// How many messages the place lies in.
    depth: usize,
    /// How many more values are read.
    room: usize,
}

impl Decoder<'_> {
    fn note(&mut self, kind: ProtoFlawKind, at: &Pointer, expected: impl Into<String>, actual: impl Into<String>) {
        if self.flaws.len() < MOST_MESSAGE_FLAWS {
            self.flaws.push(ProtoFlaw { kind, at: at.clone(), expected: expected.into(), actual: actual.into() });
        }
    }

    fn is_too_deep(&mut self, at: &Pointer) -> bool {
        let depth = self.depth;
        let is_too_deep = depth > MOST_MESSAGE_LEVELS;
        if is_too_deep {
            self.note(ProtoFlawKind::TooDeep, at, "fewer messages within each other", format!("more than {depth}"));
        }
        is_too_deep
    }

    /// The records of a message, up to where it cannot be read any more, and no more than there is room for values.
    fn records<'a>(&mut self, what: &str, bytes: &'a [u8], at: &Pointer) -> Vec<Record<'a>> {
        let mut records = Vec::new();
        for record in Records::new(bytes) {
            if self.room == 0 {
                break;
            }
            self.room -= 1;
            match record {
                Ok(record) => records.push(record),
                Err(why) => self.note(ProtoFlawKind::Malformed, at, format!("the bytes of {what}"), why),
            }
        }
        records
    }

    /// Reads a message into an object. One that comes in several pieces is merged.
    fn message(&mut self, name: &str, bytes: &[u8], map: &mut Map<String, Value>, at: &Pointer) {
        let Some(message) = self.schema.message(name) else { return };
        if self.is_too_deep(at) {
            return;
        }
        self.depth += 1;
        for (number, value) in self.records(name, bytes, at) {
            let Some(field) = message.fields.iter().find(|field| field.number == number) else { continue };
            self.field(field, value, map, &at.key(&field.json_name));
            // Of a oneof the last member on the wire is the one that is set (protobuf, language guide: oneof features).
            if field.oneof.is_some() && map.contains_key(&field.json_name) {
                let others = message.fields.iter().filter(|other| other.oneof == field.oneof && other.number != number);
                others.for_each(|other| drop(map.shift_remove(&other.json_name)));
            }
        }
        self.depth -= 1;
        for field in message.fields.iter().filter(|field| field.is_required) {
            if !map.contains_key(&field.json_name)
                && let Some(value) = self.default_of(field)
            {
                self.room = self.room.saturating_sub(1);
                map.insert(field.json_name.clone(), value);
            }
        }
    }

    fn field(&mut self, field: &MessageField, value: WireValue<'_>, map: &mut Map<String, Value>, at: &Pointer) {
        if self.room == 0 {
            return;
        }
        match field.cardinality {
            Cardinality::Single => {
                let before = map.get_mut(&field.json_name).map(Value::take);
                // Without presence a default value that is written and one that is not are the same message (T-GRPC-2).
                let default = self.zero(field.kind).filter(|_| !field.has_presence);
                match self.value(field.kind, value, before, at).filter(|value| default.as_ref() != Some(value)) {
                    Some(value) => drop(map.insert(field.json_name.clone(), value)),
                    None => drop(map.shift_remove(&field.json_name)),
                }
            }
            Cardinality::Repeated => {
                let list = map.entry(field.json_name.clone()).or_insert_with(|| Value::Array(Vec::new()));
                let Value::Array(list) = list else { return };
                list.extend(self.value(field.kind, value, None, &at.index(list.len())));
            }
            Cardinality::Map => {
                let entries = map.entry(field.json_name.clone()).or_insert_with(|| Value::Object(Map::new()));
                let Value::Object(entries) = entries else { return };
                self.entry(field.kind, value, entries, at);
            }
        }
    }

    /// Reads an entry of a map: a message of a key and a value.
    fn entry(&mut self, kind: FieldKind, value: WireValue<'_>, entries: &mut Map<String, Value>, at: &Pointer) {
        let WireValue::Bytes(bytes) = value else { return self.wrong_type(kind, value, at) };
        let (mut key, mut found) = (String::new(), None);
        for (number, value) in self.records("a map's entry", bytes, at) {
            match number {
                1 => key = self.value(FieldKind::Text, value, None, at).and_then(text_of).unwrap_or_default(),
                2 => found = self.value(kind, value, None, &at.key(&key)),
                _ => {}
            }
        }
        entries.insert(key, found.or_else(|| self.zero(kind)).unwrap_or_else(|| Value::Object(Map::new())));
    }

    /// Reads a value; `before` is what the same field had in an earlier record.
    fn value(&mut self, kind: FieldKind, value: WireValue<'_>, before: Option<Value>, at: &Pointer) -> Option<Value> {
        Some(match (kind, value) {
            (FieldKind::Text, WireValue::Bytes(bytes)) => Value::from(self.text(bytes, at)),
            (FieldKind::Bytes, WireValue::Bytes(bytes)) => Value::from(STANDARD.encode(bytes)),
            (FieldKind::Bool, WireValue::Varint(number)) => Value::from(number != 0),
            (FieldKind::Integer, WireValue::Varint(number)) => Value::from(number.cast_signed()),
            (FieldKind::Double, WireValue::Fixed64(bits)) => number(f64::from_bits(bits)),
            (FieldKind::Named(name), WireValue::Bytes(bytes)) if self.schema.message(name).is_some() => {
                let mut map = match before {
                    Some(Value::Object(map)) => map,
                    _ => Map::new(),
                };
                self.message(name, bytes, &mut map, at);
                Value::Object(map)
            }
            (FieldKind::Named(name), WireValue::Varint(number)) if self.schema.enumeration(name).is_some() => {
                self.enum_value(name, number.cast_signed())
            }
            (FieldKind::WellKnown(known), WireValue::Bytes(bytes)) => self.well_known(known, bytes, at),
            _ => {
                self.wrong_type(kind, value, at);
                return before;
            }
        })
    }

    fn wrong_type(&mut self, kind: FieldKind, value: WireValue<'_>, at: &Pointer) {
        let expected = match kind {
            FieldKind::Text => "a string",
            FieldKind::Bytes => "bytes",
            FieldKind::Bool => "a bool",
            FieldKind::Integer => "an integer",
            FieldKind::Double => "a double",
            FieldKind::Named(name) => name,
            FieldKind::WellKnown(_) => "a message",
        };
        self.note(ProtoFlawKind::Malformed, at, expected, value.name());
    }

    fn text(&mut self, bytes: &[u8], at: &Pointer) -> String {
        if std::str::from_utf8(bytes).is_err() {
            self.note(ProtoFlawKind::NotUtf8, at, "UTF-8", "bytes that are not UTF-8");
        }
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The name of an enumeration's value; of a number without a name the number, as ProtoJSON writes it.
    fn enum_value(&self, name: &str, number: i64) -> Value {
        let values = self.schema.enumeration(name).map(|known| known.values.as_slice()).unwrap_or_default();
        let named = values.iter().find(|(known, _)| *known == number);
        named.map_or_else(|| Value::from(number), |(_, name)| Value::from(*name))
    }

    /// The value of a required field that is absent; `None` for a message.
    fn default_of(&self, field: &MessageField) -> Option<Value> {
        match field.cardinality {
            Cardinality::Repeated => Some(Value::Array(Vec::new())),
            Cardinality::Map => Some(Value::Object(Map::new())),
            Cardinality::Single => self.zero(field.kind),
        }
    }

    /// The default value of a type; `None` for a message.
    fn zero(&self, kind: FieldKind) -> Option<Value> {
        Some(match kind {
            FieldKind::Text | FieldKind::Bytes => Value::from(""),
            FieldKind::Bool => Value::from(false),
            FieldKind::Integer | FieldKind::Double => Value::from(0),
            FieldKind::Named(name) if self.schema.enumeration(name).is_some() => self.enum_value(name, 0),
            FieldKind::Named(_) | FieldKind::WellKnown(_) => return None,
        })
    }

    fn well_known(&mut self, known: WellKnown, bytes: &[u8], at: &Pointer) -> Value {
        if self.is_too_deep(at) {
            return Value::Null;
        }
        self.depth += 1;
        let value = match known {
            WellKnown::Empty => {
                if !bytes.is_empty() {
                    let actual = format!("a message of {} bytes", bytes.len());
                    self.note(ProtoFlawKind::Malformed, at, "google.protobuf.Empty", actual);
                }
                Value::Object(Map::new())
            }
            WellKnown::Struct => {
                let mut entries = Map::new();
                for (_, value) in self.only(1, "google.protobuf.Struct", bytes, at) {
                    self.entry(FieldKind::WellKnown(WellKnown::Value), value, &mut entries, at);
                }
                Value::Object(entries)
            }
            WellKnown::ListValue => {
                let mut list = Vec::new();
                for (_, value) in self.only(1, "google.protobuf.ListValue", bytes, at) {
                    let place = at.index(list.len());
                    list.extend(self.value(FieldKind::WellKnown(WellKnown::Value), value, None, &place));
                }
                Value::Array(list)
            }
            WellKnown::Value => self.any_json(bytes, at),
            WellKnown::Timestamp => self.timestamp(bytes, at),
            WellKnown::Any => self.any(bytes, at),
        };
        self.depth -= 1;
        value
    }

    fn only<'a>(&mut self, wanted: u64, what: &str, bytes: &'a [u8], at: &Pointer) -> Vec<Record<'a>> {
        let mut records = self.records(what, bytes, at);
        records.retain(|(number, _)| *number == wanted);
        records
    }

    fn any_json(&mut self, bytes: &[u8], at: &Pointer) -> Value {
        let mut found = None;
        for (number, value) in self.records("google.protobuf.Value", bytes, at) {
            let kind = match number {
                1 => {
                    found = Some(Value::Null);
                    continue;
                }
                2 => FieldKind::Double,
                3 => FieldKind::Text,
                4 => FieldKind::Bool,
                5 => FieldKind::WellKnown(WellKnown::Struct),
                6 => FieldKind::WellKnown(WellKnown::ListValue),
                _ => continue,
            };
            found = self.value(kind, value, None, at).or(found);
        }
        // struct.proto: "Absence of any variant is an error."
        found.unwrap_or_else(|| {
            self.note(ProtoFlawKind::Malformed, at, "a google.protobuf.Value with one of its kinds", "none");
            Value::Null
        })
    }

    fn timestamp(&mut self, bytes: &[u8], at: &Pointer) -> Value {
        let (mut seconds, mut nanos) = (0, 0);
        for (number, value) in self.records("google.protobuf.Timestamp", bytes, at) {
            match (number, value) {
                (1, WireValue::Varint(value)) => seconds = value.cast_signed(),
                (2, WireValue::Varint(value)) => nanos = value.cast_signed(),
                (1 | 2, other) => self.wrong_type(FieldKind::Integer, other, at),
                _ => {}
            }
        }
        let text = u32::try_from(nanos).ok().and_then(|nanos| timestamp::write(seconds, nanos));
        let Some(text) = text else {
            let actual = format!("{seconds} seconds and {nanos} nanoseconds");
            self.note(ProtoFlawKind::Malformed, at, "a time of the years 1 to 9999", actual);
            return Value::Null;
        };
        Value::from(text)
    }

    /// Reads a google.protobuf.Any: the members of the message that it holds, beside its type.
    fn any(&mut self, bytes: &[u8], at: &Pointer) -> Value {
        let (mut kind, mut content) = (String::new(), [].as_slice());
        for (number, value) in self.records("google.protobuf.Any", bytes, at) {
            match (number, value) {
                (1, WireValue::Bytes(bytes)) => kind = self.text(bytes, at),
                (2, WireValue::Bytes(bytes)) => content = bytes,
                (1 | 2, other) => self.wrong_type(FieldKind::Bytes, other, at),
                _ => {}
            }
        }
        let mut map = Map::new();
        map.insert("@type".to_owned(), Value::from(kind.as_str()));
        let name = kind.rsplit_once("/google.rpc.").map(|(_, name)| name);
        match name.filter(|name| self.schema.message(name).is_some()) {
            Some(name) => self.message(name, content, &mut map, at),
            None => drop(map.insert("value".to_owned(), Value::from(STANDARD.encode(content)))),
        }
        Value::Object(map)
    }
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A double as JSON: a whole number as one, since JSON does not tell 1.0 from 1.
fn number(value: f64) -> Value {
    // 2^53: up to there every whole number is a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 53 bits")]
        return Value::from(value as i64);
    }
    // JSON has no number for what is not finite; ProtoJSON writes its name.
    serde_json::Number::from_f64(value).map_or_else(|| Value::from(format!("{value}")), Value::Number)
}
