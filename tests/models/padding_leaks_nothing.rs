//! Promise 2, for models: loss and gradients of a padded batch equal those of the same graphs one by one.

use super::seeded;
use graphpack_core::Limits;
use graphpack_loader::{Batching, Column, Level, Loader, Padding, Source, Store, Subset, molecules};
use graphpack_tch::{
    BridgeError, MaskedBatchNorm, TensorBatch, bce_with_logits, masked_mean, mean_pool, mse, sum_pool,
};
use std::sync::Arc;
use tch::nn::{self, Module};
use tch::{Device, Kind, Reduction, Tensor};

/// Two layers of message passing, sum and mean pooling: enough for any padding node, edge or graph to leak through.
struct Network {
    layers: [nn::Linear; 3],
}

impl Network {
    fn new(path: &nn::Path<'_>) -> Self {
        let linear = |name: &str, from, to| nn::linear(path / name, from, to, nn::LinearConfig::default());
        Self { layers: [linear("a", 12, 16), linear("b", 32, 16), linear("c", 32, 1)] }
    }

    fn forward(&self, batch: &TensorBatch) -> Tensor {
        let (sources, targets) = (batch.edge_index().get(0), batch.edge_index().get(1));
        let (x, attr) =
            (batch.get("x").unwrap().to_kind(Kind::Double), batch.get("edge_attr").unwrap().to_kind(Kind::Double));
        let messages = Tensor::cat(&[x.index_select(0, &sources), attr], 1).apply(&self.layers[0]).tanh();
        let h = Tensor::zeros([x.size()[0], 16], (Kind::Double, Device::Cpu)).index_add(0, &targets, &messages);
        let around = h.index_select(0, &sources);
        let both = Tensor::cat(&[h.zeros_like().index_add(0, &targets, &around), h], 1);
        let h = self.layers[1].forward(&both).tanh();
        let pooled = [sum_pool(&h, batch).unwrap(), mean_pool(&h, batch).unwrap()];
        self.layers[2].forward(&Tensor::cat(&pooled, 1))
    }
}

fn store() -> nn::VarStore {
    let mut store = nn::VarStore::new(Device::Cpu);
    store.double();
    store
}

/// Mean loss over the graphs of the loader's batches, and gradients of all parameters, summed over the batches weighted by graphs.
fn loss_and_gradients<S: Source + 'static>(loader: &Loader<S>, graphs: f64) -> (f64, Vec<Tensor>) {
    let mut store = store();
    let drawing = seeded(3);
    let network = Network::new(&store.root());
    drop(drawing);
    store.double();
    let mut sum = 0.0;
    for batch in loader.epoch(0) {
        let batch = TensorBatch::new(batch.unwrap(), Device::Cpu).unwrap();
        let loss = bce_with_logits(&network.forward(&batch), batch.get("y").unwrap(), &batch).unwrap();
        let weighted: Tensor = loss * (batch.real().graphs() as f64 / graphs);
        weighted.backward();
        sum += f64::try_from(&weighted).unwrap();
    }
    let mut gradients: Vec<_> = store.variables().into_iter().map(|(name, variable)| (name, variable.grad())).collect();
    gradients.sort_by(|a, b| a.0.cmp(&b.0));
    (sum, gradients.into_iter().map(|(_, gradient)| gradient).collect())
}

