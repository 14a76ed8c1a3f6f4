//! OGB's raw layout: small data sets, sound and damaged, and the real ogbg-molhiv: sizes, splits and features are OGB's,
//! the histogram is the one of the data folder, plans cover every graph.

use super::{file, gzip, left_out};
use graphpack_core::{Heuristic, Histogram, Limits, Packer};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{Convert, DataFile, Fields, FileFormat, OgbCsv, Pieces, ReadOptions, histogram_csv, ogb};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Batch, Dtype, Loader, Options, Order, Store};
use std::fs;
use tempfile::TempDir;
use test_common::shared_data;

/// A data set of two graphs, (3, 2 bonds) and (1, 0), in OGB's layout.
const FILES: [(&str, &str); 8] = [
    ("raw/num-node-list.csv.gz", "3\n1\n"),
    ("raw/num-edge-list.csv.gz", "2\n0\n"),
    ("raw/edge.csv.gz", "0,1\n1,2\n"),
    ("raw/node-feat.csv.gz", "5,0\n6,1\n7,2\n8,3\n"),
    ("raw/edge-feat.csv.gz", "0.5\n1\n"),
    ("raw/graph-label.csv.gz", "1,\n0,nan\n"),
    ("split/random/train.csv.gz", "1\n"),
    ("split/random/test.csv.gz", "0\n"),
];

/// The data set, with some files replaced.
fn data_set(replaced: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in FILES {
        let text = replaced.iter().find(|(other, _)| *other == name).map_or(text, |(_, text)| text);
        file(&folder, name, text);
    }
    folder
}

