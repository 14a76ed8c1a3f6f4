//! DGL's files of partitioned graphs: what DGL wrote is read as it was and written byte for byte; so are parts of our
//! own.

use crate::damaged::HEAD;
use crate::generated::{parts, written};
use graphpack_formats::npy::Header;
use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
use graphpack_partition::dgl::{
    PartitionConfig, PartitionWriter, load_graphs, load_partition, load_partition_book, load_tensors, save_tensors,
    tensors_in,
};
use graphpack_partition::{Array, ArrayType, Assignment, EdgeType, LargeGraph, NodeType, Part, PartitionBook, Verify};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use test_common::shared_data;

/// Folder and name of each partition that DGL wrote.
const PARTITIONS: [[&str; 2]; 4] =
    [["karate_random", "karate"], ["karate_metis", "karate"], ["het_random", "het"], ["het_metis", "het"]];

fn samples() -> PathBuf {
    shared_data().join("dgl")
}

/// Arrays of a npz file.
fn npz(path: &Path) -> BTreeMap<String, Array> {
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        let mut elements = &bytes[..];
        let header = Header::read(&mut elements).unwrap();
        // DGL's files have uint8 in place of bool.
        let element = Some(header.element().unwrap()).filter(|element| *element != ArrayType::Bool);
        let shape = header.shape().unwrap().to_vec();
        let array = Array::new(element.unwrap_or(ArrayType::U8), shape, elements.to_vec()).unwrap();
        (name.trim_end_matches(".npy").to_owned(), array)
    };
    names.into_iter().map(read).collect()
}

fn i64s(array: &Array) -> Vec<i64> {
    array.bytes().as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()
}

/// The graph that a partition was made of, and original ids by type and new id.
struct Original {
    arrays: BTreeMap<String, Array>,
    nodes: Vec<Vec<i64>>,
    edges: Vec<Vec<i64>>,
    edge_types: Vec<String>,
    homogeneous: bool,
}

impl Original {
    fn read(samples: &Path, [folder, name]: [&str; 2], book: &PartitionBook) -> Self {
        let mapping = npz(&samples.join(format!("{folder}_mapping.npz")));
        let homogeneous = name == "karate";
        let ids = |prefix: &str, one: &str, names: &[String]| {
            let key = |name: &String| if homogeneous { one.to_owned() } else { format!("{prefix}:{name}") };
            names.iter().map(|name| i64s(&mapping[&key(name)])).collect()
        };
        let edge_types: Vec<String> = book.edge_types().iter().map(|name| name.join(":")).collect();
        Self {
            arrays: npz(&samples.join(format!("{name}_orig.npz"))),
            nodes: ids("n", "node_map", book.node_types()),
            edges: ids("e", "edge_map", &edge_types),
            edge_types,
            homogeneous,
        }
    }

    /// Sources and targets of a type of edges.
    fn ends(&self, kind: usize) -> [Vec<i64>; 2] {
        let name = &self.edge_types[kind];
        let keys = if self.homogeneous { ["src".into(), "dst".into()] } else { [0, 1].map(|k| format!("{name}:{k}")) };
        keys.map(|key| i64s(&self.arrays[&key]))
    }

