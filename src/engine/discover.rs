//! From what a user typed to the card URLs to try, and from a card to the lanes that are run: the well-known paths, and how many
//! interfaces at most.

#[cfg(test)]
mod gateway_tests;
mod spelling;

use std::rc::Rc;

use super::gateway_route::GatewayRoute;
use super::transcript::Lane;
use crate::a2a::binding::Binding;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{Card, Interface};
use crate::wire::json::clip;
use crate::wire::limits::{LONGEST_NAME, LONGEST_URL, LONGEST_VERSION, MOST_INTERFACES};
use crate::wire::place_index::IdentitySet;
use crate::wire::url::{Url, UrlProblem};

/// The path of the card since 0.3 (1.0 §8.2).
pub const CARD_PATH: &str = "/.well-known/agent-card.json";
/// The path of the card up to 0.2.
pub const LEGACY_CARD_PATH: &str = "/.well-known/agent.json";

/// The target of a run: an agent, or its card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    names_card: bool,
}

/// Why an address cannot be checked; the text is for the user.
pub type AddressProblem = UrlProblem;

/// Reads what a user typed or pasted: an origin, a base path or a card URL, with or without a scheme, in quotes or spaces, or only a port
/// of this machine. An error is one specific sentence.
pub fn normalise(text: &str) -> Result<Address, AddressProblem> {
    let text = &*spelling::corrected(text);
    if text.is_empty() {
        return Err(UrlProblem::Empty);
    }
    if text.contains(char::is_whitespace) {
        let addresses = text.split_whitespace().filter(|word| word.contains("://")).count();
        return Err(if addresses > 1 { UrlProblem::Several } else { UrlProblem::Space });
    }
    if spelling::lacks_brackets(text) {
        return Err(UrlProblem::Brackets);
    }
    let scheme = text.split_once(':');
    let has_scheme = scheme.is_some_and(|(scheme, rest)| {
        // `localhost:8080` has a port there, not a scheme.
        let port = rest.split(['/', '?']).next().unwrap_or_default();
        let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        rest.starts_with("//") || (!scheme.contains(['.', '[', '/']) && !is_port)
    });
    let url = if has_scheme {
        Url::parse(text)?
    } else {
        // Without a scheme: plain http for this machine and private networks, https for everybody else.
        let plain = Url::parse(&format!("http://{text}"))?;
        if plain.is_local() { plain } else { Url { scheme: "https".to_owned(), ..plain } }
    };
    // Nothing listens on the unspecified address; agents that print it mean this machine.
    let url = if url.host == "0.0.0.0" { Url { host: "127.0.0.1".to_owned(), ..url } } else { url };
    let path = url.path.trim_end_matches('/');
    let names_card = path.ends_with(".json");
    // A user who names the folder of the card means the agent.
    let base = path.strip_suffix("/.well-known").unwrap_or(path);
    let path = match (names_card || base != path, base) {
        (false, _) => url.path.clone(),
        (true, "") => "/".to_owned(),
        (true, base) => base.to_owned(),
    };
    let url = Url { path, ..url };
    Ok(Address { url, names_card })
}

impl Address {
    /// The card URLs to try, in order: the one given, then the base path's, then the origin's, the current name first. Who names a card mostly
    /// knows its name, and not always its folder.
    #[must_use]
    pub fn candidates(&self) -> Vec<String> {
        let origin = self.url.origin();
        let mut found = Vec::new();
        let mut add = |url: String| {
            if !found.contains(&url) {
                found.push(url);
            }
        };
        if self.names_card {
            add(self.url.to_string());
            add(format!("{origin}{}{CARD_PATH}", self.base().path.trim_end_matches('/')));
            add(format!("{origin}{CARD_PATH}"));
        } else {
            let base = self.url.path.trim_end_matches('/');
            // A card at the base path, by either file name, is the card of this agent; one at the origin may be that of another.
            add(format!("{origin}{base}{CARD_PATH}"));
            add(format!("{origin}{base}{LEGACY_CARD_PATH}"));
            add(format!("{origin}{CARD_PATH}"));
            add(format!("{origin}{LEGACY_CARD_PATH}"));
        }
        found
    }

