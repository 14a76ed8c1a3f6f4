//! [`schemas`]: random schemas of 1 to 8 sets.

use graphpack_loader::schema::Field;
use graphpack_loader::{Dtype, Level, MAX_SETS, Schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const SETS: [&str; MAX_SETS] = ["nodes", "edges", "triplets", "protein", "ligand", "contacts", "tokens", "pairs"];

/// Any schema: some of the sets in any order, up to seven fields of all dtypes, some vectors or with a padding value,
/// and up to four indices of 1 to 4 columns, of and into any set, or of the graph. A quarter have nodes, edges and
/// `edge_index`.
pub fn schemas() -> impl Strategy<Value = Schema> {
    let field = || {
        let position = prop::bool::weighted(0.3);
        vec((0..100_usize, select(&Dtype::ALL[..]), 1..4_usize, 0..4_usize, position), 0..8)
    };
    let index = (0..100_usize, vec(0..100_usize, 1..=4));
    let usual = field().prop_map(|fields| {
        let sets = Schema::DEFAULT_SETS;
        named(&sets, &fields).into_iter().fold(Schema::default(), Schema::with_field)
    });
    let any = (1..=MAX_SETS, Just(SETS).prop_shuffle(), field(), vec(index, 0..5));
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

/// Returns fields of these levels, dtypes, widths, paddings and whether they are positions.
fn named(sets: &[&str], fields: &[(usize, Dtype, usize, usize, bool)]) -> Vec<Field> {
    let mut named: Vec<Field> = Vec::new();
    for (number, &(of, dtype, width, padding, position)) in fields.iter().enumerate() {
        let level = level(sets, of);
        let set = set(sets, of);
        let positions = if set == "nodes" { "pos".to_owned() } else { format!("{set}.pos") };
        let free = named.iter().all(|field| field.name != positions);
        let name = if position && free { positions } else { format!("{set}.{number}") };
        let paddings = match dtype {
            Dtype::F16 | Dtype::F32 | Dtype::F64 => [0.0, 0.0, 1.0, -2.5],
            Dtype::I64 | Dtype::I32 => [0.0, 0.0, 1.0, -70_000.0],
            Dtype::U8 => [0.0, 0.0, 1.0, 255.0],
            Dtype::Bool => [0.0, 0.0, 1.0, 1.0],
        };
        let field = Field::new(name, level, dtype, width).padded(paddings[padding]);
        named.push(if padding % 2 == 1 { field.vector() } else { field });
    }
    named
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
