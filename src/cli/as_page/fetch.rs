//! Fetches for a page (Fetch §HTTP fetch, §HTTP-redirect fetch), as far as a checker's requests go: without cookies, cache and
//! referrer. Every answer that the page does not see is observed with its reason.

use std::cell::RefCell;
use std::rc::Rc;

use super::cors;
use crate::engine::browser::drops_header;
use crate::engine::reach::triage;
use crate::host::probe::{PageOrigin, ProbeMode};
use crate::host::{StreamedResponse, Transport};
use crate::wire::http::{Headers, Method, Request, ResponseHead};
use crate::wire::url::Url;

/// How many redirects a browser follows.
const MOST_REDIRECTS: usize = 20;

/// How many observations are kept: a run may fail at every request for the same reason.
const MOST_OBSERVED: usize = 100;

/// What the page gets.
pub(super) enum Fetched {
    /// An answer that it may read.
    Answer(StreamedResponse),
    /// A redirect that was not followed.
    Redirect,
    /// An answer that it may not read.
    Opaque,
}

/// What was seen beneath the page, in sentences: the address without its query, and why its answer was withheld.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed(Rc<RefCell<Vec<(String, String)>>>);

impl Observed {
    /// What was seen at an address, each sentence once.
    pub(crate) fn at(&self, url: &str) -> Vec<String> {
        let place = without_query(url);
        self.0.borrow().iter().filter(|(known, _)| known == place).map(|(_, sentence)| sentence.clone()).collect()
    }

    fn add(&self, url: &str, sentence: &str) {
        let mut observed = self.0.borrow_mut();
        let new = (without_query(url).to_owned(), sentence.to_owned());
        if observed.len() < MOST_OBSERVED && !observed.contains(&new) {
            observed.push(new);
        }
    }
}

/// A query may hold a secret.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Fetches for a page of an origin.
pub(super) struct Fetcher {
    /// Sends, and follows no redirect.
    pub(super) beneath: Rc<dyn Transport>,
    /// Where the page comes from.
    pub(super) home: PageOrigin,
    pub(super) observed: Observed,
}

impl Fetcher {
    /// Fetches; the error says why the page sees nothing, which a browser would not.
    pub(super) async fn fetch(&self, request: &Request, mode: ProbeMode) -> Result<Fetched, String> {
        let asked = request.url.clone();
        let fetched = self.follow(request.clone(), mode).await;
        if let Err(why) = &fetched {
            self.observed.add(&asked, why);
        }
        fetched
    }

    async fn follow(&self, mut request: Request, mode: ProbeMode) -> Result<Fetched, String> {
        // Forbidden headers are dropped without a word.
        request.headers = request.headers.iter().filter(|(name, _)| !drops_header(name)).collect();
        let mut origin = self.home.origin.clone();
        let mut is_crossed = false;
        for followed in 0..=MOST_REDIRECTS {
            let url = Url::parse(&request.url).map_err(|problem| problem.to_string())?;
            self.check_address(&request.url)?;
            is_crossed |= url.origin() != self.home.origin;
            if mode != ProbeMode::NoCors && is_crossed {
                self.preflight(&request, &origin).await?;
            }
            let answer = self.send(&request, mode, is_crossed, &origin).await?;
            let head = &answer.head;
            if is_crossed {
                let judged = match mode {
                    ProbeMode::Cors | ProbeMode::Manual => cors::check(&head.headers, &origin),
                    ProbeMode::NoCors => cors::check_resource_policy(&head.headers, &self.home.origin, &url),
                };
                judged.map_err(|why| sentence(&request, head, &why))?;
            }
            let Some(to) = redirected_to(head) else {
                return Ok(finished(answer, mode, is_crossed, followed > 0));
            };
            if mode == ProbeMode::Manual {
                return Ok(Fetched::Redirect);
            }
            let next = target(&request.url, &to).map_err(|why| sentence(&request, head, &why))?;
            let is_elsewhere = next.origin() != url.origin();
            if is_elsewhere && url.origin() != self.home.origin {
                // After a redirect by another origin the next server sees an opaque origin.
                "null".clone_into(&mut origin);
            }
            request = redirected(request, head.status, next.to_string(), is_elsewhere);
        }
        Err(format!("{} redirects more than {MOST_REDIRECTS} times", without_query(&request.url)))
    }