    fn node(&self, book: &PartitionBook, id: i64) -> i64 {
        let place = book.node(id).unwrap();
        self.nodes[place.kind][place.within_type]
    }
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_parts_are_what_dgl_cut() {
    let samples = samples();
    for names in PARTITIONS {
        let config = samples.join(names[0]).join(names[1]).with_extension("json");
        let book = load_partition_book(&config).unwrap();
        let original = Original::read(&samples, names, &book);
        let mut seen: Vec<Vec<bool>> = original.edges.iter().map(|ids| vec![false; ids.len()]).collect();
        for number in 0..2 {
            let loaded = load_partition(&config, number).unwrap();
            assert_eq!((loaded.name.as_str(), loaded.halo_hops, &loaded.book), (names[1], 1, &book));
            assert!(names[0].ends_with(&loaded.method));
            let part = loaded.part;
            for edge in 0..part.edge_ids.len() {
                let place = book.edge(part.edge_ids[edge]).unwrap();
                let id = original.edges[place.kind][place.within_type] as usize;
                let ends = [part.sources[edge], part.targets[edge]];
                let ends = ends.map(|node| original.node(&book, part.node_ids[node as usize]));
                assert_eq!(ends, original.ends(place.kind).map(|ends| ends[id]), "{names:?} {number} {edge}");
                if edge < part.inner_edges {
                    assert!(!std::mem::replace(&mut seen[place.kind][id], true));
                }
            }
            assert!(part.inner_nodes < part.node_ids.len() && part.inner_edges < part.edge_ids.len());
            check_features(&original, &book, &part);
        }
        assert!(seen.iter().flatten().all(|&seen| seen), "every edge is owned");
    }
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_parts_that_dgl_cut_are_those_of_their_graph() {
    let samples = samples();
    for names in PARTITIONS {
        let config = samples.join(names[0]).join(names[1]).with_extension("json");
        let parts = [0, 1].map(|part| load_partition(&config, part).unwrap().part);
        let book = load_partition_book(&config).unwrap();
        let original = Original::read(&samples, names, &book);
        // All rows of a feature, in the order of the original ids of what the parts have in theirs.
        let features = |of: &str, ids: &[i64], [one, other]: [&[(String, Array)]; 2]| -> Vec<(String, Array)> {
            let of_type = one.iter().zip(other).filter(|((name, _), _)| name.starts_with(&format!("{of}/")));
            let mut order: Vec<usize> = (0..ids.len()).collect();
            order.sort_unstable_by_key(|&row| ids[row]);
            let whole = of_type.map(|((name, one), (_, other))| {
                let shape = [&[ids.len()], &one.shape()[1..]].concat();
                let both = Array::new(one.element(), shape, [one.bytes(), other.bytes()].concat()).unwrap();
                (name.split_once('/').unwrap().1.to_owned(), both.select(order.iter().copied()).unwrap())
            });
            whole.collect()
        };
        let [one, other] = &parts;
        let node_types = book.node_types().iter().zip(&original.nodes).map(|(name, ids)| NodeType {
            name: name.clone(),
            nodes: ids.len(),
            features: features(name, ids, [&one.node_features, &other.node_features]),
        });
        let edge_types = book.edge_types().iter().zip(&original.edges).enumerate().map(|(kind, (name, ids))| {
            let [sources, targets] = original.ends(kind);
            let features = features(&name.join(":"), ids, [&one.edge_features, &other.edge_features]);
            EdgeType { name: name.clone(), sources, targets, features }
        });
        let graph =
            LargeGraph { name: names[1].into(), node_types: node_types.collect(), edge_types: edge_types.collect() };
        let folder = TempDir::new().unwrap();
        write_chunked(&graph, folder.path().join("chunks"), &ChunkOptions::new(2)).unwrap();
        let writer = PartitionWriter::create(folder.path(), names[1], "metis", 1, book).unwrap();
        writer.write_maps(&original.nodes, &original.edges).unwrap();
        for part in ["part0", "part1"] {
            fs::create_dir(folder.path().join(part)).unwrap();
            for file in ["graph.dgl", "node_feat.dgl", "edge_feat.dgl"] {
                let path = Path::new(part).join(file);
                fs::copy(config.with_file_name(&path), folder.path().join(&path)).unwrap();
            }
        }
        fs::copy(&config, writer.config_path()).unwrap();
        let chunked = ChunkedGraph::open(folder.path().join("chunks")).unwrap();
        let verified = Verify::new().run(&chunked, writer.config_path(), None).unwrap();
        assert_eq!(verified.original_ids, graph.nodes() + graph.edges(), "{names:?}");
        assert!(verified.rows > 0 && verified.targets_only == 0);
    }
}

/// Features went where their nodes and edges did.
fn check_features(original: &Original, book: &PartitionBook, part: &Part) {
    let mut compared = 0;
    for (name, array) in &part.node_features {
        let (kind, feature) = name.split_once('/').unwrap();
        let key = if original.homogeneous { feature.to_owned() } else { format!("{feature}:{kind}") };
        let number = book.node_types().iter().position(|name| name == kind).unwrap();
        let rows: Vec<usize> =
            book.node_range(number, part.number).map(|id| original.node(book, id) as usize).collect();
        // Labels of users were not kept.
        if let Some(before) = original.arrays.get(&key) {
            assert_eq!(before.select(rows.into_iter()).as_ref(), Some(array), "{name}");
            compared += 1;
        }
    }
    for (name, array) in part.edge_features.iter().filter(|_| original.homogeneous) {
        assert_eq!(name, "_N:_E:_N/w");
        let rows: Vec<usize> = book
            .edge_range(0, part.number)
            .map(|id| original.edges[0][book.edge(id).unwrap().within_type] as usize)
            .collect();
        assert_eq!(original.arrays["w"].select(rows.into_iter()).as_ref(), Some(array));
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_every_file_is_written_byte_for_byte() {
    let samples = samples();
    let folder = TempDir::new().unwrap();
    let again = folder.path().join("again");
    let same = |path: &Path, from: usize| {
        let (before, after) = (fs::read(path).unwrap(), fs::read(&again).unwrap());
        assert!(
            before[from..] == after[from..] && before[..from.min(32)] == after[..from.min(32)],
            "{}",
            path.display()
        );
    };
    let mut tensors = vec![samples.join("tensors.dgl")];
    for [partition, name] in PARTITIONS {
        let config = samples.join(partition).join(name).with_extension("json");
        PartitionConfig::read(&config).unwrap().write(&again).unwrap();
        same(&config, 0);
        for part in ["part0", "part1"] {
            let file = |file| samples.join(partition).join(part).join(file);
            tensors.extend([file("node_feat.dgl"), file("edge_feat.dgl")]);
        }
        for number in 0..2 {
            let loaded = load_partition(&config, number).unwrap();
            let (book, part) = (loaded.book.clone(), format!("part{number}"));
            let out = folder.path().join(partition);
            let writer = PartitionWriter::create(out, &loaded.name, &loaded.method, loaded.halo_hops, book).unwrap();
            writer.write_part(&loaded.part).unwrap();
            for (file, from) in [("graph.dgl", HEAD), ("node_feat.dgl", 0), ("edge_feat.dgl", 0)] {
                fs::copy(folder.path().join(partition).join(&part).join(file), &again).unwrap();
                same(&samples.join(partition).join(&part).join(file), from);
            }
            fs::copy(writer.write_config().unwrap(), &again).unwrap();
            same(&config, 0);
        }
    }
    for path in tensors {
        let read = load_tensors(&path).unwrap();
        save_tensors(&again, &read).unwrap();
        same(&path, 0);
        let infos = tensors_in(&path).unwrap();
        let expected = read.iter().map(|(name, array)| (name.clone(), array.element(), array.shape().to_vec()));
        assert!(infos.into_iter().map(|info| (info.name, info.element, info.shape)).eq(expected));
    }
    let two = load_graphs(samples.join("two.dgl")).unwrap();
    assert_eq!(two.labels, [("y".to_owned(), Array::of_i64(&[1, 2]))]);
    assert_eq!(
        two.graphs.iter().map(|graph| (graph.nodes[0], graph.relations[0].edges())).collect::<Vec<_>>(),
        [(3, 3), (4, 1)]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_part_is_read_as_it_was_written(
        seed in proptest::collection::vec(any::<u32>(), 1..20),
        types in [1..4_usize, 1..4_usize],
        count in 1..4_usize,
        out_edges in any::<bool>(),
    ) {
        let folder = TempDir::new().unwrap();
        let (book, parts) = parts(&seed, types, count, out_edges);
        let writer = PartitionWriter::create(folder.path().join("new"), "g", "metis", 1, book.clone()).unwrap();
        for part in parts.iter().rev() {
            writer.write_part(part).unwrap();
        }
        let config = writer.write_config().unwrap();
        prop_assert_eq!(&load_partition_book(&config).unwrap(), &book);
        let other = PartitionWriter::create(folder.path().join("other"), "g", "metis", 1, book.clone()).unwrap();
        for (number, part) in parts.iter().enumerate() {
            let loaded = load_partition(&config, number).unwrap();
            prop_assert_eq!(&loaded.part, part);
            other.write_part(&loaded.part).unwrap();
            for file in ["graph.dgl", "node_feat.dgl", "edge_feat.dgl"] {
                let file = format!("part{number}/{file}");
                let bytes = |folder: &str| fs::read(folder_path(&config, folder).join(&file)).unwrap();
                prop_assert!(bytes("new") == bytes("other"));
            }
        }
    }
}

fn folder_path(config: &Path, folder: &str) -> PathBuf {
    config.parent().unwrap().parent().unwrap().join(folder)
}

/// As `num_trainers_per_machine`: DGL floors the trainer's number, and takes that of an edge's target.
#[test]
fn trainers_of_a_machine_are_one_part() {
    let node = |name: &str, nodes| NodeType { name: name.into(), nodes, features: Vec::new() };
    let name = ["a", "r", "b"].map(String::from);
    let edges = EdgeType { name, sources: vec![0, 1, 1], targets: vec![2, 0, 2], features: Vec::new() };
    let mut graph =
        LargeGraph { name: "g".into(), node_types: vec![node("a", 2), node("b", 3)], edge_types: vec![edges] };
    let trainers = Assignment::new(6, vec![vec![5, 0], vec![2, 3, 4]]).unwrap();
    assert_eq!(
        Assignment::of_trainers(4, &trainers, &mut graph).unwrap_err().to_string(),
        "6 trainers, expected a multiple of 4 per machine"
    );
    // The second time, in place of the ids that are there.
    for _ in 0..2 {
        let parts = Assignment::of_trainers(3, &trainers, &mut graph).unwrap();
        assert_eq!(parts, Assignment::new(2, vec![vec![1, 0], vec![0, 1, 1]]).unwrap());
    }
    let ids = |ids: &[i64]| vec![("trainer_id".to_owned(), Array::of_i64(ids))];
    assert_eq!(graph.node_types[0].features, ids(&[5, 0]));
    assert_eq!(graph.node_types[1].features, ids(&[2, 3, 4]));
    assert_eq!(graph.edge_types[0].features, ids(&[4, 2, 4]));
    graph.node_types.pop();
    assert!(Assignment::of_trainers(3, &trainers, &mut graph).is_err());
}

/// As DGL wrote them before 1.0.
#[test]
fn relations_alone_are_refused_with_what_adds_their_types() {
    let folder = TempDir::new().unwrap();
    let (config, book, _) = written(&folder);
    let mut old = fs::read_to_string(&config).unwrap();
    for [from, relation, to] in book.edge_types() {
        // Names of types have characters beyond ASCII, which JSON escapes.
        let [from, to] = [from, to].map(|name| name.replace('ü', "\\u00fc"));
        old = old.replace(&format!("\"{from}:{relation}:{to}\""), &format!("\"{relation}\""));
    }
    fs::write(&config, &old).unwrap();
    let message = PartitionConfig::read(&config).unwrap_err().to_string();
    let expected = ": etypes is r0, expected names as source:relation:target \
        (DGL's change_etype_to_canonical_etype.py makes them)";
    assert!(message.ends_with(expected), "{message}");
}

/// DGL keeps and saves the formats that it made for sampling.
#[test]
fn formats_beside_a_list_of_edges_are_passed_over_and_none_takes_its_place() {
    let folder = TempDir::new().unwrap();
    let (config, _, parts) = written(&folder);
    let path = folder.path().join("part0/graph.dgl");
    let mut bytes = fs::read(&path).unwrap();
    let position = |number: u64| bytes.windows(8).position(|found| found == number.to_le_bytes()).unwrap();
    let [saved, list] = [position(0xDD2E_60F0_F6B4_A127) + 8, position(0xDD61_FFD3_05DF_F127)];
    // What comes before the elements of an array of one dimension takes 48 bytes.
    let end = list + 24 + 2 * (48 + 8 * parts[0].edge_ids.len()) + 48 + 2;
    let array = |numbers: &[u64]| -> Vec<u8> {
        let bytes = 8 * numbers.len() as u64;
        let head = [0xDD5E_40F0_96B4_A13F, 0, 1, 1 | (0x0001_4000_u64 << 32), numbers.len() as u64, bytes];
        head.iter().chain(numbers).flat_map(|number| number.to_le_bytes()).collect()
    };
    let by_row = |nodes: u64| -> Vec<u8> {
        let size = [0xDD6C_D312_05DF_F127, nodes, nodes].map(u64::to_le_bytes).concat();
        [size, array(&[0, 1]), array(&[0]), array(&[0]), vec![0]].concat()
    };
    let more = [&0xDD3C_5FFE_2004_6ABF_u64.to_le_bytes()[..], &by_row(1), &by_row(7)].concat();
    bytes[saved] = 1 | 2;
    bytes.splice(end..end, more);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(load_partition(&config, 0).unwrap().part, parts[0]);
    bytes[saved] = 2;
    fs::write(&path, &bytes).unwrap();
    let message = load_partition(&config, 0).unwrap_err().to_string();
    let expected = "expected a list of edges, as dgl.save_graphs(..., formats=\"coo\") writes";
    assert!(message.contains("formats that were saved is edges by source") && message.ends_with(expected), "{message}");
}

#[test]
fn original_ids_are_kept_by_type() {
    let folder = TempDir::new().unwrap();
    let (_, book, _) = written(&folder);
    let writer = PartitionWriter::create(folder.path(), "small", "random", 1, book.clone()).unwrap();
    let nodes: Vec<Vec<i64>> = (0..2).map(|kind| book.node_range(kind, 1).rev().collect()).collect();
    writer.write_orig_nids(1, &nodes).unwrap();
    let expected: Vec<_> = book.node_types().iter().cloned().zip(nodes.iter().map(|ids| Array::of_i64(ids))).collect();
    assert_eq!(load_tensors(folder.path().join("part1/orig_nids.dgl")).unwrap(), expected);
    let edges: Vec<Vec<i64>> = (0..2).map(|kind| book.edge_range(kind, 0).collect()).collect();
    writer.write_orig_eids(0, &edges).unwrap();
    let read = load_tensors(folder.path().join("part0/orig_eids.dgl")).unwrap();
    assert_eq!(read[1], (book.edge_types()[1].join(":"), Array::of_i64(&edges[1])));

    let error = writer.write_orig_nids(1, &nodes[..1]).unwrap_err().to_string();
    assert!(error.ends_with("orig_nids.dgl: types of original ids: found 1, expected 2"), "{error}");
    let error = writer.write_orig_eids(7, &edges).unwrap_err().to_string();
    assert!(error.ends_with("small.json has no part 7, only 2"), "{error}");
}

#[test]
fn elements_that_dgl_lacks_are_stored_as_those_that_hold_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("tensors");
    let bytes = |numbers: &[u64], size: usize| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()[..size].to_vec()).collect()
    };
    let array = |element, numbers: &[u64], size| Array::new(element, vec![2], bytes(numbers, size)).unwrap();
    let given = [
        ("a".to_owned(), array(ArrayType::U16, &[65_535, 7], 2)),
        ("b".to_owned(), array(ArrayType::U32, &[4_294_967_295, 7], 4)),
        ("c".to_owned(), array(ArrayType::U64, &[i64::MAX as u64, 7], 8)),
        ("d".to_owned(), array(ArrayType::I16, &[65_535, 7], 2)),
    ];
    save_tensors(&path, &given).unwrap();
    let found = load_tensors(&path).unwrap();
    let elements: Vec<_> = found.iter().map(|(_, array)| array.element()).collect();
    assert_eq!(elements, [ArrayType::I32, ArrayType::I64, ArrayType::I64, ArrayType::I16]);
    assert_eq!(found[0].1.bytes(), bytes(&[65_535, 7], 4));
    for (at, number) in [(1, 4_294_967_295), (2, i64::MAX)] {
        assert_eq!(i64s(&found[at].1), [number, 7]);
    }
    let large = [("label".to_owned(), array(ArrayType::U64, &[1, 1 << 63], 8))];
    let message = save_tensors(folder.path().join("large"), &large).unwrap_err().to_string();
    let expected = "array \"label\": 9223372036854775808 is beyond int64, which DGL has in place of uint64";
    assert!(message.ends_with(expected), "{message}");
    assert!(!folder.path().join("large").exists());
}

/// Parts of DGL's own dispatch have no array `part_id`.
#[test]
fn parts_without_owners_of_nodes_are_read() {
    let folder = TempDir::new().unwrap();
    let (config, _, parts) = written(&folder);
    let path = folder.path().join("part0/graph.dgl");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(7).position(|found| found == b"part_id").unwrap();
    bytes[at..at + 7].copy_from_slice(b"another");
    fs::write(&path, bytes).unwrap();
    assert_eq!(load_partition(&config, 0).unwrap().part, parts[0]);
}
