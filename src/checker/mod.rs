//! The checker as the page has it: it keeps the record of a run and sends the page messages about it. It is a module of its
//! own (`bin/checker`), so that the page is there at once; this part knows no browser and is tested natively.

mod catalogue;
mod copied;
mod fetched_list;
mod har;
mod har_file;
mod listed;
mod opened;
mod qr;
mod run_record;
mod several;
mod workbench;

pub use catalogue::catalogue;
pub use fetched_list::read_catalogue;
pub use har::open_har;
pub use listed::{catalogue_url, read_list};
pub use qr::qr_code;
pub use run_record::RunRecord;
pub use several::{AT_ONCE, Several, in_turn};
pub use workbench::{Exchanges, Workbench};
