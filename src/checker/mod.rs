//! The checker as the page has it: it keeps the record of a run and sends the page messages about it. It is a module of its
//! own (`bin/checker`), so that the page is there at once; this part knows no browser and is tested natively.

mod agent_list;
mod agent_pairs;
mod agent_tables;
mod catalogue;
mod copy_text;
mod fetched_list;
mod given_lines;
mod har;
mod har_file;
mod opened_report;
mod qr_code;
mod run_record;
mod run_records;
mod several_agents;
mod test_files;
mod watched_client;
mod workbench;

pub use agent_list::{catalogue_url, read_list};
pub use catalogue::catalogue;
pub use fetched_list::{LARGEST, card_now, fetch_report, fetch_text, read_catalogue};
pub use har::open_har;
pub use qr_code::qr_code;
pub use run_record::RunRecord;
pub use run_records::RunRecords;
pub use several_agents::{AGENTS_AT_ONCE, SILENCE_MS, SeveralAgents, in_turn};
pub use test_files::{LONGEST, OpenedFiles, OpenedTests};
pub use watched_client::look;
pub use workbench::{Exchanges, Workbench};
