//! The one name that a lane has for people. Its id is for links, files and options.

use crate::a2a::binding::{BINDINGS, Binding};

/// The name of the lane with that id: `JSON-RPC 1.0` for `jsonrpc-1.0`, `HTTP+JSON 0.3 (2)` for `rest-0.3-2`. Where two agents are
/// checked together, theirs begin with `a-` and `b-`.
#[must_use]
pub fn lane_name(id: &str) -> String {
    for (prefix, agent) in [("a-", "A"), ("b-", "B")] {
        let Some(rest) = id.strip_prefix(prefix) else { continue };
        let name = lane_name(rest);
        return if name == rest { id.to_owned() } else { format!("{name} of agent {agent}") };
    }
    let split = |binding: &&'static Binding| Some((binding.title, id.strip_prefix(binding.slug)?.strip_prefix('-')?));
    let Some((title, version)) = BINDINGS.iter().find_map(split) else { return id.to_owned() };
    // A second interface of the same binding and version has a number behind its id.
    match version.rsplit_once('-') {
        Some((version, number)) if number.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{title} {version} ({number})")
        }
        _ => format!("{title} {version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_one_name_for_people() {
        for (id, name) in [
            ("jsonrpc-1.0", "JSON-RPC 1.0"),
            ("rest-0.3", "HTTP+JSON 0.3"),
            ("rest-1.0-2", "HTTP+JSON 1.0 (2)"),
            ("jsonrpc-2.0-beta", "JSON-RPC 2.0-beta"),
            ("a-rest-1.0", "HTTP+JSON 1.0 of agent A"),
            ("b-jsonrpc-0.3-2", "JSON-RPC 0.3 (2) of agent B"),
            ("b-card", "b-card"),
            ("card", "card"),
        ] {
            assert_eq!(lane_name(id), name);
        }
    }
}
