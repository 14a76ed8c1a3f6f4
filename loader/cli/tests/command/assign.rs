//! How nodes are assigned to parts: `assign` with each method, and files of other partitioners.

use super::graphpack;
use super::parts::{files, ring};
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// Files of the ring for other partitioners, and what they would answer.
#[test]
fn graphs_go_to_other_partitioners_and_their_parts_come_back() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let done = |arguments: &[&str]| {
        let output = graphpack(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let export = |format: &str| {
        let out = path(format);
        done(&["partition", "export", "--in", &input, "--format", format, "--out", &out]);
        out
    };
    // The ring, and chords to nodes 0 and 6, each once and without loops.
    let text = fs::read_to_string(export("metis")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[1], lines[4], lines.len()), ("12 20", "2 3 4 5 6 12", "1 3 5", 13));
    let bytes = fs::read(export("parhip")).unwrap();
    let numbers: Vec<u64> = bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)).collect();
    assert_eq!((&numbers[..3], numbers[3], numbers[15]), (&[3, 12, 40][..], 8 * 16, 8 * 56));
    assert_eq!(numbers[16..22], [1, 2, 3, 4, 5, 11]);
    // An empty folder is filled.
    fs::create_dir(path("parmetis")).unwrap();
    let folder = export("parmetis");
    assert_eq!(fs::read_to_string(format!("{folder}/ring_stats.txt")).unwrap(), "12 24 1\n");
    let nodes = fs::read_to_string(format!("{folder}/parmetis_nfiles.txt")).unwrap();
    assert_eq!(nodes, format!("{folder}/node_weights__N_0.txt 0 12\n"));
    assert!(fs::read_to_string(format!("{folder}/node_weights__N_0.txt")).unwrap().starts_with("0 1 0\n0 1 1\n"));
    assert_eq!(fs::read_to_string(format!("{folder}/parmetis_efiles.txt")).unwrap().lines().count(), 3);
    assert!(fs::read_to_string(format!("{folder}/edges_0_0.txt")).unwrap().starts_with("0 1\n0 0\n1 2\n"));

    let expected: String = (0..12).map(|node| format!("{}\n", node / 6)).collect();
    let pairs: String = (0..12).rev().map(|node| format!("{node} {}\n", node / 6)).collect();
    for (name, text) in [("lines", &expected), ("pairs", &pairs)] {
        let (from, out) = (path(name), path(&format!("of-{name}")));
        fs::write(&from, text).unwrap();
        done(&["assign", "--in", &input, "--from", &from, "--parts", "2", "--out", &out]);
        assert_eq!(fs::read_to_string(format!("{out}/_N.txt")).unwrap(), expected);
    }
    let error = |text: &str| {
        let (from, out) = (path("wrong"), path("of-wrong"));
        fs::write(&from, text).unwrap();
        let output = graphpack(&["assign", "--in", &input, "--from", &from, "--parts", "2", "--out", &out]);
        String::from_utf8_lossy(&output.stderr).split_once("wrong: ").unwrap().1.to_owned()
    };
    let line = "expected a node below 12 that no line before has, and its part below 2, found";
    assert_eq!(error("0 0\n0 1\n"), format!("line 2: {line} \"0 1\"\n"));
    assert_eq!(error("12 0\n"), format!("line 1: {line} \"12 0\"\n"));
    assert_eq!(error("1 2\n"), format!("line 1: {line} \"1 2\"\n"));
    assert_eq!(error("0 1\n2 1\n"), "no line has node 1; expected 12 lines, found 2\n");

    let stream = ["assign", "--in", &input, "--parts", "2", "--method", "stream", "--format", "json"];
    let object: Value = serde_json::from_str(&done(&[&stream[..], &["--out", &path("stream")]].concat())).unwrap();
    assert_eq!(object["nodes"]["_N"].as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).sum::<u64>(), 12);
    assert!(object["edge_cut"].as_u64().unwrap() < 12, "{object}");
    let meta: Value = serde_json::from_slice(&fs::read(path("stream/partition_meta.json")).unwrap()).unwrap();
    assert_eq!((&meta["algo_name"], &meta["method"]), (&"metis".into(), &"stream".into()));
    // A Python without the module.
    let mut command = Command::new(env!("CARGO_BIN_EXE_graphpack"));
    command.args(["assign", "--in", &input, "--parts", "2", "--method", "kaminpar", "--out", &path("k")]);
    let output = command.env("GRAPHPACK_PYTHON", "false").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("false does not have the module kaminpar: pip install kaminpar==3.7"), "{message}");
}

