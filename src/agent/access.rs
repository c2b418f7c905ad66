//! Who is let in (1.0 §7: tokens, and the faults and variants about them), required extensions (1.0 §4.6), and the headers that
//! both add to answers.

use serde_json::Value;

use super::call_form::IncomingCall;
use super::fault::{FaultId, SECOND_TOKEN, TOKEN};
use super::json_values::{elements, text};
use super::rejection::Rejection;
use super::request::{bearer_token, calls, json_body};
use super::responses::plain_error;
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use crate::a2a::model::{ErrorName, Operation};
use crate::host::StreamedResponse;
use crate::wire::http::Request;
use crate::wire::url::path_of;

/// Operations that a fault allows without a token.
const OPEN_OPERATIONS: [(FaultId, Operation); 5] = [
    (FaultId::AuthTasksOpen, Operation::GetTask),
    (FaultId::AuthSendOpen, Operation::SendMessage),
    (FaultId::AuthCancelOpen, Operation::CancelTask),
    (FaultId::AuthSubscribeOpen, Operation::SubscribeToTask),
    (FaultId::ExtendedOpen, Operation::GetExtendedCard),
];

/// How many calls the variant `busy` answers.
const BUSY_AFTER: u32 = 40;

impl ScriptedAgent {
    /// The answer to a request that is not let in; none if it is.
    pub(super) fn refuse_access(&self, request: &Request) -> Option<StreamedResponse> {
        if self.has(FaultId::Busy) && self.0.calls.get() > BUSY_AFTER {
            let mut answer = plain_error(429, "too many calls; come back later");
            if !self.has(FaultId::RateLimited) {
                answer.head.headers.push("retry-after", "60");
            }
            return Some(answer);
        }
        let by_time = |text: &str| text.contains("statusTimestampAfter");
        let body = request.body.as_deref().unwrap_or_default();
        if self.has(FaultId::ListTimestampUnavailable)
            && (by_time(&request.url) || by_time(&String::from_utf8_lossy(body)))
        {
            return Some(plain_error(503, "lists by time are not available"));
        }
        if !self.has(FaultId::Protected) || self.has(FaultId::AuthNotChecked) {
            return None;
        }
        let valid = |token: &str| {
            token == TOKEN
                || (token == SECOND_TOKEN && self.has(FaultId::TwoUsers))
                || self.has(FaultId::AuthAnyToken)
                || (self.has(FaultId::AuthExpiredToken) && token.split('.').count() == 3)
        };
        let other_scheme = bearer_token(request).is_none() && request.headers.get("authorization").is_some();
        let authenticated =
            bearer_token(request).is_some_and(valid) || (other_scheme && self.has(FaultId::AuthOtherScheme));
        let (served_version, below) = self.served_version(request);
        let refused_operation =
            served_version.dialect.method(Operation::ListTasks).map_or(Operation::CancelTask, |_| Operation::ListTasks);
        let refused_all_the_same =
            self.has(FaultId::AuthSomeRefused) && calls(served_version, request, refused_operation);
        let open = OPEN_OPERATIONS
            .iter()
            .any(|(fault, operation)| self.has(*fault) && calls(served_version, request, *operation))
            || (self.has(FaultId::ExtendedOpen) && served_version.serves_extended_card_at(below))
            || (self.has(FaultId::AuthTellsMissing) && self.asks_for_missing_task(served_version, request));
        if open || (authenticated && !refused_all_the_same) {
            return None;
        }
        if self.has(FaultId::AuthRefusedWith400) {
            let rejection = Rejection::new(ErrorName::InvalidRequest, "a bearer token is required");
            let mut answer = IncomingCall::from_request(self, request).answer(self, Err(rejection));
            answer.head.status = 400;
            return Some(answer);
        }
        if self.has(FaultId::AuthRefusedWith403) {
            return Some(plain_error(403, "a bearer token is required"));
        }
        let mut answer = plain_error(401, "a bearer token is required");
        if !self.has(FaultId::AuthNoChallenge) {
            answer.head.headers.push("www-authenticate", "Bearer realm=\"scripted agent\"");
        }
        Some(answer)
    }

    /// Whether a request is a GetTask for a task that does not exist.
    fn asks_for_missing_task(&self, served_version: &ServedVersion, request: &Request) -> bool {
        if !calls(served_version, request, Operation::GetTask) {
            return false;
        }
        let body = json_body(request).unwrap_or_default();
        let last = path_of(&request.url).rsplit('/').next().unwrap_or_default();
        let of_message = || body.get("id").and_then(Value::as_str).unwrap_or(last);
        let id = body.get("params").map_or_else(of_message, |params| text(params, "id"));
        self.0.store.borrow().get(id, |_| true).is_none()
    }

