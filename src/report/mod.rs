//! Reports: a builder folds the events of a run into one view, and every format is written from that view alone. Nothing
//! here judges a check or counts by rules of its own, so that all formats agree with the screen.

pub mod assess;
pub mod badge;
pub mod builder;
pub mod checked_row;
pub mod compare;
pub mod ctrf;
pub mod environment;
pub mod finding;
pub mod format;
pub mod grounds;
pub mod har;
pub mod headline;
pub mod html;
pub mod json;
mod json_writer;
pub mod junit;
pub mod lane_report;
pub mod level;
pub mod markdown;
pub mod model;
pub mod must_counts;
mod plain;
pub mod quotes;
pub mod raw;
pub mod recommend;
pub mod recording;
pub mod spec;
pub mod text;
pub mod tool;
pub mod verdict;
mod xml;

pub use builder::ReportBuilder;
pub use checked_row::CheckedRow;
pub use compare::{Comparison, compare};
pub use environment::Environment;
pub use format::{FileText, Format, file_name, write, write_or_raw};
pub use headline::headline;
pub use json::{Declared, JsonReport, ReadError, RestoreReportError, read};
pub use lane_report::LaneReport;
pub use level::{Assessment, ConformanceLevel, LevelReason, Rating};
pub use model::Report;
pub use must_counts::MustCounts;
pub use recommend::Recommendation;
pub use spec::spec_url;
pub use verdict::VerdictWord;
