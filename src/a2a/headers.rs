//! The names of the header fields of A2A in all its versions, those of HTTP that go with them, and which of them CORS has to allow
//! and expose. These are the only lists: a second one would forget a header.

use crate::wire::http::Headers;

/// Names the version of the protocol in a request (1.0 §3.2.6).
pub const VERSION: &str = "A2A-Version";
/// Names extensions in a request and in its answer (1.0 §3.2.6).
pub const EXTENSIONS: &str = "A2A-Extensions";
/// The same in 0.3.
pub const EXTENSIONS_0_3: &str = "X-A2A-Extensions";

/// The request headers that the checker sets by itself, in lower case. Any other was given by the user, and its value may
/// be a secret.
pub const OWN: [&str; 6] =
    ["content-type", "accept", "a2a-version", "a2a-extensions", "x-a2a-extensions", "if-none-match"];

/// The request headers that a server must allow for a client in a page (Fetch §CORS-preflight request), in lower case.
pub const ALLOWED: [&str; 7] = [
    "content-type",
    "authorization",
    "a2a-version",
    "a2a-extensions",
    "x-a2a-extensions",
    "if-none-match",
    "last-event-id",
];

/// The response headers that a client looks for, and that a page sees only where the server exposes them.
pub const EXPOSED: [&str; 6] = ["WWW-Authenticate", "ETag", "Retry-After", VERSION, EXTENSIONS, EXTENSIONS_0_3];

/// The headers of an ordinary call for which a browser sends a preflight, in lower case.
pub const PREFLIGHTED: [&str; 2] = ["content-type", "a2a-version"];

/// The request headers that a page may send without a preflight (Fetch §CORS-safelisted request-header), in lower case.
/// Content-Type is not one of them here: only values that A2A does not use are safelisted.
pub const SAFELISTED_IN_REQUESTS: [&str; 3] = ["accept", "accept-language", "content-language"];

/// The response headers that a browser shows to any page (Fetch §CORS-safelisted response-header name), in lower case.
pub const SAFELISTED_IN_RESPONSES: [&str; 7] =
    ["cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma"];

/// Whether a response allows pages of other origins to see its header of this name, safelisted or not.
#[must_use]
pub fn is_exposed(response: &Headers, name: &str) -> bool {
    let names = response.get("access-control-expose-headers").unwrap_or_default();
    names.split(',').map(str::trim).any(|exposed| exposed == "*" || exposed.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::{BINDINGS, Call};
    use crate::a2a::dialect::DIALECTS;
    use crate::a2a::model::{Interface, Operation};

    #[test]
    fn the_headers_of_every_version_are_in_the_lists() {
        for dialect in DIALECTS {
            for name in [dialect.version_header, dialect.extensions_header].into_iter().flatten() {
                let name = name.to_ascii_lowercase();
                assert!(OWN.contains(&name.as_str()) && ALLOWED.contains(&name.as_str()), "{name}");
            }
            // An agent names the extensions that it activated; only requests name a version in every version.
            for name in [dialect.version_header, dialect.extensions_header].into_iter().flatten() {
                assert!(EXPOSED.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn what_the_checker_sets_is_allowed_or_needs_no_preflight() {
        for name in OWN {
            assert!(ALLOWED.contains(&name) || SAFELISTED_IN_REQUESTS.contains(&name), "{name}");
        }
        assert!(PREFLIGHTED.iter().all(|name| OWN.contains(name) && ALLOWED.contains(name)));
        for name in EXPOSED {
            assert!(!SAFELISTED_IN_RESPONSES.contains(&name.to_ascii_lowercase().as_str()), "{name}");
        }
    }

    #[test]
    fn a_header_is_exposed_by_its_name_or_by_an_asterisk() {
        let exposed = |value: &str| [("Access-Control-Expose-Headers", value)].into_iter().collect::<Headers>();
        for value in ["etag", "a, ETag ,b", "*"] {
            assert!(is_exposed(&exposed(value), "ETag"), "{value}");
        }
        for value in ["", "x-etag", "etag2"] {
            assert!(!is_exposed(&exposed(value), "ETag"), "{value}");
        }
        assert!(!is_exposed(&Headers::new(), "ETag"));
    }

    #[test]
    fn no_call_without_the_users_headers_is_taken_for_one_with_credentials() {
        for dialect in DIALECTS {
            for binding in BINDINGS {
                let dialect = dialect.over(binding.id);
                let call = Call {
                    operation: Some(Operation::SendMessage),
                    extensions: Some(vec!["https://example.com/extension".to_owned()]),
                    ..Call::default()
                };
                let interface = Interface { url: "https://h.example/".to_owned(), ..Interface::default() };
                let Ok(request) = (binding.request)(dialect, &interface, &call) else { continue };
                assert!(!request.may_carry_credentials(&OWN), "{dialect:?} {binding:?}: {:?}", request.headers);
                assert!(request.with_header("X-Key", "secret").may_carry_credentials(&OWN));
            }
        }
    }
}
