//! The rules by which a browser lets a page send a request and see its answer (Fetch §CORS protocol): pure functions. The page's
//! requests carry none of the browser's credentials, so that `*` allows all but the header `Authorization`.

use crate::a2a::headers::{SAFELISTED_IN_REQUESTS, SAFELISTED_IN_RESPONSES, is_exposed};
use crate::wire::http::{Headers, Method, Request, ResponseHead};
use crate::wire::url::Url;

/// The media types of forms, which need no preflight (Fetch §CORS-safelisted request-header).
const SIMPLE_MEDIA_TYPES: [&str; 3] = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/// The header that `*` does not allow (Fetch §CORS non-wildcard request-header name).
const AUTHORIZATION: &str = "authorization";

/// The headers for which a browser asks first, in lower case and sorted; `None` when it sends the request at once.
pub(super) fn preflighted(request: &Request) -> Option<Vec<String>> {
    let is_simple = |name: &str| {
        let is_form = || request.headers.media_type().is_some_and(|media| SIMPLE_MEDIA_TYPES.contains(&media.as_str()));
        SAFELISTED_IN_REQUESTS.contains(&name) || name == "content-type" && is_form()
    };
    let names = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
    let mut names: Vec<String> = names.filter(|name| !is_simple(name)).collect();
    names.sort();
    names.dedup();
    (!names.is_empty() || !is_simple_method(request.method)).then_some(names)
}

/// Whether no permission is needed for a method (Fetch §CORS-safelisted method).
const fn is_simple_method(method: Method) -> bool {
    matches!(method, Method::Get | Method::Head | Method::Post)
}

/// Whether an answer may be seen by a page of that origin (Fetch §CORS check), or why not.
pub(super) fn check(answer: &Headers, origin: &str) -> Result<(), String> {
    match combined(answer, "access-control-allow-origin") {
        None => Err("Access-Control-Allow-Origin is missing".to_owned()),
        Some(value) if value == "*" || value == origin => Ok(()),
        Some(value) => Err(format!("Access-Control-Allow-Origin is \"{value}\" and not \"{origin}\" or \"*\"")),
    }
}

/// Whether the answer to a preflight allows the request (Fetch §CORS-preflight fetch), or why not.
pub(super) fn check_preflight(
    answer: &ResponseHead,
    origin: &str,
    method: Method,
    names: &[String],
) -> Result<(), String> {
    check(&answer.headers, origin)?;
    if !(200..300).contains(&answer.status) {
        return Err(format!(
            "a preflight is answered with a status from 200 to 299, and this one with {}",
            answer.status
        ));
    }
    let list = |name: &str| -> Vec<String> {
        let value = combined(&answer.headers, name).unwrap_or_default();
        value.split(',').map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect()
    };
    let methods = list("access-control-allow-methods");
    if !is_simple_method(method) && !methods.iter().any(|allowed| allowed == "*" || allowed == method.as_str()) {
        return Err(format!("Access-Control-Allow-Methods does not name {method}"));
    }
    let allowed = list("access-control-allow-headers");
    let is_allowed = |name: &String| {
        allowed.iter().any(|entry| entry.eq_ignore_ascii_case(name) || entry == "*" && name != AUTHORIZATION)
    };
    let refused: Vec<&str> = names.iter().filter(|name| !is_allowed(name)).map(String::as_str).collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(format!("Access-Control-Allow-Headers does not name {}", refused.join(", ")))
}

/// Why an answer that nobody wants to read is withheld all the same (Fetch §cross-origin resource policy check).
pub(super) fn check_resource_policy(answer: &Headers, home: &str, url: &Url) -> Result<(), String> {
    let policy = answer.get("cross-origin-resource-policy").unwrap_or_default().trim();
    let is_same_site = || Url::parse(home).is_ok_and(|home| home.scheme == url.scheme && site(&home) == site(url));
    let is_withheld = match policy {
        "same-origin" => url.origin() != home,
        "same-site" => !is_same_site(),
        _ => false,
    };
    if is_withheld { Err(format!("Cross-Origin-Resource-Policy is \"{policy}\"")) } else { Ok(()) }
}

/// The part of a host that is taken for the site: an address, or the last two labels of a name.
fn site(url: &Url) -> String {
    if url.is_literal() {
        return url.host.clone();
    }
    let labels: Vec<&str> = url.host.rsplit('.').take(2).collect();
    labels.join(".")
}

/// The fields of an answer that a page sees (Fetch §CORS filtered response).
pub(super) fn visible(answer: &Headers) -> Headers {
    let is_visible = |name: &str| {
        let lower = name.to_ascii_lowercase();
        SAFELISTED_IN_RESPONSES.contains(&lower.as_str())
            || is_exposed(answer, name) && !lower.starts_with("set-cookie")
    };
    answer.iter().filter(|(name, _)| is_visible(name)).collect()
}

