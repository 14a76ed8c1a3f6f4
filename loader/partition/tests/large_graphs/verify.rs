//! Parts compared with their graph: those of any cut are found to be its parts, and one wrong byte anywhere is named.

use crate::damaged::{HEAD, changed};
use crate::generated::{array, assigned, renumber, without_outward, write_cut};
use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, ChunkedWriter, write_chunked};
use graphpack_partition::dgl::{PartitionWriter, load_partition};
use graphpack_partition::{Array, ArrayType, Assignment, Cut, EdgeType, LargeGraph, NodeType, PartitionBook, Verify};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn features(rows: usize) -> BoxedStrategy<Vec<(String, Array)>> {
    (prop_oneof![Just(ArrayType::F32), Just(ArrayType::Bool)], prop_oneof![Just(vec![]), Just(vec![3])], any::<u8>())
        .prop_map(move |(element, row, seed)| {
            let shape = [rows].into_iter().chain(row).collect();
            vec![("x".to_owned(), array(element, shape, seed))]
        })
        .boxed()
}

/// Writes a graph in chunks and its parts, with all that can be beside them.
fn written(folder: &Path, graph: &LargeGraph, assignment: &Assignment, hops: usize) -> (ChunkedGraph, PathBuf) {
    write_chunked(graph, folder.join("chunks"), &ChunkOptions::new(3)).unwrap();
    let cut = Cut::new(graph, assignment, hops).unwrap();
    let writer = write_cut(&cut, &folder.join("parts"), "g", "metis");
    let nodes: Vec<_> = (0..graph.node_types.len()).map(|kind| cut.node_map(kind)).collect();
    let edges: Vec<_> = (0..graph.edge_types.len()).map(|kind| cut.edge_map(kind)).collect();
    assert!(writer.write_maps(&nodes, &[&edges[..], &[Vec::new()]].concat()).is_err(), "a type too many");
    assert!(writer.write_maps(&[&[vec![0; 999]], &nodes[1..]].concat(), &edges).is_err(), "nodes too many");
    writer.write_maps(&nodes, &edges).unwrap();
    (ChunkedGraph::open(folder.join("chunks")).unwrap(), writer.config_path())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn parts_of_a_cut_are_those_of_its_graph(
        (graph, assignment) in assigned(features),
        hops in 1..4_usize,
    ) {
        let folder = TempDir::new().unwrap();
        let (chunked, config) = written(folder.path(), &graph, &assignment, hops);
        for as_dgl in [false, true] {
            if as_dgl {
                renumber(&Cut::new(&graph, &assignment, hops).unwrap(), &config);
            }
            for memory in [0, 4000, 1 << 30] {
                let verify = |given| Verify::new().memory(memory).run(&chunked, &config, given);
                let verified = verify(Some(&assignment)).map_err(|error| error.to_string()).unwrap();
                prop_assert_eq!((verified.nodes, verified.edges), (graph.nodes(), graph.edges()));
                prop_assert_eq!(verified.rows, graph.nodes() + graph.edges());
                prop_assert_eq!(verified.original_ids, 2 * (graph.nodes() + graph.edges()));
                prop_assert_eq!(verify(None).unwrap(), verified);
            }
        }
    }
}

#[test]
fn an_assignment_of_other_types_is_refused() {
    let folder = TempDir::new().unwrap();
    let (graph, assignment) = small();
    let (chunked, config) = written(folder.path(), &graph, &assignment, 1);
    let more = Assignment::new(2, [assignment.owners(), &[vec![]]].concat()).unwrap();
    let error = Verify::new().run(&chunked, &config, Some(&more)).unwrap_err().to_string();
    assert!(error.contains("3") && error.contains("2"), "{error}");
}

