//! References in texts: `{{baseUrl}}`, `{{send.taskId}}`, `{{env.TOKEN}}`, `{{$uuid}}`.

use super::dot_path::DotPath;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextPiece {
    Plain(String),
    Reference(Reference),
}

/// What a reference names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reference {
    /// A fresh UUID each time.
    Uuid,
    Environment(String),
    /// Something of a step: a captured variable or `response`, and a path into it.
    OfStep {
        step: String,
        name: String,
        /// What of its value is meant.
        path: Option<DotPath>,
    },
    Variable(String),
}

/// The name under which the response of a step is known.
pub(super) const RESPONSE: &str = "response";
/// The name under which the tool calls in it are known.
pub(super) const TOOL_CALLS: &str = "x-tool-calls";
/// The name under which its artifacts are known, with their chunks put together.
pub(super) const ARTIFACTS: &str = "x-artifacts";

/// Cuts a text at its references; the error says what is wrong with one.
pub(super) fn pieces(text: &str) -> Result<Vec<TextPiece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        if !before.is_empty() {
            pieces.push(TextPiece::Plain(before.to_owned()));
        }
        let Some((name, after)) = after.split_once("}}") else {
            return Err("a reference begins with {{ and has no }}".to_owned());
        };
        pieces.push(TextPiece::Reference(reference(name.trim())?));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(TextPiece::Plain(rest.to_owned()));
    }
    Ok(pieces)
}

/// Reads what stands between the braces.
pub(super) fn reference(name: &str) -> Result<Reference, String> {
    if name == "$uuid" {
        return Ok(Reference::Uuid);
    }
    if name.is_empty() || name.contains(char::is_whitespace) || name.starts_with('$') {
        let known = "{{variable}}, {{step.variable}}, {{step.response}}, {{env.NAME}} and {{$uuid}}";
        return Err(format!("{{{{{name}}}}} is not a reference; there are {known}"));
    }
    Ok(match name.split_once('.') {
        None => Reference::Variable(name.to_owned()),
        Some(("env", name)) => Reference::Environment(name.to_owned()),
        Some((step, rest)) => {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, path) = rest.split_at(end);
            let path = path.strip_prefix('.').unwrap_or(path);
            let path = if path.is_empty() { None } else { Some(DotPath::parse(path)?) };
            Reference::OfStep { step: step.to_owned(), name: name.to_owned(), path }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_from_the_text_around_them() {
        let of_step = |step: &str, name: &str, path: &str| {
            let path = (!path.is_empty()).then(|| DotPath::parse(path).unwrap());
            TextPiece::Reference(Reference::OfStep { step: step.to_owned(), name: name.to_owned(), path })
        };
        let plain = |text: &str| TextPiece::Plain(text.to_owned());
        assert_eq!(pieces("a {{x-1.taskId}} b").unwrap(), [plain("a "), of_step("x-1", "taskId", ""), plain(" b")]);
        assert_eq!(pieces("{{s.response.task.id}}").unwrap(), [of_step("s", "response", "task.id")]);
        assert_eq!(pieces("{{s.list[0].id}}").unwrap(), [of_step("s", "list", "[0].id")]);
        assert_eq!(
            pieces("{{ env.HOME }}").unwrap(),
            [TextPiece::Reference(Reference::Environment("HOME".to_owned()))]
        );
        assert_eq!(pieces("{{$uuid}}").unwrap(), [TextPiece::Reference(Reference::Uuid)]);
        assert_eq!(pieces("").unwrap(), []);
        for wrong in ["{{a", "{{}}", "{{$now}}", "{{a b}}"] {
            assert!(pieces(wrong).is_err(), "{wrong}");
        }
    }
}
