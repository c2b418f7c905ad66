//! The arguments by which an agent is put under load, with their defaults, and how a duration is written; the largest values are in
//! `engine/load.rs`.

use anyhow::{Result, bail};
use clap::Args;

use crate::engine::discover;
use crate::engine::load::{DRAIN_MS, LoadOptions, MAX_CONVERSATIONS, MAX_RATE, MAX_SECONDS};
use crate::engine::options::Options;
use crate::wire::url::Url;

// No doc comment: clap would show it as the description of the command.
#[derive(Debug, Args, Default)]
pub(super) struct LoadArgs {
    /// When all else is done, have conversations for so long, such as 30s or 5m (at most 10m), and judge whether
    /// answers stay right
    #[arg(long, value_name = "DURATION", value_parser = duration_ms)]
    load: Option<f64>,
    /// How many conversations begin in a second, at most 200; each is about three requests [default: 20]
    #[arg(long, value_name = "NUMBER", requires = "load", value_parser = rate)]
    rate: Option<f64>,
    /// How many conversations may be under way at once, at most 1000 [default: 50]
    #[arg(long, value_name = "NUMBER", requires = "load", value_parser = conversations)]
    load_conversations: Option<usize>,
    /// Confirm that the agent is yours, or that its owner agrees to the load. Agents on loopback addresses need no
    /// confirmation
    #[arg(long, requires = "load")]
    this_agent_is_mine: bool,
}

/// A duration in milliseconds: `30s`, `5m`, or seconds without a unit.
fn duration_ms(text: &str) -> Result<f64, String> {
    let (number, unit_ms) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(number), _) => (number, 1000.0),
        (_, Some(number)) => (number, 60_000.0),
        _ => (text, 1000.0),
    };
    let ms = number.parse::<f64>().ok().map(|number| number * unit_ms);
    ms.filter(|ms| *ms >= 1000.0 && *ms <= MAX_SECONDS * 1000.0)
        .ok_or_else(|| "a load lasts from 1s to 10m, such as 30s".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| *rate >= 0.1 && *rate <= MAX_RATE);
    rate.ok_or_else(|| format!("the rate is a number from 0.1 to {MAX_RATE}"))
}

fn conversations(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_CONVERSATIONS).contains(number));
    number.ok_or_else(|| format!("conversations are a number from 1 to {MAX_CONVERSATIONS}"))
}

impl LoadArgs {
    /// Whether a load was asked for.
    pub(super) const fn is_wanted(&self) -> bool {
        self.load.is_some()
    }

    /// Adds the load that was asked for to the options of a run, which may then take longer. Nothing is sent to an agent that is not the
    /// user's.
    pub(super) fn add_to(&self, options: &mut Options) -> Result<()> {
        let Some(duration_ms) = self.load else { return Ok(()) };
        let usual = LoadOptions::default();
        let url = discover::normalise(&options.address).map(|address| address.url()).unwrap_or_default();
        if !self.this_agent_is_mine && !Url::parse(&url).is_ok_and(|url| url.is_loopback()) {
            bail!(
                "--load would send many requests to {}; if that agent is yours, or its owner agrees, say so with --this-agent-is-mine",
                options.address
            );
        }
        options.timeouts.run_ms += duration_ms + DRAIN_MS * 2.0;
        options.load = Some(LoadOptions {
            duration_ms,
            rate: self.rate.unwrap_or(usual.rate),
            conversations: self.load_conversations.unwrap_or(usual.conversations),
            is_owned: self.this_agent_is_mine,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(args: &LoadArgs, address: &str) -> Result<Options> {
        let mut options = Options { address: address.to_owned(), ..Options::default() };
        args.add_to(&mut options).map(|()| options)
    }

    #[test]
    fn only_an_agent_of_the_users_own_is_put_under_load() {
        let mut args = LoadArgs { load: Some(30_000.0), ..LoadArgs::default() };
        for address in ["127.0.0.1:8485", "http://localhost:9000/agent", "http://[::1]:1"] {
            assert!(added(&args, address).is_ok_and(|options| options.load.is_some()), "{address}");
        }
        for address in ["agent.example.com", "https://10.0.0.1/", "http://localhost.example.com"] {
            let problem = added(&args, address).map(|_| String::new()).unwrap_or_else(|problem| problem.to_string());
            assert!(problem.contains("--this-agent-is-mine") && problem.contains(address), "{problem}");
        }
        args.this_agent_is_mine = true;
        let options = added(&args, "agent.example.com").expect("options");
        assert!(options.load.is_some_and(|load| load.is_owned && load.rate == 20.0 && load.conversations == 50));
        assert!(options.timeouts.run_ms >= Options::default().timeouts.run_ms + 30_000.0);
        assert_eq!(added(&LoadArgs::default(), "agent.example.com").expect("options").load, None);
    }

    #[test]
    fn a_load_has_bounds() {
        for (text, ms) in [("30s", 30_000.0), ("10m", 600_000.0), ("0.5m", 30_000.0), ("2", 2_000.0)] {
            assert_eq!(duration_ms(text), Ok(ms), "{text}");
        }
        for text in ["", "s", "11m", "601s", "0.5s", "-3s", "1h", "NaN"] {
            assert!(duration_ms(text).is_err(), "{text}");
        }
        assert!(rate("200").is_ok() && rate("201").is_err() && rate("0").is_err() && rate("NaN").is_err());
        assert!(conversations("1000").is_ok() && conversations("1001").is_err() && conversations("0").is_err());
    }
}
