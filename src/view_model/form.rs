//! The fields for credentials: which there are for a card, what they are called, and what is refused of what was typed into them.

use crate::engine::browser::drops_header;
use crate::engine::credentials::parse::{GivenCredentials, GivenError, split_basic, split_field, split_lane};
use crate::engine::security_schemes::SecurityScheme;
use crate::wire::redact::SHORTEST_SECRET;

/// The value of a box that is ticked.
pub const YES: &str = "yes";

/// The beginning of the names of a second identity's fields.
pub const SECOND: &str = "second:";

/// A field for something that the card asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormField {
    /// Its name among what is given: `basic`, `key:NAME`, `query:NAME`, `allow:ORIGIN`; `id`, `secret`, `scope`, `token` and
    /// `refresh` of a client; behind `second:` those but `allow`, `scope` and `token`, and `bearer` and `header`, of a second
    /// identity.
    pub name: String,
    /// Its label.
    pub label: String,
}

/// The fields that a card calls for, and those in which something stands: nothing is sent that is not shown.
#[must_use]
pub fn fields(asks: &[SecurityScheme], elsewhere: &[String], given: &[(String, String)]) -> Vec<FormField> {
    let mut names: Vec<String> = Vec::new();
    for asked in asks {
        match asked {
            SecurityScheme::Basic => names.push("basic".to_owned()),
            SecurityScheme::Key { name, in_query: false } => names.push(format!("key:{name}")),
            SecurityScheme::Key { name, in_query: true } => names.push(format!("query:{name}")),
            SecurityScheme::OAuth { .. } | SecurityScheme::OpenId { .. } => {
                names.extend(["id", "secret", "scope", "token", "refresh"].map(str::to_owned));
            }
            SecurityScheme::Bearer | SecurityScheme::Other(_) => {}
        }
    }
    names.extend(elsewhere.iter().map(|origin| format!("allow:{origin}")));
    names.extend(given.iter().map(|(name, _)| name.clone()).filter(|name| !name.starts_with(SECOND)));
    once_each(names)
}

/// The general fields (the token and the header lines) that are shown beside those of the card: both until a card with
/// schemes was read, then those that one of its schemes uses, and those that are not empty.
#[must_use]
pub fn general_fields(asks: &[SecurityScheme], bearer: &str, headers: &str) -> (bool, bool) {
    let takes_token = |scheme: &SecurityScheme| {
        matches!(scheme, SecurityScheme::Bearer | SecurityScheme::OAuth { .. } | SecurityScheme::OpenId { .. })
    };
    let other = asks.is_empty() || asks.iter().any(|scheme| matches!(scheme, SecurityScheme::Other(_)));
    (other || asks.iter().any(takes_token) || !bearer.trim().is_empty(), other || !headers.trim().is_empty())
}

/// The scopes that the card requires, for the field in which others can be typed.
#[must_use]
pub fn required_scopes(asks: &[SecurityScheme]) -> String {
    let scopes = |scheme: &SecurityScheme| match scheme {
        SecurityScheme::OAuth { scopes, .. } | SecurityScheme::OpenId { scopes, .. } => Some(scopes.clone()),
        _ => None,
    };
    asks.iter().filter_map(scopes).find(|scopes| !scopes.is_empty()).unwrap_or_default()
}

/// The fields for the credentials of a second identity: those that any agent may take, and those that this one's card calls
/// for.
#[must_use]
pub fn second_fields(asks: &[SecurityScheme], given: &[(String, String)]) -> Vec<FormField> {
    let asked = fields(asks, &[], &[]).into_iter().map(|field| format!("{SECOND}{}", field.name));
    // The scopes and the token endpoint are those of the first.
    let alike = |name: &String| !matches!(name.as_str(), "second:scope" | "second:token");
    let names = ["second:bearer", "second:header"].map(str::to_owned).into_iter().chain(asked.filter(alike));
    let own = given.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with(SECOND));
    once_each(names.chain(own).collect())
}

fn once_each(names: Vec<String>) -> Vec<FormField> {
    let mut fields: Vec<FormField> = Vec::new();
    for name in names {
        if fields.iter().all(|known| known.name != name) {
            fields.push(FormField { label: label(&name), name });
        }
    }
    fields
}

