//! Who gets in, what goes along with every answer, and which extensions a request activates (1.0 §4.6, §7).

use super::call::Call;
use super::fault::{FaultId, TOKEN};
use super::json_values::{elements, text};
use super::rpc::{Rejection, asks_for, body_of};
use super::served_version::ServedVersion;
use super::{ScriptedAgent, path_of, plain_error};
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;
use crate::wire::http::Request;

/// Operations that a fault leaves open to everybody.
const OPEN: [(FaultId, Operation); 2] =
    [(FaultId::AuthTasksOpen, Operation::GetTask), (FaultId::ExtendedOpen, Operation::GetExtendedCard)];

/// How many calls a busy agent answers.
const ENOUGH: u32 = 40;

/// The bearer token of a request.
fn token(request: &Request) -> Option<&str> {
    let (scheme, token) = request.headers.get("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

impl ScriptedAgent {
    /// The answer to a call that does not get in.
    pub(super) fn refusal(&self, request: &Request) -> Option<StreamedResponse> {
        if self.has(FaultId::Busy) && self.0.calls.get() > ENOUGH {
            let mut answer = plain_error(429, "too many calls; come back later");
            if !self.has(FaultId::RateLimited) {
                answer.head.headers.push("retry-after", "60");
            }
            return Some(answer);
        }
        if !self.has(FaultId::Protected) || self.has(FaultId::AuthNotChecked) {
            return None;
        }
        let fits = |token: &str| {
            token == TOKEN
                || self.has(FaultId::AuthAnyToken)
                || (self.has(FaultId::AuthExpiredToken) && token.split('.').count() == 3)
        };
        let other = token(request).is_none() && request.headers.get("authorization").is_some();
        let known = token(request).is_some_and(fits) || (other && self.has(FaultId::AuthOtherScheme));
        let (served_version, below) = self.served_version(request);
        let some =
            served_version.dialect.method(Operation::ListTasks).map_or(Operation::CancelTask, |_| Operation::ListTasks);
        let refused = self.has(FaultId::AuthSomeRefused) && asks_for(served_version, request, some);
        let open =
            OPEN.iter().any(|(fault, operation)| self.has(*fault) && asks_for(served_version, request, *operation))
                || (self.has(FaultId::ExtendedOpen) && served_version.extended_at(below))
                || (self.has(FaultId::AuthTellsMissing) && self.is_missing(served_version, request));
        if open || (known && !refused) {
            return None;
        }
        if self.has(FaultId::AuthRefusedWith400) {
            let refusal = Rejection::of(ErrorName::InvalidRequest, "a bearer token is required");
            let mut answer =
                Call { served_version, form: self.form(request), operation: None }.answer(self, Err(refusal));
            answer.head.status = 400;
            return Some(answer);
        }
        let mut answer = plain_error(401, "a bearer token is required");
        if !self.has(FaultId::AuthNoChallenge) {
            answer.head.headers.push("www-authenticate", "Bearer realm=\"scripted agent\"");
        }
        Some(answer)
    }

    /// Whether a request asks for a task that is not there.
    fn is_missing(&self, served_version: &ServedVersion, request: &Request) -> bool {
        if !asks_for(served_version, request, Operation::GetTask) {
            return false;
        }
        let body = body_of(request).unwrap_or_default();
        let last = path_of(&request.url).rsplit('/').next().unwrap_or_default();
        let id = body.get("params").map_or(last, |params| text(params, "id"));
        self.0.store.borrow().get(id).is_none()
    }

    /// Adds what goes along with an answer besides its content.
    pub(super) fn accompany(&self, request: &Request, answer: &mut StreamedResponse) {
        let (served_version, below) = self.served_version(request);
        let headers = &mut answer.head.headers;
        if self.0.base.starts_with("https:") && !self.has(FaultId::NoHsts) {
            headers.push("strict-transport-security", "max-age=31536000");
        }
        // The extended card is for one client (1.0 §13.3).
        let extended =
            served_version.extended_at(below) || asks_for(served_version, request, Operation::GetExtendedCard);
        if self.has(FaultId::Protected) && answer.head.status == 200 && extended {
            let public = self.has(FaultId::ExtendedCached);
            headers.push("cache-control", if public { "public, max-age=3600" } else { "private, max-age=60" });
        }
        let active = self.activated(served_version, request);
        if !active.is_empty() && !self.has(FaultId::ExtNotEchoed) {
            headers.push(served_version.extensions_header().to_ascii_lowercase(), active.join(", "));
        }
    }

    /// The extensions that the card declares, and whether it requires them.
    fn extensions(&self, served_version: &ServedVersion) -> Vec<(String, bool)> {
        let mut card = self.card();
        let there = self.has(FaultId::Extensions) && served_version.dialect.extensions_header.is_some();
        let Some(capabilities) = card.get_mut("capabilities").filter(|_| there) else {
            return Vec::new();
        };
        let list = elements(capabilities, "extensions").iter();
        list.map(|entry| (text(entry, "uri").to_owned(), entry.get("required").is_some_and(|flag| *flag == true)))
            .collect()
    }

    /// Whether a request asks for an extension.
    fn asks_for_extension(&self, served_version: &ServedVersion, request: &Request, uri: &str) -> bool {
        let any_version = self.has(FaultId::ExtAnyVersion);
        let stem = uri.rsplit_once('/').map_or(uri, |(stem, _)| stem);
        self.asked(served_version, request)
            .iter()
            .any(|asked| *asked == uri || (any_version && asked.starts_with(stem)))
    }

    /// The extensions that a request names, in their order.
    fn asked<'a>(&self, served_version: &ServedVersion, request: &'a Request) -> Vec<&'a str> {
        let header = request.headers.get(served_version.extensions_header()).unwrap_or_default();
        let read = if self.has(FaultId::ExtFirstOnly) { 1 } else { usize::MAX };
        header.split(',').map(str::trim).filter(|uri| !uri.is_empty()).take(read).collect()
    }

    fn activated(&self, served_version: &ServedVersion, request: &Request) -> Vec<String> {
        let mut active = self.extensions(served_version);
        active.retain(|(uri, required)| {
            (self.has(FaultId::ExtAlwaysOn) && !required) || self.asks_for_extension(served_version, request, uri)
        });
        active.into_iter().map(|(uri, _)| uri).collect()
    }

    /// 1.0 §3.3.4: who does not follow a required extension cannot be answered.
    pub(super) fn check_extensions(
        &self,
        served_version: &ServedVersion,
        operation: Operation,
        request: &Request,
    ) -> Result<(), Rejection> {
        let declared = self.extensions(served_version);
        if self.has(FaultId::UnknownExtensionRefused) {
            let unknown = |asked: &&str| !declared.iter().any(|(uri, _)| uri == asked);
            if let Some(asked) = self.asked(served_version, request).into_iter().find(unknown) {
                let refusal = Rejection::of(ErrorName::UnsupportedOperation, "this extension does not exist");
                return Err(refusal.with("extension", asked));
            }
        }
        let message = matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage);
        let lacks =
            |uri: &str| self.has(FaultId::ExtNeverEnough) || !self.asks_for_extension(served_version, request, uri);
        match declared.iter().find(|(uri, required)| *required && lacks(uri)) {
            Some((uri, _)) if message && !self.has(FaultId::ExtNotRequired) => {
                let refusal = Rejection::of(ErrorName::ExtensionSupportRequired, "messages must request an extension");
                Err(refusal.with("extension", uri))
            }
            _ => Ok(()),
        }
    }
}
