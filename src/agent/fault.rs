//! The named faults: every way in which the scripted agent can be told to be wrong. A fault changes what its title says
//! and nothing else. Some faults only an agent of a certain kind can have: one that asks for credentials, say. Such a kind
//! is a variant, as conformant as the plain agent, and a fault brings the variant that it needs along.

/// A fault as it is listed for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Its name: `get-wrapped`.
    pub id: &'static str,
    /// What the agent does, in plain words, on one line.
    pub title: &'static str,
    /// The path under the agent's own at which it shows: that of the version that can have it, or nothing for 1.0.
    pub at: &'static str,
}

/// The token that lets a client in where the agent asks for one.
pub const TOKEN: &str = "open-sesame";

/// The faults that an agent has and the variants that it is, in the order of [`FAULTS`] and [`VARIANTS`] and each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(Vec<FaultId>);

impl Faults {
    /// No faults: a conformant agent.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// The faults and variants of these names, and the variants that those faults need.
    ///
    /// # Errors
    /// [`UnknownFault`] for the first name that is none.
    pub fn parse<'a>(ids: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownFault> {
        let mut faults = Self::none();
        for id in ids {
            faults.add(FaultId::parse(id)?);
        }
        Ok(faults)
    }

    fn add(&mut self, fault: FaultId) {
        for fault in [Some(fault), fault.variant()].into_iter().flatten() {
            if let Err(place) = self.0.binary_search(&fault) {
                self.0.insert(place, fault);
            }
        }
    }

    /// The header fields that get a client in.
    #[must_use]
    pub fn credentials(&self) -> Vec<(String, String)> {
        let field = || ("Authorization".to_owned(), format!("Bearer {TOKEN}"));
        self.has(FaultId::Protected).then(field).into_iter().collect()
    }

    /// The path under the agent's own at which the first of them shows that does not show in 1.0; nothing if there is none.
    #[must_use]
    pub fn at(&self) -> &'static str {
        let mut paths = self.0.iter().filter_map(|fault| listed().nth(*fault as usize)).map(|fault| fault.at);
        paths.find(|at| !at.is_empty()).unwrap_or_default()
    }

    /// Whether the agent has this fault, or is this variant.
    #[must_use]
    pub fn has(&self, fault: FaultId) -> bool {
        self.0.contains(&fault)
    }

    /// The faults and variants, in the order of [`FAULTS`] and [`VARIANTS`].
    pub fn iter(&self) -> impl Iterator<Item = FaultId> {
        self.0.iter().copied()
    }
}

impl FromIterator<FaultId> for Faults {
    fn from_iter<T: IntoIterator<Item = FaultId>>(faults: T) -> Self {
        faults.into_iter().fold(Self::none(), |mut all, fault| {
            all.add(fault);
            all
        })
    }
}

/// No fault has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no fault is called {given:?}; the nearest is {:?}", nearest(given))]
pub struct UnknownFault {
    /// The name as it was given.
    pub given: String,
}

impl FaultId {
    /// The fault or variant of that name.
    ///
    /// # Errors
    /// [`UnknownFault`] when there is none.
    pub fn parse(id: &str) -> Result<Self, UnknownFault> {
        let found = Self::ALL.iter().zip(listed()).find(|(_, fault)| fault.id == id);
        found.map(|(known, _)| *known).ok_or_else(|| UnknownFault { given: id.to_owned() })
    }

    /// Its name, as [`Faults::parse`] reads it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        listed().nth(self as usize).map_or("", |fault| fault.id)
    }

    /// The variant that an agent must be to have this fault.
    #[must_use]
    pub fn variant(self) -> Option<Self> {
        NEEDS.iter().find(|(fault, _)| *fault == self).map(|(_, variant)| *variant)
    }
}

/// Everything that has a name, in the order of [`FaultId`].
fn listed() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter().chain(VARIANTS)
}

/// The known name that is nearest to this one.
fn nearest(given: &str) -> &'static str {
    listed().map(|fault| fault.id).min_by_key(|known| strsim::levenshtein(given, known)).unwrap_or_default()
}

