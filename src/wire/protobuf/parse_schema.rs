//! Reads `.proto` files, as far as those of A2A and google.rpc use the language. They are data of this program, so what it does
//! not know is passed over; a test holds that everything in them is read.

use super::schema::{Cardinality, Enumeration, FieldKind, MessageField, MessageType, RpcMethod, Schema, json_name};

/// The word that begins an enumeration.
const ENUM: &str = "enum";

impl Schema {
    /// Reads the definitions of a file without comments.
    #[must_use]
    pub fn parse(text: &'static str) -> Self {
        let mut schema = Self::default();
        let mut oneof = None;
        for line in text.lines() {
            let words: Vec<&'static str> =
                line.split([' ', ';', '(', ')', ',']).filter(|word| !word.is_empty()).collect();
            match *words.as_slice() {
                ["package", name] => schema.package = name,
                ["service", name, "{"] => schema.service = name,
                ["rpc", name, request, "returns", "stream", response] => {
                    schema.methods.push(RpcMethod { name, request, response, streams: true });
                }
                ["rpc", name, request, "returns", response] => {
                    schema.methods.push(RpcMethod { name, request, response, streams: false });
                }
                // The last is an empty message.
                ["message", name, "{" | "{}"] => schema.messages.push(MessageType { name, fields: Vec::new() }),
                [ENUM, name, "{"] => schema.enums.push(Enumeration { name, values: Vec::new() }),
                ["oneof", name, "{"] => oneof = Some(name),
                ["}"] => oneof = None,
                [name, "=", number] => {
                    let values = schema.enums.last_mut().map(|last| &mut last.values);
                    values.into_iter().zip(number.parse()).for_each(|(values, number)| values.push((number, name)));
                }
                _ => {
                    let fields = schema.messages.last_mut().map(|last| &mut last.fields);
                    fields.into_iter().zip(field(&words, oneof)).for_each(|(fields, field)| fields.push(field));
                }
            }
        }
        schema
    }

    /// Adds the messages of another schema.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.messages.extend(other.messages);
        self.enums.extend(other.enums);
        self
    }
}

/// Reads the words of a field: `repeated string tags = 4 [(google.api.field_behavior) = REQUIRED]`.
fn field(words: &[&'static str], oneof: Option<&'static str>) -> Option<MessageField> {
    let (before, after) = words.split_at_checked(words.iter().position(|word| *word == "=")?)?;
    let (name, kinds) = before.split_last()?;
    let (cardinality, kind, is_optional) = match *kinds {
        ["repeated", kind] => (Cardinality::Repeated, kind, false),
        ["optional", kind] => (Cardinality::Single, kind, true),
        // Of `map<string, FieldKind>`: the comma and the blank were separators.
        ["map<string", kind] => (Cardinality::Map, kind.trim_end_matches('>'), false),
        [kind] => (Cardinality::Single, kind, false),
        _ => return None,
    };
    let number = after.get(1)?.parse().ok()?;
    let options = after.get(2..).unwrap_or_default();
    let given = options.iter().position(|word| word.trim_start_matches('[') == "json_name");
    let given = given.and_then(|at| options.get(at + 2)).map(|word| word.trim_matches(['"', ']']).to_owned());
    Some(MessageField {
        number,
        name,
        json_name: given.unwrap_or_else(|| json_name(name)),
        kind: FieldKind::from_name(kind),
        cardinality,
        is_required: options.iter().any(|word| word.trim_end_matches(']') == "REQUIRED"),
        has_presence: is_optional || oneof.is_some(),
        oneof,
    })
}
