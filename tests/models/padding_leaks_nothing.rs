//! Promise 2, for models: loss and gradients of a padded batch equal those of the same graphs one by one.

use super::seeded;
use graphpack_core::Limits;
use graphpack_loader::{Capacity, Data, Grouping, Loader, Options, Order, Padding, Shapes, molecules};
use graphpack_tch::{TensorBatch, bce_with_logits, mean_pool, sum_pool};
use std::sync::Arc;
use tch::nn::{self, Module};
use tch::{Device, Kind, Tensor};

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
        let [sources, targets] = [0, 1].map(|row| batch.edge_index().unwrap().get(row));
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

/// Returns the loss and the gradients of all parameters, summed over the batches with weights of real graphs /
/// `graphs`.
fn loss_and_gradients(loader: &Loader, graphs: f64) -> (f64, Vec<Tensor>) {
    let mut store = nn::VarStore::new(Device::Cpu);
    let network = {
        let _drawing = seeded(3);
        Network::new(&store.root())
    };
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
        let size = data.size(graph);
        [largest[0].max(size[0]), largest[1].max(size[1])]
    });
    // One graph per batch, in a shape with only the padding that every batch has.
    let (mut sum, mut gradients): (f64, Option<Vec<Tensor>>) = (0.0, None);
    for graph in 0..60 {
        let alone = Data::from(data.clone()).subset(vec![graph]).unwrap();
        let size = data.size(graph as usize).first::<2>().map(|n| n.max(1));
        let loader = Loader::new(alone, Options::default().capacity(Limits::new(size).graphs(1))).unwrap();
        let (loss, new) = loss_and_gradients(&loader, 60.0);
        sum += loss;
        gradients = Some(match gradients {
            None => new,
            Some(old) => old.iter().zip(&new).map(|(old, new)| old + new).collect(),
        });
    }
    let gradients = gradients.unwrap();
    let roomy = Limits::new(largest.map(|n| 5 * n + 13)).graphs(40);
    let options =
        |padding| Options::default().capacity(roomy).padding(padding).order(Order::Shuffled).seed(1).workers(2);
    let loaders = [
        Loader::new(data.clone(), options(Padding::SelfLoops)).unwrap(),
        Loader::new(data.clone(), options(Padding::TwoNodes).packs(3)).unwrap(),
        Loader::new(
            data.clone(),
            options(Padding::SelfLoops).capacity(Capacity::exactly(4)).grouping(Grouping::InOrder),
        )
        .unwrap(),
        Loader::new(
            data.clone(),
            options(Padding::TwoNodes)
                .capacity(Capacity::exactly(7))
                .grouping(Grouping::InOrder)
                .shapes(Shapes::PowerOfTwo),
        )
        .unwrap(),
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
