//! Corrects addresses as people type and paste them, where only one address can be meant.

use std::borrow::Cow;

use crate::wire::url::decode;

/// Characters around an address that was copied out of a text.
const DELIMITERS: &str = "\"'`<>()\u{201c}\u{201d}\u{2018}\u{2019}\u{ab}\u{bb}\u{feff}\u{200b}";

/// What stands before the address in a link that the page makes.
const IN_LINK: &str = "#u=";

/// The address without what stands around it, with a scheme that is spelled out, and with this machine before a bare port. Of a link to
/// the page that checks it, the one that the link is about.
pub(super) fn corrected(typed: &str) -> Cow<'_, str> {
    let around = |c: char| c.is_whitespace() || DELIMITERS.contains(c);
    let text = typed.trim_matches(around).trim_end_matches([',', ';', '.']).trim_matches(around);
    if let Some((_, own)) = text.split_once(IN_LINK) {
        return Cow::Owned(corrected(&decode(own.split('&').next().unwrap_or_default())).into_owned());
    }
    let text = if text.contains('\\') { Cow::Owned(text.replace('\\', "/")) } else { Cow::Borrowed(text) };
    match split_scheme(&text) {
        // When an address was pasted behind a scheme, its own scheme, the second one, counts.
        Some((_, rest)) if split_scheme(rest).is_some() => Cow::Owned(corrected(rest).into_owned()),
        Some((scheme, rest)) => Cow::Owned(format!("{scheme}://{}", with_host(rest))),
        None if text.starts_with("//") => Cow::Owned(text.trim_start_matches('/').to_owned()),
        None if is_port(&text) => Cow::Owned(with_host(&text).into_owned()),
        None => text,
    }
}

/// `http` or `https`, and what comes after it and its punctuation, however that is spelled: `http:/h`, `http//h`.
fn split_scheme(text: &str) -> Option<(&'static str, &str)> {
    ["https", "http"].into_iter().find_map(|scheme| {
        let (head, rest) = text.split_at_checked(scheme.len())?;
        let after_colon = rest.strip_prefix([':', ';']);
        let address = after_colon.unwrap_or(rest).trim_start_matches('/');
        // A host may have that name, and a path behind it.
        let is_scheme = after_colon.is_some() || rest.len() - address.len() > 1;
        (head.eq_ignore_ascii_case(scheme) && is_scheme).then_some((scheme, address))
    })
}

/// Whether an address begins with a port: `8080`, `:8080/path`.
fn is_port(text: &str) -> bool {
    let digits = text.strip_prefix(':').unwrap_or(text);
    let end = digits.find(['/', '?', '#']).unwrap_or(digits.len());
    end > 0 && digits.bytes().take(end).all(|b| b.is_ascii_digit())
}

/// The address, on this machine if it has only a port.
fn with_host(address: &str) -> Cow<'_, str> {
    if is_port(address) {
        Cow::Owned(format!("localhost:{}", address.trim_start_matches(':')))
    } else {
        Cow::Borrowed(address)
    }
}

/// Whether this is an IPv6 address without its brackets, perhaps with a port and a path.
pub(super) fn lacks_brackets(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.matches(':').count() > 1 && authority.bytes().all(|b| b.is_ascii_hexdigit() || b == b':')
}