/// The values of a field in one, as Fetch gets a value from a header list.
fn combined(headers: &Headers, name: &str) -> Option<String> {
    let values: Vec<&str> =
        headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim()).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "https://checker.example";

    fn headers(fields: &[(&str, &str)]) -> Headers {
        fields.iter().map(|(name, value)| (*name, *value)).collect()
    }

    #[test]
    fn what_is_beyond_a_form_needs_a_preflight() {
        let post = |media| Request::post("https://h/", media, "x");
        assert_eq!(preflighted(&Request::get("https://h/").with_header("Accept", "text/html")), None);
        assert_eq!(preflighted(&post("application/x-www-form-urlencoded; charset=utf-8")), None);
        let call =
            post("application/json").with_header("X-B", "1").with_header("A2A-Version", "1.0").with_header("x-b", "2");
        assert_eq!(preflighted(&call).unwrap(), ["a2a-version", "content-type", "x-b"]);
        assert_eq!(preflighted(&Request { method: Method::Delete, ..Request::get("https://h/") }), Some(Vec::new()));
    }

    #[test]
    fn an_origin_is_allowed_by_its_name_or_by_an_asterisk_and_once() {
        for (fields, fits) in [
            (&[("Access-Control-Allow-Origin", "*")][..], true),
            (&[("access-control-allow-origin", " https://checker.example ")], true),
            (&[("access-control-allow-origin", "https://checker.example/")], false),
            (&[("access-control-allow-origin", "https://CHECKER.example")], false),
            (&[("access-control-allow-origin", "null")], false),
            (&[("access-control-allow-origin", "*"), ("access-control-allow-origin", "*")], false),
            (&[], false),
        ] {
            assert_eq!(check(&headers(fields), HOME).is_ok(), fits, "{fields:?}");
        }
    }

    #[test]
    fn a_preflight_allows_what_it_names() {
        let allows = |status, methods: &str, allowed: &str, method, names: &[&str]| {
            let fields = [
                ("access-control-allow-origin", "*"),
                ("access-control-allow-methods", methods),
                ("access-control-allow-headers", allowed),
            ];
            let head = ResponseHead { status, headers: headers(&fields), ..ResponseHead::default() };
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            check_preflight(&head, HOME, method, &names)
        };
        assert_eq!(
            allows(204, "", "A2A-Version, content-type", Method::Post, &["a2a-version", "content-type"]),
            Ok(())
        );
        assert_eq!(allows(200, "GET, DELETE", "", Method::Delete, &[]), Ok(()));
        assert_eq!(allows(200, "*", "*", Method::Delete, &["x-key"]), Ok(()));
        for (refused, words) in [
            (allows(405, "*", "*", Method::Post, &[]), "this one with 405"),
            (allows(301, "*", "*", Method::Post, &[]), "this one with 301"),
            (allows(200, "delete", "*", Method::Delete, &[]), "does not name DELETE"),
            (allows(200, "*", "*", Method::Post, &["authorization"]), "does not name authorization"),
            (
                allows(200, "*", "content-type", Method::Post, &["a2a-version", "content-type"]),
                "does not name a2a-version",
            ),
        ] {
            assert!(refused.clone().is_err_and(|why| why.ends_with(words)), "{refused:?}");
        }
    }

    #[test]
    fn a_page_sees_the_fields_that_are_safe_or_exposed() {
        let shown = |exposed: &str| {
            let fields = [
                ("ETag", "1"),
                ("content-type", "x"),
                ("set-cookie", "a=b"),
                ("access-control-expose-headers", exposed),
            ];
            visible(&headers(&fields)).iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown("x-other"), ["content-type"]);
        assert_eq!(shown("etag"), ["ETag", "content-type"]);
        assert_eq!(shown("*"), ["ETag", "content-type", "access-control-expose-headers"]);
    }

    #[test]
    fn a_resource_policy_keeps_other_origins_or_sites_out() {
        let at = |policy, url: &str| {
            check_resource_policy(
                &headers(&[("cross-origin-resource-policy", policy)]),
                HOME,
                &Url::parse(url).unwrap(),
            )
            .is_ok()
        };
        assert!(at("cross-origin", "https://agent.example/") && at("same-origin", "https://checker.example/x"));
        assert!(!at("same-origin", "https://api.checker.example/") && at("same-site", "https://api.checker.example/"));
        assert!(!at("same-site", "https://agent.test/") && !at("same-site", "http://api.checker.example/"));
    }
}
