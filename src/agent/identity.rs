//! Who a request says it is from, by its credentials, and which header fields and parameters are secrets. Nothing is verified here.

use serde_json::Value;

use super::json_values::text;
use crate::wire::base64::{STANDARD, URL_SAFE};
use crate::wire::http::Request;
use crate::wire::json;

/// Who a request says it is from. More members may come.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PresentedIdentity {
    /// `Bearer`, `Basic`, or another scheme of `Authorization`; `ApiKey` for a header of its own.
    pub scheme: String,
    /// The user of Basic credentials, or the subject of a bearer token that is a JWT.
    pub name: Option<String>,
    /// The number of these credentials among those that came, from 1: requests with the same number had the same.
    pub number: Option<usize>,
}

/// The identity of a request and the credentials themselves, by which two can be told apart.
pub(super) fn credentials_of(request: &Request) -> Option<(PresentedIdentity, String)> {
    if let Some(value) = request.headers.get("authorization") {
        let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
        let name = if scheme.eq_ignore_ascii_case("basic") { user(rest.trim()) } else { subject(rest.trim()) };
        return Some((PresentedIdentity { scheme: scheme.to_owned(), name, number: None }, value.to_owned()));
    }
    let key = request.headers.iter().find(|(name, _)| name.to_ascii_lowercase().contains("key"))?;
    Some((PresentedIdentity { scheme: "ApiKey".to_owned(), name: None, number: None }, key.1.to_owned()))
}

/// Whether the value of a header field is a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "cookie", "key", "password", "secret", "token"].iter().any(|word| name.contains(word))
}

/// Whether the value of a parameter in a URL is a secret. Calls of A2A have a `pageToken`, which is not.
pub(super) fn is_secret_parameter(name: &str) -> bool {
    const SECRETS: [&str; 9] =
        ["access_token", "api_key", "api-key", "apikey", "client_secret", "key", "password", "secret", "token"];
    SECRETS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The user of Basic credentials.
fn user(coded: &str) -> Option<String> {
    let pair = String::from_utf8(STANDARD.decode(coded)?).ok()?;
    let (user, _) = pair.split_once(':')?;
    Some(user.to_owned())
}

/// The subject of a JSON Web Token (RFC 7519 §4.1.2).
fn subject(token: &str) -> Option<String> {
    let mut pieces = token.split('.');
    let (_, claims, _) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let claims: Value = json::read(&URL_SAFE.decode(claims)?)?;
    Some(text(&claims, "sub").to_owned()).filter(|subject| !subject.is_empty())
}
