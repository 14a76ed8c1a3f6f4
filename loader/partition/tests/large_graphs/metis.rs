//! Parts by METIS: few edges between them, equal parts; and nothing that makes the library misbehave gets to it.

use crate::generated::{graphs, larger};
use crate::real;
use graphpack_partition::assign::{Balance, Metis};
use graphpack_partition::{Array, ArrayType, Assignment, EdgeType, LargeGraph, NodeType};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn balances() -> [Balance; 4] {
    let by_mask = || Balance::new().field("train_mask");
    [Balance::new(), Balance::new().edges(true), by_mask(), by_mask().edges(true)]
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_parts_of_real_graphs_are_equal_and_cut_few_edges() {
    for name in ["pubmed", "email_enron"] {
        let Some(graph) = real::graph(name) else { continue };
        for parts in [2, 4, 8, 16] {
            for balance in balances() {
                let metis = Metis::new(parts).balance(balance.clone()).seed(1);
                let quality = |assignment: &Assignment| balance.quality(&graph, assignment).unwrap();
                let by_chance = quality(&Assignment::random(&graph, parts, 1).unwrap());
                let assignment = metis.assign(&graph).unwrap();
                let quality = quality(&assignment);
                assert!(quality.edge_cut < by_chance.edge_cut);
                let of_edges_alone = balance == Balance::new().edges(true);
                let balanced = quality.imbalance.iter().filter(|(name, _)| !of_edges_alone || name == "in-edges");
                for (constraint, imbalance) in balanced {
                    assert!(*imbalance <= 1.05, "{constraint}: {imbalance}");
                }
                assert_eq!(metis.assign(&graph).unwrap(), assignment, "same seed, same parts");
            }
        }
    }
}

#[test]
fn few_nodes_that_parts_send_each_other_are_another_aim_than_few_edges() {
    // Random edges, so that no assignment is best by both.
    let end = |at: i64, by: i64| (at * by % 1009 + at / 7) % 200;
    let (sources, targets) = (0..2000).map(|at| (end(at, 383), end(at, 677))).unzip();
    let node = NodeType { name: "_N".into(), nodes: 200, ..NodeType::default() };
    let name = ["_N".into(), "_E".into(), "_N".into()];
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    let graph = LargeGraph { name: "graph".into(), node_types: vec![node], edge_types: vec![edge] };
    let assigned = |volume: bool| Metis::new(4).volume(volume).assign(&graph).unwrap();
    // For each node, the other parts that its neighbours are in: METIS's total volume.
    let volume = |assignment: &Assignment| {
        let EdgeType { sources, targets, .. } = &graph.edge_types[0];
        let part = |node: i64| assignment.owners()[0][node as usize];
        let both = sources.iter().zip(targets).flat_map(|(&from, &to)| [(from, part(to)), (to, part(from))]);
        both.filter(|&(node, other)| part(node) != other).collect::<BTreeSet<_>>().len()
    };
    let cut = |assignment: &Assignment| Balance::new().quality(&graph, assignment).unwrap().edge_cut;
    let [by_cut, by_volume] = [assigned(false), assigned(true)];
    assert!(volume(&by_volume) < volume(&by_cut), "{} {}", volume(&by_volume), volume(&by_cut));
    assert!(cut(&by_volume) > cut(&by_cut), "{} {}", cut(&by_volume), cut(&by_cut));
}

/// A clique of 30 nodes, a ring of 870 and an edge between them: by edges each is half of the graph.
#[test]
fn edges_are_balanced_in_place_of_nodes_where_there_is_one_type() {
    let clique = (0..30).flat_map(|from| (0..30).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let ring = (30..900).map(|node| (node, 30 + (node - 29) % 870));
    let (sources, targets) = clique.chain(ring).chain([(0, 30)]).unzip();
    let one = ("one".to_owned(), Array::of_i64(&[1; 900]));
    let node = NodeType { name: "_N".into(), nodes: 900, features: vec![one] };
    let name = ["_N", "_E", "_N"].map(String::from);
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
    let quality = |balance: Balance| {
        let assignment = Metis::new(2).balance(balance.clone()).assign(&graph).unwrap();
        let quality = balance.quality(&graph, &assignment).unwrap();
        let names: Vec<_> = quality.imbalance.iter().map(|(name, _)| name.clone()).collect();
        (quality.edge_cut, names, [quality.imbalance[0].1, quality.imbalance[1].1])
    };
    let (edge_cut, names, [nodes, edges]) = quality(Balance::new().edges(true));
    assert_eq!((edge_cut, names), (1, vec!["nodes".to_owned(), "in-edges".to_owned()]));
    assert!(nodes > 1.9 && edges < 1.01, "{nodes} {edges}");
    let (edge_cut, _, both) = quality(Balance::new().field("one").edges(true));
    assert!(edge_cut > 100 && both.iter().all(|most| *most <= 1.05), "{edge_cut} {both:?}");
    // Of several types, as in DGL, nodes are balanced, too.
    let mut typed = graph.clone();
    let name = ["_N", "other", "_N"].map(String::from);
    typed.edge_types.push(EdgeType { name, sources: vec![], targets: vec![], features: vec![] });
    let assignment = Metis::new(2).balance(Balance::new().edges(true)).assign(&typed).unwrap();
    assert!(Balance::new().quality(&typed, &assignment).unwrap().worst() <= 1.05);
}

/// METIS handles SIGTERM by a jump in whatever thread gets it: here the process goes on to handle it itself.
#[cfg(unix)]
#[test]
fn signals_reach_the_process_and_not_metis() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn seen(_: libc::c_int) {
        SEEN.fetch_add(1, Ordering::Relaxed);
    }
    let handler: extern "C" fn(libc::c_int) = seen;
    // SAFETY: the handler only counts.
    unsafe { libc::signal(libc::SIGTERM, handler as libc::sighandler_t) };
    let graph = larger();
    let expected = Metis::new(7).assign(&graph).unwrap();
    let mut sent = 0;
    std::thread::scope(|scope| {
        let assigned = scope.spawn(|| (0..10).map(|_| Metis::new(7).assign(&graph)).collect::<Vec<_>>());
        while !assigned.is_finished() {
            // SAFETY: sends a signal that the process handles.
            unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
            sent += 1;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        for assigned in assigned.join().unwrap() {
            assert_eq!(assigned.as_ref().ok(), Some(&expected));
        }
    });
    assert!(sent > 0 && SEEN.load(Ordering::Relaxed) > 0, "{sent} sent");
}

/// Three labels of nodes and edges, which are what balances go by.
fn labels(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    let labels = proptest::collection::vec(0..3_i64, rows);
    labels.prop_map(|labels| vec![("label".to_owned(), Array::of_i64(&labels))]).boxed()
}

#[test]
fn what_metis_cannot_do_has_a_message() {
    let node = |name: &str, nodes, features| NodeType { name: name.into(), nodes, features };
    let graph = |nodes| LargeGraph { name: "g".into(), node_types: nodes, edge_types: Vec::new() };
    let plain = graph(vec![node("a", 3, Vec::new())]);
    let message = |graph: &LargeGraph, metis: Metis| metis.assign(graph).unwrap_err().to_string();
    assert_eq!(message(&plain, Metis::new(0)), "0 parts, expected 1 to 65536");
    assert_eq!(message(&plain, Metis::new(70_000)), "70000 parts, expected 1 to 65536");
    assert_eq!(message(&plain, Metis::new(4)), "4 parts of 3 nodes: METIS needs at least one for each part");
    assert_eq!(message(&plain, Metis::new(2).tolerance(1.0)), "a tolerance of 1, expected more than 1");
    let by_field = |field: &str| Metis::new(2).balance(Balance::new().field(field));
    assert_eq!(message(&plain, by_field("train_mask")), "no type of nodes has a feature train_mask");

    let floats = Array::new(ArrayType::F32, vec![3], vec![0; 12]).unwrap();
    let many = Array::of_i64(&(0..40).collect::<Vec<_>>());
    let fields = graph(vec![node("a", 3, vec![("x".into(), floats)]), node("b", 40, vec![("y".into(), many)])]);
    let expected = "feature a/x is float32 of shape [3], expected one bool or integer per node";
    assert_eq!(message(&fields, by_field("x")), expected);
    let expected = "more than 32 groups of nodes to balance: feature b/y has too many values";
    assert_eq!(message(&fields, by_field("y")), expected);
    let expected = "3000000000 nodes, METIS takes at most 2147483647";
    assert_eq!(message(&graph(vec![node("a", 3_000_000_000, Vec::new())]), Metis::new(2)), expected);

    let alone = Metis::new(1).assign(&plain).unwrap();
    assert_eq!(alone.owners(), [[0, 0, 0]]);
    let nothing = graph(vec![node("a", 0, Vec::new())]);
    assert_eq!(Metis::new(1).assign(&nothing).unwrap().owners(), [[0_u16; 0]]);
    // Two cliques of 30 and 70 nodes with an edge between them: METIS cuts that one alone if it may.
    let within =
        |nodes: std::ops::Range<i64>| nodes.clone().flat_map(move |from| nodes.clone().map(move |to| (from, to)));
    let (sources, targets) =
        within(0..30).chain(within(30..100)).chain([(0, 30)]).filter(|(from, to)| from != to).unzip();
    let name = ["a", "r", "a"].map(String::from);
    let edge_types = vec![EdgeType { name, sources, targets, features: Vec::new() }];
    let cliques = LargeGraph { edge_types, ..graph(vec![node("a", 100, Vec::new())]) };
    let quality = |metis: Metis| Balance::new().quality(&cliques, &metis.assign(&cliques).unwrap()).unwrap();
    let (even, uneven) = (quality(Metis::new(2)), quality(Metis::new(2).tolerance(1.5)));
    assert!(even.worst() <= 1.05 && even.edge_cut > 100, "{even:?}");
    assert!((uneven.worst() - 1.4).abs() < 1e-9 && uneven.edge_cut == 1, "{uneven:?}");
    let isolated = graph(vec![node("a", 100, Vec::new())]);
    let balance = Balance::new().edges(true);
    let assignment = Metis::new(4).balance(balance.clone()).assign(&isolated).unwrap();
    let quality = balance.quality(&isolated, &assignment).unwrap();
    assert_eq!(quality.imbalance.len(), 1, "nothing to balance where there are no edges");
    assert!(quality.worst() <= 1.05 + 1e-9, "{quality:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_graphs_and_many_parts_are_no_trouble(
        graph in graphs("any", "r", labels), parts in 1..40_usize, field in any::<bool>(), edges in any::<bool>(), seed in any::<u64>(),
    ) {
        let balance = if field { Balance::new().field("label") } else { Balance::new() }.edges(edges);
        match Metis::new(parts).balance(balance.clone()).seed(seed).assign(&graph) {
            Ok(assignment) => {
                assignment.check(&graph).unwrap();
                let quality = balance.quality(&graph, &assignment).unwrap();
                prop_assert!(quality.edge_cut <= quality.edges);
                prop_assert!(quality.imbalance.iter().all(|(_, imbalance)| imbalance.is_finite() && *imbalance >= 0.99));
            }
            Err(error) => {
                let nodes = graph.nodes();
                prop_assert!(nodes < parts, "{error}");
                prop_assert_eq!(error.to_string(), format!("{parts} parts of {nodes} nodes: METIS needs at least one for each part"));
            }
        }
    }
}
