//! [`schemas`]: random schemas of 1 to 8 sets.

use graphpack_loader::schema::{Field, PaddingValue};
use graphpack_loader::{Dtype, Level, Schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) const SETS: [&str; 8] = ["nodes", "edges", "triplets", "protein", "ligand", "contacts", "tokens", "pairs"];

/// Any schema: some of the sets in any order, up to seven fields of all dtypes, some vectors or with any padding,
/// and up to four indices of 1 to 4 columns, of and into any set, or of the graph. A quarter have nodes, edges and
/// `edge_index`.
pub fn schemas() -> impl Strategy<Value = Schema> {
    let field = || vec((0..100_usize, select(&Dtype::ALL[..]), 1..4_usize, 0..4_usize, 0..10_usize), 0..8);
    let index = (0..100_usize, vec(0..100_usize, 1..=4));
    let usual = field().prop_map(|fields| {
        let sets = Schema::DEFAULT_SETS;
        named(&sets, &fields).into_iter().fold(Schema::default(), Schema::with_field)
    });
    let any = (1..=SETS.len(), Just(SETS).prop_shuffle(), field(), vec(index, 0..5));
    let any = any.prop_map(|(sets, names, fields, indices)| {
        let sets = &names[..sets];
        let schema = named(sets, &fields).into_iter().fold(Schema::of(sets), Schema::with_field);
        indices.iter().enumerate().fold(schema, |schema, (number, (of, targets))| {
            let into: Vec<&str> = targets.iter().map(|target| sets[target % sets.len()]).collect();
            schema.index(&format!("index_{number}"), set(sets, *of), &into)
        })
    });
    prop_oneof![1 => usual, 3 => any]
}

/// Returns fields of these levels, dtypes and widths, whose padding is one of four numbers or what the last number
/// says.
fn named(sets: &[&str], fields: &[(usize, Dtype, usize, usize, usize)]) -> Vec<Field> {
    let field = |(number, &(of, dtype, width, padding, meaning)): (usize, &(usize, Dtype, usize, usize, usize))| {
        let numbers = match dtype {
            Dtype::F16 | Dtype::F32 | Dtype::F64 => [0.0, 0.0, 1.0, -2.5],
            Dtype::I64 | Dtype::I32 => [0.0, 0.0, 1.0, -70_000.0],
            Dtype::U8 => [0.0, 0.0, 1.0, 255.0],
            Dtype::Bool => [0.0, 0.0, 1.0, 1.0],
        };
        let field = Field::new(format!("{}.{number}", set(sets, of)), level(sets, of), dtype, width);
        let field = match (field.level, meaning) {
            _ if dtype == Dtype::Bool => field.padded(numbers[padding]),
            (Level::Set(_), 0..3) => field.padded(PaddingValue::Positions),
            (Level::Set(_), 3) => field.padded(PaddingValue::Length),
            (Level::Graph, 0) => Field { width: 9, ..field.padded(PaddingValue::Cell) },
            _ => field.padded(numbers[padding]),
        };
        match field.width {
            1 if padding % 2 == 1 => field.shaped(&[]),
            4 => field.shaped(&[2, 2]),
            9 => field.shaped(&[3, 3]),
            width => field.shaped(&[width]),
        }
    };
    fields.iter().enumerate().map(field).collect()
}

fn set<'a>(sets: &[&'a str], number: usize) -> &'a str {
    match level(sets, number) {
        Level::Set(set) => sets[usize::from(set)],
        Level::Graph => "graph",
    }
}

fn level(sets: &[&str], number: usize) -> Level {
    match number % (sets.len() + 1) {
        set if set == sets.len() => Level::Graph,
        set => Level::Set(set as u8),
    }
}
