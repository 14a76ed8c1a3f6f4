//! [`naive`]: what a batch must hold, built the slow way: rows are appended, and indices shifted by what is before.

use graphpack_loader::schema::{Field, PaddingValue};
use graphpack_loader::{Batch, Dtype, Level, Padding, Schema, Shape, Store, f16};
use std::collections::BTreeMap;
use std::iter::repeat;

/// Arrays by their names. An f64 holds all numbers exactly that [`DataSet`](crate::DataSet) makes.
pub type Arrays = BTreeMap<String, Vec<f64>>;

/// Returns every array that a batch of these graphs of `store` may have.
pub fn naive(store: &Store, graphs: &[i64], shape: Shape, padding: Padding) -> Arrays {
    let schema = store.schema();
    let rows = |level, graph: i64| match level {
        Level::Set(set) => store.size(graph as usize).unwrap()[usize::from(set)] as usize,
        Level::Graph => 1,
    };
    let before = |level, place: usize| graphs[..place].iter().map(|&graph| rows(level, graph)).sum::<usize>();
    let real = |level| before(level, graphs.len());
    let mut arrays = Arrays::new();
    for field in schema.fields() {
        let (all, width) = (values(store, field), field.width);
        let mut array = Vec::new();
        for &graph in graphs {
            let first: usize = (0..graph).map(|graph| rows(field.level, graph)).sum();
            array.extend(&all[width * first..width * (first + rows(field.level, graph))]);
        }
        for row in 0..shape.rows(field.level) - real(field.level) {
            array.extend(padding_row(field, padding, row));
        }
        arrays.insert(field.name.clone(), array);
    }
    for index in schema.indices() {
        let mut columns = vec![Vec::new(); index.width()];
        for (c, &target) in index.targets.iter().enumerate() {
            let target = Level::Set(target);
            for (place, &graph) in graphs.iter().enumerate() {
                let local = &store.index(&index.name, graph as usize).unwrap()[c];
                columns[c].extend(local.iter().map(|&row| row as f64 + before(target, place) as f64));
            }
            let free = shape.rows(target) - real(target);
            for r in 0..shape.rows(index.level) - real(index.level) {
                let row = match padding {
                    Padding::Jraph => 0,
                    Padding::SelfLoops => r % free,
                    Padding::TwoNodes if c % 2 == 0 => r % (free / 2 * 2),
                    Padding::TwoNodes => [r + 1, r - r % 2][r % 2] % (free / 2 * 2),
                    Padding::Beyond => r % (free / 3 * 3) / 3 * 3 + (r % 3 + c) % 3,
                    other => panic!("{other:?} needs its rule here"),
                };
                columns[c].push((real(target) + row) as f64);
            }
        }
        arrays.insert(index.name.clone(), columns.concat());
    }
    let numbers = |list: &mut dyn Iterator<Item = usize>| list.map(|number| number as f64).collect::<Vec<_>>();
    let mask = |level| numbers(&mut (0..shape.rows(level)).map(|row| usize::from(row < real(level))));
    for (set, name) in (0..).zip(schema.sets().iter()) {
        let level = Level::Set(set);
        let of_row = graphs.iter().enumerate().flat_map(|(place, &graph)| vec![place; rows(level, graph)]);
        let of_row = numbers(&mut of_row.chain(repeat(graphs.len())).take(shape.rows(level)));
        let starts = (0..=graphs.len()).map(|place| before(level, place));
        let starts = numbers(&mut starts.chain(repeat(shape.rows(level))).take(shape.graphs() + 1));
        let singular = match name.as_str() {
            "nodes" => "node",
            "edges" => "edge",
            other => other,
        };
        arrays.insert(format!("{singular}_mask"), mask(level));
        let prefix = if name == "nodes" { String::new() } else { format!("{singular}_") };
        let pool = (0..shape.graphs()).flat_map(|graph| of_row.iter().map(move |&of| f64::from(of == graph as f64)));
        let real = pool.enumerate().map(|(at, one)| if at / of_row.len() < graphs.len() { one } else { 0.0 });
        arrays.insert(format!("{prefix}pool"), real.collect());
        arrays.insert(format!("{prefix}batch"), of_row);
        arrays.insert(format!("{prefix}ptr"), starts);
    }
    arrays.insert("graph_mask".into(), mask(Level::Graph));
    let ids = graphs.iter().map(|&id| id as f64).chain(repeat(-1.0)).take(shape.graphs());
    arrays.insert("graph_ids".into(), ids.collect());
    arrays
}

