//! [`DataSet`]: random data of a random schema.

use crate::ptr;
use crate::schemas::{SETS, schemas};
use graphpack_loader::schema::Index;
use graphpack_loader::{Column, Dtype, Level, Random, Schema, Size, Store, f16};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A schema, sizes of graphs and a seed: what a store follows from, and what a failing test prints.
#[derive(Clone, Debug)]
pub struct DataSet {
    schema: Schema,
    sizes: Vec<Size>,
    seed: u64,
}

/// Any small data set of 1 to 8 sets. There are sets that no graph has rows of, graphs of nothing at all, and sometimes
/// a set of more rows than a byte counts.
pub fn data_sets() -> impl Strategy<Value = DataSet> {
    let most = prop_oneof![2 => Just(0), 17 => 1..12_u32, 1 => 257..300_u32];
    let sizes = vec(any::<[u32; SETS.len()]>(), 1..50);
    (schemas(), vec(most, SETS.len()), sizes, any::<u64>()).prop_map(|(schema, most, sizes, seed)| {
        let size = |rows: &[u32; SETS.len()]| sound(&schema, |set| rows[set] % (most[set] + 1));
        let sizes = sizes.iter().map(size).collect();
        DataSet { schema, sizes, seed }
    })
}

impl DataSet {
    /// Returns data set number `number` of those that [`data_sets`] draws.
    pub fn number(number: u8) -> Self {
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
        let tree = data_sets().new_tree(&mut TestRunner::new_with_rng(Config::default(), random));
        tree.expect("nothing is filtered").current()
    }

    /// The graphs, with random values in all fields and indices.
    pub fn store(&self) -> Store {
        let mut random = Random::new(self.seed, 0);
        let ptr = |set: usize| ptr(self.sizes.iter().map(|size| size[set]));
        let ptr = (0..self.schema.sets().len()).map(ptr).collect();
        let indices = self.schema.indices().iter().map(|index| self.index(index, &mut random)).collect();
        let fields = self.schema.fields().iter();
        let columns = fields.map(|field| {
            let rows: usize = self.sizes.iter().map(|size| rows(size, field.level)).sum();
            let number = |_| i64::from(random.below(1000)) - 500;
            let numbers: Vec<i64> = (0..rows * field.width).map(number).collect();
            column(&self.schema, &field.name, field.dtype, &numbers)
        });
        let columns = columns.collect();
        Store::of_sets(self.schema.clone(), ptr, indices, columns).expect("sizes were made sound")
    }

    fn index(&self, index: &Index, random: &mut Random) -> Vec<Vec<i64>> {
        let column = |target: &u8| {
            let of_graph = |size: &Size| {
                let most = size[usize::from(*target)];
                (0..rows(size, index.level)).map(|_| i64::from(random.below(most))).collect::<Vec<_>>()
            };
            self.sizes.iter().flat_map(of_graph).collect()
        };
        index.targets.iter().map(column).collect()
    }
}

fn rows(size: &Size, level: Level) -> usize {
    match level {
        Level::Set(set) => size[usize::from(set)] as usize,
        Level::Graph => 1,
    }
}

/// Returns a size with at least one row of every set that an entry of an index must point into.
fn sound(schema: &Schema, drawn: impl FnMut(usize) -> u32) -> Size {
    let mut size = Size::of(schema.sets().len(), drawn);
    // A row that is added may have entries itself: once per set is enough.
    for _ in 0..schema.sets().len() {
        for index in schema.indices().iter().filter(|index| rows(&size, index.level) > 0).collect::<Vec<_>>() {
            size = Size::of(size.sets(), |set| size[set].max(index.targets.contains(&(set as u8)).into()));
        }
    }
    size
}

/// Values of all dtypes from -500 to 499 or as far as the dtype goes; an f64 holds each exactly.
fn column(schema: &Schema, name: &str, dtype: Dtype, numbers: &[i64]) -> Column {
    let numbers = numbers.iter().copied();
    let column = match dtype {
        Dtype::F16 => Column::of(schema, name, numbers.map(|n| f16::from_f32(n as f32 / 8.0)).collect()),
        Dtype::F32 => Column::of(schema, name, numbers.map(|n| n as f32 / 8.0).collect()),
        Dtype::F64 => Column::of(schema, name, numbers.map(|n| n as f64 / 3.0).collect()),
        Dtype::I64 => Column::of(schema, name, numbers.map(|n| n << 40).collect()),
        Dtype::I32 => Column::of(schema, name, numbers.map(|n| n as i32).collect()),
        Dtype::U8 => Column::of(schema, name, numbers.map(|n| (n & 255) as u8).collect()),
        Dtype::Bool => Column::of(schema, name, numbers.map(|n| n & 1 == 1).collect()),
    };
    column.expect("the field is in the schema")
}