#[test]
fn loss_and_gradients_equal_those_of_single_graphs() {
    let data = Arc::new(molecules::generate(5, 60));
    let largest = (0..60).fold([0, 0], |largest, graph| {
        let size = data.size(graph).0;
        [largest[0].max(size[0]), largest[1].max(size[1])]
    });
    // One graph per batch, in a shape that fits that graph alone: only the padding node and graph that every batch has.
    let (mut sum, mut gradients): (f64, Option<Vec<Tensor>>) = (0.0, None);
    for graph in 0..60 {
        let alone = Subset::new(data.clone(), vec![graph]).unwrap();
        let size = data.size(graph as usize).0.map(|n| n.max(1));
        let loader = Loader::new(alone).limits(Limits::new(size).graphs(1)).build().unwrap();
        let (loss, new) = loss_and_gradients(&loader, 60.0);
        sum += loss;
        gradients = Some(match gradients {
            None => new,
            Some(old) => old.iter().zip(&new).map(|(old, new)| old + new).collect(),
        });
    }
    let gradients = gradients.unwrap();
    let roomy = Limits::new(largest.map(|n| 5 * n + 13)).graphs(40);
    let options = |padding| Loader::new(data.clone()).limits(roomy).padding(padding).shuffle(1).workers(2);
    let loaders = [
        options(Padding::SelfLoops).build().unwrap(),
        options(Padding::TwoNodes).packs_per_batch(3).build().unwrap(),
        options(Padding::SelfLoops).limits(roomy.graphs(4)).batching(Batching::StaticConstant).build().unwrap(),
        options(Padding::TwoNodes).batch_graphs(7).batching(Batching::StaticPow2).build().unwrap(),
    ];
    for loader in loaders {
        let (loss, batched) = loss_and_gradients(&loader, 60.0);
        assert!((loss - sum).abs() <= 1e-5 * sum.abs(), "loss {loss}, one by one {sum}");
        for (a, b) in batched.iter().zip(&gradients) {
            let difference = f64::try_from((a - b).norm()).unwrap();
            let norm = f64::try_from(b.norm()).unwrap();
            assert!(norm > 0.0 && difference <= 1e-5 * norm, "gradients differ by {difference} of {norm}");
        }
    }
}

fn one_batch(data: Store) -> TensorBatch {
    let batch = Loader::new(data).batch_graphs(16).build().unwrap().epoch(0).next().unwrap().unwrap();
    TensorBatch::new(batch, Device::Cpu).unwrap()
}

#[test]
fn masked_batch_norm_equals_batch_norm_of_the_real_rows() {
    let batch = one_batch(molecules::generate(5, 16));
    let store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(&store.root(), 8).unwrap();
    let (rows, real) = (batch.shape().nodes() as i64, batch.real().nodes() as i64);
    assert!(real < rows);
    let _drawing = seeded(1);
    let x = Tensor::randn([rows, 8], (Kind::Float, Device::Cpu)) * 3 + 1;
    let [ours, theirs] = [x.copy().set_requires_grad(true), x.narrow(0, 0, real).copy().set_requires_grad(true)];
    let (mean, var) = (Tensor::zeros([8], (Kind::Float, Device::Cpu)), Tensor::ones([8], (Kind::Float, Device::Cpu)));
    let none: Option<Tensor> = None;
    let expected = theirs.batch_norm(none.as_ref(), none.as_ref(), Some(&mean), Some(&var), true, 0.1, 1e-5, false);
    let found = norm.forward(&ours, batch.node_mask(), true).unwrap();
    let close = |a: &Tensor, b: &Tensor| f64::try_from((a - b).abs().max()).unwrap() < 1e-5;
    assert!(close(&found.narrow(0, 0, real), &expected));
    let weight = Tensor::randn([real, 8], (Kind::Float, Device::Cpu));
    (expected * &weight).sum(Kind::Float).backward();
    (found.narrow(0, 0, real) * &weight).sum(Kind::Float).backward();
    assert!(close(&ours.grad().narrow(0, 0, real), &theirs.grad()));
    assert!(close(
        &ours.grad().narrow(0, real, rows - real),
        &Tensor::zeros([rows - real, 8], (Kind::Float, Device::Cpu))
    ));
    let buffers = store.variables();
    assert!(close(&buffers["running_mean"], &mean) && close(&buffers["running_var"], &var));
    let evaluated = norm.forward(&x, batch.node_mask(), false).unwrap();
    assert!(close(
        &evaluated,
        &x.batch_norm(none.as_ref(), none.as_ref(), Some(&mean), Some(&var), false, 0.1, 1e-5, false)
    ));
}

#[test]
fn masked_batch_norm_keeps_nan_of_padding_out() {
    let batch = one_batch(molecules::generate(5, 16));
    let mut store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(&store.root(), 2).unwrap();
    store.double();
    let (rows, real) = (batch.shape().nodes() as i64, batch.real().nodes() as i64);
    let _drawing = seeded(2);
    let x = Tensor::randn([rows, 2], (Kind::Double, Device::Cpu));
    let _ = x.narrow(0, real, rows - real).fill_(f64::NAN);
    let found = norm.forward(&x, batch.node_mask(), true).unwrap();
    assert!(f64::try_from(found.narrow(0, 0, real).sum(Kind::Double)).unwrap().is_finite());
    let before = store.variables()["running_mean"].copy();
    let nothing = batch.node_mask().zeros_like();
    let _ = norm.forward(&x, &nothing, true).unwrap();
    assert_eq!(before, store.variables()["running_mean"], "a batch of padding alone moves no statistics");
}

