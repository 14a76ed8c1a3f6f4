//! What holds of graphs with several types that are made homogeneous: every node and edge once, features with them, the
//! way back; and batches of groups of parts, compared with the typed graph the slow way.

use crate::generated::{array, graphs};
use graphpack_loader::{Batch, Level, Loader, Options, Order, Random};
use graphpack_partition::pieces::ClusterOptions;
use graphpack_partition::{
    Array, ArrayType, Assignment, ClusterGroups, Clusters, Cut, EdgeType, Fill, Homogeneous, LargeGraph, NodeType,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use test_common::batches;

/// `x` is everywhere and alike, `y` is here and there, `z` may differ.
fn features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    let y = proptest::option::of(Just((ArrayType::I64, vec![])));
    let z = (prop_oneof![Just(ArrayType::F16), Just(ArrayType::Bool)], prop_oneof![Just(vec![]), Just(vec![3])]);
    let z = proptest::option::weighted(0.8, z);
    let all = (Just(Some((ArrayType::F32, vec![2]))), y, z, any::<u8>());
    let all = all.prop_map(move |(x, y, z, seed)| {
        let named = [("x", x), ("y", y), ("z", z)].into_iter();
        let made =
            |(element, row): (ArrayType, Vec<usize>)| array(element, [rows].into_iter().chain(row).collect(), seed);
        named.filter_map(|(name, kind)| Some((name.to_owned(), made(kind?)))).collect()
    });
    all.boxed()
}

fn integers(features: &[(String, Array)], name: &str) -> Vec<i64> {
    let array = find(features, name).unwrap();
    assert_eq!((array.element(), array.shape().len()), (ArrayType::I64, 1));
    array.bytes().as_chunks::<8>().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()
}

fn find<'a>(features: &'a [(String, Array)], name: &str) -> Option<&'a Array> {
    features.iter().find(|(feature, _)| feature == name).map(|(_, array)| array)
}

/// Type and number of each row.
fn origins(features: &[(String, Array)], level: &str) -> Vec<(usize, usize)> {
    let types = integers(features, &format!("{level}_type"));
    let numbers = integers(features, &format!("{level}_within_type"));
    types.iter().zip(numbers).map(|(&kind, number)| (kind as usize, number as usize)).collect()
}

fn row(array: &Array, row: usize) -> &[u8] {
    &array.bytes()[row * array.row_bytes()..(row + 1) * array.row_bytes()]
}

/// Name, rows and features.
type Type<'a> = (String, usize, &'a [(String, Array)]);

