//! The agent card, and how it is served.

use serde_json::{Value, json};

use super::fault::FaultId;
use super::params::MODES;
use super::script::KEYWORDS;
use super::state::set;
use super::{ScriptedAgent, answer, html_page, json_answer, not_found};
use crate::a2a::dialect::v1_0::V1_0;
use crate::host::Answer;
use crate::wire::http::{Headers, Request};

/// Where a card is (1.0 §8.2).
pub(super) const PATH: &str = "/.well-known/agent-card.json";
/// Where it was before 0.3.
pub(super) const LEGACY_PATH: &str = "/.well-known/agent.json";

impl ScriptedAgent {
    /// Answers a GET of the card under one of the two paths.
    pub(super) fn serve_card(&self, request: &Request, path: &str) -> Answer {
        let has = |fault| self.0.faults.has(fault);
        let home = if has(FaultId::CardLegacyPath) { LEGACY_PATH } else { PATH };
        if has(FaultId::CardMissing) || path != home {
            return not_found();
        }
        if has(FaultId::CardHtml) {
            return html_page(200, "Welcome");
        }
        let mut card = self.card();
        if has(FaultId::CardEtagStale) {
            let fetches = self.0.card_fetches.get() + 1;
            self.0.card_fetches.set(fetches);
            set(&mut card, "version", Some(format!("{}+{fetches}", env!("CARGO_PKG_VERSION"))));
        }
        if has(FaultId::CardWrapped) {
            card = json!({ "agentCard": card });
        }
        let body = card.to_string().into_bytes();
        let mut headers = Headers::new();
        if !has(FaultId::CardNoCacheControl) {
            headers.push("cache-control", "public, max-age=60");
        }
        let etag =
            if has(FaultId::CardEtagStale) { "\"card\"".to_owned() } else { format!("\"{:016x}\"", hash(&body)) };
        if !has(FaultId::CardNoEtag) {
            headers.push("etag", etag.as_str());
        }
        headers.push("last-modified", self.0.born.as_str());
        let conditional = !has(FaultId::CardNoEtag) && !has(FaultId::CardEtagStale);
        let known = request.headers.get("if-none-match").is_some_and(|tags| matches(tags, &etag));
        if conditional && known {
            return answer(304, headers, Vec::new());
        }
        let media_type = if has(FaultId::CardTextPlain) { "text/plain" } else { "application/json" };
        let mut served = json_answer(200, media_type, body);
        headers.iter().for_each(|(name, value)| served.head.headers.push(name, value));
        served
    }

    /// The card.
    pub(super) fn card(&self) -> Value {
        let has = |fault| self.0.faults.has(fault);
        let version = if has(FaultId::CardVersionPatch) { "1.0.1" } else { V1_0.version };
        let mut card = json!({
            "name": "Scripted agent",
            "description": "Does what the first word of a message says: one skill for each behaviour that a client \
                            of A2A has to cope with.",
            "supportedInterfaces": [
                { "url": format!("{}/rpc", self.0.base), "protocolBinding": "JSONRPC", "protocolVersion": version },
            ],
            "provider": { "organization": "a2a-conformance", "url": "https://example.org/" },
            "version": env!("CARGO_PKG_VERSION"),
            "documentationUrl": "https://example.org/scripted-agent",
            "capabilities": {
                "streaming": !has(FaultId::UndeclaredStreaming),
                "pushNotifications": false,
                "extendedAgentCard": false,
            },
            "defaultInputModes": MODES,
            "defaultOutputModes": MODES,
            "skills": KEYWORDS.map(skill),
        });
        self.bend_members(&mut card);
        self.bend_interfaces(&mut card);
        self.bend_skills(&mut card);
        self.bend_security(&mut card);
        card
    }

    fn bend_members(&self, card: &mut Value) {
        let faults = &self.0.faults;
        if let Some(map) = card.as_object_mut().filter(|_| faults.has(FaultId::CardNoDescription)) {
            map.shift_remove("description");
        }
        let mut change = |fault, pointer: &str, name: &str, value: Value| {
            if let Some(holder) = card.pointer_mut(pointer).filter(|_| faults.has(fault)) {
                set(holder, name, Some(value));
            }
        };
        change(FaultId::CardEmptyModes, "", "defaultOutputModes", json!([]));
        change(FaultId::CardModeBareWord, "", "defaultInputModes", json!(["text", "text/plain"]));
        change(FaultId::CardBadDocumentationUrl, "", "documentationUrl", json!("see the wiki"));
        change(FaultId::CardProviderIncomplete, "", "provider", json!({ "organization": "a2a-conformance" }));
        change(FaultId::CardCapabilityText, "/capabilities", "pushNotifications", json!("false"));
        let extensions = json!([{ "description": "An extension without a name.", "required": false }]);
        change(FaultId::CardExtensionNoUri, "/capabilities", "extensions", extensions);
        change(FaultId::CardExtendedLegacyFlag, "", "supportsAuthenticatedExtendedCard", json!(true));
        let malformed = json!([{ "protected": 5, "signature": "a b" }]);
        change(FaultId::CardSignatureMalformed, "", "signatures", malformed);
        // {"alg":"ES256","typ":"JOSE"} and 64 zero bytes.
        let protected = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UifQ";
        let nameless = json!([{ "protected": protected, "signature": "A".repeat(86) }]);
        change(FaultId::CardSignatureNoKid, "", "signatures", nameless);
    }

