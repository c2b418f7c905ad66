//! One call of an operation before a binding makes a request of it: its parameters, version and credentials, what is odd about it
//! on purpose, and what it costs the agent.

use serde_json::Value;

use crate::a2a::model::Operation;

/// Which version a request names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum VersionSelection {
    /// The one the interface declares.
    #[default]
    Declared,
    /// None at all.
    Absent,
    /// Some other.
    Other(String),
}

/// One call of an operation. The odd members make malformed requests on purpose; a plain call leaves them alone.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The operation; `None` only together with a `method` or `body` that names none.
    pub operation: Option<Operation>,
    /// Its parameters in the dialect's words; `None` leaves the member out.
    pub params: Option<Value>,
    /// The request id.
    pub id: Value,
    /// Another method name (JSON-RPC) or path (HTTP) than the operation's.
    pub method: Option<String>,
    /// The other verb that the operation's route may have: `GET` instead of `POST` for a subscription (1.0 §11.3.2).
    pub other_verb: bool,
    /// Another media type for the body than the usual one.
    pub media_type: Option<&'static str>,
    /// These bytes instead of a request.
    pub body: Option<Vec<u8>>,
    /// Which version the request names.
    pub version: VersionSelection,
    /// The extensions it asks for; `None` for those that the card requires.
    pub extensions: Option<Vec<String>>,
    /// Which of the user's header fields go along.
    pub credentials: Credentials,
    /// More header fields.
    pub headers: Vec<(String, String)>,
    /// The oddity of the request, as findings name it: `a truncated body`.
    pub what: Option<&'static str>,
    /// Whether the binding leaves open if and how it is answered, as with a notification.
    pub is_response_optional: bool,
}

/// Which credentials a call carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Credentials {
    /// The user's.
    #[default]
    Own,
    /// Those of the user's second identity.
    Second,
    /// None.
    None,
    /// As the user's in form, and made up.
    Wrong,
    /// A token that says of itself that it ran out long ago; where the user's is not a bearer token, as [`Self::Wrong`].
    Expired,
    /// Made up, and of another scheme than the user's.
    Foreign,
}

/// What a call costs an agent, and so how long its answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallCost {
    /// Work, which takes the time that it takes.
    #[default]
    Work,
    /// Nothing that takes long, and yet it cannot be asked twice: it changes something, or it is a message that an agent may take although it
    /// has to refuse it.
    Once,
    /// Nothing but to look something up, as often as it is asked.
    LookUp,
}

/// The context that a reply is read in: which operation was called and under which id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SentCall {
    /// The operation, if the request was one.
    pub operation: Option<Operation>,
    /// The request's id; `None` when the request had none that could be echoed.
    pub id: Option<Value>,
    /// The parameters in the dialect's words, as they were before the binding packed them.
    pub params: Option<Value>,
    /// The oddity of the request, as findings name it.
    pub what: Option<&'static str>,
    /// Whether the answer may have another form than the binding's: that of a layer before it, which asks for credentials, or
    /// none.
    pub is_form_open: bool,
    /// What it costs the agent.
    pub cost: CallCost,
}

impl Call {
    /// The same call with a name for findings.
    #[must_use]
    pub const fn called(mut self, what: &'static str) -> Self {
        self.what = Some(what);
        self
    }

    /// The context that the reply to this call is read in.
    #[must_use]
    pub fn sent(&self) -> SentCall {
        let id = self.body.is_none().then(|| self.id.clone());
        let is_form_open = self.is_response_optional || self.credentials != Credentials::Own;
        let cost = CallCost::default();
        SentCall { operation: self.operation, id, params: self.params.clone(), what: self.what, is_form_open, cost }
    }
}

impl SentCall {
    /// The message that a send carries, in the dialect's words.
    #[must_use]
    pub fn message(&self) -> Option<&Value> {
        let is_send = matches!(self.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
        self.params.as_ref().filter(|_| is_send)?.get("message")
    }

    /// The id of the message that a send carries.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.message()?.get("messageId")?.as_str()
    }

    /// The task that a message goes on with.
    #[must_use]
    pub fn addressed_task(&self) -> Option<&str> {
        self.message()?.get("taskId")?.as_str()
    }

    /// Whether this is a message that begins a task, if the agent makes one.
    #[must_use]
    pub fn begins_task(&self) -> bool {
        self.message().is_some() && self.addressed_task().is_none()
    }

    /// The text of a message; none where it is data.
    #[must_use]
    pub fn message_text(&self) -> Option<&str> {
        let message = self.message()?;
        let parts = message.get("parts").or_else(|| message.get("content"))?.as_array()?;
        parts.iter().find_map(|part| part.get("text")?.as_str())
    }
}
