//! The header fields of A2A in all its versions, and those of HTTP that go with them. Other lists of them would forget one.

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

/// The response headers that a server must expose to a client in a page, in lower case.
pub const EXPOSED: [&str; 5] = ["www-authenticate", "etag", "retry-after", "a2a-version", "a2a-extensions"];

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
        }
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
