//! Triplets and line graphs are those of the oracle, whatever a transform does.

use crate::oracle::{
    Edges, LINE_GRAPHS, TRIPLETS, check, check_all, collapse, example, graphs, naive_line_graph, naive_triplets, pairs,
    store,
};
use graphpack_loader::{Index, Level, Limits, LineGraphs, Loader, Options, Oversize, Size, Slot, Source, Triplets};
use proptest::prelude::*;
use std::sync::Arc;

proptest! {
    #[test]
    fn triplets_are_those_of_the_naive_program(graphs in graphs()) {
        let data = Triplets::new(store(&graphs)).unwrap();
        check_all(data.clone(), &graphs, TRIPLETS, naive_triplets)?;
        prop_assert_eq!(check::<_, i64>(data, Options::default().transform(collapse), TRIPLETS, naive_triplets), 0);
    }

    #[test]
    fn line_graphs_are_those_of_the_naive_program(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        check_all(LineGraphs::new(store(&graphs)).unwrap(), &graphs, LINE_GRAPHS, all)?;
        let without = |edges: &Edges| naive_line_graph(edges, false);
        let data = LineGraphs::without_backtracking(store(&graphs)).unwrap();
        check_all(data, &graphs, LINE_GRAPHS, without)?;
    }

    #[test]
    fn one_can_be_around_the_other(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        let data = LineGraphs::new(Triplets::new(store(&graphs)).unwrap()).unwrap();
        check_all(data.clone(), &graphs, LINE_GRAPHS, all)?;
        check_all(data, &graphs, TRIPLETS, naive_triplets)?;
        let data = Triplets::new(LineGraphs::new(store(&graphs)).unwrap()).unwrap();
        check_all(data.clone(), &graphs, LINE_GRAPHS, all)?;
        check_all(data, &graphs, TRIPLETS, naive_triplets)?;
    }
}

/// Returns the rows of a data set of one graph.
fn rows_of<S: Source>(data: S, index: &str) -> Vec<Vec<i64>> {
    let batch = Loader::new(data, Options::graphs(1)).unwrap().epoch(0).next().unwrap().unwrap();
    let rows = batch.real().sets()[2];
    batch.index::<i64>(index).unwrap().iter().map(|column| column[..rows].to_vec()).collect()
}

#[test]
fn triplets_are_in_the_order_of_pytorch_geometric() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 4, 2, 0], [0, 1, 3, 4]]);
    // By the node that the first edge comes from, not by its number.
    let data = Triplets::new(store(&[(4, vec![(2, 1), (0, 1), (1, 3)])])).unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 0], [2, 2]]);
}

#[test]
fn line_graphs_are_those_of_dgl() {
    let data = LineGraphs::new(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 0, 1, 2, 2, 3, 4, 4], [3, 4, 0, 3, 4, 0, 1, 2]]);
    let data = LineGraphs::without_backtracking(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 1, 2, 4], [4, 0, 3, 1]]);
}

#[test]
fn the_schema_is_that_of_the_source_with_one_more_set() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let schema = data.schema();
    assert_eq!(schema.sets()[..], ["nodes", "edges", "triplets"]);
    assert_eq!(schema.indices()[1..], [Index::new("triplet_index", Level::Set(2), [1, 1])]);
    assert_eq!((schema.fields()[0].name.as_str(), data.size(0)), ("x", Size::new([3, 5, 4])));
}

/// A message of the first batch.
fn failure<S: Source + 'static>(data: S, options: Options) -> String {
    Loader::new(data, options).unwrap().epoch(0).next().unwrap().unwrap_err().to_string()
}

#[test]
fn more_rows_than_were_planned_are_an_error() {
    let data = Triplets::new(store(&[(3, vec![(0, 1), (1, 0)])])).unwrap();
    let options = Options::default().transform(|graph| Ok(graph.set_index("edge_index", &[&[0_i64, 1], &[1, 2]])?));
    let message = failure(data, options);
    assert!(message.ends_with("the graph has 1 triplets, more than the 0 that were planned"), "{message}");
}

#[test]
fn a_graph_is_trimmed_with_its_triplets() {
    let complete = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let data = Arc::new(Triplets::new(store(&[(6, complete.collect())])).unwrap());
    for (limits, expected) in [([6, 30, 50], [6, 30, 50]), ([4, 30, 200], [4, 12, 24]), ([4, 30, 20], [4, 12, 20])] {
        let options = Options::default().capacity(Limits::new(limits).graphs(1)).oversize(Oversize::Trim);
        let loader = Loader::new(data.clone(), options.extra(["edge_ptr", "triplets_ptr"])).unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert_eq!(batch.real().sets()[..], expected);
        let edges = pairs::<i64>(&batch, "edge_index", "edge_ptr", "ptr").remove(0);
        let found = pairs::<i64>(&batch, "triplet_index", "triplets_ptr", "edge_ptr").remove(0);
        let mut all = naive_triplets(&edges).into_iter();
        assert!(found.iter().all(|row| all.any(|other| other == *row)), "{found:?} of {edges:?}");
    }
}

#[test]
fn what_a_transform_spoils_without_saying_so_is_an_error() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let spoil = |graph: &mut Slot<'_>| {
        let _ = graph.set_index("edge_index", &[&[0_i64, 1, 7, 0, 1], &[1; 5]]);
        Ok(())
    };
    let message = failure(data, Options::default().transform(spoil));
    assert!(message.ends_with("entry 2 in column 0 of \"edge_index\" is 7, but the graph has 3 nodes"), "{message}");
}

#[test]
fn a_transform_cannot_read_what_is_derived() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let message =
        failure(data, Options::default().transform(|graph| Ok(graph.index("triplet_index", &mut Vec::new())?)));
    assert!(message.ends_with("field \"triplet_index\" of the graph was not written"), "{message}");
}

#[test]
fn batches_carry_what_was_chosen() {
    let data = Arc::new(Triplets::new(store(&[(3, example()), (2, vec![])])).unwrap());
    let options = |fields: &[&str]| Options::graphs(2).fields(fields.iter().copied());
    let batch = Loader::new(data.clone(), options(&["triplet_index"])).unwrap().epoch(0).next().unwrap().unwrap();
    assert!(batch.index::<i64>("triplet_index").is_ok() && batch.index::<i64>("edge_index").is_ok());
    assert!(batch.layout().find("x").is_err());
    let ptr = |options: Options| {
        let loader = Loader::new(data.clone(), options.extra(["triplets_ptr"])).unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert!(batch.index::<i64>("triplet_index").is_err());
        batch.get::<i64>("triplets_ptr").unwrap()[2]
    };
    assert_eq!(ptr(options(&["x", "edge_index"])), 4);
    assert_eq!(ptr(options(&["x"])), 4);
    // Without the rows, their number follows the transform all the same.
    assert_eq!(
        ptr(options(&["edge_index"]).transform(|graph| if graph.number() == 0 { collapse(graph) } else { Ok(()) })),
        0
    );
}