macro_rules! faults {
    (
        variants { $($way:ident $way_id:literal $way_title:literal;)+ }
        $($name:ident $id:literal $title:literal $(of $variant:ident)? $(at $at:literal)?;)+
    ) => {
        /// A fault or a variant as the agent's code names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FaultId {
            $(#[doc = $title] $name,)+
            $(#[doc = $way_title] $way,)+
        }

        impl FaultId {
            const ALL: &[Self] = &[$(Self::$name,)+ $(Self::$way),+];
        }

        /// Every fault there is, by topic.
        pub static FAULTS: &[Fault] = &[$(Fault { id: $id, title: $title, at: concat!($($at)?) }),+];

        /// The variants: other ways to be conformant.
        pub static VARIANTS: &[Fault] = &[$(Fault { id: $way_id, title: $way_title, at: "" }),+];

        /// The faults that need a variant.
        const NEEDS: &[(FaultId, FaultId)] = &[$($((FaultId::$name, FaultId::$variant),)?)+];
    };
}

faults! {
    variants {
        Protected "protected" "The agent answers 401 to calls without the token open-sesame, and has an extended card.";
        Extensions "extensions" "The agent declares two extensions and refuses messages that do not ask for the second.";
        Https "https" "The agent is reached by https (the command line serves it by http all the same).";
        Modest "modest" "The agent offers neither streaming nor push notifications, and refuses both.";
        Tenants "tenants" "The agent's card gives a tenant, and every call must name it.";
        Hybrid "hybrid" "The agent speaks 0.3 as well, at the same endpoints, to whoever names no version.";
        Busy "busy" "The agent answers forty calls and then says when to come back.";
    }

    CardMissing "card-missing" "The agent answers 404 wherever its card could be.";
    CardHtml "card-html" "The agent answers an HTML page in place of its card.";
    CardWrapped "card-wrapped" "The agent answers its card inside a member agentCard.";
    CardLegacyPath "card-legacy-path" "The agent has its card at the old path agent.json only.";
    CardTextPlain "card-text-plain" "The agent answers its card as text/plain.";
    CardNoCacheControl "card-no-cache-control" "The agent answers its card without Cache-Control.";
    CardNoEtag "card-no-etag" "The agent answers its card without an ETag and ignores If-None-Match.";
    CardEtagStale "card-etag-stale" "The agent answers another card each time under the same ETag.";
    CardSecret "card-secret" "The agent's card shows an API key in the description of a skill.";
    CardNoDescription "card-no-description" "The agent's card has no description.";
    CardNoInterfaces "card-no-interfaces" "The agent's card lists no interfaces.";
    CardEmptyModes "card-empty-modes" "The agent's card lists no default output modes.";
    CardEmptySkills "card-empty-skills" "The agent's card lists no skills.";
    CardInterfaceIncomplete "card-interface-incomplete" "The agent's card has an interface without protocolBinding.";
    CardInterfaceRelative "card-interface-relative" "The agent's card has an interface with a relative URL.";
    CardInterfaceHttpPublic "card-interface-http-public" "The agent's card has an interface on a public host without TLS.";
    CardVersionPatch "card-version-patch" "The agent's card gives the protocol version with a patch number.";
    CardBindingMisspelled "card-binding-misspelled" "The agent's card calls the HTTP+JSON binding REST.";
    CardTenantNumber "card-tenant-number" "The agent's card gives a tenant as a number.";
    CardCapabilityText "card-capability-text" "The agent's card gives a capability as the text \"false\".";
    CardProviderIncomplete "card-provider-incomplete" "The agent's card names a provider without a URL.";
    CardSkillIncomplete "card-skill-incomplete" "The agent's card has a skill without a description.";
    CardSkillNoTags "card-skill-no-tags" "The agent's card has a skill without tags.";
    CardSkillDuplicate "card-skill-duplicate" "The agent's card has two skills of one id.";
    CardModeBareWord "card-mode-bare-word" "The agent's card gives the input mode json, which is no media type.";
    CardBadDocumentationUrl "card-bad-documentation-url" "The agent's card has a documentationUrl that is no URL.";
    CardSignatureMalformed "card-signature-malformed" "The agent's card has a signature that is not in JWS form.";
    CardSignatureNoKid "card-signature-no-kid" "The agent's card has a signature whose header names no key.";
    CardSignatureNoTyp "card-signature-no-typ" "The agent's card has a signature whose header does not say that it is JOSE.";
    CardSignatureForeign "card-signature-foreign" "The agent's card has a signature that its key has not made.";
    CardExtensionNoUri "card-extension-no-uri" "The agent's card declares an extension without a URI.";
    CardExtensionUnversioned "card-extension-unversioned" "The agent's card declares an extension whose URI has no version." of Extensions;
    CardSchemeFlat "card-scheme-flat" "The agent's card writes a security scheme in the form of 0.3.";
    CardSchemeIncomplete "card-scheme-incomplete" "The agent's card has an API key scheme without the key's name.";
    CardRequirementsFlat "card-requirements-flat" "The agent's card writes its security requirements in the form of 0.3.";
    CardRequirementsDangling "card-requirements-dangling" "The agent's card requires a security scheme that it does not declare.";
    CardOauthNoTokenUrl "card-oauth-no-token-url" "The agent's card has an OAuth flow without its token URL.";
    CardOauthImplicit "card-oauth-implicit" "The agent's card offers the implicit flow of OAuth.";
    CardOauthHttp "card-oauth-http" "The agent's card has an OAuth token URL without TLS.";
    CardExtendedLegacyFlag "card-extended-legacy-flag" "The agent's card has the old flag supportsAuthenticatedExtendedCard.";

    Endpoint404 "endpoint-404" "The agent answers every call with 404 and an HTML page.";
    VersionRefused "version-refused" "The agent answers every call with VersionNotSupportedError.";
    GetUnknownFound "get-unknown-found" "The agent answers GetTask for an unknown id with a finished task.";
    GetUnknownInternal "get-unknown-internal" "The agent answers GetTask for an unknown id with an internal error.";
    SendRefusesText "send-refuses-text" "The agent refuses every new message as invalid.";
    SendUnwrapped "send-unwrapped" "The agent answers SendMessage with a bare task or message.";
    SendBoth "send-both" "The agent answers SendMessage with a task and a message at once.";
    TaskNoId "task-no-id" "The agent answers SendMessage with a task that has no id.";
    TaskContextNumber "task-context-number" "The agent writes the contextId of a task as a number.";
    SendReturnsEarly "send-returns-early" "The agent answers a blocking SendMessage while the task is still working.";
    SendStaleSnapshot "send-stale-snapshot" "The agent answers a blocking SendMessage with a finished task that lacks its artifacts.";
    TaskNoContext "task-no-context" "The agent writes tasks without contextId.";
    ResultsInStatus "results-in-status" "The agent puts its results into the status message and makes no artifacts.";
    GetWrapped "get-wrapped" "The agent answers GetTask inside a member task.";
    GetOtherContext "get-other-context" "The agent answers GetTask with another contextId than SendMessage had.";
    GetChanges "get-changes" "The agent answers every GetTask with a new status timestamp.";
    TasksVanish "tasks-vanish" "The agent forgets a task as soon as it has finished.";
    HistoryZeroIgnored "history-zero-ignored" "The agent answers historyLength 0 with the whole history.";
    HistoryUnbounded "history-unbounded" "The agent answers every positive historyLength with the whole history.";
    HistoryOldest "history-oldest" "The agent answers historyLength with the oldest messages.";
    CancelTerminalOk "cancel-terminal-ok" "The agent answers the cancelling of a finished task as if it had worked.";
    CancelTerminalWrongCode "cancel-terminal-wrong-code" "The agent answers the cancelling of a finished task with an internal error.";
    TerminalAcceptsMessage "terminal-accepts-message" "The agent accepts a message to a finished task.";
    StreamTerminalAccepted "stream-terminal-accepted" "The agent streams an answer to a message to a finished task.";
    TerminalWrongCode "terminal-wrong-code" "The agent refuses a message to a finished task with TaskNotCancelableError.";
    TerminalReopens "terminal-reopens" "The agent refuses a message to a finished task, yet sets the task working again.";
    SubscribeTerminalStreams "subscribe-terminal-streams" "The agent answers a subscription to a finished task with a stream.";
    SubscribeTerminalWrongCode "subscribe-terminal-wrong-code" "The agent refuses a subscription to a finished task with TaskNotCancelableError.";
    ReturnImmediatelyIgnored "return-immediately-ignored" "The agent waits for the task although it was asked to return immediately.";
    CancelAnswersNull "cancel-answers-null" "The agent answers CancelTask with null.";
    CancelIgnored "cancel-ignored" "The agent answers CancelTask with the task, which goes on working.";
    CancelTwiceInternal "cancel-twice-internal" "The agent answers a second CancelTask with an internal error.";
    WorkingUnreadable "working-unreadable" "The agent does not find a task until it has finished.";
    InputRequiredSilent "input-required-silent" "The agent waits for input without saying for which.";
    FollowUpNewTask "follow-up-new-task" "The agent makes a new task of the input that it was waiting for.";
    FollowUpNewContext "follow-up-new-context" "The agent moves a task into another context when its input arrives.";
    ContextMismatchAccepted "context-mismatch-accepted" "The agent accepts a message whose contextId is not that of its task.";
    AuthRequiredSilent "auth-required-silent" "The agent does not say which authorisation a task waits for.";
    AuthRequiredDeaf "auth-required-deaf" "The agent refuses messages for a task that waits for an authorisation.";
    UnknownTaskIdInternal "unknown-task-id-internal" "The agent answers a message that names an unknown task with an internal error.";
    UnknownTaskIdAccepted "unknown-task-id-accepted" "The agent makes a task of the id that a message names.";
    ContextReplaced "context-replaced" "The agent replaces a client's contextId by its own.";
    ContextOldTask "context-old-task" "The agent answers a message in the context of a finished task with that task.";
    TwoPartsRefused "two-parts-refused" "The agent refuses messages of more than one part.";
    MetadataRefused "metadata-refused" "The agent refuses messages with metadata.";
    ReferencesRefused "references-refused" "The agent refuses messages with referenceTaskIds.";
    OutputModesIgnored "output-modes-ignored" "The agent answers with JSON to a client that takes other media types only.";
    TaskIdsReused "task-ids-reused" "The agent gives every task the same id.";
    MessageNoId "message-no-id" "The agent's messages have no messageId.";
    MessageNoParts "message-no-parts" "The agent answers with a message that has no parts.";
    MessageNoContext "message-no-context" "The agent answers with a message that has no contextId.";

    ParseErrorWrongCode "parse-error-wrong-code" "The agent answers malformed JSON with an internal error.";
    ParseErrorHtml "parse-error-html" "The agent answers malformed JSON with status 500 and an HTML page.";
    ParseErrorNoId "parse-error-no-id" "The agent answers malformed JSON with an error that has no id member.";
    InvalidRequestWrongCode "invalid-request-wrong-code" "The agent answers what is no request with an internal error.";
    InvalidRequestAccepted "invalid-request-accepted" "The agent answers a call of JSON-RPC 1.0, or one without method, with an empty result.";
    UnknownMethodAccepted "unknown-method-accepted" "The agent answers an unknown method with an empty result.";
    UnknownMethodWrongCode "unknown-method-wrong-code" "The agent answers an unknown method with InvalidRequestError.";
    NotificationAnswered "notification-answered" "The agent answers a request without an id.";
    BatchBreaks "batch-breaks" "The agent answers a batch with status 500 and an HTML page.";
    BadParamsWrongCode "bad-params-wrong-code" "The agent answers invalid parameters with an internal error.";
    ValidationSilent "validation-silent" "The agent refuses invalid parameters without saying which.";
    GetMissingIdAccepted "get-missing-id-accepted" "The agent answers GetTask without an id with a finished task.";
    SendEmptyAccepted "send-empty-accepted" "The agent accepts SendMessage without a message.";
    IncompleteMessageAccepted "incomplete-message-accepted" "The agent accepts a message without messageId, role or parts.";
    EmptyPartsAccepted "empty-parts-accepted" "The agent accepts a message whose parts are an empty array.";
    EmptyPartAccepted "empty-part-accepted" "The agent accepts a part without content.";
    AnyMediaType "any-media-type" "The agent accepts parts of media types that its card does not declare.";
    CancelUnknownFound "cancel-unknown-found" "The agent answers CancelTask for an unknown id with a cancelled task.";
    CancelUnknownInternal "cancel-unknown-internal" "The agent answers CancelTask for an unknown id with an internal error.";
    SubscribeUnknownStreams "subscribe-unknown-streams" "The agent answers a subscription to an unknown id with a stream.";
    StreamUnknownTaskAccepted "stream-unknown-task-accepted" "The agent streams a new task for a message that names an unknown one.";
    UnknownRoleAccepted "unknown-role-accepted" "The agent accepts a message of an unknown role.";
    WrongTypesAccepted "wrong-types-accepted" "The agent accepts parameters of the wrong JSON type.";
    CrashOnWrongTypes "crash-on-wrong-types" "The agent hangs up on parameters of the wrong JSON type.";
    CrashOnLargeRequest "crash-on-large-request" "The agent hangs up on requests of more than a megabyte.";
    HistoryNegativeAccepted "history-negative-accepted" "The agent accepts a negative historyLength.";
    UnknownFieldsRefused "unknown-fields-refused" "The agent refuses parameters with members that it does not know.";

    SnakeCase "snake-case" "The agent writes member names in snake_case.";
    RpcVersionMissing "rpc-version-missing" "The agent answers without the member jsonrpc.";
    IdAsText "id-as-text" "The agent answers a numeric request id as text.";
    IdMissing "id-missing" "The agent answers without the member id.";
    ResultAndError "result-and-error" "The agent answers an error together with an empty result.";
    AnswersTextPlain "answers-text-plain" "The agent answers JSON as text/plain.";
    ErrorCodeText "error-code-text" "The agent writes error codes as text.";
    ErrorNoMessage "error-no-message" "The agent answers errors with an empty message.";
    ErrorCodeOutside "error-code-outside" "The agent answers TaskNotFoundError with the code 404.";
    ErrorDataObject "error-data-object" "The agent writes the data of an error as an object.";
    ErrorDetailUntyped "error-detail-untyped" "The agent answers error details without @type.";
    ErrorNoInfo "error-no-info" "The agent answers errors over JSON-RPC without details.";
    ErrorDetailPrivate "error-detail-private" "The agent adds to error details one of a type of its own.";
    ErrorReasonWrong "error-reason-wrong" "The agent answers every error with the reason NOT_FOUND.";
    ErrorStackTrace "error-stack-trace" "The agent ends every error message with a stack trace.";
    RateLimited "rate-limited" "The agent answers forty calls and then 429, not saying when to come back." of Busy;
    NoHsts "no-hsts" "The agent is reached by https and sends no Strict-Transport-Security." of Https;
    StatesLowercase "states-lowercase" "The agent writes states in lower case.";
    StateUnspecified "state-unspecified" "The agent writes the first state of a task as unspecified.";
    RolesLowercase "roles-lowercase" "The agent writes roles in lower case.";
    AgentSpeaksAsUser "agent-speaks-as-user" "The agent's messages have the role of the user.";
    TimestampsOffset "timestamps-offset" "The agent writes timestamps with the offset +00:00.";
    TimestampsSeconds "timestamps-seconds" "The agent writes timestamps in whole seconds.";
    PartTwoContents "part-two-contents" "The agent's artifacts have parts with text and data at once.";
    RawNotBase64 "raw-not-base64" "The agent writes raw content that is not base64.";
    KindMembers "kind-members" "The agent gives tasks, messages and parts the old member kind.";
    ArtifactNoId "artifact-no-id" "The agent's artifacts have no artifactId.";
    ArtifactIdsRepeat "artifact-ids-repeat" "The agent gives all artifacts of a task one artifactId.";
    Latin1Body "latin1-body" "The agent answers text in Latin-1 instead of UTF-8.";
    MethodsOf03 "methods-of-0.3" "The agent knows the methods of JSON-RPC by their names in 0.3 only.";

    StatusBodyFlat "status-body-flat" "The agent answers invalid parameters over HTTP without the member error around them.";
    StatusCodeGrpc "status-code-grpc" "The agent writes gRPC's number into error.code over HTTP.";
    StatusNameOdd "status-name-odd" "The agent writes the name of A2A's error into error.status over HTTP.";
    StatusNoInfo "status-no-info" "The agent answers errors over HTTP without details.";
    StatusAlways500 "status-always-500" "The agent answers A2A's own errors over HTTP with status 500.";
    RoutesUnderV1 "routes-under-v1" "The agent lists tasks over HTTP at /v1/tasks only.";
    CancelByGet "cancel-by-get" "The agent cancels over HTTP by GET only.";
    A2aJsonRefused "a2a-json-refused" "The agent refuses request bodies of type application/a2a+json.";
    PlainJsonRefused "plain-json-refused" "The agent refuses a cancel over HTTP whose body is of type application/json.";
    EmptyCancelRefused "empty-cancel-refused" "The agent refuses a cancel over HTTP that has no body.";
    AnyRouteAnswers "any-route-answers" "The agent answers paths that it does not serve with an empty object.";
    VersionQueryIgnored "version-query-ignored" "The agent does not look for the protocol version in the query.";
    TenantRefused "tenant-refused" "The agent refuses calls that name the tenant of its card." of Tenants;
    BindingsOwnStores "bindings-own-stores" "The agent keeps tasks made over HTTP+JSON apart from those made over JSON-RPC.";
    RestDropsArtifacts "rest-drops-artifacts" "The agent shows tasks without their artifacts when GetTask comes over HTTP+JSON.";
    RestWithoutList "rest-without-list" "The agent has no route for ListTasks.";
    RestOtherErrors "rest-other-errors" "The agent has another error over HTTP+JSON for the cancelling of a finished task.";
    SseEnveloped "sse-enveloped" "The agent's events over HTTP+JSON have the envelope of JSON-RPC.";

    StreamAsJson "stream-as-json" "The agent answers a streaming call with plain JSON.";
    StreamBareEvents "stream-bare-events" "The agent's events lack the JSON-RPC envelope.";
    StreamOtherId "stream-other-id" "The agent's events have another id than the request.";
    StreamStartsWithStatus "stream-starts-with-status" "The agent's stream begins with a status update.";
    StreamMessageThenMore "stream-message-then-more" "The agent's stream goes on after a message.";
    StreamMessageInside "stream-message-inside" "The agent's stream of a task has a message in its middle.";
    StreamStaysOpen "stream-stays-open" "The agent's stream stays open after the task has finished.";
    StreamUpdateAfterTerminal "stream-update-after-terminal" "The agent's stream updates an artifact after the task has finished.";
    StreamTwoPayloads "stream-two-payloads" "The agent's events have a status update and a task at once.";
    StatusEventNoContext "status-event-no-context" "The agent's status updates have no contextId.";
    ArtifactEventNoTaskId "artifact-event-no-task-id" "The agent's artifact updates have no taskId.";
    StreamFinalMember "stream-final-member" "The agent's status updates have the old member final.";
    StreamForeignContext "stream-foreign-context" "The agent's updates have another contextId than their task.";
    AppendUnknownArtifact "append-unknown-artifact" "The agent's stream appends to an artifact that it never began.";
    ChunkAfterLast "chunk-after-last" "The agent's stream appends to an artifact after its last chunk.";
    StreamGetDiffer "stream-get-differ" "The agent answers GetTask with FAILED where the stream said COMPLETED.";
    SseUnterminated "sse-unterminated" "The agent's stream does not end its last event.";
    SseBrokenJson "sse-broken-json" "The agent's stream has an event of broken JSON.";
    TimestampsGoBack "timestamps-go-back" "The agent's later status updates have earlier timestamps.";
    StreamBurst "stream-burst" "The agent's stream sends all its events at once when the task has finished.";
    StreamReturnsImmediately "stream-returns-immediately" "The agent ends a stream after its first event when asked to return immediately.";
    StreamFullHistory "stream-full-history" "The agent streams tasks with their whole history whatever historyLength says.";

    StreamingMissing "streaming-missing" "The agent declares streaming and refuses every streaming call.";
    SubscribeRefused "subscribe-refused" "The agent declares streaming and refuses to subscribe to tasks that run.";
    UndeclaredStreaming "undeclared-streaming" "The agent streams although its card says that it does not.";
    UndeclaredSubscribe "undeclared-subscribe" "The agent's card declares no streaming, and it streams to whoever subscribes.";
    UndeclaredPush "undeclared-push" "The agent stores push notification configs although its card says that it does not.";
    PushCreateEmpty "push-create-empty" "The agent answers the creation of a push config with an empty object.";
    PushNoId "push-no-id" "The agent gives no id to a push config that comes without one.";
    PushGetWrongUrl "push-get-wrong-url" "The agent answers a push config with another URL than was given.";
    PushKeepsLastOnly "push-keeps-last-only" "The agent keeps only the last push config of a task.";
    PushListArray "push-list-array" "The agent answers a list of push configs as a bare array.";
    PushConfigNoTask "push-config-no-task" "The agent's push configs have no taskId.";
    PushDeletesAll "push-deletes-all" "The agent forgets all push configs of a task when one is deleted.";
    PushDeleteKeeps "push-delete-keeps" "The agent keeps a push config that was deleted.";
    PushDeleteOnce "push-delete-once" "The agent answers a second deletion of a push config with an error.";
    PushDeleteAnswersConfig "push-delete-answers-config" "The agent answers a deletion with the push config.";
    PushInlineIgnored "push-inline-ignored" "The agent ignores a push config that comes with a message.";
    PushCreateAnyTask "push-create-any-task" "The agent creates push configs for unknown tasks.";
    PushNoUrlAccepted "push-no-url-accepted" "The agent accepts a push config without a URL.";
    PushGetAny "push-get-any" "The agent answers an unknown push config as if it knew it.";
    PushListAnyTask "push-list-any-task" "The agent answers the push configs of an unknown task with an empty list.";
    PushDeleteAnyTask "push-delete-any-task" "The agent answers a deletion for an unknown task as if it had worked.";
    PushAnyWebhook "push-any-webhook" "The agent accepts webhooks in private networks." of Https;
    UndeclaredExtended "undeclared-extended" "The agent answers an extended card although its card says that there is none.";
    DisconnectCancels "disconnect-cancels" "The agent cancels a task when a stream of it is dropped.";
    SubscribeNoSnapshot "subscribe-no-snapshot" "The agent's subscription begins with a status update.";
    SubscribeSilent "subscribe-silent" "The agent's subscription sends the task and no updates.";
    SubscribeStaysOpen "subscribe-stays-open" "The agent's subscription stays open after the task has finished.";
    SubscribersShareEvents "subscribers-share-events" "The agent gives each event of a task to one of its subscribers only.";
    OneClosesAll "one-closes-all" "The agent ends every subscription to a task when one is dropped.";
    VersionIgnored "version-ignored" "The agent accepts calls of any protocol version.";
    VersionAbsentAccepted "version-absent-accepted" "The agent accepts calls without a protocol version.";
    VersionPatchRefused "version-patch-refused" "The agent refuses its protocol version when it comes with a patch number.";
    ListNoTotal "list-no-total" "The agent answers ListTasks without totalSize.";
    ListNoToken "list-no-token" "The agent answers the last page of ListTasks without nextPageToken.";
    ListEmpty "list-empty" "The agent answers ListTasks with no tasks.";
    ListIgnoresContext "list-ignores-context" "The agent answers ListTasks without regard to contextId.";
    ListWithArtifacts "list-with-artifacts" "The agent answers ListTasks with artifacts that were not asked for.";
    ListIgnoresPageSize "list-ignores-page-size" "The agent answers ListTasks without regard to pageSize.";
    ListMissing "list-missing" "The agent does not know the method ListTasks.";
    ListParamsRequired "list-params-required" "The agent refuses ListTasks without parameters.";
    ListTasksBare "list-tasks-bare" "The agent lists tasks without their status.";
    ListPageRepeats "list-page-repeats" "The agent begins a page of ListTasks with the last task of the page before.";
    ListOldestFirst "list-oldest-first" "The agent lists the oldest tasks first.";
    ListPageSizeZero "list-page-size-zero" "The agent answers ListTasks with a pageSize of 0.";
    ListTotalOfPage "list-total-of-page" "The agent counts the tasks of a page as totalSize.";
    ListDefaultHundred "list-default-hundred" "The agent uses a page size of 100 when none is asked for.";
    ListIgnoresStatus "list-ignores-status" "The agent answers ListTasks without regard to status.";
    ListIgnoresTimestamp "list-ignores-timestamp" "The agent answers ListTasks without regard to statusTimestampAfter.";
    ListTimestampExclusive "list-timestamp-exclusive" "The agent leaves out tasks of the very moment of statusTimestampAfter.";
    ListAnyFilter "list-any-filter" "The agent lists tasks that pass status or statusTimestampAfter where both are given.";
    ListNeverArtifacts "list-never-artifacts" "The agent lists tasks without artifacts even when they are asked for.";
    ListIgnoresHistory "list-ignores-history" "The agent lists tasks with their whole history whatever historyLength says.";
    ListAnyPageSize "list-any-page-size" "The agent accepts any pageSize.";
    ListAnyToken "list-any-token" "The agent answers a pageToken that it never gave with the first page.";
    ListAnyStatus "list-any-status" "The agent takes an unknown status for no filter.";
    ListAnyTimestamp "list-any-timestamp" "The agent takes a malformed statusTimestampAfter for no filter.";

    AuthNotChecked "auth-not-checked" "The agent's card asks for a token that the agent never looks at." of Protected;
    AuthAnyToken "auth-any-token" "The agent takes any token for the right one." of Protected;
    AuthExpiredToken "auth-expired-token" "The agent takes any JSON Web Token, whoever signed it and however old it is." of Protected;
    AuthOtherScheme "auth-other-scheme" "The agent verifies bearer tokens and lets in who uses another scheme." of Protected;
    AuthRefusedWith400 "auth-refused-with-400" "The agent answers calls without the token with 400 and InvalidRequestError." of Protected;
    AuthNoChallenge "auth-no-challenge" "The agent answers 401 without a challenge." of Protected;
    AuthSomeRefused "auth-some-refused" "The agent answers 401 to ListTasks, and to CancelTask in versions without it, whatever the token." of Protected;
    AuthTasksOpen "auth-tasks-open" "The agent answers GetTask without the token." of Protected;
    AuthTellsMissing "auth-tells-missing" "The agent answers GetTask for a task that is missing without the token." of Protected;
    ExtendedOpen "extended-open" "The agent answers its extended card without the token." of Protected;
    ExtendedIncomplete "extended-incomplete" "The agent's extended card has no name." of Protected;
    ExtendedInternalError "extended-internal-error" "The agent declares an extended card and answers an internal error." of Protected;
    ExtendedCached "extended-cached" "The agent lets everybody cache its extended card." of Protected;
    ExtendedSecret "extended-secret" "The agent's extended card shows an API key." of Protected;

    UnknownExtensionRefused "unknown-extension-refused" "The agent refuses calls that ask for an extension that it does not know.";
    ExtNotRequired "ext-not-required" "The agent takes messages that do not ask for the extension that its card requires." of Extensions;
    ExtNeverEnough "ext-never-enough" "The agent refuses messages for want of an extension that they ask for." of Extensions;
    ExtAnyVersion "ext-any-version" "The agent takes any version of an extension for the one that it has." of Extensions;
    ExtNotEchoed "ext-not-echoed" "The agent does not say which extensions it has activated." of Extensions;
    ExtFirstOnly "ext-first-only" "The agent reads only the first of the extensions that a call asks for." of Extensions;
    ExtAlwaysOn "ext-always-on" "The agent activates an optional extension that nobody asked for." of Extensions;

    CannedError "canned-error" "The agent answers everything with the same internal error.";
    CannedMessage "canned-message" "The agent answers everything with the same message.";
    CannedHtml "canned-html" "The agent answers everything with an HTML page, its card too.";
    CannedEmpty "canned-empty" "The agent answers everything with an empty object.";
    Silent "silent" "The agent takes every call and never answers.";
    DiesAfterTen "dies-after-ten" "The agent answers ten calls and then hangs up on everything.";

    CardReleaseCandidate "card-release-candidate" "The agent's card names its protocol versions as the release candidate of 1.0 did.";
    CardNoUrl "card-no-url" "The agent's card gives its URL as a number." at "/0.3";
    CardNoPreferredTransport "card-no-preferred-transport" "The agent's card has no preferredTransport." at "/0.3";
    CardAdditionalIncomplete "card-additional-incomplete" "The agent's card has an additional interface without a transport." at "/0.3";
    CardAdditionalLacksMain "card-additional-lacks-main" "The agent's card does not list its URL among additionalInterfaces." at "/0.3";
    CardTransportMisspelled "card-transport-misspelled" "The agent's card calls the HTTP+JSON transport HTTP-JSON." at "/0.3";
    CardSecurityOdd "card-security-odd" "The agent's card writes its security requirements as an object." at "/0.3";
    CardCurrentPathOnly "card-current-path-only" "The agent has its card at agent-card.json only." at "/0.2";
    ExtendedUrlMissing "extended-url-missing" "The agent declares an extended card and answers 404 where it is fetched." of Protected at "/0.2";
    CardNeedsCredentials "card-needs-credentials" "The agent shows its card only to those whom it knows." of Protected at "/0.1";
    CardNoVersion "card-no-version" "The agent's card does not give the agent's version." at "/0.1";
    CardSkillNoId "card-skill-no-id" "The agent's card has a skill without an id." at "/0.1";
    CardSkillNoModes "card-skill-no-modes" "The agent's skills name no modes of their own." at "/0.1";
    CardAuthenticationOdd "card-authentication-odd" "The agent's card names its authentication schemes in one text." at "/0.1";
    CardCredentialsSilent "card-credentials-silent" "The agent's card asks for OAuth and does not say where tokens come from." at "/0.1";
    MethodsOf10 "methods-of-1.0" "The agent knows the methods of JSON-RPC by their names in 1.0 only." at "/0.3";
    RoutesOf10 "routes-of-1.0" "The agent serves the routes of 1.0 only." at "/0.3";
    VersionHeaderRefused "version-header-refused" "The agent refuses every request that names a protocol version." at "/0.3";
    CrashOnMediaType "crash-on-media-type" "The agent answers parts of undeclared media types with status 500 and an HTML page." at "/0.3";
    SendWrapped "send-wrapped" "The agent puts tasks, messages and events over JSON-RPC into a member of an object." at "/0.3";
    TaskNoKind "task-no-kind" "The agent's tasks and the messages of their history do not say their kind." at "/0.3";
    MessageNoKind "message-no-kind" "The agent answers with a message that does not say its kind." at "/0.3";
    EventNoKind "event-no-kind" "The agent's updates do not say their kind, or are of two kinds where they need not." at "/0.3";
    PartUntagged "part-untagged" "The agent's parts do not say their kind." at "/0.3";
    PartTaggedType "part-tagged-type" "The agent's parts say their kind in the member type, as in 0.1." at "/0.3";
    FileTwoContents "file-two-contents" "The agent's files have bytes and a URI at once." at "/0.3";
    StatesOfProto "states-of-proto" "The agent writes states by their names in the proto." at "/0.3";
    RolesOfProto "roles-of-proto" "The agent writes roles by their names in the proto." at "/0.3";
    TimestampsOdd "timestamps-odd" "The agent writes yesterday for a timestamp." at "/0.3";
    StateHistoryMissing "state-history-missing" "The agent declares stateTransitionHistory and shows no history." at "/0.3";
    StreamNoFinal "stream-no-final" "The agent's last status update does not say that it is final." at "/0.3";
    StreamAfterFinal "stream-after-final" "The agent's stream goes on after an update that was final." at "/0.3";
    ResubscribeTerminalHangs "resubscribe-terminal-hangs" "The agent answers a subscription to a finished task with a stream that does not end." at "/0.3";
    PushSetFlat "push-set-flat" "The agent answers the setting of a push config with a flat one, as in 1.0." at "/0.3";
    PushGetLost "push-get-lost" "The agent does not find a push config that it has set." at "/0.3";
    PushListWrapped "push-list-wrapped" "The agent answers a list of push configs in a member of an object." at "/0.3";
    ListOdd "list-odd" "The agent answers a list of tasks with something else." at "/0.3";
    RestWithoutPushList "rest-without-push-list" "The agent does not list push configs over HTTP+JSON." at "/0.3";
    ErrorsAsText "errors-as-text" "The agent answers errors over HTTP as text/plain." at "/0.3";
    RestErrorsOk "rest-errors-ok" "The agent answers errors over HTTP with status 200." at "/0.3";
    ArtifactNoParts "artifact-no-parts" "The agent's artifacts have no parts." at "/0.1";
    TaskRenamed "task-renamed" "The agent gives a task another id than its client did." at "/0.1";
    SessionReplaced "session-replaced" "The agent replaces a client's sessionId by its own." at "/0.1";
    TaskInStream "task-in-stream" "The agent's stream begins with a task." at "/0.1";
    StreamStartsWithArtifact "stream-starts-with-artifact" "The agent's stream begins with an artifact." at "/0.1";
    TaskNeverEnds "task-never-ends" "The agent never finishes a task that takes more than a second." at "/0.1";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_id_parses_to_its_fault_and_none_repeats() {
        for (fault, id) in listed().zip(FaultId::ALL) {
            assert_eq!(FaultId::parse(fault.id), Ok(*id));
            assert_eq!(id.as_str(), fault.id);
            assert!(fault.title.starts_with("The agent") && fault.title.ends_with('.'), "{}", fault.title);
        }
        assert_eq!(listed().map(|fault| fault.id).collect::<BTreeSet<_>>().len(), FaultId::ALL.len());
    }

    #[test]
    fn a_fault_brings_along_the_variant_that_it_needs() {
        let faults = Faults::parse(["auth-any-token"]).unwrap();
        assert!(faults.has(FaultId::Protected) && !faults.has(FaultId::Extensions));
        assert_eq!(faults.credentials().len(), 1);
        for (fault, variant) in NEEDS {
            assert!(FAULTS.len() <= *variant as usize, "{} needs a fault", fault.as_str());
        }
    }

    #[test]
    fn an_unknown_id_is_answered_with_the_nearest_known_one() {
        let error = Faults::parse(["get-wrapped", "list-emtpy"]).unwrap_err();
        assert_eq!(error.to_string(), r#"no fault is called "list-emtpy"; the nearest is "list-empty""#);
        assert_eq!(Faults::parse([]).unwrap(), Faults::none());
    }
}
