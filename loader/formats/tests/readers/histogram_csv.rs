//! Histograms.

use super::file;
use graphpack_core::Size;
use graphpack_formats::histogram_csv;
use std::fs;
use tempfile::TempDir;

#[test]
fn lines_are_those_of_the_file_whatever_ends_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sizes.csv");
    let header = "num_nodes,num_edges,count";
    for end in ["\n", "\r\n"] {
        let read = |lines: &[&str]| {
            fs::write(&path, [&[header], lines].concat().join(end)).unwrap();
            let name = path.display().to_string();
            histogram_csv::read(&path).map_err(|error| error.to_string().replace(&name, "sizes.csv"))
        };
        let found = read(&["1,2,3", "", "4, 5,6", ""]).unwrap();
        assert_eq!(found.entries().len(), 2);
        let row = "expected nodes, edges and a count, found";
        assert_eq!(read(&["1,2,3", "4,x,6"]), Err(format!("sizes.csv, line 3: {row} \"4,x,6\"")));
        assert_eq!(read(&["", "1,2", "4,5,6"]), Err(format!("sizes.csv, line 3: {row} \"1,2\"")));
    }
}

#[test]
fn histogram_files_are_checked() {
    let folder = TempDir::new().unwrap();
    let read = |text: &str| histogram_csv::read(file(&folder, "h.csv", text)).map_err(|error| error.to_string());
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
