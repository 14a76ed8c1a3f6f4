//! [`TensorBatch`]: its tensors lie in the memory of the batch, and its rows can be given back to their graphs.

use super::one_batch;
use graphpack_loader::{Loader, Source, molecules};
use graphpack_tch::TensorBatch;
use tch::Device;

#[test]
fn unbatch_gives_the_rows_of_each_graph() {
    let data = molecules::generate(5, 16);
    let batch = one_batch(data.clone());
    let x = batch.get("x").unwrap();
    let graphs = batch.unbatch(x).unwrap();
    let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
    assert_eq!(graphs.len(), 16);
    let all: Vec<i64> = data.values("x").unwrap();
    for (rows, &id) in graphs.iter().zip(&ids) {
        let first: usize = (0..id as usize).map(|graph| data.size(graph)[0] as usize).sum();
        let nodes = data.size(id as usize)[0] as usize;
        assert_eq!(Vec::<i64>::try_from(&rows.reshape([-1])).unwrap(), all[9 * first..9 * (first + nodes)]);
    }
}

#[test]
fn tensors_on_the_cpu_share_the_batch_s_memory_until_the_last_is_gone() {
    let loader = Loader::new(molecules::generate(5, 200)).batch_graphs(8).workers(0).build().unwrap();
    let mut epoch = loader.epoch(0);
    let batch = epoch.next().unwrap().unwrap();
    let address = batch.bytes().as_ptr();
    let batch = TensorBatch::new(batch, Device::Cpu).unwrap();
    assert_eq!(
        batch.get("x").unwrap().data_ptr().cast_const().cast::<u8>(),
        address,
        "the first array starts the memory"
    );
    let kept = batch.get("x").unwrap().shallow_clone();
    let before = kept.copy();
    drop(batch);
    for other in epoch.by_ref().take(5) {
        assert_ne!(other.unwrap().bytes().as_ptr(), address, "memory in use was handed out again");
    }
    assert_eq!(kept, before);
    drop(kept);
    assert!(epoch.any(|batch| batch.unwrap().bytes().as_ptr() == address), "memory was not recycled");
}
