//! [`Statistics`]: mean, variance and RMS of fields, numbers of neighbours and energies of elements, which networks are
//! scaled and shifted by. `least_squares` has the energies.

mod least_squares;

use crate::error::Error;
use crate::layout::{Dtype, Field, Level, Size};
use crate::source::{Data, Store};
use half::f16;
use least_squares::LeastSquares;
use serde::Serialize;
use std::collections::BTreeMap;
use std::iter;

/// How many graphs are in memory at once.
const AT_ONCE: u32 = 4096;

/// What networks are scaled and shifted by. Figures have 64 bits, and are the same for any number of threads.
///
/// ```
/// use graphpack_loader::{Data, molecules};
///
/// let statistics = Data::from(molecules::generate(7, 1000)).statistics("z", "energy")?;
/// let (y, neighbours) = (&statistics.fields["y"], statistics.neighbours["edge_index"]);
/// assert_eq!(y.values, 1000);
/// assert!(y.variance[0] > 0.0 && neighbours > 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Number of graphs.
    pub graphs: u64,
    /// For each index of two columns of a set, such as `edge_index`: how many entries end at a row of the set that its
    /// second column points into, on average over all rows, those without any included.
    pub neighbours: BTreeMap<String, f64>,
    /// Fields of numbers, of graphs or of any set, without those of bools.
    pub fields: BTreeMap<String, FieldStatistics>,
    /// For each element the energy of one node, in the unit of the energies: those whose sums over the nodes of a graph
    /// are nearest to the energies of graphs, by least squares. Empty without fields of these names, one integer for
    /// each row of a set and one number for each graph, and with more than 256 elements.
    pub energies: BTreeMap<i64, f64>,
    /// Elements whose energies do not follow from the data, as where two always come in one ratio. Of the energies that
    /// fit equally well these have the smallest sum of squares.
    pub undetermined: Vec<i64>,
}

/// Figures of a field, each column for itself. Values that graphs lack, as `has_NAME` says, or that are NaN or infinite,
/// do not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldStatistics {
    /// Number of values that count, of all columns.
    pub values: u64,
    /// Number of values that do not.
    pub missing: u64,
    /// The mean of each column, 0 without values.
    pub mean: Vec<f64>,
    /// The mean squared deviation from the mean, of each column.
    pub variance: Vec<f64>,
    /// The root of the mean square of the values of all columns, as of forces.
    pub rms: f64,
}

impl Data {
    /// Reads all graphs once, as they are in epoch 0 with seed 0, and returns their [`Statistics`]. `elements` is the
    /// field of atomic numbers, usually `"z"`, and `energy` that of energies of graphs. Errors at the first graph that
    /// cannot be loaded, or if graphs are drawn again for each epoch.
    pub fn statistics(&self, elements: &str, energy: &str) -> Result<Statistics, Error> {
        // A subset counts graphs by 32 bits, as all loaders do.
        let graphs = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let piece = |first: u32| {
            let numbers: Vec<u32> = (first..graphs.min(first.saturating_add(AT_ONCE))).collect();
            Store::collect(self.subset(numbers)?)
        };
        Statistics::of_stores((0..graphs).step_by(AT_ONCE as usize).map(piece), elements, energy)
    }
}

impl Statistics {
    /// Returns those of all graphs of several stores, with fields as [`Data::statistics`] has them. Errors at the first
    /// store that is an error.
    pub fn of_stores<E: From<Error>>(
        stores: impl IntoIterator<Item = Result<Store, E>>,
        elements: &str,
        energy: &str,
    ) -> Result<Self, E> {
        let (mut all, mut fields) = (Self::default(), BTreeMap::<String, Vec<Moments>>::new());
        // Entries and rows of each index.
        let (mut neighbours, mut sums) = (BTreeMap::<String, (u64, u64)>::new(), LeastSquares::default());
        for store in stores {
            let store = store?;
            let schema = store.schema();
            all.graphs += store.len() as u64;
            for field in schema.fields().iter().filter(|field| field.dtype != Dtype::Bool) {
                let columns = fields.entry(field.name.clone()).or_default();
                columns.resize_with(columns.len().max(field.width), Moments::default);
                read(&store, field, |_, column, value| columns[column].add(value))?;
            }
            let rows = |set: Level| store.sizes().map(|size| rows_of(size, set) as u64).sum::<u64>();
            for index in schema.indices().iter().filter(|index| index.width() == 2 && index.level != Level::Graph) {
                let (entries, targets) = neighbours.entry(index.name.clone()).or_default();
                *entries += rows(index.level);
                *targets += rows(Level::Set(index.targets[1]));
            }
            add_energies(&store, elements, energy, &mut sums)?;
        }
        let mean = |(name, (entries, rows)): (String, (u64, u64))| (name, entries as f64 / rows.max(1) as f64);
        all.neighbours = neighbours.into_iter().map(mean).collect();
        all.fields = fields.into_iter().map(|(name, columns)| (name, FieldStatistics::of(&columns))).collect();
        (all.energies, all.undetermined) = sums.solve().unwrap_or_default();
        Ok(all)
    }
}

