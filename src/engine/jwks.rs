//! The keys that a user trusts to sign cards: a JSON Web Key Set (RFC 7517 §5), given itself or by its URL, and what is wrong with
//! one.

use crate::wire::json::{Value, parse};
use crate::wire::url::{Url, UrlProblem};

/// Why trusted keys cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JwksProblem {
    /// Neither a set nor a URL.
    #[error("it is neither a URL nor a JSON Web Key Set, which is an object with an array `keys`")]
    NotASet,
    /// A URL that cannot be requested.
    #[error(transparent)]
    Url(UrlProblem),
}

/// Whether this is the URL of a set, and not the set.
#[must_use]
pub fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// The keys as the options have them, a set or its URL; empty without any.
pub fn parse_jwks(text: &str) -> Result<String, JwksProblem> {
    let text = text.trim();
    if is_url(text) {
        Url::parse(text).map_err(JwksProblem::Url)?;
    } else if !text.is_empty() && keys(parse(text.as_bytes()).value.as_ref()).is_none() {
        return Err(JwksProblem::NotASet);
    }
    Ok(text.to_owned())
}

/// The keys of a set, if the document is one.
#[must_use]
pub fn keys(document: Option<&Value>) -> Option<&[Value]> {
    document?.get("keys")?.as_array().map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_or_its_url_is_taken_and_nothing_else() {
        assert_eq!(parse_jwks("  "), Ok(String::new()));
        assert_eq!(parse_jwks(" https://h.example/keys\n").as_deref(), Ok("https://h.example/keys"));
        assert_eq!(parse_jwks(r#"{"keys":[]}"#).as_deref(), Ok(r#"{"keys":[]}"#));
        for text in ["keys.json", r#"{"kty":"EC"}"#, r#"[{"kty":"EC"}]"#, r#"{"keys":{}}"#, "{"] {
            assert_eq!(parse_jwks(text), Err(JwksProblem::NotASet), "{text}");
        }
        assert!(matches!(parse_jwks("https://"), Err(JwksProblem::Url(_))));
    }
}
