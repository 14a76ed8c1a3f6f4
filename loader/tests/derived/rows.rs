//! Triplets and line graphs are those of the oracle, whatever a map does.

use crate::oracle::{
    Edges, LINE_GRAPHS, TRIPLETS, check, check_all, collapse, example, graphs, naive_line_graph, naive_triplets, pairs,
    store,
};
use graphpack_loader::schema::Index;
use graphpack_loader::{Data, Level, Limits, LineGraphs, Loader, Options, Oversize, Size, Slot};
use proptest::prelude::*;

proptest! {
    #[test]
    fn triplets_are_those_of_the_naive_program(graphs in graphs()) {
        let triplets = |data: Data| data.triplets().unwrap();
        check_all(triplets, &graphs, TRIPLETS, naive_triplets)?;
        let collapsed = triplets(Data::from(store(&graphs)).map("collapse", collapse));
        prop_assert_eq!(check::<i64>(collapsed, Options::default(), TRIPLETS, naive_triplets), 0);
    }

    #[test]
    fn line_graphs_are_those_of_the_naive_program(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        check_all(|data| data.line_graphs(LineGraphs::default()).unwrap(), &graphs, LINE_GRAPHS, all)?;
        let without = |edges: &Edges| naive_line_graph(edges, false);
        let derive = |data: Data| data.line_graphs(LineGraphs::default().backtracking(false)).unwrap();
        check_all(derive, &graphs, LINE_GRAPHS, without)?;
    }

    #[test]
    fn one_can_be_around_the_other(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        let derive = |data: Data| data.triplets().unwrap().line_graphs(LineGraphs::default()).unwrap();
        check_all(derive, &graphs, LINE_GRAPHS, all)?;
        check_all(derive, &graphs, TRIPLETS, naive_triplets)?;
        let derive = |data: Data| data.line_graphs(LineGraphs::default()).unwrap().triplets().unwrap();
        check_all(derive, &graphs, LINE_GRAPHS, all)?;
        check_all(derive, &graphs, TRIPLETS, naive_triplets)?;
    }
}

/// Returns the rows of a data set of one graph.
fn rows_of(data: Data, index: &str) -> Vec<Vec<i64>> {
    let batch = Loader::new(data, Options::graphs(1)).unwrap().epoch(0).next().unwrap().unwrap();
    let rows = batch.real().sets()[2];
    batch.index::<i64>(index).unwrap().iter().map(|column| column[..rows].to_vec()).collect()
}

#[test]
fn triplets_are_in_the_order_of_pytorch_geometric() {
    let data = Data::from(store(&[(3, example())])).triplets().unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 4, 2, 0], [0, 1, 3, 4]]);
    // By the node that the first edge comes from, not by its number.
    let data = Data::from(store(&[(4, vec![(2, 1), (0, 1), (1, 3)])])).triplets().unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 0], [2, 2]]);
}

#[test]
fn line_graphs_are_those_of_dgl() {
    let data = Data::from(store(&[(3, example())])).line_graphs(LineGraphs::default()).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 0, 1, 2, 2, 3, 4, 4], [3, 4, 0, 3, 4, 0, 1, 2]]);
    let data = Data::from(store(&[(3, example())])).line_graphs(LineGraphs::default().backtracking(false)).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 1, 2, 4], [4, 0, 3, 1]]);
}

#[test]
fn the_schema_is_that_of_the_source_with_one_more_set() {
    let data = Data::from(store(&[(3, example())])).triplets().unwrap();
    let schema = data.schema();
    assert_eq!(schema.sets()[..], ["nodes", "edges", "triplets"]);
    assert_eq!(schema.indices()[1..], [Index::new("triplet_index", Level::Set(2), [1, 1])]);
    assert_eq!((schema.fields()[0].name.as_str(), data.size(0).unwrap()), ("x", Size::new([3, 5, 4])));
}

/// A message of the first batch.
fn failure(data: Data) -> String {
    Loader::new(data, Options::default()).unwrap().epoch(0).next().unwrap().unwrap_err().to_string()
}

