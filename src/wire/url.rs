//! Just enough of URLs for a checker: splitting `http` and `https` URLs, joining paths, percent-encoding, and what is wrong with an
//! address, in words. A full parser would cost the page more than everything else on the wire together.

use std::fmt;

use super::internet_host::{self, Reach};

/// An absolute `http` or `https` URL in its pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// `http` or `https`, lower case.
    pub scheme: String,
    /// The host, lower case, an IPv6 address in its brackets.
    pub host: String,
    /// The port, if it is written.
    pub port: Option<u16>,
    /// The path, beginning with a slash.
    pub path: String,
    /// The query without its question mark.
    pub query: Option<String>,
}

/// Why a text is not a URL that can be requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    /// There is nothing.
    #[error("the address is empty")]
    Empty,
    /// Spaces inside.
    #[error("the address contains a space; enter only the address")]
    Space,
    /// More than one.
    #[error("there are several addresses; enter one of them")]
    Several,
    /// An IPv6 address without brackets.
    #[error("an IPv6 address stands in brackets, as in http://[::1]:8080")]
    Brackets,
    /// Another scheme.
    #[error("the scheme {0}: is not supported; an A2A agent is reached over http or https")]
    Scheme(String),
    /// No host.
    #[error("the address has no host")]
    Host,
    /// A character that is not allowed in a host.
    #[error("the host \"{0}\" contains a character that host names cannot have")]
    HostCharacter(String),
    /// A port that is not a number from 1 to 65535.
    #[error("\"{0}\" is not a port; a port is a number from 1 to 65535")]
    Port(String),
    /// `user:password@host`.
    #[error(
        "the address contains credentials before the @; send them in a header instead, because browsers refuse such \
         addresses"
    )]
    Credentials,
}

impl Url {
    /// Splits an absolute URL, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, UrlProblem> {
        let text = text.trim();
        if text.is_empty() {
            return Err(UrlProblem::Empty);
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            let scheme = text.split_once(':').map_or(text, |(scheme, _)| scheme);
            return Err(UrlProblem::Scheme(scheme.to_owned()));
        };
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(UrlProblem::Scheme(scheme));
        }
        // A blank before the fragment is at the end, too, once that is gone.
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before.trim_end());
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        if authority.contains('@') {
            return Err(UrlProblem::Credentials);
        }
        let (host, port) = split_authority(authority)?;
        let (path, query) = match tail.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (tail, None),
        };
        let path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
        Ok(Self { scheme, host: host.to_ascii_lowercase(), port, path, query })
    }

    /// The port that the scheme has when none is named.
    #[must_use]
    pub fn own_port(&self) -> u16 {
        if self.scheme == "https" { 443 } else { 80 }
    }

    /// Whether the host is an address and no name.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.host.starts_with('[') || self.host.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    }

    /// `scheme://host:port`, without a trailing slash; a port that is the scheme's own is left out.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.port {
            Some(port) if port != self.own_port() => format!("{}://{}:{port}", self.scheme, self.host),
            _ => format!("{}://{}", self.scheme, self.host),
        }
    }

    /// Whether everybody can reach the host, as far as it says.
    #[must_use]
    pub fn reach(&self) -> Reach {
        internet_host::reach(&self.host)
    }

    /// Whether the host is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.reach() == Reach::Loopback
    }

    /// Whether the host is this machine or on a private network, where agents under development live.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.reach(), Reach::Loopback | Reach::Private)
    }

    /// Whether the host is certainly on the public internet.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.reach() == Reach::Public
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)?;
        match &self.query {
            Some(query) => write!(f, "?{query}"),
            None => Ok(()),
        }
    }
}

