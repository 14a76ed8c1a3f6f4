//! What holds of sampled neighbourhoods as graphs of a loader: a sample of the edges of the graph, each root once, one
//! shape.

use super::seen::{Seen, edges_between, seen, set};
use crate::generated::{telling, telling_graphs};
use graphpack_loader::{Data, Loader, Options, Order};
use graphpack_partition::pieces::NeighbourOptions;
use graphpack_partition::{LargeGraph, Neighbours, NodeType};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use test_common::batches;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn neighbourhoods_are_samples(
        (graph, _) in telling_graphs(), fan_outs in proptest::collection::vec(1..5_u32, 1..4), seed in any::<u64>(),
        sorted in any::<bool>(),
    ) {
        let nodes = graph.nodes() as i64;
        let graph = Arc::new(graph);
        let roots: Vec<i64> = (0..nodes).rev().filter(|node| node % 2 == 0).collect();
        let of_roots = vec!["y".to_owned()];
        let fan_outs_given = fan_outs.clone();
        let options = NeighbourOptions { fan_outs: fan_outs_given, seed, of_roots, ..NeighbourOptions::default() };
        let neighbours = Neighbours::new(graph.clone(), &roots, options).unwrap();
        let limits = neighbours.limits(5);
        let all = edges_between(&graph, |_, _| true);
        let degree = |node: i64| all.iter().filter(|(_, [_, to])| *to == node).count();
        let data = Data::from(neighbours);
        let data = if sorted { data.sorted_by("edge_index", 1).unwrap() } else { data };
        let loader = Loader::new(data, Options::default().capacity(limits).order(Order::Shuffled).seed(1).workers(0)).unwrap();
        let mut shapes = BTreeSet::new();
        for epoch in 0..3 {
            let mut met = Vec::new();
            for batch in batches(loader.epoch(epoch)) {
                shapes.insert((batch.shape().nodes(), batch.shape().edges(), batch.shape().graphs()));
                prop_assert!(batch.real().graphs() <= 5);
                prop_assert!(!sorted || batch.edge_index::<i64>().unwrap().1.is_sorted());
                let labels = batch.get::<i64>("y").unwrap().to_vec();
                for (graph, Seen { number, nodes, first, edges }) in seen(&batch, "root").into_iter().enumerate() {
                    let root = roots[number as usize];
                    prop_assert_eq!((nodes[0], labels[graph]), (root, 5 * root));
                    prop_assert_eq!(first.iter().position(|root| *root), Some(0));
                    prop_assert_eq!(first.iter().filter(|root| **root).count(), 1);
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
            prop_assert_eq!(&met, &roots, "each root once");
        }
        prop_assert!(shapes.len() == 1);
    }
}

#[test]
fn neighbourhoods_that_cannot_be_are_refused() {
    let graph = Arc::new(telling(6, &[[0, 1], [2, 3]]));
    let message = |graph: &Arc<LargeGraph>, roots: &[i64], change: &dyn Fn(&mut NeighbourOptions)| {
        let mut options = NeighbourOptions { fan_outs: vec![2], ..NeighbourOptions::default() };
        change(&mut options);
        Neighbours::new(graph.clone(), roots, options).unwrap_err().to_string()
    };
    let none = |_: &mut NeighbourOptions| {};
    assert_eq!(message(&graph, &[0, 6], &none), "root 1 is node 6 of type _N, expected a number below 6");
    assert_eq!(message(&graph, &[-1], &none), "root 0 is node -1 of type _N, expected a number below 6");
    assert_eq!(message(&graph, &[3, 1, 3], &none), "node 3 is root 0 and root 2, expected once");
    let no = "fan-outs [2, 0], expected one for each hop, each at least 1";
    assert_eq!(message(&graph, &[0], &|options| options.fan_outs.push(0)), no);
    let no = "fan-outs [], expected one for each hop, each at least 1";
    assert_eq!(message(&graph, &[0], &|options| options.fan_outs.clear()), no);
    let no = "there is no feature edge, only x, train_mask, small, y";
    assert_eq!(message(&graph, &[0], &|options| options.of_roots.push("edge".into())), no);
    let twice = |options: &mut NeighbourOptions| {
        options.of_roots.push("y".into());
        options.features = Some(vec!["y".into()]);
    };
    assert_eq!(message(&graph, &[0], &twice), "name \"y\" is used twice");
    let mut broken = (*graph).clone();
    broken.edge_types[0].targets[1] = 9;
    let no = "edge 1 of _N:_E:_N ends at node 9 of type _N, which has 6 nodes";
    assert_eq!(message(&Arc::new(broken), &[0], &none), no);
    let mut several = (*graph).clone();
    several.node_types.push(NodeType { name: "b".into(), ..NodeType::default() });
    let error = message(&Arc::new(several), &[0], &none);
    assert_eq!(error, r#"roots are nodes of type None, expected one of ["_N", "b"]"#);
    // Fan-outs whose product is beyond all numbers are limited by the graph.
    let options = NeighbourOptions { fan_outs: vec![u32::MAX; 9], ..NeighbourOptions::default() };
    let neighbours = Neighbours::new(graph, &[1, 0], options).unwrap();
    let first = Data::from(neighbours.epoch(0)).size(0).unwrap();
    assert_eq!((neighbours.limits(1).size, first), ([64, 64].into(), [2, 1].into()));
}
