//! DGL's files of partitioned graphs: what DGL wrote is read as it was and written byte for byte, and damage is named.

mod common;

use common::shared_data;
use graphpack_loader::partition::dgl::{
    DglError, HeteroGraph, PartitionConfig, PartitionWriter, load_graphs, load_partition, load_partition_book,
    load_partition_feats, load_partition_graph, load_tensors, save_graphs, save_tensors, tensors_in,
};
use graphpack_loader::partition::{Array, ArrayType, Part, PartitionBook};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What stands before is what was in DGL's memory, but for the first 32 bytes.
const HEAD: usize = 4096;

/// Folder and name of each partition that DGL wrote.
const PARTITIONS: [[&str; 2]; 4] =
    [["karate_random", "karate"], ["karate_metis", "karate"], ["het_random", "het"], ["het_metis", "het"]];

fn samples() -> Option<PathBuf> {
    let samples = shared_data()?.join("dgl");
    if samples.is_dir() {
        return Some(samples);
    }
    eprintln!("skipped: no data at {}", samples.display());
    None
}

/// Arrays of a npz file.
fn npz(path: &Path) -> BTreeMap<String, Array> {
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8(bytes[10..start].to_vec()).unwrap();
        let between = |from: &str, to: &str| header.split_once(from).unwrap().1.split_once(to).unwrap().0.to_owned();
        let element = match between("'descr': '", "'").as_str() {
            "<i8" => ArrayType::I64,
            "<f4" => ArrayType::F32,
            "|b1" => ArrayType::U8,
            other => panic!("{other}"),
        };
        let shape = between("'shape': (", ")");
        let shape = shape.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        (name.trim_end_matches(".npy").to_owned(), Array::new(element, shape, bytes[start..].to_vec()).unwrap())
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
fn parts_are_what_dgl_cut() {
    let Some(samples) = samples() else { return };
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
            let features = load_partition_feats(&config, number).unwrap();
            assert_eq!((features.nodes, features.edges), (part.node_features, part.edge_features));
        }
        assert!(seen.iter().flatten().all(|&seen| seen), "every edge is owned");
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
fn ids_lead_to_types_and_back() {
    let Some(samples) = samples() else { return };
    for [folder, name] in PARTITIONS {
        let book = load_partition_book(samples.join(folder).join(name).with_extension("json")).unwrap();
        let mut nodes = vec![0; book.node_types().len()];
        for id in 0..book.nodes() as i64 {
            let place = book.node(id).unwrap();
            assert!(book.node_range(place.kind, place.part).contains(&id));
            assert_eq!(book.node_id(place.part, place.local), Some(id));
            assert_eq!(place.within_type, nodes[place.kind]);
            nodes[place.kind] += 1;
        }
        let mut edges = vec![0; book.edge_types().len()];
        for id in 0..book.edges() as i64 {
            let place = book.edge(id).unwrap();
            assert!(book.edge_range(place.kind, place.part).contains(&id));
            assert_eq!(book.edge_id(place.part, place.local), Some(id));
            assert_eq!(place.within_type, edges[place.kind]);
            edges[place.kind] += 1;
        }
        let expected = if name == "het" { (vec![60, 40, 100], vec![150, 400, 300]) } else { (vec![34], vec![156]) };
        assert_eq!((nodes, edges), expected);
    }
}

#[test]
fn every_file_is_written_byte_for_byte() {
    let Some(samples) = samples() else { return };
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
    let (mut tensors, mut graphs) =
        (vec![samples.join("tensors.dgl")], vec![samples.join("one.dgl"), samples.join("two.dgl")]);
    for [partition, name] in PARTITIONS {
        let config = samples.join(partition).join(name).with_extension("json");
        PartitionConfig::read(&config).unwrap().write(&again).unwrap();
        same(&config, 0);
        for part in ["part0", "part1"] {
            let file = |file| samples.join(partition).join(part).join(file);
            tensors.extend([file("node_feat.dgl"), file("edge_feat.dgl")]);
            graphs.push(file("graph.dgl"));
        }
        // A part as a whole, by its meaning.
        let loaded = load_partition(&config, 1).unwrap();
        let book = loaded.book.clone();
        let out = folder.path().join(partition);
        let writer = PartitionWriter::create(out, &loaded.name, &loaded.method, loaded.halo_hops, book).unwrap();
        writer.write_part(&loaded.part).unwrap();
        for (file, from) in [("graph.dgl", HEAD), ("node_feat.dgl", 0), ("edge_feat.dgl", 0)] {
            fs::copy(folder.path().join(partition).join("part1").join(file), &again).unwrap();
            same(&samples.join(partition).join("part1").join(file), from);
        }
        fs::copy(writer.write_config().unwrap(), &again).unwrap();
        same(&config, 0);
    }
    for path in tensors {
        let read = load_tensors(&path).unwrap();
        save_tensors(&again, &read).unwrap();
        same(&path, 0);
        let infos = tensors_in(&path).unwrap();
        let expected = read.iter().map(|(name, array)| (name.clone(), array.element(), array.shape().to_vec()));
        assert!(infos.into_iter().map(|info| (info.name, info.element, info.shape)).eq(expected));
    }
    for path in graphs {
        save_graphs(&again, &load_graphs(&path).unwrap()).unwrap();
        same(&path, HEAD);
    }
    let two = load_graphs(samples.join("two.dgl")).unwrap();
    assert_eq!(two.labels, [("y".to_owned(), Array::of_i64(&[1, 2]))]);
    assert_eq!(
        two.graphs.iter().map(|graph| (graph.nodes[0], graph.relations[0].edges())).collect::<Vec<_>>(),
        [(3, 3), (4, 1)]
    );
}

/// A partition of random nodes and edges, cut slowly: parts own the edges into their nodes, and may have those out of them, too.
fn parts(seed: &[u32], types: [usize; 2], count: usize, out_edges: bool) -> (PartitionBook, Vec<Part>) {
    let mut numbers = seed.iter().cycle().enumerate().map(|(i, &n)| n.wrapping_mul(2 * i as u32 + 1) >> 7);
    let mut below = |n: usize| numbers.next().unwrap() as usize % n;
    let nodes: Vec<Vec<usize>> = (0..types[0]).map(|_| (0..count).map(|_| below(5)).collect()).collect();
    let node_types: Vec<String> = (0..types[0]).map(|kind| format!("ü/{kind}")).collect();
    let names =
        |kind: usize, from: usize, to: usize| [node_types[from].clone(), format!("r{kind}"), node_types[to].clone()];
    let edge_types: Vec<[String; 3]> =
        (0..types[1]).map(|kind| names(kind, below(types[0]), below(types[0]))).collect();
    let only_nodes = PartitionBook::new(node_types.clone(), &nodes, Vec::new(), &[]);
    // Type, source and target by global id.
    let mut edges: Vec<(usize, i64, i64)> = Vec::new();
    for (kind, [from, _, to]) in edge_types.iter().enumerate() {
        let ids = |name: &String| -> Vec<i64> {
            let kind = node_types.iter().position(|found| found == name).unwrap();
            (0..count).flat_map(|part| only_nodes.node_range(kind, part)).collect()
        };
        let (from, to) = (ids(from), ids(to));
        if !from.is_empty() && !to.is_empty() {
            edges.extend((0..below(12)).map(|_| (kind, from[below(from.len())], to[below(to.len())])));
        }
    }
    let part_of = |id| only_nodes.node(id).unwrap().part;
    edges.sort_by_key(|&(kind, _, target)| (part_of(target), kind));
    let owned = |kind, part| edges.iter().filter(|edge| (edge.0, part_of(edge.2)) == (kind, part)).count();
    let counts: Vec<Vec<usize>> =
        (0..types[1]).map(|kind| (0..count).map(|part| owned(kind, part)).collect()).collect();
    let book = PartitionBook::new(node_types, &nodes, edge_types, &counts);
    let part = |number: usize| {
        let ids = 0..edges.len() as i64;
        let (inner, others): (Vec<i64>, Vec<i64>) = ids.partition(|&id| part_of(edges[id as usize].2) == number);
        let outgoing = others.into_iter().filter(|&id| out_edges && part_of(edges[id as usize].1) == number);
        let inner_edges = inner.len();
        let edge_ids: Vec<i64> = inner.into_iter().chain(outgoing).collect();
        let mut node_ids: Vec<i64> = (0..book.nodes() as i64).filter(|&id| part_of(id) == number).collect();
        let inner_nodes = node_ids.len();
        let ends = edge_ids.iter().flat_map(|&id| [edges[id as usize].1, edges[id as usize].2]);
        node_ids.extend(ends.filter(|&id| part_of(id) != number).collect::<BTreeSet<i64>>().into_iter().rev());
        let local = |id: i64| node_ids.iter().position(|&node| node == id).unwrap() as i64;
        let sources = edge_ids.iter().map(|&id| local(edges[id as usize].1)).collect();
        let targets = edge_ids.iter().map(|&id| local(edges[id as usize].2)).collect();
        let array = |rows: usize| Array::new(ArrayType::I16, vec![rows, 2], (0..4 * rows as u8).collect()).unwrap();
        let node_features = (0..types[0])
            .map(|kind| (format!("{}/x", book.node_types()[kind]), array(book.node_range(kind, number).count())));
        let edge_features = (0..types[1]).map(|kind| {
            (format!("{}/w", book.edge_types()[kind].join(":")), array(book.edge_range(kind, number).count()))
        });
        let (node_features, edge_features) = (node_features.collect(), edge_features.collect());
        Part { number, node_ids, inner_nodes, sources, targets, edge_ids, inner_edges, node_features, edge_features }
    };
    let parts = (0..count).map(part).collect();
    (book, parts)
}

/// A small partition with every kind of thing in it, written.
fn written(folder: &TempDir) -> (PathBuf, PartitionBook, Vec<Part>) {
    let has_all = |part: &Part| part.inner_edges > 1 && part.inner_nodes > 2 && part.inner_nodes < part.node_ids.len();
    let tried = (1..).map(|seed| parts(&[seed, seed * 1_618_033], [2, 2], 2, true));
    let (book, parts) = { tried }.find(|(_, parts)| parts.iter().all(has_all)).unwrap();
    let writer = PartitionWriter::create(folder.path(), "small", "random", 1, book.clone()).unwrap();
    for part in &parts {
        writer.write_part(part).unwrap();
    }
    (writer.write_config().unwrap(), book, parts)
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
        let writer = PartitionWriter::create(folder.path().join("new"), "g", "metis", 2, book.clone()).unwrap();
        for part in parts.iter().rev() {
            writer.write_part(part).unwrap();
        }
        let config = writer.write_config().unwrap();
        prop_assert_eq!(&load_partition_book(&config).unwrap(), &book);
        let other = PartitionWriter::create(folder.path().join("other"), "g", "metis", 2, book.clone()).unwrap();
        for (number, part) in parts.iter().enumerate() {
            let loaded = load_partition(&config, number).unwrap();
            prop_assert_eq!(&loaded.part, part);
            other.write_part(&loaded.part).unwrap();
            for file in ["graph.dgl", "node_feat.dgl", "edge_feat.dgl"] {
                let file = format!("part{number}/{file}");
                let bytes = |folder: &str| fs::read(folder_path(&config, folder).join(&file)).unwrap();
                prop_assert!(bytes("new") == bytes("other"));
            }
            let path = folder.path().join(format!("new/part{number}/graph.dgl"));
            other_formats_are_the_same_part(&path);
            prop_assert_eq!(load_partition_graph(&config, number).unwrap().part.edge_ids, part.edge_ids.clone());
            prop_assert_eq!(load_partition_graph(&config, number).unwrap().part.sources, part.sources.clone());
        }
    }
}

