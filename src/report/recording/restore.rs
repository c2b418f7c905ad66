//! From a file back to the recording, so that it can be judged again.

use super::types::{
    Encoding, EndKind, JsonBody, JsonEnd, JsonExchange, JsonFlaw, JsonFrame, JsonGrpc, JsonHeader, JsonOddity,
    JsonResponse, JsonTransportErrorKind,
};
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{
    End, Exchange, GrpcAnswer, MessageFlaw, Response, TimedFrame, TransportError, TransportErrorKind,
};
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json::Pointer;
use crate::wire::protobuf::{ProtoFlaw, ProtoFlawKind};
use crate::wire::sse::{Frame, Oddity};

/// Why an exchange of a file cannot be judged again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// A method that this program does not know.
    #[error("exchange {0} has an unknown method")]
    Method(u32),
    /// A body or an event that the file holds only in part.
    #[error("exchange {0} was too large to be written whole")]
    Truncated(u32),
    /// A body that is not base64.
    #[error("a body of exchange {0} is not base64")]
    Base64(u32),
}

impl JsonExchange {
    /// The recording that was written.
    ///
    /// # Errors
    /// [`RestoreError`] when the file does not hold it whole: verdicts over a part of a body would be guesses.
    pub fn restore(&self) -> Result<Exchange, RestoreError> {
        self.read(Truncated::Refused)
    }

    /// As much of the recording as was written: to be shown, not judged.
    ///
    /// # Errors
    /// [`RestoreError`] when it is damaged.
    pub fn restore_for_show(&self) -> Result<Exchange, RestoreError> {
        self.read(Truncated::Kept)
    }

    fn read(&self, cut: Truncated) -> Result<Exchange, RestoreError> {
        let method = Method::parse(&self.request.method).ok_or(RestoreError::Method(self.id))?;
        let body = self.request.body.as_ref().map(|body| body.bytes(self.id, cut)).transpose()?;
        let url = self.request.url.clone();
        Ok(Exchange {
            id: self.id,
            lane: self.lane.clone(),
            scenario: self.scenario.clone(),
            step: self.step.clone(),
            request: Request { method, url, headers: fields(&self.request.headers), body },
            sent_ms: self.sent_ms,
            response: self.response.as_ref().map(|response| response.restore(self.id, cut)).transpose()?,
            end: self.end.restore(),
            end_ms: self.end_ms,
        })
    }
}

/// The treatment of a body or an event of which a file has only the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truncated {
    Refused,
    Kept,
}

impl JsonEnd {
    fn restore(&self) -> End {
        let detail = self.detail.clone().unwrap_or_default();
        match self.kind {
            EndKind::Complete => End::Complete,
            EndKind::HungUp => End::HungUp,
            EndKind::Deadline => End::Deadline(detail),
            EndKind::TooLarge => End::TooLarge(detail),
            EndKind::Broken => End::Broken(detail),
            EndKind::NoAnswer => {
                let kind = self.trouble.map_or(TransportErrorKind::Other, TransportErrorKind::from);
                End::NoAnswer(TransportError { kind, detail })
            }
        }
    }
}

impl From<JsonTransportErrorKind> for TransportErrorKind {
    fn from(kind: JsonTransportErrorKind) -> Self {
        match kind {
            JsonTransportErrorKind::Opaque => Self::Opaque,
            JsonTransportErrorKind::BadUrl => Self::BadUrl,
            JsonTransportErrorKind::Unreachable => Self::Unreachable,
            JsonTransportErrorKind::Tls => Self::Tls,
            JsonTransportErrorKind::Closed => Self::Closed,
            JsonTransportErrorKind::Redirect => Self::Redirect,
            JsonTransportErrorKind::Other => Self::Other,
        }
    }
}

impl JsonResponse {
    fn restore(&self, id: u32, cut: Truncated) -> Result<Response, RestoreError> {
        Ok(Response {
            status: self.status,
            headers: fields(&self.headers),
            url: self.url.clone(),
            redirected: self.redirected,
            head_ms: self.head_ms,
            body: self.body.as_ref().map_or(Ok(Vec::new()), |body| body.bytes(id, cut))?,
            bytes: self.bytes,
            frames: self.frames.iter().map(|frame| frame.restore(id, cut)).collect::<Result<_, _>>()?,
            // A kind that a later version of this program may know says nothing to this one.
            oddities: self.oddities.iter().filter_map(JsonOddity::restore).collect(),
            comments: self.comments,
            grpc: self.grpc.as_ref().map(|grpc| Box::new(grpc.restore())),
        })
    }
}

impl JsonGrpc {
    fn restore(&self) -> GrpcAnswer {
        GrpcAnswer {
            streams: self.streams,
            trailers: self.trailers.as_deref().map(fields),
            flaws: self.flaws.iter().filter_map(JsonFlaw::restore).collect(),
        }
    }
}

impl JsonFlaw {
    fn restore(&self) -> Option<MessageFlaw> {
        let kind = match self.kind.as_str() {
            "malformed" => ProtoFlawKind::Malformed,
            "not-utf8" => ProtoFlawKind::NotUtf8,
            "too-deep" => ProtoFlawKind::TooDeep,
            _ => return None,
        };
        let (expected, actual) = (self.expected.clone(), self.actual.clone());
        Some(MessageFlaw {
            message: self.message,
            flaw: ProtoFlaw { kind, at: Pointer::parse(&self.at)?, expected, actual },
        })
    }
}

impl JsonFrame {
    fn restore(&self, id: u32, cut: Truncated) -> Result<TimedFrame, RestoreError> {
        if self.size.is_some() && cut == Truncated::Refused {
            return Err(RestoreError::Truncated(id));
        }
        let frame = Frame {
            event: self.event.clone(),
            data: self.data.clone(),
            id: self.id.clone(),
            retry: self.retry,
            terminated: self.terminated,
        };
        Ok(TimedFrame { at_ms: self.at_ms, frame })
    }
}

impl JsonOddity {
    fn restore(&self) -> Option<Oddity> {
        let detail = self.detail.clone().unwrap_or_default();
        let limit = self.limit.unwrap_or_default();
        Some(match self.kind.as_str() {
            "byte-order-mark" => Oddity::ByteOrderMark,
            "invalid-utf8" => Oddity::InvalidUtf8,
            "unknown-field" => Oddity::UnknownField(detail),
            "bad-retry" => Oddity::BadRetry(detail),
            "nul-in-id" => Oddity::NulInId,
            "line-too-long" => Oddity::LineTooLong { limit },
            "event-too-large" => Oddity::EventTooLarge { limit },
            "unterminated" => Oddity::Unterminated,
            _ => return None,
        })
    }
}

fn fields(headers: &[JsonHeader]) -> Headers {
    headers.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect()
}

impl JsonBody {
    fn bytes(&self, id: u32, cut: Truncated) -> Result<Vec<u8>, RestoreError> {
        if self.truncated && cut == Truncated::Refused {
            return Err(RestoreError::Truncated(id));
        }
        match self.encoding {
            Encoding::Utf8 => Ok(self.content.clone().into_bytes()),
            Encoding::Base64 => STANDARD.decode(&self.content).ok_or(RestoreError::Base64(id)),
        }
    }
}
