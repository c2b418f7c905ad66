//! An address as a link may have it: without what could be a credential, by the names of parameters.

/// Query parameters whose values are credentials more often than not.
const SECRET_PARAMETERS: [&str; 12] =
    ["key", "token", "secret", "password", "passwd", "pwd", "sig", "signature", "auth", "code", "credential", "jwt"];

/// The address without `user:password@` and without query parameters that look like credentials.
#[must_use]
pub fn without_secrets(address: &str) -> String {
    let (before, query) = match address.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (address, None),
    };
    let start = before.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = before.split_at(start);
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut clean = format!("{scheme}{host}{path}");
    let is_kept = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        !pair.is_empty() && !SECRET_PARAMETERS.iter().any(|secret| name.contains(secret))
    };
    let kept: Vec<&str> = query.unwrap_or_default().split('&').filter(is_kept).collect();
    if !kept.is_empty() {
        clean.push('?');
        clean.push_str(&kept.join("&"));
    }
    clean
}
