//! What every browser does to the requests of a page: how many go to one origin at once, and which headers no script may set.

/// How many requests of a page are under way at once: a browser has six connections for a host.
pub const CONNECTIONS_PER_ORIGIN: usize = 6;

/// Header names that no script of a page may set (Fetch §forbidden request-header): a browser drops them without a word.
const FORBIDDEN: [&str; 14] = [
    "accept-charset",
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "date",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "te",
    "transfer-encoding",
];

/// Whether a browser drops a header of this name.
#[must_use]
pub fn drops_header(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    FORBIDDEN.contains(&lower.as_str()) || lower.starts_with("sec-") || lower.starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use super::drops_header;

    #[test]
    fn credentials_pass_but_for_cookies() {
        for name in ["Cookie", "HOST", "Sec-Fetch-Mode", "proxy-authorization"] {
            assert!(drops_header(name), "{name}");
        }
        for name in ["Authorization", "X-Api-Key", "Security-Token"] {
            assert!(!drops_header(name), "{name}");
        }
    }
}
