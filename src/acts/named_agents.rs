//! The further agents that files name under `x-agents`, with the URLs that the user gave them.

use super::document::ActsDocument;
use crate::engine::discover::normalise;

/// The agents of these documents with their URLs. The error says which one was not given, or is named by no document, or cannot be called.
pub fn named_agents(documents: &[ActsDocument], given: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
    let mut agents: Vec<(String, String)> = Vec::new();
    for (document, name) in
        documents.iter().flat_map(|document| document.agents.iter().map(move |name| (document, name)))
    {
        let Some((_, url)) = given.iter().find(|(known, _)| known == name) else {
            let file = &document.file;
            return Err(format!("{file} needs the agent {name}; say where it is with --agent {name}=URL"));
        };
        let address = normalise(url).map_err(|problem| format!("--agent {name}: {problem}"))?;
        agents.push((name.clone(), address.url()));
    }
    match given.iter().find(|(name, _)| agents.iter().all(|(known, _)| known != name)) {
        Some((name, _)) => Err(format!("--agent {name}: no file names this agent under x-agents")),
        None => Ok(agents),
    }
}
