//! What tests of several packages share, for packages that use `graphpack-loader`: generated stores, a source that
//! fails, the folder of real data sets.

mod batchings;
mod data;
mod epochs;
mod faulty;
mod stores;

pub use batchings::batchings;
pub use data::shared_data;
pub use epochs::{batches, graph_ids};
pub use faulty::Faulty;
pub use stores::{sizes, store_of};
