//! burn: [`BurnLoader`] is its `DataLoader`, [`BurnBatch`] is what that gives.

mod batch;
mod loader;

pub use batch::{BurnBatch, BurnError};
pub use loader::BurnLoader;
