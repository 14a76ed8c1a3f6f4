//! Promise 2, for models of triplets and of several types of nodes: loss and gradients of a padded batch equal those of
//! the same graphs one by one, also where a model divides by distances and differentiates angles.

use super::{example, lines, number, seeded};
use example_models::{Directional, FEATURES, Typed, complexes, elements, with_energies};
use graphpack_loader::{
    Capacity, Data, Edges, Grouping, Limits, Loader, Options, Order, Padding, Shapes, Size, clusters,
};
use graphpack_tch::{TensorBatch, mse};
use tch::nn::{self, VarStore};
use tch::{Device, Kind, Tensor};

/// A network's loss over the real graphs of a batch, and the positions that forces are asked of.
pub(super) type Loss = Box<dyn Fn(&TensorBatch) -> (Tensor, Option<Tensor>)>;

/// The sum over batches of loss x real graphs, the gradients of all weights, and those of each graph's positions, by
/// the number of the graph.
pub(super) fn sums(
    source: impl Into<Data>,
    options: Options,
    network: &dyn Fn(&nn::Path<'_>) -> Loss,
) -> (f64, Vec<Tensor>, Vec<Tensor>) {
    let mut store = VarStore::new(Device::Cpu);
    let loss_of = {
        let _drawing = seeded(3);
        network(&store.root())
    };
    store.double();
    let (mut sum, mut forces) = (0.0, Vec::new());
    for batch in Loader::new(source, options).unwrap().epoch(0) {
        let batch = TensorBatch::new(batch.unwrap(), Device::Cpu).unwrap();
        let (loss, positions) = loss_of(&batch);
        let loss = loss * batch.real().graphs() as f64;
        loss.backward();
        sum += f64::try_from(&loss).unwrap();
        if let Some(positions) = positions {
            let of_graphs = batch.unbatch(&positions.grad()).unwrap();
            let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
            forces.extend(ids.into_iter().zip(of_graphs));
        }
    }
    forces.sort_by_key(|(id, _)| *id);
    let mut gradients: Vec<_> = store.variables().into_iter().map(|(name, weight)| (name, weight.grad())).collect();
    gradients.sort_by(|a, b| a.0.cmp(&b.0));
    let tensors = |named: Vec<(String, Tensor)>| named.into_iter().map(|(_, tensor)| tensor).collect();
    (sum, tensors(gradients), forces.into_iter().map(|(_, force)| force).collect())
}

fn assert_close(found: &[Tensor], expected: &[Tensor]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let difference = f64::try_from((found - expected).norm()).unwrap();
        let norm = f64::try_from(expected.norm()).unwrap();
        assert!(norm.is_finite() && difference <= 1e-6 * norm.max(1e-6), "they differ by {difference} of {norm}");
    }
}

fn squares(prediction: &Tensor, batch: &TensorBatch) -> Tensor {
    mse(prediction, &batch.get("y").unwrap().to_kind(Kind::Double), batch).unwrap()
}

/// Compares padded batches of `source` with its graphs one by one.
fn compare(source: &Data, arrays: &[&str], network: &dyn Fn(&nn::Path<'_>) -> Loss) {
    let options = |options: Options| options.padding(Padding::Beyond).extra(arrays.iter().copied());
    let (mut sum, mut gradients, mut forces) = (0.0, Vec::new(), Vec::new());
    for graph in 0..source.len() as u32 {
        let size = source.size(graph as usize).unwrap();
        let limits = Limits::new(Size::of(size.sets(), |set| size[set].max(1))).graphs(1);
        let alone = Options::default().capacity(limits);
        let alone = alone.padding(Padding::Beyond).extra(arrays.iter().copied());
        let (loss, own, of_positions) = sums(source.subset(vec![graph]).unwrap(), alone, network);
        sum += loss;
        forces.extend(of_positions);
        let add = |(all, one): (&Tensor, &Tensor)| all + one;
        gradients = if gradients.is_empty() { own } else { gradients.iter().zip(&own).map(add).collect() };
    }
    assert!(gradients.iter().all(|gradient| f64::try_from(gradient.norm()).unwrap() > 0.0));
    let loader = || Options::default().order(Order::Shuffled).seed(1).workers(2);
    for batches in [
        loader().capacity(Capacity::graphs(6)),
        loader().capacity(Capacity::graphs(5)).packs(2),
        loader().capacity(Capacity::exactly(4)).grouping(Grouping::InOrder).shapes(Shapes::PowerOfTwo),
    ] {
        let (loss, batched, of_positions) = sums(source, options(batches), network);
        assert!((loss - sum).abs() <= 1e-9 * sum.abs(), "loss {loss}, one by one {sum}");
        assert_close(&batched, &gradients);
        assert_close(&of_positions, &forces);
    }
}

#[test]
fn directional_messages_and_forces_do_not_feel_padding() {
    let atoms = with_energies(clusters::generate(5, 24)).unwrap();
    let elements = elements(&atoms).unwrap();
    let data = Data::from(atoms).connect(Edges::Radius(2.2)).unwrap().triplets().unwrap();
    let network = move |path: &nn::Path<'_>| -> Loss {
        let network = Directional::new(path, 8, &elements).unwrap();
        Box::new(move |batch| {
            let positions = batch.get("pos").unwrap().to_kind(Kind::Double).set_requires_grad(true);
            (squares(&network.forward(batch, &positions).unwrap(), batch), Some(positions))
        })
    };
    compare(&data, &[], &network);
}

#[test]
fn messages_between_proteins_and_ligands_do_not_feel_padding() {
    let data = complexes(7, 24).unwrap().into();
    let network = |path: &nn::Path<'_>| -> Loss {
        let network = Typed::new(path, 8, FEATURES.map(|features| features as i64)).unwrap();
        Box::new(move |batch| {
            let prediction = network.forward(batch, |field| field.to_kind(Kind::Double)).unwrap();
            (squares(&prediction, batch), None)
        })
    };
    compare(&data, &["contacts_batch"], &network);
}

#[test]
fn both_examples_learn() {
    for (name, arguments) in
        [("directional", &["--graphs", "300", "--epochs", "3"][..]), ("typed", &["--graphs", "400"])]
    {
        let lines = lines(example(name, arguments));
        let losses: Vec<f64> = lines.iter().map(|line| number(line, "loss")).collect();
        assert!(losses[losses.len() - 1] < 0.6 * losses[0], "{name}: {losses:?}");
    }
}