#[test]
fn nodes_are_assigned_in_blocks_of_ids() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let method = ["--in", &input, "--parts", "3", "--method", "contiguous"];
    let output = graphpack(&[&["assign"], &method[..], &["--out", &path("assigned")]].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines: String = (0..12).map(|node| format!("{}\n", node / 4)).collect();
    assert_eq!(fs::read_to_string(path("assigned/_N.txt")).unwrap(), lines);
    let cut = graphpack(&[&["partition"], &method[..], &["--out", &path("one")]].concat());
    let printed = String::from_utf8_lossy(&cut.stdout).into_owned();
    assert!(printed.contains("edges cut: ") && printed.contains("nodes: most of a part / mean = 1.000"), "{printed}");
    let two = ["dispatch", "--in", &input, "--assignments", &path("assigned"), "--out", &path("two")];
    assert!(graphpack(&two).status.success());
    let parts = |folder| files(&path(folder)).into_iter().filter(|(name, _)| name != "ring.json").collect::<Vec<_>>();
    assert!(parts("one") == parts("two"));
    let output = graphpack(&[&["assign"], &method[..], &["--seed", "1", "--out", &path("seed")]].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("--seed: --method contiguous does not take it"), "{message}");
}

#[test]
fn blocks_that_cost_edges_are_told() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let edges: String = (0..3000).map(|edge| format!("{edge},{}\n", (edge * 7 + 1) % 3000)).collect();
    fs::write(path("edges.csv"), edges).unwrap();
    graphpack(&["chunk", "--edges", &path("edges.csv"), "--chunks", "2", "--out", &path("chunks")]);
    for (memory, expected) in [
        (
            "0",
            "graphpack: --memory 0: edges are placed in 3 blocks, by which more of them may be cut; --memory 3 has all in one\n",
        ),
        ("3", ""),
    ] {
        let stream = ["assign", "--in", &path("chunks"), "--parts", "2", "--method", "stream", "--memory", memory];
        let output = graphpack(&[&stream[..], &["--out", &path(memory)]].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    }
}

/// Before a line of the edges is read.
#[test]
fn more_than_metis_takes_is_refused_with_a_way_out() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().to_str().unwrap().to_owned();
    let metadata = r#"{"graph_name": "huge", "node_type": ["_N"], "num_nodes_per_chunk": [[10]],
        "edge_type": ["_N:_E:_N"], "num_edges_per_chunk": [[2147483648]],
        "edges": {"_N:_E:_N": {"format": {"name": "csv", "delimiter": " "}, "data": ["e.csv"]}},
        "node_data": {}, "edge_data": {}}"#;
    fs::write(folder.path().join("e.csv"), "0 1\n").unwrap();
    let out = folder.path().join("out");
    for (nodes, expected) in [
        ("10", "2147483648 edges, METIS takes at most 2147483647: graphpack assign --method stream"),
        ("2147483648", "2147483648 nodes, METIS takes at most 2147483647: graphpack assign --method stream and"),
        ("4294967296", "4294967296 nodes, METIS takes at most 2147483647: graphpack assign --from takes"),
    ] {
        let metadata = metadata.replace("[[10]]", &format!("[[{nodes}]]"));
        fs::write(folder.path().join("metadata.json"), metadata).unwrap();
        for command in ["assign", "partition"] {
            let options =
                [command, "--in", &input, "--parts", "2", "--method", "metis", "--out", out.to_str().unwrap()];
            let message = String::from_utf8_lossy(&graphpack(&options).stderr).into_owned();
            assert!(message.contains(expected), "{message}");
        }
    }
}

#[test]
fn help_offers_no_method_that_is_refused() {
    let help = |command: &str| String::from_utf8(graphpack(&[command, "--help"]).stdout).unwrap();
    let offered = "While edges are read";
    assert!(help("assign").contains(offered) && !help("partition").contains(offered), "{}", help("partition"));
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    let message = |command: &str, flag: &str| {
        let from = [command, "--in", &input, "--parts", "2", "--method", "stream", "--out", &out];
        let output = graphpack(&[&from[..], &[flag][..if flag.is_empty() { 0 } else { 1 }]].concat());
        assert!(!output.status.success() && !folder.path().join("out").exists());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(message("partition", "").contains("--method stream takes two steps: graphpack assign, then --assignments"));
    let refused = "--balance-edges: --method metis takes it, --method stream does not";
    assert!(message("assign", "--balance-edges").contains(refused));
}
