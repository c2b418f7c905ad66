//! Through which proxy a request goes, by what the user said or by the environment. What the parts of `NO_PROXY` mean is
//! hyper-util's business, as it is reqwest's.

use std::fmt;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use super::settings_error::SettingsError;
use crate::wire::url::decode;

/// The rules by which a proxy is chosen. Their `Debug` shows no credentials.
#[derive(Clone, Default)]
pub struct ProxyRules {
    /// For requests by http, by https, and for the others: the URLs with their credentials.
    http: Option<Url>,
    https: Option<Url>,
    all: Option<Url>,
    /// The hosts that are called directly, as `NO_PROXY` lists them.
    direct: String,
    /// Whether hosts of this machine are called directly.
    spares_loopback: bool,
}

const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

impl ProxyRules {
    /// Every request goes through this proxy, those to this machine too. An error when the text is not the URL of a proxy.
    pub fn of_url(text: &str) -> Result<Self, SettingsError> {
        Ok(Self { all: Some(proxy_url(text)?), ..Self::default() })
    }

    /// What the environment says. `variable` looks one up; the name in lower case is asked for first, as curl does. Hosts of
    /// this machine are called directly. The error names a variable that is not the URL of a proxy.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, (String, SettingsError)> {
        let value = |name: &str| {
            let names = [name.to_ascii_lowercase(), name.to_owned()];
            names.into_iter().find_map(|name| Some((variable(&name).filter(|value| !value.trim().is_empty())?, name)))
        };
        // A server that runs this as CGI has a request's header Proxy under that name.
        let is_cgi = variable("REQUEST_METHOD").is_some();
        let url = |name: &str| match value(name) {
            Some((_, found)) if found == "HTTP_PROXY" && is_cgi => Ok(None),
            Some((text, found)) => proxy_url(&text).map(Some).map_err(|problem| (found, problem)),
            None => Ok(None),
        };
        Ok(Self {
            http: url("HTTP_PROXY")?,
            https: url("HTTPS_PROXY")?,
            all: url("ALL_PROXY")?,
            direct: value("NO_PROXY").map(|(list, _)| list).unwrap_or_default(),
            spares_loopback: true,
        })
    }

    /// The proxy for a URL, with its credentials.
    #[must_use]
    pub fn proxy_of(&self, url: &Url) -> Option<&Url> {
        let own = if url.scheme() == "https" { &self.https } else { &self.http };
        let proxy = own.as_ref().or(self.all.as_ref())?;
        if self.spares_loopback && is_loopback(url) {
            return None;
        }
        let matcher = Matcher::builder().all(proxy.as_str()).no(self.direct.as_str()).build();
        matcher.intercept(&url.as_str().parse().ok()?).map(|_| proxy)
    }

    /// What must not appear in a report: the passwords, and the pairs that they are sent in.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets = Vec::new();
        for url in [&self.http, &self.https, &self.all].into_iter().flatten() {
            let (user, password) = (decode(url.username()), decode(url.password().unwrap_or_default()));
            if !user.is_empty() || !password.is_empty() {
                secrets.extend([format!("{user}:{password}"), password, url.password().unwrap_or_default().to_owned()]);
            }
        }
        secrets.retain(|secret| !secret.is_empty());
        secrets
    }
}

impl fmt::Debug for ProxyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProxyRules")
    }
}

/// A proxy's host and port, which may be shown.
#[must_use]
pub fn host_and_port(proxy: &Url) -> String {
    let host = proxy.host_str().unwrap_or_default();
    let own = if proxy.scheme().starts_with("socks") { 1080 } else { 80 };
    format!("{host}:{}", proxy.port_or_known_default().unwrap_or(own))
}

/// Whether a URL is of this machine.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

/// The URL of a proxy; without a scheme it is one of http, as everywhere.
fn proxy_url(text: &str) -> Result<Url, SettingsError> {
    let text = text.trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&whole).ok().filter(|url| SCHEMES.contains(&url.scheme()) && url.has_host());
    // The text before an @ may be a password.
    url.ok_or_else(|| SettingsError::NotAProxy(text.rsplit('@').next().unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(variables: &[(&str, &str)]) -> ProxyRules {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        ProxyRules::of_environment(lookup).unwrap()
    }

    fn proxy(rules: &ProxyRules, url: &str) -> Option<String> {
        rules.proxy_of(&Url::parse(url).unwrap()).map(host_and_port)
    }

    #[test]
    fn the_environment_chooses_by_scheme_and_spares_this_machine() {
        let rules = rules(&[
            ("HTTPS_PROXY", "http://user:pass%40word@secure.example:3128"),
            ("http_proxy", "plain.example:8080"),
            ("NO_PROXY", "direct.example, .inner.example,192.0.2.0/24"),
        ]);
        for (url, expected) in [
            ("https://agent.example/", Some("secure.example:3128")),
            ("http://agent.example/", Some("plain.example:8080")),
            ("https://direct.example/", None),
            ("https://a.inner.example/", None),
            ("https://192.0.2.7/", None),
            ("https://192.0.3.7/", Some("secure.example:3128")),
            ("http://localhost:8485/", None),
            ("http://127.0.0.2:8485/", None),
            ("http://[::1]:8485/", None),
        ] {
            assert_eq!(proxy(&rules, url).as_deref(), expected, "{url}");
        }
        let secrets = rules.secrets();
        assert!(
            secrets.contains(&"pass@word".to_owned()) && secrets.contains(&"user:pass@word".to_owned()),
            "{secrets:?}"
        );
        assert_eq!(format!("{rules:?}"), "ProxyRules");
    }

    #[test]
    fn lower_case_goes_first_and_all_is_for_the_rest() {
        let both = rules(&[
            ("https_proxy", "http://low.example:1"),
            ("HTTPS_PROXY", "http://high.example:2"),
            ("ALL_PROXY", "socks5://all.example"),
        ]);
        assert_eq!(proxy(&both, "https://a.example/").as_deref(), Some("low.example:1"));
        assert_eq!(proxy(&both, "http://a.example/").as_deref(), Some("all.example:1080"));
        assert_eq!(proxy(&rules(&[]), "http://a.example/"), None);
        assert_eq!(proxy(&rules(&[("all_proxy", "http://p.example"), ("no_proxy", "*")]), "http://a.example/"), None);
        let cgi = rules(&[("HTTP_PROXY", "http://evil.example"), ("REQUEST_METHOD", "GET")]);
        assert_eq!(proxy(&cgi, "http://a.example/"), None);
    }

    #[test]
    fn the_users_own_proxy_is_for_every_request() {
        let rules = ProxyRules::of_url("http://127.0.0.1:3128").unwrap();
        assert_eq!(proxy(&rules, "http://localhost:8485/").as_deref(), Some("127.0.0.1:3128"));
        for text in ["ftp://p.example", "http://", "::"] {
            assert!(ProxyRules::of_url(text).is_err(), "{text}");
        }
        let problem = ProxyRules::of_url("gopher://user:canary@p.example").unwrap_err().to_string();
        assert!(problem.contains("p.example") && !problem.contains("canary"), "{problem}");
    }
}
