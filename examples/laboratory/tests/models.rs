//! The models of the batching study: parameter counts, symmetries, and energies that do not depend on the batch.

use super::seeded;
use example_models::vectors;
use graphpack_core::Limits;
use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{Column, Data, Level, Loader, Options, Padding, Random, Store};
use graphpack_tch::{TensorBatch, mse};
use laboratory::{Model, ModelName};
use std::sync::Arc;
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const NAMES: [ModelName; 3] = [ModelName::Schnet, ModelName::Mpeu, ModelName::Painn];
const ELEMENTS: [u8; 5] = [1, 6, 7, 8, 9];
/// The width of models whose size does not matter.
const WIDTH: i64 = 32;

type Matrix = [[f64; 3]; 3];

/// Positions and atomic numbers of one molecule.
type Cloud = Vec<([f64; 3], u8)>;

/// 20 clouds of 3 to 12 atoms.
fn clouds() -> Vec<Cloud> {
    let mut random = Random::new(1, 0);
    (0..20)
        .map(|_| {
            let atoms = 3 + (10.0 * random.unit()) as usize;
            (0..atoms)
                .map(|_| {
                    let position = [(); 3].map(|()| 5.0 * random.unit());
                    (position, ELEMENTS[(5.0 * random.unit()) as usize])
                })
                .collect()
        })
        .collect()
}

/// Makes clouds into fully connected graphs. `cells` moves each atom by whole boxes of 7 angstrom, which `shift`
/// undoes.
fn store(clouds: &[Cloud], cells: impl Fn(usize) -> [f64; 3]) -> Store {
    let (mut node_ptr, mut edge_ptr) = (vec![0], vec![0]);
    let mut edge_index = [vec![], vec![]];
    let (mut z, mut pos, mut distance, mut shift, mut y) = (vec![], vec![], vec![], vec![], vec![]);
    for cloud in clouds {
        let mut energy = 0.0;
        for (i, (target, number)) in cloud.iter().enumerate() {
            z.push(i64::from(*number));
            pos.extend((0..3).map(|axis| (target[axis] + 7.0 * cells(i)[axis]) as f32));
            for (j, (source, other)) in cloud.iter().enumerate().filter(|(j, _)| *j != i) {
                let length = (0..3).map(|axis| (source[axis] - target[axis]).powi(2)).sum::<f64>().sqrt();
                edge_index[0].push(j as i64);
                edge_index[1].push(i as i64);
                distance.push(length as f32);
                shift.extend((0..3).map(|axis| (7.0 * (cells(i)[axis] - cells(j)[axis])) as f32));
                energy += f64::from(number % 3 + other % 3) * (-length).exp();
            }
        }
        node_ptr.push(z.len() as u64);
        edge_ptr.push(distance.len() as u64);
        y.push(energy as f32);
    }
    let columns = vec![
        Column::new("z", Level::NODE, 1, z),
        Column::new("pos", Level::NODE, 3, pos).padded(PaddingValue::Positions),
        Column::new("distance", Level::EDGE, 1, distance).padded(PaddingValue::Length),
        Column::new("shift", Level::EDGE, 3, shift),
        Column::new("y", Level::Graph, 1, y),
    ];
    Store::of_columns(node_ptr, edge_ptr, edge_index, columns).unwrap()
}

fn molecules(clouds: &[Cloud]) -> Store {
    store(clouds, |_| [0.0; 3])
}

/// Puts all graphs into one batch with room for padding.
fn one_batch(data: impl Into<Data>, padding: Padding) -> TensorBatch {
    one_batch_of(data, padding, 2500)
}

fn one_batch_of(data: impl Into<Data>, padding: Padding, edges: u32) -> TensorBatch {
    let limits = Limits::new([220, edges]).graphs(24);
    let batch = Loader::new(data, Options::default().capacity(limits).padding(padding))
        .unwrap()
        .epoch(0)
        .next()
        .unwrap()
        .unwrap();
    TensorBatch::new(batch, Device::Cpu).unwrap()
}

/// Makes a model whose weights are the same in every run.
fn model(name: ModelName, width: i64, elements: &[u8]) -> (nn::VarStore, Model) {
    let _drawing = seeded(1);
    let variables = nn::VarStore::new(Device::Cpu);
    let model = Model::new(name, &variables.root(), width, elements).unwrap();
    (variables, model)
}

