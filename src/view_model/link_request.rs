//! What a link asks of the visitor who follows it, told before anything is sent: to check an agent, several, or the demo agent, to watch a
//! client, or to open a report. A link to this page is recognised where an address is expected.

use super::format::count_of;
use super::share_link::Link;
use super::shared_address::without_secrets;
use crate::engine::discover::normalise;

/// The link to this page that was pasted where an address is expected: no agent's address has such a fragment.
#[must_use]
pub fn pasted_link(typed: &str) -> Option<Link> {
    let (_, fragment) = typed.trim().split_once('#')?;
    let link = Link::parse(fragment);
    link.is_request().then_some(link)
}

impl Link {
    /// Whether it asks for something: a filter alone does not.
    fn is_request(&self) -> bool {
        let is_given = |address: &Option<String>| address.as_ref().is_some_and(|address| !address.is_empty());
        !self.address.is_empty()
            || self.setup.faults.is_some()
            || self.agents.as_ref().is_some_and(|agents| !agents.is_empty())
            || is_given(&self.watch)
            || is_given(&self.report)
    }

    /// What it asks for, sentence by sentence; none where it asks for nothing.
    #[must_use]
    pub fn asks(&self) -> Vec<String> {
        if !self.is_request() {
            return Vec::new();
        }
        let agents = self.agents.as_deref().unwrap_or_default();
        let setup = self.setup.in_words();
        let mut sentences = Vec::new();
        if let Some(report) = &self.report {
            sentences.push(format!("This link opens the report at {}.", without_secrets(report)));
        } else if let Some(watched) = &self.watch {
            sentences
                .push(format!("This link asks to watch the clients of the agent at {}.", without_secrets(watched)));
        } else if !agents.is_empty() {
            sentences.push(format!("This link asks to check {}.", count_of(agents.len(), "agent")));
        } else if self.setup.faults.is_some() {
            sentences.push(format!("This link asks to run {setup}."));
        } else {
            let check = self.row.as_deref().and_then(|row| row.split('@').next());
            let opened = check.map(|check| format!(", and to open the check {check}"));
            let address = without_secrets(self.address.trim());
            sentences.push(format!("This link asks to check {address}{}.", opened.unwrap_or_default()));
        }
        if self.setup.faults.is_none() && self.report.is_none() && !setup.is_empty() {
            sentences.push(format!("It sets: {setup}."));
        }
        let addresses = [Some(&self.address), self.watch.as_ref(), self.report.as_ref()];
        let mut addresses = addresses.into_iter().flatten().chain(agents);
        if let Some(host) = addresses.find_map(|address| own_machine(address)) {
            sentences.push(format!("{host} is your own machine, not that of whoever sent the link."));
        }
        sentences.push(match &self.report {
            Some(_) => "Nothing is sent before you press Open, and then only the request for that file.".to_owned(),
            None => "It holds no result. Nothing is sent before you press Run.".to_owned(),
        });
        sentences
    }
}

/// The host of an address, as it was typed, if that is this machine.
fn own_machine(typed: &str) -> Option<String> {
    let address = normalise(typed).ok()?;
    address.is_loopback().then(|| address.host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fragment: &str) -> String {
        Link::parse(fragment).asks().join(" ")
    }

    #[test]
    fn a_link_says_what_it_asks_for_before_anything_is_sent() {
        let all = said("u=https://agent.example.com&c=get.unknown@rest-1.0&version=0.3&thorough=yes");
        assert_eq!(
            all,
            "This link asks to check https://agent.example.com, and to open the check get.unknown. It sets: protocol \
             version 0.3, thorough. It holds no result. Nothing is sent before you press Run."
        );
        for (fragment, beginning) in [
            ("agents=https://a.example,https://b.example", "This link asks to check 2 agents. It holds no result."),
            ("demo=get-wrapped", "This link asks to run the demo agent with 1 fault. It holds no result."),
            ("watch=https://h", "This link asks to watch the clients of the agent at https://h. It holds"),
            (
                "report=https://h/r.json",
                "This link opens the report at https://h/r.json. Nothing is sent before you press Open",
            ),
        ] {
            assert!(said(fragment).starts_with(beginning), "{}", said(fragment));
        }
        for nothing in ["", "f=fail", "tab=traffic", "agents", "version=0.3"] {
            assert_eq!(said(nothing), "");
        }
    }

    #[test]
    fn this_machine_is_said_to_be_that_of_the_reader() {
        for (fragment, host) in [
            ("u=localhost:9813", "localhost"),
            ("u=http://127.0.0.1:9813/a", "127.0.0.1"),
            ("u=9813", "localhost"),
            ("agents=https://a.example,localhost:1", "localhost"),
            ("report=http://localhost:8000/r.json", "localhost"),
        ] {
            assert!(said(fragment).contains(&format!(" {host} is your own machine")), "{fragment}: {}", said(fragment));
        }
        assert!(!said("u=https://agent.example.com").contains("machine"));
    }

    #[test]
    fn what_a_link_asks_for_holds_no_secret() {
        for fragment in
            ["u=https://me:canary@h/?token=canary", "report=https://h/r.json?sig=canary", "watch=http://me:canary@h"]
        {
            assert!(!said(fragment).contains("canary"), "{}", said(fragment));
        }
    }

    #[test]
    fn a_link_to_this_page_is_no_address_of_an_agent() {
        let of = |typed: &str| pasted_link(typed).map(|link| link.address);
        assert_eq!(of(" http://127.0.0.1:8700/#u=localhost:9810&f=fail ").as_deref(), Some("localhost:9810"));
        let agents = pasted_link("https://checker.example/a/#agents=https://a.example").and_then(|link| link.agents);
        assert_eq!(agents, Some(vec!["https://a.example".to_owned()]));
        for address in
            ["https://agent.example.com", "https://agent.example.com/#about", "https://h/#f=fail", "https://h/#"]
        {
            assert_eq!(of(address), None, "{address}");
        }
    }
}
