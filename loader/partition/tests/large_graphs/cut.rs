//! What holds of the parts of any graph: each node and edge is in one part, each part has what it needs, nothing is
//! lost.

use crate::generated::{assigned, graphs};
use graphpack_loader::Error;
use graphpack_partition::{Array, ArrayType, Assignment, Cut, EdgeType, LargeGraph, NodeType, Part};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Rows that tell their number, and which of several features they are of.
fn features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    let feature = move |seed: u8| {
        let bytes = (0..rows).flat_map(|row| [seed, row as u8, 7, 7, 7, 7]).collect();
        vec![("x".to_owned(), Array::new(ArrayType::I16, vec![rows, 3], bytes).unwrap())]
    };
    any::<u8>().prop_map(feature).boxed()
}

fn type_of(graph: &LargeGraph, name: &str) -> usize {
    graph.node_types.iter().position(|kind| kind.name == name).unwrap()
}

/// A node or edge of the original graph: type and number.
type Original = (usize, usize);

/// Originals of global ids, from the maps alone.
fn originals(cut: &Cut) -> [BTreeMap<i64, Original>; 2] {
    let book = cut.book();
    let [mut nodes, mut edges] = [BTreeMap::new(), BTreeMap::new()];
    for id in 0..book.nodes() as i64 {
        let place = book.node(id).unwrap();
        nodes.insert(id, (place.kind, cut.node_map(place.kind)[place.within_type] as usize));
    }
    for id in 0..book.edges() as i64 {
        let place = book.edge(id).unwrap();
        edges.insert(id, (place.kind, cut.edge_map(place.kind)[place.within_type] as usize));
    }
    [nodes, edges]
}

/// Ends of an original edge.
fn ends(graph: &LargeGraph, (kind, edge): Original) -> [Original; 2] {
    let of = &graph.edge_types[kind];
    [(type_of(graph, &of.name[0]), of.sources[edge] as usize), (type_of(graph, &of.name[2]), of.targets[edge] as usize)]
}

/// Returns all nodes within `hops` hops against the direction of edges, with their distances, the slow way.
fn within(graph: &LargeGraph, inner: &BTreeSet<Original>, hops: usize) -> BTreeMap<Original, usize> {
    let mut distance: BTreeMap<Original, usize> = inner.iter().map(|&node| (node, 0)).collect();
    for hop in 1..=hops {
        for (kind, of) in graph.edge_types.iter().enumerate() {
            for edge in 0..of.targets.len() {
                let [source, target] = ends(graph, (kind, edge));
                if distance.get(&target) == Some(&(hop - 1)) {
                    distance.entry(source).or_insert(hop);
                }
            }
        }
    }
    distance
}

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

