//! What holds of parts and of groups of parts as graphs of a loader: every node once, edges of the graph and all of
//! them, one shape.

use super::seen::{Seen, clusters, edges_between, seen, set};
use crate::generated::{larger, telling, telling_graphs, without_outward, write_cut};
use graphpack_loader::{Data, Level, Loader, Options, Order, Source, f16};
use graphpack_partition::pieces::{ClusterOptions, NodeIds};
use graphpack_partition::{Array, ArrayType, Assignment, ClusterGroups, Clusters, Cut, Part, PartitionBook, dgl};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use test_common::batches;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn each_part_is_a_graph((graph, assignment) in telling_graphs()) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let loader = Loader::new(clusters(&cut, false), Options::graphs(2).order(Order::Shuffled).seed(3)).unwrap();
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
    fn parts_with_halo_have_their_owners_features((graph, assignment) in telling_graphs(), hops in 1..3_usize) {
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let node_map = cut.node_map(0);
        let edge_map = cut.edge_map(0);
        let with_halo = ClusterOptions { halo: true, ..ClusterOptions::default() };
        let whole = Clusters::new(cut.book(), cut.parts(), &with_halo).unwrap();
        let without = Clusters::new(cut.book(), cut.parts().map(|part| without_outward(&part)), &with_halo).unwrap();
        let [whole, without] = [whole, without].map(|clusters| Data::from(clusters).fingerprint());
        prop_assert_eq!(whole, without, "as of parts without edges to others");
        let loader = Loader::new(clusters(&cut, true), Options::graphs(2)).unwrap();
        let mut owned = 0;
        for batch in batches(loader.epoch(0)) {
            // Features are compared there.
            for Seen { number, nodes, first, edges } in seen(&batch, "owned") {
                let part = without_outward(&cut.part(number as usize).unwrap());
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
        (graph, assignment) in telling_graphs(), per_group in 1..5_usize, between in any::<bool>(), seed in any::<u64>()
    ) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let per_group = per_group.min(assignment.parts());
        let groups = ClusterGroups::new(Arc::new(clusters(&cut, false)), per_group, seed).unwrap().between(between);
        let part_of = |node: i64| assignment.owner(0, node as usize).unwrap();
        let mut shapes = BTreeSet::new();
        for (limits, epochs) in [(groups.limits(), 0..4), (groups.limits_of(0..2), 0..2)] {
            let options = Options::default().capacity(limits).order(Order::Shuffled).seed(seed).workers(0);
            let loader = Loader::new(groups.clone(), options).unwrap();
            for epoch in epochs {
                let source = groups.epoch(epoch);
                let (mut owned, mut parts) = (Vec::new(), Vec::new());
                for batch in batches(loader.epoch(epoch)) {
                    shapes.insert((batch.shape().nodes(), batch.shape().edges()));
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
}

#[test]
fn a_cluster_of_the_whole_graph_is_the_graph() {
    let graph = larger();
    let cut = Cut::new(&graph, &Assignment::random(&graph, 1, 0).unwrap(), 1).unwrap();
    let loader = Loader::new(clusters(&cut, false), Options::graphs(1)).unwrap();
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
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    // What one process has: its own part, of which the HALO is elsewhere.
    let part = dgl::load_partition(&config, 1).unwrap();
    let alone = Clusters::new(&part.book, [part.part.clone()], &ClusterOptions::default()).unwrap();
    assert_eq!((alone.len(), alone.nodes(), alone.number(0)), (1, 200, 1));
    let halo = ClusterOptions { halo: true, ..ClusterOptions::default() };
    let error = Clusters::new(&part.book, [part.part], &halo).unwrap_err().to_string();
    let expected = "part 1 has nodes or edges of part 0 in its HALO, which was not given: give all parts, or ask for clusters without HALO";
    assert_eq!(error, expected);
}

#[test]
fn float16_features_stay_float16() {
    let graph = telling(6, &[[0, 1], [2, 3], [4, 5], [5, 0]]);
    let cut = Cut::new(&graph, &Assignment::new(3, vec![vec![0, 0, 1, 1, 2, 2]]).unwrap(), 1).unwrap();
    let x = [0.5, -2.0, 3.25, 65504.0].map(f16::from_f32);
    let half = Array::new(ArrayType::F16, vec![2, 2], x.iter().flat_map(|x| x.to_le_bytes()).collect()).unwrap();
    let parts = cut.parts().map(|mut part| {
        part.node_features[0].1 = half.clone();
        part
    });
    let clusters = Clusters::new(cut.book(), parts, &ClusterOptions::default()).unwrap();
    let loader = Loader::new(clusters, Options::graphs(1)).unwrap();
    for batch in batches(loader.epoch(0)) {
        assert_eq!(batch.get::<f16>("x").unwrap()[..4], x);
    }
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let graph = telling(6, &[[0, 1], [2, 3], [4, 5], [5, 0]]);
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
    assert_eq!(message(&|parts| parts[1].number = 7), "part 7: largest number of a part: found 7, expected 2");
    let short = Array::new(ArrayType::I16, vec![2], vec![0; 4]).unwrap();
    assert_eq!(
        message(&|parts| parts[0].node_features[0].1 = short.clone()),
        "part 0: feature _N/x is int16, which batches cannot carry: convert it to float16, float32, float64, int64, int32, uint8 or bool, or leave it out"
    );
    let two = Array::new(ArrayType::Bool, vec![2], vec![1, 2]).unwrap();
    assert_eq!(
        message(&|parts| parts[2].node_features[1].1 = two.clone()),
        "part 2: feature _N/train_mask is bool, but its row 1 has byte 2, expected 0 or 1"
    );
    assert_eq!(
        message(&|parts| parts[0].node_features[3].0 = "_N/owned".into()),
        "part 0: name \"owned\" is used twice"
    );
    assert_eq!(
        asked(ClusterOptions { features: Some(vec!["z".into()]), ..ClusterOptions::default() }),
        "part 0: there is no feature z, only x, train_mask, small, y, edge"
    );
    assert_eq!(
        asked(ClusterOptions { node_ids: NodeIds::Original([vec![0; 5]].into()), ..ClusterOptions::default() }),
        "original ids of 5 nodes of type _N, the partition has 6"
    );
    let some = ClusterOptions { features: Some(vec!["_N/y".into(), "edge".into()]), ..ClusterOptions::default() };
    let chosen = Clusters::new(cut.book(), cut.parts(), &some).unwrap();
    let fields: Vec<_> = chosen.schema().fields().iter().map(|field| (field.name.as_str(), field.level)).collect();
    assert_eq!(fields, [("y", Level::NODE), ("owned", Level::NODE), ("node_id", Level::NODE), ("edge", Level::EDGE)]);

    let name = ["a".into(), "r".into(), "c".into()];
    let book = PartitionBook::new(vec!["a".into()], &[vec![1]], vec![name], &[]);
    let error = Clusters::new(&book, [], &ClusterOptions::default()).unwrap_err().to_string();
    assert_eq!(error, "edges a:r:c end at nodes of type c, which does not exist");
    assert_eq!(
        asked(ClusterOptions { node_ids: NodeIds::Files, ..ClusterOptions::default() }),
        "original ids are to be read from files, but the parts are in memory: give the ids (NodeIds::Original)"
    );

    let plain = Arc::new(chosen);
    let grouped = |per_group| ClusterGroups::new(plain.clone(), per_group, 1).unwrap_err().to_string();
    assert_eq!(grouped(0), "0 clusters in a group, expected 1 to 3");
    assert_eq!(grouped(4), "4 clusters in a group, expected 1 to 3");
    let halo = ClusterGroups::new(Arc::new(clusters(&cut, true)), 2, 1).unwrap_err().to_string();
    assert_eq!(halo, "clusters with HALO cannot be grouped: make them without, `between` brings the edges back");
    assert_eq!(ClusterGroups::new(plain, 2, 1).unwrap().epoch(0).parts(2), None);
}
