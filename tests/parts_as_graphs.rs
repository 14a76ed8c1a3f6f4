//! What holds of parts and neighbourhoods as graphs of a loader: every node once, edges of the graph and all of them, one shape, same seed same batches.

mod common;

use common::batches;
use graphpack_loader::partition::{
    Array, ArrayType, Assignment, ClusterGroups, ClusterOptions, Clusters, Cut, EdgeType, LargeGraph, NeighbourOptions,
    Neighbours, NodeType, Part, PartitionBook, dgl,
};
use graphpack_loader::{Batch, Batching, Level, Loader, Source};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Node features of four types whose rows tell their node, and edges that carry their id.
fn graph(nodes: usize, ends: &[[usize; 2]]) -> LargeGraph {
    let floats = (0..nodes).flat_map(|node| [node as f32, -(node as f32)]).flat_map(f32::to_le_bytes).collect();
    let mask = (0..nodes).map(|node| u8::from(node % 3 == 0)).collect();
    let small = (0..nodes).flat_map(|node| (2 * node as i32).to_le_bytes()).collect();
    let labels: Vec<i64> = (0..nodes as i64).map(|node| 5 * node).collect();
    let ids: Vec<i64> = (0..ends.len() as i64).collect();
    let array = |element, shape: &[usize], bytes| Array::new(element, shape.to_vec(), bytes).unwrap();
    let features = vec![
        ("x".to_owned(), array(ArrayType::F32, &[nodes, 2], floats)),
        ("train_mask".to_owned(), array(ArrayType::Bool, &[nodes], mask)),
        ("small".to_owned(), array(ArrayType::I32, &[nodes, 1, 1], small)),
        ("y".to_owned(), Array::of_i64(&labels)),
    ];
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let edge = EdgeType {
        name,
        sources: ends.iter().map(|ends| ends[0] as i64).collect(),
        targets: ends.iter().map(|ends| ends[1] as i64).collect(),
        features: vec![("edge".into(), Array::of_i64(&ids))],
    };
    let node = NodeType { name: "_N".into(), nodes, features };
    LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] }
}

/// Loops and parallel edges among them; parts of any size, some empty.
fn graphs() -> impl Strategy<Value = (LargeGraph, Assignment)> {
    let ends = proptest::collection::vec(any::<[u16; 2]>(), 0..150);
    (2..40_usize, ends, 1..7_usize, any::<u64>()).prop_map(|(nodes, ends, parts, seed)| {
        let ends: Vec<_> = ends.into_iter().map(|ends| ends.map(|end| usize::from(end) % nodes)).collect();
        let owners = (0..nodes).map(|node| ((seed >> (5 * node % 60)) as usize % 8 % parts) as u16).collect();
        (graph(nodes, &ends), Assignment::new(parts, vec![owners]).unwrap())
    })
}

fn clusters(cut: &Cut, halo: bool) -> Clusters {
    let options = ClusterOptions { halo, original_ids: Some(cut.node_map(0)), ..ClusterOptions::default() };
    Clusters::new(cut.book(), cut.parts(), &options).unwrap()
}

/// A graph of a batch: original ids of nodes, whether they are owned, and edges by id with original ids of their ends. Features are compared
/// with those of the large graph on the way.
struct Seen {
    number: i64,
    nodes: Vec<i64>,
    first: Vec<bool>,
    edges: Vec<(i64, [i64; 2])>,
}

