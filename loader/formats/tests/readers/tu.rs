//! Data sets of TU Dortmund's collection.

use super::{damaged, file, left_out, records_of};
use graphpack_core::Histogram;
use graphpack_formats::records::{Record, Values};
use graphpack_formats::{histogram_csv, tu};
use graphpack_loader::Level;
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;
use test_common::shared_data;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Two graphs of 2 and 1 nodes, in which an edge is doubled and one is a loop.
const FILES: [(&str, &str); 7] = [
    ("DS_A.txt", "2, 1\n1, 2\n3, 3\n1, 2\n"),
    ("DS_graph_indicator.txt", "1\n1\n2\n"),
    ("DS_graph_labels.txt", "7\n-1\n"),
    ("DS_node_labels.txt", "3, 0\n5, 1\n4, 1\n"),
    ("DS_edge_labels.txt", "1\n0\n0\n1\n"),
    ("DS_node_attributes.txt", "0.5\n1.5\n2.5\n"),
    ("DS_edge_attributes.txt", "1, 2\n3, 4\n5, 6\n7, 8\n"),
];

fn data_set(replaced: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in FILES {
        let text = replaced.iter().find(|(other, _)| *other == name).map_or(text, |(_, text)| text);
        file(&folder, name, text);
    }
    folder
}

fn read(path: &Path) -> Result<Vec<Record>, String> {
    tu::records(path).and_then(records_of).map(|(all, _)| all).map_err(|error| error.to_string())
}

