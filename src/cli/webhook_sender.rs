//! Sends what the scripted agent has to tell to webhooks.

use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::task::spawn_local;
use tokio::time::timeout;

use crate::agent::webhooks::WebhookSender;
use crate::host::Transport;

/// How long a webhook may take (1.0 §4.3.3 recommends 10 to 30 seconds).
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends the notifications of every delivery, each delivery beside the others and its notifications in order. A webhook
/// that does not answer is not tried again: every notification is attempted once, as it must be.
pub(super) fn webhook_sender(transport: Rc<dyn Transport>) -> WebhookSender {
    Rc::new(move |mut delivery| {
        let transport = Rc::clone(&transport);
        spawn_local(async move {
            while let Some(request) = delivery.next().await {
                let sent = async {
                    if let Ok(answer) = transport.send(request).await {
                        answer.body.for_each(|_| async {}).await;
                    }
                };
                // Whether it was heard is not the task's business.
                let _ = timeout(PATIENCE, sent).await;
            }
        });
    })
}