fn seen(batch: &Batch, mask: &str) -> Vec<Seen> {
    let (ids, mask) = (batch.get::<i64>("node_id").unwrap(), batch.get::<bool>(mask).unwrap());
    let (ptr, of_node) = (batch.ptr::<i64>().unwrap(), batch.batch::<i64>().unwrap());
    let (sources, targets) = batch.edge_index::<i64>().unwrap();
    let edge_ids = batch.get::<i64>("edge").unwrap();
    let x = batch.get::<f32>("x").unwrap();
    let (small, train) = (batch.get::<i32>("small").unwrap(), batch.get::<bool>("train_mask").unwrap());
    for node in 0..batch.real().nodes {
        let id = ids[node];
        assert_eq!(x[2 * node..2 * node + 2], [id as f32, -(id as f32)]);
        assert_eq!((small[node], train[node]), (2 * id as i32, id % 3 == 0));
    }
    assert!(mask[batch.real().nodes..].iter().all(|counts| !counts), "padding does not count");
    let graphs = batch.graph_ids().iter().enumerate().map(|(graph, &number)| {
        let rows = ptr[graph] as usize..ptr[graph + 1] as usize;
        let edges = (0..batch.real().edges).filter(|&edge| of_node[sources[edge] as usize] == graph as i64);
        let edges = edges.map(|edge| (edge_ids[edge], [sources[edge], targets[edge]].map(|node| ids[node as usize])));
        Seen { number, nodes: ids[rows.clone()].to_vec(), first: mask[rows].to_vec(), edges: edges.collect() }
    });
    graphs.collect()
}

/// A slow search: edges of the graph both of whose ends are accepted.
fn edges_between(graph: &LargeGraph, accept: impl Fn(i64, i64) -> bool) -> BTreeSet<(i64, [i64; 2])> {
    let edges = &graph.edge_types[0];
    let ends = edges.sources.iter().zip(&edges.targets).zip(0..);
    ends.filter(|((from, to), _)| accept(**from, **to)).map(|((from, to), id)| (id, [*from, *to])).collect()
}