/// Returns energies in the order of the data set.
fn energies(model: &Model, batch: &TensorBatch) -> Vec<f64> {
    let _guard = tch::no_grad_guard();
    let predicted = Vec::<f64>::try_from(&model.forward(batch).unwrap().reshape([-1]).to_kind(Kind::Double)).unwrap();
    let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
    let mut numbered: Vec<_> = ids.into_iter().zip(predicted).filter(|&(id, _)| id >= 0).collect();
    numbered.sort_by_key(|&(id, _)| id);
    numbered.into_iter().map(|(_, energy)| energy).collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(0.0_f64, |scale, energy| scale.max(energy.abs()));
    assert!(scale > 0.0 && scale.is_finite());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * scale, "{found}, expected {expected} within {tolerance}");
    }
}

fn rotation(random: &mut Random) -> Matrix {
    let quaternion = [(); 4].map(|()| random.unit() - 0.5);
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    let [w, x, y, z] = quaternion.map(|part| part / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Rotates the clouds, then moves them.
fn moved(clouds: &[Cloud], rotation: &Matrix, by: [f64; 3]) -> Vec<Cloud> {
    let moved = |position: [f64; 3]| {
        [0, 1, 2].map(|row: usize| rotation[row].iter().zip(position).map(|(a, b)| a * b).sum::<f64>() + by[row])
    };
    clouds.iter().map(|cloud| cloud.iter().map(|&(position, number)| (moved(position), number)).collect()).collect()
}

#[test]
fn parameters_are_as_counted() {
    let aflow: Vec<u8> = (1..=74).collect();
    let count = |name, width, elements: &[u8]| {
        let (variables, _) = model(name, width, elements);
        variables.trainable_variables().iter().map(Tensor::numel).sum::<usize>()
    };
    let as_set_up = NAMES.map(|name| count(name, name.width(), &aflow));
    assert_eq!(as_set_up, [84_768, 2_553_472, 2_302_209]);
    assert_eq!(NAMES.map(|name| count(name, name.width(), &ELEMENTS)), [80_352, 2_535_808, 2_284_545]);
    assert_eq!(count(ModelName::Mpeu, 64, &ELEMENTS), 173_152);

    let [schnet, mpeu, painn] = NAMES.map(ModelName::published_parameters);
    assert_eq!(schnet, as_set_up[0]);
    assert_eq!(mpeu, as_set_up[1]);
    assert_eq!(painn, count(ModelName::Mpeu, 64, &aflow), "the count that is printed for PaiNN is that of MPEU");
    assert_eq!(NAMES.map(ModelName::name), ["SchNet", "MPEU", "PaiNN"]);
}

#[test]
fn energies_stay_when_molecules_move() {
    let clouds = clouds();
    let mut random = Random::new(2, 0);
    let moved = moved(&clouds, &rotation(&mut random), [3.0, -2.0, 5.0]);
    for name in NAMES {
        let (_variables, model) = model(name, WIDTH, &ELEMENTS);
        let [before, after] =
            [&clouds, &moved].map(|clouds| energies(&model, &one_batch(molecules(clouds), Padding::SelfLoops)));
        assert_close(&after, &before, 1e-4);
    }
}

#[test]
fn energies_depend_on_positions_and_on_elements() {
    let clouds = clouds();
    let (mut stretched, mut replaced) = (clouds.clone(), clouds.clone());
    stretched.iter_mut().for_each(|cloud| cloud[0].0[1] += 0.5);
    replaced.iter_mut().for_each(|cloud| cloud[0].1 = if cloud[0].1 == 1 { 6 } else { 1 });
    for name in NAMES {
        let (_variables, model) = model(name, WIDTH, &ELEMENTS);
        let [before, stretched, replaced] = [&clouds, &stretched, &replaced]
            .map(|clouds| energies(&model, &one_batch(molecules(clouds), Padding::SelfLoops)));
        let scale = before.iter().map(|energy| energy.abs()).sum::<f64>() / before.len() as f64;
        for after in [stretched, replaced] {
            let change = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).sum::<f64>() / before.len() as f64;
            assert!(change > 5e-4 * scale, "{}: energies of {scale} change by {change}", name.name());
        }
    }
}

#[test]
fn vectors_of_painn_rotate_with_the_molecule() {
    let clouds = clouds();
    let rotation = rotation(&mut Random::new(3, 0));
    let (_variables, Model::Painn(painn)) = model(ModelName::Painn, WIDTH, &ELEMENTS) else { unreachable!() };
    let _guard = tch::no_grad_guard();
    let features = |clouds: &[Cloud]| {
        let batch = one_batch(molecules(clouds), Padding::SelfLoops);
        let (scalars, vectors) = painn.features(&batch, &vectors(&batch, batch.get("pos").unwrap()).unwrap()).unwrap();
        let real = batch.real().nodes() as i64;
        (scalars.narrow(0, 0, real), vectors.narrow(0, 0, real))
    };
    let (scalars, vectors) = features(&clouds);
    let (scalars_after, vectors_after) = features(&moved(&clouds, &rotation, [1.0, 2.0, 3.0]));
    let matrix = Tensor::from_slice(rotation.as_flattened()).to_kind(Kind::Float).reshape([3, 3]);
    let largest = |tensor: &Tensor| f64::try_from(tensor.abs().max()).unwrap();
    for (after, expected) in [(scalars_after, scalars), (vectors_after, matrix.matmul(&vectors))] {
        assert!(largest(&expected) > 0.0);
        assert!(largest(&(&after - &expected)) <= 1e-4 * largest(&expected));
    }
}

#[test]
fn shifts_undo_the_wrapping_of_atoms_into_a_cell() {
    let clouds = clouds();
    let (_variables, model) = model(ModelName::Painn, WIDTH, &ELEMENTS);
    let wrapped = store(&clouds, |atom| [(atom % 2) as f64, -((atom % 3) as f64), 0.0]);
    let before = energies(&model, &one_batch(molecules(&clouds), Padding::SelfLoops));
    assert_close(&energies(&model, &one_batch(wrapped, Padding::SelfLoops)), &before, 1e-4);
}

#[test]
fn energies_are_those_of_molecules_alone() {
    let data = Arc::new(molecules(&clouds()));
    for name in NAMES {
        let (_variables, model) = model(name, WIDTH, &ELEMENTS);
        let alone: Vec<f64> = (0..data.len() as u32)
            .flat_map(|graph| {
                let size = data.size(graph as usize).unwrap();
                let one = Data::from(data.clone()).subset(vec![graph]).unwrap();
                let loader =
                    Loader::new(one, Options::default().capacity(Limits::new(size.first::<2>()).graphs(1))).unwrap();
                let batch = loader.epoch(0).next().unwrap().unwrap();
                energies(&model, &TensorBatch::new(batch, Device::Cpu).unwrap())
            })
            .collect();
        for padding in [Padding::SelfLoops, Padding::TwoNodes] {
            assert_close(&energies(&model, &one_batch(data.clone(), padding)), &alone, 1e-5);
        }
    }
}

#[test]
fn gradients_are_finite_where_edges_are_padding() {
    // All padding edges end in one node: sums over 60,000 of them in each layer are more than a float holds.
    for (name, edges) in NAMES.into_iter().flat_map(|name| [2500, 60_000].map(|edges| (name, edges))) {
        for padding in [Padding::SelfLoops, Padding::TwoNodes] {
            let (variables, model) = model(name, WIDTH, &ELEMENTS);
            let batch = one_batch_of(molecules(&clouds()), padding, edges);
            assert!(batch.real().edges() < batch.shape().edges());
            let pos = batch.get("pos").unwrap().set_requires_grad(true);
            mse(&model.forward(&batch).unwrap(), batch.get("y").unwrap(), &batch).unwrap().backward();
            let mut gradients: Vec<_> = variables.trainable_variables().iter().map(Tensor::grad).collect();
            if name == ModelName::Painn {
                gradients.push(pos.grad());
            }
            for gradient in gradients {
                assert!(gradient.defined(), "a parameter of {} is not used", name.name());
                let norm = f64::try_from(gradient.norm()).unwrap();
                assert!(norm.is_finite() && norm > 0.0, "gradient {norm} in {}", name.name());
            }
        }
    }
}

#[test]
fn training_reduces_the_loss() {
    for name in NAMES {
        let (variables, model) = model(name, WIDTH, &ELEMENTS);
        let batch = one_batch(molecules(&clouds()), Padding::SelfLoops);
        let mut optimizer = nn::Adam::default().build(&variables, 2e-3).unwrap();
        let mut losses = Vec::new();
        for _ in 0..40 {
            let loss = mse(&model.forward(&batch).unwrap(), batch.get("y").unwrap(), &batch).unwrap();
            optimizer.backward_step(&loss);
            losses.push(f64::try_from(&loss).unwrap());
        }
        let (first, last) = (losses[0], losses[losses.len() - 1]);
        assert!(last < 0.5 * first, "{}: loss {first}, then {last}", name.name());
    }
}
