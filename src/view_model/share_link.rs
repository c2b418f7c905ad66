//! The state that is worth sharing, as the fragment of the page's URL, and how long its values may be:
//! `#u=…&version=0.3&f=fail,advisory&q=…&c=…&l=…&tab=…`. Never a secret, and opening a link never starts a run. What a link asks for is
//! in `link_request.rs`.

use super::filter::Filter;
use super::setup::Setup;
use super::several_agents::MOST;
use super::shared_address::without_secrets;
use super::tabs::Tab;
use crate::wire::url::decode;

/// The contents of a link.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The agent's address: as it was typed, or that which was judged.
    pub address: String,
    /// The rest of the run's setup.
    pub setup: Setup,
    /// The filter: which rows are shown.
    pub filter: Filter,
    /// The key of the row that is open.
    pub row: Option<String>,
    /// The view that is shown.
    pub tab: Tab,
    /// The addresses of several agents, where that view is shown; `None` else.
    pub agents: Option<Vec<String>>,
    /// The address of an agent whose clients are watched, where that view is shown; `None` else.
    pub watch: Option<String>,
    /// The address of a report that is to be opened.
    pub report: Option<String>,
}

/// The name of a list of agents, which stands alone where the list is empty.
const AGENTS: &str = "agents";

/// Nobody needs to share more, and a longer link breaks in mails.
const LONGEST: usize = 400;

/// The faults of the demo agent are the whole of its set-up: a part of them would be another agent. So is a list of agents.
const LONGEST_LIST: usize = 2_000;

impl Link {
    /// Reads a fragment, with or without its `#`. What it does not know, it leaves out.
    #[must_use]
    pub fn parse(fragment: &str) -> Self {
        let (mut link, mut kinds, mut text) = (Self::default(), String::new(), String::new());
        let mut choices = Vec::new();
        for pair in fragment.trim_start_matches('#').split('&') {
            let Some((name, value)) = pair.split_once('=') else {
                if pair == AGENTS {
                    link.agents = Some(Vec::new());
                }
                continue;
            };
            let value = decode(&value.replace('+', " "));
            match name {
                "u" => link.address = value,
                "f" => kinds = value,
                "q" => text = value,
                "c" => link.row = Some(value),
                AGENTS => {
                    let addresses = value.split(',').map(str::trim).filter(|address| !address.is_empty());
                    link.agents = Some(addresses.take(MOST).map(str::to_owned).collect());
                }
                "watch" => link.watch = Some(value),
                "report" => link.report = Some(value),
                "tab" => link.tab = Tab::parse(&value),
                _ if link.setup.take(name, &value) => {}
                _ => choices.push((name, value)),
            }
        }
        link.filter = Filter::parse(&kinds, &text);
        for (name, value) in choices {
            link.filter.choose(name, &value);
        }
        link
    }

    /// The fragment without its `#`; empty when there is nothing to share.
    #[must_use]
    pub fn fragment(&self) -> String {
        // A card that was pasted is not an address.
        let address = self.address.trim();
        let address = if address.starts_with('{') { String::new() } else { without_secrets(address) };
        let kinds = self.filter.kinds();
        let row = self.row.clone().unwrap_or_default();
        let setup = self.setup.pairs();
        let setup = setup.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let parts = [("f", kinds.as_str()), ("q", self.filter.text().trim()), ("c", row.as_str())];
        let choices = self.filter.choices();
        let choices = choices.iter().map(|(name, value)| (*name, value.as_str()));
        let tab = if self.tab == Tab::default() { "" } else { self.tab.id() };
        let agents = self.agents.as_ref().map(|agents| listed(agents)).unwrap_or_default();
        let watch = self.watch.as_deref().map(without_secrets).unwrap_or_default();
        let report = self.report.as_deref().map(without_secrets).unwrap_or_default();
        let ends = [("tab", tab), (AGENTS, agents.as_str()), ("watch", watch.as_str()), ("report", report.as_str())];
        let all = [("u", address.as_str())].into_iter().chain(setup).chain(parts).chain(choices).chain(ends);
        let shared = all.filter(|(name, value)| {
            let longest = if matches!(*name, "demo" | AGENTS) { LONGEST_LIST } else { LONGEST };
            !value.is_empty() && value.len() <= longest
        });
        let shared = shared.map(|(name, value)| format!("{name}={}", encode(value)));
        let is_empty_list = self.agents.as_ref().is_some_and(Vec::is_empty);
        shared.chain(is_empty_list.then(|| AGENTS.to_owned())).collect::<Vec<_>>().join("&")
    }

    /// A description of the link's contents for the user who copies it: `the address, protocol version 0.3, the filter`.
    #[must_use]
    pub fn holds(&self) -> String {
        // Values that were too long for it are not in it.
        let link = Self::parse(&self.fragment());
        let setup = link.setup.in_words();
        let parts = [
            (!link.address.is_empty(), "the address"),
            (!setup.is_empty(), setup.as_str()),
            (!link.filter.is_empty(), "the filter"),
            (link.row.is_some(), "the open check"),
            (link.agents.as_ref().is_some_and(|agents| !agents.is_empty()), "the list of agents"),
            (link.watch.is_some(), "the watch over a client"),
            (link.report.is_some(), "the address of the report"),
        ];
        let words: Vec<&str> = parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words).collect();
        let is_whole = link.setup == self.setup && link.agents.is_some() == self.agents.is_some();
        let left_out = if is_whole { "" } else { "; the rest is too long for a link" };
        if words.is_empty() { format!("only this page{left_out}") } else { format!("{}{left_out}", words.join(", ")) }
    }
}

