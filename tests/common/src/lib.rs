//! What tests of several packages share, for packages that use `graphpack-loader`: generated stores, what a batch of
//! them must hold, a source that fails, the folder of real data sets,
//! files of LMDB.

mod batchings;
mod data;
mod data_sets;
mod faulty;
mod lmdb;
mod naive;
mod schemas;
mod stores;

pub use batchings::{PADDINGS, batches, batchings, fnv, graph_ids, of_packs};
pub use data::{shared_data, test_data};
pub use data_sets::{DataSet, data_sets};
pub use faulty::Faulty;
pub use lmdb::lmdb;
pub use naive::{Arrays, Shaped, arrays, assert_naive, assert_naive_in, least_padding, naive};
pub use schemas::schemas;
pub use stores::{ptr, sizes, store_of};
