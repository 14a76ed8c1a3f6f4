//! The models of the batching study on real molecules: an energy does not depend on the way of batching, and the models
//! learn from real targets.

use super::seeded;
use graphpack_core::Packer;
use graphpack_formats::{Fields, Pieces};
use graphpack_loader::{
    Capacity, Data, Edges, Estimate, Grouping, Loader, Options, Order, Oversize, Padding, Shapes, Store, clusters,
};
use graphpack_tch::{TensorBatch, mse};
use laboratory::{Model, ModelName};
use std::path::PathBuf;
use std::sync::Arc;
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind};

const NAMES: [ModelName; 3] = [ModelName::Schnet, ModelName::Mpeu, ModelName::Painn];
const ELEMENTS: [u8; 5] = [1, 6, 7, 8, 9];
const STEPS: usize = 210;

/// Returns molecules of QM9 with their binding energies, or generated clusters where the data are missing.
fn structures(count: usize, edges: Edges) -> Arc<Store> {
    Arc::new(Store::collect(Data::from(atoms(count)).connect(edges).unwrap()).unwrap())
}

fn atoms(count: usize) -> Store {
    let data = std::env::var_os("GRAPHPACK_DATA").map_or_else(|| "../../../shared/data".into(), PathBuf::from);
    if !data.is_dir() {
        return clusters::generate(1, count);
    }
    let rename = vec![("binding_energy".into(), "y".into())];
    let fields = Fields { rename, double: Some(false), ..Fields::default() };
    let molecules = Pieces::open(data.join("qm9/qm9_10k.xyz.gz"), &fields).unwrap();
    let targets = data.join("qm9/qm9_10k_targets.csv.gz");
    let molecules = molecules.with_targets(targets, &["binding_energy"]).unwrap().first(count).read().unwrap();
    molecules.with_names(|name| ["z", "pos", "y"].contains(&name).then(|| name.to_owned())).unwrap()
}

fn model(name: ModelName, width: i64) -> (nn::VarStore, Model) {
    let _drawing = seeded(1);
    let variables = nn::VarStore::new(Device::Cpu);
    let model = Model::new(name, &variables.root(), width, &ELEMENTS).unwrap();
    (variables, model)
}

#[test]
fn energies_do_not_depend_on_batching() {
    let few = structures(300, Edges::Nearest(24));
    NAMES.into_iter().for_each(|name| same_energies(name, &few));
}

#[test]
#[ignore = "takes most of a minute: cargo xtask lab test -- --ignored"]
fn models_learn() {
    let all = structures(10_000, Edges::FullyConnected);
    NAMES.into_iter().for_each(|name| learns(name, &all));
}

fn same_energies(name: ModelName, data: &Arc<Store>) {
    let (_variables, model) = model(name, 32);
    let _guard = tch::no_grad_guard();
    let energies = |options: Options, padding| {
        let options = options.padding(padding).order(Order::Shuffled).seed(1);
        let mut energies = vec![f64::NAN; 300];
        for batch in Loader::new(data.clone(), options).unwrap().epoch(0) {
            let batch = TensorBatch::new(batch.unwrap(), Device::Cpu).unwrap();
            let found = model.forward(&batch).unwrap().reshape([-1]).to_kind(Kind::Double);
            let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
            for (id, energy) in ids.iter().zip(Vec::<f64>::try_from(&found).unwrap()).filter(|(id, _)| **id >= 0) {
                energies[*id as usize] = energy;
            }
        }
        energies
    };
    let alone = energies(Options::exactly(1), Padding::SelfLoops);
    let scale = alone.iter().fold(0.0_f64, |scale, energy| scale.max(energy.abs()));
    assert!(scale > 0.0 && alone.iter().all(|energy| energy.is_finite()), "{name:?}");
    let estimated = || Options::default().capacity(Capacity::estimate(Estimate::Jraph, 16));
    let exact = |set: &str, rows, graphs| {
        Options::rows(&[(set, rows)], graphs).grouping(Grouping::InOrder).shapes(Shapes::Exact)
    };
    let ways = [
        ("packed", estimated().grouping(Packer::Demand)),
        ("window", estimated().grouping(Grouping::Window(8))),
        ("dynamic", estimated().grouping(Grouping::InOrder)),
        ("static-constant", Options::exactly(15)),
        ("static-64", Options::exactly(15).shapes(Shapes::Multiple(64))),
        ("static-2^N", Options::exactly(15).shapes(Shapes::PowerOfTwo)),
        ("node-budget", exact("nodes", 300, u32::MAX)),
        ("edge-budget", exact("edges", 4000, u32::MAX)),
        ("graphs-or-nodes", exact("nodes", 200, 15).oversize(Oversize::Alone)),
    ];
    for (way, options) in ways {
        for padding in [Padding::SelfLoops, Padding::TwoNodes] {
            for (graph, (found, expected)) in energies(options.clone(), padding).iter().zip(&alone).enumerate() {
                let difference = (found - expected).abs();
                assert!(difference <= 1e-5 * scale, "{name:?}, {way}: graph {graph} has {found}, alone {expected}");
            }
        }
    }
}

fn learns(name: ModelName, data: &Arc<Store>) {
    let (variables, model) = model(name, 16);
    let mut optimizer = nn::Adam::default().build(&variables, 2e-3).unwrap();
    let y = data.values::<f32>("y").unwrap();
    let mean = y.iter().map(|&y| f64::from(y)).sum::<f64>() / y.len() as f64;
    let deviation = (y.iter().map(|&y| (f64::from(y) - mean).powi(2)).sum::<f64>() / y.len() as f64).sqrt();
    let options = Options::default().grouping(Grouping::InOrder).capacity(Capacity::estimate(Estimate::Jraph, 16));
    let loader = Loader::new(data.clone(), options.order(Order::Shuffled).seed(1)).unwrap();
    let losses: Vec<f64> = loader
        .epoch(0)
        .take(STEPS)
        .map(|batch| {
            let batch = TensorBatch::new(batch.unwrap(), Device::Cpu).unwrap();
            let target = (batch.get("y").unwrap() - mean) / deviation;
            let loss = mse(&model.forward(&batch).unwrap(), &target, &batch).unwrap();
            optimizer.backward_step(&loss);
            f64::try_from(&loss).unwrap()
        })
        .collect();
    let third = |part: usize| losses[part * STEPS / 3..(part + 1) * STEPS / 3].iter().sum::<f64>() / (STEPS / 3) as f64;
    assert!(third(2) < 0.9 * third(0), "{name:?}: mean loss {} at first, {} at last", third(0), third(2));
}
