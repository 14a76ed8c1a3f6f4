//! Promise 2, for models: loss and gradients of a padded batch equal those of the same graphs one by one.

use super::sets::{Loss, sums};
use graphpack_core::Limits;
use graphpack_loader::{Capacity, Data, Grouping, Options, Order, Padding, Shapes, molecules};
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

fn network(path: &nn::Path<'_>) -> Loss {
    let network = Network::new(path);
    Box::new(move |batch| (bce_with_logits(&network.forward(batch), batch.get("y").unwrap(), batch).unwrap(), None))
}

#[test]
fn loss_and_gradients_equal_those_of_single_graphs() {
    let data = Arc::new(molecules::generate(5, 60));
    let largest = (0..60).fold([0, 0], |largest, graph| {
        let size = data.size(graph).unwrap();
        [largest[0].max(size[0]), largest[1].max(size[1])]
    });
    // One graph per batch, in a shape with only the padding that every batch has.
    let (mut sum, mut gradients): (f64, Option<Vec<Tensor>>) = (0.0, None);
    for graph in 0..60 {
        let alone = Data::from(data.clone()).subset(vec![graph]).unwrap();
        let size = data.size(graph as usize).unwrap().first::<2>().map(|n| n.max(1));
        let (loss, new, _) = sums(alone, Options::default().capacity(Limits::new(size).graphs(1)), &network);
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
    let in_order = |padding, graphs| options(padding).capacity(Capacity::exactly(graphs)).grouping(Grouping::InOrder);
    for options in [
        options(Padding::SelfLoops),
        options(Padding::TwoNodes).packs(3),
        in_order(Padding::SelfLoops, 4),
        in_order(Padding::TwoNodes, 7).shapes(Shapes::PowerOfTwo),
    ] {
        let (loss, batched, _) = sums(data.clone(), options, &network);
        assert!((loss - sum).abs() <= 1e-5 * sum.abs(), "loss {loss}, one by one {sum}");
        for (a, b) in batched.iter().zip(&gradients) {
            let difference = f64::try_from((a - b).norm()).unwrap();
            let norm = f64::try_from(b.norm()).unwrap();
            assert!(norm > 0.0 && difference <= 1e-5 * norm, "gradients differ by {difference} of {norm}");
        }
    }
}