fn ascending(ids: &[i64]) -> bool {
    ids.windows(2).all(|pair| pair[0] < pair[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_part_is_what_the_definitions_say((graph, assignment) in assigned(features), hops in 1..4_usize) {
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let [nodes, edges] = originals(&cut);
        let parts: Vec<Part> = cut.parts().collect();
        prop_assert_eq!(parts.len(), assignment.parts());
        let (mut owned_nodes, mut owned_edges) = (Vec::<i64>::new(), Vec::<i64>::new());
        for (number, part) in parts.iter().enumerate() {
            prop_assert_eq!(part.number, number);
            prop_assert_eq!(Some(part.clone()), cut.part(number));
            owned_nodes.extend(&part.node_ids[..part.inner_nodes]);
            owned_edges.extend(&part.edge_ids[..part.inner_edges]);
            prop_assert!(ascending(&part.node_ids[..part.inner_nodes]) && ascending(&part.node_ids[part.inner_nodes..]));
            prop_assert!(ascending(&part.edge_ids[..part.inner_edges]) && ascending(&part.edge_ids[part.inner_edges..]));
            let original: Vec<Original> = part.node_ids.iter().map(|id| nodes[id]).collect();
            for (local, &(kind, node)) in original.iter().enumerate() {
                prop_assert_eq!(assignment.owner(kind, node) == Some(number), local < part.inner_nodes);
            }

            // Edges: all into its own nodes and into the HALO within a hop less, all out of its own nodes, no others,
            // each with its ends.
            let inner: BTreeSet<Original> = original[..part.inner_nodes].iter().copied().collect();
            let distance = within(&graph, &inner, hops);
            let near = |node: &Original| distance.get(node).is_some_and(|&distance| distance < hops);
            let expected: BTreeSet<Original> = (0..graph.edge_types.len())
                .flat_map(|kind| (0..graph.edge_types[kind].targets.len()).map(move |edge| (kind, edge)))
                .filter(|&edge| inner.contains(&ends(&graph, edge)[0]) || near(&ends(&graph, edge)[1]))
                .collect();
            // Nodes: all within `hops` hops, and the targets of these edges, no others.
            let mut halo: BTreeSet<Original> = distance.keys().copied().collect();
            halo.extend(expected.iter().map(|&edge| ends(&graph, edge)[1]));
            prop_assert_eq!(original.len(), halo.len());
            prop_assert_eq!(original.iter().copied().collect::<BTreeSet<_>>(), halo);
            prop_assert_eq!(part.edge_ids.iter().map(|id| edges[id]).collect::<BTreeSet<_>>(), expected);
            for (place, id) in part.edge_ids.iter().enumerate() {
                let local = [part.sources[place], part.targets[place]].map(|local| original[local as usize]);
                prop_assert_eq!(local, ends(&graph, edges[id]));
                prop_assert_eq!(inner.contains(&local[1]), place < part.inner_edges);
            }
        }
        prop_assert_eq!(owned_nodes, (0..graph.nodes() as i64).collect::<Vec<_>>());
        prop_assert_eq!(owned_edges, (0..graph.edges() as i64).collect::<Vec<_>>());
    }

    #[test]
    fn ids_count_part_by_part_type_by_type_and_as_before((graph, assignment) in assigned(features)) {
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let [nodes, edges] = originals(&cut);
        let of_node = |&(kind, node): &Original| (assignment.owner(kind, node), kind, node);
        prop_assert!(nodes.values().map(of_node).is_sorted_by(|a, b| a < b));
        let of_edge = |&(kind, edge): &Original| {
            let (target_kind, target) = ends(&graph, (kind, edge))[1];
            (assignment.owner(target_kind, target), kind, edge)
        };
        prop_assert!(edges.values().map(of_edge).is_sorted_by(|a, b| a < b));
        for (kind, of) in graph.node_types.iter().enumerate() {
            prop_assert_eq!(sorted(cut.node_map(kind)), (0..of.nodes as i64).collect::<Vec<_>>());
        }
        for (kind, of) in graph.edge_types.iter().enumerate() {
            prop_assert_eq!(sorted(cut.edge_map(kind)), (0..of.targets.len() as i64).collect::<Vec<_>>());
        }
        prop_assert!(cut.node_map(9).is_empty() && cut.original_edges(0, 9).is_empty() && cut.part(9).is_none());
    }

    #[test]
    fn the_parts_together_are_the_graph((graph, assignment) in assigned(features)) {
        let cut = Cut::new(&graph, &assignment, 2).unwrap();
        prop_assert_eq!(rebuilt(&graph, &cut), graph);
    }

    #[test]
    fn chance_is_fair_and_repeats_itself(graph in graphs("any", "r", features), parts in 1..6_usize, seed in any::<u64>()) {
        let assignment = Assignment::random(&graph, parts, seed).unwrap();
        let fair = |counts: &[usize]| counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1;
        let mut all = vec![0; parts];
        for kind in 0..graph.node_types.len() {
            let counts = assignment.counts(kind);
            prop_assert!(fair(&counts));
            all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
        prop_assert!(fair(&all));
        prop_assert_eq!(&Assignment::random(&graph, parts, seed).unwrap(), &assignment);
        let folder = tempfile::tempdir().unwrap();
        assignment.write(folder.path(), &graph.node_types, "metis").unwrap();
        prop_assert_eq!(Assignment::read(folder.path(), parts, &graph.node_types).unwrap(), assignment);
    }
}

/// The graph as its parts have it: types and counts from `like`, all else from parts and maps.
fn rebuilt(like: &LargeGraph, cut: &Cut) -> LargeGraph {
    let [nodes, edges] = originals(cut);
    let mut graph = like.clone();
    let mut rows: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    let mut take = |name: &str, array: &Array, original: &[i64]| {
        assert_eq!(array.rows(), original.len(), "{name}");
        let width = array.row_bytes();
        for (row, &old) in original.iter().enumerate() {
            let rows = rows.entry(name.to_owned()).or_default();
            rows.resize(rows.len().max(old as usize + 1), Vec::new());
            rows[old as usize] = array.bytes()[row * width..(row + 1) * width].to_vec();
        }
    };
    graph.edge_types.iter_mut().for_each(|of| {
        of.sources.fill(-1);
        of.targets.fill(-1);
    });
    for part in cut.parts() {
        for (place, id) in part.edge_ids[..part.inner_edges].iter().enumerate() {
            let (kind, edge) = edges[id];
            let node = |local: i64| nodes[&part.node_ids[local as usize]].1 as i64;
            graph.edge_types[kind].sources[edge] = node(part.sources[place]);
            graph.edge_types[kind].targets[edge] = node(part.targets[place]);
        }
        for (name, array) in &part.node_features {
            let kind = type_of(like, name.split_once('/').unwrap().0);
            take(name, array, &cut.original_nodes(kind, part.number));
        }
        for (name, array) in &part.edge_features {
            let kind = name.split_once('/').unwrap().0;
            let kind = like.edge_types.iter().position(|of| of.file_name() == kind).unwrap();
            take(name, array, &cut.original_edges(kind, part.number));
        }
    }
    let gather = |kind: &str, features: &mut Vec<(String, Array)>| {
        for (name, array) in features {
            let bytes = rows.get(&format!("{kind}/{name}")).map(|rows| rows.concat()).unwrap_or_default();
            *array = Array::new(array.element(), array.shape().to_vec(), bytes).unwrap();
        }
    };
    graph.node_types.iter_mut().for_each(|of| gather(&of.name, &mut of.features));
    graph.edge_types.iter_mut().for_each(|of| gather(&of.name.join(":"), &mut of.features));
    graph
}

fn simple() -> LargeGraph {
    let node = |name: &str, nodes| NodeType { name: name.into(), nodes, features: Vec::new() };
    let name = ["a".into(), "r".into(), "b".into()];
    let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 0, 1], features: Vec::new() };
    LargeGraph { name: "g".into(), node_types: vec![node("a", 3), node("b", 2)], edge_types: vec![edge] }
}

#[test]
fn inconsistent_graphs_are_refused_with_both_numbers() {
    let message = |change: &dyn Fn(&mut LargeGraph)| {
        let mut graph = simple();
        change(&mut graph);
        let error: Error = graph.check().unwrap_err();
        error.to_string()
    };
    let edge = |change: fn(&mut EdgeType)| message(&|graph| change(&mut graph.edge_types[0]));
    assert_eq!(edge(|edge| edge.targets[2] = 2), "edge 2 of a:r:b ends at node 2 of type b, which has 2 nodes");
    assert_eq!(edge(|edge| edge.sources[1] = -4), "edge 1 of a:r:b ends at node -4 of type a, which has 3 nodes");
    assert_eq!(edge(|edge| edge.sources.truncate(2)), "edges a:r:b have 2 sources and 3 targets");
    assert_eq!(edge(|edge| edge.name[2] = "c".into()), "edges a:r:c end at nodes of type c, which does not exist");
    let rows = Array::of_i64(&[1, 2]);
    let x = message(&|graph| graph.node_types[0].features.push(("x".into(), rows.clone())));
    assert_eq!(x, "feature a/x has shape [2], expected 3 rows");
    let w = message(&|graph| graph.edge_types[0].features.push(("w".into(), rows.clone())));
    assert_eq!(w, "feature a:r:b/w has shape [2], expected 3 rows");
    let scalar = Array::new(ArrayType::U8, Vec::new(), vec![1]).unwrap();
    let one = message(&|graph| {
        graph.node_types.push(NodeType { name: "c".into(), nodes: 1, features: vec![("x".into(), scalar.clone())] });
    });
    assert_eq!(one, "feature c/x has shape [], expected 1 rows");
    assert_eq!(message(&|graph| graph.node_types[1].name = "a".into()), "two types are called a");
    let twice = |graph: &mut LargeGraph| graph.node_types[0].features = vec![("x".into(), Array::of_i64(&[0; 2])); 2];
    assert_eq!(message(&twice), "there are two features a/x");
    assert_eq!(message(&|graph| graph.edge_types.push(graph.edge_types[0].clone())), "two types are called a:r:b");
    let most = format!("{} nodes, at most 4294967295 can be cut in memory", usize::MAX);
    assert_eq!(message(&|graph| graph.node_types[0].nodes = usize::MAX), most);
}

#[test]
fn inconsistent_assignments_are_refused_with_both_numbers() {
    let graph = simple();
    let message = |parts, owners| match Assignment::new(parts, owners) {
        Err(error) => error.to_string(),
        Ok(assignment) => Cut::new(&graph, &assignment, 1).unwrap_err().to_string(),
    };
    assert_eq!(message(0, vec![]), "0 parts, expected 1 to 65536");
    assert_eq!(message(65_537, vec![]), "65537 parts, expected 1 to 65536");
    let expected = "node 1 of type number 1 is assigned to part 2, but there are 2 parts";
    assert_eq!(message(2, vec![vec![0, 1, 0], vec![1, 2]]), expected);
    assert_eq!(message(2, vec![vec![0, 1, 0]]), "the assignment is for 1 types of nodes, the graph has 2");
    let expected = "the assignment has 3 nodes of type b, the graph has 2";
    assert_eq!(message(2, vec![vec![0, 1, 0], vec![0, 1, 0]]), expected);
    let assignment = Assignment::random(&graph, 2, 1).unwrap();
    let no_halo = Cut::new(&graph, &assignment, 0).unwrap_err().to_string();
    assert_eq!(no_halo, "a HALO of 0 hops, expected at least 1");
}

#[test]
fn inconsistent_files_are_refused_with_file_and_line() {
    let graph = simple();
    let folder = tempfile::tempdir().unwrap();
    let read = |a: &str, b: &str, parts| {
        fs::write(folder.path().join("a.txt"), a).unwrap();
        fs::write(folder.path().join("b.txt"), b).unwrap();
        Assignment::read(folder.path(), parts, &graph.node_types)
    };
    let message = |a: &str, b: &str, parts| {
        let message = read(a, b, parts).unwrap_err().to_string();
        message.replace(folder.path().to_str().unwrap(), "").replace(['/', '\\'], "")
    };
    let good = read("0\r\n1\r\n1\r\n", "1\n0", 2).unwrap();
    assert_eq!(good.owners(), [vec![0, 1, 1], vec![1, 0]], "lines of other systems, no last line end");
    assert_eq!(message("0\n2\n1\n", "1\n0\n", 2), "a.txt, line 2: expected a part from 0 to 1, found \"2\"");
    assert_eq!(message("0\n1\n\n", "1\n0\n", 2), "a.txt, line 3: expected a part from 0 to 1, found \"\"");
    assert_eq!(message("0\n1\n1\n", "1\n-1\n", 2), "b.txt, line 2: expected a part from 0 to 1, found \"-1\"");
    assert_eq!(message("0\n1\n", "1\n0\n", 2), "a.txt has 2 lines, expected 3, one for each node of type a");
    assert_eq!(message("0\n1\n1\n0\n", "1\n0\n", 2), "a.txt has 4 lines, expected 3, one for each node of type a");
    fs::write(folder.path().join("partition_meta.json"), r#"{"num_parts": 4}"#).unwrap();
    assert_eq!(message("0\n1\n1\n", "1\n0\n", 2), "partition_meta.json: num_parts is 4, expected 2");
    fs::remove_file(folder.path().join("partition_meta.json")).unwrap();
    fs::remove_file(folder.path().join("b.txt")).unwrap();
    let missing = Assignment::read(folder.path(), 2, &graph.node_types).unwrap_err().to_string();
    assert!(missing.contains("b.txt: "), "{missing}");
    let outside = NodeType { name: "../a".into(), nodes: 3, features: Vec::new() };
    let message = Assignment::read(folder.path(), 2, &[outside]).unwrap_err().to_string();
    assert_eq!(message, "a type of nodes is called \"../a\", which cannot be the name of a file");
    let other = Assignment::new(2, vec![vec![0; 4], vec![1, 0]]).unwrap();
    let message = other.write(folder.path(), &graph.node_types, "random").unwrap_err().to_string();
    assert_eq!(message, "the assignment has 4 nodes of type a, the graph has 3");
}
