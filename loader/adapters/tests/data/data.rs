//! Graphs with all that adapters must carry.

use graphpack_adapters::graphpack_loader::{Column, Dtype, Level, Loader, Options, Schema, Store, f16};

/// 40 graphs of two nodes and two edges, with a field of each dtype.
pub(crate) fn fields_of_all_dtypes() -> Loader {
    let ptr: Vec<u64> = (0..=40).map(|graph| 2 * graph).collect();
    let edges = [(0..80).map(|node| node % 2).collect(), (0..80).map(|node| 1 - node % 2).collect()];
    let columns = vec![
        Column::new("half", Level::NODE, 2, (0..160).map(|i| f16::from_f32(i as f32 / 7.0)).collect::<Vec<_>>()),
        Column::new("single", Level::NODE, 3, (0..240).map(|i| i as f32 / 7.0).collect::<Vec<_>>()),
        Column::new("double", Level::EDGE, 2, (0..160).map(|i| f64::from(i) / 7.0).collect::<Vec<_>>()),
        Column::new("long", Level::Graph, 1, (0..40).map(|i| i - 20).collect::<Vec<i64>>()),
        Column::new("int", Level::Graph, 2, (0..80).map(|i| i - 20).collect::<Vec<i32>>()),
        Column::new("byte", Level::NODE, 1, (0..80).collect::<Vec<u8>>()),
        Column::new("flag", Level::NODE, 1, (0..80).map(|i| i % 3 == 0).collect::<Vec<bool>>()),
    ];
    let store = Store::of_columns(ptr.clone(), ptr, edges, columns).unwrap();
    Loader::new(store, Options::graphs(7).index(Dtype::I32)).unwrap()
}

/// 40 graphs of four sets: proteins of 3 atoms, ligands of 2, contacts between them, and rings that have no field.
pub(crate) fn four_sets(options: Options) -> Loader {
    let schema = Schema::of(&["protein", "ligand", "contacts", "rings"])
        .field("protein.x", "protein", Dtype::F32, &[2])
        .field("none", "ligand", Dtype::F64, &[0])
        .field("contacts.distance", "contacts", Dtype::F32, &[1])
        .padded("contacts.distance", 1.0)
        .field("y", "graph", Dtype::F64, &[])
        .index("contact_index", "contacts", &["protein", "ligand"])
        .index("ring_index", "rings", &["protein", "protein", "contacts"]);
    let ptr = |rows: u64| (0..=40).map(|graph| rows * graph).collect::<Vec<u64>>();
    let column = |rows: i64, below: i64| (0..40 * rows).map(|row| row % below).collect::<Vec<i64>>();
    let columns = vec![
        Column::of(&schema, "protein.x", (0..240).map(|i| i as f32 / 7.0).collect()).unwrap(),
        Column::of::<f64>(&schema, "none", vec![]).unwrap(),
        Column::of(&schema, "contacts.distance", (0..80).map(|i| i as f32).collect()).unwrap(),
        Column::of(&schema, "y", (0..40).map(f64::from).collect()).unwrap(),
    ];
    let indices = vec![vec![column(2, 3), column(2, 2)], vec![column(1, 3), column(1, 2), column(1, 2)]];
    let store = Store::of_sets(schema, vec![ptr(3), ptr(2), ptr(2), ptr(1)], indices, columns).unwrap();
    Loader::new(store, options).unwrap()
}