fn split_authority(authority: &str) -> Result<(&str, Option<u16>), UrlProblem> {
    let (host, port) = if authority.starts_with('[') {
        let end = authority.find(']').ok_or_else(|| UrlProblem::HostCharacter(authority.to_owned()))?;
        let (host, rest) = authority.split_at(end + 1);
        if !rest.is_empty() && !rest.starts_with(':') {
            return Err(UrlProblem::HostCharacter(authority.to_owned()));
        }
        (host, rest.strip_prefix(':'))
    } else {
        authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
    };
    if host.is_empty() {
        return Err(UrlProblem::Host);
    }
    let bad = |c: char| c.is_whitespace() || c.is_control() || "\"'<>\\^`{|},;%".contains(c);
    let name = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if host.contains(bad) || name.contains(['[', ']']) {
        return Err(UrlProblem::HostCharacter(host.to_owned()));
    }
    let port = match port {
        None | Some("") => None,
        Some(text) => {
            // `parse` takes a sign, a URL only digits.
            let port = text.parse().ok().filter(|port| *port > 0 && !text.starts_with('+'));
            Some(port.ok_or_else(|| UrlProblem::Port(text.to_owned()))?)
        }
    };
    Ok((host, port))
}

/// The path of a URL, without query and fragment; `/` if there is none.
#[must_use]
pub fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or("/")
}

/// Whether a text is an absolute URL of any scheme (RFC 3986 §4.3): good enough to tell a URI from a bare word.
#[must_use]
pub fn is_absolute_uri(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            && !text.contains(char::is_whitespace)
    })
}

/// Percent-encodes everything but the unreserved characters (RFC 3986 §2.3).
#[must_use]
pub fn encode(text: &str) -> String {
    encode_all_but(text, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

/// Percent-encodes every byte but those that stay, which are of ASCII.
pub(super) fn encode_all_but(text: &str, stays: fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if stays(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The URL with one more parameter in its query.
#[must_use]
pub fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let (url, fragment) = url.split_once('#').map_or((url, None), |(url, fragment)| (url, Some(fragment)));
    let between = if url.contains('?') { '&' } else { '?' };
    let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    format!("{url}{between}{}={}{fragment}", encode(name), encode(value))
}

/// Decodes what is percent-encoded (RFC 3986 §2.1); a percent sign that begins no code stands for itself.
#[must_use]
pub fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        match (first, hex(after.first()), hex(after.get(1))) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_apart_and_together_again() {
        for (text, shown) in [
            ("HTTP://Example.COM", "http://example.com/"),
            ("https://h:8443/a/b?x=1#frag", "https://h:8443/a/b?x=1"),
            ("https://h:443/a", "https://h/a"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://h?x", "http://h/?x"),
            (" http://h/a \r\n#frag", "http://h/a"),
        ] {
            assert_eq!(Url::parse(text).unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn a_parameter_joins_the_query() {
        for (url, with) in [("http://h/a", "http://h/a?k=a%20%2Bb"), ("http://h/?x=1#f", "http://h/?x=1&k=a%20%2Bb#f")]
        {
            assert_eq!(with_parameter(url, "k", "a +b"), with);
        }
        assert_eq!(decode(&encode("\u{fc} /?&=%")), "\u{fc} /?&=%");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, problem) in [
            ("", UrlProblem::Empty),
            ("ftp://h/", UrlProblem::Scheme("ftp".into())),
            ("javascript:alert(1)", UrlProblem::Scheme("javascript".into())),
            ("http:///x", UrlProblem::Host),
            ("http://a b/", UrlProblem::HostCharacter("a b".into())),
            ("http://h:0/", UrlProblem::Port("0".into())),
            ("http://h:99999/", UrlProblem::Port("99999".into())),
            ("http://h:+80/", UrlProblem::Port("+80".into())),
            ("http://[::1/", UrlProblem::HostCharacter("[::1".into())),
            ("http://[::1]x:80/", UrlProblem::HostCharacter("[::1]x:80".into())),
            ("http://a[b]/", UrlProblem::HostCharacter("a[b]".into())),
            ("http://u:p@h/", UrlProblem::Credentials),
        ] {
            assert_eq!(Url::parse(text), Err(problem), "{text}");
        }
    }
}
