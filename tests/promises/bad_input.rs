//! Promise 8: bad input gives an error that names file, line or graph, what was expected and what was found.

use flate2::{Compression, write::GzEncoder};
use graphpack_core::{Limits, Size};
use graphpack_formats::{OgbCsv, histogram_csv};
use graphpack_loader::{
    Batching, BuildError, Capacity, Column, Level, Loader, LoaderBuilder, Oversize, Source, Store, molecules,
};
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

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

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The data set, with some files replaced.
fn data_set(replaced: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in FILES {
        let text = replaced.iter().find(|(other, _)| *other == name).map_or(text, |(_, text)| text);
        write(folder.path(), name, &gzip(text));
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
    assert_eq!((store.len(), store.size(0), store.size(1)), (2, Size([3, 4]), Size([1, 0])));
    assert_eq!(store.edges(0), (vec![0, 1, 1, 2], vec![1, 0, 2, 1]));
    let loader = Loader::new(store.clone()).limits(Limits::new([4, 4])).build().unwrap();
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
    assert_eq!(data.split("train").unwrap().number(0), 1);
    assert_eq!(data.split("random/test").unwrap().number(0), 0);
    assert_eq!(OgbCsv::open_directed(folder.path()).unwrap().store().size(0), Size([3, 2]));
}

#[test]
fn optional_files_may_be_missing_and_all_may_be_plain() {
    let folder = TempDir::new().unwrap();
    for (name, text) in &FILES[..3] {
        write(folder.path(), name.trim_end_matches(".gz"), text.as_bytes());
    }
    let data = OgbCsv::open(folder.path()).unwrap();
    assert!(data.store().schema().fields().is_empty());
    assert_eq!(data.store().size(0), Size([3, 4]));
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
        ("raw/node-feat.csv.gz", "5,0\n6,1\n7,2\n", "node-feat.csv.gz has 3 rows, "),
        ("raw/edge.csv.gz", "0,1\n1,3\n", "edge.csv.gz, line 2: node 3 in graph 0, which has 3 nodes"),
        ("raw/edge.csv.gz", "0,1\n1,-2\n", "edge.csv.gz, line 2: node -2 in graph 0, which has 3 nodes"),
        ("raw/edge.csv.gz", "0,1\n1,2\n0,0\n", "edge.csv.gz has 3 rows, "),
        ("raw/edge.csv.gz", "0,1,1\n1,2,1\n", "edge.csv.gz, line 1: 3 cells, expected 2"),
        ("raw/edge.csv.gz", "0,1\n1,1.5\n", "edge.csv.gz, line 2, column 2: \"1.5\" is not an integer"),
        ("raw/edge.csv.gz", "0,1\n\n1,2\n", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\n\n1,2", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\r\n\r\n1,2\r\n", "edge.csv.gz, line 2 is empty"),
        ("raw/edge.csv.gz", "0,1\r\n1,x\r\n", "edge.csv.gz, line 2, column 2: \"x\" is not an integer"),
        ("raw/num-node-list.csv.gz", "3\n1.0\n", "line 2, column 1: \"1.0\" is not an integer"),
        ("raw/num-node-list.csv.gz", "3\n-1\n", "num-node-list.csv.gz, line 2: -1 is not a number of nodes"),
        (
            "raw/num-edge-list.csv.gz",
            "2\n4294967295\n",
            "num-edge-list.csv.gz, line 2: 4294967295 is not a number of nodes or edges",
        ),
        ("raw/num-edge-list.csv.gz", "2\n", "num-edge-list.csv.gz has 1 rows, "),
        ("raw/graph-label.csv.gz", "1,\n", "graph-label.csv.gz has 1 rows, "),
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
    assert!(missing.contains("nowhere/raw/num-node-list.csv.gz: No such file"), "{missing}");

    let long: String = (0..20_000).map(|i| format!("{i},{}\n", i * 7919 % 10_007)).collect();
    let whole = gzip(&long);
    write(folder.path(), "raw/node-feat.csv.gz", &whole[..whole.len() / 2]);
    let truncated = message(&folder);
    let line: u64 = truncated.split("line ").nth(1).and_then(|rest| rest.split(':').next()).unwrap().parse().unwrap();
    assert!(truncated.contains("node-feat.csv.gz") && line > 1000, "{truncated}");

    write(folder.path(), "raw/node-feat.csv.gz", b"this is not gzip");
    assert!(message(&folder).contains("node-feat.csv.gz, line 1: "), "{}", message(&folder));
}

#[test]
fn splits_are_checked() {
    let folder = data_set(&[("split/random/train.csv.gz", "0\n2\n")]);
    let data = OgbCsv::open(folder.path()).unwrap();
    let error = data.split("train").unwrap_err().to_string();
    assert!(error.contains("train.csv.gz, line 2: graph 2, but the data set has 2 graphs"), "{error}");
    let error = data.split("valid").unwrap_err().to_string();
    assert!(error.ends_with("split/random has no split \"valid\", only test, train"), "{error}");
    fs::create_dir(folder.path().join("split/scaffold")).unwrap();
    let error = data.split("train").unwrap_err().to_string();
    assert!(error.contains("[\"random\", \"scaffold\"]"), "{error}");
}

#[test]
fn histogram_files_are_checked() {
    let folder = TempDir::new().unwrap();
    let read = |text: &str| {
        write(folder.path(), "h.csv", text.as_bytes());
        histogram_csv::read(folder.path().join("h.csv")).map_err(|error| error.to_string())
    };
    let sound = read("num_nodes,num_edges,count\n3,4,2\n1,0,0\n3,4,5\n").unwrap();
    assert_eq!(sound.entries(), [(Size([3, 4]), 7)]);
    let mut written = Vec::new();
    histogram_csv::write(&sound, &mut written).unwrap();
    assert_eq!(written, b"num_nodes,num_edges,count\n3,4,7\n");
    let cases = [
        ("3,4,2\n", "line 1: expected the header"),
        ("num_nodes,num_edges,count\n3,4\n", "line 2: expected nodes, edges and a count, found \"3,4\""),
        ("num_nodes,num_edges,count\n3,4,2\n3,-4,2\n", "line 3: expected nodes, edges and a count, found \"3,-4,2\""),
        ("num_nodes,num_edges,count\n3,4,18446744073709551615\n3,4,1\n", "exceeds 64 bits"),
        ("num_nodes,num_edges,count\n3,4,1,9\n", "line 2"),
    ];
    for (text, expected) in cases {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn columns_that_do_not_belong_together_are_refused() {
    let x = |rows: usize| vec![Column::new("x", Level::Node, 2, vec![0.0_f32; 2 * rows])];
    let message = |store: Result<Store, graphpack_loader::StoreError>| store.map(|_| ()).unwrap_err().to_string();
    let edges = || [vec![0_i64], vec![1]];
    assert_eq!(message(Store::new(vec![0, 2], vec![0, 1], edges(), x(3))), "column \"x\" has 3 rows, expected 2");
    assert_eq!(
        message(Store::new(vec![0, 2, 1], vec![0, 1, 1], edges(), x(1))),
        "node_ptr goes from 2 to 1 at graph 1"
    );
    assert_eq!(message(Store::new(vec![0, 2], vec![0, 1, 1], edges(), x(2))), "node_ptr has 2 entries, edge_ptr 3");
    assert_eq!(message(Store::new(vec![], vec![], edges(), x(2))), "node_ptr must start with 0, found None");
    let error = message(Store::new(vec![0, 1], vec![0, 1], edges(), x(1)));
    assert_eq!(error, "edge 0 of graph 0 has node 1, but the graph has 1 nodes");
    let own = vec![Column::new("batch", Level::Graph, 1, vec![1_i64])];
    assert_eq!(
        message(Store::new(vec![0, 2], vec![0, 1], edges(), own)),
        "field name \"batch\" is reserved for the batch itself or its file"
    );
}

#[test]
fn options_of_zero_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = Loader::new(data.clone()).packs_per_batch(0).build().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "packs_per_batch must be at least 1");
    let error = Loader::new(data.clone()).batch_graphs(0).build().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "graphs per batch must be at least 1");
    let error = Loader::new(data.clone()).limits(Limits::new([0, 9])).build().map(|_| ()).unwrap_err();
    assert!(matches!(error, BuildError::Limits(_)), "{error}");
    let huge = Loader::new(data).limits(Limits::new([u32::MAX, u32::MAX])).packs_per_batch(usize::MAX).build();
    assert!(matches!(huge, Err(BuildError::TooLarge { .. })));
    let none = Store::new(vec![0], vec![0], [vec![], vec![]], vec![]).unwrap();
    assert!(matches!(Loader::new(none).build(), Err(BuildError::Empty)));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = |options: LoaderBuilder<_>| options.build().map(|_| ()).unwrap_err().to_string();
    let fixed = || Loader::new(data.clone()).batching(Batching::Static64);
    assert_eq!(error(fixed().packs_per_batch(2)), "packs_per_batch has no meaning for static-64 batching");
    assert_eq!(error(fixed().oversize(Oversize::Skip)), "oversize has no meaning for static-64 batching");
    assert_eq!(
        error(fixed().limits(Limits::new([9, 9]))),
        "a capacity of limits has no meaning for static-64 batching"
    );
    assert_eq!(error(fixed().capacity(Capacity::Tight { batch_size: 1 })), "graphs per batch must be at least 1");
    let dynamic = |capacity| error(Loader::new(data.clone()).batching(Batching::Dynamic).capacity(capacity));
    assert_eq!(
        dynamic(Capacity::Percentile { batch_size: 4, share: 1.5 }),
        "the share of batches that fit must be above 0 and at most 1, found 1.5"
    );
    assert_eq!(
        dynamic(Capacity::Dynamic { batch_size: u32::MAX }),
        "Dynamic { batch_size: 4294967295 } asks for a shape of more than 4294967295 nodes or edges"
    );
    let budget = Batching::NodeBudget { nodes: 2 };
    let message = error(Loader::new(data.clone()).batching(budget));
    assert!(message.contains("the limits are 2 nodes"), "{message}");
}
