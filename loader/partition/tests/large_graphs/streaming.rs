//! Parts made while edges are read: of equal size, with fewer edges between them than by chance, the same for any
//! number of threads.

use crate::generated::{assigned, larger};
use graphpack_partition::{
    ChunkOptions, ChunkedGraph, EdgeList, EdgeType, LargeGraph, NodeType, Streaming, write_chunked,
};
use proptest::prelude::*;
use tempfile::TempDir;
use test_common::shared_data;

fn chunked(graph: &LargeGraph) -> (TempDir, ChunkedGraph) {
    let folder = TempDir::new().unwrap();
    write_chunked(graph, folder.path(), &ChunkOptions::new(3)).unwrap();
    let graph = ChunkedGraph::open(folder.path()).unwrap();
    (folder, graph)
}

#[test]
fn parts_of_real_graphs_are_equal_and_cut_fewer_edges_than_chance() {
    let Some(data) = shared_data() else { return };
    let most = [("pubmed", [0.30, 0.45]), ("email_enron", [0.36, 0.60])];
    for (name, most) in most {
        let edges = EdgeList::open(data.join(format!("edge_lists/{name}.edges.csv.gz")), b',').unwrap();
        let (sources, targets): (Vec<i64>, Vec<i64>) =
            edges.map(Result::unwrap).flat_map(|[one, other]| [(one, other), (other, one)]).unzip();
        let node = NodeType { name: "_N".into(), nodes: *sources.iter().max().unwrap() as usize + 1, features: vec![] };
        let edge = EdgeType { name: ["_N", "_E", "_N"].map(String::from), sources, targets, features: vec![] };
        let graph = LargeGraph { name: name.into(), node_types: vec![node], edge_types: vec![edge] };
        let (_folder, chunked) = chunked(&graph);
        for (parts, most) in [4, 16].into_iter().zip(most) {
            let (assignment, quality) = Streaming::new(parts).assign(&chunked, &|_| {}).unwrap();
            assert_eq!(assignment.edge_cut(&graph).unwrap(), quality.edge_cut);
            let share = quality.edge_cut as f64 / quality.edges as f64;
            println!("{name}, {parts} parts: {:.1} %, {:?}", 100.0 * share, quality.imbalance);
            assert!(share < most && quality.worst() < 1.12, "{name}, {parts} parts: {share}, {quality:?}");
        }
    }
}

#[test]
fn a_tolerance_that_is_none_is_refused() {
    let (_folder, chunked) = chunked(&larger());
    for (tolerance, found) in [(f64::NAN, "NaN"), (1.0, "1"), (f64::INFINITY, "inf")] {
        let error = Streaming::new(2).tolerance(tolerance).assign(&chunked, &|_| {}).unwrap_err().to_string();
        assert_eq!(error, format!("a tolerance of {found}, expected more than 1"));
    }
}

#[test]
fn threads_and_reports_change_nothing() {
    let graph = larger();
    let (_folder, chunked) = chunked(&graph);
    let read = std::cell::Cell::new(0);
    let streaming = Streaming::new(5).memory(60_000);
    let one = streaming.clone().assign(&chunked, &|edges| read.set(read.get() + edges)).unwrap();
    assert_eq!(read.get(), 5 * graph.edges(), "counted, three times placed, measured");
    let three = streaming.threads(3).assign(&chunked, &|_| {}).unwrap();
    assert_eq!(one.0, three.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_node_has_a_part_whatever_the_graph(
        (graph, other) in assigned(|_| Just(Vec::new()).boxed()), memory in 0..20_000_usize,
    ) {
        let (_folder, chunked) = chunked(&graph);
        let (assignment, quality) = Streaming::new(other.parts()).memory(memory).assign(&chunked, &|_| {}).unwrap();
        assignment.check(&graph).unwrap();
        prop_assert_eq!(assignment.edge_cut(&graph).unwrap(), quality.edge_cut);
    }
}