fn set<T: Ord + Copy>(list: &[T]) -> BTreeSet<T> {
    let set: BTreeSet<T> = list.iter().copied().collect();
    assert_eq!(set.len(), list.len(), "nothing twice");
    set
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn each_part_is_a_graph((graph, assignment) in graphs()) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let loader = Loader::new(clusters(&cut, false)).batch_graphs(2).shuffle(3).build().unwrap();
        let mut owned = Vec::new();
        for batch in batches(loader.epoch(0)) {
            for Seen { number, nodes, first, edges } in seen(&batch, "owned") {
                let expected = cut.original_nodes(0, number as usize);
                prop_assert_eq!(&nodes, &expected);
                prop_assert!(first.iter().all(|owned| *owned));
                let within = edges_between(&graph, |from, to| expected.contains(&from) && expected.contains(&to));
                prop_assert_eq!(set(&edges), within);
                owned.extend(nodes);
            }
        }
        prop_assert_eq!(set(&owned).len(), graph.nodes(), "every node once");
    }

    #[test]
    fn parts_with_halo_have_their_owners_features((graph, assignment) in graphs(), hops in 1..3_usize) {
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let node_map = cut.node_map(0);
        let edge_map = cut.edge_map(0);
        let loader = Loader::new(clusters(&cut, true)).batch_graphs(2).build().unwrap();
        let mut owned = 0;
        for batch in batches(loader.epoch(0)) {
            // Features are compared there.
            for Seen { number, nodes, first, edges } in seen(&batch, "owned") {
                let part = cut.part(number as usize).unwrap();
                let expected: Vec<i64> = part.node_ids.iter().map(|&id| node_map[id as usize]).collect();
                prop_assert_eq!(&nodes, &expected);
                let inner: Vec<bool> = (0..nodes.len()).map(|node| node < part.inner_nodes).collect();
                prop_assert_eq!(first, inner);
                let ids: Vec<i64> = part.edge_ids.iter().map(|&id| edge_map[id as usize]).collect();
                prop_assert_eq!(edges.iter().map(|edge| edge.0).collect::<Vec<_>>(), ids);
                let all = edges_between(&graph, |_, _| true);
                prop_assert!(edges.iter().all(|edge| all.contains(edge)));
                owned += part.inner_nodes;
            }
        }
        prop_assert_eq!(owned, graph.nodes());
    }

    #[test]
    fn groups_have_the_edges_between_their_parts(
        (graph, assignment) in graphs(), per_group in 1..5_usize, between in any::<bool>(), seed in any::<u64>()
    ) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let per_group = per_group.min(assignment.parts());
        let groups = ClusterGroups::new(Arc::new(clusters(&cut, false)), per_group, seed).unwrap().between(between);
        let part_of = |node: i64| assignment.owner(0, node as usize).unwrap();
        let mut shapes = BTreeSet::new();
        for (limits, epochs) in [(groups.limits(), 0..4), (groups.limits_of(0..2), 0..2)] {
            for epoch in epochs {
                let source = Arc::new(groups.epoch(epoch));
                let loader = Loader::new(source.clone()).limits(limits).shuffle(seed).build().unwrap();
                let (mut owned, mut parts) = (Vec::new(), Vec::new());
                for batch in batches(loader.epoch(epoch)) {
                    shapes.insert((batch.shape().nodes, batch.shape().edges));
                    for Seen { number, nodes, edges, .. } in seen(&batch, "owned") {
                        let drawn = source.parts(number as usize).unwrap();
                        prop_assert!(drawn.len() <= per_group);
                        let expected: BTreeSet<i64> =
                            (0..graph.nodes() as i64).filter(|&node| drawn.contains(&part_of(node))).collect();
                        prop_assert_eq!(&set(&nodes), &expected);
                        let accepted = edges_between(&graph, |from, to| {
                            expected.contains(&from) && expected.contains(&to) && (between || part_of(from) == part_of(to))
                        });
                        prop_assert_eq!(set(&edges), accepted);
                        owned.extend(nodes);
                        parts.extend(drawn);
                    }
                }
                prop_assert_eq!(set(&owned).len(), graph.nodes(), "every node once");
                prop_assert_eq!(set(&parts).len(), assignment.parts(), "every part once");
            }
        }
        prop_assert!(shapes.len() <= 2, "one of each kind of limits");
    }

    #[test]
    fn neighbourhoods_are_samples(
        (graph, _) in graphs(), fan_outs in proptest::collection::vec(1..5_u32, 1..4), seed in any::<u64>()
    ) {
        let nodes = graph.nodes() as i64;
        let graph = Arc::new(graph);
        let seeds: Vec<i64> = (0..nodes).rev().filter(|node| node % 2 == 0).collect();
        let of_seeds = vec!["y".to_owned()];
        let options = NeighbourOptions { fan_outs: fan_outs.clone(), seed, features: None, of_seeds };
        let neighbours = Neighbours::new(graph.clone(), &seeds, options).unwrap();
        let limits = neighbours.limits(5);
        let all = edges_between(&graph, |_, _| true);
        let degree = |node: i64| all.iter().filter(|(_, [_, to])| *to == node).count();
        let mut shapes = BTreeSet::new();
        for epoch in 0..3 {
            let loader = Loader::new(neighbours.epoch(epoch)).limits(limits).shuffle(1).build().unwrap();
            let mut met = Vec::new();
            for batch in batches(loader.epoch(epoch)) {
                shapes.insert((batch.shape().nodes, batch.shape().edges, batch.shape().graphs));
                prop_assert!(batch.real().graphs <= 5);
                let labels = batch.get::<i64>("y").unwrap().to_vec();
                for (graph, Seen { number, nodes, first, edges }) in seen(&batch, "seed").into_iter().enumerate() {
                    let root = seeds[number as usize];
                    prop_assert_eq!((nodes[0], labels[graph]), (root, 5 * root));
                    prop_assert_eq!(first.iter().position(|seed| *seed), Some(0));
                    prop_assert_eq!(first.iter().filter(|seed| **seed).count(), 1);
                    met.push(root);
                    set(&nodes);
                    prop_assert!(set(&edges).is_subset(&all), "edges are those of the graph, none twice");
                    // Nodes by the hop in which they are first met, walking along the edges drawn.
                    let mut hop = BTreeMap::from([(root, 0)]);
                    for number in 0..fan_outs.len() {
                        for &(_, [from, to]) in &edges {
                            if hop.get(&to) == Some(&number) {
                                hop.entry(from).or_insert(number + 1);
                            }
                        }
                    }
                    prop_assert_eq!(hop.len(), nodes.len(), "all nodes are reached");
                    for &node in &nodes {
                        let into = edges.iter().filter(|(_, [_, to])| *to == node).count();
                        let expected = fan_outs.get(hop[&node]).map_or(0, |&fan_out| degree(node).min(fan_out as usize));
                        prop_assert_eq!(into, expected, "the fan-out, or all where there are fewer");
                    }
                }
            }
            met.sort_unstable_by_key(|node| -node);
            prop_assert_eq!(&met, &seeds, "each seed once");
        }
        prop_assert!(shapes.len() == 1);
    }
}