impl FieldStatistics {
    fn of(columns: &[Moments]) -> Self {
        let values: u64 = columns.iter().map(|column| column.values).sum();
        let squares: f64 =
            columns.iter().map(|column| column.squares + column.values as f64 * column.mean * column.mean).sum();
        Self {
            values,
            missing: columns.iter().map(|column| column.missing).sum(),
            mean: columns.iter().map(|column| column.mean).collect(),
            variance: columns.iter().map(|column| column.squares / column.values.max(1) as f64).collect(),
            rms: (squares / values.max(1) as f64).sqrt(),
        }
    }
}

/// Mean and sum of squared deviations of the values of a column (Welford 1962).
#[derive(Default)]
struct Moments {
    values: u64,
    missing: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: Option<f64>) {
        let Some(value) = value else {
            self.missing += 1;
            return;
        };
        self.values += 1;
        let off = value - self.mean;
        self.mean += off / self.values as f64;
        self.squares += off * (value - self.mean);
    }
}

/// Number of rows of a set of a graph; 1 for the graph itself.
fn rows_of(size: Size, level: Level) -> usize {
    match level {
        Level::Graph => 1,
        Level::Set(set) => size[usize::from(set)] as usize,
    }
}

/// Calls `each` with the graph, the column and the value of each number of a field, in their order; `None` for one that
/// is missing.
fn read(store: &Store, field: &Field, mut each: impl FnMut(usize, usize, Option<f64>)) -> Result<(), Error> {
    let (values, width) = (numbers(store, field)?, field.width.max(1));
    let mask = store.schema().fields().iter().find(|other| other.masks(field));
    let has = mask.map(|mask| store.values::<bool>(&mask.name)).transpose()?;
    let graphs = store.sizes().enumerate().flat_map(|(graph, size)| iter::repeat_n(graph, rows_of(size, field.level)));
    for ((row, values), graph) in values.chunks(width).enumerate().zip(graphs) {
        for (column, &value) in values.iter().enumerate() {
            let is_there = match (mask, &has) {
                (Some(mask), Some(has)) => {
                    let row = if mask.level == Level::Graph { graph } else { row };
                    has.get(row * mask.width + if mask.width > 1 { column } else { 0 }) != Some(&false)
                }
                _ => true,
            };
            each(graph, column, Some(value).filter(|value| is_there && value.is_finite()));
        }
    }
    Ok(())
}

/// Copies all elements of a field.
fn numbers(store: &Store, field: &Field) -> Result<Vec<f64>, Error> {
    let name = &field.name;
    Ok(match field.dtype {
        Dtype::F16 => store.values::<f16>(name)?.into_iter().map(f64::from).collect(),
        Dtype::F32 => store.values::<f32>(name)?.into_iter().map(f64::from).collect(),
        Dtype::F64 => store.values(name)?,
        // Beyond 2^53 integers are rounded.
        Dtype::I64 => store.values::<i64>(name)?.into_iter().map(|value| value as f64).collect(),
        Dtype::I32 => store.values::<i32>(name)?.into_iter().map(f64::from).collect(),
        Dtype::U8 => store.values::<u8>(name)?.into_iter().map(f64::from).collect(),
        Dtype::Bool => store.values::<bool>(name)?.into_iter().map(f64::from).collect(),
    })
}

/// Adds the graphs that have an energy and an element for each node.
fn add_energies(store: &Store, elements: &str, energy: &str, sums: &mut LeastSquares) -> Result<(), Error> {
    let field = |name: &str| store.schema().fields().iter().find(|field| field.name == name && field.width == 1);
    let (Some(elements), Some(energy)) = (field(elements), field(energy)) else { return Ok(()) };
    let is_integer = matches!(elements.dtype, Dtype::I64 | Dtype::I32 | Dtype::U8);
    if !is_integer || elements.level == Level::Graph || energy.level != Level::Graph {
        return Ok(());
    }
    let mut energies = vec![None; store.len()];
    read(store, energy, |graph, _, value| energies[graph] = value)?;
    let mut nodes = vec![BTreeMap::<i64, f64>::new(); store.len()];
    read(store, elements, |graph, _, element| match element {
        Some(element) => *nodes[graph].entry(element as i64).or_default() += 1.0,
        None => energies[graph] = None,
    })?;
    let graphs = nodes.iter().zip(energies);
    graphs.filter_map(|(nodes, energy)| Some((nodes, energy?))).for_each(|(nodes, energy)| sums.add(nodes, energy));
    Ok(())
}
