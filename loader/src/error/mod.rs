//! The errors of building a loader and of running an epoch, and the text of a panic.
//!
//! Errors of a single operation are next to it: of a source's columns and files, of a slot, of resuming.

mod build;
mod io;
mod listed;
mod load;
mod panic;

pub use build::BuildError;
pub use io::IoError;
pub(crate) use listed::listed;
pub use load::LoadError;
pub use panic::panic_message;