/// A graph large enough for draws to differ: 600 nodes of degree 20.
fn larger() -> LargeGraph {
    let mut state = 3_u64;
    let mut end = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % 600
    };
    graph(600, &(0..12_000).map(|_| [end(), end()]).collect::<Vec<_>>())
}

fn bytes<S: Source + 'static>(source: S, limits: graphpack_core::Limits<2>, workers: usize) -> Vec<Vec<u8>> {
    let loader = Loader::new(source).batching(Batching::Dynamic).limits(limits).shuffle(9).workers(workers);
    batches(loader.build().unwrap().epoch(1)).iter().map(|batch| batch.bytes().to_vec()).collect()
}

#[test]
fn same_seed_same_batches_for_any_number_of_workers() {
    let graph = Arc::new(larger());
    let cut = Cut::new(&graph, &Assignment::random(&graph, 12, 5).unwrap(), 1).unwrap();
    let all = Arc::new(clusters(&cut, false));
    let groups = |seed| ClusterGroups::new(all.clone(), 3, seed).unwrap().between(true);
    let neighbours = |seed| {
        let options = NeighbourOptions { fan_outs: vec![4, 3], seed, ..NeighbourOptions::default() };
        Neighbours::new(graph.clone(), &(0..200).collect::<Vec<_>>(), options).unwrap()
    };
    let groups_of = |seed, epoch, workers| bytes(groups(seed).epoch(epoch), groups(1).limits(), workers);
    let neighbours_of = |seed, epoch, workers| bytes(neighbours(seed).epoch(epoch), neighbours(1).limits(16), workers);
    let (first, second) = (groups_of(1, 0, 0), neighbours_of(1, 0, 0));
    for workers in [1, 3] {
        assert!(groups_of(1, 0, workers) == first && neighbours_of(1, 0, workers) == second);
    }
    assert!(groups_of(1, 1, 1) != first && neighbours_of(1, 1, 1) != second, "epochs differ");
    assert!(groups_of(2, 0, 1) != first && neighbours_of(2, 0, 1) != second, "seeds differ");
    // A state belongs to its epoch.
    let fingerprints =
        [0, 1].map(|epoch| [groups(1).epoch(epoch).fingerprint(), neighbours(1).epoch(epoch).fingerprint()]);
    assert!((0..2).all(|k| fingerprints[0][k] != fingerprints[1][k]));
    // Three more seeds to a batch than fit on average would be a shape too large by as much.
    let limits = neighbours(1).limits(64);
    let loader = Loader::new(neighbours(1).epoch(7)).batching(Batching::Dynamic).limits(limits).build().unwrap();
    let sizes: Vec<usize> = batches(loader.epoch(7)).iter().map(|batch| batch.real().graphs).collect();
    assert_eq!(sizes, [64, 64, 64, 8], "the number of seeds is what ends a batch");
}

#[test]
fn the_loss_is_over_each_training_node_once() {
    let graph = larger();
    let cut = Cut::new(&graph, &Assignment::random(&graph, 12, 5).unwrap(), 2).unwrap();
    let loader = Loader::new(clusters(&cut, true)).batch_graphs(3).shuffle(4).build().unwrap();
    let mut counted = 0;
    for batch in batches(loader.epoch(0)) {
        let (owned, train) = (batch.get::<bool>("owned").unwrap(), batch.get::<bool>("train_mask").unwrap());
        counted += owned.iter().zip(train).filter(|(owned, train)| **owned && **train).count();
        assert!(batch.real().nodes > owned.iter().filter(|owned| **owned).count(), "there is a HALO");
    }
    assert_eq!(counted, 200);
}

#[test]
fn a_cluster_of_the_whole_graph_is_the_graph() {
    let graph = larger();
    let cut = Cut::new(&graph, &Assignment::random(&graph, 1, 0).unwrap(), 1).unwrap();
    let loader = Loader::new(clusters(&cut, false)).batch_graphs(1).build().unwrap();
    let batch = &batches(loader.epoch(0))[0];
    let edges = &graph.edge_types[0];
    let (sources, targets) = batch.edge_index::<i64>().unwrap();
    assert_eq!((&sources[..12_000], &targets[..12_000]), (&edges.sources[..], &edges.targets[..]));
}

