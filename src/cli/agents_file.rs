//! A file that lists agents with their credentials and prompts, as `pairs --agents` takes it. No message repeats a value of it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::{ArgAction, Args, Command, FromArgMatches};
use serde_json::{Map, Value};

use super::arg_values::prompt;
use super::args::CheckArgs;
use super::input;
use super::peer_args::PeerArgs;

/// The member with the messages that make an agent show a behaviour.
const PROMPTS: &str = "prompt";

/// What a member that may be several texts is not.
const LIST: &str = "neither a string nor an array of strings";

/// The agents in this file; each has a URL.
pub(super) fn read(path: &Path) -> Result<Vec<PeerArgs>> {
    let said = || format!("--agents {}", path.display());
    let text = input::text(path, input::DOCUMENT).with_context(|| format!("{} cannot be read", said()))?;
    // The reader's own message may quote what it read, which may be a secret.
    let Ok(Value::Array(agents)) = serde_json::from_str(&text) else {
        bail!("{} is not a JSON array of agents, such as [{{\"url\": \"https://agent.example.com\"}}]", said());
    };
    let numbered = agents.iter().enumerate();
    numbered.map(|(at, agent)| agent_of(agent).with_context(|| format!("{}: agent {}", said(), at + 1))).collect()
}

/// An agent is written with the options of `check` for a peer: its member `bearer` is `--peer-bearer`.
fn agent_of(value: &Value) -> Result<PeerArgs> {
    let Some(members) = value.as_object() else { bail!("it is not an object with a member url") };
    let command = CheckArgs::augment_args(Command::new("check").no_binary_name(true));
    let options = command.get_arguments().filter_map(|option| {
        let name = option.get_long()?;
        let member = if name == "peer" { "url" } else { name.strip_prefix("peer-")? };
        // Whether an agent is told to call another is asked on the command line only.
        (member != "delegate").then(|| (member, name, matches!(option.get_action(), ArgAction::Append)))
    });
    let (lists, texts): (Vec<_>, Vec<_>) = options.partition(|(.., is_list)| *is_list);
    let known = [texts, lists].concat();
    // Nothing is asked of the first agent.
    let mut arguments = vec!["first".to_owned()];
    for (name, value) in members {
        let Some((_, option, is_list)) = known.iter().find(|(member, ..)| member == name) else {
            let known: Vec<&str> = known.iter().map(|(member, ..)| *member).collect();
            bail!("the member {name:?} is not one of {}", known.join(", "));
        };
        let (texts, what) = match value {
            _ if name == PROMPTS => continue,
            Value::String(text) => (Some(vec![text.as_str()]), ""),
            Value::Array(items) if *is_list => (items.iter().map(Value::as_str).collect(), LIST),
            _ => (None, if *is_list { LIST } else { "not a string" }),
        };
        let texts = texts.with_context(|| format!("the member {name} is {what}"))?;
        arguments.extend(texts.iter().map(|text| format!("--{option}={text}")));
    }
    if !members.contains_key("url") {
        bail!("the member url is missing");
    }
    let prompts = prompts_of(members)?;
    // The message of its own would quote what it read.
    let matches = command.clone().try_get_matches_from(arguments).ok().context("it is not an agent")?;
    Ok(PeerArgs { prompts, ..PeerArgs::from_arg_matches(&matches)? })
}

fn prompts_of(members: &Map<String, Value>) -> Result<Vec<(crate::engine::prompt::Behaviour, String)>> {
    let known = match members.get(PROMPTS) {
        None => return Ok(Vec::new()),
        Some(Value::Object(known)) => known,
        Some(_) => bail!("the member prompt is not an object of behaviours with their texts"),
    };
    let each = known.iter().map(|(name, text)| {
        let text = text.as_str().with_context(|| format!("the prompt {name} is not a string"))?;
        prompt(&format!("{name}={text}")).map_err(anyhow::Error::msg)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_has_a_url_and_whatever_else_it_needs() {
        let agent = agent_of(&json!({
            "url": "http://a.test", "bearer": "@token", "header": ["X-A: 1", "X-B: 2"], "api-key": "k=v",
            "prompt": {"complete": "Book a flight"},
        }));
        let agent = agent.expect("an agent");
        assert_eq!((agent.url.as_deref(), agent.bearer.as_deref()), (Some("http://a.test"), Some("@token")));
        assert_eq!((agent.headers.len(), agent.api_keys.len(), agent.prompts.len()), (2, 1, 1));
    }

    #[test]
    fn what_is_wrong_is_named_and_never_quoted() {
        for (agent, part) in [
            (json!("canary"), "object"),
            (json!({"bearer": "canary"}), "url is missing"),
            (json!({"url": "u", "bearer": ["canary"]}), "bearer is not a string"),
            (json!({"url": "u", "header": [{"canary": 1}]}), "header is neither"),
            (json!({"url": "u", "token": "canary"}), "\"token\" is not one of url, bearer"),
            (json!({"url": "u", "prompt": "canary"}), "prompt is not an object"),
            (json!({"url": "u", "prompt": {"dance": "canary"}}), "unknown behaviour \"dance\""),
        ] {
            let problem = format!("{:#}", agent_of(&agent).expect_err("a mistake"));
            assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
        }
    }
}
