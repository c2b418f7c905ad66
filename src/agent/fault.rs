//! The named faults and variants with their sentences: every way in which the scripted agent can be told to be wrong; and the
//! tokens that let clients in. A fault changes what its title says and nothing else. Some faults only an agent of a certain kind
//! can have: one that asks for credentials, say. Such a kind is a variant, as conformant as the plain agent, and a fault brings the
//! variant that it needs along. What a fault does is where its `FaultId` is asked for.

/// A fault as it is listed for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Its name: `get-wrapped`.
    pub id: &'static str,
    /// The agent's behaviour, in plain words, on one line.
    pub title: &'static str,
    /// The path under the agent's own at which it shows: that of the version that can have it, or nothing for 1.0.
    pub at: &'static str,
}

/// The token that lets a client in where the agent asks for one.
pub const TOKEN: &str = "open-sesame";

/// The token of the second user, where the agent knows two.
pub const SECOND_TOKEN: &str = "open-barley";

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
    /// [`UnknownFault`] for the first name that is unknown.
    pub fn parse<'a>(ids: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownFault> {
        ids.into_iter().map(FaultId::parse).collect()
    }

    fn add(&mut self, fault: FaultId) {
        let mut next = Some(fault);
        while let Some(fault) = next {
            if let Err(place) = self.0.binary_search(&fault) {
                self.0.insert(place, fault);
            }
            next = fault.variant();
        }
    }

    /// The header fields that get a client in.
    #[must_use]
    pub fn credentials(&self) -> Vec<(String, String)> {
        self.bearer(FaultId::Protected, TOKEN)
    }

    /// The header fields that get a second user in.
    #[must_use]
    pub fn second_credentials(&self) -> Vec<(String, String)> {
        self.bearer(FaultId::TwoUsers, SECOND_TOKEN)
    }

    fn bearer(&self, variant: FaultId, token: &str) -> Vec<(String, String)> {
        let field = || ("Authorization".to_owned(), format!("Bearer {token}"));
        self.has(variant).then(field).into_iter().collect()
    }

    /// The path, under the agent's own, of the first fault that does not show in 1.0; empty if all of them do.
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
        let mut all = Self::none();
        faults.into_iter().for_each(|fault| all.add(fault));
        all
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

    /// The variant that an agent must be to have this fault, or to be this variant.
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
        variants { $($way:ident $way_id:literal $way_title:literal $(of $wider:ident)?;)+ }
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

        /// The faults that need a variant, and the variants that need another.
        const NEEDS: &[(FaultId, FaultId)] =
            &[$($((FaultId::$name, FaultId::$variant),)?)+ $($((FaultId::$way, FaultId::$wider),)?)+];
    };
}

