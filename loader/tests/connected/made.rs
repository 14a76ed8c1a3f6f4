//! Edges that workers make, after maps.

use crate::edges::{CUBE, store};
use graphpack_loader::{
    Batch, BoxError, Column, Connect, Data, Dtype, Edges, Level, Loader, Options, Order, Padding, Schema, Slot, Store,
    clusters,
};
use std::sync::Arc;

/// Generated clusters.
fn molecules(count: usize) -> Arc<Store> {
    Arc::new(clusters::generate(1, count))
}

fn batches(data: impl Into<Data>, workers: usize) -> Vec<Batch> {
    let options = Options::graphs(8).order(Order::Shuffled).seed(5).workers(workers).padding(Padding::Beyond);
    Loader::new(data, options).unwrap().epoch(1).map(Result::unwrap).collect()
}

#[test]
fn workers_make_the_batches_of_a_store_with_edges() {
    let data = Data::from(molecules(100)).connect(Edges::NearestWithin { radius: 3.0, most: 9 }).unwrap();
    let stored = Store::collect(&data).unwrap();
    assert_eq!(stored.schema(), data.schema());
    let expected = batches(stored, 0);
    for workers in [0, 1, 3] {
        let made = batches(data.clone(), workers);
        assert_eq!(made.len(), expected.len());
        made.iter().zip(&expected).for_each(|(made, expected)| assert_eq!(made.bytes(), expected.bytes()));
    }
    // Triplets of edges that are made, and of edges that are there.
    let expected = batches(Data::from(Store::collect(&data).unwrap()).triplets().unwrap(), 0);
    let made = batches(data.triplets().unwrap(), 2);
    made.iter().zip(&expected).for_each(|(made, expected)| assert_eq!(made.bytes(), expected.bytes()));
}

/// Without `pbc` a cell is periodic in all directions, also beside data that have it.
#[test]
fn united_data_keep_the_directions_that_a_cell_repeats_in() {
    let column = |name: &str, width, values: Vec<f32>, level| Column::new(name, level, width, values);
    let cells = |pbc: Option<bool>| {
        let pos = column("pos", 3, vec![0.1, 0.1, 0.1, 3.8, 0.1, 0.1], Level::NODE);
        let cell = column("cell", 9, vec![4.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0], Level::Graph);
        let pbc = pbc.map(|pbc| Column::new("pbc", Level::Graph, 3, vec![pbc; 3]));
        let schema =
            Schema::of(&["nodes"]).field("pos", "nodes", Dtype::F32, &[3]).field("cell", "graph", Dtype::F32, &[9]);
        let schema = if pbc.is_some() { schema.field("pbc", "graph", Dtype::Bool, &[3]) } else { schema };
        Data::from(
            Store::of_sets(schema, vec![vec![0, 2]], vec![], [pos, cell].into_iter().chain(pbc).collect()).unwrap(),
        )
    };
    let edges = |data: Data| {
        let data = data.connect(Edges::Radius(1.0)).unwrap();
        (0..data.len()).map(|graph| data.size(graph).unwrap()[1]).collect::<Vec<_>>()
    };
    let [bare, open, closed] = [None, Some(false), Some(true)].map(cells);
    assert_eq!([&bare, &open, &closed].map(|data| edges(data.clone())), [[2], [0], [2]]);
    assert_eq!(edges(Data::mix(&[("a", &bare), ("b", &open), ("c", &closed)]).unwrap()), [2, 0, 2]);
}

/// All pairs are edges, wherever the atoms are: a cell that repeats nothing is no matter.
#[test]
fn all_pairs_need_no_cell() {
    let pos = Column::new("pos", Level::NODE, 3, vec![0.0_f32; 6]);
    let flat = Column::new("cell", Level::Graph, 9, vec![4.0_f32, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0]);
    let schema =
        Schema::of(&["nodes"]).field("pos", "nodes", Dtype::F32, &[3]).field("cell", "graph", Dtype::F32, &[9]);
    let data = Data::from(Store::of_sets(schema, vec![vec![0, 2]], vec![], vec![pos, flat]).unwrap());
    assert!(data.connect(Edges::Radius(1.0)).is_err());
    assert_eq!(data.connect(Edges::FullyConnected).unwrap().size(0).unwrap(), [2, 2]);
}

/// A map that moves all atoms apart or together.
fn scale(factor: f32) -> impl Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync {
    move |graph| {
        graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x *= factor);
        Ok(())
    }
}