/// Returns the least padding rows of each set: of nodes, and of sets that an index points into.
pub fn least_padding(store: &Store, padding: Padding) -> Vec<usize> {
    let rows = match padding {
        Padding::SelfLoops | Padding::Jraph => 1,
        Padding::TwoNodes => 2,
        Padding::Beyond => 3,
        other => panic!("{other:?} needs its rule here"),
    };
    let indices = store.schema().indices();
    let target = |set: u8| indices.iter().any(|index| index.targets.contains(&set));
    let sets = store.schema().sets().iter().zip(0..);
    sets.map(|(name, set)| if name == "nodes" || target(set) { rows } else { 0 }).collect()
}

/// Padding rows hold the number of the field; positions are 100 apart, lengths are 100, cells have unit vectors.
fn padding_row(field: &Field, padding: Padding, row: usize) -> Vec<f64> {
    let row = match padding {
        Padding::TwoNodes => row % 2,
        Padding::Beyond => row % 3,
        _ => 0,
    };
    let is_spread = padding != Padding::Jraph;
    let number = |element: usize| match field.padding {
        PaddingValue::Positions if element + 1 == row => 100.0,
        PaddingValue::Length if is_spread => 100.0,
        PaddingValue::Cell if is_spread && element.is_multiple_of(4) => 1.0,
        PaddingValue::Number(number) => number,
        _ => 0.0,
    };
    (0..field.width).map(number).collect()
}

fn values(store: &Store, field: &Field) -> Vec<f64> {
    let name = &field.name;
    match field.dtype {
        Dtype::F16 => store.values::<f16>(name).unwrap().iter().map(|&value| value.into()).collect(),
        Dtype::F32 => store.values::<f32>(name).unwrap().iter().map(|&value| value.into()).collect(),
        Dtype::F64 => store.values(name).unwrap(),
        Dtype::I64 => store.values::<i64>(name).unwrap().iter().map(|&value| value as f64).collect(),
        Dtype::I32 => store.values::<i32>(name).unwrap().iter().map(|&value| value.into()).collect(),
        Dtype::U8 => store.values::<u8>(name).unwrap().iter().map(|&value| value.into()).collect(),
        Dtype::Bool => store.values::<bool>(name).unwrap().iter().map(|&value| value.into()).collect(),
    }
}

/// Returns the arrays that a batch has.
pub fn arrays(batch: &Batch) -> Arrays {
    let read = |name: &str, dtype| -> Vec<f64> {
        match dtype {
            Dtype::F16 => batch.get::<f16>(name).unwrap().iter().map(|&value| value.into()).collect(),
            Dtype::F32 => batch.get::<f32>(name).unwrap().iter().map(|&value| value.into()).collect(),
            Dtype::F64 => batch.get(name).unwrap().to_vec(),
            Dtype::I64 => batch.get::<i64>(name).unwrap().iter().map(|&value| value as f64).collect(),
            Dtype::I32 => batch.get::<i32>(name).unwrap().iter().map(|&value| value.into()).collect(),
            Dtype::U8 => batch.get::<u8>(name).unwrap().iter().map(|&value| value.into()).collect(),
            Dtype::Bool => batch.get::<bool>(name).unwrap().iter().map(|&value| value.into()).collect(),
        }
    };
    let arrays = batch.layout().arrays().iter();
    arrays.map(|array| (array.name.clone(), read(&array.name, array.dtype))).collect()
}

/// How a batch got its shape, by which it has rows for its padding.
#[derive(Clone, Copy)]
pub enum Shaped {
    /// From limits, or from its own rows.
    Own,
    /// From all batches of a step, in rows of its own or of another.
    Step,
    /// The shape of this number of packs was given.
    Given(usize),
}

