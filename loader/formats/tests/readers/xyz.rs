//! XYZ files.

use super::file;
use graphpack_formats::xyz::{self, XyzError};
use graphpack_loader::{Edges, Source};
use std::fs;
use tempfile::TempDir;

pub(crate) const WATER: &str = "3\nwater\nO 0 0 0.1\nH 0.75 0 -0.45 extra\n1 -0.75 0 -0.45\n\n1\nhelium\nhe 0 0 0\n";

#[test]
fn structures_become_graphs() {
    let folder = TempDir::new().unwrap();
    for name in ["a.xyz", "a.xyz.gz"] {
        let structures = xyz::read(file(&folder, name, WATER)).unwrap();
        assert_eq!((structures.len(), structures.name(1), structures.z(0)), (2, "helium", &[8, 1, 1][..]));
        let store = structures.connect(Edges::FullyConnected).unwrap();
        assert_eq!((store.size(0), store.size(1)), ([3, 6].into(), [1, 0].into()));
        assert_eq!(store.values::<i64>("z").unwrap(), [8, 1, 1, 2]);
        assert_eq!(store.edges(0), (vec![1, 2, 0, 2, 0, 1], vec![0, 0, 1, 1, 2, 2]));
        let distance = store.values::<f32>("distance").unwrap()[0];
        assert!((distance - 0.930_054).abs() < 1e-5, "{distance}");
        assert_eq!(structures.connect(Edges::Radius(1.0)).unwrap().size(0), [3, 4]);
        assert_eq!(structures.connect(Edges::Nearest(1)).unwrap().edges(0), (vec![1, 0, 0], vec![0, 1, 2]));
    }
}

#[test]
fn cells_repeat_as_the_comment_says() {
    let folder = TempDir::new().unwrap();
    let read = |pbc: &str| {
        let text = format!("1\nLattice=\"2 0 0 0 2 0 0 0 2\"{pbc}\nSi 0 0 0\n");
        xyz::read(file(&folder, "p.xyz", &text))
    };
    for (pbc, edges) in [("", 6), (" pbc=\"T T T\"", 6), (" pbc=\"F F F\"", 0)] {
        let store = read(pbc).unwrap().connect(Edges::Radius(2.1)).unwrap();
        assert_eq!(store.size(0), [1, edges], "{pbc}");
    }
    assert!(read(" pbc=\"T T F\"").is_err());
}

#[test]
fn damaged_files_are_named_with_their_line() {
    let folder = TempDir::new().unwrap();
    let error = |text: &str| xyz::read(file(&folder, "b.xyz", text)).unwrap_err().to_string();
    let ends_with = |text: &str, expected: &str| {
        let message = error(text);
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    };
    ends_with("three\n", "b.xyz, line 1: \"three\" is not a number of atoms");
    ends_with("2\nx\nC 0 0 0\n", "b.xyz ends at line 3, atom 1 of the 2 atoms of \"x\"");
    let atom = "an element and three coordinates";
    ends_with("1\nx\nC 0 zero 0\n", &format!("b.xyz, line 3: \"C 0 zero 0\" is not {atom}"));
    ends_with("1\nx\nQq 0 0 0\n", &format!("b.xyz, line 3: \"Qq 0 0 0\" is not {atom}"));
    ends_with("1\nx\nC 0 0 inf\n", &format!("b.xyz, line 3: \"C 0 0 inf\" is not {atom}"));
    let message = error("1\nLattice=\"1 0 0 0 1 0 0 0\"\nC 0 0 0\n");
    assert!(
        message.contains("line 2")
            && message.ends_with("is not a comment whose Lattice has nine numbers and whose pbc is all T or all F"),
        "{message}"
    );
    let missing = xyz::read(folder.path().join("none.xyz")).unwrap_err();
    assert!(matches!(&missing, XyzError::Read(error) if error.path.ends_with("none.xyz")), "{missing}");

    let packed = file(&folder, "c.xyz.gz", &WATER.repeat(200));
    fs::write(&packed, &fs::read(&packed).unwrap()[..60]).unwrap();
    assert!(matches!(xyz::read(&packed), Err(XyzError::Read(_) | XyzError::Truncated { .. })));
}
