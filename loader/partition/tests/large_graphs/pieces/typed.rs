//! What holds of graphs of several types as batches: each row of each set is that of the typed graph.

use crate::generated::{graphs, telling_features, without_outward, write_cut};
use graphpack_loader::{Batch, Data, Loader, Options, Order, Source};
use graphpack_partition::pieces::{ClusterOptions, IndexOptions, IndexedGraph, NeighbourOptions, NodeIds};
use graphpack_partition::{Assignment, ClusterGroups, Clusters, Cut, LargeGraph, Neighbours};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use test_common::batches;

/// Type and original id.
type Node = (usize, i64);
/// Type, original id, source and target.
type Edge = (usize, i64, Node, Node);

/// A graph of a batch.
struct Seen {
    number: usize,
    /// By type, in the order of the batch, with whether the part owns it.
    nodes: Vec<Vec<(i64, bool)>>,
    edges: Vec<Edge>,
}

fn name_of(graph: &LargeGraph, kind: usize) -> &str {
    // Relations of generated graphs differ.
    &graph.edge_types[kind].name[1]
}

fn ends_of(graph: &LargeGraph, kind: usize) -> [usize; 2] {
    let number = |name: &String| graph.node_types.iter().position(|of| of.name == *name).unwrap();
    [0, 2].map(|end| number(&graph.edge_types[kind].name[end]))
}

/// Whether a graph has a set for each type, at most 8.
fn has_sets(graph: &LargeGraph) -> bool {
    let [nodes, edges] = [graph.node_types.len(), graph.edge_types.len()];
    nodes + edges <= 8 && (nodes > 1 || edges > 1)
}

/// Reads a batch whose nodes have original ids. Features of all rows are compared with those of the graph.
fn seen(batch: &Batch, graph: &LargeGraph, mask: &str) -> Vec<Seen> {
    let same = |set: &str, kind: &graphpack_partition::Array, rows: &[i64]| {
        let found = batch.get::<i64>(&format!("{set}.id")).unwrap();
        let all: Vec<i64> = kind.bytes().as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        assert!(rows.iter().zip(found).all(|(&row, found)| all[row as usize] == *found), "features of {set}");
    };
    let ids: Vec<&[i64]> = graph
        .node_types
        .iter()
        .map(|of| {
            let ids = batch.get::<i64>(&format!("{}.node_id", of.name)).unwrap();
            let rows = batch.get::<i64>(&format!("{}_ptr", of.name)).unwrap()[batch.real().graphs()];
            same(&of.name, &of.features[0].1, &ids[..rows as usize]);
            ids
        })
        .collect();
    let ptr = |set: &str, graph: usize| {
        let ptr = batch.get::<i64>(&format!("{set}_ptr")).unwrap();
        ptr[graph] as usize..ptr[graph + 1] as usize
    };
    let of_graph = |(position, &number): (usize, &i64)| {
        let nodes = graph.node_types.iter().zip(&ids).map(|(of, ids)| {
            let owned = batch.get::<bool>(&format!("{}.{mask}", of.name));
            ptr(&of.name, position).map(|row| (ids[row], owned.as_ref().is_ok_and(|owned| owned[row]))).collect()
        });
        let edges = (0..graph.edge_types.len()).flat_map(|kind| {
            let (set, [from, to]) = (name_of(graph, kind), ends_of(graph, kind));
            let index = batch.index::<i64>(&format!("{set}.edge_index")).unwrap();
            let rows = ptr(set, position);
            let numbers = batch.get::<i64>(&format!("{set}.id")).unwrap()[rows.clone()].to_vec();
            let edge = |(row, id): (usize, i64)| {
                (kind, id, (from, ids[from][index[0][row] as usize]), (to, ids[to][index[1][row] as usize]))
            };
            rows.zip(numbers).map(edge).collect::<Vec<_>>()
        });
        Seen { number: number as usize, nodes: nodes.collect(), edges: edges.collect() }
    };
    batch.graph_ids().iter().enumerate().map(of_graph).collect()
}

