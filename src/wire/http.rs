//! Plain HTTP messages: a method, a URL, headers in their order, bytes. No I/O.

use std::fmt;

/// A request method that A2A or a browser uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// `GET`.
    Get,
    /// `HEAD`: a `GET` whose answer has no body. Only ever received.
    Head,
    /// `POST`.
    Post,
    /// `DELETE`.
    Delete,
    /// `OPTIONS`: only ever received, as a CORS preflight.
    Options,
    /// `PUT`: no A2A route has it; a listener has to know it to refuse it properly.
    Put,
}

impl Method {
    /// The token on the request line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Put => "PUT",
        }
    }

    /// Reads a request line's token; `None` for any other. Methods are case-sensitive (RFC 9110 §9.1).
    #[must_use]
    pub fn parse(token: &str) -> Option<Self> {
        [Self::Get, Self::Head, Self::Post, Self::Delete, Self::Options, Self::Put]
            .into_iter()
            .find(|method| method.as_str() == token)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Header fields in the order they were seen, duplicates kept. Names compare without case (RFC 9110 §5.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// No fields.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of the first field of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// Adds a field behind the others.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Drops every field of that name, then adds this one.
    pub fn replace(&mut self, name: &str, value: impl Into<String>) {
        self.remove(name);
        self.push(name, value);
    }

    /// Drops every field of that name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
    }

    /// Drops all but the first fields, so many; answers whether there were more.
    pub fn truncate(&mut self, most: usize) -> bool {
        let has_more = self.0.len() > most;
        self.0.truncate(most);
        has_more
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// Every field, to be changed in place (redaction).
    pub fn fields_mut(&mut self) -> impl Iterator<Item = (&mut String, &mut String)> {
        self.0.iter_mut().map(|(n, v)| (n, v))
    }

    /// How many fields there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The media type of `Content-Type`, lower case and without parameters: `text/event-stream`.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let value = self.get("content-type")?;
        let essence = value.split(';').next().unwrap_or(value).trim();
        (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
    }
}

/// The content codings that a program or a browser takes off a body before anybody sees it (RFC 9110 §8.4.1).
const DECODED: [&str; 5] = ["gzip", "x-gzip", "deflate", "br", "zstd"];

impl Headers {
    /// What there is to say of a body that is shown: `, decoded from gzip`, or nothing.
    #[must_use]
    pub fn decoded_from(&self) -> String {
        let codings = self.get("content-encoding").unwrap_or_default().to_ascii_lowercase();
        let is_decoded = codings.split(',').all(|coding| DECODED.contains(&coding.trim()));
        if is_decoded { format!(", decoded from {codings}") } else { String::new() }
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(fields: T) -> Self {
        Self(fields.into_iter().map(|(n, v)| (n.into(), v.into())).collect())
    }
}

/// A request as it is handed to a transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The absolute URL.
    pub url: String,
    /// The header fields we set; a host adds its own (`Host`, `Origin`, ...).
    pub headers: Headers,
    /// The body, if the request has one.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// A `GET` without headers.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::Get, url: url.into(), headers: Headers::new(), body: None }
    }

    /// A `POST` of these bytes.
    #[must_use]
    pub fn post(url: impl Into<String>, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = [("content-type", media_type)].into_iter().collect();
        Self { method: Method::Post, url: url.into(), headers, body: Some(body.into()) }
    }

    /// Whether the request may carry credentials: it has a header field besides the harmless ones, whose names are given in
    /// lower case, or it is a form, as only requests for tokens are.
    #[must_use]
    pub fn may_carry_credentials(&self, harmless: &[&str]) -> bool {
        self.headers.iter().any(|(name, _)| !harmless.iter().any(|known| name.eq_ignore_ascii_case(known)))
            || self.headers.media_type().is_some_and(|media| media.ends_with("form-urlencoded"))
    }

    /// The same request with one more header field.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push(name, value);
        self
    }
}

/// The head of a response: everything before its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponseHead {
    /// The status code, 100 to 599.
    pub status: u16,
    /// The header fields this host lets us see.
    pub headers: Headers,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Whether a redirect was followed on the way.
    pub redirected: bool,
}

impl ResponseHead {
    /// Whether the status is 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_names_compare_without_case_and_keep_their_order() {
        let mut headers: Headers = [("X-B", "1"), ("x-a", "2"), ("x-b", "3")].into_iter().collect();
        assert_eq!(headers.get("X-A"), Some("2"));
        assert_eq!(headers.get("x-B"), Some("1"));
        headers.replace("X-b", "4");
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("x-a", "2"), ("X-b", "4")]);
        assert_eq!([3, 2, 1].map(|most| headers.truncate(most)), [false, false, true]);
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("x-a", "2")]);
    }

    #[test]
    fn any_header_but_a_harmless_one_may_be_a_credential() {
        let harmless = ["content-type", "accept"];
        let plain = Request::post("https://h/", "application/json", "{}").with_header("Accept", "*/*");
        assert!(!plain.may_carry_credentials(&harmless));
        assert!(plain.with_header("X-Key", "k").may_carry_credentials(&harmless));
        let form = Request::post("https://h/token", "application/x-www-form-urlencoded; charset=utf-8", "a=b");
        assert!(form.may_carry_credentials(&harmless));
    }

    #[test]
    fn a_body_says_what_it_was_decoded_from() {
        for (coding, said) in [
            ("gzip", ", decoded from gzip"),
            ("Br, GZIP", ", decoded from br, gzip"),
            ("foo", ""),
            ("utf-8, gzip", ""),
            ("", ""),
        ] {
            let headers: Headers = [("Content-Encoding", coding)].into_iter().collect();
            assert_eq!(headers.decoded_from(), said, "{coding}");
        }
        assert_eq!(Headers::new().decoded_from(), "");
    }

    #[test]
    fn media_type_drops_parameters_and_case() {
        let headers: Headers = [("Content-Type", "Application/JSON; charset=utf-8")].into_iter().collect();
        assert_eq!(headers.media_type().as_deref(), Some("application/json"));
        assert_eq!(Headers::new().media_type(), None);
    }
}
