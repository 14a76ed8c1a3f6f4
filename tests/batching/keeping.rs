//! `Slot::keep`, `Batch::graphs` and `Store::push_graph`: graphs that lose rows, and graphs taken out of batches again.

use graphpack_loader::{
    Batch, Column, Data, Dtype, Level, Limits, Loader, Options, Order, Padding, Random, Schema, Store,
};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;
use test_common::{arrays, batches, batchings, data_sets, naive};

/// All graphs of an epoch, in the order of the data set.
fn collected(batches: &[Batch], schema: &Schema) -> Store {
    let mut graphs: Vec<_> = batches.iter().flat_map(Batch::graphs).collect();
    graphs.sort_by_key(|graph| graph.number());
    let mut store = Store::new(schema.clone());
    graphs.iter().for_each(|graph| store.push_graph(graph).unwrap());
    store
}

/// Keeps about half of the rows of a set, by graph.
fn halved(data: &Arc<Store>, set: &str) -> Data {
    let (position, set) = (data.schema().set(set).unwrap(), set.to_owned());
    Data::from(data.clone()).map("halve", move |graph| {
        let mask = mask(graph.number() as usize, graph.size()[position] as usize);
        Ok(graph.keep(&set, &mask)?)
    })
}

fn shuffled() -> Options {
    Options::graphs(7).order(Order::Shuffled).seed(3)
}

fn mask(graph: usize, rows: usize) -> Vec<bool> {
    let mut random = Random::new(graph as u64, 0);
    (0..rows).map(|_| random.below(2) == 0).collect()
}

/// The rows of each field of a graph, and the columns of each index.
type Rows = (Vec<Vec<Vec<f64>>>, Vec<Vec<Vec<i64>>>);

/// The rows of each field, and the columns of each index, of a graph.
fn rows(store: &Store, graph: usize) -> Rows {
    let (schema, size) = (store.schema(), store.size(graph).unwrap());
    let shape = schema.padded_shape(Padding::SelfLoops, &Limits::new(size).graphs(1), 1).unwrap();
    let arrays = naive(store, &[graph as i64], shape, Padding::SelfLoops);
    let fields = schema.fields().iter().map(|field| {
        let rows = match field.level {
            Level::Set(set) => size[usize::from(set)] as usize,
            Level::Graph => 1,
        };
        arrays[&field.name].chunks(field.width).take(rows).map(<[f64]>::to_vec).collect()
    });
    let indices = schema.indices().iter().map(|index| store.index(&index.name, graph).unwrap());
    (fields.collect(), indices.collect())
}

/// Which rows of each set are left of a graph that loses rows of one; `None` if an index of the graph refers to one of
/// them.
fn left(data: &Store, graph: usize, set: usize) -> Option<Vec<Vec<bool>>> {
    let mut left: Vec<_> = data.size(graph).unwrap().as_slice().iter().map(|&rows| vec![true; rows as usize]).collect();
    left[set] = mask(graph, left[set].len());
    loop {
        let before = left.clone();
        for index in data.schema().indices() {
            let columns = data.index(&index.name, graph).ok()?;
            for (column, &target) in columns.iter().zip(&index.targets) {
                for (row, &to) in column.iter().enumerate() {
                    if !left[usize::from(target)][to as usize] {
                        let Level::Set(of) = index.level else { return None };
                        left[usize::from(of)][row] = false;
                    }
                }
            }
        }
        if left == before {
            return Some(left);
        }
    }
}

