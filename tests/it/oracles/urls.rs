//! URL splitting against the crate `url`, which reads them as browsers do.
//!
//! Ours keeps what it does not need to understand as it was written: paths with dots, hosts outside of ASCII, numbers that
//! stand for an IPv4 address, what stands in the brackets of IPv6. Whoever sends a request reads the whole URL again, so
//! what matters is that it leads to the same place.

use a2a_conformance::wire::url::{Url, UrlProblem, decode, encode, is_absolute_uri, with_parameter};
use oracle::{Host, ParseError, form_urlencoded};
use proptest::prelude::*;
use proptest::sample::select;
use url as oracle;

use super::config;

/// Characters that no name of a host has, although the crate takes them (WHATWG forbids fewer).
const ODD_HOSTS: &str = "\"'`{},;";

fn scheme() -> impl Strategy<Value = String> {
    select(vec!["http", "https", "HTTP", "Https"]).prop_map(str::to_owned)
}

fn host() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z][a-zA-Z0-9-]{0,5}(\\.[a-z][a-z0-9]{0,4}){0,2}\\.?",
        1 => (any::<u32>()).prop_map(|bits| std::net::Ipv4Addr::from(bits).to_string()),
        1 => (any::<u128>(), any::<bool>()).prop_map(|(bits, short)| {
            let address = std::net::Ipv6Addr::from(if short { bits & 0xffff } else { bits });
            format!("[{address}]")
        }),
    ]
}

fn port() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(":".to_owned()),
        Just(":80".to_owned()),
        (1..u16::MAX).prop_map(|port| format!(":{port}"))
    ]
}

/// A URL that both must take, whatever stands behind the host.
fn good() -> impl Strategy<Value = String> {
    (
        scheme(),
        host(),
        port(),
        "(/[a-z%0-9.é@:;=&+~ <>\"^{}|-]{0,6}){0,4}",
        "(\\?[a-z=&%20+?/@ 'é]{0,8})?",
        "(#[a-z?/@]{0,4})?",
    )
        .prop_map(|(scheme, host, port, path, query, fragment)| {
            let tail = format!("{path}{query}");
            format!("{scheme}://{host}{port}{}{fragment}", tail.trim_end())
        })
}

/// Nearly a URL.
fn odd() -> impl Strategy<Value = String> {
    let scheme = prop_oneof![4 => scheme(), 1 => "[a-z]{0,5}", 1 => Just("ftp".to_owned())];
    let slashes = prop_oneof![6 => Just("://".to_owned()), 1 => "[:/\\\\]{0,4}"];
    let authority = prop_oneof![
        3 => "[a-zA-Z0-9.:@\\[\\]%_-]{0,10}",
        1 => "\\[[0-9a-f:.]{0,8}\\][:a-z0-9]{0,3}",
        1 => "[0-9.x]{1,8}",
        1 => "[a-zß%\"'`{},;<>^|\\\\ é\u{ff11}\u{0}\u{7f}\t+-]{0,6}(:[0-9+ ]{0,6})?",
    ];
    (scheme, slashes, authority, "[/?#\\\\@:a-z. \t\n]{0,8}", "[ \n\u{a0}]?").prop_map(
        |(scheme, slashes, authority, rest, blank)| format!("{blank}{scheme}{slashes}{authority}{rest}{blank}"),
    )
}

/// The crate's URL without its fragment, which no request has.
fn expected(text: &str) -> Result<oracle::Url, ParseError> {
    let mut url = oracle::Url::parse(text)?;
    url.set_fragment(None);
    Ok(url)
}

/// Whether a host is written as the crate writes it: a name in ASCII, or an address in its usual form.
fn is_plain(host: &str) -> bool {
    match Host::parse(host) {
        Ok(known) => known.to_string() == host,
        Err(_) => false,
    }
}

