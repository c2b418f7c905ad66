//! An attack as data: where it strikes, and what it does there.

use std::time::Duration;

use super::harm::Harm;
use super::server::AskedRequest;

/// Which requests an attack answers; the agent answers the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Each connection, before anything was read of it.
    Connection,
    /// Each request for the card.
    Card,
    /// Each call, whatever it is.
    Calls,
    /// Each call that is not answered with a stream.
    Unary,
    /// SendMessage.
    Sends,
    /// SendStreamingMessage.
    Streams,
    /// GetTask.
    Gets,
    /// ListTasks.
    Lists,
    /// What names a webhook.
    Webhooks,
    /// The address where tokens are to be had.
    Tokens,
    /// Every request.
    Everything,
}

impl Place {
    pub(crate) fn holds(self, asked: &AskedRequest) -> bool {
        match self {
            Self::Connection => false,
            Self::Card => !asked.is_call(),
            Self::Calls => asked.is_call(),
            Self::Unary => asked.is_call() && !asked.streams() && !asked.calls("SubscribeToTask", ":subscribe"),
            Self::Sends => asked.sends(),
            Self::Streams => asked.streams(),
            Self::Gets => asked.calls("GetTask", "GET /rest/tasks/") && !asked.path().contains("pushNotification"),
            Self::Lists => asked.calls("ListTasks", "GET /rest/tasks ") || asked.calls("ListTasks", "GET /rest/tasks?"),
            Self::Webhooks => asked.body.contains("ushNotificationConfig") && asked.body.contains("\"url\":\"http://"),
            Self::Tokens => asked.path().starts_with("/token"),
            Self::Everything => true,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Connection => "every connection",
            Self::Card => "the card",
            Self::Calls => "every call",
            Self::Unary => "every call but streams",
            Self::Sends => "SendMessage",
            Self::Streams => "SendStreamingMessage",
            Self::Gets => "GetTask",
            Self::Lists => "ListTasks",
            Self::Webhooks => "what names a webhook",
            Self::Tokens => "the token endpoint",
            Self::Everything => "every request",
        }
    }
}

/// What is called.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// The attacker by http, and by https.
    Http,
    Https,
    /// The attacker as an endpoint of gRPC, without a card.
    Grpc,
    /// What this starts in front of the attacker.
    Given(fn(&str) -> String),
}

/// What an attacker does. What must come of it stands in `outcomes.txt`.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) harm: Harm,
    pub(crate) target: Target,
    /// What the program is told besides; `{origin}` is the attacker's.
    pub(crate) args: Vec<&'static str>,
    /// Whether another origin may be called, without any secret: the card names it as an interface.
    pub(crate) calls_others: bool,
    /// Whether it takes too long, or too much of the machine, for each run of the tests.
    pub(crate) is_heavy: bool,
    /// After which time it is not survived.
    pub(crate) most: Duration,
}

impl Attack {
    pub(crate) fn new(name: &'static str, place: Place, harm: Harm) -> Self {
        let (target, args, most) = (Target::Http, Vec::new(), Duration::from_secs(90));
        Self { name, place, harm, target, args, calls_others: false, is_heavy: false, most }
    }

    /// Whether the run makes few calls, or none.
    pub(crate) fn ends_early(&self) -> bool {
        matches!(self.place, Place::Connection | Place::Tokens) || self.args.contains(&"--only")
    }

    pub(crate) fn with(mut self, args: &[&'static str]) -> Self {
        self.args.extend(args);
        self
    }

    pub(crate) fn at(self, target: Target) -> Self {
        Self { target, ..self }
    }

    pub(crate) fn heavy(self) -> Self {
        Self { is_heavy: true, most: Duration::from_secs(240), ..self }
    }

    pub(crate) fn calling_others(self) -> Self {
        Self { calls_others: true, ..self }
    }
}