fn label(name: &str) -> String {
    match name.split_once(':') {
        Some(("second", name)) => label(name),
        Some(("key", name)) => format!("Key in the header {name}"),
        Some(("query", name)) => format!("Key in the query parameter {name}"),
        Some((_, origin)) => format!("Credentials may also go to {origin}, which the card names"),
        None => match name {
            "bearer" => "Bearer token",
            "header" => "Another header, as \u{201c}Name: value\u{201d}",
            "basic" => "User:password",
            "id" => "Client id, to get a token",
            "secret" => "Client secret; without one, sign in, or run and confirm a code",
            "scope" => "Scopes",
            "refresh" => "Refresh token, if there is one",
            _ => "Token endpoint, if not the card\u{2019}s",
        }
        .to_owned(),
    }
}

/// Why a line of the headers cannot be used.
pub(super) enum Refused {
    /// By the rules for every host.
    Given(GivenError),
    /// No browser sends a header of that name.
    Forbidden(String),
}

impl Refused {
    pub(super) fn sentence(self) -> String {
        match self {
            Self::Given(problem) => sentence(problem),
            Self::Forbidden(name) => {
                format!("browsers do not let a page send the header {name}; use the command line for that")
            }
        }
    }
}

/// Adds a line of the headers: `Name: value` for every interface, `LANE=Name: value` for one.
pub(super) fn add_line(given: &mut GivenCredentials, line: &str) -> Result<(), Refused> {
    let (lane, field) = split_lane(line).map_or((None, line), |(lane, field)| (Some(lane), field));
    let (name, value) = split_field(field).map_err(Refused::Given)?;
    sendable(name)?;
    let added = match lane {
        Some(lane) => given.lane_header(lane, name, value),
        None => given.header(name, value),
    };
    added.map_err(Refused::Given)
}

/// Adds what was typed into a field for credentials that are sent as they are; other fields are handled elsewhere.
pub(super) fn add_field(given: &mut GivenCredentials, name: &str, value: &str) -> Result<(), Refused> {
    let added = match name.split_once(':') {
        _ if value.is_empty() => Ok(()),
        Some(("key", name)) => {
            sendable(name)?;
            given.header(name, value)
        }
        Some(("query", name)) => given.query(name, value),
        None if name == "basic" => split_basic(value).and_then(|(user, password)| given.basic(user, password)),
        None if name == "bearer" => given.bearer(value),
        None if name == "header" => {
            let (name, value) = split_field(value).map_err(Refused::Given)?;
            sendable(name)?;
            given.header(name, value)
        }
        _ => Ok(()),
    };
    added.map_err(Refused::Given)
}

fn sendable(name: &str) -> Result<(), Refused> {
    if !drops_header(name) { Ok(()) } else { Err(Refused::Forbidden(name.to_owned())) }
}

/// Why something is good for one run only, in a sentence.
pub(super) fn once_only(why: &str) -> String {
    format!("this cannot be checked several times: {why}")
}

/// The error in the credentials, in words for the form.
pub(super) fn sentence(problem: GivenError) -> String {
    match problem {
        GivenError::NotUserPassword => "user and password need a colon between them".to_owned(),
        GivenError::Value(name) => format!("the value of {name} contains characters that a header cannot have"),
        GivenError::Token => {
            "the bearer token contains characters that no token has; paste only the token itself".to_owned()
        }
        GivenError::TooShort => {
            format!("a secret shorter than {SHORTEST_SECRET} characters cannot be kept out of reports reliably")
        }
        GivenError::SecondAuthorization => {
            "there are two credentials for the Authorization header; keep only one".to_owned()
        }
        GivenError::Twice(name) => format!("the header {name} has two values; keep only one"),
        GivenError::NoClientId => "a client secret needs a client id".to_owned(),
        GivenError::TokenUrl(problem) => format!("the token endpoint cannot be used: {problem}"),
        GivenError::NotAField
        | GivenError::Name(_)
        | GivenError::Origin(_)
        | GivenError::SecondAlone
        | GivenError::SameIdentity => problem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_scheme_of_the_card_takes_stands_behind() {
        let key = SecurityScheme::Key { name: "K".to_owned(), in_query: false };
        let open = SecurityScheme::OpenId { url: String::new(), scopes: "read".to_owned() };
        let other = SecurityScheme::Other("mutualTLS".to_owned());
        for (asks, bearer, headers, shown) in [
            (vec![], "", "", (true, true)),
            (vec![key.clone()], "", "", (false, false)),
            (vec![key.clone()], "token", "", (true, false)),
            (vec![key.clone()], "", "X: y", (false, true)),
            (vec![SecurityScheme::Bearer], "", "", (true, false)),
            (vec![key.clone(), open.clone()], "", "", (true, false)),
            (vec![other], "", "", (true, true)),
        ] {
            assert_eq!(general_fields(&asks, bearer, headers), shown, "{asks:?}");
        }
        assert_eq!(required_scopes(&[key, open]), "read");
    }
}