    /// Its host.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.url.host
    }

    /// Whether it is of this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.url.is_loopback()
    }

    /// Scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url.origin()
    }

    /// Whether the user named the card itself.
    #[must_use]
    pub const fn names_card(&self) -> bool {
        self.names_card
    }

    /// The query that no request for the card carries, since it belongs to another path.
    #[must_use]
    pub fn unused_query(&self) -> Option<&str> {
        self.url.query.as_deref().filter(|query| !self.names_card && !query.is_empty())
    }

    /// The way to the agent at this address through the gateway at the address that a user typed, if that is one.
    pub fn through(&self, typed: &str) -> Result<GatewayRoute, AddressProblem> {
        let gateway = normalise(typed)?;
        Ok(GatewayRoute { agent: self.base(), gateway: gateway.base(), cards: gateway.candidates() })
    }

    /// Whether an address, as it was typed, is that of a gateway before this agent; an error is the rest of a sentence that begins with
    /// what was typed.
    pub fn accepts_gateway(&self, typed: &str) -> Result<(), String> {
        match self.through(typed) {
            Ok(route) if route.is_agent_itself() => Err(" is the address of the agent itself".to_owned()),
            Ok(_) => Ok(()),
            Err(problem) => Err(format!(": {problem}")),
        }
    }

    /// The place below which it has its card and its interfaces.
    fn base(&self) -> Url {
        let path = self.url.path.as_str();
        let card = [CARD_PATH, LEGACY_CARD_PATH].into_iter().find_map(|card| path.strip_suffix(card));
        let path = match card {
            Some(base) => base,
            None if self.names_card => path.rsplit_once('/').map_or("", |(folder, _)| folder),
            None => path,
        };
        let path = format!("{}/", path.trim_end_matches('/'));
        Url { path, query: None, ..self.url.clone() }
    }

    /// The address in its normal form, in its pieces.
    #[must_use]
    pub const fn parsed(&self) -> &Url {
        &self.url
    }

    /// The address in its normal form.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.to_string()
    }
}

/// An interface that is not checked, and the reason.
pub type SkippedInterface = (String, String);

/// Which interfaces of a card are wanted.
#[derive(Debug, Clone, Copy)]
pub struct WantedInterfaces<'a> {
    /// Only those of these bindings, by the names in the ids of lanes; empty means all.
    pub bindings: &'a [String],
    /// How many at most.
    pub most: usize,
    /// Why the others are not called.
    pub why_no_more: &'a str,
}

/// The interfaces of a card, as far as a run is about them.
#[derive(Debug, Default)]
pub struct DeclaredInterfaces {
    /// Those that are called, in the order of the card.
    pub lanes: Vec<Rc<Lane>>,
    /// Those that are not.
    pub skipped: Vec<SkippedInterface>,
    /// How many of those only because they are too many.
    pub too_many: usize,
}

/// An interface that can be called.
struct CallableInterface {
    interface: Interface,
    dialect: &'static Dialect,
    binding: &'static Binding,
    /// As the report names it when it is not called.
    name: String,
    /// The version as the lane's id has it.
    version: String,
    /// Whether no earlier one has its version and its binding.
    is_first_of_pair: bool,
}

/// The lanes of a card, and its interfaces that are not checked.
#[must_use]
pub fn lanes(card: &Card) -> (Vec<Rc<Lane>>, Vec<SkippedInterface>) {
    let why_no_more = "a run calls no more interfaces than this";
    let wanted = WantedInterfaces { bindings: &[], most: MOST_INTERFACES, why_no_more };
    let DeclaredInterfaces { lanes, skipped, .. } = wanted_lanes(card, wanted);
    (lanes, skipped)
}

/// The lanes of a card that are wanted. Where it has more, the preferred interface and the first of each version and binding are
/// among them, and then those that the card lists first.
#[must_use]
pub fn wanted_lanes(card: &Card, wanted: WantedInterfaces<'_>) -> DeclaredInterfaces {
    let mut skipped = Vec::new();
    let callable = callable_interfaces(card, wanted.bindings, &mut skipped);
    let needed = callable.iter().filter(|callable| callable.is_first_of_pair).count().min(wanted.most);
    let (mut needed_left, mut others_left) = (needed, wanted.most - needed);
    let mut lanes: Vec<Rc<Lane>> = Vec::new();
    let mut too_many = 0;
    for callable in callable {
        let left = if callable.is_first_of_pair { &mut needed_left } else { &mut others_left };
        if *left == 0 {
            too_many += 1;
            skipped.push((callable.name, wanted.why_no_more.to_owned()));
            continue;
        }
        *left -= 1;
        let id = format!("{}-{}", callable.binding.slug, callable.version);
        let twins = lanes.iter().filter(|lane| lane.id == id || lane.id.starts_with(&format!("{id}-"))).count();
        let id = if twins > 0 { format!("{id}-{}", twins + 1) } else { id };
        lanes.push(Rc::new(Lane::new(id, callable.interface, callable.dialect, callable.binding)));
    }
    DeclaredInterfaces { lanes, skipped, too_many }
}

