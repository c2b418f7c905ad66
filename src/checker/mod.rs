//! What the page's checker keeps of a run and tells the page of it. The checker is a module of its own (`bin/checker`), so
//! that the page is there at once; this part knows no browser and is tested natively.

mod catalogue;
mod copied;
mod opened;
mod qr;
mod run_record;
mod workbench;

pub use catalogue::catalogue;
pub use qr::qr_code;
pub use run_record::RunRecord;
pub use workbench::{Exchanges, Workbench};