/// A slow search: the edges of the graph both of whose ends are accepted.
fn edges_between(graph: &LargeGraph, accept: impl Fn(Node, Node) -> bool) -> BTreeSet<Edge> {
    let of_type = |(kind, of): (usize, &graphpack_partition::EdgeType)| {
        let [from, to] = ends_of(graph, kind);
        let ends = of.sources.iter().zip(&of.targets).zip(0..);
        let edges = ends.map(move |((&source, &target), id)| (kind, id, (from, source), (to, target)));
        edges.collect::<Vec<Edge>>()
    };
    graph.edge_types.iter().enumerate().flat_map(of_type).filter(|edge| accept(edge.2, edge.3)).collect()
}

/// Assigned graphs of several types.
fn typed() -> impl Strategy<Value = (LargeGraph, Assignment)> {
    let graphs = graphs("typed", "r", telling_features).prop_filter("several types", has_sets);
    (graphs, 1..5_usize, any::<u64>())
        .prop_map(|(graph, parts, seed)| (graph.clone(), Assignment::random(&graph, parts, seed).unwrap()))
}

fn options(cut: &Cut, halo: bool) -> ClusterOptions {
    let maps = (0..cut.book().node_types().len()).map(|kind| cut.node_map(kind));
    ClusterOptions { halo, node_ids: NodeIds::Original(maps.collect()), ..ClusterOptions::default() }
}

