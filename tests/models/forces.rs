//! Forces and stresses by autograd: they are the derivatives of the energy, and padding changes none of them.

use super::{example, lines, number, seeded};
use example_models::{Labels, Losses, Potential, Scale, alloys, vectors};
use graphpack_core::Limits;
use graphpack_loader::{Column, Data, Dtype, Loader, Options, Padding, Schema, Store};
use graphpack_tch::TensorBatch;
use std::sync::Arc;
use tch::nn::VarStore;
use tch::{Device, Kind, Tensor};

const CUTOFF: f64 = 4.0;
const ELEMENTS: [u8; 3] = [13, 29, 47];

/// Adds the edges within the cutoff, found by comparing all with all, and `shift`.
fn connected(atoms: &Store) -> Store {
    let [pos, cells] = ["pos", "cell"].map(|name| atoms.values::<f64>(name).unwrap());
    let (mut node_ptr, mut edge_ptr, mut ends, mut shift) = (vec![0], vec![0], [vec![], vec![]], vec![]);
    for graph in 0..atoms.len() {
        let (first, nodes) = (node_ptr[graph] as usize, atoms.size(graph).unwrap()[0] as usize);
        let cell = &cells[9 * graph..9 * graph + 9];
        let place = |node: usize| &pos[3 * (first + node)..3 * (first + node) + 3];
        let images = if cell[0] > 0.0 { 27 } else { 1 };
        for (target, source) in (0..nodes).flat_map(|target| (0..nodes).map(move |source| (target, source))) {
            for image in 0..images {
                let shifts = [image % 3, image / 3 % 3, image / 9].map(|n| if images == 1 { 0 } else { n - 1 });
                let by = [0, 1, 2].map(|axis| f64::from(shifts[axis]) * cell[4 * axis]);
                let vector = [0, 1, 2].map(|axis| place(source)[axis] + by[axis] - place(target)[axis]);
                let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
                if length > 0.0 && length < CUTOFF {
                    ends[0].push(source as i64);
                    ends[1].push(target as i64);
                    shift.extend(by);
                }
            }
        }
        node_ptr.push((first + nodes) as u64);
        edge_ptr.push(ends[0].len() as u64);
    }
    let schema = Schema::of(&["nodes", "edges"]).index("edge_index", "edges", &["nodes", "nodes"]);
    let schema = atoms.schema().fields().iter().fold(schema, |schema, field| {
        schema.field(&field.name, atoms.schema().level_name(field.level), field.dtype, &[field.width])
    });
    let schema = schema.field("shift", "edges", Dtype::F64, &[3]);
    let mut columns = vec![Column::of(&schema, "z", atoms.values::<i64>("z").unwrap()).unwrap()];
    for name in ["pos", "cell", "energy", "forces", "stress"] {
        columns.push(Column::of(&schema, name, atoms.values::<f64>(name).unwrap()).unwrap());
    }
    for name in ["pbc", "has_stress"] {
        columns.push(Column::of(&schema, name, atoms.values::<bool>(name).unwrap()).unwrap());
    }
    columns.push(Column::of(&schema, "shift", shift).unwrap());
    let order = |column: &Column| schema.position(&column.field().name);
    columns.sort_by_key(order);
    Store::of_sets(schema.clone(), vec![node_ptr, edge_ptr], vec![ends.into()], columns).unwrap()
}

fn one_batch(data: impl Into<Data>, limits: Limits, padding: Padding) -> TensorBatch {
    let batch = Loader::new(data, Options::default().capacity(limits).padding(padding))
        .unwrap()
        .epoch(0)
        .next()
        .unwrap()
        .unwrap();
    TensorBatch::new(batch, Device::Cpu).unwrap()
}

/// A potential in double precision.
fn potential() -> (VarStore, Potential) {
    let _drawing = seeded(1);
    let mut variables = VarStore::new(Device::Cpu);
    let scale = Scale { energy: -1.0, forces: 2.0 };
    let potential = Potential::new(&variables.root(), 16, &ELEMENTS, CUTOFF, scale).unwrap();
    variables.double();
    (variables, potential)
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    Vec::try_from(tensor.detach().reshape([-1]).to_kind(Kind::Double)).unwrap()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
    assert!(scale > 0.0 && scale.is_finite(), "{what}: {scale}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * scale, "{what}: {found}, expected {expected}");
    }
}

fn store() -> Store {
    connected(&alloys::<f64>(1, 12, |number| number).unwrap())
}

