//! Parts made while edges are read: of equal size, with fewer edges between them than by chance, the same for any
//! number of threads.

use crate::generated::{assigned, larger};
use crate::real;
use graphpack_loader::ErrorKind;
use graphpack_partition::assign::Streaming;
use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
use graphpack_partition::{EdgeType, LargeGraph, NodeType};
use proptest::prelude::*;
use tempfile::TempDir;

fn chunked(graph: &LargeGraph) -> (TempDir, ChunkedGraph) {
    let folder = TempDir::new().unwrap();
    write_chunked(graph, folder.path(), &ChunkOptions::new(3)).unwrap();
    let graph = ChunkedGraph::open(folder.path()).unwrap();
    (folder, graph)
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_parts_of_real_graphs_are_equal_and_cut_fewer_edges_than_chance() {
    let most = [("pubmed", [0.30, 0.45]), ("email_enron", [0.36, 0.60])];
    for (name, most) in most {
        let graph = real::graph(name).unwrap();
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
fn no_passes_no_threads_and_wrong_tolerances_are_refused() {
    let (_folder, chunked) = chunked(&larger());
    for (streaming, of) in [(Streaming::new(2).passes(0), "passes"), (Streaming::new(2).threads(0), "threads")] {
        let error = streaming.assign(&chunked, &|_| {}).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Options, format!("0 {of}, expected at least 1")));
    }
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

/// Two communities, each of one type: without regard to types each would be a part.
#[test]
fn nodes_of_each_type_are_in_all_parts() {
    let ends = |seed: i64| (0..4000_i64).map(move |edge| (edge * edge * seed + edge / 7) % 400);
    let node = |name: &str| NodeType { name: name.into(), nodes: 400, features: vec![] };
    let edge = |of: &str| {
        let name = [of, "r", of].map(String::from);
        EdgeType { name, sources: ends(3).collect(), targets: ends(5).collect(), features: vec![] }
    };
    let (node_types, edge_types) = (vec![node("a"), node("b")], vec![edge("a"), edge("b")]);
    let graph = LargeGraph { name: "g".into(), node_types, edge_types };
    let (_folder, chunked) = chunked(&graph);
    for parts in [2, 5] {
        let (assignment, quality) = Streaming::new(parts).assign(&chunked, &|_| {}).unwrap();
        let names: Vec<_> = quality.imbalance.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["nodes of a", "nodes of b", "in-edges"]);
        for kind in 0..2 {
            let most = *assignment.counts(kind).iter().max().unwrap() as f64 * parts as f64 / 400.0;
            assert_eq!(most, quality.imbalance[kind].1);
            assert!(most < 1.2, "{parts} parts: {quality:?}");
        }
    }
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
