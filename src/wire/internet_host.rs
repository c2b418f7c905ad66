//! Whether a host is one of the public internet, as far as its name or address says: private ranges, and the ends of private and
//! public names. Nothing is resolved: a name that a private network may answer as well is not evidence of either.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether everybody can reach a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is this machine.
    Loopback,
    /// It is on a network of somebody's own, or on none.
    Private,
    /// It is on the public internet.
    Public,
    /// Its name does not say.
    Unknown,
}

/// Ends of names that the public name system does not answer: special-use names (RFC 6761, 6762, 7686, 8375, 9476, and `internal`, which
/// is reserved for private use), those of private networks that RFC 6762 appendix G names, what will never be delegated because of
/// name collisions, and the names inside of a cluster.
const PRIVATE_ENDS: &str = "alt arpa cluster corp domain home internal intra intranet invalid lan local localdomain localhost mail onion \
    private svc test";

/// The generic ends that names of the public internet mostly have. Country codes are two letters, and those in other scripts begin
/// with `xn--`.
const PUBLIC_ENDS: &str = "agency app art asia biz blog cloud club com company design dev digital edu email gov group info int life live \
    media mil mobi name net network online org page pro run shop site software solutions store systems tech world";

/// Of these, the ones that nobody calls a namespace of a cluster: `agent.dev` is a name there as well.
const NO_NAMESPACE: [&str; 8] = ["biz", "com", "edu", "gov", "info", "mil", "net", "org"];

/// Country codes that are words of which people make namespaces.
const CODES_AND_WORDS: [&str; 7] = ["ai", "cd", "ci", "io", "it", "ml", "qa"];

fn is_among(words: &str, end: &str) -> bool {
    words.split(' ').any(|word| word == end)
}

/// What the host of a URL says, an IPv6 address in its brackets.
#[must_use]
pub fn reach(host: &str) -> Reach {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let address = match bare {
        // A zone is of one machine, and of no address that is routed.
        Some(text) if text.contains('%') => return Reach::Private,
        Some(text) => text.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    };
    match address.map(|address| address.to_canonical()) {
        Some(IpAddr::V4(address)) => of_v4(address),
        Some(IpAddr::V6(address)) => of_v6(address),
        None if bare.is_some() => Reach::Unknown,
        None => of_name(host),
    }
}

/// The IANA IPv4 Special-Purpose Address Registry: what is not globally reachable, and multicast, which nobody serves HTTP at.
fn of_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [127, ..] => Reach::Loopback,
        // The two anycast addresses in the block of protocol assignments.
        [192, 0, 0, 9 | 10] => Reach::Public,
        [0 | 10 | 224..=255, ..]
        | [100, 64..=127, ..]
        | [169, 254, ..]
        | [172, 16..=31, ..]
        | [192, 168, ..]
        | [192, 0, 0 | 2, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Reach::Private,
        // 6to4 relays, which are deprecated.
        [192, 88, 99, _] => Reach::Unknown,
        _ => Reach::Public,
    }
}

/// The IANA IPv6 Special-Purpose Address Registry. Global unicast addresses are those of 2000::/3.
fn of_v6(address: Ipv6Addr) -> Reach {
    let embedded = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        of_v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Reach::Loopback,
        // Translation to IPv4 (RFC 6052): an address inside.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4, which is deprecated, and Teredo.
        [0x2002, ..] | [0x2001, 0, ..] => Reach::Unknown,
        // Anycast addresses, AMT, AS112 and ORCHIDv2 in the block of protocol assignments.
        [0x2001, 1, 0, 0, 0, 0, 0, 1..=3] | [0x2001, 3, ..] | [0x2001, 4, 0x112, ..] => Reach::Public,
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Private,
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Private,
    }
}

fn of_name(host: &str) -> Reach {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let labels: Vec<&str> = name.split('.').collect();
    let is_code = |end: &str| end.len() == 2 && end.bytes().all(|byte| byte.is_ascii_lowercase());
    match labels.as_slice() {
        [.., "localhost"] => Reach::Loopback,
        // A name without a dot is looked up in a network of one's own.
        [] | [_] => Reach::Private,
        // The one name below it that the public name system answers for everybody.
        [.., "resolver", "arpa"] => Reach::Unknown,
        [.., end] if is_among(PRIVATE_ENDS, end) => Reach::Private,
        // Two labels are the name of a service in a cluster as well, and its namespace.
        [_, end] if NO_NAMESPACE.contains(end) || (is_code(end) && !CODES_AND_WORDS.contains(end)) => Reach::Public,
        [_, _, .., end] if is_among(PUBLIC_ENDS, end) || is_code(end) => Reach::Public,
        [.., end] if end.starts_with("xn--") => Reach::Public,
        _ => Reach::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(expected: Reach, hosts: &str) {
        for host in hosts.split_whitespace() {
            assert_eq!(reach(host), expected, "{host}");
        }
    }

    #[test]
    fn this_machine_is_known_by_all_its_names() {
        all(
            Reach::Loopback,
            "localhost LOCALHOST. a.localhost 127.0.0.1 127.8.8.8 [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1]",
        );
    }

    #[test]
    fn what_the_registries_name_is_on_nobodys_internet() {
        all(
            Reach::Private,
            "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 169.254.1.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.7 192.168.0.9 \
             198.18.0.1 198.19.9.9 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255 [::] [::ffff:10.0.0.1] [::ffff:c0a8:1] \
             [fc00::1] [fdff::1] [fe80::1] [fe80::1%25eth0] [ff02::1] [64:ff9b:1::1] [64:ff9b::a00:1] [100::1] [2001:db8::1] \
             [2001:2::1] [3fff::1] [5f00::1]",
        );
        all(
            Reach::Public,
            "8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.0.9 192.0.1.1 198.20.0.1 [2606:4700::1]",
        );
        all(Reach::Public, "[::ffff:8.8.8.8] [64:ff9b::808:808] [2001:200::1] [2001:4860:4860::8888] [2001:1::1]");
        all(Reach::Unknown, "192.88.99.1 [2002:a00:1::] [2001::1]");
    }

    #[test]
    fn names_that_a_network_of_ones_own_answers_are_private() {
        all(
            Reach::Private,
            "agent box.local agent.default.svc agent.default.svc.cluster.local nas.home.arpa a.lan a.intranet a.corp a.home \
             a.private a.internal a.test a.invalid a.localdomain a.onion a.alt 1.0.0.127.in-addr.arpa",
        );
    }

    #[test]
    fn only_names_that_are_certainly_public_are_called_so() {
        all(
            Reach::Public,
            "example.com EXAMPLE.COM. agents.example.org a.de agent.acme.io agent.acme.dev api.team.cloud 10.example.com \
             127.0.0.1.example.com a.xn--p1ai example.co.uk",
        );
        // In a cluster these are a service and its namespace; what ends in a number is an address in another notation.
        all(
            Reach::Unknown,
            "agent.default billing.payments agent.dev agent.ai agent.prod a.b.staging agent.example 127.1 0x7f.1 1.2.3.4.5 \
             _dns.resolver.arpa",
        );
    }
}
