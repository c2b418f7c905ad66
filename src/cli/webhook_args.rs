//! The arguments that say where push notifications arrive.

use std::rc::Rc;

use clap::Args;

use crate::host::Host;
use crate::server::HttpWebhookReceiver;
use crate::wire::url::{Url, UrlProblem};

// No doc comment: clap would show it as the description of the command.
#[derive(Debug, Args, Default)]
pub(super) struct WebhookArgs {
    /// Listen at this address for the agent's push notifications, and judge them [default: a free port of this machine, for an
    /// agent on this machine]
    #[arg(long, value_name = "ADDRESS")]
    webhook_listen: Option<String>,
    /// The URL under which the agent reaches that address, such as that of a tunnel
    #[arg(long, value_name = "URL", requires = "webhook_listen", value_parser = url)]
    webhook_url: Option<String>,
    /// Do not listen for push notifications of an agent on this machine
    #[arg(long, conflicts_with = "webhook_listen")]
    no_webhooks: bool,
}

/// A free port of this machine, which nobody else reaches.
const FREE_PORT: &str = "127.0.0.1:0";

fn url(text: &str) -> Result<String, UrlProblem> {
    Url::parse(text).map(|_| text.to_owned())
}

impl WebhookArgs {
    /// The host with a receiver of push notifications; it listens as soon as an agent is given its address.
    pub(super) fn receiving(&self, host: Host) -> Host {
        if self.no_webhooks {
            return host;
        }
        let address = self.webhook_listen.clone().unwrap_or_else(|| FREE_PORT.to_owned());
        let receiver = HttpWebhookReceiver::new(&host, address, self.webhook_url.clone());
        Host { webhooks: Some(Rc::new(receiver)), ..host }
    }
}
