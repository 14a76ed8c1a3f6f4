//! burn: [`BurnLoader`] is its `DataLoader`, [`BurnBatch`] is what that gives.

mod batch;
mod dtypes;
mod loader;
mod upload;

pub use batch::BurnBatch;
pub use dtypes::BurnError;
pub use loader::BurnLoader;
