//! [`Bounded`]: a file whose records are not longer than memory should hold.

use std::io::{self, Read};

/// The longest record of csv, in bytes. One that is longer has no end: quotes that are not closed, or no line breaks.
const LONGEST: usize = 1 << 22;

/// A file of which no record may be longer than 4 MiB.
pub(crate) struct Bounded {
    from: Box<dyn Read + Send>,
    /// Bytes that the record may still have.
    left: usize,
    /// Whether the number of quotes so far is odd.
    is_quoted: bool,
}

impl Bounded {
    pub(crate) fn new(from: impl Read + Send + 'static) -> Self {
        Self { from: Box::new(from), left: LONGEST, is_quoted: false }
    }

    /// Whether the number of quotes in all that was read is odd.
    pub(crate) fn is_quoted(&self) -> bool {
        self.is_quoted
    }

    /// The next record begins.
    pub(crate) fn begin_record(&mut self) {
        self.left = LONGEST;
    }
}

impl Read for Bounded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let text = "expected lines of at most 4 MiB, found a longer one, or quotes that are not closed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let bytes = self.from.read(to)?;
        self.left = self.left.saturating_sub(bytes);
        self.is_quoted ^= to[..bytes].iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        Ok(bytes)
    }
}
