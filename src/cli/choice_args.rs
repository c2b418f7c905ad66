//! The arguments by which the user chooses how an agent is checked, each with what it makes of the options of the run.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::{Args, value_parser};

use super::arg_values::{interfaces, profile, prompt};
use super::input;
use crate::engine::jwks;
use crate::engine::options::{MOST_RUNS, Options};
use crate::engine::prompt::{Behaviour, Profile};
use crate::wire::limits::MOST_INTERFACES;

// No doc comment: clap would show it as the description of the command.
#[derive(Debug, Args)]
pub(super) struct ChoiceArgs {
    /// The message that makes your agent show a behaviour, such as `input-required=Book a flight`. A JSON object is
    /// sent as data to an agent whose card declares JSON and no text. May be repeated
    #[arg(long = "prompt", value_name = "BEHAVIOUR=TEXT", value_parser = prompt)]
    prompts: Vec<(Behaviour, String)>,
    /// The convention for the prompts: generic, agentbin, tck or acts [default: chosen by the card]. With agentbin the
    /// acceptance list of AgentBin is checked as well
    #[arg(long, value_name = "NAME", value_parser = profile)]
    profile: Option<Profile>,
    /// Ask an ordinary agent only in the words of the examples of this skill, by its id [default: all]. May be repeated
    #[arg(long = "skill", value_name = "ID")]
    skills: Vec<String>,
    /// Call so many interfaces of the card at most. If it lists more, the others are named in the report, and the run is
    /// incomplete
    #[arg(long, value_name = "NUMBER", default_value_t = MOST_INTERFACES, value_parser = interfaces)]
    interfaces: usize,
    /// Run scenarios, too, that cost many messages for what they find, such as bursts. Without it an ordinary
    /// agent with two interfaces gets at most 60 messages
    #[arg(long)]
    thorough: bool,
    /// Check the agent so many times, one run after another, at most 100, and write one report: what differs between the runs
    /// is listed apart, and only what fails in each run counts. N runs send N times the messages
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, value_parser = value_parser!(u32).range(1..=i64::from(MOST_RUNS)))]
    repeat: u32,
    /// Trust these keys to sign the agent's card: a file with a JSON Web Key Set, or its URL
    #[arg(long, value_name = "FILE|URL")]
    jwks: Option<String>,
}

impl ChoiceArgs {
    /// Puts what was chosen into the options of a run.
    pub(super) fn add_to(&self, options: &mut Options) -> Result<()> {
        self.prompts.iter().for_each(|(behaviour, text)| options.prompts.set(*behaviour, text.clone()));
        options.profile = self.profile;
        options.skills.clone_from(&self.skills);
        options.most_interfaces = self.interfaces;
        options.is_thorough = self.thorough;
        options.repeat = self.repeat;
        options.jwks = self.jwks.as_deref().map(trusted_keys).transpose()?.unwrap_or_default();
        Ok(())
    }
}

/// The key set in that file, or its URL.
fn trusted_keys(given: &str) -> Result<String> {
    if jwks::is_url(given) {
        return jwks::parse_jwks(given).with_context(|| format!("--jwks {given}"));
    }
    let text =
        input::text(Path::new(given), input::DOCUMENT).with_context(|| format!("--jwks {given} cannot be read"))?;
    match jwks::parse_jwks(&text) {
        Ok(set) if !jwks::is_url(&set) && !set.is_empty() => Ok(set),
        _ => bail!(
            "--jwks {given} is not a JSON Web Key Set, which is an object with an array `keys`; give the file or the URL that whoever \
             signs the card publishes"
        ),
    }
}
