//! What can go wrong: a loader that cannot be built, an epoch that cannot go on, what a panic says.
//!
//! Errors of one operation alone are beside it: of a source's columns and files, of a slot, of resuming.

mod build;
mod load;
mod panic;

pub use build::BuildError;
pub use load::LoadError;
pub use panic::panic_message;
