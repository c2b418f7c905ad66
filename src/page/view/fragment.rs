//! The state that is worth sharing, as the fragment of the page's URL: `#u=…&f=fail,advisory&q=…&c=…&l=…`. Never a secret, and
//! opening a link never starts a run.

use super::filter::Filter;
use crate::wire::url::decode;

/// What a link holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The agent's address as it was typed.
    pub address: String,
    /// Which rows are shown.
    pub filter: Filter,
    /// The key of the row that is open.
    pub row: Option<String>,
}

/// Query parameters whose values are credentials more often than not.
const SECRET_PARAMETERS: [&str; 12] =
    ["key", "token", "secret", "password", "passwd", "pwd", "sig", "signature", "auth", "code", "credential", "jwt"];

/// Nobody needs to share more, and a longer link breaks in mails.
const LONGEST: usize = 400;

impl Link {
    /// Reads a fragment, with or without its `#`. What it does not know, it leaves out.
    #[must_use]
    pub fn parse(fragment: &str) -> Self {
        let (mut link, mut kinds, mut text) = (Self::default(), String::new(), String::new());
        let mut choices = Vec::new();
        for pair in fragment.trim_start_matches('#').split('&') {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let value = decode(&value.replace('+', " "));
            match name {
                "u" => link.address = value,
                "f" => kinds = value,
                "q" => text = value,
                "c" => link.row = Some(value),
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
        // A card that was pasted is nobody's address.
        let address = self.address.trim();
        let address = if address.starts_with('{') { String::new() } else { without_secrets(address) };
        let kinds = self.filter.kinds();
        let row = self.row.clone().unwrap_or_default();
        let parts =
            [("u", address.as_str()), ("f", kinds.as_str()), ("q", self.filter.text().trim()), ("c", row.as_str())];
        let choices = self.filter.choices();
        let choices = choices.iter().map(|(name, value)| (*name, value.as_str()));
        let mut fragment = String::new();
        for (name, value) in parts.into_iter().chain(choices) {
            if value.is_empty() || value.len() > LONGEST {
                continue;
            }
            if !fragment.is_empty() {
                fragment.push('&');
            }
            fragment.push_str(name);
            fragment.push('=');
            encode(value, &mut fragment);
        }
        fragment
    }
}

/// The address without `user:password@` and without query parameters that look like credentials.
fn without_secrets(address: &str) -> String {
    let (before, query) = match address.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (address, None),
    };
    let start = before.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = before.split_at(start);
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut clean = format!("{scheme}{host}{path}");
    let kept: Vec<&str> = query
        .unwrap_or_default()
        .split('&')
        .filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
            !pair.is_empty() && !SECRET_PARAMETERS.iter().any(|secret| name.contains(secret))
        })
        .collect();
    if !kept.is_empty() {
        clean.push('?');
        clean.push_str(&kept.join("&"));
    }
    clean
}

/// Percent-encodes what a fragment's value cannot hold, and leaves an address readable.
fn encode(text: &str, out: &mut String) {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/@,[]?=!".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |number: u8| HEX.get(usize::from(number)).copied().unwrap_or('0');
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        };
        assert_eq!(Link::parse(&link.fragment()), link);
        assert_eq!(Link::parse(&format!("#{}", link.fragment())), link);
        assert_eq!(Link::default().fragment(), "");
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
    fn a_link_stays_short() {
        let link = Link { address: format!("https://h/{}", "x".repeat(5000)), ..Link::default() };
        assert!(link.fragment().len() < 500);
    }
}
