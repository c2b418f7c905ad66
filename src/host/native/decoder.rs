//! The decoders of content codings, which all work alike: they are given coded bytes and return a bounded piece of what those contain.

use std::io::Write;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};

/// The codings, as they are told.
pub(super) const DECODED_CODINGS: &str = "gzip, deflate and br";

/// How many decoded bytes a decoder is asked for at a time.
const PIECE: usize = 32 * 1024;

/// The data are not what their coding makes.
#[derive(Debug)]
pub(super) struct DamagedData;

/// Decodes one body.
pub(super) trait CodingDecoder {
    /// Decodes from the beginning of these bytes: how many of them were used, and what came out. When neither is anything, more have to
    /// come first.
    fn decode(&mut self, coded: &[u8]) -> Result<(usize, Vec<u8>), DamagedData>;

    /// Whether what comes behind is not part of the data any more.
    fn has_ended(&self) -> bool;

    /// Whether the data may end here.
    fn is_whole(&mut self) -> bool {
        self.has_ended()
    }
}

/// The decoder of the coding of that name (RFC 9110 §8.4.1, RFC 7932). `zstd` is none of them: a stream would come out only at its end.
pub(super) fn decoder(name: &str) -> Option<Box<dyn CodingDecoder>> {
    match name.to_ascii_lowercase().as_str() {
        // RFC 9110 §8.4.1.3: x-gzip is the same.
        "gzip" | "x-gzip" => Some(Box::new(Gzip { member: GzDecoder::new(Vec::new()), has_ended: false })),
        "deflate" => Some(Box::new(Deflate { data: None, has_ended: false })),
        "br" => Some(Box::new(Brotli { state: Box::new(strict_state()), has_ended: false })),
        _ => None,
    }
}

/// One or more members of gzip (RFC 1952 §2.2). Other bytes behind a member are ignored, as clients do.
struct Gzip {
    member: GzDecoder<Vec<u8>>,
    has_ended: bool,
}

impl CodingDecoder for Gzip {
    fn decode(&mut self, coded: &[u8]) -> Result<(usize, Vec<u8>), DamagedData> {
        if coded.is_empty() || self.has_ended {
            return Ok((0, Vec::new()));
        }
        let mut used = self.member.write(coded).map_err(|_| DamagedData)?;
        let mut piece = std::mem::take(self.member.get_mut());
        if used == 0 {
            self.member.try_finish().map_err(|_| DamagedData)?;
            piece.append(self.member.get_mut());
            self.member = GzDecoder::new(Vec::new());
            // RFC 1952 §2.3.1: a member begins with 31 and 139.
            self.has_ended = coded.first() != Some(&31);
            if self.has_ended {
                return Ok((0, piece));
            }
            used = self.member.write(coded).map_err(|_| DamagedData)?;
        }
        if used == coded.len() {
            // What it keeps back may be the end of an event.
            self.member.flush().map_err(|_| DamagedData)?;
            piece.append(self.member.get_mut());
        }
        Ok((used, piece))
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn is_whole(&mut self) -> bool {
        self.member.try_finish().is_ok()
    }
}

/// The data of zlib (RFC 1950), or without its frame, which some servers leave out (RFC 9110 §8.4.1.2 notes it).
struct Deflate {
    data: Option<Decompress>,
    has_ended: bool,
}

impl CodingDecoder for Deflate {
    fn decode(&mut self, coded: &[u8]) -> Result<(usize, Vec<u8>), DamagedData> {
        if self.has_ended || (self.data.is_none() && coded.is_empty()) {
            return Ok((0, Vec::new()));
        }
        // RFC 1950 §2.2: the first byte ends with the method, which is 8. As the beginning of bare data it would be a block with bits set
        // that no encoder sets.
        let has_frame = || coded.first().is_some_and(|first| first & 0x0f == 8);
        let data = self.data.get_or_insert_with(|| Decompress::new(has_frame()));
        let before = data.total_in();
        let mut piece = Vec::with_capacity(PIECE);
        let status = data.decompress_vec(coded, &mut piece, FlushDecompress::None).map_err(|_| DamagedData)?;
        self.has_ended = status == Status::StreamEnd;
        Ok((usize::try_from(data.total_in() - before).unwrap_or_default(), piece))
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }
}

/// The data of brotli (RFC 7932), whose window is at most 16 MB.
struct Brotli {
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    has_ended: bool,
}

fn strict_state() -> BrotliState<StandardAlloc, StandardAlloc, StandardAlloc> {
    BrotliState::new_strict(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default())
}

impl CodingDecoder for Brotli {
    fn decode(&mut self, coded: &[u8]) -> Result<(usize, Vec<u8>), DamagedData> {
        if self.has_ended {
            return Ok((0, Vec::new()));
        }
        let mut piece = vec![0; PIECE];
        let (mut left, mut used, mut room, mut length, mut total) = (coded.len(), 0, PIECE, 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut used,
            coded,
            &mut room,
            &mut length,
            &mut piece,
            &mut total,
            &mut self.state,
        );
        match result {
            BrotliResult::ResultFailure => return Err(DamagedData),
            BrotliResult::ResultSuccess => self.has_ended = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
        }
        piece.truncate(length);
        Ok((used, piece))
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }
}
