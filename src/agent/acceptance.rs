//! The three agents of AgentBin's acceptance tests, under paths of their own: `/echo` answers every message with its text,
//! `/spec` has exactly the eight skills that the tests ask for, and `/spec03` is the same as an agent of 0.3. They share
//! tasks and faults with the agent at the base.

use serde_json::Value;

use super::json_values::{data, fill, set, set_text, take, text};
use super::served_version::{CURRENT, OLDER, ServedVersion};

/// The agent that a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Addressed {
    /// The agent at the base, or under the path of an older version.
    #[default]
    Plain,
    Echo,
    Spec,
    Spec03,
}

/// The agents with their paths; of two where one begins with the other, the longer comes first.
const PATHS: [(&str, Addressed); 3] =
    [("/echo", Addressed::Echo), ("/spec03", Addressed::Spec03), ("/spec", Addressed::Spec)];

/// The skill that AgentBin does not have.
const OWN_SKILL: &str = "auth-required";
const ECHO_SKILLS: &str = r#"[{"id":"echo","name":"Echo","description":"Answers with a message that has the text of the client's.","tags":["echo"],"examples":["hello world"]}]"#;

impl Addressed {
    /// The agent that a path below the base leads to, and the path below that agent.
    pub(super) fn from_path(below: &str) -> Option<(Self, &str)> {
        let rest = |path| below.strip_prefix(path).filter(|rest: &&str| rest.starts_with('/'));
        PATHS.into_iter().find_map(|(path, agent)| Some((agent, rest(path)?)))
    }

    pub(super) fn served_version(self) -> &'static ServedVersion {
        let [v0_3, ..] = &OLDER;
        if self == Self::Spec03 { v0_3 } else { &CURRENT }
    }

    pub(super) fn pushes(self) -> bool {
        self == Self::Plain
    }

    /// Makes the card of the agent at the base, as its version writes it, the card of this one.
    pub(super) fn adapt_card(self, base: &str, card: &mut Value) {
        let (old, new) = match self {
            Self::Plain => return,
            Self::Echo => ("", "/echo"),
            Self::Spec => ("", "/spec"),
            Self::Spec03 => ("/0.3", "/spec03"),
        };
        let moved = |endpoint: &str| (format!("{base}{old}{endpoint}"), format!("{base}{new}{endpoint}"));
        let [(rpc, new_rpc), (rest, new_rest)] = ["/rpc", "/rest"].map(moved);
        fill(card, &[(&rpc, &new_rpc), (&rest, &new_rest)]);
        if let Some(capabilities) = card.get_mut("capabilities") {
            set(capabilities, "pushNotifications", Value::Bool(false));
        }
        if self == Self::Echo {
            set_text(card, "name", "Echo agent");
            set_text(card, "description", "Answers every message with its text.");
            set(card, "skills", data(ECHO_SKILLS, &[]));
        } else {
            let mut skills = take(card, "skills");
            if let Some(skills) = skills.as_array_mut() {
                skills.retain(|skill| text(skill, "id") != OWN_SKILL);
            }
            set(card, "skills", skills);
        }
    }
}
