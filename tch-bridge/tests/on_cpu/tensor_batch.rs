//! [`TensorBatch`]: its tensors lie in the memory of the batch, and its rows can be given back to their graphs.

use super::one_batch;
use graphpack_loader::{Data, Level, Loader, Options, clusters, molecules};
use graphpack_tch::{Dense, TensorBatch, l1};
use tch::{Device, Kind, Tensor};

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
        let first: usize = (0..id as usize).map(|graph| data.size(graph).unwrap()[0] as usize).sum();
        let nodes = data.size(id as usize).unwrap()[0] as usize;
        assert_eq!(Vec::<i64>::try_from(&rows.reshape([-1])).unwrap(), all[9 * first..9 * (first + nodes)]);
    }
}

#[test]
fn unbatch_by_gives_the_rows_of_any_set() {
    let data = Data::from(molecules::generate(5, 16)).triplets().unwrap();
    let options = Options::graphs(16).extra(["edge_ptr", "triplets_ptr", "triplets_mask"]);
    let loader = Loader::new(data, options).unwrap();
    let batch = TensorBatch::new(loader.epoch(0).next().unwrap().unwrap(), Device::Cpu).unwrap();
    let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
    for (set, name) in [(1, "edge_ptr"), (2, "triplets_ptr")] {
        let ptr = batch.get(name).unwrap();
        let rows = batch.shape().rows(Level::Set(set)) as i64;
        let graphs = batch.unbatch_by(ptr, &Tensor::arange(rows, (Kind::Int64, Device::Cpu))).unwrap();
        assert_eq!(graphs.len(), 16);
        let sizes = ids.iter().map(|&id| i64::from(loader.data().size(id as usize).unwrap()[usize::from(set)]));
        let mut first = 0;
        for (rows, size) in graphs.iter().zip(sizes) {
            assert_eq!(Vec::<i64>::try_from(rows).unwrap(), (first..first + size).collect::<Vec<_>>());
            first += size;
        }
        let error = batch.unbatch_by(ptr, ptr).unwrap_err().to_string();
        assert!(error.contains(&format!("expected {rows} rows, as ptr ends with")), "{error}");
    }
    let error = batch.unbatch_by(batch.edge_index().unwrap(), batch.edge_mask().unwrap()).unwrap_err().to_string();
    assert!(error.contains("one entry more than graphs"), "{error}");
    // Losses and rows side by side take any set, too.
    let mask = batch.get("triplets_mask").unwrap();
    let most = loader.data().sizes().unwrap().take(16).map(|size| size[2]).max().unwrap();
    let dense = Dense::new(batch.get("triplets_ptr").unwrap(), mask, i64::from(most)).unwrap();
    assert_eq!(dense.mask().sum(Kind::Int64), mask.sum(Kind::Int64));
    let ones = Tensor::ones([mask.size1().unwrap(), 2], (Kind::Float, Device::Cpu));
    assert_eq!(f64::try_from(l1(&(&ones * 3), &ones, mask).unwrap()).unwrap(), 2.0);
}

#[test]
fn tensors_on_the_cpu_share_the_batch_s_memory_until_the_last_is_gone() {
    let loader = Loader::new(molecules::generate(5, 200), Options::graphs(8).workers(0)).unwrap();
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

#[test]
fn an_array_that_batches_do_not_carry_is_an_error() {
    let loader = Loader::new(molecules::generate(5, 16), Options::graphs(16).fields(["x"])).unwrap();
    let batch = TensorBatch::new(loader.epoch(0).next().unwrap().unwrap(), Device::Cpu).unwrap();
    assert_eq!(
        batch.edge_index().unwrap_err().to_string(),
        "there is no array \"edge_index\"; there are x, batch, ptr, graph_ids, node_mask, edge_mask, graph_mask"
    );
    assert!(batch.edge_mask().is_ok());
    // Atoms without edges.
    let loader = Loader::new(clusters::generate(5, 16), Options::graphs(16)).unwrap();
    let batch = TensorBatch::new(loader.epoch(0).next().unwrap().unwrap(), Device::Cpu).unwrap();
    assert!(batch.edge_index().is_err() && batch.edge_mask().is_err() && batch.node_mask().is_ok());
}
