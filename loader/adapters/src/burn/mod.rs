//! burn: [`BurnLoader`] is its `DataLoader`, [`BurnBatch`] is what that gives.

mod batch;
mod dtypes;
mod error;
mod loader;
mod upload;
#[cfg(feature = "wgpu")]
mod views;

pub use batch::BurnBatch;
pub use error::BurnError;
pub use loader::BurnLoader;
