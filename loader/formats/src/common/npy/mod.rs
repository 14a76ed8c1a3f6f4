//! Arrays as NumPy writes them: a [`Header`] with dtype, order and shape, then the elements.
//!
//! Headers are parsed here because the library for it (`npyz`) allocates and multiplies by the numbers in them before
//! its caller can check these. Errors are texts about the array, to which the caller adds the file's name.

mod header;
mod whole;

pub use header::Header;
pub use whole::read;