/// Each row of each type once, where it should be; features with their rows, or left out, or filled.
fn same_rows(made: &Homogeneous, joined: &[(String, Array)], level: Level, types: &[Type<'_>], filled: bool) {
    let (name, starts) = if level == Level::NODE { ("node", &made.node_starts) } else { ("edge", &made.edge_starts) };
    let origins = origins(joined, name);
    let expected = types.iter().enumerate().flat_map(|(kind, (_, rows, _))| (0..*rows).map(move |row| (kind, row)));
    assert_eq!(origins, expected.collect::<Vec<_>>());
    assert_eq!(starts.len(), types.len() + 1);
    assert_eq!(*starts.last().unwrap() as usize, origins.len());
    for (at, &(kind, number)) in origins.iter().enumerate() {
        assert_eq!(starts[kind] as usize + number, at);
    }
    for feature in ["x", "y", "z"] {
        let of: Vec<_> = types.iter().map(|(_, _, features)| find(features, feature)).collect();
        let kinds: BTreeSet<_> =
            of.iter().flatten().map(|array| (array.element().to_string(), array.shape()[1..].to_vec())).collect();
        let missing = of.iter().zip(types).any(|(array, (_, rows, _))| array.is_none() && *rows > 0);
        let left_out = made.left_out.iter().find(|left| (left.level, left.feature.as_str()) == (level, feature));
        let Some(array) = find(joined, feature) else {
            assert_eq!(kinds.is_empty(), left_out.is_none(), "nothing is lost in silence");
            assert!(kinds.len() != 1 || missing && !(filled && feature == "y"));
            let Some(left_out) = left_out else { continue };
            let names: Vec<_> = types.iter().map(|(name, ..)| name.clone()).collect();
            assert_eq!(left_out.types.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
            assert!(left_out.types.iter().zip(&of).all(|((_, kind), array)| kind.is_some() == array.is_some()));
            continue;
        };
        assert!(kinds.len() == 1 && left_out.is_none());
        assert_eq!(array.rows(), origins.len());
        for (at, &(kind, number)) in origins.iter().enumerate() {
            match of[kind] {
                Some(of) => assert_eq!(row(array, at), row(of, number)),
                None => assert_eq!(row(array, at), (-1_i64).to_le_bytes()),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_node_and_edge_is_there_once_with_its_features(graph in graphs("any", "r", features), filled in any::<bool>()) {
        let of_nodes = graph.node_types.iter().any(|kind| find(&kind.features, "y").is_some());
        let of_edges = graph.edge_types.iter().any(|kind| find(&kind.features, "y").is_some());
        let levels = [(Level::NODE, of_nodes), (Level::EDGE, of_edges)];
        let fill: Vec<_> = levels.iter().filter(|(_, has_y)| filled && *has_y).map(|&(level, _)| (level, "y", Fill::Dummy)).collect();
        let made = graph.to_homogeneous_with(&fill).unwrap();
        prop_assert!(made.graph.check().is_ok());
        prop_assert_eq!(&made.graph.name, &graph.name);
        let ([node], [edge]) = (&made.graph.node_types[..], &made.graph.edge_types[..]) else { panic!("one of each") };
        prop_assert_eq!((node.name.clone(), edge.file_name()), ("_N".to_owned(), "_N:_E:_N".to_owned()));

        let nodes: Vec<_> = graph.node_types.iter().map(|of| (of.name.clone(), of.nodes, &of.features[..])).collect();
        let edges: Vec<_> =
            graph.edge_types.iter().map(|of| (of.file_name(), of.sources.len(), &of.features[..])).collect();
        same_rows(&made, &node.features, Level::NODE, &nodes, filled);
        same_rows(&made, &edge.features, Level::EDGE, &edges, filled);

        // Back, through types and numbers alone.
        let (of_nodes, of_edges) = (origins(&node.features, "node"), origins(&edge.features, "edge"));
        prop_assert_eq!(of_edges.len(), edge.sources.len());
        for (at, &(kind, number)) in of_edges.iter().enumerate() {
            let of = &graph.edge_types[kind];
            let end = |name: &str, node: i64| {
                (graph.node_types.iter().position(|kind| kind.name == name).unwrap(), node as usize)
            };
            prop_assert_eq!(of_nodes[edge.sources[at] as usize], end(&of.name[0], of.sources[number]));
            prop_assert_eq!(of_nodes[edge.targets[at] as usize], end(&of.name[2], of.targets[number]));
        }
    }
}

/// 40 authors, 60 papers and 5 fields; three relations and a feature of each level that tell where they are from, and
/// `feat` of papers.
fn typed() -> LargeGraph {
    let counts = [40, 60, 5];
    let code = |kind: usize, rows: usize| {
        let ids: Vec<i64> = (0..rows as i64).map(|row| 1000 * kind as i64 + row).collect();
        Array::of_i64(&ids)
    };
    let mut node_types: Vec<NodeType> = ["author", "paper", "field"]
        .into_iter()
        .zip(counts)
        .enumerate()
        .map(|(kind, (name, nodes))| NodeType {
            name: name.into(),
            nodes,
            features: vec![("code".into(), code(kind, nodes))],
        })
        .collect();
    node_types[1].features.push(("feat".into(), array(ArrayType::F32, vec![60, 4], 3)));
    let mut random = Random::new(5, 0);
    let mut end = |nodes: usize| i64::from(random.below(nodes as u32));
    let relations = [(0, "writes", 1, 150), (1, "cites", 1, 200), (1, "about", 2, 90), (2, "of", 1, 90)];
    let edge_types = relations.into_iter().enumerate().map(|(kind, (from, relation, to, edges))| EdgeType {
        name: [&node_types[from].name, relation, &node_types[to].name].map(String::from),
        sources: (0..edges).map(|_| end(counts[from])).collect(),
        targets: (0..edges).map(|_| end(counts[to])).collect(),
        features: vec![("link".into(), code(kind, edges))],
    });
    let edge_types = edge_types.collect();
    LargeGraph { name: "mag".into(), node_types, edge_types }
}

/// A node of the typed graph by its type and number; an edge likewise, with its ends.
type Node = (String, i64);
type Edge = (String, i64, Node, Node);

/// The slow way: edges of the typed graph both of whose ends are accepted.
fn edges_between(graph: &LargeGraph, accept: impl Fn(&Node, &Node) -> bool) -> BTreeSet<Edge> {
    let mut all = BTreeSet::new();
    for of in &graph.edge_types {
        for (edge, (&source, &target)) in of.sources.iter().zip(&of.targets).enumerate() {
            let (source, target) = ((of.name[0].clone(), source), (of.name[2].clone(), target));
            if accept(&source, &target) {
                all.insert((of.file_name(), edge as i64, source, target));
            }
        }
    }
    all
}

/// Nodes and edges of each graph of a batch, as the typed graph calls them; features are compared on the way.
fn typed_again(batch: &Batch, graph: &LargeGraph) -> Vec<(Vec<Node>, BTreeSet<Edge>)> {
    let integers = |field: &str| batch.get::<i64>(field).unwrap();
    let (types, numbers, codes) = (integers("node_type"), integers("node_within_type"), integers("code"));
    let (edge_types, edge_numbers, links) = (integers("edge_type"), integers("edge_within_type"), integers("link"));
    let feat = batch.get::<f32>("feat").unwrap();
    let node = |row: usize| (graph.node_types[types[row] as usize].name.clone(), numbers[row]);
    for row in 0..batch.real().nodes() {
        assert_eq!(codes[row], 1000 * types[row] + numbers[row]);
        let of = find(&graph.node_types[types[row] as usize].features, "feat");
        let expected = of.map_or(vec![0; 16], |of| self::row(of, numbers[row] as usize).to_vec());
        let found: Vec<u8> = feat[4 * row..4 * row + 4].iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(found, expected);
    }
    let (sources, targets) = batch.edge_index::<i64>().unwrap();
    let (ptr, of_node) = (batch.ptr::<i64>().unwrap(), batch.batch::<i64>().unwrap());
    let edge = |row: usize| {
        assert_eq!(links[row], 1000 * edge_types[row] + edge_numbers[row]);
        let name = graph.edge_types[edge_types[row] as usize].file_name();
        (name, edge_numbers[row], node(sources[row] as usize), node(targets[row] as usize))
    };
    let graphs = (0..batch.real().graphs()).map(|number| {
        let own = (0..batch.real().edges()).filter(|&edge| of_node[sources[edge] as usize] == number as i64);
        let (rows, edges) = (own.clone().count(), own.map(edge).collect::<BTreeSet<_>>());
        assert_eq!(edges.len(), rows, "no edge twice");
        ((ptr[number]..ptr[number + 1]).map(|row| node(row as usize)).collect(), edges)
    });
    graphs.collect()
}

#[test]
fn groups_of_clusters_have_the_edges_of_all_types_between_their_nodes() {
    let graph = typed();
    let Homogeneous { graph: one, left_out, .. } =
        graph.to_homogeneous_with(&[(Level::NODE, "feat", Fill::Zeros)]).unwrap();
    assert!(left_out.is_empty());
    let assignment = Assignment::random(&one, 7, 3).unwrap();
    let cut = Cut::new(&one, &assignment, 1).unwrap();
    let clusters = Clusters::new(cut.book(), cut.parts(), &ClusterOptions::default()).unwrap();
    let groups = ClusterGroups::new(Arc::new(clusters), 3, 11).unwrap().between(true);
    let limits = groups.limits();
    let loader = Loader::new(groups, Options::default().capacity(limits).order(Order::Shuffled).seed(11)).unwrap();
    for epoch in 0..3 {
        let mut met = Vec::new();
        for batch in batches(loader.epoch(epoch)) {
            for (nodes, edges) in typed_again(&batch, &graph) {
                assert_eq!(edges, edges_between(&graph, |from, to| nodes.contains(from) && nodes.contains(to)));
                met.extend(nodes);
            }
        }
        let all: BTreeSet<Node> = met.iter().cloned().collect();
        assert_eq!((met.len(), all.len()), (105, 105), "every node once");
    }
}

#[test]
fn what_is_missing_is_left_out_or_filled_as_asked() {
    let mut graph = typed();
    let made = graph.to_homogeneous().unwrap();
    let left_out: Vec<_> = made.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["feature feat of nodes: none in author, float32 [4] in paper, none in field"]);
    let names: Vec<_> = made.graph.node_types[0].features.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["node_type", "node_within_type", "code"]);

    for (element, dummy) in [
        (ArrayType::I8, vec![255]),
        (ArrayType::I16, vec![255; 2]),
        (ArrayType::I32, vec![255; 4]),
        (ArrayType::I64, vec![255; 8]),
        (ArrayType::U8, vec![255]),
        (ArrayType::U16, vec![255; 2]),
        (ArrayType::U32, vec![255; 4]),
        (ArrayType::U64, vec![255; 8]),
        (ArrayType::F16, 0x7E00_u16.to_le_bytes().to_vec()),
        (ArrayType::F32, f32::NAN.to_le_bytes().to_vec()),
        (ArrayType::F64, f64::NAN.to_le_bytes().to_vec()),
        (ArrayType::Bool, vec![0]),
    ] {
        graph.node_types[1].features[1].1 = array(element, vec![60, 2], 1);
        for (fill, expected) in [(Fill::Zeros, vec![0; element.bytes()]), (Fill::Dummy, dummy)] {
            let filled = graph.to_homogeneous_with(&[(Level::NODE, "feat", fill)]).unwrap();
            let feat = find(&filled.graph.node_types[0].features, "feat").unwrap();
            assert_eq!((feat.element(), feat.shape()), (element, &[105, 2][..]));
            assert!((0..40).chain(100..105).all(|node| row(feat, node) == expected.repeat(2)), "{element}");
            assert_eq!(
                feat.bytes()[40 * feat.row_bytes()..100 * feat.row_bytes()],
                *graph.node_types[1].features[1].1.bytes()
            );
        }
    }
}

#[test]
fn graphs_without_types_or_nodes_or_with_one_of_each_are_fine() {
    let none = LargeGraph { name: "none".into(), ..LargeGraph::default() };
    let made = none.to_homogeneous().unwrap();
    assert_eq!((made.graph.nodes(), made.graph.edges(), made.graph.node_types.len()), (0, 0, 1));
    assert_eq!((made.node_starts, made.edge_starts), (vec![0], vec![0]));
    let one = typed().to_homogeneous_with(&[(Level::NODE, "feat", Fill::Zeros)]).unwrap().graph;
    let mut renamed = one.clone();
    let own = |features: &mut Vec<(String, Array)>| features.drain(..2).for_each(drop);
    own(&mut renamed.node_types[0].features);
    own(&mut renamed.edge_types[0].features);
    let again = renamed.to_homogeneous().unwrap();
    assert_eq!(again.graph.edge_types[0].sources, one.edge_types[0].sources);
    assert_eq!(again.graph.node_types[0].features[2..], one.node_types[0].features[2..]);
}

#[test]
fn what_cannot_be_made_homogeneous_is_refused() {
    let message = |change: &dyn Fn(&mut LargeGraph), fill: &[(Level, &str, Fill)]| {
        let mut graph = typed();
        change(&mut graph);
        graph.to_homogeneous_with(fill).unwrap_err().to_string()
    };
    let keep = |_: &mut LargeGraph| {};
    assert_eq!(
        message(&keep, &[(Level::NODE, "feat", Fill::Zeros), (Level::EDGE, "fate", Fill::Zeros)]),
        "edges have no feature fate to be filled, only link"
    );
    for level in [Level::Graph, Level::Set(2)] {
        let expected = "levels other than nodes and edges have no feature link to be filled";
        assert_eq!(message(&keep, &[(level, "link", Fill::Zeros)]), expected);
    }
    assert_eq!(
        message(&keep, &[(Level::EDGE, "link", Fill::Zeros), (Level::EDGE, "link", Fill::Dummy)]),
        "feature link of edges: expected one way to fill it, found two"
    );
    assert_eq!(
        message(&|graph| graph.node_types[2].features[0].0 = "node_type".into(), &[]),
        "feature field/node_type has a name that the homogeneous graph keeps types under: rename it"
    );
    assert_eq!(
        message(&|graph| graph.edge_types[1].features[0].0 = "edge_within_type".into(), &[]),
        "feature paper:cites:paper/edge_within_type has a name that the homogeneous graph keeps types under: rename it"
    );
    assert_eq!(
        message(&|graph| graph.node_types[1].features[1].0 = "code".into(), &[]),
        "there are two features paper/code"
    );
    assert_eq!(
        message(
            &|graph| graph.node_types[2].features.push(("feat".into(), array(ArrayType::F64, vec![5], 1))),
            &[(Level::NODE, "feat", Fill::Dummy)]
        ),
        "feature feat of nodes: none in author, float32 [4] in paper, float64 [] in field: it cannot be filled"
    );
    assert_eq!(
        message(&|graph| graph.edge_types[0].targets[3] = 60, &[]),
        "edge 3 of author:writes:paper ends at node 60 of type paper, which has 60 nodes"
    );
    // Rows of a size that only a type without any can have.
    for width in [1 << 50, usize::MAX] {
        let wide = |graph: &mut LargeGraph| {
            let wide = Array::new(ArrayType::I8, vec![0, width], Vec::new()).unwrap();
            graph.node_types.push(NodeType { name: "none".into(), nodes: 0, features: vec![("wide".into(), wide)] });
        };
        assert_eq!(
            message(&wide, &[(Level::NODE, "wide", Fill::Zeros)]),
            format!("feature wide would have 105 rows of {width} bytes, more than there is memory for")
        );
        let mut graph = typed();
        wide(&mut graph);
        assert_eq!(graph.to_homogeneous().unwrap().left_out.len(), 2);
    }
}
