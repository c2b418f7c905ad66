//! Reports: a recorder folds the events of a run into one neutral view, and every format is written from that view
//! alone. Nothing here judges a check or counts by a rule of its own, so that all formats agree with the screen.

pub mod fold;
pub mod format;
pub mod json;
pub mod junit;
pub mod level;
pub mod markdown;
pub mod model;
pub mod raw;
pub mod recommend;
pub mod recording;
pub mod spec;
pub mod text;
pub mod verdict;

pub use fold::{Environment, Recorder};
pub use format::{Format, Written, file_name, write, write_or_raw};
pub use json::{JsonReport, ReadError, read};
pub use level::{Assessment, ConformanceLevel, Rating, Reason};
pub use model::{Checked, LaneReport, Report};
pub use recommend::Recommendation;
pub use spec::spec_url;
pub use verdict::{Musts, Word, headline};