/// Fails unless all rows after the real ones are padding.
fn assert_padded(batch: &Batch, data: &Store) {
    let (found, empty) = (arrays(batch), naive(data, &[], batch.shape(), data.schema().usual_padding()));
    for field in data.schema().fields() {
        let real = batch.real().rows(field.level) * field.width;
        let padding = &found[&field.name][real..];
        assert!(padding == &empty[&field.name][..padding.len()], "{}", field.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn graphs_of_batches_are_the_graphs_of_the_data(drawn in data_sets(), way in any::<Index>(), narrow: bool) {
        let data = drawn.store();
        let options = way.get(&batchings(&data)).clone();
        let options = options.order(Order::Shuffled).seed(1);
        let options = if narrow { options.index(Dtype::I32) } else { options };
        let loader = Loader::new(data.clone(), options).unwrap();
        let copy = collected(&batches(loader.epoch(2)), data.schema());
        prop_assert_eq!(copy.fingerprint(), data.fingerprint());
        prop_assert!((0..data.len()).all(|graph| rows(&copy, graph) == rows(&data, graph)));
    }

    #[test]
    fn rows_of_any_set_go_with_all_that_refer_to_them(drawn in data_sets(), which in any::<Index>()) {
        let data = Arc::new(drawn.store());
        let set = which.index(data.schema().sets().len());
        let loader = Loader::new(halved(&data, &data.schema().sets()[set]), shuffled()).unwrap();
        let all: Option<Vec<_>> = (0..data.len()).map(|graph| left(&data, graph, set)).collect();
        let Some(all) = all else {
            let error = loader.epoch(0).find_map(Result::err).unwrap().to_string();
            prop_assert!(error.ends_with(", which is dropped"), "{error}");
            return Ok(());
        };
        let found = batches(loader.epoch(0));
        prop_assert!(found.iter().all(|batch| Some(batch.shape()) == loader.shape()));
        let kept = collected(&found, data.schema());
        found.iter().for_each(|batch| assert_padded(batch, &data));
        for (graph, left) in all.iter().enumerate() {
            let (fields, indices) = rows(&data, graph);
            let of = |level| match level {
                Level::Set(set) => left[usize::from(set)].clone(),
                Level::Graph => vec![true],
            };
            let stay = |level, rows: Vec<Vec<f64>>| {
                rows.into_iter().zip(of(level)).filter(|(_, stays)| *stays).map(|(row, _)| row).collect::<Vec<_>>()
            };
            let levels = data.schema().fields().iter().map(|field| field.level);
            let fields: Vec<_> = levels.zip(fields).map(|(level, rows)| stay(level, rows)).collect();
            let renumbered = data.schema().indices().iter().zip(indices).map(|(index, columns)| {
                let column = |(column, &target): (Vec<i64>, &u8)| {
                    let target = &left[usize::from(target)];
                    let number = |to: i64| target[..to as usize].iter().filter(|stays| **stays).count() as i64;
                    let entries = column.into_iter().zip(of(index.level)).filter(|(_, stays)| *stays);
                    entries.map(|(to, _)| number(to)).collect::<Vec<_>>()
                };
                columns.into_iter().zip(&index.targets).map(column).collect::<Vec<_>>()
            });
            let renumbered: Vec<_> = renumbered.collect();
            prop_assert_eq!(rows(&kept, graph), (fields, renumbered));
        }
    }
}

/// One graph: a tree of four nodes by the number of each node's parent, its root's number, and labels of pairs of
/// nodes.
fn tree() -> Store {
    let schema = Schema::of(&["nodes", "pairs"])
        .field("x", "nodes", Dtype::I64, &[1])
        .index("parent", "nodes", &["nodes"])
        .index("pair_index", "pairs", &["nodes", "nodes"])
        .index("root", "graph", &["nodes"]);
    let x = Column::of(&schema, "x", vec![10_i64, 11, 12, 13]).unwrap();
    let (parent, pairs) = (vec![vec![1, 1, 1, 0]], vec![vec![0, 3, 2], vec![3, 3, 1]]);
    Store::of_sets(schema, vec![vec![0, 4], vec![0, 3]], vec![parent, pairs, vec![vec![1]]], vec![x]).unwrap()
}

fn without(node: usize) -> Data {
    Data::from(tree()).map("drop", move |graph| {
        let mask: Vec<bool> = (0..4).map(|at| at != node).collect();
        Ok(graph.keep("nodes", &mask)?)
    })
}

#[test]
fn what_refers_to_a_dropped_row_goes_too_however_far() {
    // Node 3 is a child of 0, and two pairs name it.
    let batch = Loader::new(without(0), Options::graphs(1)).unwrap().epoch(0).next().unwrap().unwrap();
    let graph = batch.graphs().next().unwrap();
    assert_eq!(graph.size(), [2, 1]);
    assert_eq!(graph.rows::<i64>("x").unwrap(), [11, 12]);
    assert_eq!(graph.index("parent").unwrap(), [[0, 0]]);
    assert_eq!(graph.index("pair_index").unwrap(), [[1], [0]]);
    assert_eq!(graph.index("root").unwrap(), [[0]]);
}

/// The indices of a part of a mix have other positions than those of the mix.
#[test]
fn parts_of_a_mix_lose_rows_whatever_indices_the_others_have() {
    let molecules = Data::from(graphpack_loader::molecules::generate(3, 20));
    let lines = molecules.line_graphs(graphpack_loader::LineGraphs::default()).unwrap();
    let fewer = molecules.map("drop", |graph| {
        let nodes = graph.size()[0] as usize;
        Ok(graph.keep("nodes", &(0..nodes).map(|node| node % 3 > 0).collect::<Vec<_>>())?)
    });
    let fewer = fewer.triplets().unwrap();
    let expected = Store::collect(&fewer).unwrap();
    for parts in [[("a", &lines), ("b", &fewer)], [("b", &fewer), ("a", &lines)]] {
        let all = Store::collect(Data::mix(&parts).unwrap()).unwrap();
        let start = if parts[0].0 == "b" { 0 } else { 20 };
        for graph in 0..20 {
            let [found, of] = [(&all, start + graph), (&expected, graph)]
                .map(|(store, graph)| ["edge_index", "triplet_index"].map(|name| store.index(name, graph).unwrap()));
            assert_eq!(found, of, "graph {graph}");
        }
    }
}

#[test]
fn rows_that_cannot_be_dropped_are_an_error() {
    let error = |data: Data, options: Options| {
        Loader::new(data, options).unwrap().epoch(0).next().unwrap().unwrap_err().to_string()
    };
    let root = error(without(1), Options::graphs(1));
    assert!(root.ends_with("\"root\" of the graph refers to row 1 of nodes, which is dropped"), "{root}");
    let carried = error(without(0), Options::graphs(1).fields(["x", "root", "parent"]));
    assert!(carried.contains("batches do not carry \"pair_index\""), "{carried}");
    let keep = |set: &'static str, mask: &'static [bool]| {
        error(Data::from(tree()).map("keep", move |graph| Ok(graph.keep(set, mask)?)), Options::default())
    };
    let set = keep("edges", &[]);
    assert!(set.ends_with("there is no set \"edges\"; there are nodes, pairs"), "{set}");
    let long = keep("pairs", &[true; 4]);
    assert!(long.ends_with("field \"mask of pairs\" has 3 x 1 values for this graph, found 4"), "{long}");
}