    /// What a browser does not even try.
    fn check_address(&self, url: &str) -> Result<(), String> {
        let target = triage(url, &self.home).map_err(|problem| problem.to_string())?;
        let why = if target.bad_port {
            "browsers connect to no such port"
        } else if target.mixed {
            "a page of https may not call an address of http"
        } else if target.unspecified {
            "browsers do not call the unspecified address"
        } else if target.insecure {
            "a page of http from elsewhere may not call this network"
        } else {
            return Ok(());
        };
        Err(format!("{} is not requested: {why}", without_query(url)))
    }

    /// Asks for permission, where a browser would.
    async fn preflight(&self, request: &Request, origin: &str) -> Result<(), String> {
        let Some(names) = cors::preflighted(request) else { return Ok(()) };
        let mut headers: Headers = [("accept", "*/*"), ("origin", origin)].into_iter().collect();
        headers.push("access-control-request-method", request.method.as_str());
        if !names.is_empty() {
            headers.push("access-control-request-headers", names.join(","));
        }
        headers.push("sec-fetch-mode", "cors");
        let asked = Request { method: Method::Options, url: request.url.clone(), headers, body: None };
        let answer = self.beneath.send(asked.clone()).await.map_err(|error| unanswered(&asked, &error.detail))?;
        let judged = cors::check_preflight(&answer.head, origin, request.method, &names);
        judged.map_err(|why| sentence(&asked, &answer.head, &why))
    }

    async fn send(
        &self,
        request: &Request,
        mode: ProbeMode,
        is_crossed: bool,
        origin: &str,
    ) -> Result<StreamedResponse, String> {
        let mut sent = request.clone();
        if sent.headers.get("accept").is_none() {
            sent.headers.push("accept", "*/*");
        }
        let is_post = sent.method == Method::Post;
        match mode {
            ProbeMode::Cors | ProbeMode::Manual if is_crossed || is_post => sent.headers.push("origin", origin),
            // The page sends no referrer, and then no origin either.
            ProbeMode::NoCors if is_post => sent.headers.push("origin", "null"),
            _ => {}
        }
        sent.headers.push("sec-fetch-mode", if mode == ProbeMode::NoCors { "no-cors" } else { "cors" });
        self.beneath.send(sent).await.map_err(|error| unanswered(request, &error.detail))
    }
}

/// What the page gets of an answer that was let through.
fn finished(answer: StreamedResponse, mode: ProbeMode, is_crossed: bool, is_redirected: bool) -> Fetched {
    if mode == ProbeMode::NoCors && is_crossed {
        return Fetched::Opaque;
    }
    let StreamedResponse { head, body } = answer;
    let headers = if is_crossed { cors::visible(&head.headers) } else { head.headers };
    Fetched::Answer(StreamedResponse { head: ResponseHead { headers, redirected: is_redirected, ..head }, body })
}

/// Where a redirect leads.
fn redirected_to(head: &ResponseHead) -> Option<String> {
    let is_redirect = matches!(head.status, 301 | 302 | 303 | 307 | 308);
    head.headers.get("location").filter(|_| is_redirect).map(str::to_owned)
}

/// The absolute address of a redirect.
fn target(from: &str, to: &str) -> Result<Url, String> {
    let joined = reqwest::Url::parse(from).and_then(|from| from.join(to)).map_err(|problem| problem.to_string())?;
    Url::parse(joined.as_str())
        .map_err(|problem| format!("it redirects to an address that cannot be requested: {problem}"))
}

/// The request after a redirect (Fetch §HTTP-redirect fetch).
fn redirected(request: Request, status: u16, url: String, is_elsewhere: bool) -> Request {
    let mut next = Request { url, ..request };
    let becomes_get = match status {
        301 | 302 => next.method == Method::Post,
        303 => !matches!(next.method, Method::Get | Method::Head),
        _ => false,
    };
    if becomes_get {
        (next.method, next.body) = (Method::Get, None);
        for name in ["content-encoding", "content-language", "content-location", "content-type"] {
            next.headers.remove(name);
        }
    }
    if is_elsewhere {
        next.headers.remove("authorization");
    }
    next
}

/// `OPTIONS https://h/rpc is answered with HTTP 405: Access-Control-Allow-Origin is missing`.
fn sentence(request: &Request, head: &ResponseHead, why: &str) -> String {
    format!("{} {} is answered with HTTP {}: {why}", request.method, without_query(&request.url), head.status)
}

fn unanswered(request: &Request, detail: &str) -> String {
    format!("{} {} is not answered: {detail}", request.method, without_query(&request.url))
}