#[test]
fn parts_without_edges_to_others_are_told_apart_and_not_mixed() {
    for hops in [1, 2] {
        let folder = TempDir::new().unwrap();
        let (graph, assignment) = small();
        let (chunked, config) = written(folder.path(), &graph, &assignment, hops);
        let cut = Cut::new(&graph, &assignment, hops).unwrap();
        let writer = PartitionWriter::create(config.parent().unwrap(), "g", "metis", hops, cut.book().clone()).unwrap();
        let lacking = |parts: std::ops::Range<usize>| {
            let lost = parts.map(|part| {
                let part = cut.part(part).unwrap();
                part.edge_ids.len() - without_outward(&part).edge_ids.len()
            });
            lost.sum::<usize>()
        };
        let verify = || {
            let verified = Verify::new().memory(0).run(&chunked, &config, Some(&assignment));
            verified.map_err(|error| error.to_string())
        };
        assert_eq!(verify().unwrap().targets_only, 0);
        writer.write_part(&without_outward(&cut.part(0).unwrap())).unwrap();
        if lacking(0..1) > 0 && lacking(1..2) > 0 {
            let message = verify().unwrap_err();
            let expected = format!(
                "graph.dgl: the number of edges from its nodes to other parts is {}, expected 0: part 0 lacks such edges \
                 of its own; cut the graph again to have them in every part",
                lacking(1..2)
            );
            assert!(message.contains(&expected), "{message}");
        }
        writer.write_part(&without_outward(&cut.part(1).unwrap())).unwrap();
        assert_eq!(verify().unwrap().targets_only, lacking(0..2));
        assert!(hops > 1 || lacking(0..2) == assignment.edge_cut(&graph).unwrap());
    }
}

/// Two types of nodes, two of edges, parallel edges, and a HALO in which both types are.
fn small() -> (LargeGraph, Assignment) {
    let node = |name: &str, nodes| {
        let features = vec![("x".to_owned(), array(ArrayType::I16, vec![nodes], 3))];
        NodeType { name: name.into(), nodes, features }
    };
    let edge = |name: [&str; 3], ends: &[[i64; 2]]| {
        let (sources, targets) = ends.iter().map(|&[source, target]| (source, target)).unzip();
        let features = vec![("w".to_owned(), array(ArrayType::Bool, vec![ends.len()], 1))];
        EdgeType { name: name.map(String::from), sources, targets, features }
    };
    let graph = LargeGraph {
        name: "g".into(),
        node_types: vec![node("a", 4), node("b", 3)],
        edge_types: vec![
            edge(["a", "r", "a"], &[[0, 1], [1, 2], [2, 3], [3, 0], [1, 2]]),
            edge(["b", "s", "a"], &[[0, 0], [1, 1], [2, 2]]),
        ],
    };
    (graph, Assignment::new(2, vec![vec![0, 1, 0, 1], vec![1, 0, 1]]).unwrap())
}