#[test]
fn a_map_moves_atoms_before_edges_are_made() {
    let loader = |options, factor| {
        let data = Data::from(molecules(60)).map("scale", scale(factor)).connect(options).unwrap();
        let loader = Loader::new(&data, Options::graphs(8).workers(1)).unwrap();
        let mut epoch = loader.epoch(0);
        let batches: Result<Vec<Batch>, _> = epoch.by_ref().collect();
        (data, batches, epoch.report().left_out())
    };
    let options = || Connect::from(Edges::Radius(2.0));
    let edges = |batches: &[Batch]| -> usize { batches.iter().map(|batch| batch.real().edges()).sum() };
    // Further apart there are fewer.
    let (data, batches, _) = loader(options(), 1.25);
    let expected = data.connect(Edges::Radius(1.6)).map(drop).unwrap_err();
    assert!(expected.to_string().contains("has edges already"));
    let near = Store::collect(Data::from(molecules(60)).connect(Edges::Radius(1.6)).unwrap()).unwrap();
    let all: usize = (0..60).map(|graph| near.size(graph).unwrap()[1] as usize).sum();
    assert_eq!(edges(&batches.unwrap()), all);
    // Nearer there are more than were counted: an error, room for them, or the longest are left out.
    let error = loader(options(), 0.8).1.map(drop).unwrap_err().to_string();
    assert!(error.contains("edges, more than the"), "{error}");
    let (_, batches, left_out) = loader(options().margin(0.5), 0.8);
    let nearer = edges(&batches.unwrap());
    assert!(left_out == 0 && nearer > all);
    let (data, batches, left_out) = loader(options().margin(0.0), 0.8);
    let counted: usize = data.sizes().unwrap().map(|size| size[1] as usize).sum();
    let batches = batches.unwrap();
    assert!(edges(&batches) <= counted);
    assert_eq!((left_out > 0, edges(&batches) as u64 + left_out), (true, nearer as u64));
    for batch in &batches {
        for graph in batch.graphs() {
            let distances = graph.rows::<f32>("distance").unwrap();
            let [_, targets] = <[Vec<i64>; 2]>::try_from(graph.index("edge_index").unwrap()).unwrap();
            assert!(targets.is_sorted() && distances.iter().all(|&distance| distance < 2.0));
        }
    }
}

#[test]
fn fields_are_chosen() {
    let data = store(&[(vec![[0.0; 3]], CUBE, [true; 3])]);
    let names = |options| {
        let data = Data::from(data.clone()).connect(options).unwrap();
        data.schema().fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>()[3..].join(" ")
    };
    let options = || Connect::from(Edges::Radius(2.5));
    assert_eq!(names(options()), "distance cell_offsets shift");
    assert_eq!(names(options().fields(["cell_offsets"])), "cell_offsets");
    assert_eq!(names(options().fields([""; 0])), "");
    let level = Level::Set(1);
    let schema = Data::from(data.clone()).connect(options()).unwrap().schema().clone();
    assert!(schema.fields()[3..].iter().all(|field| field.level == level));
    let batch = |fields: &[&str]| {
        let data = Data::from(data.clone()).connect(options()).unwrap();
        let loader = Loader::new(data, Options::graphs(1).fields(fields.iter().copied())).unwrap();
        loader.epoch(0).next().unwrap()
    };
    let carried = |fields: &[&str]| {
        let batch = batch(fields).unwrap();
        assert_eq!(batch.real().edges(), 6);
        let names = ["pos", "cell", "pbc", "distance", "edge_index"].into_iter();
        names.filter(|name| batch.layout().find(name).is_ok()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(carried(&["distance"]), "pos cell pbc distance");
    assert_eq!(carried(&["pos", "edge_index"]), "pos cell pbc edge_index");
    assert_eq!(carried(&["pbc"]), "pbc");
}

#[test]
fn generated_structures_are_as_large_as_those_of_qm9() {
    let store = molecules(2000);
    let atoms: u32 = (0..2000).map(|graph| store.size(graph).unwrap()[0]).sum();
    assert!((17.5..18.5).contains(&(f64::from(atoms) / 2000.0)), "{atoms} atoms");
    let connected = Store::collect(Data::from(store).connect(Edges::FullyConnected).unwrap()).unwrap();
    assert!(connected.values::<f32>("distance").unwrap().iter().all(|&distance| distance > 0.89));
    assert!(connected.values::<f32>("y").unwrap().iter().all(|y| (-40.0..0.0).contains(y)));
}