#[test]
fn more_rows_than_were_planned_are_an_error() {
    let turn = |graph: &mut Slot<'_>| Ok(graph.set_index("edge_index", &[&[0_i64, 1], &[1, 2]])?);
    let data = Data::from(store(&[(3, vec![(0, 1), (1, 0)])])).map("turn", turn).triplets().unwrap();
    let message = failure(data);
    assert!(message.ends_with("the graph has 1 triplets, more than the 0 that were planned"), "{message}");
}

#[test]
fn a_graph_is_trimmed_with_its_triplets() {
    let complete = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let data = Data::from(store(&[(6, complete.collect())])).triplets().unwrap();
    for (limits, expected) in [([6, 30, 50], [6, 30, 50]), ([4, 30, 200], [4, 12, 24]), ([4, 30, 20], [4, 12, 20])] {
        let options = Options::default().capacity(Limits::new(limits).graphs(1)).oversize(Oversize::Trim);
        let loader = Loader::new(&data, options.extra(["edge_ptr", "triplets_ptr"])).unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert_eq!(batch.real().sets()[..], expected);
        let edges = pairs::<i64>(&batch, "edge_index", "edge_ptr", "ptr").remove(0);
        let found = pairs::<i64>(&batch, "triplet_index", "triplets_ptr", "edge_ptr").remove(0);
        let mut all = naive_triplets(&edges).into_iter();
        assert!(found.iter().all(|row| all.any(|other| other == *row)), "{found:?} of {edges:?}");
    }
}

#[test]
fn what_a_map_spoils_without_saying_so_is_an_error() {
    let spoil = |graph: &mut Slot<'_>| {
        let _ = graph.set_index("edge_index", &[&[0_i64, 1, 7, 0, 1], &[1; 5]]);
        Ok(())
    };
    let message = failure(Data::from(store(&[(3, example())])).map("spoil", spoil).triplets().unwrap());
    assert!(message.contains("\"edge_index\" of the graph is not written: its last values were refused"), "{message}");
}

#[test]
fn a_map_changes_what_was_derived_before_it() {
    // Drops the triplets that end with edge 0: the second.
    let drop = |graph: &mut Slot<'_>| {
        let mut columns = Vec::new();
        graph.index("triplet_index", &mut columns)?;
        let kept: Vec<bool> = columns[1].iter().map(|&second| second != 0).collect();
        Ok(graph.keep("triplets", &kept)?)
    };
    let data = Data::from(store(&[(3, example())])).triplets().unwrap().map("drop", drop);
    assert_eq!(rows_of(data, "triplet_index"), [[4, 2, 0], [1, 3, 4]]);
}

#[test]
fn batches_carry_what_was_chosen() {
    let graphs = Data::from(store(&[(3, example()), (2, vec![])]));
    let data = graphs.triplets().unwrap();
    let options = |fields: &[&str]| Options::graphs(2).fields(fields.iter().copied());
    let batch = Loader::new(&data, options(&["triplet_index"])).unwrap().epoch(0).next().unwrap().unwrap();
    assert!(batch.index::<i64>("triplet_index").is_ok() && batch.index::<i64>("edge_index").is_ok());
    assert!(batch.layout().find("x").is_err());
    let ptr = |data: &Data, options: Options| {
        let loader = Loader::new(data, options.extra(["triplets_ptr"])).unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert!(batch.index::<i64>("triplet_index").is_err());
        batch.get::<i64>("triplets_ptr").unwrap()[2]
    };
    assert_eq!(ptr(&data, options(&["x", "edge_index"])), 4);
    assert_eq!(ptr(&data, options(&["x"])), 4);
    // Without the rows, their number follows the map all the same.
    let collapsed = graphs.map("collapse", |graph| if graph.number() == 0 { collapse(graph) } else { Ok(()) });
    assert_eq!(ptr(&collapsed.triplets().unwrap(), options(&["edge_index"])), 0);
}