#[test]
fn sizes_that_libtorch_would_stretch_are_refused() {
    let batch = one_batch(molecules::generate(5, 16));
    let graphs = batch.shape().graphs() as i64;
    let logits = Tensor::zeros([graphs, 3], (Kind::Float, Device::Cpu));
    for logits in [logits, Tensor::zeros([graphs], (Kind::Float, Device::Cpu))] {
        assert!(bce_with_logits(&logits, batch.get("y").unwrap(), &batch).is_err());
        assert!(mse(&logits, batch.get("y").unwrap(), &batch).is_err());
    }
}

#[test]
fn losses_ignore_padding_and_missing_labels() {
    let y = vec![1.0_f32, f32::NAN, 0.0, 1.0, f32::NAN, f32::NAN];
    let data =
        Store::new(vec![0, 1, 2, 3], vec![0, 0, 0, 0], [vec![], vec![]], vec![Column::new("y", Level::Graph, 2, y)])
            .unwrap();
    let batch = one_batch(data);
    let graphs = batch.shape().graphs() as i64;
    assert!(graphs > 3, "some graphs are padding");
    let logits = Tensor::arange(2 * graphs, (Kind::Float, Device::Cpu)).reshape([graphs, 2]).set_requires_grad(true);
    let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
    let place = |graph: i64| ids.iter().position(|&id| id == graph).unwrap() as i64;
    let labelled: Vec<(i64, f32)> = vec![(2 * place(0), 1.0), (2 * place(1), 0.0), (2 * place(1) + 1, 1.0)];
    let chosen = Tensor::from_slice(&labelled.iter().map(|(at, _)| *at as f32).collect::<Vec<_>>());
    let labels = Tensor::from_slice(&labelled.iter().map(|(_, label)| *label).collect::<Vec<_>>());
    let none: Option<Tensor> = None;
    let found = [
        bce_with_logits(&logits, batch.get("y").unwrap(), &batch).unwrap(),
        mse(&logits, batch.get("y").unwrap(), &batch).unwrap(),
    ];
    let expected = [
        chosen.binary_cross_entropy_with_logits(&labels, none.as_ref(), none.as_ref(), Reduction::Mean),
        chosen.mse_loss(&labels, Reduction::Mean),
    ];
    for (found, expected) in found.iter().zip(&expected) {
        let (found, expected) = (f64::try_from(found).unwrap(), f64::try_from(expected).unwrap());
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "{found}, expected {expected}");
    }
    found[1].backward();
    let touched = i64::try_from(logits.grad().count_nonzero(None)).unwrap();
    assert!(touched <= 3 && !f64::try_from(logits.grad().sum(Kind::Float)).unwrap().is_nan());
    let empty = masked_mean(&logits, &logits.zeros_like().to_kind(Kind::Bool)).unwrap();
    assert_eq!(f64::try_from(empty).unwrap(), 0.0);
}

#[test]
fn pooling_keeps_nan_of_padding_out() {
    let batch = one_batch(molecules::generate(5, 16));
    let x = Tensor::ones([batch.shape().nodes() as i64, 2], (Kind::Float, Device::Cpu));
    let _ = x.narrow(0, batch.real().nodes() as i64, 1).fill_(f64::NAN);
    let means = mean_pool(&x, &batch).unwrap();
    let real = batch.real().graphs() as i64;
    assert_eq!(f64::try_from(means.sum(Kind::Float)).unwrap(), 2.0 * real as f64);
    let sums = sum_pool(&x, &batch).unwrap();
    assert_eq!(f64::try_from(sums.sum(Kind::Float)).unwrap(), 2.0 * batch.real().nodes() as f64);
}

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
        let first: usize = (0..id as usize).map(|graph| data.size(graph).0[0] as usize).sum();
        let nodes = data.size(id as usize).0[0] as usize;
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

#[test]
fn devices_that_are_not_there_are_named() {
    assert!(matches!(graphpack_tch::device("tpu"), Err(BridgeError::Name(_))));
    assert_eq!(graphpack_tch::device("cpu").unwrap(), Device::Cpu);
    match graphpack_tch::device("cuda:99") {
        Err(BridgeError::NoCuda(_) | BridgeError::NoDevice { index: 99, .. }) => {}
        other => panic!("{other:?}"),
    }
}