/// Properties of any text that ours accepts.
fn check(text: &str, ours: &Url) -> Result<(), TestCaseError> {
    match expected(text.trim()) {
        Ok(url) => {
            // Blanks at the end are trimmed, those before a fragment by whoever reads the URL next.
            let shown = ours.to_string();
            if !shown.ends_with(|c| c <= ' ') {
                prop_assert_eq!(expected(&shown), Ok(url.clone()));
            }
            prop_assert!(url.username().is_empty() && url.password().is_none());
            prop_assert_eq!(&ours.scheme, url.scheme());
            prop_assert_eq!(ours.port.or(Some(ours.own_port())), url.port_or_known_default());
            prop_assert_eq!(ours.query.is_some(), url.query().is_some());
            if is_plain(&ours.host) {
                prop_assert_eq!(Some(ours.host.as_str()), url.host_str());
                prop_assert_eq!(ours.origin(), url.origin().ascii_serialization());
            } else {
                // A name outside of ASCII, or an address in another form.
                let differs = !ours.host.is_ascii() || ours.host.starts_with('[') || url.host_str() != Some(&ours.host);
                prop_assert!(differs, "{}", ours.host);
            }
        }
        // Parts that ours does not look into.
        Err(ParseError::IdnaError | ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address) => {}
        Err(error) => prop_assert!(false, "{error}: {ours:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_url_leads_where_the_crate_says(text in good()) {
        let ours = Url::parse(&text);
        prop_assert!(ours.is_ok(), "{:?}", ours);
        check(&text, &ours.unwrap())?;
    }

    #[test]
    fn what_ours_takes_leads_where_the_crate_says_and_what_the_crate_takes_ours_takes_or_says_why_not(text in odd()) {
        match Url::parse(&text) {
            Ok(ours) => check(&text, &ours)?,
            Err(problem) => {
                let Ok(url) = expected(text.trim()) else { return Ok(()) };
                match problem {
                    // Slashes that a browser adds, drops or turns round.
                    UrlProblem::Scheme(_) => {
                        let slashes = text.trim().to_ascii_lowercase();
                        let http = ["http://", "https://"].iter().any(|start| slashes.starts_with(start));
                        prop_assert!(!matches!(url.scheme(), "http" | "https") || !http, "{}", url);
                    }
                    UrlProblem::Host => prop_assert!(text.contains("///") || text.contains("//\\") , "{}", url),
                    UrlProblem::HostCharacter(host) => {
                        let odd = |c: char| ODD_HOSTS.contains(c) || "%\\ \t\n".contains(c) || !c.is_ascii();
                        prop_assert!(host.contains(odd), "{}", url);
                    }
                    UrlProblem::Port(port) => {
                        prop_assert!(port.parse() == Ok(0_u32) || port.contains(['\\', '\t', '\n']), "{}", url);
                    }
                    UrlProblem::Credentials => prop_assert!(text.contains('@'), "{}", url),
                    // Those with a space and the like are not for the parser to find.
                    UrlProblem::Empty | UrlProblem::Space | UrlProblem::Several | UrlProblem::Brackets => {
                        prop_assert!(false, "{}", url);
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_is_taken_or_refused_without_a_panic_and_what_is_taken_reads_again(text in "\\PC{0,40}") {
        for text in [text.clone(), format!("http://{text}")] {
            if let Ok(url) = Url::parse(&text) {
                check(&text, &url)?;
                let shown = url.to_string();
                let port = url.port.filter(|port| *port != url.own_port());
                if shown == shown.trim() {
                    prop_assert_eq!(Url::parse(&shown), Ok(Url { port, ..url }));
                }
            }
        }
    }

    #[test]
    fn what_the_crate_takes_is_an_absolute_uri(text in odd()) {
        let bare = text.split_once(':').is_some_and(|(_, rest)| rest.is_empty());
        if oracle::Url::parse(&text).is_ok() && !text.contains(|c: char| c.is_whitespace() || c.is_control()) && !bare {
            prop_assert!(is_absolute_uri(&text));
        }
    }

    #[test]
    fn percent_codes_are_decoded_as_the_crate_does(text in "([a-z%é]|%[0-9a-fA-F]{2}){0,12}") {
        // Forms know besides that `+` is a blank and `&` the next field, which are not in the text.
        let field = form_urlencoded::parse(format!("={text}").as_bytes()).next().map(|(_, value)| value.into_owned());
        prop_assert_eq!(Some(decode(&text)), field);
    }

    #[test]
    fn what_is_encoded_is_a_name_and_a_value_to_the_crate(name in "\\PC{1,9}", value: String, url in good()) {
        prop_assert_eq!(decode(&encode(&value)), value.clone());
        let before = oracle::Url::parse(&url).unwrap();
        let after = oracle::Url::parse(&with_parameter(&url, &name, &value)).unwrap();
        let mut pairs: Vec<_> = before.query_pairs().collect();
        pairs.push((name.into(), value.into()));
        prop_assert_eq!(after.query_pairs().collect::<Vec<_>>(), pairs);
        prop_assert_eq!((after.path(), after.fragment()), (before.path(), before.fragment()));
    }
}

#[test]
fn where_ours_is_stricter_or_looser_than_the_crate() {
    // Ours asks for more than a browser does: whoever wrote these meant something else.
    for text in ["http:/h/", "http:h", "http:///h/", "http://h:0/", "http://u@h/", "http://a%62/", "http://a,b/"] {
        assert!(Url::parse(text).is_err() && expected(text).is_ok(), "{text}");
    }
    // Ours does not look into the host.
    for text in ["http://[1]/", "http://999.1.1.1/", "http://xn--a/"] {
        assert!(Url::parse(text).is_ok() && expected(text).is_err(), "{text}");
    }
    for (text, ours, theirs) in [
        ("http://B\u{fc}cher.example/", "b\u{fc}cher.example", "xn--bcher-kva.example"),
        ("http://2130706433/", "2130706433", "127.0.0.1"),
        ("http://[0:0::1]/", "[0:0::1]", "[::1]"),
    ] {
        assert_eq!(Url::parse(text).unwrap().host, ours);
        assert_eq!(expected(text).unwrap().host_str(), Some(theirs));
    }
    assert_eq!(Url::parse("http://h/a/../b").unwrap().path, "/a/../b");
    assert_eq!(expected("http://h/a/../b").unwrap().path(), "/b");
}