fn message(folder: &TempDir) -> String {
    OgbCsv::open(folder.path()).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn the_sound_data_set_is_read() {
    let folder = data_set(&[]);
    let data = OgbCsv::open(folder.path()).unwrap();
    let store = data.store();
    assert_eq!((store.len(), store.size(0).unwrap(), store.size(1).unwrap()), (2, [3, 4].into(), [1, 0].into()));
    assert_eq!(store.edges(0).unwrap(), (vec![0, 1, 1, 2], vec![1, 0, 2, 1]));
    let loader = Loader::new(data.store().clone(), Options::default().capacity(Limits::new([4, 4]))).unwrap();
    let batch = loader.epoch(0).next().unwrap().unwrap();
    let place = batch.graph_ids().iter().position(|&id| id == 0).unwrap();
    assert_eq!(
        batch.get::<i64>("x").unwrap()[2 * batch.ptr::<i64>().unwrap()[place] as usize..][..6],
        [5, 0, 6, 1, 7, 2]
    );
    assert_eq!(batch.get::<f32>("edge_attr").unwrap(), [0.5, 0.5, 1.0, 1.0]);
    let y = batch.get::<f32>("y").unwrap();
    assert_eq!((y[2 * place], y[2 * (1 - place)]), (1.0, 0.0));
    assert!(y[1].is_nan() && y[3].is_nan());
    assert_eq!(data.split("train").unwrap().number(0).unwrap(), 1);
    assert_eq!(data.split("random/test").unwrap().number(0).unwrap(), 0);
    assert_eq!(OgbCsv::open_directed(folder.path()).unwrap().store().size(0).unwrap(), [3, 2]);
}

#[test]
fn records_have_masks_instead_of_nan() {
    let folder = data_set(&[]);
    let mut records = ogb::records(folder.path()).unwrap();
    let mut record = Record::default();
    for (y, has) in [([1.0, 0.0], [true, false]), ([0.0, 0.0], [true, false])] {
        assert!(records.next(&mut record).unwrap());
        assert_eq!(record.field("y").unwrap().values, Values::F64(y.to_vec()));
        assert_eq!(record.field("has_y").unwrap().values, Values::Bool(has.to_vec()));
    }
    assert!(!records.next(&mut record).unwrap());
}

#[test]
fn missing_labels_are_masked_whatever_part_is_read() {
    let folder = data_set(&[]);
    for (split, directed) in [(None, false), (Some("train"), false), (None, true), (Some("train"), true)] {
        let options = ReadOptions { split: split.map(str::to_owned), directed, ..ReadOptions::default() };
        let file = DataFile { path: folder.path().to_owned(), options, ..DataFile::default() };
        let store = Store::collect(file.read().unwrap().0).unwrap();
        let from = if split.is_some() { 2 } else { 0 };
        assert_eq!(store.values::<f32>("y").unwrap(), [1.0, 0.0, 0.0, 0.0][from..]);
        assert_eq!(store.values::<bool>("has_y").unwrap(), [true, false, true, false][from..]);
    }
}

#[test]
fn a_label_that_cannot_be_read_is_named_with_its_line() {
    for (labels, expected) in [
        ("<5\n1\n", "graph-label.csv.gz, line 1: expected a number, as in line 2, found \"<5\""),
        ("get name\nset,name\n", "graph-label.csv.gz, line 2: 2 cells, expected 1"),
        ("1\n<5\n", "graph-label.csv.gz, line 2, column 1: \"<5\" is not a number"),
        ("1,2\ninf,2\n", "graph-label.csv.gz, line 2, column 1: \"inf\" is not a finite number"),
    ] {
        let message = message(&data_set(&[("raw/graph-label.csv.gz", labels)]));
        assert!(message.ends_with(expected), "{message}");
    }
}

#[test]
fn raw_files_that_are_not_read_are_listed() {
    let folder = data_set(&[]);
    file(&folder, "raw/graph-feat.csv.gz", "1\n2\n");
    let data = OgbCsv::open(folder.path()).unwrap();
    assert_eq!(data.skipped(), ["raw/graph-feat.csv: left out"]);
}

/// ogbg-code2's files: directed trees, texts as labels.
#[test]
fn subtokens_become_their_places_in_the_vocabulary() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("raw/num-node-list.csv.gz", "2\n1\n1\n"),
        ("raw/num-edge-list.csv.gz", "1\n0\n0\n"),
        ("raw/edge.csv.gz", "0,1\n"),
        ("raw/node-feat.csv.gz", "5,0\n6,1\n7,2\n8,3\n"),
        ("raw/node_dfs_order.csv.gz", "0\n1\n0\n0\n"),
        ("raw/node_depth.csv.gz", "0\n1\n0\n0\n"),
        ("raw/node_is_attributed.csv.gz", "0\n1\n0\n1\n"),
        ("raw/graph-label.csv.gz", "get name\nset name of the first node\nnode 2\n"),
        ("split/project/train.csv.gz", "0\n1\n"),
    ] {
        file(&folder, name, text);
    }
    let data = OgbCsv::open(folder.path()).unwrap();
    let store = data.store();
    assert_eq!((store.edges(0).unwrap(), store.len()), ((vec![0], vec![1]), 3));
    // `name` is there twice, the others follow in their order; the third graph is not for training.
    assert_eq!(data.vocabulary(), ["name", "get", "set", "of", "the", "first", "node"]);
    let y = store.values::<i64>("y").unwrap();
    assert_eq!(y, [1, 0, 5001, 5001, 5001, 2, 0, 3, 4, 5, 6, 5000, 5001, 5001, 5001]);
    assert_eq!(store.values::<i64>("node_depth").unwrap(), [0, 1, 0, 0]);
    let names: Vec<_> = store.schema().fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["x", "node_depth", "node_dfs_order", "node_is_attributed", "y"]);
}

/// ogbg-ppa's files: no features of nodes, seven of edges.
#[test]
fn graphs_may_have_features_of_edges_only() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("raw/num-node-list.csv.gz", "1\n2\n"),
        ("raw/num-edge-list.csv.gz", "0\n1\n"),
        ("raw/edge.csv.gz", "0,1\n"),
        ("raw/edge-feat.csv.gz", "0.001,0.001,0.1,0.001,0.001,0.9,0.2\n"),
        ("raw/graph-label.csv.gz", "36\n0\n"),
    ] {
        file(&folder, name, text);
    }
    let data = OgbCsv::open(folder.path()).unwrap();
    let store = data.store();
    let fields: Vec<_> = store.schema().fields().iter().map(|field| (&*field.name, field.width)).collect();
    assert_eq!((fields, store.edges(1).unwrap()), (vec![("edge_attr", 7), ("y", 1)], (vec![0, 1], vec![1, 0])));
    assert_eq!(store.values::<f32>("edge_attr").unwrap()[7..10], [0.001, 0.001, 0.1]);
    assert_eq!(store.values::<i64>("y").unwrap(), [36, 0]);
}

