//! Sends the scripted agent's push notifications to their webhooks.

use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::task::spawn_local;
use tokio::time::timeout;

use crate::agent::WebhookSender;
use crate::host::Transport;

/// How long a webhook may take (1.0 §4.3.3 recommends 10 to 30 seconds).
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends the notifications of each config in order, and those of several configs at the same time. How each was answered it
/// tells the agent, which sends one that failed a second time.
pub(super) fn webhook_sender(transport: Rc<dyn Transport>) -> WebhookSender {
    Rc::new(move |mut notifications, last_status| {
        let transport = Rc::clone(&transport);
        spawn_local(async move {
            while let Some(request) = notifications.next().await {
                let send = async {
                    let answer = transport.send(request).await.ok()?;
                    answer.body.for_each(|_| async {}).await;
                    Some(answer.head.status)
                };
                last_status.set(timeout(WEBHOOK_TIMEOUT, send).await.ok().flatten());
            }
        });
    })
}
