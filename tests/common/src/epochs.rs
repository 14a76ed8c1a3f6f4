//! The batches of an epoch; an error in it fails the test.

use graphpack_loader::{Batch, Epoch};

/// Returns all batches of an epoch.
pub fn batches(epoch: Epoch) -> Vec<Batch> {
    epoch.collect::<Result<_, _>>().unwrap()
}

/// Returns the numbers of all graphs of an epoch, in its order.
pub fn graph_ids(epoch: Epoch) -> Vec<i64> {
    batches(epoch).iter().flat_map(|batch| batch.graph_ids().to_vec()).collect()
}