faults! {
    variants {
        Protected "protected" "The agent returns 401 to calls without the token open-sesame, and has an extended card.";
        TwoUsers "two-users" "The agent knows two users, by the tokens open-sesame and open-barley, and hides the tasks of each from \
                              the other." of Protected;
        Extensions "extensions" "The agent declares two extensions and refuses messages that do not request the second.";
        Https "https" "The agent is reached over https (the command line serves it over http all the same).";
        Modest "modest" "The agent supports neither streaming nor push notifications, and refuses both.";
        Tenants "tenants" "The agent's card has a tenant, and every call must contain it.";
        Hybrid "hybrid" "The agent also serves 0.3, at the same endpoints, to clients that name no version.";
        PlainJson "plain-json" "The agent returns application/json over HTTP+JSON, as the official SDKs do.";
        Raising "raising" "The agent has one more skill, raise, whose handler raises an exception.";
        SignedNotifications "signed-notifications" "The agent signs a token (JWT) for notifications whose config has no credentials.";
        ValidatingWebhooks "validating-webhooks" "The agent asks a webhook to repeat a validation token before it sends notifications.";
        Bursting "bursting" "The agent has one more skill, burst, which streams many chunks at once.";
        Grpc "grpc" "The agent also serves gRPC, in 1.0 and 0.3, at the same port.";
        OnlyJsonrpc "only-jsonrpc" "The agent's card of 1.0 lists only the interface over JSON-RPC.";
        OnlyHttp "only-http" "The agent's card of 1.0 lists only the interface over HTTP+JSON.";
        TakesPictures "takes-pictures" "The agent also takes files of the media type image/svg+xml.";
        Delegating "delegating" "The agent has one more skill: told `delegate to URL with TOKEN`, or by an instruction of a2a-itk, it calls \
                                 another agent.";
        Busy "busy" "The agent answers forty calls and then returns 429 with Retry-After.";
        Compressing "compressing" "The agent compresses its answers with gzip, unasked (over sockets only).";
    }

    CardMissing "card-missing" "The agent returns 404 at every place where its card could be.";
    CardHtml "card-html" "The agent serves an HTML page in place of its card.";
    CardCutOff "card-cut-off" "The agent serves the first half of its card.";
    CardWrapped "card-wrapped" "The agent serves its card inside an agentCard member.";
    CardLegacyPath "card-legacy-path" "The agent serves its card only at the old path agent.json.";
    CardTextPlain "card-text-plain" "The agent serves its card as text/plain.";
    CardNoCacheControl "card-no-cache-control" "The agent serves its card without Cache-Control.";
    CardNoEtag "card-no-etag" "The agent serves its card without an ETag and ignores If-None-Match.";
    CardEtagStale "card-etag-stale" "The agent serves a different card each time under the same ETag.";
    CardSecret "card-secret" "The agent's card contains an API key in the description of a skill.";
    CardNoDescription "card-no-description" "The agent's card has no description.";
    CardNoInterfaces "card-no-interfaces" "The agent's card lists no interfaces.";
    CardEmptyModes "card-empty-modes" "The agent's card lists no default output modes.";
    CardEmptySkills "card-empty-skills" "The agent's card lists no skills.";
    CardInterfaceIncomplete "card-interface-incomplete" "The agent's card has an interface without protocolBinding.";
    CardInterfaceRelative "card-interface-relative" "The agent's card has an interface with a relative URL.";
    CardInterfaceHttpPublic "card-interface-http-public" "The agent's card has an interface on a public host without TLS.";
    CardGrpcPlain "card-grpc-plain" "The agent's card has an interface over gRPC on a public host without TLS.";
    CardVersionPatch "card-version-patch" "The agent's card has a protocol version with a patch number.";
    CardBindingMisspelled "card-binding-misspelled" "The agent's card calls the HTTP+JSON binding REST.";
    CardTenantNumber "card-tenant-number" "The agent's card has a tenant that is a number.";
    CardCapabilityText "card-capability-text" "The agent's card has a capability that is the string \"false\".";
    CardProviderIncomplete "card-provider-incomplete" "The agent's card has a provider without a URL.";
    CardSkillIncomplete "card-skill-incomplete" "The agent's card has a skill without a description.";
    CardSkillNoTags "card-skill-no-tags" "The agent's card has a skill without tags.";
    CardSkillDuplicate "card-skill-duplicate" "The agent's card has two skills with the same id.";
    ModesApart "modes-apart" "The agent's card declares video/mp4 as its only input mode.";
    CardModeBareWord "card-mode-bare-word" "The agent's card has the input mode json, which is not a media type.";
    CardBadDocumentationUrl "card-bad-documentation-url" "The agent's card has a documentationUrl that is not a URL.";
    CardSignatureMalformed "card-signature-malformed" "The agent's card has a signature that is not in JWS form.";
    CardSignatureNoKid "card-signature-no-kid" "The agent's card has a signature whose header has no key id.";
    CardSignatureNoTyp "card-signature-no-typ" "The agent's card has a signature whose header does not have the typ JOSE.";
    CardSignatureForeign "card-signature-foreign" "The agent's card has a signature that its key did not make.";
    CardExtensionNoUri "card-extension-no-uri" "The agent's card declares an extension without a URI.";
    CardExtensionUnversioned "card-extension-unversioned" "The agent's card declares an extension whose URI has no version." of Extensions;
    CardSchemeFlat "card-scheme-flat" "The agent's card writes a security scheme in the form of 0.3.";
    CardSchemeIncomplete "card-scheme-incomplete" "The agent's card has an API key scheme without the key's name.";
    CardRequirementsFlat "card-requirements-flat" "The agent's card writes its security requirements in the form of 0.3.";
    CardRequirementsDangling "card-requirements-dangling" "The agent's card requires a security scheme that it does not declare.";
    CardOauthNoTokenUrl "card-oauth-no-token-url" "The agent's card has an OAuth flow without its token URL.";
    CardManyMissing "card-many-missing" "The agent's card has neither a description nor a version.";
    CardOauthImplicit "card-oauth-implicit" "The agent's card offers the implicit flow of OAuth.";
    CardOauthHttp "card-oauth-http" "The agent's card has an OAuth token URL without TLS.";
    CardExtendedLegacyFlag "card-extended-legacy-flag" "The agent's card has the old flag supportsAuthenticatedExtendedCard.";

    Endpoint404 "endpoint-404" "The agent returns 404 with an HTML page to every call.";
    EndpointRedirects "endpoint-redirects" "The agent redirects every call from the URL in its card to another.";
    OtherMediaTypeInternal "other-media-type-internal" "The agent returns HTTP 500 for a body that is not JSON by its media type.";
    Endpoint415 "endpoint-415" "The agent returns 415 with a text to every call over JSON-RPC.";
    VersionRefused "version-refused" "The agent returns VersionNotSupportedError to every call.";
    GetUnknownFound "get-unknown-found" "The agent returns a finished task from GetTask for an unknown id.";
    GetUnknownInternal "get-unknown-internal" "The agent returns an internal error from GetTask for an unknown id.";
    SendRefusesText "send-refuses-text" "The agent refuses every new message as invalid.";
    SendUnwrapped "send-unwrapped" "The agent returns a bare task or message from SendMessage.";
    SendBoth "send-both" "The agent returns both a task and a message from SendMessage.";
    TaskNoId "task-no-id" "The agent returns a task without an id from SendMessage.";
    TaskContextNumber "task-context-number" "The agent writes a task's contextId as a number.";
    SendReturnsEarly "send-returns-early" "The agent returns from a blocking SendMessage while the task is still working.";
    SendStaleSnapshot "send-stale-snapshot" "The agent returns from a blocking SendMessage with a finished task that lacks its artifacts.";
    TaskNoContext "task-no-context" "The agent omits contextId from tasks.";
    ResultsInStatus "results-in-status" "The agent puts results into the status message and creates no artifacts.";
    GetWrapped "get-wrapped" "The agent returns GetTask's task inside a task member.";
    GetOtherContext "get-other-context" "The agent returns a different contextId from GetTask than from SendMessage.";
    GetChanges "get-changes" "The agent returns a new status timestamp from every GetTask.";
    TasksVanish "tasks-vanish" "The agent forgets a task as soon as it has finished.";
    HistoryZeroIgnored "history-zero-ignored" "The agent returns the whole history for historyLength 0.";
    HistoryUnbounded "history-unbounded" "The agent returns the whole history for every positive historyLength.";
    HistoryTextOnly "history-text-only" "The agent keeps only the text parts of messages in its history.";
    HistoryDropsMembers "history-drops-members" "The agent omits names, media types and metadata of parts from its history.";
    HistoryDropsMetadata "history-drops-metadata" "The agent omits the metadata of messages from its history.";
    HistoryDropsFollowUps "history-drops-follow-ups" "The agent keeps only the first message of the client in its history.";
    HistoryCut "history-cut" "The agent forgets the messages that historyLength leaves out of a response.";
    HistoryMissing "history-missing" "The agent returns no history from GetTask.";
    HistoryOldest "history-oldest" "The agent returns the oldest messages for historyLength.";
    CancelTerminalOk "cancel-terminal-ok" "The agent reports success when a finished task is cancelled.";
    CancelTerminalWrongCode "cancel-terminal-wrong-code" "The agent returns an internal error when a finished task is cancelled.";
    TerminalAcceptsMessage "terminal-accepts-message" "The agent accepts a message to a finished task.";
    StreamTerminalAccepted "stream-terminal-accepted" "The agent streams a response to a message to a finished task.";
    TerminalWrongCode "terminal-wrong-code" "The agent refuses a message to a finished task with TaskNotCancelableError.";
    FailedNotTerminal "failed-not-terminal" "The agent treats failed and rejected tasks as if they were still running.";
    FailedShownCompleted "failed-shown-completed" "The agent returns COMPLETED from GetTask for failed and rejected tasks.";
    FailureSilent "failure-silent" "The agent's failed tasks have no status message.";
    AsksOnce "asks-once" "The agent completes a conversation with the second message, whatever it says.";
    CancelDropsMetadata "cancel-drops-metadata" "The agent does not keep the metadata of a cancel.";
    TasksAllFail "tasks-all-fail" "The agent fails every task that it should complete.";
    TasksNeverComplete "tasks-never-complete" "The agent requires input at the end of every task that it should complete.";
    SendSaysCompleted "send-says-completed" "The agent returns a task that it is working on as completed from SendMessage.";
    GetRewritesCanceled "get-rewrites-canceled" "The agent returns a cancelled task as completed from the second GetTask on.";
    ListRewritesCanceled "list-rewrites-canceled" "The agent lists a cancelled task as completed from the second list on.";
    TerminalReopens "terminal-reopens" "The agent refuses a message to a finished task, but sets the task working again.";
    SubscribeWaitingRefused "subscribe-waiting-refused" "The agent refuses a subscription to a task that waits for somebody.";
    SubscribeTerminalStreams "subscribe-terminal-streams" "The agent opens a stream for a subscription to a finished task.";
    SubscribeTerminalWrongCode "subscribe-terminal-wrong-code" "The agent refuses a subscription to a finished task with TaskNotCancelableError.";
    ReturnImmediatelyIgnored "return-immediately-ignored" "The agent waits for the task although it was told to return immediately.";
    CancelAnswersNull "cancel-answers-null" "The agent returns null from CancelTask.";
    SubscribeMissing "subscribe-missing" "The agent does not know the method SubscribeToTask over JSON-RPC.";
    CancelOverwritesFinished "cancel-overwrites-finished" "The agent cancels a task that is completed.";
    CancelOverwritesJustFinished "cancel-overwrites-just-finished" "The agent cancels a task that completed less than 10 ms ago.";
    MessageReopensJustFinished "message-reopens-just-finished" "The agent sets a task working again for a message that comes less than 10 ms after it completed.";
    SubscribeMissesEnd "subscribe-misses-end" "The agent leaves a subscription open and silent that comes less than 10 ms after its task completed.";
    CancelMissing "cancel-missing" "The agent does not know the operation CancelTask.";
    CancelSaysCompleted "cancel-says-completed" "The agent returns COMPLETED from CancelTask and cancels the task.";
    CancelOtherContext "cancel-other-context" "The agent returns another contextId from CancelTask.";
    RaiseHangs "raise-hangs" "The agent never answers a message whose handler raises." of Raising;
    RaiseLeftWorking "raise-left-working" "The agent leaves a task working whose handler raised after the answer." of Raising;
    RaiseStreamEmpty "raise-stream-empty" "The agent ends the stream of a handler that raises without an event." of Raising;
    RaiseFailsNext "raise-fails-next" "The agent refuses all messages after one whose handler raised." of Raising;
    BurstLosesUpdate "burst-loses-update" "The agent loses one update of a burst." of Bursting;
    BurstLosesLast "burst-loses-last" "The agent loses the last chunk of a burst." of Bursting;
    BurstDropsUnread "burst-drops-unread" "The agent drops the updates of a burst that its client is too slow to read." of Bursting;
    BurstSwapsUpdates "burst-swaps-updates" "The agent sends two updates of a burst in the wrong order." of Bursting;
    BurstLeaksUpdate "burst-leaks-update" "The agent sends an update of a burst on the stream of another one." of Bursting;
    CrowdLosesUpdate "crowd-loses-update" "The agent loses an update of each of three tasks that stream at the same time.";
    CrowdSwapsUpdates "crowd-swaps-updates" "The agent sends two updates in the wrong order when three tasks stream at the same time.";
    CrowdLeaksUpdate "crowd-leaks-update" "The agent sends an update on the stream of another task when three stream at the same time.";
    CrowdSharesHistory "crowd-shares-history" "The agent adds a message of another task to the history of one that was streamed at the same time.";
    CrowdAnswersSwapped "crowd-answers-swapped" "The agent answers messages that come at the same time with each other's tasks.";
    LoadReusesIds "load-reuses-ids" "The agent under load gives some tasks the ids of older ones.";
    LoadSwapsTasks "load-swaps-tasks" "The agent under load returns another task from GetTask.";
    LoadLeaksEvents "load-leaks-events" "The agent under load sends updates on the streams of other tasks.";
    LoadCrossesArtifacts "load-crosses-artifacts" "The agent under load writes the text of another message into an artifact.";
    LoadLosesListed "load-loses-listed" "The agent under load leaves a task out of the list of its context.";
    LoadForgetsTasks "load-forgets-tasks" "The agent under load does not find some tasks that it has just made.";
    LoadLosesUpdates "load-loses-updates" "The agent under load loses an update of each stream.";
    LoadSwapsUpdates "load-swaps-updates" "The agent under load sends two updates of each stream in the wrong order.";
    LoadNeverEnds "load-never-ends" "The agent under load never ends some of the tasks that it streams.";
    LoadReopensTasks "load-reopens-tasks" "The agent under load returns WORKING from GetTask for tasks that have completed.";
    LoadBreaksAnswers "load-breaks-answers" "The agent under load answers some calls with HTML.";
    LoadErrors500 "load-errors-500" "The agent under load answers some messages with status 500.";
    LoadStreamsDiffer "load-streams-differ" "The agent under load leaves an update out of each subscription.";
    LoadOneClosesAll "load-one-closes-all" "The agent under load ends all subscriptions of a task when one is closed.";
    LoadForgetsReturned "load-forgets-returned" "The agent under load sends nothing after the task to a subscriber that came back.";
    LoadCancelOvertaken "load-cancel-overtaken" "The agent under load reports a task as canceled, and completes it.";
    LoadCancelDenied "load-cancel-denied" "The agent under load cancels a task, and returns TaskNotCancelableError.";
    CancelHangs "cancel-hangs" "The agent never answers a cancel.";
    StreamToTaskHangs "stream-to-task-hangs" "The agent never answers a streamed message that names a task.";
    SubscribeOverHangs "subscribe-over-hangs" "The agent never answers a subscription to a task that is over or unknown.";
    SubscribeAtWorkHangs "subscribe-at-work-hangs" "The agent never answers a subscription to a task at work.";
    ListHangs "list-hangs" "The agent never answers ListTasks.";
    CancelWaitingIgnored "cancel-waiting-ignored" "The agent returns a task that waits for authorisation from CancelTask, and it goes on waiting.";
    CancelIgnored "cancel-ignored" "The agent returns the task from CancelTask, but the task goes on working.";
    CancelTwiceInternal "cancel-twice-internal" "The agent returns an internal error from a second CancelTask.";
    WorkingUnreadable "working-unreadable" "The agent does not find a task until it has finished.";
    InputRequiredSilent "input-required-silent" "The agent requires input without explaining what it needs.";
    FollowUpNewTask "follow-up-new-task" "The agent creates a new task for the input that a task was waiting for.";
    ThirdTurnNewTask "third-turn-new-task" "The agent creates a new task for the second input that a task was waiting for.";
    ThirdTurnNewContext "third-turn-new-context" "The agent moves a task to another context when its second input arrives.";
    ThirdTurnReturnsEarly "third-turn-returns-early" "The agent returns from a blocking SendMessage while the task is at work on its second input.";
    FollowUpStreamNoTask "follow-up-stream-no-task" "The agent's stream of a follow-up begins with a status update.";
    FollowUpStreamEmpty "follow-up-stream-empty" "The agent ends the stream of a follow-up without an event.";
    ThirdTurnStreamEmpty "third-turn-stream-empty" "The agent ends the stream of a task's second input without an event.";
    FollowUpEarlyRefused "follow-up-early-refused" "The agent refuses a follow-up that asks for an answer at once.";
    StatusMessageOtherTask "status-message-other-task" "The agent's status messages name another task.";
    FollowUpStreamNewContext "follow-up-stream-new-context" "The agent's stream of a follow-up names another context than its task.";
    CanceledNotTerminal "canceled-not-terminal" "The agent accepts messages and subscriptions to canceled tasks.";
    FailedAcceptsMessage "failed-accepts-message" "The agent accepts messages to failed tasks.";
    RejectedAcceptsMessage "rejected-accepts-message" "The agent accepts messages to rejected tasks.";
    SendHistoryOldest "send-history-oldest" "The agent returns the oldest messages for the historyLength of a send.";
    FollowUpNewContext "follow-up-new-context" "The agent moves a task to another context when its input arrives.";
    ContextMismatchAccepted "context-mismatch-accepted" "The agent accepts a message whose contextId is not its task's.";
    AuthRequiredSilent "auth-required-silent" "The agent requires authorisation without explaining what for.";
    AuthRequiredDeaf "auth-required-deaf" "The agent refuses messages for a task that requires authorisation.";
    UnknownTaskIdInternal "unknown-task-id-internal" "The agent returns an internal error for a message with an unknown taskId.";
    UnknownTaskIdAccepted "unknown-task-id-accepted" "The agent creates a task with the id that a message names.";
    ContextWordsInternal "context-words-internal" "The agent of 0.2 and 0.3 returns an internal error for a contextId of several words." at "/0.3";
    ContextReplaced "context-replaced" "The agent replaces a client's contextId with its own.";
    ThirdTaskNewContext "third-task-new-context" "The agent replaces the contextId of the third message that creates a task in a context.";
    ContextOldTask "context-old-task" "The agent returns the finished task for a new message in its context.";
    TwoPartsRefused "two-parts-refused" "The agent refuses messages with more than one part.";
    MetadataRefused "metadata-refused" "The agent refuses messages with metadata.";
    ReferencesRefused "references-refused" "The agent refuses messages with referenceTaskIds.";
    OutputModesIgnored "output-modes-ignored" "The agent returns JSON to a client that accepts only other media types.";
    TaskIdsReused "task-ids-reused" "The agent gives every task the same id.";
    MessageNoId "message-no-id" "The agent's messages have no messageId.";
    MessageNoParts "message-no-parts" "The agent returns a message that has no parts.";
    MessageNoContext "message-no-context" "The agent returns a message that has no contextId.";

    ParseErrorWrongCode "parse-error-wrong-code" "The agent returns an internal error for malformed JSON.";
    ParseErrorAtTimes "parse-error-at-times" "The agent returns an internal error for every other malformed JSON over JSON-RPC, beginning with the first.";
    ParseErrorHtml "parse-error-html" "The agent returns status 500 and an HTML page for malformed JSON.";
    ParseErrorNoId "parse-error-no-id" "The agent returns an error without an id member for malformed JSON.";
    InvalidRequestWrongCode "invalid-request-wrong-code" "The agent returns an internal error for an invalid request.";
    ParamsTextAccepted "params-text-accepted" "The agent reads params that are a text as params without members.";
    BooleanIdAccepted "boolean-id-accepted" "The agent answers a request whose id is true as if it were 1.";
    InvalidRequestAccepted "invalid-request-accepted" "The agent returns an empty result for a JSON-RPC 1.0 request and for a request without a method.";
    UnknownMethodAccepted "unknown-method-accepted" "The agent returns an empty result for an unknown method.";
    UnknownMethodWrongCode "unknown-method-wrong-code" "The agent returns InvalidRequestError for an unknown method.";
    NotificationAnswered "notification-answered" "The agent responds to a request without an id.";
    BatchBreaks "batch-breaks" "The agent returns status 500 and an HTML page for a batch.";
    BadParamsWrongCode "bad-params-wrong-code" "The agent returns an internal error for invalid parameters.";
    ValidationSilent "validation-silent" "The agent refuses invalid parameters without naming them.";
    GetMissingIdAccepted "get-missing-id-accepted" "The agent returns a finished task from GetTask without an id.";
    SendEmptyAccepted "send-empty-accepted" "The agent accepts SendMessage without a message.";
    IncompleteMessageAccepted "incomplete-message-accepted" "The agent accepts a message without messageId, role or parts.";
    EmptyPartsAccepted "empty-parts-accepted" "The agent accepts a message with an empty parts array.";
    EmptyPartAccepted "empty-part-accepted" "The agent accepts a part without content.";
    AnyMediaType "any-media-type" "The agent accepts parts of media types that its card does not declare.";
    CancelUnknownFound "cancel-unknown-found" "The agent returns a cancelled task from CancelTask for an unknown id.";
    UnknownTaskRemembered "unknown-task-remembered" "The agent returns an internal error when an unknown task is asked for again.";
    CancelUnknownInternal "cancel-unknown-internal" "The agent returns an internal error from CancelTask for an unknown id.";
    SubscribeUnknownStreams "subscribe-unknown-streams" "The agent opens a stream for a subscription to an unknown id.";
    StreamUnknownTaskAccepted "stream-unknown-task-accepted" "The agent streams a new task for a message with an unknown taskId.";
    UnknownRoleAccepted "unknown-role-accepted" "The agent accepts a message with an unknown role.";
    WrongTypesAccepted "wrong-types-accepted" "The agent accepts parameters with the wrong JSON type.";
    CrashOnWrongTypes "crash-on-wrong-types" "The agent hangs up on parameters with the wrong JSON type.";
    CrashOnMalformedJson "crash-on-malformed-json" "The agent hangs up on a body that is not JSON.";
    CrashOnInvalidRequest "crash-on-invalid-request" "The agent hangs up on JSON that is not a JSON-RPC request.";
    CrashOnLargeRequest "crash-on-large-request" "The agent hangs up on requests larger than a megabyte.";
    HistoryNegativeAccepted "history-negative-accepted" "The agent accepts a negative historyLength.";
    UnknownFieldsRefused "unknown-fields-refused" "The agent refuses parameters with unknown members.";

    SnakeCase "snake-case" "The agent writes member names in snake_case.";
    RpcVersionMissing "rpc-version-missing" "The agent omits jsonrpc from responses.";
    IdAsText "id-as-text" "The agent returns a numeric request id as a string.";
    IdMissing "id-missing" "The agent omits id from responses.";
    ResultAndError "result-and-error" "The agent returns an error together with an empty result.";
    AnswersTextPlain "answers-text-plain" "The agent returns JSON as text/plain.";
    ErrorCodeText "error-code-text" "The agent writes error codes as strings.";
    ErrorNoMessage "error-no-message" "The agent returns errors with an empty message.";
    ErrorCodeOutside "error-code-outside" "The agent returns TaskNotFoundError with the code 404.";
    ErrorDataObject "error-data-object" "The agent writes the data of an error as an object.";
    ErrorDataText "error-data-text" "The agent writes the data of JSON-RPC's own errors as a text.";
    ErrorDetailUntyped "error-detail-untyped" "The agent returns error details without @type.";
    ErrorNoInfo "error-no-info" "The agent returns errors over JSON-RPC without details.";
    ErrorDetailPrivate "error-detail-private" "The agent adds an error detail of its own type.";
    ErrorDomainOther "error-domain-other" "The agent returns every error with a domain of its own.";
    ErrorReasonWrong "error-reason-wrong" "The agent returns every error with the reason NOT_FOUND.";
    ErrorStackTrace "error-stack-trace" "The agent ends every error message with a stack trace.";
    RateLimited "rate-limited" "The agent answers forty calls and then returns 429 without Retry-After." of Busy;
    NoHsts "no-hsts" "The agent is reached over https and sends no Strict-Transport-Security." of Https;
    StatesLowercase "states-lowercase" "The agent writes states in lower case.";
    StateUnspecified "state-unspecified" "The agent writes the first state of a task as unspecified.";
    RolesLowercase "roles-lowercase" "The agent writes roles in lower case.";
    AgentSpeaksAsUser "agent-speaks-as-user" "The agent's messages have the user's role.";
    TimestampsOffset "timestamps-offset" "The agent writes timestamps with the offset +00:00.";
    TimestampsSeconds "timestamps-seconds" "The agent writes timestamps in whole seconds.";
    PartTwoContents "part-two-contents" "The agent's artifacts have parts with both text and data.";
    RawNotBase64 "raw-not-base64" "The agent writes raw content that is not base64.";
    KindMembers "kind-members" "The agent adds the old member kind to tasks, messages and parts.";
    ArtifactNoId "artifact-no-id" "The agent's artifacts have no artifactId.";
    ArtifactIdsRepeat "artifact-ids-repeat" "The agent gives all artifacts of a task the same artifactId.";
    Latin1Body "latin1-body" "The agent encodes text in Latin-1 instead of UTF-8.";
    TextBehindJson "text-behind-json" "The agent writes a second JSON document behind each response.";
    MethodsOf03 "methods-of-0.3" "The agent knows only the 0.3 names of the JSON-RPC methods.";

    StatusBodyFlat "status-body-flat" "The agent returns invalid parameters over HTTP without the enclosing error member.";
    StatusCodeGrpc "status-code-grpc" "The agent uses gRPC's number as error.code over HTTP.";
    StatusNameOdd "status-name-odd" "The agent uses the name of A2A's error as error.status over HTTP.";
    StatusNoInfo "status-no-info" "The agent returns errors over HTTP without details.";
    StatusAlways500 "status-always-500" "The agent returns A2A's own errors over HTTP with status 500.";
    RoutesUnderV1 "routes-under-v1" "The agent lists tasks over HTTP only at /v1/tasks.";
    CancelByGet "cancel-by-get" "The agent cancels over HTTP only by GET.";
    A2aJsonRefused "a2a-json-refused" "The agent refuses request bodies of type application/a2a+json.";
    PlainJsonRefused "plain-json-refused" "The agent refuses a cancel over HTTP with a body of type application/json.";
    EmptyCancelRefused "empty-cancel-refused" "The agent refuses a cancel over HTTP without a body.";
    AnyRouteAnswers "any-route-answers" "The agent returns an empty object for paths that it does not serve.";
    VersionQueryIgnored "version-query-ignored" "The agent does not read the protocol version from the query.";
    TenantRefused "tenant-refused" "The agent refuses calls that contain the tenant of its card." of Tenants;
    BindingsOwnStores "bindings-own-stores" "The agent keeps tasks created over HTTP+JSON separate from those created over JSON-RPC.";
    RestDropsArtifacts "rest-drops-artifacts" "The agent omits artifacts from GetTask over HTTP+JSON.";
    RestWithoutHistory "rest-without-history" "The agent returns no history from GetTask over HTTP+JSON.";
    RestDropsNames "rest-drops-names" "The agent omits the names of artifacts from GetTask over HTTP+JSON.";
    RestDropsFileNames "rest-drops-file-names" "The agent omits the names of files from GetTask over HTTP+JSON.";
    RestDropsPartMembers "rest-drops-part-members" "The agent omits the names of files and the metadata of parts from GetTask over HTTP+JSON." at "/0.3";
    RestDropsRejected "rest-drops-rejected" "The agent omits the state of rejected tasks over HTTP+JSON.";
    RestLosesExtensions "rest-loses-extensions" "The agent does not store the extensions of a message that came over HTTP+JSON.";
    RestWithoutList "rest-without-list" "The agent has no route for ListTasks.";

    GatewayWrongRoute "gateway-wrong-route" "The agent's gateway knows no path but that of the card.";
    GatewayDropsCredentials "gateway-drops-credentials" "The agent's gateway removes Authorization from requests." of Protected;
    GatewayAddsCredentials "gateway-adds-credentials" "The agent's gateway adds the token to requests that have none." of Protected;
    GatewayDropsChallenge "gateway-drops-challenge" "The agent's gateway removes WWW-Authenticate from responses." of Protected;
    GatewayDropsVersion "gateway-drops-version" "The agent's gateway removes A2A-Version from requests.";
    GatewayDropsExtensions "gateway-drops-extensions" "The agent's gateway removes A2A-Extensions from requests." of Extensions;
    GatewayDropsActivated "gateway-drops-activated" "The agent's gateway removes A2A-Extensions from responses." of Extensions;
    GatewayIgnoresVersion "gateway-ignores-version" "The agent's gateway writes 1.0 into A2A-Version of every request.";
    GatewayReplacesErrors "gateway-replaces-errors" "The agent's gateway returns pages of HTML instead of errors.";
    GatewayStripsErrorDetails "gateway-strips-error-details" "The agent's gateway removes data and details from errors.";
    GatewayChangesStatus "gateway-changes-status" "The agent's gateway returns status 500 with every error.";
    GatewayChangesIds "gateway-changes-ids" "The agent's gateway returns responses over JSON-RPC with an id of its own.";
    GatewaySplitsVerbs "gateway-splits-verbs" "The agent's gateway returns 404 for paths with a colon behind the id of a task.";
    GatewayDecodesPaths "gateway-decodes-paths" "The agent's gateway decodes the paths of requests.";
    GatewayLimitsRequests "gateway-limits-requests" "The agent's gateway returns 413 to requests of more than a megabyte.";
    GatewayChangesTaskIds "gateway-changes-task-ids" "The agent's gateway gives tasks ids of its own.";
    GatewayChangesMessages "gateway-changes-messages" "The agent's gateway gives messages ids of its own.";
    GatewayChangesTexts "gateway-changes-texts" "The agent's gateway masks words in the messages of users.";
    GatewayDropsArtifacts "gateway-drops-artifacts" "The agent's gateway removes artifacts from responses.";
    GatewayChangesMediaTypes "gateway-changes-media-types" "The agent's gateway returns results as text/plain.";
    GatewayCutsResponses "gateway-cuts-responses" "The agent's gateway ends responses after 500 bytes.";
    GatewayDropsQuery "gateway-drops-query" "The agent's gateway removes the query from requests.";
    GatewayDeliversTwice "gateway-delivers-twice" "The agent's gateway sends every message to the agent twice.";
    GatewayCutsStreams "gateway-cuts-streams" "The agent's gateway ends streams after the first event.";
    GatewayBuffersStreams "gateway-buffers-streams" "The agent's gateway keeps the events of a stream until it ends.";
    GatewayHidesCard "gateway-hides-card" "The agent's gateway returns 404 for the card.";
    GatewayKeepsCardUrls "gateway-keeps-card-urls" "The agent's gateway passes the card on with the agent's own URLs.";
    GatewayRewritesSignedCard "gateway-rewrites-signed-card" "The agent's gateway writes its own URLs into a signed card.";
    GatewayDropsSkills "gateway-drops-skills" "The agent's gateway removes the skills from the card.";
    GatewayDropsCardHeaders "gateway-drops-card-headers" "The agent's gateway removes ETag and Cache-Control from the card's response.";
    DelegationPretended "delegation-pretended" "The agent says that it called the agent that it was told to call, and did not." of Delegating;
    DelegationLosesResult "delegation-loses-result" "The agent does not put out what the agent returned that it was told to call." of Delegating;
    DelegationMixesResults "delegation-mixes-results" "The agent puts out what an earlier call returned, too, when it was told to call another agent." of Delegating;
    DelegationHangsOnError "delegation-hangs-on-error" "The agent leaves a task working when the agent returns an error that it was told to call." of Delegating;
    DelegationHangsOnWait "delegation-hangs-on-wait" "The agent leaves a task working when the agent answers late that it was told to call." of Delegating;
    DelegationOneBinding "delegation-one-binding" "The agent calls others over JSON-RPC, whatever binding it is told to use." of Delegating;
    DelegationNeverStreams "delegation-never-streams" "The agent does not stream its calls of others, though it is told to." of Delegating;
    DelegationNeverSubscribes "delegation-never-subscribes" "The agent does not subscribe again to the tasks of others, though it is told to." of Delegating;
    DelegationSkipsHops "delegation-skips-hops" "The agent does not pass on an instruction to call a third agent." of Delegating;
    RestOtherErrors "rest-other-errors" "The agent returns another error over HTTP+JSON when a finished task is cancelled.";
    SseEnveloped "sse-enveloped" "The agent wraps events over HTTP+JSON in the envelope of JSON-RPC.";

    StreamAsJson "stream-as-json" "The agent returns plain JSON to a streaming call.";
    StreamBareEvents "stream-bare-events" "The agent omits the JSON-RPC envelope from events.";
    StreamOtherId "stream-other-id" "The agent's events have a different id from the request.";
    StreamStartsWithStatus "stream-starts-with-status" "The agent's stream begins with a status update.";
    StreamMessageThenMore "stream-message-then-more" "The agent's stream continues after a message.";
    StreamMessageInside "stream-message-inside" "The agent's stream of a task contains a message in the middle.";
    StreamStaysOpen "stream-stays-open" "The agent's stream stays open after the task has finished.";
    StreamFailedStaysOpen "stream-failed-stays-open" "The agent's stream stays open after the task has failed.";
    StreamMessageStaysOpen "stream-message-stays-open" "The agent's stream of a message stays open.";
    StreamEndsEarly "stream-ends-early" "The agent ends a stream before the task has finished.";
    StreamsBreak "streams-break" "The agent drops the connection of every stream before the task has finished.";
    StreamUpdateAfterTerminal "stream-update-after-terminal" "The agent's stream updates an artifact after the task has finished.";
    StreamTwoPayloads "stream-two-payloads" "The agent's events contain both a status update and a task.";
    StatusEventNoContext "status-event-no-context" "The agent's status updates have no contextId.";
    ArtifactEventNoTaskId "artifact-event-no-task-id" "The agent's artifact updates have no taskId.";
    StreamFinalMember "stream-final-member" "The agent's status updates have the old member final.";
    StreamForeignContext "stream-foreign-context" "The agent's updates have a different contextId from their task.";
    AppendUnknownArtifact "append-unknown-artifact" "The agent's stream appends to an artifact that it never began.";
    ChunkAfterLast "chunk-after-last" "The agent's stream appends to an artifact after its last chunk.";
    StreamGetDiffer "stream-get-differ" "The agent returns FAILED from GetTask where the stream ended with COMPLETED.";
    SseUnterminated "sse-unterminated" "The agent's stream does not end its last event.";
    SseBrokenJson "sse-broken-json" "The agent's stream has an event with broken JSON.";
    TimestampsGoBack "timestamps-go-back" "The agent's later status updates have earlier timestamps.";
    StreamBurst "stream-burst" "The agent's stream sends all its events at once when the task has finished.";
    StreamReturnsImmediately "stream-returns-immediately" "The agent ends a stream after its first event when told to return immediately.";
    StreamFullHistory "stream-full-history" "The agent streams tasks with their whole history, whatever historyLength is.";

    StreamingMissing "streaming-missing" "The agent declares streaming, but refuses every streaming call.";
    SubscribeRefused "subscribe-refused" "The agent declares streaming, but refuses to subscribe to running tasks.";
    UndeclaredStreaming "undeclared-streaming" "The agent streams although its card does not declare streaming.";
    UndeclaredSubscribe "undeclared-subscribe" "The agent accepts subscriptions although its card does not declare streaming.";
    UndeclaredPush "undeclared-push" "The agent stores push notification configs although its card does not declare them.";
    PushCreateEmpty "push-create-empty" "The agent returns an empty object when a push config is created.";
    PushNoId "push-no-id" "The agent gives no id to a push config sent without one.";
    PushGetWrongUrl "push-get-wrong-url" "The agent returns a push config with a different URL from the one it was given.";
    PushKeepsLastOnly "push-keeps-last-only" "The agent keeps only the last push config of a task.";
    PushListArray "push-list-array" "The agent returns a list of push configs as a bare array.";
    PushConfigOtherTask "push-config-other-task" "The agent's push configs name another task.";
    PushConfigNoTask "push-config-no-task" "The agent's push configs have no taskId.";
    PushDeletesAll "push-deletes-all" "The agent forgets all push configs of a task when one is deleted.";
    PushDeleteKeeps "push-delete-keeps" "The agent keeps a push config that was deleted.";
    PushDeleteOnce "push-delete-once" "The agent returns an error when a push config is deleted a second time.";
    PushDeleteAnswersConfig "push-delete-answers-config" "The agent returns the push config when it is deleted.";
    PushInlineIgnored "push-inline-ignored" "The agent ignores a push config sent with a message.";
    PushUninvited "push-uninvited" "The agent lists a push config for tasks that were given none.";
    PushCreateAnyTask "push-create-any-task" "The agent creates push configs for unknown tasks.";
    PushNoUrlAccepted "push-no-url-accepted" "The agent accepts a push config without a URL.";
    PushGetInternal "push-get-internal" "The agent returns an internal error for an unknown push config.";
    PushGetAny "push-get-any" "The agent returns a push config for an unknown id.";
    PushListAnyTask "push-list-any-task" "The agent returns an empty list of push configs for an unknown task.";
    PushDeleteAnyTask "push-delete-any-task" "The agent reports success when a config of an unknown task is deleted.";
    PushAnyWebhook "push-any-webhook" "The agent accepts webhooks in private networks." of Https;
    PushNothingSent "push-nothing-sent" "The agent sends no push notifications.";
    PushStreamedOnly "push-streamed-only" "The agent notifies webhooks only of tasks whose message was streamed.";
    PushStopsTask "push-stops-task" "The agent stops working on a task when it has to notify a webhook of it.";
    PushFailureStops "push-failure-stops" "The agent stops working on a task when a webhook refuses a notification of it.";
    PushHoldsTask "push-holds-task" "The agent does not go on with a task before its webhook has answered.";
    PushNotRetried "push-not-retried" "The agent sends no notification again that a webhook refused.";
    PushFirstServed "push-first-served" "The agent notifies only the first webhook of a task.";
    PushBareTask "push-bare-task" "The agent sends bare tasks as push notifications, as in 0.3.";
    PushOtherTask "push-other-task" "The agent's push notifications name another task.";
    PushSentAsText "push-sent-as-text" "The agent sends push notifications as text/plain.";
    PushSentOpenly "push-sent-openly" "The agent sends push notifications without the configured credentials.";
    PushEndUnsent "push-end-unsent" "The agent sends no push notification of a task's end.";
    PushSentAfterDelete "push-sent-after-delete" "The agent goes on notifying a webhook whose config was deleted.";
    PushSentTwice "push-sent-twice" "The agent sends every push notification twice.";
    PushSentLate "push-sent-late" "The agent sends the first push notification of a task after the last.";
    UndeclaredExtended "undeclared-extended" "The agent returns an extended card although its card does not declare one.";
    DisconnectStops "disconnect-stops" "The agent stops working on a task when the stream that started it is dropped.";
    UnwatchedNotStored "unwatched-not-stored" "The agent stores nothing of a task after its stream is dropped, until somebody subscribes." at "/0.3";
    DisconnectCancels "disconnect-cancels" "The agent cancels a task when one of its streams is dropped.";
    SubscribeNoSnapshot "subscribe-no-snapshot" "The agent's subscription begins with a status update.";
    SubscribeSilent "subscribe-silent" "The agent's subscription sends the task, but no updates.";
    StreamNoArtifacts "stream-no-artifacts" "The agent's stream of a send sends status updates, but no artifacts.";
    SubscribeNoArtifacts "subscribe-no-artifacts" "The agent's subscription sends status updates, but no artifacts.";
    SubscribeOtherId "subscribe-other-id" "The agent's subscription has events with a different id from the request.";
    SubscribeOtherTask "subscribe-other-task" "The agent's subscription sends updates under another task's id.";
    SubscribeNoContext "subscribe-no-context" "The agent's subscription sends updates without a contextId.";
    SubscribeTimeBack "subscribe-time-back" "The agent's subscription sends later status updates with earlier timestamps.";
    SubscribeAfterTerminal "subscribe-after-terminal" "The agent's subscription shows the task at work after the terminal status.";
    SubscribeEndsEarly "subscribe-ends-early" "The agent ends a subscription before the task has finished.";
    SubscribeStaysOpen "subscribe-stays-open" "The agent's subscription stays open after the task has finished.";
    SubscribersShareEvents "subscribers-share-events" "The agent sends each event of a task to only one of its subscribers.";
    OneClosesAll "one-closes-all" "The agent ends every subscription to a task when one is dropped.";
    VersionIgnored "version-ignored" "The agent accepts calls with any protocol version.";
    VersionAbsentAccepted "version-absent-accepted" "The agent accepts calls without a protocol version.";
    VersionPatchRefused "version-patch-refused" "The agent refuses its protocol version when it has a patch number.";
    ListNoTotal "list-no-total" "The agent omits totalSize from ListTasks.";
    ListNoToken "list-no-token" "The agent omits nextPageToken from the last page of ListTasks.";
    ListEmpty "list-empty" "The agent returns no tasks from ListTasks.";
    ListIgnoresContext "list-ignores-context" "The agent ignores contextId in ListTasks.";
    ListWithArtifacts "list-with-artifacts" "The agent returns artifacts from ListTasks that were not requested.";
    ListIgnoresPageSize "list-ignores-page-size" "The agent ignores pageSize in ListTasks.";
    ListHidesRunning "list-hides-running" "The agent does not list tasks that are at work.";
    ListHidesNewest "list-hides-newest" "The agent leaves the newest task out of every list.";
    ListTotalGrows "list-total-grows" "The agent adds 5 to totalSize on every page of a list but the first.";
    ListMissing "list-missing" "The agent does not know the method ListTasks.";
    ListInternal "list-internal" "The agent returns an internal error from ListTasks.";
    ListStatusInternal "list-status-internal" "The agent returns an internal error from ListTasks if a status is given.";
    ListContextInternal "list-context-internal" "The agent returns an internal error from ListTasks if a contextId is given.";
    ListTimestampUnavailable "list-timestamp-unavailable" "The agent returns 503 to ListTasks if statusTimestampAfter is given.";
    ListHidesFailed "list-hides-failed" "The agent does not list failed and rejected tasks.";
    ListStaleState "list-stale-state" "The agent lists finished tasks as working.";
    ListOtherContext "list-other-context" "The agent lists every task with the same other contextId.";
    ListByOffset "list-by-offset" "The agent's page tokens are positions in the list, which move when a task is created.";
    ListAllUnsorted "list-all-unsorted" "The agent lists the oldest tasks first when no contextId is given.";
    ListTotalOfAll "list-total-of-all" "The agent returns the number of all its tasks as totalSize, whatever the filters are.";
    ListTotalShort "list-total-short" "The agent returns a totalSize of one less than there are tasks.";
    ExtendedParamsRequired "extended-params-required" "The agent breaks at GetExtendedAgentCard without params." of Protected;
    ListParamsRequired "list-params-required" "The agent refuses ListTasks without params.";
    ListTasksBare "list-tasks-bare" "The agent lists tasks without their status.";
    ListPageRepeats "list-page-repeats" "The agent begins a page of ListTasks with the last task of the previous page.";
    ListOldestFirst "list-oldest-first" "The agent lists the oldest tasks first.";
    ListPageSizeZero "list-page-size-zero" "The agent returns a pageSize of 0 from ListTasks.";
    ListTotalOfPage "list-total-of-page" "The agent returns the number of tasks on the page as totalSize.";
    ListDefaultHundred "list-default-hundred" "The agent uses a page size of 100 when none is requested.";
    ListIgnoresStatus "list-ignores-status" "The agent ignores status in ListTasks.";
    ListIgnoresTimestamp "list-ignores-timestamp" "The agent ignores statusTimestampAfter in ListTasks.";
    ListTimestampExclusive "list-timestamp-exclusive" "The agent omits tasks whose timestamp equals statusTimestampAfter.";
    ListAnyFilter "list-any-filter" "The agent lists tasks that match either status or statusTimestampAfter when both are given.";
    ListNeverArtifacts "list-never-artifacts" "The agent lists tasks without artifacts even when they are requested.";
    ListHistoryOldest "list-history-oldest" "The agent lists tasks with their oldest messages for historyLength.";
    ListIgnoresHistory "list-ignores-history" "The agent lists tasks with their whole history, whatever historyLength is.";
    ListAnyPageSize "list-any-page-size" "The agent accepts any pageSize.";
    ListAnyToken "list-any-token" "The agent returns the first page for a pageToken that it did not issue.";
    ListAnyStatus "list-any-status" "The agent ignores an unknown status in ListTasks.";
    GetAnyNumber "get-any-number" "The agent ignores a historyLength of GetTask that is a word.";
    ListAnyNumber "list-any-number" "The agent ignores numbers in ListTasks that are words.";
    ListTimestampText "list-timestamp-text" "The agent compares timestamps with statusTimestampAfter as texts.";
    ListAnyTimestamp "list-any-timestamp" "The agent ignores a malformed statusTimestampAfter in ListTasks.";

    AuthNotChecked "auth-not-checked" "The agent's card requires a token that the agent never checks." of Protected;
    AuthAnyToken "auth-any-token" "The agent accepts any token." of Protected;
    AuthExpiredToken "auth-expired-token" "The agent accepts any JSON Web Token, whoever signed it and however old it is." of Protected;
    AuthOtherScheme "auth-other-scheme" "The agent verifies bearer tokens, but accepts any credentials of another scheme." of Protected;
    AuthRefusedWith400 "auth-refused-with-400" "The agent returns 400 with InvalidRequestError to calls without the token." of Protected;
    AuthRefusedWith403 "auth-refused-with-403" "The agent returns 403 without a challenge to calls without the token." of Protected;
    AuthUndeclared "auth-undeclared" "The agent's card declares no security, but the agent requires a token." of Protected;
    AuthSendOpen "auth-send-open" "The agent answers SendMessage without the token." of Protected;
    AuthCancelOpen "auth-cancel-open" "The agent answers CancelTask without the token." of Protected;
    AuthSubscribeOpen "auth-subscribe-open" "The agent answers SubscribeToTask without the token." of Protected;
    AuthNoChallenge "auth-no-challenge" "The agent returns 401 without a challenge." of Protected;
    AuthSomeRefused "auth-some-refused" "The agent returns 401 to ListTasks, and to CancelTask in versions without \
                                         it, whatever the token." of Protected;
    AuthTasksOpen "auth-tasks-open" "The agent answers GetTask without the token." of Protected;
    AuthTellsMissing "auth-tells-missing" "The agent returns TaskNotFoundError without the token when a task does not exist." of Protected;
    UsersNotToldApart "users-not-told-apart" "The agent knows two users, and lets each do everything with the other's tasks." of TwoUsers;
    ForeignTaskRead "foreign-task-read" "The agent answers GetTask for tasks of another user." of TwoUsers;
    ForeignTaskCancelled "foreign-task-cancelled" "The agent cancels tasks of another user." of TwoUsers;
    ForeignTaskSubscribed "foreign-task-subscribed" "The agent streams the events of another user's task to a subscriber." of TwoUsers;
    ForeignTaskContinued "foreign-task-continued" "The agent accepts messages for tasks of another user." of TwoUsers;
    ForeignTaskListed "foreign-task-listed" "The agent lists the tasks of all users." of TwoUsers;
    ForeignContextListed "foreign-context-listed" "The agent lists the tasks of all users if a contextId is given." of TwoUsers;
    ForeignPageListed "foreign-page-listed" "The agent lists only the caller's tasks on the first page, and those of all users on the \
                                             next ones." of TwoUsers;
    ForeignCancelDone "foreign-cancel-done" "The agent returns TaskNotFoundError for a cancel of another user's task, and cancels it all \
                                             the same." of TwoUsers;
    ForeignMessageKept "foreign-message-kept" "The agent returns TaskNotFoundError for a message to another user's task, and adds it to \
                                               the history all the same." of TwoUsers;
    ForeignPushRead "foreign-push-read" "The agent returns a push config of another user's task." of TwoUsers;
    ForeignPushListed "foreign-push-listed" "The agent lists the push configs of another user's task." of TwoUsers;
    ForeignPushDeleted "foreign-push-deleted" "The agent deletes push configs of another user's task." of TwoUsers;
    ForeignPushDeleteDone "foreign-push-delete-done" "The agent returns TaskNotFoundError when another user deletes a push config, and \
                                                      deletes it all the same." of TwoUsers;
    ForeignPushCreated "foreign-push-created" "The agent accepts push configs for tasks of another user." of TwoUsers;
    ForeignTaskTold "foreign-task-told" "The agent returns InvalidRequestError for tasks of another user, and TaskNotFoundError for \
                                         those that do not exist." of TwoUsers;
    ForeignTaskUnsupported "foreign-task-unsupported" "The agent returns UnsupportedOperationError for tasks of another user." of TwoUsers;
    ExtendedOpen "extended-open" "The agent returns its extended card without the token." of Protected;
    ExtendedIncomplete "extended-incomplete" "The agent's extended card has no name." of Protected;
    ExtendedInternalError "extended-internal-error" "The agent declares an extended card, but returns an internal error for it." of Protected;
    ExtendedCached "extended-cached" "The agent lets every cache store its extended card." of Protected;
    ExtendedSecret "extended-secret" "The agent's extended card contains an API key." of Protected;

    UnknownExtensionRefused "unknown-extension-refused" "The agent refuses calls that request an unknown extension.";
    ExtNotRequired "ext-not-required" "The agent accepts messages that do not request the extension its card requires." of Extensions;
    ExtNeverEnough "ext-never-enough" "The agent refuses messages for lack of an extension that they request." of Extensions;
    ExtAnyVersion "ext-any-version" "The agent accepts any version of an extension as its own." of Extensions;
    ExtNotEchoed "ext-not-echoed" "The agent does not return the extensions that it has activated." of Extensions;
    ExtFirstOnly "ext-first-only" "The agent reads only the first of the requested extensions." of Extensions;
    ExtAlwaysOn "ext-always-on" "The agent activates an optional extension that was not requested." of Extensions;

    CannedError "canned-error" "The agent returns the same internal error to every call.";
    CannedMessage "canned-message" "The agent returns the same message to every call.";
    CannedHtml "canned-html" "The agent returns an HTML page for everything, including its card.";
    CannedEmpty "canned-empty" "The agent returns an empty object for everything.";
    Silent "silent" "The agent accepts every call and never responds.";
    DiesAfterTen "dies-after-ten" "The agent answers ten calls and then hangs up on everything.";

    GrpcOtherService "grpc-other-service" "The agent serves gRPC under a name without the package." of Grpc;
    GrpcUnavailable "grpc-unavailable" "The agent refuses every call over gRPC as unavailable, as its health service says." of Grpc;
    GrpcCancelMissing "grpc-cancel-missing" "The agent does not implement CancelTask over gRPC." of Grpc;
    GrpcStreamsMissing "grpc-streams-missing" "The agent does not implement the streaming methods over gRPC." of Grpc;
    GrpcMetadataIgnored "grpc-metadata-ignored" "The agent does not read the metadata of calls over gRPC." of Grpc;
    GrpcErrorUnknown "grpc-error-unknown" "The agent returns every A2A error over gRPC with the code UNKNOWN." of Grpc;
    GrpcNoErrorInfo "grpc-no-error-info" "The agent returns errors over gRPC without details." of Grpc;
    GrpcNoStatus "grpc-no-status" "The agent ends successful answers over gRPC without a status." of Grpc;
    GrpcTaskOdd "grpc-task-odd" "The agent returns a task over gRPC whose metadata is a number." of Grpc;
    GrpcDeleteAnswers "grpc-delete-answers" "The agent returns the config that it has deleted over gRPC." of Grpc;
    CardListeningAddress "card-listening-address" "The agent's card names 0.0.0.0 as the host of JSON-RPC.";
    CardVersionUnknown "card-version-unknown" "The agent's card declares version 1.1 for JSON-RPC, which the agent refuses.";
    CardReleaseCandidate "card-release-candidate" "The agent's card has protocolVersions at the top level, as in the release candidate of 1.0.";
    CardNoUrl "card-no-url" "The agent's card has a URL that is a number." at "/0.3";
    CardNoPreferredTransport "card-no-preferred-transport" "The agent's card has no preferredTransport." at "/0.3";
    CardAdditionalIncomplete "card-additional-incomplete" "The agent's card has an additional interface without a transport." at "/0.3";
    CardAdditionalLacksMain "card-additional-lacks-main" "The agent's card does not list its URL among additionalInterfaces." at "/0.3";
    CardTransportMisspelled "card-transport-misspelled" "The agent's card calls the HTTP+JSON transport HTTP-JSON." at "/0.3";
    CardOneUrl "card-one-url" "The agent's card lists two transports at one URL." at "/0.3";
    CardSkillUntagged "card-skill-untagged" "The agent's card has a skill whose tags are missing." at "/0.3";
    CardProviderUnnamed "card-provider-unnamed" "The agent's card has a provider without an organization." at "/0.1";
    CardSecurityOdd "card-security-odd" "The agent's card writes its security requirements as an object." at "/0.3";
    CardCurrentPathOnly "card-current-path-only" "The agent serves its card only at agent-card.json." at "/0.2";
    ExtendedUrlMissing "extended-url-missing" "The agent declares an extended card, but returns 404 at its URL." of Protected at "/0.2";
    CardNeedsCredentials "card-needs-credentials" "The agent serves its card only to authenticated clients." of Protected at "/0.1";
    CardNoVersion "card-no-version" "The agent's card lacks the agent's version." at "/0.1";
    CardSkillNoId "card-skill-no-id" "The agent's card has a skill without an id." at "/0.1";
    CardSkillNoModes "card-skill-no-modes" "The agent's skills have no modes of their own." at "/0.1";
    CardAuthenticationOdd "card-authentication-odd" "The agent's card lists its authentication schemes in one string." at "/0.1";
    CardCredentialsSilent "card-credentials-silent" "The agent's card asks for OAuth, but not where tokens come from." at "/0.1";
    MethodsOf10 "methods-of-1.0" "The agent knows only the 1.0 names of the JSON-RPC methods." at "/0.3";
    RoutesOf10 "routes-of-1.0" "The agent serves only the routes of 1.0." at "/0.3";
    VersionHeaderRefused "version-header-refused" "The agent refuses every request with a protocol version header." at "/0.3";
    CrashOnMediaType "crash-on-media-type" "The agent returns status 500 and an HTML page for parts of undeclared media types." at "/0.3";
    SendWrapped "send-wrapped" "The agent wraps tasks, messages and events over JSON-RPC in a member of an object." at "/0.3";
    TaskNoKind "task-no-kind" "The agent's tasks and the messages in their history have no kind." at "/0.3";
    MessageNoKind "message-no-kind" "The agent returns a message without its kind." at "/0.3";
    EventsUnwrapped "events-unwrapped" "The agent's updates over HTTP+JSON are not in a member that says what they are." at "/0.3";
    EventNoKind "event-no-kind" "The agent's updates have no kind, or in 0.1 both a status and an artifact." at "/0.3";
    PartUntagged "part-untagged" "The agent's parts have no kind." at "/0.3";
    PartTaggedType "part-tagged-type" "The agent tags parts with type instead of kind, as in 0.1." at "/0.3";
    FileTwoContents "file-two-contents" "The agent's files have both bytes and a URI." at "/0.3";
    StatesOfProto "states-of-proto" "The agent uses the proto's names for states." at "/0.3";
    RolesOfProto "roles-of-proto" "The agent uses the proto's names for roles." at "/0.3";
    TimestampsOdd "timestamps-odd" "The agent writes \"yesterday\" as a timestamp." at "/0.3";
    StateHistoryMissing "state-history-missing" "The agent declares stateTransitionHistory, but returns no history." at "/0.3";
    StreamNoFinal "stream-no-final" "The agent's last status update is not marked final." at "/0.3";
    StreamAfterFinal "stream-after-final" "The agent's stream continues after an update marked final." at "/0.3";
    BlockingFalseIgnored "blocking-false-ignored" "The agent waits for the task although blocking is false." at "/0.3";
    ResubscribeTerminalHangs "resubscribe-terminal-hangs" "The agent opens a stream that does not end for a subscription to a finished task." at "/0.3";
    PushSetFlat "push-set-flat" "The agent returns a flat push config when one is set, as in 1.0." at "/0.3";
    PushGetLost "push-get-lost" "The agent does not find a push config that it has stored." at "/0.3";
    PushListWrapped "push-list-wrapped" "The agent returns a list of push configs in a member of an object." at "/0.3";
    PushTokenUnsent "push-token-unsent" "The agent sends push notifications without the configured token." at "/0.3";
    PushSignatureForeign "push-signature-foreign" "The agent signs its notifications with a key that it does not publish." of SignedNotifications at "/0.3";
    PushSignatureExpired "push-signature-expired" "The agent signs its notifications with a token that has expired." of SignedNotifications at "/0.3";
    PushValidationIgnored "push-validation-ignored" "The agent sends notifications whatever a webhook answered to the request to repeat a \
                                                    validation token." of ValidatingWebhooks;
    ListOdd "list-odd" "The agent returns something other than tasks from the list of tasks." at "/0.3";
    RestWithoutPushList "rest-without-push-list" "The agent does not list push configs over HTTP+JSON." at "/0.3";
    ErrorsAsText "errors-as-text" "The agent returns errors over HTTP as text/plain." at "/0.3";
    RestErrorsOk "rest-errors-ok" "The agent returns errors over HTTP with status 200." at "/0.3";
    ArtifactNoParts "artifact-no-parts" "The agent's artifacts have no parts." at "/0.1";
    TaskRenamed "task-renamed" "The agent gives a task a different id from the client's." at "/0.1";
    SessionReplaced "session-replaced" "The agent replaces a client's sessionId with its own." at "/0.1";
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
        assert_eq!(faults.second_credentials().len(), 0);
        let two = Faults::parse(["foreign-task-read"]).unwrap();
        assert!(two.has(FaultId::TwoUsers) && two.has(FaultId::Protected));
        assert_ne!(two.credentials(), two.second_credentials());
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
