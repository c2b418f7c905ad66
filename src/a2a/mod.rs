//! A2A itself: the canonical model, the dialects that versions speak, and the bindings that carry them. No I/O.

pub mod binding;
pub mod canonical;
pub mod comparable_task;
pub mod cursor;
pub mod dialect;
pub mod grpc_codec;
pub mod headers;
pub mod itk;
pub mod model;
pub mod proto;
pub mod rule;
pub mod snake_case;
