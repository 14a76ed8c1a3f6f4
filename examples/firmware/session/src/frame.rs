//! [`Frames`]: finds the frames in the bytes of a line; [`message`]: what a frame holds.
//!
//! A frame is a [`Message`] in postcard and its CRC-32, that of zlib, encoded by COBS, and a zero. So a zero ends every
//! frame, whatever happened to the bytes before it.

use crate::Message;
use crate::planned::{ENTRIES, PACKS, WAITING};
use crc::{CRC_32_ISO_HDLC, Crc};
use heapless::Vec;

/// The checksum of frames.
pub const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The most bytes of a frame without its zero: more than ogbg-molhiv's largest molecule takes, of 222 nodes and 502
/// edges, so that it is refused by its ticket.
pub const FRAME: usize = 5 << 10;

/// Why a frame cannot be read. Its ticket is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It has too many bytes.
    #[error("expected at most {FRAME} bytes, found more")]
    TooLong,
    /// Its bytes are not those that were sent.
    #[error("expected COBS around postcard and its CRC-32, found other bytes")]
    Damaged,
    /// The first frame has no plan, or one that is too large.
    #[error("expected a plan for nodes and edges, of at most {PACKS} packs with {ENTRIES} sizes in all, found none")]
    NoPlan,
    /// More graphs of the plan wait at once than there is memory for.
    #[error("expected a plan of which at most {WAITING} graphs wait at once, found {waiting}")]
    Waiting {
        /// Number of graphs that wait.
        waiting: u64,
    },
    /// The session has a plan.
    #[error("expected a plan in the first frame alone, found another one")]
    SecondPlan,
}

/// Collects the bytes of a line up to the end of a frame.
#[derive(Default)]
pub struct Frames {
    bytes: Vec<u8, FRAME>,
    is_too_long: bool,
    is_complete: bool,
}

impl Frames {
    /// Before the first byte.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), is_too_long: false, is_complete: false }
    }

    /// Takes a byte, and returns the frame that it ends. Nothing between two zeros is no frame.
    pub fn push(&mut self, byte: u8) -> Option<Result<&mut [u8], Unreadable>> {
        if self.is_complete {
            (self.is_too_long, self.is_complete) = (false, false);
            self.bytes.clear();
        }
        if byte != 0 {
            self.is_too_long |= self.bytes.push(byte).is_err();
            return None;
        }
        self.is_complete = true;
        match (self.is_too_long, self.bytes.is_empty()) {
            (true, _) => Some(Err(Unreadable::TooLong)),
            (false, true) => None,
            (false, false) => Some(Ok(&mut self.bytes)),
        }
    }
}

/// Decodes a frame in place.
pub(crate) fn message(frame: &mut [u8]) -> Result<Message<'_>, Unreadable> {
    let bytes = cobs::decode_in_place(frame).map_err(|_| Unreadable::Damaged)?;
    let (sent, bytes) = (CRC.digest(), frame.get(..bytes).unwrap_or_default());
    match postcard::take_from_bytes_crc32(bytes, sent) {
        Ok((message, [])) => Ok(message),
        _ => Err(Unreadable::Damaged),
    }
}