#[test]
fn optional_files_may_be_missing_and_all_may_be_plain() {
    let folder = TempDir::new().unwrap();
    for (name, text) in &FILES[..3] {
        file(&folder, name.trim_end_matches(".gz"), text);
    }
    let data = OgbCsv::open(folder.path()).unwrap();
    assert!(data.store().schema().fields().is_empty());
    assert_eq!(data.store().size(0).unwrap(), [3, 4]);
}

#[test]
fn wrong_cells_are_named_with_file_and_line() {
    let cases = [
        (
            "raw/node-feat.csv.gz",
            "5,0\n6,carbon\n7,2\n8,3\n",
            "node-feat.csv.gz, line 2, column 2: \"carbon\" is not a number",
        ),
        ("raw/node-feat.csv.gz", "5,0\n6,1\n7\n8,3\n", "node-feat.csv.gz, line 3: 1 cells, the lines before have 2"),
        (
            "raw/node-feat.csv.gz",
            "5,0\n6,1\n7,2\n",
            "node-feat.csv.gz: expected a row for each node, edge or graph, found 3 rows",
        ),
        (
            "raw/node-feat.csv.gz",
            "5,0\n6,\n7,2\n8,3\n",
            "node-feat.csv.gz, line 2, column 2: \"\" is not a finite number",
        ),
        ("raw/edge-feat.csv.gz", "0.5\nnan\n", "edge-feat.csv.gz, line 2, column 1: \"nan\" is not a finite number"),
        ("raw/edge.csv.gz", "0,1\n1,3\n", "edge.csv.gz, line 2: expected the nodes of graph 0, below 3, found node 3"),
        (
            "raw/edge.csv.gz",
            "0,1\n1,-2\n",
            "edge.csv.gz, line 2: expected the nodes of graph 0, below 3, found node -2",
        ),
        ("raw/edge.csv.gz", "0,1\n1,2\n0,0\n", "edge.csv.gz: expected 2 rows, found more"),
        ("raw/edge.csv.gz", "0,1,1\n1,2,1\n", "edge.csv.gz, line 1: 3 cells, expected 2"),
        ("raw/edge.csv.gz", "0,1\n1,1.5\n", "edge.csv.gz, line 2, column 2: \"1.5\" is not an integer"),
        ("raw/edge.csv.gz", "0,1\n\n1,2\n", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\n\n1,2", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\r\n\r\n1,2\r\n", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\r\n1,x\r\n", "edge.csv.gz, line 2, column 2: \"x\" is not an integer"),
        ("raw/num-node-list.csv.gz", "3\n1.0\n", "line 2, column 1: \"1.0\" is not an integer"),
        (
            "raw/num-node-list.csv.gz",
            "3\n-1\n",
            "num-node-list.csv.gz, line 2: expected a number of nodes or edges that a graph can have, found -1",
        ),
        (
            "raw/num-edge-list.csv.gz",
            "2\n4294967296\n",
            "num-edge-list.csv.gz, line 2: expected a number of nodes or edges that a graph can have, found 4294967296",
        ),
        ("raw/num-edge-list.csv.gz", "2\n", "num-edge-list.csv.gz: expected 2 rows, as "),
        (
            "raw/graph-label.csv.gz",
            "1,\n",
            "graph-label.csv.gz: expected a row for each node, edge or graph, found 1 rows",
        ),
    ];
    for (name, text, expected) in cases {
        let message = message(&data_set(&[(name, text)]));
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn missing_truncated_and_garbled_files_are_named() {
    let folder = data_set(&[]);
    let missing = OgbCsv::open(folder.path().join("nowhere")).map(|_| ()).unwrap_err().to_string();
    assert!(missing.contains("nowhere: expected a data set in OGB's raw layout, found no folder raw/"), "{missing}");

    let long: String = (0..20_000).map(|i| format!("{i},{}\n", i * 7919 % 10_007)).collect();
    let whole = gzip(&long);
    file(&folder, "raw/num-node-list.csv.gz", "19999\n1\n");
    fs::write(folder.path().join("raw/node-feat.csv.gz"), &whole[..whole.len() / 2]).unwrap();
    let truncated = message(&folder);
    let line: u64 = truncated.split("line ").nth(1).and_then(|rest| rest.split(':').next()).unwrap().parse().unwrap();
    assert!(truncated.contains("node-feat.csv.gz") && line > 1000, "{truncated}");
    assert!(truncated.contains(": the file is truncated, damaged or not gzip ("), "{truncated}");

    fs::write(folder.path().join("raw/node-feat.csv.gz"), b"this is not gzip").unwrap();
    let message = message(&folder);
    assert!(message.contains("node-feat.csv.gz: the file is truncated, damaged or not gzip"), "{message}");
}

#[test]
fn splits_are_checked() {
    let folder = data_set(&[("split/random/train.csv.gz", "0\n2\n")]);
    let data = OgbCsv::open(folder.path()).unwrap();
    let error = data.split("train").unwrap_err().to_string();
    assert!(error.contains("train.csv.gz, line 2: expected a graph below 2, found 2"), "{error}");
    let error = data.split("valid").unwrap_err().to_string().replace('\\', "/");
    assert!(error.ends_with("split/random: expected a split valid, found test, train"), "{error}");
    let error = data.split("scaffold/train").unwrap_err().to_string();
    assert!(error.ends_with("split: expected a split scaffold, found random"), "{error}");
    fs::create_dir(folder.path().join("split/scaffold")).unwrap();
    let error = data.split("train").unwrap_err().to_string();
    assert!(
        error.ends_with(
            "split: expected a split of one kind, or the name of one of several, found random/train, scaffold/train"
        ),
        "{error}"
    );
    fs::remove_dir_all(folder.path().join("split/random")).unwrap();
    let error = data.split("train").unwrap_err().to_string().replace('\\', "/");
    assert!(error.ends_with("split/scaffold: expected a split train, found none"), "{error}");
}

#[test]
fn graphs_that_cannot_be_read_are_left_out() {
    for (name, text, bad, place) in [
        ("raw/edge.csv.gz", "0,1\n1,9\n", 0, "edge.csv.gz, line 2: expected the nodes of graph 0"),
        ("raw/node-feat.csv.gz", "5,x\n6,1\n7,2\n8,3\n", 0, "node-feat.csv.gz, line 1"),
        ("raw/node-feat.csv.gz", "5,0\n6,1\n7\n8,3\n", 0, "node-feat.csv.gz, line 3"),
        ("raw/edge-feat.csv.gz", "x\n1\n", 0, "edge-feat.csv.gz, line 1"),
        ("raw/graph-label.csv.gz", "1,\n0,x\n", 1, "graph-label.csv.gz, line 2"),
    ] {
        let folder = data_set(&[(name, text)]);
        let (store, lines) = left_out(folder.path()).unwrap();
        let x = if bad == 0 { vec![8, 3] } else { vec![5, 0, 6, 1, 7, 2] };
        assert_eq!((store.len(), store.values::<i64>("x").unwrap()), (1, x), "{name}");
        let line = &lines[0];
        assert!(line.starts_with(&format!("record {bad}: ")) && line.contains(place), "{place} in {lines:?}");
        assert!(message(&folder).contains(place));
    }
    // Where the rows of the graph after it are, nobody knows.
    for (name, text) in [("raw/num-node-list.csv.gz", "x\n1\n"), ("raw/node-feat.csv.gz", "5,0\n6,1\n")] {
        assert!(
            left_out(data_set(&[(name, text)]).path()).is_err_and(|message| message.replace('\\', "/").contains(name))
        );
    }
}

#[test]
fn a_damaged_graph_of_another_split_is_passed_over() {
    let folder = data_set(&[("raw/edge.csv.gz", "0,1\n1,9\n")]);
    for skips_errors in [false, true] {
        let options = ReadOptions { split: Some("train".into()), skips_errors, ..ReadOptions::default() };
        let mut pieces = Pieces::with(folder.path(), FileFormat::Ogb, &Fields::default(), &options).unwrap();
        let graphs: usize = pieces.by_ref().map(|piece| piece.unwrap().len()).sum();
        assert_eq!((graphs, pieces.failed(), pieces.skipped()), (1, 0, vec![]));
    }
}

/// A split of three graphs, of which one cannot be read; directed edges, a choice of fields with
/// another name, 64 bits and targets, which have a row for each graph of the data set.
#[test]
fn a_split_is_read_with_all_options_of_other_files() {
    let folder = data_set(&[
        ("raw/num-node-list.csv.gz", "3\n1\n2\n2\n"),
        ("raw/num-edge-list.csv.gz", "2\n0\n1\n1\n"),
        ("raw/edge.csv.gz", "0,1\n1,2\n1,0\n0,1\n"),
        ("raw/node-feat.csv.gz", "5,0\n6,1\n7,2\n8,x\n1,1\n2,2\n3,3\n4,4\n"),
        ("raw/edge-feat.csv.gz", "0.5\n1\n2.5\n3\n"),
        ("raw/graph-label.csv.gz", "1,\n0,nan\n1,1\n0,0\n"),
        ("split/random/train.csv.gz", "1\n2\n3\n"),
    ]);
    let targets = Some((file(&folder, "gaps.csv", "gap\n10\n20\n30.5\n40\n"), vec!["gap".to_owned()]));
    let split = Some("train".to_owned());
    let options = ReadOptions { split, directed: true, skips_errors: true, ..ReadOptions::default() };
    let select = Some(vec!["edge_attr".to_owned()]);
    let fields =
        Fields { select, rename: vec![("edge_attr".into(), "length".into())], double: Some(true), ..Fields::default() };
    let path = folder.path().to_owned();
    let convert =
        Convert { fields: fields.clone(), options: options.clone(), targets: targets.clone(), ..Convert::default() };
    let data = DataFile { path: path.clone(), fields, options, targets, ..DataFile::default() };

    let (graphs, skipped) = data.read().unwrap();
    assert!(skipped[0].starts_with("record 1: ") && skipped.len() == 1, "{skipped:?}");
    let out = folder.path().join("store");
    let mut writer = StoreWriter::create(&out).unwrap();
    assert_eq!(convert.run(&[path], &mut writer, |_| ()).unwrap().failed, 1);
    writer.finish().unwrap();
    for store in [Store::collect(graphs).unwrap(), Store::open(&out).unwrap()] {
        assert_eq!(
            (store.len(), store.edges(0).unwrap(), store.edges(1).unwrap()),
            (2, (vec![1], vec![0]), (vec![0], vec![1]))
        );
        assert_eq!(store.values::<f64>("length").unwrap(), [2.5, 3.0]);
        assert_eq!(store.values::<f64>("gap").unwrap(), [30.5, 40.0]);
        assert_eq!(store.schema().fields().len(), 2);
    }

    file(&folder, "split/random/valid.csv.gz", "");
    let none = ReadOptions { split: Some("valid".into()), ..data.options.clone() };
    let error = DataFile { options: none, ..data }.read().map(drop).unwrap_err().to_string();
    assert!(error.ends_with("split valid: expected graphs, found none"), "{error}");
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_graphs_splits_and_packs_are_those_published() {
    let data = shared_data();
    let molhiv = OgbCsv::open(data.join("ogb_raw/ogbg_molhiv")).unwrap();
    let store = molhiv.store();
    let all = Histogram::from_sizes(store.sizes()).unwrap();
    assert_eq!((all.graphs(), &all.totals()[..2]), (41_127, &[1_049_163, 2 * 1_129_688][..]));
    let counts = histogram_csv::read(data.join("histograms/molhiv_all.hist.csv")).unwrap();
    assert_eq!(&all, counts.histogram());
    let fields: Vec<_> = store.schema().fields().iter().map(|f| (f.name.as_str(), f.dtype, f.width)).collect();
    assert_eq!(fields, [("x", Dtype::I64, 9), ("edge_attr", Dtype::I64, 3), ("y", Dtype::I64, 1)]);

    let splits = ["train", "valid", "test"].map(|name| molhiv.split(name).unwrap());
    assert_eq!(splits.each_ref().map(|split| split.len()), [32_901, 4_113, 4_113]);
    let [train, ..] = splits;
    let published = Packer::Published(Heuristic::Set(0));
    let limits = Limits::new([222, 502]);
    let options = Options::default().capacity(limits).grouping(published);
    let loader = Loader::new(train, options.packs(10).order(Order::Shuffled).seed(3).workers(2)).unwrap();
    assert_eq!((loader.plan().unwrap().packs(), loader.batches(0).unwrap()), (3_789, 379));
    let mut seen: Vec<i64> = loader
        .epoch(0)
        .collect::<Result<Vec<Batch>, _>>()
        .unwrap()
        .iter()
        .flat_map(|batch| batch.graph_ids().to_vec())
        .collect();
    seen.sort_unstable();
    let expected: Vec<i64> =
        (0..loader.data().len()).map(|graph| loader.data().number(graph).unwrap() as i64).collect();
    assert_eq!(seen, expected);
}
