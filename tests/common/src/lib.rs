//! What tests of several packages share. Packages above `graphpack-loader` have it as a dev-dependency.

mod data;
mod epochs;
mod faulty;
mod stores;

pub use data::shared_data;
pub use epochs::{batches, graph_ids};
pub use faulty::Faulty;
pub use stores::{sizes, store_of};