fn zipped(folder: &Path) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, _) in FILES {
        zip.start_file(format!("DS/{name}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(folder.join(name)).unwrap()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn folders_and_zips_become_what_pyg_makes_of_them() {
    let folder = data_set(&[]);
    let all = read(folder.path()).unwrap();
    let zip = folder.path().join("DS.zip");
    fs::write(&zip, zipped(folder.path())).unwrap();
    let names = |records: &[Record]| records.iter().map(|record| record.fields.clone()).collect::<Vec<_>>();
    assert_eq!(names(&all), names(&read(&zip).unwrap()));
    let raw = TempDir::new().unwrap();
    fs::rename(folder.path(), raw.path().join("raw")).unwrap();
    assert_eq!(names(&all), names(&read(raw.path()).unwrap()));

    let [first, second] = &all[..] else { panic!("two graphs") };
    assert_eq!((first.nodes, second.nodes), (2, 1));
    assert_eq!(first.edges, Some([vec![0, 1], vec![1, 0]]));
    assert_eq!(second.edges, Some([vec![], vec![]]));
    let field = |record: &Record, name: &str| {
        let field = record.field(name).unwrap();
        (field.level, field.width, field.values.clone())
    };
    let x = vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    assert_eq!(field(first, "x"), (Level::NODE, 5, Values::F64(x)));
    // The doubled edge has a label of each kind.
    assert_eq!(field(first, "edge_attr"), (Level::EDGE, 2, Values::F64(vec![1.0, 1.0, 0.0, 1.0])));
    assert_eq!(field(first, "edge_attributes"), (Level::EDGE, 2, Values::F64(vec![10.0, 12.0, 1.0, 2.0])));
    assert_eq!(field(second, "node_attributes"), (Level::NODE, 1, Values::F64(vec![2.5])));
    assert_eq!(field(first, "y"), (Level::Graph, 1, Values::I64(vec![1])));
    assert_eq!(field(second, "y"), (Level::Graph, 1, Values::I64(vec![0])));
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_real_data_sets_have_the_sizes_that_were_counted() {
    let data = shared_data();
    for (name, counted, fields) in [
        ("MUTAG", "tu_mutag", vec![("x", 7), ("edge_attr", 4), ("y", 1)]),
        ("ENZYMES", "tu_enzymes", vec![("x", 3), ("node_attributes", 18), ("y", 1)]),
        ("IMDB-BINARY", "tu_imdb_binary", vec![("y", 1)]),
    ] {
        let all = read(&data.join(format!("tu/{name}.zip"))).unwrap();
        let size = |record: &Record| [record.nodes as u32, record.rows(Level::EDGE) as u32];
        let counts = histogram_csv::read(data.join(format!("histograms/{counted}.hist.csv"))).unwrap();
        assert_eq!(Histogram::from_sizes(all.iter().map(size)).as_ref(), Ok(counts.histogram()), "{name}");
        let found: Vec<_> = all[0].fields.iter().map(|field| (&*field.name, field.width)).collect();
        assert_eq!(found, fields, "{name}");
    }
}

#[test]
fn what_is_wrong_is_named_with_file_and_line() {
    for (name, text, expected) in [
        ("DS_graph_indicator.txt", "1\n1\n3\n", "DS_graph_indicator.txt, line 3: expected graph 1 or 2, found 3"),
        ("DS_graph_indicator.txt", "1\n2\n1\n", "DS_graph_indicator.txt, line 3: expected graph 2 or 3, found 1"),
        ("DS_graph_indicator.txt", "0\n1\n2\n", "DS_graph_indicator.txt, line 1: expected graph 1, found 0"),
        (
            "DS_graph_indicator.txt",
            "1\n2\n2\n",
            "DS_A.txt, line 1: expected an edge within a graph, found nodes 2 and 1 of graphs 2 and 1",
        ),
        ("DS_A.txt", "1, 2\n2, 4\n3, 3\n1, 2\n", "DS_A.txt, line 2: expected nodes from 1 to 3, found 4"),
        ("DS_A.txt", "0, 2\n1, 2\n3, 3\n1, 2\n", "DS_A.txt, line 1: expected nodes from 1 to 3, found 0"),
        ("DS_A.txt", "1 2\n", "DS_A.txt, line 1: 1 cells, expected 2"),
        ("DS_A.txt", "1, 2\n", "DS_edge_labels.txt: expected 1 rows, found 4"),
        ("DS_node_labels.txt", "1\n2\n", "DS_node_labels.txt: expected 3 rows, found 2"),
        ("DS_node_labels.txt", "1\nC\n2\n", "DS_node_labels.txt, line 2, column 1: \"C\" is not an integer"),
        (
            "DS_node_labels.txt",
            "1\n0\n99999999999\n",
            "expected labels within 65536 of each other in column 1, found 0 and 99999999999",
        ),
        ("DS_graph_labels.txt", "1\n", "DS_graph_labels.txt: expected 2 rows, found 1"),
        ("DS_node_attributes.txt", "1\n2\n3, 4\n", "DS_node_attributes.txt, line 3: 2 cells, the lines before have 1"),
    ] {
        let message = read(data_set(&[(name, text)]).path()).unwrap_err();
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    }
    let empty = TempDir::new().unwrap();
    let message = read(empty.path()).unwrap_err();
    assert!(message.ends_with("expected one file DS_A.txt, the edges of a TU data set, found none"), "{message}");
}

#[test]
fn a_target_that_is_missing_takes_no_other_with_it() {
    let folder = data_set(&[]);
    file(&folder, "DS_graph_attributes.txt", "1, nan\n2, 3\n");
    file(&folder, "DS_notes.txt", "any\n");
    let (all, skipped) = records_of(tu::records(folder.path()).unwrap()).unwrap();
    let field = |graph: usize, name: &str| all[graph].field(name).unwrap().values.clone();
    assert_eq!((field(0, "y"), field(1, "y")), (Values::F64(vec![1.0, 0.0]), Values::F64(vec![2.0, 3.0])));
    assert_eq!((field(0, "has_y"), field(1, "has_y")), (Values::Bool(vec![true, false]), Values::Bool(vec![true; 2])));
    assert_eq!(skipped, ["graph_labels: left out, graph_attributes are the targets", "DS_notes.txt: left out"]);
}

#[test]
fn labels_that_are_far_apart_do_not_fill_memory() {
    let many = 2000;
    let (graphs, labels) = ("1\n".repeat(many), format!("65535\n{}", "0\n".repeat(many - 1)));
    let edges: String = (2..=many).map(|node| format!("1, {node}\n")).collect();
    for (name, of) in [("node", many), ("edge", many - 1)] {
        let folder = TempDir::new().unwrap();
        file(&folder, "DS_A.txt", &edges);
        file(&folder, "DS_graph_indicator.txt", &graphs);
        file(&folder, &format!("DS_{name}_labels.txt"), &labels[..labels.len() - 2 * (many - of)]);
        let found = format!(
            "DS_{name}_labels.txt, graph 1: expected labels whose one-hot form has at most 67108864 numbers, found {of} \
             rows of 65536 numbers"
        );
        let message = read(folder.path()).unwrap_err();
        assert!(message.ends_with(&found), "{message}");
    }
}

#[test]
fn damaged_zips_end_in_messages() {
    let folder = data_set(&[]);
    let whole = zipped(folder.path());
    let path = folder.path().join("DS.zip");
    damaged(&whole, "DS.zip", [1, 1], |bytes| {
        fs::write(&path, bytes).unwrap();
        read(&path).map(drop)
    });
}

#[test]
fn graphs_that_cannot_be_read_are_left_out() {
    for (name, text, bad, place) in [
        ("DS_A.txt", "2, 1\n1, 9\n3, 3\n1, 2\n", 0, "DS_A.txt, line 2: expected nodes from 1 to 3"),
        ("DS_A.txt", "2, 1\n1\n3, 3\n1, 2\n", 0, "DS_A.txt, line 2"),
        ("DS_graph_labels.txt", "7\nx\n", 1, "DS_graph_labels.txt, line 2"),
        ("DS_node_labels.txt", "3, 0\n5\n4, 1\n", 0, "DS_node_labels.txt, line 2"),
        ("DS_edge_labels.txt", "1\nx\n0\n1\n", 0, "DS_edge_labels.txt, line 2"),
        // Of a loop, which is left out itself.
        ("DS_edge_labels.txt", "1\n0\nx\n1\n", 1, "DS_edge_labels.txt, line 3"),
        ("DS_node_attributes.txt", "0.5\n1.5\ninf\n", 1, "DS_node_attributes.txt, line 3"),
        ("DS_edge_attributes.txt", "1, 2\n3, 4\n5, 6\n7, a\n", 0, "DS_edge_attributes.txt, line 4"),
    ] {
        let folder = data_set(&[(name, text)]);
        let (store, lines) = left_out(folder.path()).unwrap();
        assert_eq!((store.len(), store.size(0).unwrap()[0]), (1, if bad == 0 { 1 } else { 2 }), "{name}");
        let line = &lines[0];
        assert!(line.starts_with(&format!("record {bad}: ")) && line.contains(place), "{place} in {lines:?}");
        assert!(read(folder.path()).unwrap_err().contains(place));
    }
    // Which graph this is of, nobody knows.
    for (name, text) in [("DS_A.txt", "2, 1\nx, y\n3, 3\n1, 2\n"), ("DS_graph_indicator.txt", "1\nx\n2\n")] {
        assert!(left_out(data_set(&[(name, text)]).path()).is_err_and(|message| message.contains(name)));
    }
}

#[test]
fn features_that_are_missing_are_errors_of_their_graph() {
    for (name, text, bad) in
        [("DS_node_attributes.txt", "0.5\n1.5\nnan\n", 1), ("DS_edge_attributes.txt", "1, 2\n3, \n5, 6\n7, 8\n", 0)]
    {
        let folder = data_set(&[(name, text)]);
        let (store, lines) = left_out(folder.path()).unwrap();
        assert_eq!((store.len(), lines.len()), (1, 1), "{lines:?}");
        let expected = format!("record {bad}: ");
        assert!(lines[0].starts_with(&expected) && lines[0].contains(" is not a finite number"), "{lines:?}");
        assert!(lines[0].contains(name) && lines[0].contains("line "), "{lines:?}");
    }
}
