//! The client of a workbench: a session of its own, which waits for an hour unless its user stops it, and the user's credentials.

use std::cell::RefCell;
use std::rc::Rc;

use crate::a2a::binding::Credentials;
use crate::engine::credentials::{CredentialStore, not_allowed};
use crate::engine::options::Options;
use crate::engine::session::{Session, SessionEvent};
use crate::engine::timeouts::Timeouts;
use crate::engine::transcript::Lane;
use crate::engine::user_waits::Waits;
use crate::host::Host;
use crate::wire::http::Request;
use crate::wire::url::Url;

/// An hour: the user has a button to stop.
pub(super) const PATIENCE_MS: f64 = 3_600_000.0;

/// The client of a workbench, with the credentials of its user.
pub(super) struct Caller {
    pub(super) options: Options,
    pub(super) session: Rc<Session>,
    pub(super) credentials: CredentialStore,
    pub(super) waits: Waits,
    /// The step that a person has to take before there is a token; empty when there is none.
    pub(super) confirm: Rc<RefCell<String>>,
}

impl Caller {
    /// A client that waits patiently for answers.
    pub(super) fn new(host: &Host, options: Options) -> Self {
        let patient = Timeouts {
            reach_ms: PATIENCE_MS,
            answer_ms: PATIENCE_MS,
            first_event_ms: PATIENCE_MS,
            idle_ms: PATIENCE_MS,
            run_ms: f64::INFINITY,
            least_ms: PATIENCE_MS,
        };
        let patient = Options { timeouts: patient, timeout_ms: PATIENCE_MS, ..options.clone() };
        let confirm: Rc<RefCell<String>> = Rc::default();
        let asked = Rc::clone(&confirm);
        let listener = Rc::new(move |event: SessionEvent| {
            if let SessionEvent::Confirm { url, code, .. } = event {
                asked.replace(format!("To give access, confirm the code {code} at {url}."));
            }
        });
        let waits = Waits::default();
        let session = Rc::new(Session::new(host.clone(), &patient, options.redactor(), waits.clone(), listener));
        let credentials = CredentialStore::new(&options, &options.address);
        Self { options, session, credentials, waits, confirm }
    }

    /// A sentence on the credentials that are added to a request of that URL.
    pub(super) fn added_credentials(&self, lane: &Lane, url: &str) -> String {
        let credentials = &self.credentials;
        if credentials.is_empty() {
            return String::new();
        }
        if !credentials.may_go_to(url) {
            let origin = Url::parse(url).map(|url| url.origin()).unwrap_or_default();
            return format!("Without credentials: {}.", not_allowed("this request goes to", &origin));
        }
        let mut request = Request::get(url);
        credentials.apply(&mut request, Some(&lane.id), Credentials::Own);
        let mut names: Vec<&str> = request.headers.iter().map(|(name, _)| name).collect();
        if request.url != url {
            names.push("a query parameter");
        }
        match names.is_empty() {
            true => "The token that the form names is fetched and added when this is sent.".to_owned(),
            false => format!("Added from the form when this is sent: {}.", names.join(", ")),
        }
    }
}
