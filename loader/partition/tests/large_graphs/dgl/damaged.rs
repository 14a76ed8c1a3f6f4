//! Damaged files of DGL's: an error that says where, never a panic, never another graph.

use crate::damaged::{FLIPPED, HEAD, changed, shortened};
use crate::generated::written;
use graphpack_loader::ErrorKind;
use graphpack_partition::dgl::{
    PartitionWriter, load_partition, load_partition_book, load_partition_graph, load_tensors, save_tensors, tensors_in,
};
use graphpack_partition::{Array, ArrayType, Part};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn truncated_and_damaged_files_are_errors() {
    let folder = TempDir::new().unwrap();
    let (config, ..) = written(&folder);
    for file in ["part0/graph.dgl", "part0/node_feat.dgl", "part0/edge_feat.dgl", "small.json"] {
        let path = folder.path().join(file);
        let whole = fs::read(&path).unwrap();
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        for short in shortened(&whole, 7) {
            fs::write(&path, short).unwrap();
            let error = load_partition(&config, 0).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        let error = load_partition(&config, 0).unwrap_err();
        assert!([ErrorKind::Format, ErrorKind::File].contains(&error.kind()), "{error}");
        let head = |at: usize| file == "part0/graph.dgl" && (32..HEAD).contains(&at);
        for (at, damaged) in changed(&whole, &[FLIPPED]).filter(|&(at, _)| !head(at) || at % 97 == 0) {
            fs::write(&path, damaged).unwrap();
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
        (8, &[2], ", byte 8: number of tensors is 2, expected 1, the count after it"),
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

    // No row, so no bytes either: a row is larger than memory all the same.
    let empty = Array::new(ArrayType::I64, vec![0, 2], Vec::new()).unwrap();
    save_tensors(&path, &[("ab".to_owned(), empty)]).unwrap();
    let mut wide = fs::read(&path).unwrap();
    wide[74..82].copy_from_slice(&(1_u64 << 62).to_le_bytes());
    fs::write(&path, wide).unwrap();
    let [loaded, listed] = [load_tensors(&path).map(drop), tensors_in(&path).map(drop)].map(Result::unwrap_err);
    let expected =
        ", byte 82: number of bytes is 0, expected fewer elements for int64 of shape [0, 4611686018427387904]";
    assert_eq!((loaded.to_string(), true), (listed.to_string(), loaded.to_string().ends_with(expected)));

    // One such file that fuzzing found.
    let found = test_common::test_data().join("dgl_tensors_only_listed.dgl");
    let [loaded, listed] = [load_tensors(&found).map(drop), tensors_in(&found).map(drop)].map(Result::unwrap_err);
    assert_eq!(loaded.to_string(), listed.to_string());

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
    // More parts than there is memory for, even as empty lists.
    let none = r#"{"graph_name": "none", "num_nodes": 0, "num_edges": 0, "part_method": "", "num_parts": 18446744073709551615,
        "halo_hops": 1, "node_map": {}, "edge_map": {}, "ntypes": {}, "etypes": {}}"#;
    fs::write(&config, none).unwrap();
    let error = load_partition(&config, 0).unwrap_err().to_string();
    assert!(error.contains("at least one type of nodes"), "{error}");
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
