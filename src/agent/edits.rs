//! The faults of form: changes to a value on its way out, as tables. Behaviour is not decided here.

use serde_json::Value;

use super::bend::{Edit, Shape, latin1};
use super::data::{change, data, elements, remove, set, set_text, take, text};
use super::fault::FaultId;
use super::operations::around;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};

const BEARER: &str = r#"{"tok":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}}"#;
const BEARER_OR_OAUTH: &str = r#"{"tok":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://login.example.com/token","scopes":{"tasks":"Use the agent."}}}}}}"#;
const TENANT: &str = r#""workshop""#;
const EXTENSIONS: &str = r#"[{"uri":"https://example.org/extensions/tone/v1","description":"In which tone an answer is.","required":false},{"uri":"https://example.org/extensions/trace/v1","description":"Which trace a message belongs to.","required":true}]"#;

/// The faults of form, in the order in which they are applied to one object.
#[rustfmt::skip]
pub(super) const EDITS: &[(FaultId, Shape, Edit)] = &[
    // The variants.
    (FaultId::Protected, Shape::Card, Edit::Put("/securitySchemes", BEARER_OR_OAUTH)),
    (FaultId::Protected, Shape::Card, Edit::Put("/securityRequirements", r#"[{"schemes":{"tok":{"list":[]}}}]"#)),
    (FaultId::Protected, Shape::Card, Edit::Put("/capabilities/extendedAgentCard", "true")),
    (FaultId::Protected, Shape::Result(Operation::GetExtendedCard), Edit::Put("/skills/-", r#"{"id":"statistics","name":"Statistics","description":"Counts tasks, for those who may know.","tags":["task"]}"#)),
    (FaultId::Extensions, Shape::Card, Edit::Put("/capabilities/extensions", EXTENSIONS)),
    (FaultId::Modest, Shape::Card, Edit::Put("/capabilities/streaming", "false")),
    (FaultId::Modest, Shape::Card, Edit::Put("/capabilities/pushNotifications", "false")),
    (FaultId::Hybrid, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"{base}/rpc","protocolBinding":"JSONRPC","protocolVersion":"0.3"}"#)),
    (FaultId::Hybrid, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"{base}/rest","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"}"#)),
    // The libraries that speak both write the members of 0.3 into the same card.
    (FaultId::Hybrid, Shape::Card, Edit::Put("/url", r#""{base}/rpc""#)),
    (FaultId::Hybrid, Shape::Card, Edit::Put("/protocolVersion", r#""0.3""#)),
    (FaultId::Hybrid, Shape::Card, Edit::Put("/preferredTransport", r#""JSONRPC""#)),
    (FaultId::Hybrid, Shape::Card, Edit::Put("/additionalInterfaces", r#"[{"url":"{base}/rest","transport":"HTTP+JSON"}]"#)),
    (FaultId::Tenants, Shape::Card, Edit::Put("/supportedInterfaces/0/tenant", TENANT)),
    (FaultId::Tenants, Shape::Card, Edit::Put("/supportedInterfaces/1/tenant", TENANT)),

    // The card.
    (FaultId::UndeclaredStreaming, Shape::Card, Edit::Put("/capabilities/streaming", "false")),
    (FaultId::UndeclaredSubscribe, Shape::Card, Edit::Put("/capabilities/streaming", "false")),
    (FaultId::UndeclaredPush, Shape::Card, Edit::Put("/capabilities/pushNotifications", "false")),
    (FaultId::CardNoDescription, Shape::Card, Edit::Remove("/description")),
    (FaultId::CardVersionPatch, Shape::Card, Edit::Put("/supportedInterfaces/0/protocolVersion", r#""1.0.1""#)),
    (FaultId::CardEmptyModes, Shape::Card, Edit::Put("/defaultOutputModes", "[]")),
    (FaultId::CardModeBareWord, Shape::Card, Edit::Put("/defaultInputModes", r#"["json","text/plain"]"#)),
    (FaultId::CardBadDocumentationUrl, Shape::Card, Edit::Put("/documentationUrl", r#""see the wiki""#)),
    (FaultId::CardProviderIncomplete, Shape::Card, Edit::Put("/provider", r#"{"organization":"a2a-conformance"}"#)),
    (FaultId::CardCapabilityText, Shape::Card, Edit::Put("/capabilities/extendedAgentCard", r#""false""#)),
    (FaultId::CardExtensionNoUri, Shape::Card, Edit::Put("/capabilities/extensions", r#"[{"description":"An extension without a name.","required":false}]"#)),
    (FaultId::CardExtensionUnversioned, Shape::Card, Edit::Put("/capabilities/extensions/0/uri", r#""https://example.org/extensions/tone""#)),
    (FaultId::CardExtendedLegacyFlag, Shape::Card, Edit::Put("/supportsAuthenticatedExtendedCard", "true")),
    (FaultId::CardSignatureMalformed, Shape::Card, Edit::Put("/signatures", r#"[{"protected":5,"signature":"a b"}]"#)),
    // {"alg":"ES256","typ":"JOSE"} and some bytes.
    (FaultId::CardSignatureNoKid, Shape::Card, Edit::Put("/signatures", r#"[{"protected":"eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UifQ","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    // {"alg":"ES256","kid":"key-1"} and some bytes.
    (FaultId::CardSignatureNoTyp, Shape::Card, Edit::Put("/signatures", r#"[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    (FaultId::CardReleaseCandidate, Shape::Card, Edit::Put("/protocolVersions", r#"["1.0"]"#)),
    (FaultId::CardReleaseCandidate, Shape::Card, Edit::Remove("/supportedInterfaces/0/protocolVersion")),
    (FaultId::CardReleaseCandidate, Shape::Card, Edit::Remove("/supportedInterfaces/1/protocolVersion")),
    (FaultId::CardNoInterfaces, Shape::Card, Edit::Put("/supportedInterfaces", "[]")),
    (FaultId::CardInterfaceIncomplete, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"{base}/rpc","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceRelative, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceHttpPublic, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"http://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardBindingMisspelled, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"https://agent.example.com/rest","protocolBinding":"REST","protocolVersion":"1.0"}"#)),
    (FaultId::CardTenantNumber, Shape::Card, Edit::Put("/supportedInterfaces/-", r#"{"url":"https://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0","tenant":7}"#)),
    (FaultId::CardSecret, Shape::Card, Edit::Put("/skills/7/description", r#""Shows every kind of content. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a""#)),
    (FaultId::CardSkillNoTags, Shape::Card, Edit::Put("/skills/7/tags", "[]")),
    (FaultId::CardSkillIncomplete, Shape::Card, Edit::Remove("/skills/7/description")),
    (FaultId::CardSkillDuplicate, Shape::Card, Edit::Put("/skills/-", r#"{"id":"data-types","name":"Data types","description":"The same id again.","tags":["task"]}"#)),
    (FaultId::CardEmptySkills, Shape::Card, Edit::Put("/skills", "[]")),
    (FaultId::CardSchemeFlat, Shape::Card, Edit::Put("/securitySchemes", r#"{"tok":{"type":"http","scheme":"bearer"}}"#)),
    (FaultId::CardSchemeIncomplete, Shape::Card, Edit::Put("/securitySchemes", r#"{"key":{"apiKeySecurityScheme":{"location":"header"}}}"#)),
    (FaultId::CardOauthNoTokenUrl, Shape::Card, Edit::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{}}}}}}"#)),
    (FaultId::CardOauthImplicit, Shape::Card, Edit::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"implicit":{"authorizationUrl":"https://login.example.com/","scopes":{}}}}}}"#)),
    (FaultId::CardOauthHttp, Shape::Card, Edit::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"http://login.example.com/token","scopes":{}}}}}}"#)),
    // The empty alternative lets anybody in, so that nothing but the form is wrong.
    (FaultId::CardRequirementsFlat, Shape::Card, Edit::Put("/securitySchemes", BEARER)),
    (FaultId::CardRequirementsFlat, Shape::Card, Edit::Put("/securityRequirements", r#"[{"tok":[]},{}]"#)),
    (FaultId::CardRequirementsDangling, Shape::Card, Edit::Put("/securitySchemes", BEARER)),
    (FaultId::CardRequirementsDangling, Shape::Card, Edit::Put("/securityRequirements", r#"[{"schemes":{"other":{"list":[]}}},{}]"#)),

    (FaultId::ExtendedIncomplete, Shape::Result(Operation::GetExtendedCard), Edit::Remove("/name")),
    (FaultId::ExtendedSecret, Shape::Result(Operation::GetExtendedCard), Edit::Put("/description", r#""Does what it is told. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a""#)),

    // Errors.
    (FaultId::ErrorReasonWrong, Shape::ErrorDetail, Edit::Replace("/reason", r#""NOT_FOUND""#)),
    (FaultId::ErrorDetailUntyped, Shape::ErrorDetail, Edit::Remove("/@type")),
    (FaultId::ErrorDetailPrivate, Shape::Error, Edit::Put("/data/-", r#"{"@type":"type.example.org/scripted.Detail","mood":"unwell"}"#)),
    (FaultId::ErrorNoMessage, Shape::Error, Edit::Put("/message", r#""""#)),
    (FaultId::ErrorStackTrace, Shape::Error, Edit::Do(error_stack_trace)),
    (FaultId::Latin1Body, Shape::Error, Edit::Do(|error| latin1(error, "message"))),
    (FaultId::ErrorDataObject, Shape::Error, Edit::Do(error_data_object)),
    (FaultId::ErrorNoInfo, Shape::Error, Edit::Remove("/data")),
    (FaultId::ErrorCodeText, Shape::Error, Edit::Do(|error| as_text(error, "code"))),
    (FaultId::ErrorCodeOutside, Shape::Error, Edit::Do(error_code_outside)),
    (FaultId::StatusNoInfo, Shape::Error, Edit::Remove("/details")),
    (FaultId::StatusCodeGrpc, Shape::Error, Edit::Do(grpc_code)),
    (FaultId::StatusNameOdd, Shape::Error, Edit::Replace("/status", r#""TaskNotFoundError""#)),
    (FaultId::ErrorDetailPrivate, Shape::HttpError, Edit::Put("/error/details/-", r#"{"@type":"type.example.org/scripted.Detail","mood":"unwell"}"#)),
    (FaultId::StatusBodyFlat, Shape::HttpError, Edit::Do(flat_violations)),

    // The envelope.
    (FaultId::ParseErrorNoId, Shape::Envelope, Edit::Do(parse_error_no_id)),
    (FaultId::ResultAndError, Shape::Envelope, Edit::Do(result_and_error)),
    (FaultId::RpcVersionMissing, Shape::Envelope, Edit::Remove("/jsonrpc")),
    (FaultId::IdAsText, Shape::Envelope, Edit::Do(|envelope| as_text(envelope, "id"))),
    (FaultId::IdMissing, Shape::Envelope, Edit::Remove("/id")),

    // Results and events.
    (FaultId::RawNotBase64, Shape::Part, Edit::Replace("/raw", r#""not base64!""#)),
    (FaultId::KindMembers, Shape::Part, Edit::Do(part_kind)),
    (FaultId::MessageNoId, Shape::Message, Edit::Do(|message| if is_of_agent(message) { remove(message, "messageId") })),
    (FaultId::AgentSpeaksAsUser, Shape::Message, Edit::Do(|message| if is_of_agent(message) { set_text(message, "role", V1_0.role_name(Role::User)) })),
    (FaultId::RolesLowercase, Shape::Message, Edit::Do(|message| lower_case(message, "role", "ROLE_"))),
    (FaultId::KindMembers, Shape::Message, Edit::Put("/kind", r#""message""#)),
    (FaultId::ArtifactNoId, Shape::Artifact, Edit::Remove("/artifactId")),
    (FaultId::ArtifactIdsRepeat, Shape::Artifact, Edit::Put("/artifactId", r#""artifact""#)),
    (FaultId::PartTwoContents, Shape::Artifact, Edit::Do(two_contents)),
    (FaultId::StateUnspecified, Shape::Status, Edit::Do(state_unspecified)),
    (FaultId::StatesLowercase, Shape::Status, Edit::Do(|status| lower_case(status, "state", "TASK_STATE_"))),
    (FaultId::TimestampsSeconds, Shape::Status, Edit::Do(timestamp_seconds)),
    (FaultId::TimestampsOffset, Shape::Status, Edit::Do(timestamp_offset)),
    (FaultId::TaskContextNumber, Shape::Task, Edit::Put("/contextId", "7")),
    (FaultId::TaskNoContext, Shape::Task, Edit::Do(task_no_context)),
    (FaultId::KindMembers, Shape::Task, Edit::Put("/kind", r#""task""#)),
    (FaultId::StatusEventNoContext, Shape::StatusUpdate, Edit::Remove("/contextId")),
    (FaultId::StreamFinalMember, Shape::StatusUpdate, Edit::Do(final_member)),
    (FaultId::ArtifactEventNoTaskId, Shape::ArtifactUpdate, Edit::Remove("/taskId")),
    (FaultId::AppendUnknownArtifact, Shape::ArtifactUpdate, Edit::Put("/append", "true")),
    (FaultId::MessageNoParts, Shape::Wrapper, Edit::Put("/message/parts", "[]")),
    (FaultId::MessageNoContext, Shape::Wrapper, Edit::Remove("/message/contextId")),
    (FaultId::ListEmpty, Shape::List, Edit::Put("/tasks", "[]")),
    (FaultId::ListEmpty, Shape::List, Edit::Put("/nextPageToken", r#""""#)),
    (FaultId::ListEmpty, Shape::List, Edit::Put("/totalSize", "0")),
    (FaultId::ListNoTotal, Shape::List, Edit::Remove("/totalSize")),
    (FaultId::ListNoToken, Shape::List, Edit::Do(|list| if text(list, "nextPageToken").is_empty() { remove(list, "nextPageToken") })),
    (FaultId::ListTasksBare, Shape::List, Edit::Do(|list| elements(list, "tasks").iter_mut().for_each(|task| remove(task, "status")))),
    (FaultId::ListPageSizeZero, Shape::List, Edit::Put("/pageSize", "0")),
    (FaultId::PushConfigNoTask, Shape::PushConfig, Edit::Remove("/taskId")),
    (FaultId::PushCreateEmpty, Shape::Result(Operation::CreatePushConfig), Edit::Do(|config| *config = data("{}", &[]))),
    (FaultId::PushGetWrongUrl, Shape::Result(Operation::GetPushConfig), Edit::Put("/url", r#""https://example.com/elsewhere""#)),
    (FaultId::PushListArray, Shape::Result(Operation::ListPushConfigs), Edit::Do(|list| *list = list.get_mut("configs").map(Value::take).unwrap_or_default())),
    (FaultId::TaskNoId, Shape::Result(Operation::SendMessage), Edit::Remove("/task/id")),
    (FaultId::SendUnwrapped, Shape::Result(Operation::SendMessage), Edit::Do(unwrap)),
    (FaultId::MessageNoKind, Shape::Answer(Operation::SendMessage), Edit::Do(message_no_kind)),
    (FaultId::StateHistoryMissing, Shape::Answer(Operation::GetTask), Edit::Remove("/history")),
    (FaultId::ListOdd, Shape::Answer(Operation::ListTasks), Edit::Do(|list| *list = data(r#"{"hello":1}"#, &[]))),
    (FaultId::PushSetFlat, Shape::Answer(Operation::CreatePushConfig), Edit::Do(flat_config)),
    (FaultId::GetWrapped, Shape::Answer(Operation::GetTask), Edit::Do(wrap)),
];

/// The faults that only older versions can have, made to what is in their words already.
#[rustfmt::skip]
pub(super) const OLDER_EDITS: &[(FaultId, Shape, Edit)] = &[
    (FaultId::CardNoUrl, Shape::Card, Edit::Put("/url", "7")),
    (FaultId::CardNoPreferredTransport, Shape::Card, Edit::Remove("/preferredTransport")),
    (FaultId::CardAdditionalIncomplete, Shape::Card, Edit::Put("/additionalInterfaces/-", r#"{"url":"{base}/0.3/rest"}"#)),
    (FaultId::CardAdditionalLacksMain, Shape::Card, Edit::Put("/additionalInterfaces", r#"[{"url":"{base}/0.3/rest","transport":"HTTP+JSON"}]"#)),
    // There extendedAgentCard is no capability.
    (FaultId::CardCapabilityText, Shape::Card, Edit::Put("/capabilities/stateTransitionHistory", r#""false""#)),
    (FaultId::CardTransportMisspelled, Shape::Card, Edit::Put("/additionalInterfaces/-", r#"{"url":"{base}/0.3/other","transport":"HTTP-JSON"}"#)),
    (FaultId::CardNoVersion, Shape::Card, Edit::Remove("/version")),
    (FaultId::CardSkillNoId, Shape::Card, Edit::Remove("/skills/7/id")),
    (FaultId::CardSecurityOdd, Shape::Card, Edit::Put("/security", r#"{"bearer":[]}"#)),
    (FaultId::CardSkillNoModes, Shape::Card, Edit::Do(|card| elements(card, "skills").iter_mut().for_each(no_modes))),
    (FaultId::CardAuthenticationOdd, Shape::Card, Edit::Put("/authentication", r#"{"schemes":"Bearer"}"#)),
    (FaultId::CardCredentialsSilent, Shape::Card, Edit::Put("/authentication", r#"{"schemes":["oauth2"]}"#)),
    (FaultId::ArtifactNoParts, Shape::Artifact, Edit::Remove("/parts")),
    // In 0.1 there are no direct answers.
    (FaultId::MessageNoParts, Shape::Status, Edit::Remove("/message/parts")),
    (FaultId::FileTwoContents, Shape::Part, Edit::Do(file_two_contents)),
    (FaultId::PartTaggedType, Shape::Part, Edit::Name("kind", "type")),
    (FaultId::PartUntagged, Shape::Part, Edit::Remove("/kind")),
    (FaultId::PartUntagged, Shape::Part, Edit::Remove("/type")),
    (FaultId::RolesOfProto, Shape::Message, Edit::Do(|message| upper_case(message, "role", "ROLE_"))),
    (FaultId::StatesOfProto, Shape::Status, Edit::Do(|status| upper_case(status, "state", "TASK_STATE_"))),
    (FaultId::TimestampsOdd, Shape::Status, Edit::Put("/timestamp", r#""yesterday""#)),
    (FaultId::TaskNoKind, Shape::Task, Edit::Remove("/kind")),
    (FaultId::TaskNoKind, Shape::Task, Edit::Do(|task| elements(task, "history").iter_mut().for_each(|message| remove(message, "kind")))),
    (FaultId::EventNoKind, Shape::StatusUpdate, Edit::Remove("/kind")),
    (FaultId::EventNoKind, Shape::ArtifactUpdate, Edit::Remove("/kind")),
    // In 0.1 kinds are told by what is there.
    (FaultId::EventNoKind, Shape::ArtifactUpdate, Edit::Do(|update| if update.get("taskId").is_none() { set(update, "status", data(r#"{"state":"working"}"#, &[])) })),
    (FaultId::StreamNoFinal, Shape::StatusUpdate, Edit::Put("/final", "false")),
    (FaultId::PushListWrapped, Shape::PushConfigs, Edit::Do(|list| *list = around("all", list.take()))),
];

fn as_text(object: &mut Value, name: &str) {
    if let Some(member) = object.get_mut(name).filter(|member| member.is_number()) {
        *member = member.to_string().into();
    }
}

fn lower_case(object: &mut Value, name: &str, prefix: &str) {
    if let Some(Value::String(word)) = object.get_mut(name) {
        *word = word.trim_start_matches(prefix).replace('_', "-").to_ascii_lowercase();
    }
}

fn upper_case(object: &mut Value, name: &str, prefix: &str) {
    if let Some(Value::String(word)) = object.get_mut(name) {
        *word = format!("{prefix}{}", word.replace('-', "_").to_ascii_uppercase());
    }
}

fn file_two_contents(part: &mut Value) {
    if let Some(file) = part.get_mut("file") {
        set_text(file, "bytes", "aGk=");
        set_text(file, "uri", "https://example.com/output.txt");
    }
}

fn no_modes(skill: &mut Value) {
    remove(skill, "inputModes");
    remove(skill, "outputModes");
}

fn message_no_kind(answer: &mut Value) {
    if text(answer, "kind") == "message" {
        remove(answer, "kind");
    }
    if let Some(message) = answer.get_mut("message") {
        remove(message, "kind");
    }
}

fn flat_config(config: &mut Value) {
    let mut flat = take(config, "pushNotificationConfig");
    set(&mut flat, "taskId", take(config, "taskId"));
    *config = flat;
}

fn error_stack_trace(error: &mut Value) {
    if let Some(Value::String(text)) = error.get_mut("message") {
        text.push_str(
            "\nTraceback (most recent call last):\n  File \"/srv/agent/server.py\", line 12, in handle\n    \
             return tasks[params[\"id\"]]\nKeyError: 'id'",
        );
    }
}

fn error_data_object(error: &mut Value) {
    if let Some(details) = error.get_mut("data") {
        let first = details.get_mut(0).map(Value::take);
        *details = first.unwrap_or_else(|| data("{}", &[]));
    }
}

fn error_code_outside(error: &mut Value) {
    if error.get("code").and_then(Value::as_i64) == Some(V1_0.error_code(ErrorName::TaskNotFound)) {
        set(error, "code", 404.into());
    }
}

/// The number that gRPC has for the status of an error.
fn grpc_code(error: &mut Value) {
    let number = match text(error, "status") {
        "INVALID_ARGUMENT" => 3,
        "NOT_FOUND" => 5,
        "FAILED_PRECONDITION" => 9,
        "INTERNAL" => 13,
        _ => return,
    };
    set(error, "code", number.into());
}

/// Many web frameworks validate before anybody is asked in what form to say so.
fn flat_violations(body: &mut Value) {
    if body.pointer("/error/details/0/fieldViolations").is_some()
        && let Some(error) = body.get_mut("error").map(Value::take)
    {
        *body = error;
    }
}

fn parse_error_no_id(envelope: &mut Value) {
    let code = envelope.pointer("/error/code").and_then(Value::as_i64);
    if code == Some(V1_0.error_code(ErrorName::Parse)) {
        remove(envelope, "id");
    }
}

fn result_and_error(envelope: &mut Value) {
    if envelope.get("error").is_some() {
        set(envelope, "result", data("{}", &[]));
    }
}

fn part_kind(part: &mut Value) {
    let name = ["text", "data"].into_iter().find(|name| part.get(name).is_some()).unwrap_or("file");
    set_text(part, "kind", name);
}

fn is_of_agent(message: &Value) -> bool {
    text(message, "role") == V1_0.role_name(Role::Agent)
}

fn two_contents(artifact: &mut Value) {
    for part in elements(artifact, "parts") {
        match (part.get("text").is_some(), part.get("data").is_some()) {
            (true, false) => set(part, "data", data(r#"{"also":"data"}"#, &[])),
            (false, true) => set_text(part, "text", "Also text."),
            _ => {}
        }
    }
}

fn state_unspecified(status: &mut Value) {
    if text(status, "state") == V1_0.state_name(TaskState::Submitted) {
        set_text(status, "state", V1_0.state_name(TaskState::Unspecified));
    }
}

fn timestamp_seconds(status: &mut Value) {
    let whole = text(status, "timestamp").split('.').next().unwrap_or_default().to_owned();
    set_text(status, "timestamp", &(whole + "Z"));
}

fn timestamp_offset(status: &mut Value) {
    let offset = text(status, "timestamp").replace('Z', "+00:00");
    set_text(status, "timestamp", &offset);
}

fn task_no_context(task: &mut Value) {
    remove(task, "contextId");
    change(task, "/status/message/contextId", None);
    elements(task, "history").iter_mut().for_each(|message| remove(message, "contextId"));
}

fn final_member(update: &mut Value) {
    let state = update.get("status").map(|status| text(status, "state")).unwrap_or_default();
    let last = V1_0.state(state).is_some_and(TaskState::is_terminal);
    set(update, "final", last.into());
}

/// Takes away what is around a task, a message or an update.
pub(super) fn unwrap(result: &mut Value) {
    if let Some(inner) =
        ["task", "message", "statusUpdate", "artifactUpdate"].iter().find_map(|name| result.get(name)).cloned()
    {
        *result = inner;
    }
}

fn wrap(result: &mut Value) {
    let task = result.take();
    *result = data("{}", &[]);
    set(result, "task", task);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::bend::edit;
    use crate::agent::card::CARD;
    use crate::agent::fault::VARIANTS;

    #[test]
    fn every_text_of_an_edit_is_json_and_its_place_in_the_card_exists() {
        let mut card: Value = serde_json::from_str(CARD).unwrap();
        let variants = VARIANTS.iter().map(|variant| FaultId::parse(variant.id).unwrap()).collect();
        edit(&variants, Shape::Card, &mut card);
        for (fault, shape, edit) in EDITS {
            let (Edit::Put(pointer, _) | Edit::Replace(pointer, _) | Edit::Remove(pointer)) = edit else { continue };
            let (holder, _) = pointer.rsplit_once('/').unwrap();
            assert!(*shape != Shape::Card || card.pointer(holder).is_some(), "{}: {pointer}", fault.as_str());
        }
        for (fault, _, edit) in EDITS.iter().chain(OLDER_EDITS) {
            let (Edit::Put(_, json) | Edit::Replace(_, json)) = edit else { continue };
            serde_json::from_str::<Value>(json).unwrap_or_else(|error| panic!("{}: {error}", fault.as_str()));
        }
    }
}