    /// Adds the headers that do not depend on the answer's content.
    pub(super) fn add_headers(&self, request: &Request, answer: &mut StreamedResponse) {
        let (served_version, below) = self.served_version(request);
        let headers = &mut answer.head.headers;
        if self.0.base.starts_with("https:") && !self.has(FaultId::NoHsts) {
            headers.push("strict-transport-security", "max-age=31536000");
        }
        // 1.0 §13.3: the extended card is for one client only.
        let extended =
            served_version.serves_extended_card_at(below) || calls(served_version, request, Operation::GetExtendedCard);
        if self.has(FaultId::Protected) && answer.head.status == 200 && extended {
            let public = self.has(FaultId::ExtendedCached);
            headers.push("cache-control", if public { "public, max-age=3600" } else { "private, max-age=60" });
        }
        let active = self.active_extensions(served_version, request);
        if !active.is_empty() && !self.has(FaultId::ExtNotEchoed) {
            headers.push(served_version.extensions_header().to_ascii_lowercase(), active.join(", "));
        }
    }

    /// The URIs of the extensions that the card declares, and whether it requires them.
    fn declared_extensions(&self, served_version: &ServedVersion) -> Vec<(String, bool)> {
        // Every request asks for them, and few agents have any: the card is made for those alone.
        if !self.has(FaultId::Extensions) || served_version.dialect.extensions_header.is_none() {
            return Vec::new();
        }
        let mut card = self.card();
        let Some(capabilities) = card.get_mut("capabilities") else { return Vec::new() };
        let list = elements(capabilities, "extensions").iter();
        list.map(|entry| (text(entry, "uri").to_owned(), entry.get("required").is_some_and(|flag| *flag == true)))
            .collect()
    }

    fn requests_extension(&self, served_version: &ServedVersion, request: &Request, uri: &str) -> bool {
        let any_version = self.has(FaultId::ExtAnyVersion);
        let stem = uri.rsplit_once('/').map_or(uri, |(stem, _)| stem);
        self.requested_extensions(served_version, request)
            .iter()
            .any(|requested| *requested == uri || (any_version && requested.starts_with(stem)))
    }

    fn requested_extensions<'a>(&self, served_version: &ServedVersion, request: &'a Request) -> Vec<&'a str> {
        let header = request.headers.get(served_version.extensions_header()).unwrap_or_default();
        let limit = if self.has(FaultId::ExtFirstOnly) { 1 } else { usize::MAX };
        header.split(',').map(str::trim).filter(|uri| !uri.is_empty()).take(limit).collect()
    }

    fn active_extensions(&self, served_version: &ServedVersion, request: &Request) -> Vec<String> {
        let mut active = self.declared_extensions(served_version);
        active.retain(|(uri, required)| {
            (self.has(FaultId::ExtAlwaysOn) && !required) || self.requests_extension(served_version, request, uri)
        });
        active.into_iter().map(|(uri, _)| uri).collect()
    }

    /// Refuses a message that does not ask for a required extension (1.0 §3.3.4).
    pub(super) fn check_extensions(
        &self,
        served_version: &ServedVersion,
        operation: Operation,
        request: &Request,
    ) -> Result<(), Rejection> {
        let declared = self.declared_extensions(served_version);
        if self.has(FaultId::UnknownExtensionRefused) {
            let unknown = |requested: &&str| !declared.iter().any(|(uri, _)| uri == requested);
            if let Some(uri) = self.requested_extensions(served_version, request).into_iter().find(unknown) {
                let rejection = Rejection::new(ErrorName::UnsupportedOperation, "this extension does not exist");
                return Err(rejection.with("extension", uri));
            }
        }
        let is_send = matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage);
        let lacks =
            |uri: &str| self.has(FaultId::ExtNeverEnough) || !self.requests_extension(served_version, request, uri);
        match declared.iter().find(|(uri, required)| *required && lacks(uri)) {
            Some((uri, _)) if is_send && !self.has(FaultId::ExtNotRequired) => {
                let rejection =
                    Rejection::new(ErrorName::ExtensionSupportRequired, "messages must request an extension");
                Err(rejection.with("extension", uri))
            }
            _ => Ok(()),
        }
    }
}