/// Arrays that tell which rows are of which graph.
fn ptrs(graph: &LargeGraph) -> Vec<String> {
    let nodes = graph.node_types.iter().map(|of| format!("{}_ptr", of.name));
    nodes.chain((0..graph.edge_types.len()).map(|kind| format!("{}_ptr", name_of(graph, kind)))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn typed_parts_are_the_typed_graph((graph, assignment) in typed(), halo in any::<bool>(), hops in 1..3_usize) {
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let clusters = Clusters::new(cut.book(), cut.parts(), &options(&cut, halo)).unwrap();
        let ptrs = ptrs(&graph);
        let with: Vec<&str> = ptrs.iter().map(String::as_str).collect();
        let loader = Loader::new(clusters, Options::graphs(2).order(Order::Shuffled).seed(1).extra(with)).unwrap();
        let (mut met, mut owned_edges) = (BTreeSet::new(), BTreeSet::new());
        let part_of = |(kind, node): Node| assignment.owner(kind, node as usize).unwrap();
        for batch in batches(loader.epoch(0)) {
            for Seen { number, nodes, edges } in seen(&batch, &graph, "owned") {
                let part = without_outward(&cut.part(number).unwrap());
                let mut expected: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); graph.node_types.len()];
                let local = if halo { &part.node_ids[..] } else { &part.node_ids[..part.inner_nodes] };
                for &id in local {
                    let place = cut.book().node(id).unwrap();
                    expected[place.kind].insert(cut.node_map(place.kind)[place.within_type]);
                }
                for (kind, nodes) in nodes.iter().enumerate() {
                    prop_assert_eq!(nodes.iter().map(|node| node.0).collect::<BTreeSet<_>>(), expected[kind].clone());
                    prop_assert_eq!(nodes.len(), expected[kind].len());
                    for &(node, owned) in nodes {
                        prop_assert_eq!(owned, part_of((kind, node)) == number);
                        prop_assert!(!owned || met.insert((kind, node)), "every node is owned once");
                    }
                }
                let found: BTreeSet<Edge> = edges.iter().copied().collect();
                prop_assert_eq!(found.len(), edges.len());
                if halo {
                    let expected: BTreeSet<(usize, i64)> = part.edge_ids.iter().map(|&id| {
                        let place = cut.book().edge(id).unwrap();
                        (place.kind, cut.edge_map(place.kind)[place.within_type])
                    }).collect();
                    prop_assert_eq!(found.iter().map(|edge| (edge.0, edge.1)).collect::<BTreeSet<_>>(), expected);
                    prop_assert!(found.is_subset(&edges_between(&graph, |_, _| true)));
                    owned_edges.extend(found.into_iter().filter(|edge| part_of(edge.3) == number));
                } else {
                    prop_assert_eq!(found, edges_between(&graph, |from, to| [from, to].map(part_of) == [number; 2]));
                }
            }
        }
        prop_assert_eq!(met.len(), graph.nodes());
        prop_assert!(!halo || owned_edges == edges_between(&graph, |_, _| true), "every edge is owned once");
    }

    #[test]
    fn typed_groups_have_the_edges_between_their_parts(
        (graph, assignment) in typed(), per_group in 1..4_usize, between in any::<bool>(), seed in any::<u64>()
    ) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let clusters = Arc::new(Clusters::new(cut.book(), cut.parts(), &options(&cut, false)).unwrap());
        let groups = ClusterGroups::new(clusters, per_group.min(assignment.parts()), seed).unwrap().between(between);
        let ptrs = ptrs(&graph);
        let part_of = |(kind, node): Node| assignment.owner(kind, node as usize).unwrap();
        for limits in [groups.limits(), groups.limits_of(0..2)] {
            let with: Vec<&str> = ptrs.iter().map(String::as_str).collect();
            let loader = Loader::new(groups.clone(), Options::default().capacity(limits).extra(with)).unwrap();
            for epoch in 0..2 {
                let mut met = BTreeSet::new();
                for batch in batches(loader.epoch(epoch)) {
                    for Seen { number, nodes, edges } in seen(&batch, &graph, "owned") {
                        let drawn = groups.epoch(epoch).parts(number).unwrap();
                        for (kind, nodes) in nodes.iter().enumerate() {
                            for &(node, owned) in nodes {
                                prop_assert!(owned && drawn.contains(&part_of((kind, node))) && met.insert((kind, node)));
                            }
                        }
                        let accepted = edges_between(&graph, |from, to| {
                            let [from, to] = [from, to].map(part_of);
                            drawn.contains(&from) && drawn.contains(&to) && (between || from == to)
                        });
                        prop_assert_eq!(edges.len(), accepted.len());
                        prop_assert_eq!(edges.into_iter().collect::<BTreeSet<_>>(), accepted);
                    }
                }
                prop_assert_eq!(met.len(), graph.nodes(), "every node once");
            }
        }
    }

    #[test]
    fn typed_neighbourhoods_are_samples_and_the_same_from_parts_on_disk(
        (graph, assignment) in typed(), seed in any::<u64>(), scratch in any::<bool>(), memory in 0..1_000_u64
    ) {
        const HOPS: usize = 3;
        let graph = Arc::new(graph);
        // Of the last type, where edges end.
        let Some(kind) = (0..graph.node_types.len()).rev().find(|&kind| graph.node_types[kind].nodes > 0) else { return Ok(()) };
        let roots: Vec<i64> = (0..graph.node_types[kind].nodes as i64).rev().step_by(3).collect();
        let mut fan_outs = vec![vec![3; HOPS]; graph.edge_types.len()];
        let mut fan_outs_of = Vec::new();
        if let Some(last) = graph.edge_types.last() {
            fan_outs_of.push((last.file_name(), vec![1, 0, 2]));
            *fan_outs.last_mut().unwrap() = vec![1, 0, 2];
        }
        let root_type = Some(graph.node_types[kind].name.clone());
        let options = NeighbourOptions { fan_outs: vec![3; HOPS], fan_outs_of, root_type, seed, ..NeighbourOptions::default() };
        let neighbours = Neighbours::new(graph.clone(), &roots, options.clone()).unwrap();
        let (limits, ptrs) = (neighbours.limits(4), ptrs(&graph));
        let with: Vec<&str> = ptrs.iter().map(String::as_str).collect();
        let all = edges_between(&graph, |_, _| true);
        let loader = Loader::new(neighbours.epoch(2), Options::default().capacity(limits).extra(with.clone())).unwrap();
        let mut batches_in_memory = Vec::new();
        for batch in batches(loader.epoch(2)) {
            for Seen { number, nodes, edges } in seen(&batch, &graph, "root") {
                let root = (kind, roots[number]);
                prop_assert_eq!(nodes[kind][0], (root.1, true));
                prop_assert_eq!(nodes.iter().flatten().filter(|node| node.1).count(), 1);
                let drawn: BTreeSet<Edge> = edges.iter().copied().collect();
                prop_assert!(drawn.is_subset(&all) && drawn.len() == edges.len());
                let mut hop = BTreeMap::from([(root, 0)]);
                for number in 0..HOPS {
                    for &(_, _, from, to) in &drawn {
                        if hop.get(&to) == Some(&number) {
                            hop.entry(from).or_insert(number + 1);
                        }
                    }
                }
                prop_assert_eq!(hop.len(), nodes.iter().map(Vec::len).sum::<usize>(), "all are reached, none twice");
                for (&node, &hop) in &hop {
                    for (kind, fan_outs) in fan_outs.iter().enumerate() {
                        let into = |edges: &BTreeSet<Edge>| edges.iter().filter(|edge| (edge.0, edge.3) == (kind, node)).count();
                        let most = fan_outs.get(hop).map_or(0, |&most| most as usize);
                        prop_assert_eq!(into(&drawn), into(&all).min(most));
                    }
                }
            }
            batches_in_memory.push(batch.bytes().to_vec());
        }

        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = write_cut(&cut, folder.path(), "g", "random").config_path();
        let scratch = scratch.then(|| folder.path().to_owned());
        // Some of the columns have room in memory.
        let index = IndexOptions { node_ids: NodeIds::Files, scratch, memory };
        let parts = IndexedGraph::open(config, &index).unwrap();
        let on_disk = Neighbours::of(Arc::new(parts), &roots, options).unwrap();
        prop_assert_eq!(on_disk.limits(4), limits);
        let [found, expected] = [&on_disk, &neighbours].map(|of| Data::from(of.epoch(2)).fingerprint());
        prop_assert_eq!(found, expected);
        let loader = Loader::new(on_disk.epoch(2), Options::default().capacity(limits).extra(with)).unwrap();
        let batches_on_disk: Vec<_> = batches(loader.epoch(2)).iter().map(|batch| batch.bytes().to_vec()).collect();
        prop_assert!(batches_on_disk == batches_in_memory, "byte for byte");
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), assignment.parts() + 1, "no file is left");
    }
}

