//! Facts that an address alone shows: ports that browsers refuse, mixed content, and networks that need permission.

use crate::host::probe::{AddressSpace, Browser, PageOrigin};
use crate::wire::url::{Url, UrlProblem};

/// Facts about a URL as seen from a page, before any request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triage {
    /// The URL in its pieces.
    pub url: Url,
    /// Which network its host is on.
    pub space: AddressSpace,
    /// The browser blocks it as mixed content: a page of https may not call it.
    pub mixed: bool,
    /// No browser opens a connection to this port (Fetch §port blocking).
    pub bad_port: bool,
    /// The unspecified address, at which nothing listens.
    pub unspecified: bool,
    /// The browser asks its user before this page may call it (Local Network Access).
    pub needs_permission: bool,
    /// The permission it needs is refused unasked, because the page came by plain http.
    pub insecure: bool,
}

/// The ports that browsers refuse (Fetch §bad port).
const BAD_PORTS: [u16; 82] = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
    6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Looks at a URL from a page, if it can be requested at all.
pub fn triage(url: &str, home: &PageOrigin) -> Result<Triage, UrlProblem> {
    let url = Url::parse(url)?;
    let space = AddressSpace::from_url(&url);
    let plain = url.scheme == "http";
    let literal = url.is_literal();
    let mixed = home.secure
        && plain
        && match (space, home.browser) {
            (AddressSpace::Public, _) => true,
            (AddressSpace::Loopback, browser) => browser == Browser::WebKit,
            // Chromium leaves addresses and .local to its permission; names it cannot tell from public ones.
            (AddressSpace::Private, Browser::Chromium) => !literal && !url.host.ends_with(".local"),
            (AddressSpace::Private, _) => true,
        };
    let asks = space != AddressSpace::Public && !home.local && home.browser != Browser::WebKit;
    Ok(Triage {
        space,
        mixed,
        bad_port: url.port.is_some_and(|port| BAD_PORTS.contains(&port)),
        unspecified: url.host == "0.0.0.0" || url.host == "[::]",
        needs_permission: asks && !mixed,
        insecure: asks && !home.secure,
        url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(page: &str, browser: Browser) -> PageOrigin {
        PageOrigin { browser, ..PageOrigin::from_address(page) }
    }

    #[test]
    fn mixed_content_depends_on_the_target_and_the_browser() {
        use Browser::{Chromium, Firefox, WebKit};
        for (target, chromium, firefox, webkit) in [
            ("http://127.0.0.1:1234/", false, false, true),
            ("http://[::1]:1234/", false, false, true),
            ("http://localhost:1234/", false, false, true),
            ("http://x.localhost/", false, false, true),
            ("http://192.168.0.7/", false, true, true),
            ("http://box.local/", false, true, true),
            ("http://box/", true, true, true),
            ("http://agent.example.com/", true, true, true),
            ("https://agent.example.com/", false, false, false),
            ("https://192.168.0.7/", false, false, false),
        ] {
            for (browser, mixed) in [(Chromium, chromium), (Firefox, firefox), (WebKit, webkit)] {
                let found = triage(target, &home("https://checker.example/", browser)).unwrap();
                assert_eq!(found.mixed, mixed, "{target} in {browser:?}");
                let found = triage(target, &home("http://localhost:8080/", browser)).unwrap();
                assert!(!found.mixed && !found.needs_permission, "{target} in {browser:?} from this machine");
            }
        }
    }

    #[test]
    fn a_public_page_needs_permission_for_a_private_host() {
        let from = |page: &str, browser| triage("http://localhost:9/", &home(page, browser)).unwrap();
        assert!(from("https://checker.example/", Browser::Chromium).needs_permission);
        assert!(from("https://checker.example/", Browser::Firefox).needs_permission);
        assert!(!from("https://checker.example/", Browser::WebKit).needs_permission);
        assert!(!from("http://localhost:3000/", Browser::Chromium).needs_permission);
        assert!(from("http://checker.example/", Browser::Chromium).insecure);
        let public = triage("https://agent.example/", &home("https://checker.example/", Browser::Chromium)).unwrap();
        assert!(!public.needs_permission);
    }

    #[test]
    fn bad_ports_and_the_unspecified_address_are_recognised() {
        let of = |url: &str| triage(url, &PageOrigin::from_address("http://localhost:8080/")).unwrap();
        for port in [6000, 5060, 6667, 10080, 22] {
            assert!(of(&format!("http://h:{port}/")).bad_port, "{port}");
        }
        for port in [80, 443, 3000, 8000, 8080, 9999] {
            assert!(!of(&format!("http://h:{port}/")).bad_port, "{port}");
        }
        assert!(of("http://0.0.0.0:8000/").unspecified);
        assert!(of("http://[::]:8000/").unspecified);
        assert!(!of("http://127.0.0.1:8000/").unspecified);
    }

    #[test]
    fn urls_that_cannot_be_requested_are_refused() {
        let home = PageOrigin::from_address("http://localhost:8080/");
        assert_eq!(triage("javascript:alert(1)", &home), Err(UrlProblem::Scheme("javascript".into())));
        assert_eq!(triage("http://user:pass@h/", &home), Err(UrlProblem::Credentials));
    }
}
