//! The port that a diagnosis needs and a check does not: the same request asked in other ways, what the browser permits,
//! and where the page itself came from. A native program sees causes and has no use for it.

use futures_util::future::LocalBoxFuture;

use crate::wire::http::Request;
use crate::wire::internet_host::Reach;
use crate::wire::url::Url;

/// Asks in the ways that only a diagnosis needs.
pub trait Prober {
    /// The address that the page was loaded from, and the browser it runs in.
    fn home(&self) -> PageOrigin;
    /// Whether the browser says that it has no network; only that can be relied on, not the contrary.
    fn is_offline(&self) -> bool;
    /// Whether the page's own policy kept it from asking that origin.
    fn is_barred_by_policy(&self, origin: &str) -> bool;
    /// The user's decision on requests to hosts of that space.
    fn permission(&self, space: AddressSpace) -> LocalBoxFuture<'static, Permission>;
    /// Completes when that is another than it was; never where it cannot change.
    fn permission_changed(&self, space: AddressSpace, was: Permission) -> LocalBoxFuture<'static, ()>;
    /// Asks, and says how it ended. Dropping the future aborts the request.
    fn probe(&self, probe: Probe) -> LocalBoxFuture<'static, ProbeOutcome>;
}

/// A request of a diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The request.
    pub request: Request,
    /// In which way.
    pub mode: ProbeMode,
}

/// The ways of asking (Fetch §request mode, §redirect mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeMode {
    /// As checks do: the agent must share its answer with the page.
    Cors,
    /// Without wanting to see the answer: shows that there is one.
    NoCors,
    /// As checks do, stopping at a redirect.
    Manual,
}

/// How a probe ended: all that a browser tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProbeOutcome {
    /// An answer that the page may read, with its status.
    Answer(u16),
    /// An answer that the page may not read.
    Hidden,
    /// A redirect that was not followed.
    Redirect,
    /// The one error that stands for every cause.
    Error,
    /// Nothing yet when our patience ran out.
    #[default]
    Pending,
}

impl ProbeOutcome {
    /// Whether the request came through to an answer.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Answer(_) | Self::Redirect)
    }
}

/// Local Network Access: whether this page may reach hosts of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permission {
    /// This browser knows no such permission.
    #[default]
    Unknown,
    /// The user allowed it.
    Granted,
    /// The user, or a policy, denied it.
    Denied,
    /// The browser asks when the first request is made.
    Prompt,
}

/// The network that a host is on, as far as its name or address says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// Everybody's.
    Public,
}

impl AddressSpace {
    /// Of a URL's host.
    #[must_use]
    pub fn from_url(url: &Url) -> Self {
        match url.reach() {
            // A request to no address in particular goes to this machine.
            _ if url.host == "0.0.0.0" || url.host == "[::]" => Self::Loopback,
            Reach::Loopback => Self::Loopback,
            Reach::Private => Self::Private,
            Reach::Public | Reach::Unknown => Self::Public,
        }
    }
}

/// The network that the page itself was loaded from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageOrigin {
    /// Its origin, as browsers send it.
    pub origin: String,
    /// Its path.
    pub path: String,
    /// Over https.
    pub secure: bool,
    /// From this machine or a private network.
    pub local: bool,
    /// Inside another page.
    pub framed: bool,
    /// In which browser.
    pub browser: Browser,
}

impl PageOrigin {
    /// Of the page's own URL.
    #[must_use]
    pub fn from_address(page: &str) -> Self {
        Url::parse(page).map_or_else(
            |_| Self { origin: "null".to_owned(), ..Self::default() },
            |url| Self {
                origin: url.origin(),
                path: url.path.clone(),
                secure: url.scheme == "https",
                local: url.is_local(),
                ..Self::default()
            },
        )
    }
}

/// The engines that differ in what they let a page do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Browser {
    /// Chrome, Edge and their kin.
    Chromium,
    /// Firefox.
    Firefox,
    /// Safari.
    WebKit,
    /// One that does not say.
    #[default]
    Other,
}

impl Browser {
    /// By the words of its `User-Agent`.
    #[must_use]
    pub fn from_user_agent(user_agent: &str) -> Self {
        // Chromium names Safari too, so the order matters.
        [("Firefox/", Self::Firefox), ("Chrome/", Self::Chromium), ("Safari/", Self::WebKit)]
            .into_iter()
            .find(|(word, _)| user_agent.contains(word))
            .map_or(Self::Other, |(_, browser)| browser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_by_their_words() {
        for (agent, browser) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
                Browser::Chromium,
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", Browser::Firefox),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                Browser::WebKit,
            ),
            ("curl/8", Browser::Other),
        ] {
            assert_eq!(Browser::from_user_agent(agent), browser, "{agent}");
        }
    }

    #[test]
    fn hosts_lie_in_three_spaces() {
        for (host, space) in [
            ("localhost", AddressSpace::Loopback),
            ("app.localhost", AddressSpace::Loopback),
            ("127.0.0.2", AddressSpace::Loopback),
            ("[::1]", AddressSpace::Loopback),
            ("0.0.0.0", AddressSpace::Loopback),
            ("192.168.1.2", AddressSpace::Private),
            ("box.local", AddressSpace::Private),
            ("agent.example.com", AddressSpace::Public),
            ("127.example.com", AddressSpace::Public),
        ] {
            assert_eq!(AddressSpace::from_url(&Url::parse(&format!("http://{host}/")).unwrap()), space, "{host}");
        }
    }

    #[test]
    fn a_page_without_an_origin_has_the_origin_null() {
        assert_eq!(PageOrigin::from_address("file:///index.html").origin, "null");
        assert_eq!(PageOrigin::from_address("https://checker.example/x?y#z").origin, "https://checker.example");
    }
}
