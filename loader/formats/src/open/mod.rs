//! The door: a path, and what is in it.
//!
//! [`format`] names the formats, [`recognise`] finds out which one a file has, [`opened`] is what [`open`] returns;
//! [`convert`] writes files into a store, in [`pieces`].

mod convert;
mod format;
mod opened;
mod pieces;
mod recognise;

pub use convert::{Change, Convert, Converted, Progress};
pub use format::FileFormat;
pub use opened::{Opened, open};
pub use pieces::{Pieces, read};