#[test]
fn forces_and_stresses_are_derivatives() {
    let store = store();
    let (_variables, potential) = potential();
    let crystal = one_batch(Data::from(store).subset(vec![1]).unwrap(), Limits::new([20, 600]), Padding::SelfLoops);
    let Labels { forces, stress, .. } = potential.forward(&crystal).unwrap();
    let (forces, stress) = (numbers(&forces), numbers(&stress.unwrap()));
    let energy = || numbers(&potential.forward(&crystal).unwrap().energy)[0];
    // The arrays of a batch are its memory: moving an atom here moves it for the next call.
    let change = |name: &str, at: i64, by: f64| {
        let _guard = tch::no_grad_guard();
        let _ = crystal.get(name).unwrap().view([-1]).get(at).f_add_scalar_(by).unwrap();
    };
    let step = 1e-5;
    for at in 0..6 {
        change("pos", at, step);
        let above = energy();
        change("pos", at, -2.0 * step);
        let slope = (above - energy()) / (2.0 * step);
        change("pos", at, step);
        assert!((forces[at as usize] + slope).abs() < 1e-6, "{} and {slope}", forces[at as usize]);
    }
    let (pos, shift) = (crystal.get("pos").unwrap().copy(), crystal.get("shift").unwrap().copy());
    let volume = numbers(&crystal.get("cell").unwrap().get(0).view([3, 3]).det())[0];
    for (row, column) in [(0, 0), (1, 1), (0, 1), (2, 1)] {
        let strained = |by: f64| {
            let _guard = tch::no_grad_guard();
            let strain = Tensor::zeros([3, 3], (Kind::Double, Device::Cpu));
            let _ = strain.get(row).get(column).f_add_scalar_(0.5 * by).unwrap();
            let _ = strain.get(column).get(row).f_add_scalar_(0.5 * by).unwrap();
            for (name, before) in [("pos", &pos), ("shift", &shift)] {
                crystal.get(name).unwrap().shallow_clone().copy_(&(before + before.matmul(&strain)));
            }
        };
        strained(step);
        let above = energy();
        strained(-step);
        let slope = (above - energy()) / (2.0 * step) / volume;
        let found = stress[(3 * row + column) as usize];
        assert!((found - slope).abs() < 1e-6, "{found} and {slope}");
        strained(0.0);
    }
}

#[test]
fn padding_and_neighbours_change_nothing() {
    let store = Arc::new(store());
    let (variables, potential) = potential();
    let gradients = |batch: &TensorBatch| -> (f64, Vec<f64>) {
        let Losses { sum, .. } = potential.losses(batch).unwrap();
        variables.trainable_variables().iter_mut().for_each(Tensor::zero_grad);
        sum.backward();
        (
            sum.double_value(&[]),
            variables.trainable_variables().iter().flat_map(|weights| numbers(&weights.grad())).collect(),
        )
    };
    let rows: (usize, usize) = (0..store.len()).fold((0, 0), |(n, e), graph| {
        let size = store.size(graph).unwrap();
        (n + size[0] as usize, e + size[1] as usize)
    });
    let tight = Limits::new([rows.0 as u32, rows.1 as u32]).graphs(12);
    let padded = Limits::new([rows.0 as u32 + 37, rows.1 as u32 + 911]).graphs(20);
    let expected = gradients(&one_batch(store.clone(), tight, Padding::SelfLoops));
    for padding in [Padding::SelfLoops, Padding::Beyond] {
        let batch = one_batch(store.clone(), padded, padding);
        let found = gradients(&batch);
        assert_close(&[found.0], &[expected.0], 1e-10, "loss");
        assert_close(&found.1, &expected.1, 1e-10, "gradients");
        let together = potential.forward(&batch).unwrap();
        let [energies, forces, stresses] =
            [&together.energy, &together.forces, together.stress.as_ref().unwrap()].map(numbers);
        let [ids, ptr] = [batch.graph_ids(), batch.ptr().unwrap()].map(|of| Vec::<i64>::try_from(of).unwrap());
        // An atom of its own has neither forces nor stress: they are compared over all graphs.
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        let (mut found_stress, mut expected_stress) = (Vec::new(), Vec::new());
        for (place, &id) in ids.iter().enumerate().take(batch.real().graphs()) {
            let one = Data::from(store.clone()).subset(vec![id as u32]).unwrap();
            let alone = potential.forward(&one_batch(one, Limits::new([20, 600]), padding)).unwrap();
            assert_close(&energies[place..=place], &numbers(&alone.energy)[..1], 1e-10, "energy");
            let atoms = ptr[place] as usize..ptr[place + 1] as usize;
            found.extend_from_slice(&forces[3 * atoms.start..3 * atoms.end]);
            expected.extend_from_slice(&numbers(&alone.forces)[..3 * atoms.len()]);
            let stress = numbers(&alone.stress.unwrap());
            match store.values::<bool>("has_stress").unwrap()[id as usize] {
                true => {
                    found_stress.extend_from_slice(&stresses[9 * place..9 * place + 9]);
                    expected_stress.extend_from_slice(&stress[..9]);
                }
                false => assert!(stresses[9 * place..9 * place + 9].iter().chain(&stress[..9]).all(|&of| of == 0.0)),
            }
        }
        assert_close(&found, &expected, 1e-10, "forces");
        assert_close(&found_stress, &expected_stress, 1e-10, "stress");
        let between = vectors(&batch, batch.get("pos").unwrap()).unwrap();
        assert!(bool::try_from(between.isfinite().all()).unwrap());
    }
}

#[test]
fn training_on_forces_learns_them() {
    let lines = lines(example("forces", &["--graphs", "200", "--epochs", "6", "--width", "16"]));
    assert_eq!(lines.len(), 6, "{lines:?}");
    for key in ["loss", "train_forces", "valid_loss", "forces"] {
        assert!(number(&lines[5], key) < 0.8 * number(&lines[0], key), "{key}: {lines:?}");
    }
    assert!(number(&lines[5], "stress") > 0.0);
}
