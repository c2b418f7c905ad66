//! Reports: a recorder folds the events of a run into one neutral view, and every format is written from that view
//! alone. Nothing here judges a check or counts by a rule of its own, so that all formats agree with the screen.

pub mod builder;
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

pub use builder::{Environment, ReportBuilder};
pub use format::{FileText, Format, file_name, write, write_or_raw};
pub use json::{JsonReport, ReadError, read};
pub use level::{Assessment, ConformanceLevel, LevelReason, Rating};
pub use model::{CheckedRow, LaneReport, Report};
pub use recommend::Recommendation;
pub use spec::spec_url;
pub use verdict::{MustCounts, VerdictWord, headline};