#[test]
fn one_wrong_byte_in_any_file_is_found_and_named() {
    let mut missed: Vec<String> = Vec::new();
    for (hops, as_dgl) in [(1, false), (2, true)] {
        let folder = TempDir::new().unwrap();
        let (graph, assignment) = small();
        let (chunked, config) = written(folder.path(), &graph, &assignment, hops);
        if as_dgl {
            renumber(&Cut::new(&graph, &assignment, hops).unwrap(), &config);
        }
        let loaded = || [0, 1].map(|part| load_partition(&config, part).unwrap());
        let (sound, parts) = (loaded(), config.parent().unwrap());
        let part = ["graph", "node_feat", "edge_feat", "orig_nids", "orig_eids"];
        let files = [0, 1].into_iter().flat_map(|number| part.map(|file| format!("part{number}/{file}.dgl")));
        let maps = ["node_map/a", "node_map/b", "edge_map/a+r+a", "edge_map/b+s+a"].map(|file| format!("{file}.npy"));
        for file in files.chain(maps) {
            let path = parts.join(&file);
            let whole = fs::read(&path).unwrap();
            // Nobody reads the rest of the head; NumPy fills its header with blanks.
            let ignored = |at: usize| match path.extension().unwrap().to_str().unwrap() {
                "npy" => (10..128).contains(&at),
                _ => file.ends_with("graph.dgl") && (32..HEAD).contains(&at),
            };
            for (at, damaged) in changed(&whole, &[|_, byte| byte ^ 1]).filter(|&(at, _)| !ignored(at)) {
                fs::write(&path, damaged).unwrap();
                for assignment in [Some(&assignment), None] {
                    match Verify::new().run(&chunked, &config, assignment) {
                        // A byte that says nothing about the graph: a type's name that nobody reads, uint8 as int8.
                        Ok(_) if loaded() == sound => {}
                        Ok(_) => missed.push(format!("{hops} hops, {file}, byte {at} of {}", whole.len())),
                        Err(error) => {
                            // Of two parts that claim a node, the assignment alone knows which is wrong.
                            let name = if assignment.is_some() { path.as_os_str() } else { path.file_name().unwrap() };
                            assert!(error.to_string().contains(name.to_str().unwrap()), "{file}, byte {at}: {error}");
                        }
                    }
                }
            }
            fs::write(&path, whole).unwrap();
        }
        // The name, ranges and numbers of the JSON file.
        let whole = fs::read(&config).unwrap();
        let text = String::from_utf8_lossy(&whole).into_owned();
        let name = text.find(r#""g""#).unwrap() + 1;
        let says = |at: usize| whole[at].is_ascii_digit() || at == name;
        for (at, damaged) in changed(&whole, &[|_, byte| byte ^ 1]).filter(|&(at, _)| says(at)) {
            let line = text[..at].lines().last().unwrap();
            fs::write(&config, damaged).unwrap();
            let verified = Verify::new().run(&chunked, &config, Some(&assignment));
            // Two hops reach all of so small a graph, and three no more.
            if verified.is_ok() && !(hops == 2 && line.contains("halo_hops")) {
                missed.push(format!("{hops} hops, byte {at}, {line}"));
            }
        }
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

/// DGL's dispatch writes original ids only if asked.
#[test]
fn without_original_ids_parts_are_compared_in_the_order_of_the_graph() {
    for (as_dgl, expected) in
        [(false, None), (true, Some("[1, 4] in the order of the graph: not all parts have original"))]
    {
        let folder = TempDir::new().unwrap();
        let (graph, assignment) = small();
        let (chunked, config) = written(folder.path(), &graph, &assignment, 1);
        if as_dgl {
            renumber(&Cut::new(&graph, &assignment, 1).unwrap(), &config);
        }
        for file in ["part0/orig_eids.dgl", "part1/orig_eids.dgl", "edge_map/a+r+a.npy", "edge_map/b+s+a.npy"] {
            fs::remove_file(config.with_file_name(file)).unwrap();
        }
        match (Verify::new().run(&chunked, &config, None), expected) {
            (Ok(verified), None) => assert_eq!(verified.original_ids, 2 * graph.nodes()),
            (Err(error), Some(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (verified, _) => panic!("{verified:?}"),
        }
    }
}

/// DGL sorts types.
#[test]
fn types_may_have_another_order_than_in_the_graph() {
    let folder = TempDir::new().unwrap();
    let (mut graph, assignment) = small();
    let (chunked, config) = written(folder.path(), &graph, &assignment, 2);
    let expected = Verify::new().run(&chunked, &config, None).unwrap();
    graph.node_types.reverse();
    graph.edge_types.reverse();
    let other = folder.path().join("other");
    write_chunked(&graph, &other, &ChunkOptions::new(2)).unwrap();
    let owners = assignment.owners().iter().rev().cloned().collect();
    let sorted = Assignment::new(2, owners).unwrap();
    let verify = |given| Verify::new().run(&ChunkedGraph::open(&other).unwrap(), &config, given);
    assert_eq!((verify(None).unwrap(), verify(Some(&sorted)).unwrap()), (expected, expected));
    assert!(verify(Some(&assignment)).is_err(), "four nodes for a type of three");
}

/// DGL's dispatch calls the file metadata.json.
#[test]
fn a_partition_has_the_name_of_its_graph_or_of_its_file() {
    let folder = TempDir::new().unwrap();
    let (graph, assignment) = small();
    let (chunked, config) = written(folder.path(), &graph, &assignment, 1);
    let verify = |name: &str, file: &str| {
        let (text, to) = (fs::read_to_string(&config).unwrap(), config.with_file_name(file));
        fs::write(&to, text.replace("\"g\"", &format!("{name:?}"))).unwrap();
        Verify::new().run(&chunked, to, None).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!((verify("g", "metadata.json"), verify("h", "h.json")), (Ok(()), Ok(())));
    let message = verify("h", "i.json").unwrap_err();
    assert!(message.ends_with("i.json: graph_name is \"h\", expected \"g\""), "{message}");
}

#[test]
fn original_ids_that_one_part_or_type_has_lost_are_missed() {
    let folder = TempDir::new().unwrap();
    let (graph, assignment) = small();
    let (chunked, config) = written(folder.path(), &graph, &assignment, 1);
    for file in ["part1/orig_nids.dgl", "part0/orig_eids.dgl", "node_map/b.npy", "edge_map/a+r+a.npy"] {
        let path = config.with_file_name(file);
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        // Parts together, and each alone.
        for memory in [1 << 30, 0] {
            let verified = Verify::new().memory(memory).run(&chunked, &config, Some(&assignment));
            let (error, expected) = (verified.unwrap_err().to_string(), format!("{file}: the file is missing, "));
            assert!(error.contains(&expected), "{error}");
        }
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn numbers_of_nodes_that_no_memory_holds_are_an_error() {
    let (folder, nodes) = (TempDir::new().unwrap(), 1 << 60);
    let chunks = folder.path().join("chunks");
    let writer = ChunkedWriter::create(&chunks, "g", vec![("_N".into(), nodes)], ChunkOptions::new(1)).unwrap();
    writer.finish().unwrap();
    let book = PartitionBook::new(vec!["_N".into()], &[vec![nodes]], Vec::new(), &[]);
    let config = PartitionWriter::create(folder.path(), "g", "", 1, book).unwrap().write_config().unwrap();
    let error = Verify::new().run(&ChunkedGraph::open(chunks).unwrap(), config, None).unwrap_err().to_string();
    assert!(error.contains("g.json: 1152921504606846976 nodes of type \"_N\": memory allocation failed"), "{error}");
}

#[test]
fn parts_of_another_graph_are_refused() {
    let folder = TempDir::new().unwrap();
    let (graph, assignment) = small();
    let (_, config) = written(folder.path(), &graph, &assignment, 1);
    let error = |change: &dyn Fn(&mut LargeGraph)| {
        let mut other = graph.clone();
        change(&mut other);
        let folder = TempDir::new().unwrap();
        write_chunked(&other, folder.path(), &ChunkOptions::new(2)).unwrap();
        let chunked = ChunkedGraph::open(folder.path()).unwrap();
        let error = Verify::new().run(&chunked, &config, Some(&assignment)).unwrap_err().to_string();
        error.split_once("/parts/").unwrap().1.to_owned()
    };
    for (change, expected) in [
        (
            (|graph| graph.edge_types[0].sources[0] = 2) as fn(&mut LargeGraph),
            "part1/graph.dgl: edge 0 of the part (arrays \"row\", \"col\" and \"_ID\" of nodes), edge 0 of type \
             \"a:r:a\" is [0, 3], nodes [4, 0] of the part, expected [1, 3]",
        ),
        (|graph| graph.edge_types[0].name[1] = "t".into(), "g.json: etypes is "),
        (|graph| graph.node_types[1].features.clear(), "part0/node_feat.dgl: the list of features is "),
        (|graph| graph.node_types[0].features[0].0 = "y".into(), "part0/node_feat.dgl: feature \"a/y\" is missing"),
        (
            |graph| graph.node_types[0].features[0].1 = array(ArrayType::I16, vec![4], 4),
            "part0/node_feat.dgl: row 0 of array \"a/x\", node 0 of type \"a\" is [03, 28], expected [04, 29]",
        ),
        (
            |graph| graph.edge_types[0].targets[0] = 0,
            "part0/orig_eids.dgl: row 0 of array \"a:r:a\", edge 0 of type \"a:r:a\" is 1 (as int64), expected 0 (as int64)",
        ),
    ] {
        let found = error(&change);
        assert!(found.starts_with(expected), "{found}");
    }
    for file in ["node_map/a.npy", "node_map/b.npy", "part0/orig_nids.dgl", "part1/orig_nids.dgl"] {
        fs::remove_file(config.with_file_name(file)).unwrap();
    }
    let chunked = ChunkedGraph::open(folder.path().join("chunks")).unwrap();
    let error = Verify::new().run(&chunked, &config, None).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "g.json: no original ids: expected node_map.npy, orig_nids.dgl in the folders of parts, or an assignment"
        ),
        "{error}"
    );
}
