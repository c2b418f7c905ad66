//! The faults of form, as tables: each changes members of objects of a shape on their way out. Faults of behaviour are not here.

use super::served_version::CURRENT;
use serde_json::Value;

use super::fault::{FaultId, Faults};
use super::json_values::{Mutation, change, data, elements, remove, set, set_text, snake_case, take, text, wrap};
use super::latin1::mark_text;
use super::older_shapes::unwrap_member;
use super::shape::{Shape, unwrap_payload, walk};
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};
use crate::wire::grpc::code_of;

const BEARER: &str = r#"{"tok":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}}"#;
const BEARER_OR_OAUTH: &str = r#"{"tok":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://login.example.com/token","scopes":{"tasks":"Use the agent."}}}}}}"#;
const TENANT: &str = r#""workshop""#;
const EXTENSIONS: &str = r#"[{"uri":"https://example.org/extensions/tone/v1","description":"In which tone an answer is.","required":false},{"uri":"https://example.org/extensions/trace/v1","description":"Which trace a message belongs to.","required":true}]"#;

/// Changes to objects in the shape of 1.0, in the order in which they are applied to one object.
#[rustfmt::skip]
const FAULT_MUTATIONS: &[(FaultId, Shape, Mutation)] = &[
    // The variants.
    (FaultId::Raising, Shape::Card, Mutation::Put("/skills/-", r#"{"id":"raise","name":"Raise","description":"Raises an exception, so that the task fails.","tags":["task"],"examples":["raise an exception"]}"#)),
    (FaultId::Bursting, Shape::Card, Mutation::Put("/skills/-", r#"{"id":"burst","name":"Burst","description":"Streams many chunks at once.","tags":["task"],"examples":["burst many updates at once"]}"#)),
    (FaultId::Protected, Shape::Card, Mutation::Put("/securitySchemes", BEARER_OR_OAUTH)),
    (FaultId::Protected, Shape::Card, Mutation::Put("/securityRequirements", r#"[{"schemes":{"tok":{"list":[]}}}]"#)),
    (FaultId::Protected, Shape::Card, Mutation::Put("/capabilities/extendedAgentCard", "true")),
    (FaultId::Protected, Shape::Result(Operation::GetExtendedCard), Mutation::Put("/skills/-", r#"{"id":"statistics","name":"Statistics","description":"Counts tasks, for those who may know.","tags":["task"]}"#)),
    (FaultId::AuthUndeclared, Shape::Card, Mutation::Remove("/securitySchemes")),
    (FaultId::AuthUndeclared, Shape::Card, Mutation::Remove("/securityRequirements")),
    (FaultId::Extensions, Shape::Card, Mutation::Put("/capabilities/extensions", EXTENSIONS)),
    (FaultId::Modest, Shape::Card, Mutation::Put("/capabilities/streaming", "false")),
    (FaultId::Modest, Shape::Card, Mutation::Put("/capabilities/pushNotifications", "false")),
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"{base}/rpc","protocolBinding":"JSONRPC","protocolVersion":"0.3"}"#)),
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"{base}/rest","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"}"#)),
    // Libraries that serve both versions write the members of 0.3 into the same card.
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/url", r#""{base}/rpc""#)),
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/protocolVersion", r#""0.3""#)),
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/preferredTransport", r#""JSONRPC""#)),
    (FaultId::Hybrid, Shape::Card, Mutation::Put("/additionalInterfaces", r#"[{"url":"{base}/rest","transport":"HTTP+JSON"}]"#)),
    (FaultId::Grpc, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"{base}","protocolBinding":"GRPC","protocolVersion":"1.0"}"#)),
    (FaultId::Tenants, Shape::Card, Mutation::Put("/supportedInterfaces/0/tenant", TENANT)),
    (FaultId::Tenants, Shape::Card, Mutation::Put("/supportedInterfaces/1/tenant", TENANT)),
    // Of gRPC, where that is served too.
    (FaultId::Tenants, Shape::Card, Mutation::Put("/supportedInterfaces/2/tenant", TENANT)),
    (FaultId::TakesPictures, Shape::Card, Mutation::Put("/defaultInputModes/-", r#""image/svg+xml""#)),
    (FaultId::OnlyJsonrpc, Shape::Card, Mutation::Do(|card| keep_interfaces(card, "JSONRPC"))),
    (FaultId::OnlyHttp, Shape::Card, Mutation::Do(|card| keep_interfaces(card, "HTTP+JSON"))),

    // The card.
    (FaultId::UndeclaredStreaming, Shape::Card, Mutation::Put("/capabilities/streaming", "false")),
    (FaultId::UndeclaredSubscribe, Shape::Card, Mutation::Put("/capabilities/streaming", "false")),
    (FaultId::UndeclaredPush, Shape::Card, Mutation::Put("/capabilities/pushNotifications", "false")),
    (FaultId::CardNoDescription, Shape::Card, Mutation::Remove("/description")),
    (FaultId::CardManyMissing, Shape::Card, Mutation::Remove("/description")),
    (FaultId::CardManyMissing, Shape::Card, Mutation::Remove("/version")),
    (FaultId::CardVersionPatch, Shape::Card, Mutation::Put("/supportedInterfaces/0/protocolVersion", r#""1.0.1""#)),
    (FaultId::CardEmptyModes, Shape::Card, Mutation::Put("/defaultOutputModes", "[]")),
    (FaultId::ModesApart, Shape::Card, Mutation::Put("/defaultInputModes", r#"["video/mp4"]"#)),
    (FaultId::CardModeBareWord, Shape::Card, Mutation::Put("/defaultInputModes", r#"["json","text/plain"]"#)),
    (FaultId::CardBadDocumentationUrl, Shape::Card, Mutation::Put("/documentationUrl", r#""see the wiki""#)),
    (FaultId::CardProviderIncomplete, Shape::Card, Mutation::Put("/provider", r#"{"organization":"a2a-conformance"}"#)),
    (FaultId::CardCapabilityText, Shape::Card, Mutation::Put("/capabilities/extendedAgentCard", r#""false""#)),
    (FaultId::CardExtensionNoUri, Shape::Card, Mutation::Put("/capabilities/extensions", r#"[{"description":"An extension without a name.","required":false}]"#)),
    (FaultId::CardExtensionUnversioned, Shape::Card, Mutation::Put("/capabilities/extensions/0/uri", r#""https://example.org/extensions/tone""#)),
    (FaultId::CardExtendedLegacyFlag, Shape::Card, Mutation::Put("/supportsAuthenticatedExtendedCard", "true")),
    (FaultId::CardSignatureMalformed, Shape::Card, Mutation::Put("/signatures", r#"[{"protected":5,"signature":"a b"}]"#)),
    // {"alg":"ES256","typ":"JOSE"} and some bytes.
    (FaultId::CardSignatureNoKid, Shape::Card, Mutation::Put("/signatures", r#"[{"protected":"eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UifQ","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    // {"alg":"ES256","kid":"key-1"} and some bytes.
    (FaultId::CardSignatureNoTyp, Shape::Card, Mutation::Put("/signatures", r#"[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    // {"alg":"ES256","kid":"key-1","typ":"JOSE"} and some bytes: no key is named, so that nobody can verify it.
    (FaultId::GatewayRewritesSignedCard, Shape::Card, Mutation::Put("/signatures", r#"[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIiwidHlwIjoiSk9TRSJ9","signature":"AAAAAAAAAAAAAAAAAAAAAA"}]"#)),
    (FaultId::CardListeningAddress, Shape::Card, Mutation::Put("/supportedInterfaces/0/url", r#""http://0.0.0.0/rpc""#)),
    (FaultId::CardVersionUnknown, Shape::Card, Mutation::Put("/supportedInterfaces/0/protocolVersion", r#""1.1""#)),
    (FaultId::CardReleaseCandidate, Shape::Card, Mutation::Put("/protocolVersions", r#"["1.0"]"#)),
    (FaultId::CardReleaseCandidate, Shape::Card, Mutation::Remove("/supportedInterfaces/0/protocolVersion")),
    (FaultId::CardReleaseCandidate, Shape::Card, Mutation::Remove("/supportedInterfaces/1/protocolVersion")),
    (FaultId::CardNoInterfaces, Shape::Card, Mutation::Put("/supportedInterfaces", "[]")),
    (FaultId::CardInterfaceIncomplete, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"{base}/rpc","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceRelative, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardGrpcPlain, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"http://agent.example.com:50051","protocolBinding":"GRPC","protocolVersion":"1.0"}"#)),
    (FaultId::CardInterfaceHttpPublic, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"http://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#)),
    (FaultId::CardBindingMisspelled, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"https://agent.example.com/rest","protocolBinding":"REST","protocolVersion":"1.0"}"#)),
    (FaultId::CardTenantNumber, Shape::Card, Mutation::Put("/supportedInterfaces/-", r#"{"url":"https://agent.example.com/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0","tenant":7}"#)),
    (FaultId::CardSecret, Shape::Card, Mutation::Put("/skills/7/description", r#""Shows every kind of content. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a""#)),
    (FaultId::CardSkillNoTags, Shape::Card, Mutation::Put("/skills/7/tags", "[]")),
    (FaultId::CardSkillIncomplete, Shape::Card, Mutation::Remove("/skills/7/description")),
    (FaultId::CardSkillDuplicate, Shape::Card, Mutation::Put("/skills/-", r#"{"id":"data-types","name":"Data types","description":"The same id again.","tags":["task"]}"#)),
    (FaultId::CardEmptySkills, Shape::Card, Mutation::Put("/skills", "[]")),
    (FaultId::CardSchemeFlat, Shape::Card, Mutation::Put("/securitySchemes", r#"{"tok":{"type":"http","scheme":"bearer"}}"#)),
    (FaultId::CardSchemeIncomplete, Shape::Card, Mutation::Put("/securitySchemes", r#"{"key":{"apiKeySecurityScheme":{"location":"header"}}}"#)),
    (FaultId::CardOauthNoTokenUrl, Shape::Card, Mutation::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{}}}}}}"#)),
    (FaultId::CardOauthImplicit, Shape::Card, Mutation::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"implicit":{"authorizationUrl":"https://login.example.com/","scopes":{}}}}}}"#)),
    (FaultId::CardOauthHttp, Shape::Card, Mutation::Put("/securitySchemes", r#"{"sso":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"http://login.example.com/token","scopes":{}}}}}}"#)),
    // The empty alternative lets anybody in, so that nothing but the form is wrong.
    (FaultId::CardRequirementsFlat, Shape::Card, Mutation::Put("/securitySchemes", BEARER)),
    (FaultId::CardRequirementsFlat, Shape::Card, Mutation::Put("/securityRequirements", r#"[{"tok":[]},{}]"#)),
    (FaultId::CardRequirementsDangling, Shape::Card, Mutation::Put("/securitySchemes", BEARER)),
    (FaultId::CardRequirementsDangling, Shape::Card, Mutation::Put("/securityRequirements", r#"[{"schemes":{"other":{"list":[]}}},{}]"#)),

    (FaultId::ExtendedIncomplete, Shape::Result(Operation::GetExtendedCard), Mutation::Remove("/name")),
    (FaultId::ExtendedSecret, Shape::Result(Operation::GetExtendedCard), Mutation::Put("/description", r#""Does what it is told. api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a""#)),

    // What is kept of messages.
    (FaultId::HistoryTextOnly, Shape::Task, Mutation::Do(history_text_only)),
    (FaultId::HistoryDropsMetadata, Shape::Task, Mutation::Remove("/history/*/metadata")),
    (FaultId::HistoryDropsMembers, Shape::Task, Mutation::Remove("/history/*/parts/*/filename")),
    (FaultId::HistoryDropsMembers, Shape::Task, Mutation::Remove("/history/*/parts/*/mediaType")),
    (FaultId::HistoryDropsMembers, Shape::Task, Mutation::Remove("/history/*/parts/*/metadata")),

    // Errors.
    (FaultId::ErrorDomainOther, Shape::ErrorDetail, Mutation::Replace("/domain", r#""agent.example.com""#)),
    (FaultId::ErrorReasonWrong, Shape::ErrorDetail, Mutation::Replace("/reason", r#""NOT_FOUND""#)),
    (FaultId::ErrorDetailUntyped, Shape::ErrorDetail, Mutation::Remove("/@type")),
    (FaultId::ErrorDetailPrivate, Shape::Error, Mutation::Put("/data/-", r#"{"@type":"type.example.org/scripted.Detail","mood":"unwell"}"#)),
    (FaultId::ErrorNoMessage, Shape::Error, Mutation::Put("/message", r#""""#)),
    (FaultId::ErrorStackTrace, Shape::Error, Mutation::Do(error_stack_trace)),
    (FaultId::Latin1Body, Shape::Error, Mutation::Do(|error| mark_text(error, "message"))),
    (FaultId::ErrorDataObject, Shape::Error, Mutation::Do(error_data_object)),
    (FaultId::ErrorDataText, Shape::Error, Mutation::Do(error_data_text)),
    (FaultId::ErrorNoInfo, Shape::Error, Mutation::Remove("/data")),
    (FaultId::ErrorCodeText, Shape::Error, Mutation::Do(|error| number_to_text(error, "code"))),
    (FaultId::ErrorCodeOutside, Shape::Error, Mutation::Do(error_code_outside)),
    (FaultId::StatusNoInfo, Shape::Error, Mutation::Remove("/details")),
    (FaultId::StatusCodeGrpc, Shape::Error, Mutation::Do(grpc_code)),
    (FaultId::StatusNameOdd, Shape::Error, Mutation::Replace("/status", r#""TaskNotFoundError""#)),
    (FaultId::ErrorDetailPrivate, Shape::HttpError, Mutation::Put("/error/details/-", r#"{"@type":"type.example.org/scripted.Detail","mood":"unwell"}"#)),
    (FaultId::StatusBodyFlat, Shape::HttpError, Mutation::Do(flat_violations)),

    // The envelope.
    (FaultId::ParseErrorNoId, Shape::Envelope, Mutation::Do(parse_error_no_id)),
    (FaultId::ResultAndError, Shape::Envelope, Mutation::Do(result_and_error)),
    (FaultId::RpcVersionMissing, Shape::Envelope, Mutation::Remove("/jsonrpc")),
    (FaultId::IdAsText, Shape::Envelope, Mutation::Do(|envelope| number_to_text(envelope, "id"))),
    (FaultId::IdMissing, Shape::Envelope, Mutation::Remove("/id")),

    // Results and events.
    (FaultId::RawNotBase64, Shape::Part, Mutation::Replace("/raw", r#""not base64!""#)),
    (FaultId::KindMembers, Shape::Part, Mutation::Do(part_kind)),
    (FaultId::MessageNoId, Shape::Message, Mutation::Do(|message| if is_from_agent(message) { remove(message, "messageId") })),
    (FaultId::AgentSpeaksAsUser, Shape::Message, Mutation::Do(|message| if is_from_agent(message) { set_text(message, "role", CURRENT.dialect.role_name(Role::User)) })),
    (FaultId::RolesLowercase, Shape::Message, Mutation::Do(|message| lower_case(message, "role", "ROLE_"))),
    (FaultId::KindMembers, Shape::Message, Mutation::Put("/kind", r#""message""#)),
    (FaultId::ArtifactNoId, Shape::Artifact, Mutation::Remove("/artifactId")),
    (FaultId::ArtifactIdsRepeat, Shape::Artifact, Mutation::Put("/artifactId", r#""artifact""#)),
    (FaultId::PartTwoContents, Shape::Artifact, Mutation::Do(two_contents)),
    (FaultId::StateUnspecified, Shape::Status, Mutation::Do(state_unspecified)),
    (FaultId::StatesLowercase, Shape::Status, Mutation::Do(|status| lower_case(status, "state", "TASK_STATE_"))),
    (FaultId::StatusMessageOtherTask, Shape::Status, Mutation::Put("/message/taskId", r#""another-task""#)),
    (FaultId::TimestampsSeconds, Shape::Status, Mutation::Do(timestamp_seconds)),
    (FaultId::TimestampsOffset, Shape::Status, Mutation::Do(timestamp_offset)),
    (FaultId::TaskContextNumber, Shape::Task, Mutation::Put("/contextId", "7")),
    (FaultId::TaskNoContext, Shape::Task, Mutation::Remove("/contextId")),
    (FaultId::TaskNoContext, Shape::Task, Mutation::Remove("/status/message/contextId")),
    (FaultId::TaskNoContext, Shape::Task, Mutation::Remove("/history/*/contextId")),
    (FaultId::KindMembers, Shape::Task, Mutation::Put("/kind", r#""task""#)),
    (FaultId::StatusEventNoContext, Shape::StatusUpdate, Mutation::Remove("/contextId")),
    (FaultId::StreamFinalMember, Shape::StatusUpdate, Mutation::Do(final_member)),
    (FaultId::ArtifactEventNoTaskId, Shape::ArtifactUpdate, Mutation::Remove("/taskId")),
    (FaultId::AppendUnknownArtifact, Shape::ArtifactUpdate, Mutation::Put("/append", "true")),
    (FaultId::MessageNoParts, Shape::Wrapper, Mutation::Put("/message/parts", "[]")),
    (FaultId::MessageNoContext, Shape::Wrapper, Mutation::Remove("/message/contextId")),
    (FaultId::ListEmpty, Shape::List, Mutation::Put("/tasks", "[]")),
    (FaultId::ListEmpty, Shape::List, Mutation::Put("/nextPageToken", r#""""#)),
    (FaultId::ListEmpty, Shape::List, Mutation::Put("/totalSize", "0")),
    (FaultId::ListNoTotal, Shape::List, Mutation::Remove("/totalSize")),
    (FaultId::ListNoToken, Shape::List, Mutation::Do(|list| if text(list, "nextPageToken").is_empty() { remove(list, "nextPageToken") })),
    (FaultId::ListTasksBare, Shape::List, Mutation::Remove("/tasks/*/status")),
    (FaultId::ListPageSizeZero, Shape::List, Mutation::Put("/pageSize", "0")),
    (FaultId::PushConfigOtherTask, Shape::PushConfig, Mutation::Put("/taskId", r#""another-task""#)),
    (FaultId::PushConfigNoTask, Shape::PushConfig, Mutation::Remove("/taskId")),
    (FaultId::PushCreateEmpty, Shape::Result(Operation::CreatePushConfig), Mutation::Do(|config| *config = data("{}", &[]))),
    (FaultId::PushGetWrongUrl, Shape::Result(Operation::GetPushConfig), Mutation::Put("/url", r#""https://example.com/elsewhere""#)),
    (FaultId::PushListArray, Shape::Result(Operation::ListPushConfigs), Mutation::Do(|list| unwrap_member(list, "configs"))),
    (FaultId::TaskNoId, Shape::Result(Operation::SendMessage), Mutation::Remove("/task/id")),
    (FaultId::SendUnwrapped, Shape::Result(Operation::SendMessage), Mutation::Do(unwrap_payload)),
    (FaultId::MessageNoKind, Shape::Answer(Operation::SendMessage), Mutation::Do(|answer| if text(answer, "kind") == "message" { remove(answer, "kind") })),
    (FaultId::MessageNoKind, Shape::Answer(Operation::SendMessage), Mutation::Remove("/message/kind")),
    (FaultId::StateHistoryMissing, Shape::Answer(Operation::GetTask), Mutation::Remove("/history")),
    (FaultId::ListOdd, Shape::Answer(Operation::ListTasks), Mutation::Do(|list| *list = data(r#"{"hello":1}"#, &[]))),
    (FaultId::PushSetFlat, Shape::Answer(Operation::CreatePushConfig), Mutation::Do(flat_config)),
    (FaultId::CancelSaysCompleted, Shape::Result(Operation::CancelTask), Mutation::Put("/status/state", r#""TASK_STATE_COMPLETED""#)),
    (FaultId::CancelOtherContext, Shape::Result(Operation::CancelTask), Mutation::Replace("/contextId", r#""another-context""#)),
    (FaultId::FailedShownCompleted, Shape::Result(Operation::GetTask), Mutation::Do(|task| replace_state(task, |state| matches!(state, TaskState::Failed | TaskState::Rejected), TaskState::Completed))),
    (FaultId::ListStaleState, Shape::Result(Operation::ListTasks), Mutation::Do(|list| elements(list, "tasks").iter_mut().for_each(|task| replace_state(task, TaskState::is_terminal, TaskState::Working)))),
    (FaultId::ListOtherContext, Shape::Result(Operation::ListTasks), Mutation::Put("/tasks/*/contextId", r#""another-context""#)),
    (FaultId::GetWrapped, Shape::Answer(Operation::GetTask), Mutation::Do(|task| *task = wrap("task", task.take()))),
];

/// Changes that only older versions can have, to objects in the shape of their version.
#[rustfmt::skip]
const OLDER_FAULT_MUTATIONS: &[(FaultId, Shape, Mutation)] = &[
    (FaultId::CardNoUrl, Shape::Card, Mutation::Put("/url", "7")),
    (FaultId::CardNoPreferredTransport, Shape::Card, Mutation::Remove("/preferredTransport")),
    (FaultId::CardAdditionalIncomplete, Shape::Card, Mutation::Put("/additionalInterfaces/-", r#"{"url":"{base}/0.3/rest"}"#)),
    (FaultId::CardAdditionalLacksMain, Shape::Card, Mutation::Put("/additionalInterfaces", r#"[{"url":"{base}/0.3/rest","transport":"HTTP+JSON"}]"#)),
    (FaultId::Grpc, Shape::Card, Mutation::Do(|card| list_grpc(card, "{base}"))),
    (FaultId::CardGrpcPlain, Shape::Card, Mutation::Do(|card| list_grpc(card, "http://agent.example.com:50051"))),
    // In older versions extendedAgentCard is not a capability.
    (FaultId::CardCapabilityText, Shape::Card, Mutation::Put("/capabilities/stateTransitionHistory", r#""false""#)),
    (FaultId::CardOneUrl, Shape::Card, Mutation::Put("/additionalInterfaces/-", r#"{"url":"{base}/0.3/rpc","transport":"GRPC"}"#)),
    (FaultId::CardSkillUntagged, Shape::Card, Mutation::Remove("/skills/7/tags")),
    (FaultId::CardProviderUnnamed, Shape::Card, Mutation::Put("/provider", r#"{"url":"https://example.com"}"#)),
    (FaultId::CardTransportMisspelled, Shape::Card, Mutation::Put("/additionalInterfaces/-", r#"{"url":"{base}/0.3/other","transport":"HTTP-JSON"}"#)),
    (FaultId::CardNoVersion, Shape::Card, Mutation::Remove("/version")),
    (FaultId::CardSkillNoId, Shape::Card, Mutation::Remove("/skills/7/id")),
    (FaultId::CardSecurityOdd, Shape::Card, Mutation::Put("/security", r#"{"bearer":[]}"#)),
    (FaultId::CardSkillNoModes, Shape::Card, Mutation::Remove("/skills/*/inputModes")),
    (FaultId::CardSkillNoModes, Shape::Card, Mutation::Remove("/skills/*/outputModes")),
    (FaultId::CardAuthenticationOdd, Shape::Card, Mutation::Put("/authentication", r#"{"schemes":"Bearer"}"#)),
    (FaultId::CardCredentialsSilent, Shape::Card, Mutation::Put("/authentication", r#"{"schemes":["oauth2"]}"#)),
    (FaultId::ArtifactNoParts, Shape::Artifact, Mutation::Remove("/parts")),
    // In 0.1 a message is part of a task, never an answer of its own.
    (FaultId::MessageNoParts, Shape::Status, Mutation::Remove("/message/parts")),
    (FaultId::FileTwoContents, Shape::Part, Mutation::Put("/file/bytes", r#""aGk=""#)),
    (FaultId::FileTwoContents, Shape::Part, Mutation::Put("/file/uri", r#""https://example.com/output.txt""#)),
    (FaultId::PartTaggedType, Shape::Part, Mutation::Rename("kind", "type")),
    (FaultId::PartUntagged, Shape::Part, Mutation::Remove("/kind")),
    (FaultId::PartUntagged, Shape::Part, Mutation::Remove("/type")),
    (FaultId::RolesOfProto, Shape::Message, Mutation::Do(|message| upper_case(message, "role", "ROLE_"))),
    (FaultId::StatesOfProto, Shape::Status, Mutation::Do(|status| upper_case(status, "state", "TASK_STATE_"))),
    (FaultId::TimestampsOdd, Shape::Status, Mutation::Put("/timestamp", r#""yesterday""#)),
    (FaultId::TaskNoKind, Shape::Task, Mutation::Remove("/kind")),
    (FaultId::TaskNoKind, Shape::Task, Mutation::Remove("/history/*/kind")),
    (FaultId::EventNoKind, Shape::StatusUpdate, Mutation::Remove("/kind")),
    (FaultId::EventNoKind, Shape::ArtifactUpdate, Mutation::Remove("/kind")),
    // In 0.1 the members of an event tell its kind.
    (FaultId::EventNoKind, Shape::ArtifactUpdate, Mutation::Do(|update| if update.get("taskId").is_none() { set(update, "status", data(r#"{"state":"working"}"#, &[])) })),
    (FaultId::StreamNoFinal, Shape::StatusUpdate, Mutation::Put("/final", "false")),
    (FaultId::PushListWrapped, Shape::PushConfigs, Mutation::Do(|list| *list = wrap("all", list.take()))),
];

/// What faults of the conversion for HTTP+JSON leave out of a task that GetTask returns, in the shape of its version.
pub(super) const LEFT_OUT_OVER_HTTP: &[(FaultId, Mutation)] = &[
    (FaultId::RestWithoutHistory, Mutation::Remove("/history")),
    (FaultId::RestDropsArtifacts, Mutation::Remove("/artifacts")),
    (FaultId::RestDropsNames, Mutation::Remove("/artifacts/*/name")),
    (FaultId::RestDropsFileNames, Mutation::Remove("/artifacts/*/parts/*/filename")),
    (FaultId::RestDropsFileNames, Mutation::Remove("/artifacts/*/parts/*/file/name")),
    (FaultId::RestDropsPartMembers, Mutation::Remove("/artifacts/*/parts/*/filename")),
    (FaultId::RestDropsPartMembers, Mutation::Remove("/artifacts/*/parts/*/file/name")),
    (FaultId::RestDropsPartMembers, Mutation::Remove("/artifacts/*/parts/*/metadata")),
];

/// Applies the faults to a value of this shape, and to the objects inside it.
pub(super) fn mutate(faults: &Faults, value: &mut Value, shape: Shape) {
    walk(value, shape, &mut |shape, object| mutate_object(faults, shape, object));
}

/// Applies the faults to one object, which has the shape of 1.0.
pub(super) fn mutate_object(faults: &Faults, shape: Shape, object: &mut Value) {
    apply(FAULT_MUTATIONS, faults, shape, object);
}

/// Applies the faults of older versions to one object, which has the shape of its version.
pub(super) fn mutate_older_object(faults: &Faults, shape: Shape, object: &mut Value) {
    apply(OLDER_FAULT_MUTATIONS, faults, shape, object);
    if faults.has(FaultId::SnakeCase) && shape != Shape::Card {
        rename_members(object);
    }
}

fn apply(table: &[(FaultId, Shape, Mutation)], faults: &Faults, shape: Shape, object: &mut Value) {
    for (fault, mutated, mutation) in table {
        if *mutated == shape && faults.has(*fault) {
            mutation.apply(object);
        }
    }
}

/// Renames members as the fault `snake-case` does. It comes after the other faults because the walk goes by the names.
pub(super) fn to_snake_case(faults: &Faults, value: &mut Value, shape: Shape) {
    if faults.has(FaultId::SnakeCase) {
        walk(value, shape, &mut |_, object| rename_members(object));
    }
}

fn rename_members(object: &mut Value) {
    if let Value::Object(map) = object {
        *map = std::mem::take(map).into_iter().map(|(name, value)| (snake_case(&name), value)).collect();
    }
}

/// Replaces the state of a task where it is one of these.
fn replace_state(task: &mut Value, fits: fn(TaskState) -> bool, state: TaskState) {
    if let Some(status) = task.get_mut("status")
        && CURRENT.dialect.state(text(status, "state")).is_some_and(fits)
    {
        set_text(status, "state", CURRENT.dialect.state_name(state));
    }
}

fn number_to_text(object: &mut Value, name: &str) {
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

fn error_data_text(error: &mut Value) {
    let is_own = error.get("code").and_then(Value::as_i64).is_some_and(|code| (-32_700..=-32_600).contains(&code));
    if is_own {
        set_text(error, "data", "The parameters are wrong.");
    }
}

fn error_code_outside(error: &mut Value) {
    if error.get("code").and_then(Value::as_i64) == Some(CURRENT.dialect.error_code(ErrorName::TaskNotFound)) {
        set(error, "code", 404.into());
    }
}

/// Adds an interface over gRPC to a card of 0.3; no other of the older versions has one here.
fn list_grpc(card: &mut Value, url: &str) {
    if text(card, "protocolVersion").starts_with("0.3") {
        change(card, "/additionalInterfaces/-", Some(data(r#"{"url":"{url}","transport":"GRPC"}"#, &[("{url}", url)])));
    }
}

/// Puts the number of the gRPC status in place of the HTTP status.
fn grpc_code(error: &mut Value) {
    set(error, "code", code_of(text(error, "status")).into());
}

/// Like web frameworks that validate on their own and answer in their own form.
fn flat_violations(body: &mut Value) {
    if body.pointer("/error/details/0/fieldViolations").is_some()
        && let Some(error) = body.get_mut("error").map(Value::take)
    {
        *body = error;
    }
}

fn parse_error_no_id(envelope: &mut Value) {
    let code = envelope.pointer("/error/code").and_then(Value::as_i64);
    if code == Some(CURRENT.dialect.error_code(ErrorName::Parse)) {
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

fn is_from_agent(message: &Value) -> bool {
    text(message, "role") == CURRENT.dialect.role_name(Role::Agent)
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
    if text(status, "state") == CURRENT.dialect.state_name(TaskState::Submitted) {
        set_text(status, "state", CURRENT.dialect.state_name(TaskState::Unspecified));
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

/// Leaves the interfaces of one binding in a card.
fn keep_interfaces(card: &mut Value, binding: &str) {
    if let Some(Value::Array(interfaces)) = card.get_mut("supportedInterfaces") {
        interfaces.retain(|interface| text(interface, "protocolBinding") == binding);
    }
}

fn history_text_only(task: &mut Value) {
    for message in elements(task, "history") {
        if let Some(Value::Array(parts)) = message.get_mut("parts") {
            parts.retain(|part| part.get("text").is_some());
        }
    }
}

fn final_member(update: &mut Value) {
    let state = update.get("status").map(|status| text(status, "state")).unwrap_or_default();
    let last = CURRENT.dialect.state(state).is_some_and(TaskState::is_terminal);
    set(update, "final", last.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::card::CARD;
    use crate::agent::fault::VARIANTS;

    #[test]
    fn every_value_is_json_and_its_place_in_the_card_exists() {
        let mut card: Value = serde_json::from_str(CARD).unwrap();
        // Two of them take interfaces away.
        let variants = VARIANTS.iter().map(|variant| FaultId::parse(variant.id).unwrap());
        let variants =
            variants.filter(|variant| ![FaultId::OnlyJsonrpc, FaultId::OnlyHttp].contains(variant)).collect();
        mutate_object(&variants, Shape::Card, &mut card);
        for (fault, shape, mutation) in FAULT_MUTATIONS {
            let (Mutation::Put(pointer, _) | Mutation::Replace(pointer, _) | Mutation::Remove(pointer)) = mutation
            else {
                continue;
            };
            let (holder, _) = pointer.rsplit_once('/').unwrap();
            assert!(*shape != Shape::Card || card.pointer(holder).is_some(), "{}: {pointer}", fault.as_str());
        }
        for (fault, _, mutation) in FAULT_MUTATIONS.iter().chain(OLDER_FAULT_MUTATIONS) {
            let (Mutation::Put(_, json) | Mutation::Replace(_, json)) = mutation else { continue };
            serde_json::from_str::<Value>(json).unwrap_or_else(|error| panic!("{}: {error}", fault.as_str()));
        }
    }
}