    fn bend_interfaces(&self, card: &mut Value) {
        let faults = &self.0.faults;
        let Some(interfaces) = card.get_mut("supportedInterfaces").and_then(Value::as_array_mut) else { return };
        if faults.has(FaultId::CardNoInterfaces) {
            interfaces.clear();
        }
        let rest = |url: &str| json!({ "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": V1_0.version });
        let elsewhere = "https://agent.example.com/rest";
        if faults.has(FaultId::CardInterfaceIncomplete) {
            interfaces.push(json!({ "url": format!("{}/rpc", self.0.base), "protocolVersion": V1_0.version }));
        }
        if faults.has(FaultId::CardInterfaceRelative) {
            interfaces.push(rest("/rest"));
        }
        if faults.has(FaultId::CardInterfaceHttpPublic) {
            interfaces.push(rest("http://agent.example.com/rest"));
        }
        if faults.has(FaultId::CardBindingMisspelled) {
            let mut entry = rest(elsewhere);
            set(&mut entry, "protocolBinding", Some("REST"));
            interfaces.push(entry);
        }
        if faults.has(FaultId::CardTenantNumber) {
            let mut entry = rest(elsewhere);
            set(&mut entry, "tenant", Some(7));
            interfaces.push(entry);
        }
    }

    fn bend_skills(&self, card: &mut Value) {
        let faults = &self.0.faults;
        let Some(skills) = card.get_mut("skills").and_then(Value::as_array_mut) else { return };
        if let Some(last) = skills.last_mut() {
            if faults.has(FaultId::CardSecret) {
                let text = "Shows every kind of content. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a";
                set(last, "description", Some(text));
            }
            if faults.has(FaultId::CardSkillNoTags) {
                set(last, "tags", Some(json!([])));
            }
            if let Some(map) = last.as_object_mut().filter(|_| faults.has(FaultId::CardSkillIncomplete)) {
                map.shift_remove("description");
            }
        }
        if faults.has(FaultId::CardSkillDuplicate) {
            skills.extend(skills.last().cloned());
        }
        if faults.has(FaultId::CardEmptySkills) {
            skills.clear();
        }
    }

    fn bend_security(&self, card: &mut Value) {
        let tok = json!({ "tok": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
        let flat = json!({ "tok": { "type": "http", "scheme": "bearer" } });
        let nameless = json!({ "key": { "apiKeySecurityScheme": { "location": "header" } } });
        let required = json!([{ "schemes": { "tok": { "list": [] } } }]);
        // The empty alternative lets anybody in, so that nothing but the form is wrong.
        let dangling = json!([{ "schemes": { "other": { "list": [] } } }, {}]);
        for (fault, schemes, requirements) in [
            (FaultId::AuthRequired, &tok, Some(required)),
            (FaultId::CardSchemeFlat, &flat, None),
            (FaultId::CardSchemeIncomplete, &nameless, None),
            (FaultId::CardRequirementsFlat, &tok, Some(json!([{ "tok": [] }, {}]))),
            (FaultId::CardRequirementsDangling, &tok, Some(dangling)),
        ] {
            if self.0.faults.has(fault) {
                set(card, "securitySchemes", Some(schemes.clone()));
                set(card, "securityRequirements", requirements);
            }
        }
    }
}

fn skill(keyword: &str) -> Value {
    let (name, description, tags, example) = match keyword {
        "message-only" => {
            ("Message only", "Answers with a message and makes no task.", ["message", "echo"], "hello world")
        }
        "task-lifecycle" => (
            "Task life cycle",
            "Works on a task and completes it with an artifact.",
            ["task", "artifact"],
            "process this data",
        ),
        "task-failure" => ("Failure", "Works on a task and fails, saying why.", ["task", "failure"], "trigger error"),
        "task-cancel" => ("Cancellation", "Works for half a minute, to be cancelled.", ["task", "cancel"], "start"),
        "multi-turn" => (
            "Conversation",
            "Asks for input until a message says done.",
            ["task", "input-required"],
            "start conversation",
        ),
        "streaming" => ("Streaming", "Makes one artifact in four chunks.", ["task", "streaming"], "generate output"),
        "long-running" => {
            ("Long running", "Works for over a second and tells its progress.", ["task", "progress"], "start process")
        }
        _ => ("Data types", "Makes artifacts of every kind of content.", ["task", "content"], "show all"),
    };
    let mut skill = json!({
        "id": keyword,
        "name": name,
        "description": description,
        "tags": tags,
        "examples": [format!("{keyword} {example}")],
    });
    let pictures = keyword == "data-types";
    set(&mut skill, "outputModes", pictures.then(|| json!(["text/plain", "application/json", "image/svg+xml"])));
    skill
}

/// Whether a list of entity tags holds this one; tags compare weakly here (RFC 9110 §13.1.2).
fn matches(tags: &str, etag: &str) -> bool {
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
