//! [`Records`]: the graphs of a file, one after the other.

use super::{FormatError, Record};

/// What was read of one record, or why it cannot be read; the outer error is one after which the next record cannot be
/// found.
#[cfg(any(feature = "npz", feature = "ogb"))]
pub(crate) type OfRecord<T> = Result<Result<T, FormatError>, FormatError>;

/// The graphs of a file or folder, one after the other, so that a file may be larger than memory.
pub trait Records: Send {
    /// Reads the next graph into `record`, whatever it held before; returns false at the end.
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError>;

    /// How much of the file was read, and how much there is, in a unit of the reader's own (bytes, rows).
    fn progress(&self) -> (u64, Option<u64>) {
        (0, None)
    }

    /// What was passed over and why, one line each, for the user to see at the end: SMILES that do not parse.
    fn skipped(&self) -> &[String] {
        &[]
    }

    /// The unit of a field of the graphs so far, if the format or the file says it.
    fn unit(&self, _field: &str) -> Option<&str> {
        None
    }

    /// Makes it an error if a graph has one of these fields and it cannot be read, where it would be passed over.
    /// Called before the first graph is read. Only formats that pass fields over do anything.
    fn select(&mut self, _names: &[String]) {}

    /// Whether, after an error, [`next`](Self::next) reads the record after the one that is wrong. By default a file
    /// cannot be read further.
    fn goes_on(&self) -> bool {
        false
    }

    /// Makes a molecule that cannot be read an error from now on. Only formats that pass such over do anything.
    fn be_strict(&mut self) {}
}

impl<R: Records + ?Sized> Records for Box<R> {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        (**self).next(record)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (**self).progress()
    }

    fn skipped(&self) -> &[String] {
        (**self).skipped()
    }

    fn unit(&self, field: &str) -> Option<&str> {
        (**self).unit(field)
    }

    fn select(&mut self, names: &[String]) {
        (**self).select(names);
    }

    fn goes_on(&self) -> bool {
        (**self).goes_on()
    }

    fn be_strict(&mut self) {
        (**self).be_strict();
    }
}
