//! Who gets in, what goes along with every answer, and which extensions a request activates (1.0 §4.6, §7).

use super::call::Call;
use super::data::{elements, text};
use super::edition::Edition;
use super::fault::{FaultId, TOKEN};
use super::rpc::{Refusal, asks_for};
use super::{ScriptedAgent, plain_error};
use crate::a2a::model::{ErrorName, Operation};
use crate::host::Answer;
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
    pub(super) fn turned_away(&self, request: &Request) -> Option<Answer> {
        if self.has(FaultId::Busy) && self.0.calls.get() > ENOUGH {
            let mut answer = plain_error(429, "that was a lot; come back later");
            if !self.has(FaultId::RateLimited) {
                answer.head.headers.push("retry-after", "60");
            }
            return Some(answer);
        }
        if !self.has(FaultId::Protected) || self.has(FaultId::AuthNotChecked) {
            return None;
        }
        let known = token(request).is_some_and(|token| token == TOKEN || self.has(FaultId::AuthAnyToken));
        let (edition, _) = self.edition(request);
        let some = edition.dialect.method(Operation::ListTasks).map_or(Operation::CancelTask, |_| Operation::ListTasks);
        let refused = self.has(FaultId::AuthSomeRefused) && asks_for(edition, request, some);
        let open = OPEN.iter().any(|(fault, operation)| self.has(*fault) && asks_for(edition, request, *operation));
        if open || (known && !refused) {
            return None;
        }
        if self.has(FaultId::AuthRefusedWith400) {
            let refusal = Refusal::of(ErrorName::InvalidRequest, "a bearer token is required");
            let mut answer = Call { edition, form: self.form(request), operation: None }.answer(self, Err(refusal));
            answer.head.status = 400;
            return Some(answer);
        }
        let mut answer = plain_error(401, "a bearer token is required");
        if !self.has(FaultId::AuthNoChallenge) {
            answer.head.headers.push("www-authenticate", "Bearer realm=\"scripted agent\"");
        }
        Some(answer)
    }

    /// Adds what goes along with an answer besides its content.
    pub(super) fn accompany(&self, request: &Request, answer: &mut Answer) {
        let (edition, below) = self.edition(request);
        let headers = &mut answer.head.headers;
        if self.0.base.starts_with("https:") && !self.has(FaultId::NoHsts) {
            headers.push("strict-transport-security", "max-age=31536000");
        }
        // The extended card is for one client (1.0 §13.3).
        let extended = edition.extended_at(below) || asks_for(edition, request, Operation::GetExtendedCard);
        if self.has(FaultId::Protected) && answer.head.status == 200 && extended {
            let public = self.has(FaultId::ExtendedCached);
            headers.push("cache-control", if public { "public, max-age=3600" } else { "private, max-age=60" });
        }
        let active = self.activated(edition, request);
        if !active.is_empty() && !self.has(FaultId::ExtNotEchoed) {
            headers.push(edition.extensions_header().to_ascii_lowercase(), active.join(", "));
        }
    }

    /// The extensions that the card declares, and whether it requires them.
    fn extensions(&self, edition: &Edition) -> Vec<(String, bool)> {
        let mut card = self.card();
        let there = self.has(FaultId::Extensions) && edition.dialect.extensions_header.is_some();
        let Some(capabilities) = card.get_mut("capabilities").filter(|_| there) else {
            return Vec::new();
        };
        let list = elements(capabilities, "extensions").iter();
        list.map(|entry| (text(entry, "uri").to_owned(), entry.get("required").is_some_and(|flag| *flag == true)))
            .collect()
    }

    /// Whether a request asks for an extension.
    fn asks_for_extension(&self, edition: &Edition, request: &Request, uri: &str) -> bool {
        let any_version = self.has(FaultId::ExtAnyVersion);
        let stem = uri.rsplit_once('/').map_or(uri, |(stem, _)| stem);
        self.asked(edition, request).iter().any(|asked| *asked == uri || (any_version && asked.starts_with(stem)))
    }

    /// The extensions that a request names, in their order.
    fn asked<'a>(&self, edition: &Edition, request: &'a Request) -> Vec<&'a str> {
        let header = request.headers.get(edition.extensions_header()).unwrap_or_default();
        let read = if self.has(FaultId::ExtFirstOnly) { 1 } else { usize::MAX };
        header.split(',').map(str::trim).filter(|uri| !uri.is_empty()).take(read).collect()
    }

    fn activated(&self, edition: &Edition, request: &Request) -> Vec<String> {
        let mut active = self.extensions(edition);
        active.retain(|(uri, required)| {
            (self.has(FaultId::ExtAlwaysOn) && !required) || self.asks_for_extension(edition, request, uri)
        });
        active.into_iter().map(|(uri, _)| uri).collect()
    }

    /// 1.0 §3.3.4: who does not follow a required extension cannot be answered.
    pub(super) fn check_extensions(
        &self,
        edition: &Edition,
        operation: Operation,
        request: &Request,
    ) -> Result<(), Refusal> {
        let declared = self.extensions(edition);
        if self.has(FaultId::UnknownExtensionRefused) {
            let unknown = |asked: &&str| !declared.iter().any(|(uri, _)| uri == asked);
            if let Some(asked) = self.asked(edition, request).into_iter().find(unknown) {
                let refusal = Refusal::of(ErrorName::UnsupportedOperation, "there is no such extension");
                return Err(refusal.with("extension", asked));
            }
        }
        let message = matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage);
        let lacks = |uri: &str| self.has(FaultId::ExtNeverEnough) || !self.asks_for_extension(edition, request, uri);
        match declared.iter().find(|(uri, required)| *required && lacks(uri)) {
            Some((uri, _)) if message && !self.has(FaultId::ExtNotRequired) => {
                let refusal = Refusal::of(ErrorName::ExtensionSupportRequired, "messages must ask for an extension");
                Err(refusal.with("extension", uri))
            }
            _ => Ok(()),
        }
    }
}
