//! `GraphRows::keep`, `Batch::graphs` and `Store::push`: graphs that lose rows, and graphs taken out of batches again.

use graphpack_loader::{Batch, Column, Dtype, Loader, LoaderBuilder, Random, Schema, Source, Store};
use proptest::prelude::*;
use std::sync::Arc;
use test_common::{batches, sizes, store_of};

/// All graphs of an epoch, in the order of the data set.
fn collected(batches: &[Batch], schema: &Schema) -> Store {
    let mut graphs: Vec<_> = batches.iter().flat_map(Batch::graphs).collect();
    graphs.sort_by_key(|graph| graph.number());
    let mut store = Store::empty(schema.clone());
    graphs.iter().for_each(|graph| store.push(graph).unwrap());
    store
}

/// Keeps about half of the rows of a set, by graph.
fn halved(data: &Arc<Store>, set: &'static str) -> LoaderBuilder<Arc<Store>> {
    let position = data.schema().set(set).unwrap();
    Loader::new(data.clone()).batch_graphs(7).shuffle(3).transform(move |graph| {
        let mut random = Random::new(graph.number(), 0);
        let mask: Vec<bool> = (0..graph.size()[position]).map(|_| random.below(2) == 0).collect();
        Ok(graph.keep(set, &mask)?)
    })
}

fn mask(graph: usize, rows: usize) -> Vec<bool> {
    let mut random = Random::new(graph as u64, 0);
    (0..rows).map(|_| random.below(2) == 0).collect()
}

proptest! {
    #[test]
    fn graphs_of_batches_are_the_graphs_of_the_data(sizes in sizes(), narrow: bool) {
        let data = store_of(&sizes);
        let loader = Loader::new(data.clone()).batch_graphs(5).shuffle(1);
        let loader = if narrow { loader.narrow_indices() } else { loader }.build().unwrap();
        let copy = collected(&batches(loader.epoch(2)), data.schema());
        prop_assert_eq!(copy.fingerprint(), data.fingerprint());
    }

    #[test]
    fn edges_of_dropped_nodes_go_and_others_are_renumbered(sizes in sizes()) {
        let data = Arc::new(store_of(&sizes));
        let loader = halved(&data, "nodes").build().unwrap();
        let found = batches(loader.epoch(0));
        prop_assert!(found.iter().all(|batch| Some(batch.shape()) == loader.shape()));
        let kept = collected(&found, data.schema());
        let (attributes, all) = (kept.values::<i32>("edge_attr").unwrap(), data.values::<i32>("edge_attr").unwrap());
        let (mut edge, mut first) = (0, 0);
        for graph in 0..data.len() {
            let [nodes, edges] = data.size(graph).exact::<2>().0.map(|rows| rows as usize);
            let mask = mask(graph, nodes);
            let number = |node: i64| mask[..node as usize].iter().filter(|kept| **kept).count() as i64;
            let (sources, targets) = data.edges(graph);
            let (kept_sources, kept_targets) = kept.edges(graph);
            let mut place = 0;
            for (at, (from, to)) in sources.into_iter().zip(targets).enumerate() {
                if mask[from as usize] && mask[to as usize] {
                    prop_assert_eq!((kept_sources[place], kept_targets[place]), (number(from), number(to)));
                    prop_assert_eq!(attributes[edge], all[first + at]);
                    (place, edge) = (place + 1, edge + 1);
                }
            }
            prop_assert_eq!(kept.size(graph), [number(nodes as i64) as u32, place as u32]);
            first += edges;
        }
    }

    #[test]
    fn dropped_edges_leave_their_nodes(sizes in sizes()) {
        let data = Arc::new(store_of(&sizes));
        let found = batches(halved(&data, "edges").build().unwrap().epoch(0));
        let kept = collected(&found, data.schema());
        for graph in 0..data.len() {
            let [nodes, edges] = data.size(graph).exact::<2>().0;
            let left = mask(graph, edges as usize).iter().filter(|kept| **kept).count() as u32;
            prop_assert_eq!(kept.size(graph), [nodes, left]);
        }
        prop_assert_eq!(kept.values::<f32>("x").unwrap(), data.values::<f32>("x").unwrap());
    }
}

/// One graph: a tree of four nodes by the number of each node's parent, its root's number, and labels of pairs of nodes.
fn tree() -> Store {
    let schema = Schema::of(["nodes", "pairs"])
        .field("x", "nodes", Dtype::I64, 1)
        .index("parent", "nodes", ["nodes"])
        .index("pair_index", "pairs", ["nodes", "nodes"])
        .index("root", "graph", ["nodes"])
        .build()
        .unwrap();
    let x = Column::of(&schema, "x", vec![10_i64, 11, 12, 13]).unwrap();
    let (parent, pairs) = (vec![vec![1, 1, 1, 0]], vec![vec![0, 3, 2], vec![3, 3, 1]]);
    Store::of_sets(schema, vec![vec![0, 4], vec![0, 3]], vec![parent, pairs, vec![vec![1]]], vec![x]).unwrap()
}

fn without(node: usize) -> LoaderBuilder<Store> {
    Loader::new(tree()).batch_graphs(1).transform(move |graph| {
        let mask: Vec<bool> = (0..4).map(|at| at != node).collect();
        Ok(graph.keep("nodes", &mask)?)
    })
}

#[test]
fn what_refers_to_a_dropped_row_goes_too_however_far() {
    // Node 3 is a child of 0, and two pairs name it.
    let batch = without(0).build().unwrap().epoch(0).next().unwrap().unwrap();
    let graph = batch.graphs().next().unwrap();
    assert_eq!(graph.size(), [2, 1]);
    assert_eq!(graph.rows::<i64>("x").unwrap(), [11, 12]);
    assert_eq!(graph.index("parent").unwrap(), [[0, 0]]);
    assert_eq!(graph.index("pair_index").unwrap(), [[1], [0]]);
    assert_eq!(graph.index("root").unwrap(), [[0]]);
}

#[test]
fn rows_that_cannot_be_dropped_are_an_error() {
    let error =
        |options: LoaderBuilder<Store>| options.build().unwrap().epoch(0).next().unwrap().unwrap_err().to_string();
    let root = error(without(1));
    assert!(root.ends_with("\"root\" of the graph refers to row 1 of nodes, which is dropped"), "{root}");
    let carried = error(without(0).fields(["x", "root", "parent"]));
    assert!(carried.contains("batches do not carry \"pair_index\""), "{carried}");
    let set = error(Loader::new(tree()).transform(|graph| Ok(graph.keep("edges", &[])?)));
    assert!(set.ends_with("there is no set \"edges\"; there are nodes, pairs"), "{set}");
    let long = error(Loader::new(tree()).transform(|graph| Ok(graph.keep("pairs", &[true; 4])?)));
    assert!(long.ends_with("field \"mask of pairs\" has 3 x 1 values for this graph, found 4"), "{long}");
}