#[test]
fn parts_come_from_dgls_files_too() {
    let graph = larger();
    let cut = Cut::new(&graph, &Assignment::random(&graph, 3, 5).unwrap(), 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let writer = dgl::PartitionWriter::create(folder.path(), "g", "random", 1, cut.book().clone()).unwrap();
    cut.parts().for_each(|part| writer.write_part(&part).unwrap());
    let config = writer.write_config().unwrap();
    for halo in [false, true] {
        // Not the mask: those files have uint8 in place of bool.
        let features = Some(["x", "small", "y", "edge"].map(String::from).to_vec());
        let options = ClusterOptions { halo, features, ..ClusterOptions::default() };
        let read = Clusters::read(&config, &options).unwrap();
        let cut = Clusters::new(cut.book(), cut.parts(), &options).unwrap();
        assert_eq!((read.schema(), read.len(), read.fingerprint()), (cut.schema(), 3, cut.fingerprint()));
        assert_eq!(read.bytes(), cut.bytes());
        let limits = graphpack_core::Limits::new([2000, 20_000]);
        assert!(bytes(read, limits, 1) == bytes(cut, limits, 1));
    }
    // What one process has: its own part, of which the HALO is elsewhere.
    let part = dgl::load_partition(&config, 1).unwrap();
    let alone = Clusters::new(&part.book, [part.part.clone()], &ClusterOptions::default()).unwrap();
    assert_eq!((alone.len(), alone.nodes(), alone.number(0)), (1, 200, 1));
    let halo = ClusterOptions { halo: true, ..ClusterOptions::default() };
    let error = Clusters::new(&part.book, [part.part], &halo).unwrap_err().to_string();
    let expected = "node 0 of the HALO of part 1 belongs to part 0, which was not given: give all parts, or ask for clusters without HALO";
    assert_eq!(error, expected);
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let graph = graph(6, &[[0, 1], [2, 3], [4, 5], [5, 0]]);
    let cut = Cut::new(&graph, &Assignment::new(3, vec![vec![0, 0, 1, 1, 2, 2]]).unwrap(), 1).unwrap();
    let with = |options: &ClusterOptions, change: &dyn Fn(&mut Vec<Part>)| {
        let mut parts: Vec<Part> = cut.parts().collect();
        change(&mut parts);
        Clusters::new(cut.book(), parts, options).map(|clusters| clusters.len())
    };
    let message = |change: &dyn Fn(&mut Vec<Part>)| with(&ClusterOptions::default(), change).unwrap_err().to_string();
    let asked = |options: ClusterOptions| with(&options, &|_| {}).unwrap_err().to_string();
    let float = |rows: usize| Array::new(ArrayType::F64, vec![rows, 2], vec![0; 16 * rows]).unwrap();
    assert_eq!(with(&ClusterOptions::default(), &|parts| parts.swap(0, 2)).unwrap(), 3, "in any order");
    assert_eq!(
        message(&|parts| parts[2].node_features[0].1 = float(2)),
        "part 2 has feature _N/x as float64 of width 2, part 0 has it as float32 of width 2"
    );
    let narrow = Array::new(ArrayType::F32, vec![2], vec![0; 8]).unwrap();
    assert_eq!(
        message(&|parts| parts[1].node_features[0].1 = narrow.clone()),
        "part 1 has feature _N/x as float32 of width 1, part 0 has it as float32 of width 2"
    );
    assert_eq!(
        message(&|parts| parts[1].edge_features.clear()),
        "part 1 has feature _N:_E:_N/edge not at all, part 0 has it as int64 of width 1"
    );
    assert_eq!(
        message(&|parts| parts[1].node_features[3].1 = Array::of_i64(&[1])),
        "part 1: feature \"_N/y\" has 1 rows, expected 2"
    );
    assert_eq!(message(&|parts| parts[1] = parts[0].clone()), "part 0 was given twice");
    assert_eq!(
        message(&|parts| parts[1].targets[0] = 2),
        "part 1: edge 0 of the part: its target is 2, expected 0 to 2 (exclusive)"
    );
    assert_eq!(message(&|parts| parts[1].number = 7), "part 7: parts before it: found 7, expected 2");
    let half = Array::new(ArrayType::F16, vec![2], vec![0; 4]).unwrap();
    assert_eq!(
        message(&|parts| parts[0].node_features[0].1 = half.clone()),
        "part 0: feature _N/x is float16, which batches cannot carry: convert it to float32, float64, int64, int32, uint8 or bool, or leave it out"
    );
    let two = Array::new(ArrayType::Bool, vec![2], vec![1, 2]).unwrap();
    assert_eq!(
        message(&|parts| parts[2].node_features[1].1 = two.clone()),
        "part 2: feature _N/train_mask is bool, but its row 1 has byte 2, expected 0 or 1"
    );
    assert_eq!(
        message(&|parts| parts[0].node_features[3].0 = "_N/owned".into()),
        "part 0: field name \"owned\" is used twice"
    );
    assert_eq!(
        asked(ClusterOptions { features: Some(vec!["z".into()]), ..ClusterOptions::default() }),
        "part 0: there is no feature z, only x, train_mask, small, y, edge"
    );
    assert_eq!(
        asked(ClusterOptions { original_ids: Some(vec![0; 5]), ..ClusterOptions::default() }),
        "original ids of 5 nodes, the partition has 6"
    );
    let some = ClusterOptions { features: Some(vec!["_N/y".into(), "edge".into()]), ..ClusterOptions::default() };
    let chosen = Clusters::new(cut.book(), cut.parts(), &some).unwrap();
    let fields: Vec<_> = chosen.schema().fields().iter().map(|field| (field.name.as_str(), field.level)).collect();
    assert_eq!(fields, [("y", Level::Node), ("owned", Level::Node), ("node_id", Level::Node), ("edge", Level::Edge)]);

    let counts = [vec![1], vec![1]];
    let book = PartitionBook::new(vec!["a".into(), "b".into()], &counts, Vec::new(), &[]);
    let error = Clusters::new(&book, [], &ClusterOptions::default()).unwrap_err().to_string();
    let start = "the partition has 2 types of nodes and 0 types of edges, clusters have one of each: make the graph homogeneous";
    assert!(error.starts_with(start), "{error}");

    let plain = Arc::new(chosen);
    let grouped = |per_group| ClusterGroups::new(plain.clone(), per_group, 1).unwrap_err().to_string();
    assert_eq!(grouped(0), "0 clusters in a group, expected 1 to 3");
    assert_eq!(grouped(4), "4 clusters in a group, expected 1 to 3");
    let halo = ClusterGroups::new(Arc::new(clusters(&cut, true)), 2, 1).unwrap_err().to_string();
    assert_eq!(halo, "clusters with HALO cannot be grouped: make them without, `between` brings the edges back");
    assert_eq!(ClusterGroups::new(plain, 2, 1).unwrap().epoch(0).parts(2), None);
}

#[test]
fn neighbourhoods_that_cannot_be_are_refused() {
    let graph = Arc::new(graph(6, &[[0, 1], [2, 3]]));
    let message = |graph: &Arc<LargeGraph>, seeds: &[i64], change: &dyn Fn(&mut NeighbourOptions)| {
        let mut options = NeighbourOptions { fan_outs: vec![2], ..NeighbourOptions::default() };
        change(&mut options);
        Neighbours::new(graph.clone(), seeds, options).unwrap_err().to_string()
    };
    let none = |_: &mut NeighbourOptions| {};
    assert_eq!(message(&graph, &[0, 6], &none), "seed 1 is node 6, but the graph has 6 nodes");
    assert_eq!(message(&graph, &[-1], &none), "seed 0 is node -1, but the graph has 6 nodes");
    assert_eq!(message(&graph, &[3, 1, 3], &none), "node 3 is seed 0 and seed 2, expected once");
    let no = "fan-outs [2, 0], expected one for each hop, each at least 1";
    assert_eq!(message(&graph, &[0], &|options| options.fan_outs.push(0)), no);
    let no = "fan-outs [], expected one for each hop, each at least 1";
    assert_eq!(message(&graph, &[0], &|options| options.fan_outs.clear()), no);
    let no = "there is no feature edge, only x, train_mask, small, y";
    assert_eq!(message(&graph, &[0], &|options| options.of_seeds.push("edge".into())), no);
    let twice = |options: &mut NeighbourOptions| {
        options.of_seeds.push("y".into());
        options.features = Some(vec!["y".into()]);
    };
    assert_eq!(message(&graph, &[0], &twice), "field name \"y\" is used twice");
    let mut broken = (*graph).clone();
    broken.edge_types[0].targets[1] = 9;
    let no = "edge 1 of _N:_E:_N ends at node 9 of type _N, which has 6 nodes";
    assert_eq!(message(&Arc::new(broken), &[0], &none), no);
    let mut several = (*graph).clone();
    several.node_types.push(NodeType { name: "b".into(), ..NodeType::default() });
    let error = message(&Arc::new(several), &[0], &none);
    assert!(error.starts_with("the graph has 2 types of nodes and 1 of edges, neighbourhoods"), "{error}");
    // Fan-outs whose product is beyond all numbers are limited by the graph.
    let options = NeighbourOptions { fan_outs: vec![u32::MAX; 9], ..NeighbourOptions::default() };
    let neighbours = Neighbours::new(graph, &[1, 0], options).unwrap();
    assert_eq!((neighbours.limits(1).size.0, neighbours.epoch(0).size(0).0), ([64, 64], [2, 1]));
}

/// `cargo test --release --test parts_as_graphs -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn seconds_per_epoch() {
    const NODES: usize = 200_000;
    let mut state = 3_u64;
    let mut end = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % NODES
    };
    let ends: Vec<_> = (0..2_000_000).map(|_| [end(), end()]).collect();
    let mut graph = graph(NODES, &ends);
    let x = Array::new(ArrayType::F32, vec![NODES, 32], vec![0; 128 * NODES]).unwrap();
    graph.node_types[0].features = vec![("x".into(), x)];
    let graph = Arc::new(graph);
    let cut = Cut::new(&graph, &Assignment::random(&graph, 200, 1).unwrap(), 1).unwrap();
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        println!("| {what} | {:.3} s |", start.elapsed().as_secs_f64());
    };
    let mut all = None;
    timed("`Cut::parts`, `Clusters::new`", &mut || all = Some(Arc::new(clusters(&cut, false))));
    let groups = ClusterGroups::new(all.unwrap(), 10, 1).unwrap().between(true);
    timed("`ClusterGroups::epoch`", &mut || assert_eq!(groups.epoch(0).len(), 20));
    let epoch = |source: Arc<dyn Source>, limits| {
        let loader = Loader::new(source).batching(Batching::Dynamic).limits(limits).shuffle(1).workers(0);
        let batches = loader.build().unwrap().epoch(0).inspect(|batch| assert!(batch.is_ok()));
        batches.count()
    };
    let limits = groups.limits_of(0..1);
    timed("its 20 batches", &mut || assert_eq!(epoch(Arc::new(groups.epoch(0)), limits), 20));
    let seeds: Vec<i64> = (0..40_000).collect();
    for fan_outs in [vec![10, 5], vec![15, 10, 5]] {
        let name = format!("{fan_outs:?}");
        let options = NeighbourOptions { fan_outs, ..NeighbourOptions::default() };
        let mut neighbours = None;
        timed(&format!("`Neighbours::new`, {name}"), &mut || {
            neighbours = Neighbours::new(graph.clone(), &seeds, options.clone()).ok();
        });
        let neighbours = neighbours.unwrap();
        let mut drawn = None;
        timed("`epoch`, 40,000 seeds", &mut || drawn = Some(Arc::new(neighbours.epoch(0))));
        let drawn = drawn.unwrap();
        let nodes: u64 = (0..drawn.len()).map(|graph| u64::from(drawn.size(graph).0[0])).sum();
        timed(&format!("its batches of 512, {nodes} nodes"), &mut || {
            assert!(epoch(drawn.clone(), neighbours.limits(512)) >= 79);
        });
    }
}
