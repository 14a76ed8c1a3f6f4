//! burn: [`BurnLoader`] is its `DataLoader`, [`BurnBatch`] is what that gives, [`BurnError`] why it does not.

mod batch;
mod dtypes;
mod loader;
mod upload;
#[cfg(feature = "wgpu")]
mod views;

pub use batch::BurnBatch;
pub use loader::BurnLoader;

use graphpack_loader::{Dtype, Error};
use std::{fmt, io};

/// A batch that cannot become tensors, or a tensor that is missing or of another kind.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BurnError {
    /// The batch has no such array, or the source wrote bytes that are not values of its dtype.
    #[error(transparent)]
    Array(#[from] Error),
    /// The array is of another type.
    #[error("array {name:?} has dtype {expected}, asked for {found}")]
    Dtype {
        /// The array.
        name: String,
        /// Its dtype.
        expected: Dtype,
        /// The dtype asked for.
        found: Dtype,
    },
    /// The array has another number of dimensions.
    #[error("array {name:?} has shape {expected:?}, asked for {found} dimensions")]
    Dimensions {
        /// The array.
        name: String,
        /// Its shape.
        expected: Vec<usize>,
        /// The number of dimensions asked for.
        found: usize,
    },
    /// A value does not fit into the dtype that the array has on the device.
    #[error(
        "array {name:?}: expected values of {expected}, its dtype on the device, found {found} at element {element}"
    )]
    Range {
        /// The array.
        name: String,
        /// Its dtype on the device.
        expected: Dtype,
        /// The place of the value in the array.
        element: usize,
        /// The value.
        found: String,
    },
    /// burn panicked while it made tensors, as it does where a device fails.
    #[error("the tensors of a batch could not be made: {0}")]
    Panic(String),
    /// The thread that makes tensors ahead could not be started.
    #[error("cannot start the thread that makes tensors: {0}")]
    Thread(io::Error),
}

/// The message, so that a `main` that returns the error and `unwrap` print it and not its fields.
impl fmt::Debug for BurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
