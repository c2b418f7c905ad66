//! The scripted agent over HTTP, for the command line and for the tests of others.

mod agent_server;
mod beacon_server;
mod captured_endpoint;
mod compressed_answer;
mod connections;
mod exchange_recorder;
mod listener;
mod plain_http;
mod request_body;
mod served_cards;
mod situations;
mod stated_answers;
mod watch_endpoint;
mod webhook_receiver;

pub use agent_server::AgentServer;
pub use beacon_server::{BeaconObserver, BeaconServer};
pub use connections::{ConnectionUse, RequestGuard, WatchedStream};
pub use exchange_recorder::ExchangeRecorder;
pub use listener::{ListenAddress, why_not_there};
pub use request_body::HeldBodies;
pub use served_cards::{moved_cards, served_cards};
pub use situations::{Situation, Situations};
pub use stated_answers::StatedAnswers;
pub use watch_endpoint::ClientWatcher;
pub use webhook_receiver::HttpWebhookReceiver;