/// The interfaces that can be called, in the order of the card. Cards may list a great many, so that each is looked at once.
fn callable_interfaces(
    card: &Card,
    bindings: &[String],
    skipped: &mut Vec<SkippedInterface>,
) -> Vec<CallableInterface> {
    let mut known_versions = IdentitySet::default();
    let known =
        card.interfaces.iter().filter_map(|interface| Some((interface, Dialect::of_version(&interface.version)?)));
    for (interface, dialect) in known {
        known_versions.add(&[&interface.url, &interface.binding, dialect.version]);
    }
    let (mut listed, mut pairs) = (IdentitySet::default(), IdentitySet::default());
    let mut callable = Vec::new();
    for interface in &card.interfaces {
        let name = clip(&format!("{} {} at {}", interface.binding, interface.version, interface.url), LONGEST_NAME);
        let mut look_at = || {
            // It is in the name of every row of the interface.
            if interface.version.len() > LONGEST_VERSION {
                let length = interface.version.len();
                return Err(format!(
                    "its protocolVersion has {length} characters, and {LONGEST_VERSION} is the most that is looked at"
                ));
            }
            let binding = Binding::named(&interface.binding)
                .ok_or_else(|| format!("this checker does not support the binding {}", interface.binding))?;
            let known = Dialect::of_version(&interface.version);
            let nearest = known
                .or_else(|| Dialect::nearest(&interface.version))
                .ok_or_else(|| format!("this checker does not support the protocol version {}", interface.version))?;
            let dialect = nearest.over(binding.id);
            if known.is_none() && known_versions.has(&[&interface.url, &interface.binding, nearest.version]) {
                let version = nearest.version;
                return Err(format!("the card lists it as {version} too, the nearest version that this checker knows"));
            }
            if binding.id == GRPC.id && dialect.grpc.is_none() {
                return Err(format!("this checker does not speak gRPC of A2A {}", nearest.version));
            }
            let url =
                (binding.url)(&interface.url).map_err(|problem| format!("its URL cannot be requested: {problem}"))?;
            if url.len() > LONGEST_URL {
                return Err(format!("its URL is longer than the {LONGEST_URL} bytes that every server takes"));
            }
            let tenant = interface.tenant.as_ref().map_or_else(String::new, |tenant| format!("tenant {tenant}"));
            if !listed.add(&[&url, &interface.binding, &interface.version, &tenant]) {
                return Err("the card lists it twice".to_owned());
            }
            if !bindings.is_empty() && !bindings.iter().any(|wanted| wanted == binding.slug) {
                return Err("this binding was not selected".to_owned());
            }
            let version = known.map_or(interface.version.trim(), |_| dialect.version).to_owned();
            let is_first_of_pair = pairs.add(&[binding.slug, dialect.version]);
            let interface = Interface { url, ..interface.clone() };
            Ok(CallableInterface { interface, dialect, binding, name: name.clone(), version, is_first_of_pair })
        };
        match look_at() {
            Ok(found) => callable.push(found),
            Err(why) => skipped.push((name, clip(&why, LONGEST_NAME))),
        }
    }
    callable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_sensible_becomes_the_card_url_that_is_tried_first() {
        for (typed, first) in [
            ("https://agent.example.com", "https://agent.example.com/.well-known/agent-card.json"),
            ("https://agent.example.com/", "https://agent.example.com/.well-known/agent-card.json"),
            ("  \"https://agent.example.com\" ", "https://agent.example.com/.well-known/agent-card.json"),
            ("<https://agent.example.com>", "https://agent.example.com/.well-known/agent-card.json"),
            ("agent.example.com", "https://agent.example.com/.well-known/agent-card.json"),
            ("agent.example.com:8443/base", "https://agent.example.com:8443/base/.well-known/agent-card.json"),
            ("localhost:9999", "http://localhost:9999/.well-known/agent-card.json"),
            ("localhost", "http://localhost/.well-known/agent-card.json"),
            ("127.0.0.1:80/", "http://127.0.0.1/.well-known/agent-card.json"),
            ("0.0.0.0:8000", "http://127.0.0.1:8000/.well-known/agent-card.json"),
            ("[::1]:8000", "http://[::1]:8000/.well-known/agent-card.json"),
            ("192.168.1.7:5000", "http://192.168.1.7:5000/.well-known/agent-card.json"),
            ("http://h/a/b/", "http://h/a/b/.well-known/agent-card.json"),
            ("https://h/cards/mine.json", "https://h/cards/mine.json"),
            ("https://h/.well-known/agent.json", "https://h/.well-known/agent.json"),
            ("https://h/x?y=1#z", "https://h/x/.well-known/agent-card.json"),
            ("HTTPS://H", "https://h/.well-known/agent-card.json"),
            ("http:/h", "http://h/.well-known/agent-card.json"),
            ("https:/agent.example.com/a", "https://agent.example.com/a/.well-known/agent-card.json"),
            ("https:agent.example.com", "https://agent.example.com/.well-known/agent-card.json"),
            ("http//h", "http://h/.well-known/agent-card.json"),
            ("https//agent.example.com", "https://agent.example.com/.well-known/agent-card.json"),
            ("http;//h", "http://h/.well-known/agent-card.json"),
            ("http:///h", "http://h/.well-known/agent-card.json"),
            (r"http:\\h\a", "http://h/a/.well-known/agent-card.json"),
            ("https://http://h/a", "http://h/a/.well-known/agent-card.json"),
            ("//h/a", "http://h/a/.well-known/agent-card.json"),
            ("8080", "http://localhost:8080/.well-known/agent-card.json"),
            (":8080", "http://localhost:8080/.well-known/agent-card.json"),
            (":8080/a2a", "http://localhost:8080/a2a/.well-known/agent-card.json"),
            ("http:8080", "http://localhost:8080/.well-known/agent-card.json"),
            ("http://:8080/", "http://localhost:8080/.well-known/agent-card.json"),
            ("\u{201c}https://h\u{201d},", "https://h/.well-known/agent-card.json"),
            ("(see-h.example).", "https://see-h.example/.well-known/agent-card.json"),
            ("https://h/.well-known/", "https://h/.well-known/agent-card.json"),
            ("https://h/a/.well-known", "https://h/a/.well-known/agent-card.json"),
            ("https://h/.well-known/agent-card.json/", "https://h/.well-known/agent-card.json"),
            ("https://h/mine.json?x=1", "https://h/mine.json?x=1"),
            ("https://checker.example/#u=https://h/a&version=0.3", "https://h/a/.well-known/agent-card.json"),
            ("checker.example/b/#u=h%2Fa%3Fx", "http://h/a/.well-known/agent-card.json"),
            // Hosts may have such names.
            ("http/a", "http://http/a/.well-known/agent-card.json"),
            ("https:8443/a", "https://localhost:8443/a/.well-known/agent-card.json"),
            ("httpbin.example", "https://httpbin.example/.well-known/agent-card.json"),
        ] {
            let address = normalise(typed).unwrap_or_else(|problem| panic!("{typed}: {problem}"));
            assert_eq!(address.candidates().first().map(String::as_str), Some(first), "{typed}");
        }
    }

    #[test]
    fn what_cannot_be_checked_is_refused_with_its_reason() {
        for (typed, problem) in [
            ("", UrlProblem::Empty),
            ("  ''  ", UrlProblem::Empty),
            ("ftp://h", UrlProblem::Scheme("ftp".into())),
            ("javascript:alert(1)", UrlProblem::Scheme("javascript".into())),
            ("mailto:a@b.c", UrlProblem::Scheme("mailto".into())),
            ("file:///etc/passwd", UrlProblem::Scheme("file".into())),
            ("http://user:pass@h/", UrlProblem::Credentials),
            ("user@h", UrlProblem::Credentials),
            ("http://", UrlProblem::Host),
            ("http://h:port/", UrlProblem::Port("port".into())),
            ("99999", UrlProblem::Port("99999".into())),
            (":0", UrlProblem::Port("0".into())),
            ("http:", UrlProblem::Host),
            ("?x=1", UrlProblem::Host),
            ("htp://h", UrlProblem::Scheme("htp".into())),
            ("wss://h/", UrlProblem::Scheme("wss".into())),
            (r"C:\cards\mine.json", UrlProblem::Scheme("C".into())),
            ("http://h/a b", UrlProblem::Space),
            ("GET http://h/", UrlProblem::Space),
            ("http://h http://i", UrlProblem::Several),
            ("::1", UrlProblem::Brackets),
            ("http://::1:8080/", UrlProblem::Brackets),
            ("fe80::1", UrlProblem::Brackets),
        ] {
            assert_eq!(normalise(typed), Err(problem), "{typed}");
        }
    }

    #[test]
    fn a_query_that_no_request_carries_is_not_dropped_silently() {
        for (typed, unused) in [
            ("http://h/a?x=1", Some("x=1")),
            ("http://h?x=1#y", Some("x=1")),
            ("http://h/?", None),
            ("http://h/mine.json?x=1", None),
            ("http://h", None),
        ] {
            assert_eq!(normalise(typed).unwrap().unused_query(), unused, "{typed}");
        }
    }

    #[test]
    fn a_base_path_is_tried_before_the_origin_and_the_current_name_before_the_old_one() {
        let candidates = normalise("http://h/a").unwrap().candidates();
        assert_eq!(
            candidates,
            [
                "http://h/a/.well-known/agent-card.json",
                "http://h/a/.well-known/agent.json",
                "http://h/.well-known/agent-card.json",
                "http://h/.well-known/agent.json",
            ]
        );
    }

    /// The card of an agent with so many interfaces of one kind, and then these, by binding and version.
    fn card_of(many: usize, others: &[(&str, &str)]) -> Card {
        let of_one_kind = std::iter::repeat_n(("JSONRPC", "1.0"), many);
        let all = of_one_kind.chain(others.iter().copied()).enumerate();
        let interface = |(number, (binding, version)): (usize, (&str, &str))| Interface {
            url: format!("http://h/{number}"),
            binding: binding.to_owned(),
            version: version.to_owned(),
            tenant: None,
        };
        Card { interfaces: all.map(interface).collect(), ..Card::default() }
    }

    fn ids(lanes: &[Rc<Lane>]) -> Vec<&str> {
        lanes.iter().map(|lane| lane.id.as_str()).collect()
    }

    #[test]
    fn of_many_interfaces_each_version_and_binding_is_called_and_then_those_listed_first() {
        let card = card_of(40, &[("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("JSONRPC", "0.3"), ("GRPC", "1.0")]);
        let wanted = WantedInterfaces { bindings: &[], most: 6, why_no_more: "enough" };
        let DeclaredInterfaces { lanes, skipped, too_many } = wanted_lanes(&card, wanted);
        assert_eq!(
            ids(&lanes),
            ["jsonrpc-1.0", "jsonrpc-1.0-2", "jsonrpc-1.0-3", "rest-1.0", "jsonrpc-0.3", "grpc-1.0"]
        );
        assert_eq!((skipped.len(), too_many), (38, 38));
        assert_eq!(skipped.first(), Some(&("JSONRPC 1.0 at http://h/3".to_owned(), "enough".to_owned())));
        // The preferred one is the first.
        let one = wanted_lanes(&card, WantedInterfaces { most: 1, ..wanted });
        assert_eq!(ids(&one.lanes), ["jsonrpc-1.0"]);
        let rest = ["rest".to_owned()];
        let selected = wanted_lanes(&card, WantedInterfaces { bindings: &rest, ..wanted });
        assert_eq!((ids(&selected.lanes), selected.too_many), (vec!["rest-1.0"], 0));
        let all = wanted_lanes(&card, WantedInterfaces { most: 99, ..wanted });
        assert_eq!((all.lanes.len(), all.skipped.len(), all.too_many), (44, 0, 0));
    }

    #[test]
    fn what_is_listed_twice_or_by_its_nearest_version_takes_no_place_of_another() {
        let mut card = card_of(3, &[]);
        card.interfaces = card.interfaces.iter().flat_map(|interface| vec![interface.clone(); 1_000]).collect();
        let unknown = |number| Interface { version: format!("1.{}", number + 1), ..card.interfaces[0].clone() };
        let unknown: Vec<_> = (0..1_000).map(unknown).collect();
        card.interfaces.splice(1..1, unknown);
        let (lanes, skipped) = lanes(&card);
        assert_eq!(ids(&lanes), ["jsonrpc-1.0", "jsonrpc-1.0-2", "jsonrpc-1.0-3"]);
        let with = |words: &str| skipped.iter().filter(|(_, why)| why.contains(words)).count();
        assert_eq!((with("the card lists it twice"), with("the card lists it as 1.0 too")), (2_997, 1_000));
    }
}
