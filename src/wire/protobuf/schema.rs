//! The definitions of a `.proto` file: messages with their fields, enumerations, and the methods of its service.

/// The definitions of one or several `.proto` files.
#[derive(Debug, Default)]
pub struct Schema {
    /// The package: `lf.a2a.v1`.
    pub(super) package: &'static str,
    /// The name of the service: `A2AService`.
    pub(super) service: &'static str,
    pub(super) methods: Vec<RpcMethod>,
    pub(super) messages: Vec<MessageType>,
    pub(super) enums: Vec<Enumeration>,
}

/// A method of a service.
#[derive(Debug, Clone, Copy)]
pub struct RpcMethod {
    /// Its name.
    pub name: &'static str,
    /// The message of a request.
    pub request: &'static str,
    /// The message of a response.
    pub response: &'static str,
    /// Whether the server answers with a stream of messages.
    pub streams: bool,
}

#[derive(Debug)]
pub(super) struct MessageType {
    pub(super) name: &'static str,
    pub(super) fields: Vec<MessageField>,
}

#[derive(Debug)]
pub(super) struct MessageField {
    pub(super) number: u64,
    /// As the `.proto` file spells it: `context_id`.
    pub(super) name: &'static str,
    /// As ProtoJSON spells it: `contextId`.
    pub(super) json_name: String,
    pub(super) kind: FieldKind,
    pub(super) cardinality: Cardinality,
    /// Whether it is annotated as REQUIRED (google.api.field_behavior).
    pub(super) is_required: bool,
    /// Whether an absent value differs from the default value: it is `optional`, or belongs to a oneof.
    pub(super) has_presence: bool,
    /// The oneof that it belongs to.
    pub(super) oneof: Option<&'static str>,
}

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cardinality {
    Single,
    Repeated,
    /// By strings; the field's kind is that of the values.
    Map,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Bytes,
    Bool,
    /// `int32` or `int64`.
    Integer,
    Double,
    /// A message or an enumeration of the schema.
    Named(&'static str),
    /// A message that ProtoJSON writes in a form of its own.
    WellKnown(WellKnown),
}

/// The messages of google.protobuf that ProtoJSON writes in a form of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WellKnown {
    Struct,
    Value,
    ListValue,
    Timestamp,
    Any,
    Empty,
}

#[derive(Debug)]
pub(super) struct Enumeration {
    pub(super) name: &'static str,
    pub(super) values: Vec<(i64, &'static str)>,
}

impl Schema {
    /// The full name of the service: `lf.a2a.v1.A2AService`.
    #[must_use]
    pub fn service(&self) -> String {
        format!("{}.{}", self.package, self.service)
    }

    /// The method of that name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<RpcMethod> {
        self.methods.iter().find(|method| method.name == name).copied()
    }

    pub(super) fn message(&self, name: &str) -> Option<&MessageType> {
        self.messages.iter().find(|message| message.name == name)
    }

    pub(super) fn enumeration(&self, name: &str) -> Option<&Enumeration> {
        self.enums.iter().find(|known| known.name == name)
    }
}

#[cfg(test)]
impl Schema {
    /// Everything that was read, in lines that can be compared with what another reader made of the same file.
    pub(crate) fn describe(&self) -> String {
        let mut lines = Vec::new();
        let mut messages: Vec<_> = self.messages.iter().collect();
        messages.sort_by_key(|message| message.name);
        for message in messages {
            lines.push(format!("message {}", message.name));
            let mut fields: Vec<_> = message.fields.iter().collect();
            fields.sort_by_key(|field| field.number);
            lines.extend(fields.into_iter().map(MessageField::describe));
        }
        let mut enums: Vec<_> = self.enums.iter().collect();
        enums.sort_by_key(|known| known.name);
        for known in enums {
            lines.push(format!("enum {}", known.name));
            lines.extend(known.values.iter().map(|(number, name)| format!("  {number} {name}")));
        }
        lines.push(format!("service {}", self.service()));
        for method in &self.methods {
            let stream = if method.streams { "stream " } else { "" };
            lines.push(format!("  {} {} {stream}{}", method.name, method.request, method.response));
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
impl MessageField {
    fn describe(&self) -> String {
        let kind = match self.kind {
            FieldKind::Text => "string".to_owned(),
            FieldKind::Integer => "int32".to_owned(),
            FieldKind::Bytes | FieldKind::Bool | FieldKind::Double => format!("{:?}", self.kind).to_lowercase(),
            FieldKind::Named(name) => name.to_owned(),
            FieldKind::WellKnown(known) => format!("google.protobuf.{known:?}"),
        };
        let many = match self.cardinality {
            Cardinality::Single => "",
            Cardinality::Repeated => "repeated ",
            Cardinality::Map => "map ",
        };
        let is_scalar = matches!(
            self.kind,
            FieldKind::Text | FieldKind::Bytes | FieldKind::Bool | FieldKind::Integer | FieldKind::Double
        );
        let presence = if self.has_presence && is_scalar { " presence" } else { "" };
        format!("  {} {} {} {many}{kind}{presence}", self.number, self.name, self.json_name)
    }
}

impl FieldKind {
    pub(super) fn from_name(name: &'static str) -> Self {
        match name {
            "string" => Self::Text,
            "bytes" => Self::Bytes,
            "bool" => Self::Bool,
            "int32" | "int64" => Self::Integer,
            "double" => Self::Double,
            _ => WellKnown::from_name(name).map_or(Self::Named(name), Self::WellKnown),
        }
    }
}

impl WellKnown {
    /// The message of that full name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("google.protobuf.")? {
            "Struct" => Self::Struct,
            "Value" => Self::Value,
            "ListValue" => Self::ListValue,
            "Timestamp" => Self::Timestamp,
            "Any" => Self::Any,
            "Empty" => Self::Empty,
            _ => return None,
        })
    }
}

/// The JSON name of a field that does not give it one: in camelCase.
#[must_use]
pub fn json_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (index, word) in name.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next().filter(|_| index > 0) {
            Some(first) => {
                out.push(first.to_ascii_uppercase());
                out.push_str(letters.as_str());
            }
            None => out.push_str(word),
        }
    }
    out
}
