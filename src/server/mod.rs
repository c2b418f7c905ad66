//! The scripted agent over HTTP, for the command line and for the tests of others.

mod agent_server;
mod captured_endpoint;
mod exchange_recorder;
mod listener;
mod served_cards;
mod watch_endpoint;
mod webhook_receiver;
mod webhook_sender;

pub use agent_server::AgentServer;
pub use exchange_recorder::{ExchangeRecorder, ReceivedExchange};
pub use listener::ListenAddress;
pub use served_cards::{ServedCard, served_cards};
pub use watch_endpoint::ClientWatcher;
pub use webhook_receiver::HttpWebhookReceiver;