#[test]
fn seventeen_types_are_too_many() {
    let node = |number| graphpack_partition::NodeType { name: format!("n{number}"), nodes: 1, features: Vec::new() };
    let graph = LargeGraph { name: "g".into(), node_types: (0..17).map(node).collect(), edge_types: Vec::new() };
    let cut = Cut::new(&graph, &Assignment::random(&graph, 1, 1).unwrap(), 1).unwrap();
    let error = Clusters::new(cut.book(), cut.parts(), &ClusterOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("a graph has 1 to 16 sets, found 17: [\"n0\""), "{error}");
    assert_eq!(IndexedGraph::new(Arc::new(graph)).unwrap_err().to_string(), error);
}

#[test]
fn edges_are_named_by_their_relation_where_that_tells_them_apart() {
    let node = |name: &str| graphpack_partition::NodeType { name: name.into(), nodes: 1, features: Vec::new() };
    let edge = |name: [&str; 3]| graphpack_partition::EdgeType { name: name.map(String::from), ..Default::default() };
    let edge_types =
        vec![edge(["a", "to", "b"]), edge(["b", "to", "a"]), edge(["a", "b", "a"]), edge(["b", "is", "b"])];
    let graph = LargeGraph { name: "g".into(), node_types: vec![node("a"), node("b")], edge_types };
    let cut = Cut::new(&graph, &Assignment::random(&graph, 1, 1).unwrap(), 1).unwrap();
    let clusters = Clusters::new(cut.book(), cut.parts(), &ClusterOptions::default()).unwrap();
    assert_eq!(&clusters.schema().sets()[..], ["a", "b", "a__to__b", "b__to__a", "a__b__a", "is"]);
    assert_eq!(clusters.schema().indices()[3].name, "is.edge_index");
    let message = |change: &dyn Fn(&mut NeighbourOptions)| {
        let mut options = NeighbourOptions { fan_outs: vec![1], root_type: Some("b".into()), ..Default::default() };
        change(&mut options);
        Neighbours::new(Arc::new(graph.clone()), &[0], options).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        message(&|options| options.root_type = Some("c".into())),
        r#"roots are nodes of type Some("c"), expected one of ["a", "b"]"#
    );
    assert_eq!(
        message(&|options| options.fan_outs_of.push(("a:b:a".into(), vec![1, 2]))),
        "fan-outs [1, 2] of edges a:b:a, expected 1 of them, one for each hop"
    );
    assert_eq!(
        message(&|options| options.fan_outs_of = vec![("a:to:b".into(), vec![5]), ("a:to:b".into(), vec![3])]),
        "fan-outs [3] of edges a:to:b, expected them once for each type"
    );
    assert_eq!(
        message(&|options| options.fan_outs_of.push(("to".into(), vec![1]))),
        r#"fan-outs [1] of edges to, expected edges of ["a:to:b", "b:to:a", "a:b:a", "b:is:b"]"#
    );
}
