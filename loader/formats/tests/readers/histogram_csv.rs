//! Histograms.

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