fn folder_path(config: &Path, folder: &str) -> PathBuf {
    config.parent().unwrap().parent().unwrap().join(folder)
}

/// Rewrites a file so that edges are by target, as `graph_formats="csc"` has it; their ids are in `data` then.
fn other_formats_are_the_same_part(path: &Path) {
    let mut graphs = load_graphs(path).unwrap();
    let HeteroGraph { relations, nodes, .. } = &mut graphs.graphs[0];
    let coo = relations[0].coo.take().unwrap();
    let (sources, targets) = (i64s(&coo.row), i64s(&coo.column));
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_key(|&edge| targets[edge]);
    let starts: Vec<i64> =
        (0..=nodes[0] as i64).map(|node| targets.iter().filter(|&&target| target < node).count() as i64).collect();
    let mut csc = graphs.graphs[0].metagraph.clone();
    (csc.rows, csc.columns) = (coo.rows, coo.columns);
    csc.indptr = Array::of_i64(&starts);
    csc.indices = Array::of_i64(&order.iter().map(|&edge| sources[edge]).collect::<Vec<_>>());
    csc.data = Array::of_i64(&order.iter().map(|&edge| edge as i64).collect::<Vec<_>>());
    graphs.graphs[0].relations[0].csc = Some(csc);
    save_graphs(path, &graphs).unwrap();
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
fn truncated_and_damaged_files_are_errors() {
    let folder = TempDir::new().unwrap();
    let (config, ..) = written(&folder);
    for file in ["part0/graph.dgl", "part0/node_feat.dgl", "part0/edge_feat.dgl", "small.json"] {
        let path = folder.path().join(file);
        let whole = fs::read(&path).unwrap();
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        for length in (0..whole.len()).step_by(7) {
            fs::write(&path, &whole[..length]).unwrap();
            let error = load_partition(&config, 0).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        let error = load_partition(&config, 0).unwrap_err();
        assert!(matches!(error, DglError::Format { .. } | DglError::Io { .. }), "{error}");
        // The head is long and says nothing behind its first numbers.
        let head = |at: usize| file == "part0/graph.dgl" && (32..HEAD).contains(&at);
        for at in (0..whole.len()).filter(|&at| !head(at) || at % 97 == 0) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&path, flipped).unwrap();
            match load_partition(&config, 0) {
                Err(error) => assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}"),
                // A feature, a name or a byte of the head: still a part that can be written.
                Ok(loaded) => {
                    let other = TempDir::new().unwrap();
                    let writer = PartitionWriter::create(other.path(), "g", "", 1, loaded.book.clone()).unwrap();
                    writer.write_part(&loaded.part).unwrap();
                }
            }
            assert!(!head(at) || load_partition_graph(&config, 0).is_ok());
        }
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn errors_say_where_and_both_numbers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("t.dgl");
    save_tensors(&path, &[("ab".to_owned(), Array::of_i64(&[5, 6]))]).unwrap();
    let whole = fs::read(&path).unwrap();
    let error = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed.splice(at..at + bytes.len(), bytes.iter().copied());
        fs::write(&path, changed).unwrap();
        let (error, header) =
            (load_tensors(&path).unwrap_err().to_string(), tensors_in(&path).unwrap_err().to_string());
        assert_eq!(error, header);
        error.rsplit_once("t.dgl").unwrap().1.to_owned()
    };
    let huge = (1_u64 << 60).to_le_bytes();
    for (at, bytes, expected) in [
        (0, &[0][..], ", byte 0: start of a file of tensors is 0xdd5a9fbe3fa24400, expected 0xdd5a9fbe3fa2443f"),
        (8, &[2], ", byte 8: number of tensors is 2, expected 1, as it is again"),
        (16, &huge, ", byte 16: number of tensors is 1152921504606846976, expected at most 1 for the 74 bytes left"),
        (24, &huge, ", byte 32: a tensor needs 1152921504606846976 bytes, the file has 66 more"),
        (33, &[0xff], ", byte 33: a tensor is \"\\xff\", expected UTF-8"),
        (34, &[0], ", byte 34: a tensor is 0xdd5e40f096b4a100, expected 0xdd5e40f096b4a13f"),
        (50, &[2], ", byte 50: device of an array is 2 0, expected 1 0, the processor"),
        (58, &[200], ", byte 58: number of dimensions is 200, expected 0 to 64"),
        (
            62,
            &[4],
            ", byte 62: type of elements is code 4 of 64 bits, 1 lanes, expected code 0, 1 or 2 of 8 to 64 bits, 1 lanes",
        ),
        (66, &[3], ", byte 74: number of bytes is 16, expected 24 for int64 of shape [3]"),
        (66, &[0xff; 8], ", byte 66: a dimension is -1, expected a number that is not negative"),
        (
            66,
            &(1_u64 << 61).to_le_bytes(),
            ", byte 74: number of bytes is 16, expected fewer elements for int64 of shape [2305843009213693952]",
        ),
    ] {
        assert_eq!(error(at, bytes), expected);
    }

    let (config, book, parts) = written(&folder);
    let text = fs::read_to_string(&config).unwrap();
    let error = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(&config, text.replacen(from, to, 1)).unwrap();
        load_partition(&config, 0).unwrap_err().to_string().rsplit_once("small.json").unwrap().1.to_owned()
    };
    for (from, to, expected) in [
        ("\"num_parts\": 2", "\"num_parts\": 3", ": node_map.ü/0 is 2 ranges, expected a range for each of 3 parts"),
        ("\"num_parts\": 2", "\"num_parts\": -2", ": num_parts is -2, expected a number that is not negative"),
        ("\"graph_name\": \"small\"", "\"graph_name\": 7", ": graph_name is 7, expected a text"),
        ("\"edge_map\"", "\"edge_mop\"", ": edge_map is missing, expected ranges by type"),
        (
            "part0/graph.dgl",
            "../graph.dgl",
            ": part-0.part_graph is ../graph.dgl, expected a path beneath the folder of this file",
        ),
        (
            "part0/graph.dgl",
            "/dev/zero",
            ": part-0.part_graph is /dev/zero, expected a path beneath the folder of this file",
        ),
        ("\"part-1\"", "\"part-7\"", ": part-1 is missing, expected an object"),
        (
            "                0,\n",
            "                1,\n",
            &format!(": node_map.ü/0 is [1,{}], expected a range from 0 on for part 0", book.node_range(0, 0).end),
        ),
        ("/1\": 1", "/1\": 0", ": ntypes.ü/1 is 0, expected types with a number each, from 0"),
    ] {
        let to = to.replace('ü', "\\u00fc");
        assert_eq!(error(from, &to), expected);
    }
    // Keys that others add.
    fs::write(&config, text.replacen('{', "{\"part_sizes\": [1, 2],", 1)).unwrap();
    assert_eq!(load_partition(&config, 1).unwrap().part, parts[1]);
    let error = load_partition(&config, 2).unwrap_err().to_string();
    assert!(error.ends_with("small.json has no part 2, only 2"), "{error}");

    let writer = PartitionWriter::create(folder.path(), "small", "random", 1, book).unwrap();
    let error = |change: &dyn Fn(&mut Part)| {
        let mut part = parts[0].clone();
        change(&mut part);
        writer.write_part(&part).unwrap_err().to_string().rsplit_once("graph.dgl: ").unwrap().1.to_owned()
    };
    let (nodes, inner) = (parts[0].node_ids.len(), parts[0].inner_nodes);
    assert_eq!(error(&|part| part.node_ids[0] = 3), "node 0 of the part: its id is 3, expected 0");
    assert_eq!(
        error(&|part| part.node_ids[inner] = 1),
        format!("node {inner} of the part: its id is 1, expected that of a node of another part")
    );
    assert_eq!(
        error(&|part| part.sources[1] = -4),
        format!("edge 1 of the part: its source is -4, expected 0 to {nodes} (exclusive)")
    );
    assert_eq!(
        error(&|part| part.inner_edges -= 1),
        format!("edges of the part: found {}, expected {}", parts[0].inner_edges - 1, parts[0].inner_edges)
    );
    assert_eq!(
        error(&|part| part.sources.truncate(1)),
        format!("targets of edges: found {}, expected 1", parts[0].targets.len())
    );
    let error = error(&|part| part.node_features[0].0 = "other/x".into());
    assert!(error.starts_with("feature \"other/x\" has "), "{error}");
    for name in ["", "a/b"] {
        assert!(PartitionWriter::create(folder.path(), name, "", 1, load_partition_book(&config).unwrap()).is_err());
    }
}
