//! The words of a recording that its writer and its reader share.

use crate::wire::exchange::TransportErrorKind;
use crate::wire::protobuf::ProtoFlawKind;

/// The word for a kind of transport error.
pub(super) const fn trouble_word(kind: TransportErrorKind) -> &'static str {
    match kind {
        TransportErrorKind::Opaque => "opaque",
        TransportErrorKind::BadUrl => "bad-url",
        TransportErrorKind::Unreachable => "unreachable",
        TransportErrorKind::Tls => "tls",
        TransportErrorKind::Closed => "closed",
        TransportErrorKind::Redirect => "redirect",
        TransportErrorKind::Other => "other",
    }
}

/// The word for a flaw in the bytes of a message.
pub(super) const fn flaw_word(kind: ProtoFlawKind) -> &'static str {
    match kind {
        ProtoFlawKind::Malformed => "malformed",
        ProtoFlawKind::NotUtf8 => "not-utf8",
        ProtoFlawKind::TooDeep => "too-deep",
    }
}