/// A list of addresses.
fn listed(agents: &[String]) -> String {
    agents.iter().map(|address| without_secrets(address).replace(',', "%2C")).collect::<Vec<_>>().join(",")
}

/// Percent-encodes what a fragment's value cannot hold, and leaves an address readable.
fn encode(text: &str) -> String {
    let stays = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/@,[]?=!".contains(&byte);
    let encoded = |byte: u8| if stays(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::prompt::Behaviour;
    use crate::view_model::settings::Settings;

    #[test]
    fn a_link_survives_the_round_trip() {
        let link = Link {
            address: "https://agent.example.com/a b?tenant=ü&x=1".into(),
            filter: {
                let mut filter = Filter::parse("fail,advisory", "task + id & more");
                filter.choose("l", "rest-1.0");
                filter.choose("w", "not observable");
                filter
            },
            row: Some("send.task-id@jsonrpc-1.0".into()),
            tab: Tab::Traffic,
            agents: None,
            watch: Some("http://127.0.0.1:8485".into()),
            report: Some("https://ci.example/a2a/report.json".into()),
            setup: Setup::from_settings(&configured()),
        };
        assert_eq!(Link::parse(&link.fragment()), link);
        assert_eq!(Link::parse(&format!("#{}", link.fragment())), link);
        assert_eq!(Link::default().fragment(), "");
    }

    /// A form with everything in it that a link may hold, and what it may not.
    fn configured() -> Settings {
        let mut settings = Settings::default();
        settings.set_choice("version", "0.3".into());
        settings.set_choice("profile", "agentbin".into());
        settings.set_choice("skills", "echo".into());
        settings.bearer = "canary".into();
        settings.headers = "X-Key: canary".into();
        settings.set_choice("time-answer", "90".into());
        settings.prompts.set(Behaviour::Complete, "add 2 & 3 = ?".into());
        settings.prompts.set(Behaviour::Cancel, "work for a minute".into());
        settings
    }

    #[test]
    fn a_configured_run_is_shared_in_less_than_500_characters_and_says_so() {
        let link = Link {
            address: "https://agent.example.com:8443/agents/weather".into(),
            setup: Setup::from_settings(&configured()),
            filter: Filter::parse("fail", ""),
            ..Link::default()
        };
        let fragment = link.fragment();
        assert!(fragment.len() < 400 && !fragment.contains("canary"), "{fragment}");
        assert_eq!(
            link.holds(),
            "the address, protocol version 0.3, the agentbin convention, chosen skills, 2 prompts, 1 waiting time, the \
             filter"
        );
        let demo = Setup::demo(vec!["get-wrapped".into(), "canned-error".into()]);
        let demo = Link { setup: demo, ..Link::default() };
        assert_eq!(demo.fragment(), "demo=get-wrapped,canned-error");
        assert_eq!(demo.holds(), "the demo agent with 2 faults");
        assert_eq!(Link::default().holds(), "only this page");
    }

    #[test]
    fn a_link_says_what_was_too_long_for_it() {
        let faults = (0..200).map(|number| format!("a-fault-of-that-number-{number}")).collect();
        let link = Link { setup: Setup::demo(faults), ..Link::default() };
        assert_eq!(link.holds(), "only this page; the rest is too long for a link");
        assert_eq!(link.fragment(), "");
    }

    #[test]
    fn what_is_strange_is_left_out() {
        for fragment in ["", "#", "#x", "u", "#=&=&&", "#z=1", "#f=unicorn"] {
            assert_eq!(Link::parse(fragment), Link::default(), "{fragment}");
        }
        assert_eq!(Link::parse("#u=%zz%4").address, "%zz%4");
    }

    #[test]
    fn a_secret_never_gets_into_a_link() {
        for address in [
            "https://user:canary@h/x",
            "user:canary@h",
            "https://h/x?api_key=canary&a=1",
            "https://h/x?access_token=canary",
            "https://h/?X-Sig=canary",
        ] {
            let link = Link { address: address.into(), ..Link::default() };
            assert!(!link.fragment().contains("canary"), "{address}: {}", link.fragment());
            assert!(link.fragment().contains('h'));
        }
        let link = Link { address: "https://h/x?api_key=canary&a=1".into(), ..Link::default() };
        assert_eq!(link.fragment(), "u=https://h/x?a=1");
    }

    #[test]
    fn a_list_of_agents_is_shared_without_secrets_and_only_whole() {
        let agents = |list: &[&str]| Some(list.iter().map(|address| (*address).to_owned()).collect::<Vec<_>>());
        let link =
            Link { agents: agents(&["https://a.example/x", "me:canary@b.example?token=canary"]), ..Link::default() };
        assert_eq!(link.fragment(), "agents=https://a.example/x,b.example");
        assert_eq!(link.holds(), "the list of agents");
        assert_eq!(Link::parse(&link.fragment()).agents, agents(&["https://a.example/x", "b.example"]));
        let empty = Link { agents: agents(&[]), ..Link::default() };
        assert_eq!(empty.fragment(), "agents");
        // As links of an earlier version say it.
        for fragment in ["agents", "agents=,"] {
            assert_eq!(Link::parse(fragment), empty);
        }
        let long: Vec<String> = (0..100).map(|number| format!("https://agent-{number}.example.com/a/path")).collect();
        let link = Link { agents: Some(long), ..Link::default() };
        assert_eq!(link.fragment(), "");
        assert_eq!(link.holds(), "only this page; the rest is too long for a link");
    }

    #[test]
    fn a_link_stays_short() {
        let link = Link { address: format!("https://h/{}", "x".repeat(5000)), ..Link::default() };
        assert!(link.fragment().len() < 500);
    }
}
