//! Files of chunks that are not what the metadata say.

use super::sound::{i4, npy, read, sound};
use std::fs;

#[test]
fn files_that_are_wrong_are_refused_with_what_is_wrong() {
    let integers = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n";
    let table: &[(&str, Vec<u8>, &str)] = &[
        ("r0.txt", b"0 3\n2 x\n".to_vec(), "r0.txt, line 2, column 2: \"x\" is not an integer"),
        ("r0.txt", b"src dst\n0 3\n".to_vec(), "r0.txt, line 1, column 1: \"src\" is not an integer"),
        ("r0.txt", b"0 3 1\n2 0 1\n".to_vec(), "r0.txt, line 1: 3 cells, expected 2"),
        ("r0.txt", b"0,3\n2,0\n".to_vec(), "r0.txt, line 1: 1 cells, expected 2"),
        ("r0.txt", b"0 3\n\n2 0\n".to_vec(), "r0.txt, line 2 is empty"),
        ("r0.txt", b"0 3\n-1 0\n".to_vec(), "r0.txt, line 2: node -1 of type \"a\", which has 3 nodes"),
        ("r0.txt", b"0 3\n".to_vec(), "r0.txt has 1 rows, expected 2"),
        ("r0.txt", b"0 3\n2 0\n1 1\n1 2\n".to_vec(), "r0.txt has 4 rows, expected 2"),
        ("s.npy", i4("(2, 2)", &[3, 2, 0, 3]), "s.npy, row 1: node 3 of type \"a\", which has 3 nodes"),
        ("s.npy", i4("(2, 3)", &[0; 6]), "s.npy has rows of int32 [3], expected two integers"),
        ("s.npy", i4("(4,)", &[0; 4]), "s.npy has rows of int32 [], expected two integers"),
        (
            "s.npy",
            npy(&integers.replace("<i4", "<f4"), &[0; 16]),
            "s.npy has rows of float32 [2], expected two integers",
        ),
        (
            "s.npy",
            npy(&integers.replace("<i4", ">i4"), &[0; 16]),
            "s.npy is of dtype >i4, expected numbers or bool, little-endian",
        ),
        ("s.npy", npy(&integers.replace("False", "Maybe"), &[0; 16]), "s.npy has a header without order"),
        ("s.npy", npy(integers, &[0; 15]), "s.npy of shape (2, 2) has 16 bytes, found 15"),
        ("s.npy", npy(integers, &[0; 17]), "s.npy of shape (2, 2) has 16 bytes, found 17"),
        ("s.npy", b"0 3\n2 0\n".to_vec(), "s.npy is not in npy's format, version 1 to 3"),
        ("s.npy", Vec::new(), "s.npy cannot be read: failed to fill whole buffer"),
        ("x1.npy", i4("()", &[3]), "x1.npy is a single number, expected rows"),
        ("x1.npy", i4("(2, x)", &[3]), "x1.npy has a header with shape (2, x)"),
        (
            "x1.npy",
            i4("(0, 4611686018427387904, 4)", &[]),
            "x1.npy is of shape (0, 4611686018427387904, 4), too large to be",
        ),
        ("x1.npy", i4("(2, 1)", &[3, 4]), "x1.npy has rows of int32 [1], x0.npy has rows of int32 [2]"),
        (
            "x1.npy",
            npy(&integers.replace("<i4", "<u4"), &[0; 16]),
            "x1.npy has rows of uint32 [2], x0.npy has rows of int32 [2]",
        ),
        (
            "x1.npy",
            i4("(3, 2)", &[0; 6]),
            "metadata.json: feature a/x has 4 rows in 2 files, expected one for each of 3 nodes",
        ),
        ("y1.csv", b"5,6,7\n".to_vec(), "y1.csv has rows of int64 [3], y0.csv has rows of int64 [2]"),
        ("y1.csv", b"5,six\n".to_vec(), "y1.csv, line 1, column 2: \"six\" is not a number"),
        ("y0.csv", b"1,2\n3\n".to_vec(), "y0.csv, line 2: 1 cells, expected 2"),
    ];
    for (file, contents, expected) in table {
        let folder = sound();
        fs::write(folder.path().join(file), contents).unwrap();
        assert_eq!(read(&folder), Err((*expected).to_owned()));
    }
    let folder = sound();
    fs::remove_file(folder.path().join("metadata.json")).unwrap();
    assert_eq!(read(&folder), Err("metadata.json: No such file or directory (os error 2)".to_owned()));
}

/// Opening a pipe that nobody writes would wait for ever.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    use graphpack_partition::chunked::EdgeList;
    use graphpack_partition::{Assignment, NodeType};
    use std::ffi::CString;
    use std::path::Path;
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let path = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the path ends in a zero byte.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    };
    for file in ["metadata.json", "r0.txt", "s.npy", "x1.npy", "y0.csv"] {
        let folder = sound();
        pipe(&folder.path().join(file));
        assert_eq!(read(&folder), Err(format!("{file}: it is not a file, but a pipe or a device")));
    }
    let folder = sound();
    for file in ["edges.csv", "edges.npy", "_N.txt"] {
        let path = folder.path().join(file);
        pipe(&path);
        let node = NodeType { name: "_N".into(), nodes: 1, ..NodeType::default() };
        let message = match file {
            "_N.txt" => Assignment::read_all(&path, 1, &[node]).unwrap_err().to_string(),
            _ => EdgeList::open(&path, None).err().unwrap().to_string(),
        };
        assert!(message.ends_with("it is not a file, but a pipe or a device"), "{message}");
    }
}