/// Fails unless every array of the batch is that of [`naive`], and no padding row has more entries in a column of an
/// index than some row of the data must have.
pub fn assert_naive(batch: &Batch, store: &Store, padding: Padding) {
    assert_naive_in(Shaped::Own, batch, store, padding);
}

/// The same of a batch that got its shape otherwise.
pub fn assert_naive_in(shaped: Shaped, batch: &Batch, store: &Store, padding: Padding) {
    if padding != Padding::Jraph {
        assert_spread(shaped, batch, store, padding);
    }
    let expected = naive(store, batch.graph_ids(), batch.shape(), padding);
    for (name, found) in arrays(batch) {
        assert_eq!(Some(&found), expected.get(&name), "{name} of batch {}", batch.step());
    }
}

fn assert_spread(shaped: Shaped, batch: &Batch, store: &Store, padding: Padding) {
    let rows = |level, graph| match level {
        Level::Set(set) => store.size(graph).unwrap()[usize::from(set)] as usize,
        Level::Graph => 1,
    };
    let in_groups = if padding == Padding::SelfLoops { 0 } else { 2 };
    let most_of_data = |from, to| {
        let entries = |graph| rows(from, graph).div_ceil(rows(to, graph).max(1));
        (0..store.len()).map(entries).fold(1, usize::max)
    };
    let most = |from, to| most_of_data(from, to).max(in_groups);
    let excused = match shaped {
        // A batch without graphs that cannot be loaded keeps the shape that it has with them.
        Shaped::Own => {
            let is_rounded = is_rounded(batch, &least_padding(store, padding)) || !batch.failed().is_empty();
            has_circle(store.schema()) && is_rounded
        }
        Shaped::Step => has_circle(store.schema()) && is_rounded(batch, &[]),
        // Each set has room for the largest graph beside the padding rows that all its entries may need.
        Shaped::Given(packs) => store.schema().indices().iter().any(|index| {
            index.targets.iter().map(|&set| Level::Set(set)).any(|to| {
                let padded = batch.shape().rows(index.level).div_ceil(most_of_data(index.level, to)) + in_groups;
                let largest = (0..store.len()).map(|graph| rows(to, graph)).max().unwrap_or(0);
                batch.shape().rows(to).saturating_sub(padded) < packs * (largest + 3)
            })
        }),
    };
    for index in store.schema().indices() {
        for target in index.targets.iter().map(|&set| Level::Set(set)) {
            let most = most(index.level, target);
            let free = |level| batch.shape().rows(level) - batch.real().rows(level);
            let used = match padding {
                Padding::TwoNodes => free(target) / 2 * 2,
                Padding::Beyond => free(target) / 3 * 3,
                _ => free(target),
            };
            assert!(
                free(index.level).div_ceil(used.max(1)) <= most || excused,
                "{}: {} entries point to {used} padding rows, at most {most} to each are allowed, in batch {} of {}",
                index.name,
                free(index.level),
                batch.step(),
                batch.shape(),
            );
        }
    }
}

/// Whether the rows of all sets are rounded up: the real ones and these padding rows, or any without them.
fn is_rounded(batch: &Batch, least: &[usize]) -> bool {
    let (real, all) = (batch.real(), batch.shape());
    let by = |rounding: fn(usize) -> usize| {
        let rows = |set: usize| least.get(set).map_or(all.sets()[set], |least| real.sets()[set] + least);
        (0..all.sets().len()).all(|set| rounding(rows(set)) == all.sets()[set])
    };
    by(|rows| rows.next_multiple_of(64)) || by(usize::next_power_of_two)
}

/// Whether indices lead from a set back to it: no rounded shape may then have the rows that padding needs.
fn has_circle(schema: &Schema) -> bool {
    let sets = schema.sets().len();
    let mut leads = vec![vec![false; sets]; sets];
    for index in schema.indices() {
        if let Level::Set(from) = index.level {
            index.targets.iter().for_each(|&to| leads[usize::from(from)][usize::from(to)] = true);
        }
    }
    for by in 0..sets {
        for from in 0..sets {
            for to in 0..sets {
                leads[from][to] |= leads[from][by] && leads[by][to];
            }
        }
    }
    (0..sets).any(|set| leads[set][set])
}
