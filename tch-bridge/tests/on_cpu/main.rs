//! What holds on every machine: batches as tensors on the CPU, masked operations, steps. What needs a GPU is tested on
//! simulated ones, in `tests/simulated_gpu/`, and on real ones in `tests/on_gpu/`.

mod build_script;
mod checkpoint;
mod dense;
mod device_loader;
mod graph_results;
mod masked;
mod segments;
mod step;
mod tensor_batch;

use graphpack_loader::{Loader, Options, Store};
use graphpack_tch::TensorBatch;
use tch::Device;

/// The first batch of about 16 graphs.
fn one_batch(data: Store) -> TensorBatch {
    let batch = Loader::new(data, Options::graphs(16)).unwrap().epoch(0).next().unwrap().unwrap();
    TensorBatch::new(batch, Device::Cpu).unwrap()
}
