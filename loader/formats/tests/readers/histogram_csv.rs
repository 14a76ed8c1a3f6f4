//! Histograms.

use super::file;
use graphpack_core::{Histogram, Size};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use tempfile::TempDir;

/// Reads a text; messages without the folder.
fn read(folder: &TempDir, text: &str) -> Result<SizeCounts, String> {
    let path = file(folder, "sizes.csv", text);
    let name = path.display().to_string();
    histogram_csv::read(&path).map_err(|error| error.to_string().replace(&name, "sizes.csv"))
}

fn written(counts: &SizeCounts) -> String {
    let mut bytes = Vec::new();
    histogram_csv::write(counts, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn lines_are_those_of_the_file_whatever_ends_them() {
    let folder = TempDir::new().unwrap();
    let header = "num_nodes,num_edges,count";
    for end in ["\n", "\r\n"] {
        let read = |lines: &[&str]| read(&folder, &[&[header], lines].concat().join(end));
        let found = read(&["1,2,3", "", "4, 5,6", ""]).unwrap();
        assert_eq!(found.histogram().entries().len(), 2);
        let row = "expected nodes, edges and a count, found";
        assert_eq!(read(&["1,2,3", "4,x,6"]), Err(format!("sizes.csv, line 3: {row} \"4,x,6\"")));
        assert_eq!(read(&["", "1,2", "4,5,6"]), Err(format!("sizes.csv, line 3: {row} \"1,2\"")));
    }
}

#[test]
fn rows_of_one_size_are_added_up() {
    let sound = read(&TempDir::new().unwrap(), "num_nodes,num_edges,count\n3,4,2\n1,0,0\n3,4,5\n").unwrap();
    assert_eq!(sound.histogram().entries(), [(Size::new([3, 4]), 7)]);
    assert_eq!(written(&sound), "num_nodes,num_edges,count\n3,4,7\n");
}

#[test]
fn without_a_count_each_row_is_one_graph() {
    let sound = read(&TempDir::new().unwrap(), "num_nodes,num_edges\n3,4\n1,0\n3,4\n").unwrap();
    assert_eq!(written(&sound), "num_nodes,num_edges,count\n1,0,1\n3,4,2\n");
}

#[test]
fn semicolons_and_tabs_separate_cells_too() {
    for text in ["num_nodes;num_edges;count\n3;4;7\n", "\u{feff}\"num_nodes\"\tnum_edges\t count\r\n3\t 4\t7\r\n"] {
        let read = read(&TempDir::new().unwrap(), text).unwrap();
        assert_eq!(written(&read), "num_nodes,num_edges,count\n3,4,7\n");
    }
}

#[test]
fn histograms_of_many_sets_are_written_as_they_were_read() {
    let folder = TempDir::new().unwrap();
    for text in [
        "num_tokens,count\n0,1\n7,2\n",
        "num_nodes,num_edges,num_triplets,count\n3,4,2,1\n3,4,6,9\n5,0,0,1\n",
        "num_a,num_b,num_c,num_d,num_e,num_f,num_g,num_h,count\n1,2,3,4,5,6,7,4294967295,18446744073709551615\n",
        "\"num_a,b\",\"num_c\"\"d\",count\n1,2,3\n",
    ] {
        let counts = read(&folder, text).unwrap();
        assert_eq!(written(&counts), text);
        assert_eq!(read(&folder, &written(&counts)), Ok(counts));
    }
}

#[test]
fn headers_and_rows_are_checked() {
    let folder = TempDir::new().unwrap();
    let many = (0..17).map(|set| format!("num_{set},")).collect::<String>() + "count\n";
    let cases = [
        ("3,4,2\n", "line 1: expected the header \"num_nodes,num_edges,count\", or other sets in the same form"),
        ("3,4,2\n", "found \"3,4,2\": column \"3\" does not begin with num_"),
        ("", "there is no set"),
        ("num_nodes,num_edges,counts\n", "column \"counts\" does not begin with num_"),
        ("num_nodes,num_edges\n3,4\n3,4,2\n", "line 3: expected nodes, edges, found \"3,4,2\""),
        ("num_nodes,num_edges\n3\n", "line 2: expected nodes, edges, found \"3\""),
        ("count\n", "there is no set"),
        ("num_nodes,edges,count\n", "column \"edges\" does not begin with num_"),
        ("num_nodes,count,count\n", "column \"count\" does not begin with num_"),
        ("num_nodes,num_edges,num_nodes,count\n", "two sets are named \"nodes\""),
        ("num_nodes,num_graphs,count\n", "graphs is not a set, the column of the number of graphs is called count"),
        (
            "num_nodes,num_edges,num_count\n3,4,2\n",
            "count is not a set, the column of the number of graphs is called count",
        ),
        ("num_nodes;num_edges;count\n3;4.5;2\n", "line 2: expected nodes, edges and a count, found \"3;4.5;2\""),
        ("num_nodes,num_,count\n", "the name of a set is empty"),
        (&many, "there are 17 sets, more than 16"),
        ("num_nodes,num_edges,count\n3,4\n", "line 2: expected nodes, edges and a count, found \"3,4\""),
        ("num_nodes,num_edges,count\n3,4,2\n3,-4,2\n", "line 3: expected nodes, edges and a count, found \"3,-4,2\""),
        ("num_a,num_b,num_c,count\n3,4,2\n", "line 2: expected a, b, c and a count, found \"3,4,2\""),
        ("num_nodes,num_edges,count\n3,4,1,9\n", "line 2"),
        ("num_nodes,num_edges,count\n4294967296,4,1\n", "line 2"),
        (
            "num_nodes,count\n3,18446744073709551615\n\n3,1\n",
            "line 4: with this row the number of graphs exceeds 64 bits",
        ),
    ];
    for (text, expected) in cases {
        let error = read(&folder, text).unwrap_err();
        assert!(error.starts_with("sizes.csv, line ") && error.contains(expected), "{error}");
    }
}

#[test]
fn names_that_cannot_be_read_again_are_refused() {
    let sizes = Histogram::from_counts([([3, 4], 7)]).unwrap();
    let refused = |sets: &[&str]| SizeCounts::new(sets.iter().copied(), sizes.clone()).unwrap_err().to_string();
    assert_eq!(refused(&["nodes"]), "expected the names of 2 sets, found 1");
    assert_eq!(refused(&["nodes", "nodes"]), "two sets are named \"nodes\"");
    assert!(refused(&["nodes", " edges"]).contains("blank"));
}
