//! A file that lists agents with their credentials and prompts, as `pairs --agents` takes it. No message repeats a value of it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::arg_values::prompt;
use super::peer_args::PeerArgs;

/// The members of an agent that are one text.
const TEXTS: [&str; 7] = ["url", "bearer", "basic", "client-id", "client-secret", "scope", "token-url"];

/// The members that are a text or several.
const LISTS: [&str; 5] = ["api-key", "api-key-query", "header", "lane-header", "allow-origin"];

/// The member with the messages that make an agent show a behaviour.
const PROMPTS: &str = "prompt";

/// The agents in this file; each has a URL.
pub(super) fn read(path: &Path) -> Result<Vec<PeerArgs>> {
    let said = || format!("--agents {}", path.display());
    let text = std::fs::read_to_string(path).with_context(said)?;
    // The reader's own message may quote what it read, which may be a secret.
    let Ok(Value::Array(agents)) = serde_json::from_str(&text) else {
        bail!("{} is not a JSON array of agents", said());
    };
    let numbered = agents.iter().enumerate();
    numbered.map(|(at, agent)| agent_of(agent).with_context(|| format!("{}: agent {}", said(), at + 1))).collect()
}

fn agent_of(value: &Value) -> Result<PeerArgs> {
    let Some(members) = value.as_object() else { bail!("it is not an object with a member url") };
    for name in members.keys() {
        if !TEXTS.contains(&name.as_str()) && !LISTS.contains(&name.as_str()) && name != PROMPTS {
            let known = [&TEXTS[..], &LISTS, &[PROMPTS]].concat().join(", ");
            bail!("the member {name:?} is not one of {known}");
        }
    }
    let text = |name: &str| text_of(members, name);
    let list = |name: &str| list_of(members, name);
    Ok(PeerArgs {
        url: Some(text("url")?.context("the member url is missing")?),
        bearer: text("bearer")?,
        basic: text("basic")?,
        api_keys: list("api-key")?,
        query_keys: list("api-key-query")?,
        headers: list("header")?,
        lane_headers: list("lane-header")?,
        client_id: text("client-id")?,
        client_secret: text("client-secret")?,
        scope: text("scope")?.unwrap_or_default(),
        token_url: text("token-url")?.unwrap_or_default(),
        origins: list("allow-origin")?,
        prompts: prompts_of(members)?,
    })
}

fn text_of(members: &Map<String, Value>, name: &str) -> Result<Option<String>> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => bail!("the member {name} is not a string"),
    }
}

fn list_of(members: &Map<String, Value>, name: &str) -> Result<Vec<String>> {
    let texts = match members.get(name) {
        None => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![text.clone()]),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(_) => None,
    };
    texts.with_context(|| format!("the member {name} is neither a string nor an array of strings"))
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
