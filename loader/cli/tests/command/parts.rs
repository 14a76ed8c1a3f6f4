//! Parts of a large graph: `partition` in one step, `dispatch` in two, `partition inspect` and `verify`.

use super::graphpack;
use graphpack_partition::Array;
use graphpack_partition::dgl::{load_partition, load_tensors};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// A ring of twelve nodes with chords, half of it marked, in three chunks.
pub(crate) fn ring(folder: &TempDir) -> String {
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (edges, feature, out) = (path("ring.csv"), path("mark.npy"), path("ring"));
    let ring = (0..12).flat_map(|node| [(node, (node + 1) % 12), (node, node / 6 * 6)]);
    fs::write(&edges, ring.map(|(source, target)| format!("{source},{target}\n")).collect::<String>()).unwrap();
    let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (12,), }";
    let marks = [1, 0].repeat(6);
    fs::write(&feature, [b"\x93NUMPY\x01\x00\x3a\x00", header.as_bytes(), &marks].concat()).unwrap();
    let x = format!("mark={feature}");
    let output = graphpack(&[
        "chunk",
        "--edges",
        &edges,
        "--node-feature",
        &x,
        "--chunks",
        "3",
        "--name",
        "ring",
        "--out",
        &out,
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    out
}

/// Names and contents of all files below a folder.
pub(crate) fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            files.extend(
                self::files(path.to_str().unwrap())
                    .into_iter()
                    .map(|(file, bytes)| (name.clone() + "/" + &file, bytes)),
            );
        } else {
            files.insert(name, fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn graphs_are_cut_in_one_step() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (text, json) = (path("text"), path("json"));
    let flags = ["--balance-ntypes", "mark", "--balance-edges", "--return-mapping", "--save-orig-ids", "--seed", "1"];
    let metis = ["partition", "--in", &input, "--parts", "2", "--method", "metis"];
    let output = graphpack(&[&metis, &flags[..], &["--out", &text]].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "nothing odd where output is piped");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with(&format!("{text}/ring.json: 12 nodes, 24 edges in 2 parts\nedges cut: ")), "{printed}");
    assert!(printed.contains("of 24, ") && printed.contains("; by chance 50.0 %\nnodes, mark = 0: most"), "{printed}");

    let output = graphpack(&[&metis, &flags[..], &["--format", "json", "--out", &json]].concat());
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let numbers = ["parts", "halo_hops", "num_nodes", "num_edges"].map(|key| object[key].as_u64().unwrap());
    assert_eq!(numbers, [2, 1, 12, 24]);
    assert_eq!(object["edge_cut"].as_f64().unwrap() / 24.0, object["edge_cut_share"].as_f64().unwrap());
    assert_eq!(object["imbalance"]["nodes, mark = 1"].as_f64(), Some(1.0));
    assert!(object["imbalance"]["in-edges, mark = 0"].as_f64().unwrap() >= 1.0);
    assert!(files(&text) == files(&json), "the same seed, the same bytes");

    let names: Vec<String> = files(&text).into_keys().collect();
    let part = ["edge_feat.dgl", "graph.dgl", "node_feat.dgl", "orig_eids.dgl", "orig_nids.dgl"];
    let parts = (0..2).flat_map(|number| part.map(|file| format!("part{number}/{file}")));
    let expected: Vec<String> = ["edge_map.npy", "node_map.npy"].map(String::from).into_iter().chain(parts).collect();
    assert_eq!(names, [&expected[..], &["ring.json".into()]].concat());
    let map = &files(&text)["node_map.npy"];
    let ids: Vec<i64> = map[map.len() - 96..].as_chunks::<8>().0.iter().map(|&id| i64::from_le_bytes(id)).collect();
    let original = [0, 1].map(|part| load_tensors(format!("{text}/part{part}/orig_nids.dgl")).unwrap()[0].1.clone());
    assert_eq!(Array::of_i64(&ids).bytes(), [original[0].bytes(), original[1].bytes()].concat());

    let named = path("named");
    let random = ["partition", "--in", &input, "--parts", "3", "--method", "random", "--halo-hops", "2"];
    let output = graphpack(&[&random[..], &["--name", "other", "--out", &named]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let loaded = load_partition(format!("{named}/other.json"), 2).unwrap();
    assert_eq!((loaded.method.as_str(), loaded.halo_hops, loaded.part.inner_nodes), ("random", 2, 4));
    let output = graphpack(&["partition", "inspect", &format!("{named}/other.json")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn graphs_are_cut_in_two_steps_as_in_one() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (assignments, one) = (path("assignments"), path("one"));
    // By chance, no file but the metadata is read.
    fs::rename(format!("{input}/node_data"), path("elsewhere")).unwrap();
    let assign = ["assign", "--in", &input, "--parts", "3", "--method", "random", "--out", &assignments];
    let output = graphpack(&assign);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{assignments}: 12 nodes in 3 parts by random\n"));
    fs::rename(path("elsewhere"), format!("{input}/node_data")).unwrap();
    let meta: Value = serde_json::from_slice(&fs::read(format!("{assignments}/partition_meta.json")).unwrap()).unwrap();
    assert_eq!((&meta["algo_name"], &meta["num_parts"]), (&"random".into(), &3.into()));

    let from = ["--in", &input, "--assignments", &assignments, "--parts", "3", "--save-orig-ids"];
    let output = graphpack(&[&["partition"], &from[..], &["--out", &one]].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    for threads in ["1", "2", "4"] {
        let out = path(threads);
        let output = graphpack(&[&["dispatch"], &from[..], &["--threads", threads, "--out", &out]].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = format!("{out}/ring.json: 12 nodes, 24 edges in 3 parts\nedges cut: ");
        assert!(printed.starts_with(&expected) && printed.contains(" of 24, "), "{printed}");
        assert!(files(&out) == files(&one), "{threads} threads");
    }
    for beside in [&["--assignments", &assignments][..], &[]] {
        let verify = ["partition", "verify", "--in", &input, "--parts", &format!("{one}/ring.json")];
        let output = graphpack(&[&verify[..], beside].concat());
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = "ring.json: 12 nodes, 24 edges, 12 rows of features and 36 original ids are those of ";
        assert!(printed.contains(expected), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    }
    // The number of parts is beside the assignments.
    for command in ["partition", "dispatch"] {
        let out = path(command);
        let from = [command, "--in", &input, "--assignments", &assignments, "--save-orig-ids", "--out", &out];
        assert_eq!(String::from_utf8_lossy(&graphpack(&from).stderr), "");
        assert!(files(&out) == files(&one), "{command}");
    }
    let out = path("json");
    let output = graphpack(&[&["dispatch"], &from[..], &["--format", "json", "--out", &out]].concat());
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(["parts", "num_nodes", "num_edges"].map(|key| object[key].as_u64().unwrap()), [3, 12, 24]);

    let metis = ["assign", "--in", &input, "--parts", "2", "--method", "metis", "--format", "json"];
    let output = graphpack(&[&metis[..], &["--out", &path("metis")]].concat());
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&object["nodes"]["_N"], object["method"].as_str()), (&serde_json::json!([6, 6]), Some("metis")));
    assert!(object["edge_cut"].as_u64().unwrap() < 12, "{object}");
}

/// Parts of four nodes of one type and one of the other, which has no row in part 1.
#[test]
fn parts_that_servers_of_dgl_do_not_open_are_named() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("edges.csv"), "0,0\n1,0\n2,0\n3,0\n").unwrap();
    fs::write(path("x.csv"), "1\n2\n3\n4\n").unwrap();
    fs::write(path("one.csv"), "1\n").unwrap();
    let edges = format!("a:r:b={}", path("edges.csv"));
    let features =
        [format!("a/x~={}", path("x.csv")), format!("a/y/z={}", path("x.csv")), format!("b/x={}", path("one.csv"))];
    let chunk = ["chunk", "--edges", &edges, "--node-feature", &features[0], "--node-feature", &features[1]];
    let more = ["--node-feature", &features[2], "--chunks", "1", "--name", "g", "--out", &path("g")];
    assert!(graphpack(&[&chunk[..], &more].concat()).status.success());
    let line =
        |config: &str, problem: &str| format!("graphpack: {config}: DGL's servers do not open it: feature {problem}\n");
    let expected = |config: &str| {
        let names = ["a/x~", "a/y/z"].map(|name| format!("\"{name}\" has a type or a name with \"/\" or \"~\""));
        let [x, y] = names.map(|problem| line(config, &problem));
        format!("{x}{y}{}", line(config, "\"b/x\" has no rows in part 1"))
    };
    let message = |arguments: &[&str]| String::from_utf8(graphpack(arguments).stderr).unwrap();
    let method = ["--in", &path("g"), "--parts", "2", "--method", "contiguous"];
    let found = message(&[&["partition"], &method[..], &["--out", &path("one")]].concat());
    assert_eq!(found, expected(&path("one/g.json")));
    assert_eq!(message(&[&["assign"], &method[..], &["--out", &path("assigned")]].concat()), "");
    let assigned = ["--in", &path("g"), "--assignments", &path("assigned")];
    assert_eq!(
        message(&[&["dispatch"], &assigned[..], &["--out", &path("two")]].concat()),
        expected(&path("two/g.json"))
    );
    let found = message(&[&["partition", "verify"], &assigned[..], &["--parts", &path("two")]].concat());
    assert_eq!(found, expected(&path("two/g.json")));
}

#[test]
fn mistakes_with_large_graphs_are_named() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (assignments, empty) = (path("assignments"), path("empty"));
    graphpack(&["assign", "--in", &input, "--parts", "3", "--method", "random", "--out", &assignments]);
    fs::create_dir(&empty).unwrap();
    let metis = ["--method", "metis"];
    for (command, input, arguments, expected) in [
        ("partition", &empty, [&["--parts", "2"], &metis[..]].concat(), "empty/metadata.json: No such file"),
        ("partition", &input, vec!["--parts", "2"], "--method <METHOD>"),
        (
            "partition",
            &input,
            vec!["--parts", "13", "--method", "random"],
            "13 parts of 12 nodes: there must be a node",
        ),
        ("partition", &input, [&["--parts", "13"], &metis[..]].concat(), "13 parts of 12 nodes"),
        ("partition", &input, vec!["--parts", "65537", "--method", "random"], "65537 is not in 1..=65536"),
        (
            "partition",
            &input,
            [&["--parts", "2", "--balance-ntypes", "train"], &metis[..]].concat(),
            "no type of nodes has a feature train",
        ),
        ("partition", &input, vec!["--parts", "3", "--assignments", &empty], "_N.txt: No such file"),
        (
            "partition",
            &input,
            vec!["--parts", "2", "--assignments", &assignments],
            "partition_meta.json: num_parts is 3, --parts is 2",
        ),
        (
            "partition",
            &input,
            [&["--parts", "3", "--assignments", &assignments], &metis[..]].concat(),
            "cannot be used with",
        ),
        (
            "partition",
            &input,
            vec!["--parts", "2", "--method", "random", "--name", "a/b"],
            "expected a name for a file",
        ),
        (
            "partition",
            &input,
            vec!["--assignments", &assignments, "--balance-edges"],
            "cannot be used with '--balance-edges'",
        ),
        ("partition", &input, vec!["--method", "random"], "--parts <COUNT>"),
        (
            "partition",
            &input,
            vec!["--assignments", &empty],
            "partition_meta.json: expected this file, which says how many parts",
        ),
        (
            "dispatch",
            &input,
            vec!["--assignments", &empty],
            "partition_meta.json: expected this file, which says how many parts",
        ),
        ("dispatch", &input, vec!["--assignments", &assignments, "--name", "a/b"], "expected a name for a file"),
        ("assign", &empty, vec!["--parts", "2", "--method", "random"], "empty/metadata.json: No such file"),
        ("assign", &input, vec!["--parts", "13", "--method", "random"], "13 parts of 12 nodes"),
        (
            "assign",
            &input,
            vec!["--parts", "2", "--method", "random", "--balance-edges"],
            "--balance-edges: --method metis takes it, --method random does not",
        ),
        (
            "partition",
            &input,
            vec!["--parts", "2", "--method", "random", "--balance-ntypes", "mark"],
            "--balance-ntypes: --method metis takes it, --method random does not",
        ),
        (
            "assign",
            &input,
            vec!["--parts", "2", "--method", "kaminpar", "--objtype", "vol"],
            "--objtype: --method metis takes it, --method kaminpar does not",
        ),
        (
            "assign",
            &input,
            vec!["--parts", "2", "--method", "metis", "--threads", "2"],
            "--threads: --method stream alone takes it",
        ),
        ("assign", &input, vec!["--parts", "13", "--method", "stream"], "13 parts of 12 nodes"),
        (
            "assign",
            &input,
            vec!["--parts", "2", "--method", "stream", "--seed", "3"],
            "--seed: --method stream does not take it",
        ),
        (
            "dispatch",
            &input,
            vec!["--parts", "2", "--assignments", &assignments],
            "partition_meta.json: num_parts is 3, --parts is 2",
        ),
        ("dispatch", &input, vec!["--parts", "3", "--assignments", &empty], "_N.txt: No such file"),
        ("dispatch", &empty, vec!["--parts", "3", "--assignments", &assignments], "empty/metadata.json: No such file"),
        ("dispatch", &input, vec!["--parts", "3", "--assignments", &assignments, "--threads", "0"], "0 is not in 1.."),
    ] {
        let out = path("out");
        let output = graphpack(&[&[command, "--in", input, "--out", &out], &arguments[..]].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(expected), "{command} {arguments:?}: {message}");
        assert!(output.stdout.is_empty() && !fs::exists(&out).unwrap(), "{command} {arguments:?}");
    }
    for command in ["partition", "dispatch"] {
        let arguments = [command, "--in", &input, "--parts", "3", "--assignments", &assignments, "--out", &input];
        let message = String::from_utf8_lossy(&graphpack(&arguments).stderr).into_owned();
        assert_eq!(message, format!("graphpack: {input}: the folder is not empty\n"));
    }
    let arguments = ["assign", "--in", &input, "--parts", "3", "--method", "random", "--out", &assignments];
    let message = String::from_utf8_lossy(&graphpack(&arguments).stderr).into_owned();
    assert_eq!(message, format!("graphpack: {assignments}: the folder is not empty\n"));
    let lines = fs::read_to_string(format!("{assignments}/_N.txt")).unwrap();
    fs::write(format!("{assignments}/_N.txt"), lines + "0\n").unwrap();
    let arguments = ["--in", &input, "--parts", "3", "--assignments", &assignments, "--out", &path("out")];
    let message = String::from_utf8_lossy(&graphpack(&[&["dispatch"], &arguments[..]].concat()).stderr).into_owned();
    assert!(message.ends_with("_N.txt has 13 lines, expected 12, one for each node of type _N\n"), "{message}");
}

/// Each process would dispatch all of it.
#[test]
#[cfg(not(feature = "mpi"))]
fn several_processes_need_a_command_with_mpi() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let arguments = ["dispatch", "--in", "a", "--assignments", "b", "--parts", "2", "--out", out.to_str().unwrap()];
    let mut command = Command::new(env!("CARGO_BIN_EXE_graphpack"));
    let output = command.args(arguments).env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("2 processes of mpirun, but this command was built without MPI"), "{message}");
    assert!(!out.exists());
    // One is none.
    let mut command = Command::new(env!("CARGO_BIN_EXE_graphpack"));
    let output = command.args(arguments).env("PMI_SIZE", "1").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("a: No such file"), "{message}");
}

/// METIS itself prints lines about graphs as small as that.
#[test]
fn standard_output_has_results_alone() {
    let folder = TempDir::new().unwrap();
    let (input, out) = (ring(&folder), folder.path().join("parts"));
    let cut = ["partition", "--in", &input, "--parts", "10", "--method", "metis", "--balance-ntypes", "mark"];
    let output =
        graphpack(&[&cut[..], &["--balance-edges", "--format", "json", "--out", out.to_str().unwrap()]].concat());
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["parts"].as_u64(), Some(10));
    // METIS may leave parts empty.
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.lines().all(|line| line.contains("DGL's servers do not open it")), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_nobody_can_read_are_no_panic() {
    use std::process::Stdio;
    let folder = TempDir::new().unwrap();
    let (input, out) = (ring(&folder), folder.path().join("parts"));
    let cut = ["partition", "--in", &input, "--parts", "2", "--method", "random", "--out", out.to_str().unwrap()];
    assert!(graphpack(&cut).status.success());
    let inspect = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_graphpack"));
        command.args(["partition", "inspect", out.join("ring.json").to_str().unwrap()]).stderr(Stdio::piped());
        command
    };
    // As `head` does: the reader leaves, and has what it wants.
    let mut child = inspect().stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = inspect().stdout(full).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "graphpack: standard output: No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), message.as_str()), (Some(1), expected));
}

#[test]
fn a_folder_with_parts_stands_for_its_file() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let out = folder.path().join("parts").to_str().unwrap().to_owned();
    let cut = ["partition", "--in", &input, "--parts", "2", "--method", "random", "--save-orig-ids", "--out", &out];
    assert!(graphpack(&cut).status.success());
    let printed = |arguments: &[&str]| {
        let output = graphpack(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    };
    let file = format!("{out}/ring.json");
    assert_eq!(printed(&["partition", "inspect", &out]), printed(&["partition", "inspect", &file]));
    let verified = printed(&["partition", "verify", "--in", &input, "--parts", &out]);
    assert!(verified.starts_with(&format!("{file}: 12 nodes, 24 edges, ")), "{verified}");
    let message = String::from_utf8(graphpack(&["partition", "inspect", &input]).stderr).unwrap();
    assert!(message.contains("metadata.json: "), "{message}");
    let none = folder.path().to_str().unwrap();
    let message = String::from_utf8(graphpack(&["partition", "inspect", none]).stderr).unwrap();
    let expected = "expected the NAME.json of a partition, or a folder with one; this folder has 0";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn edges_that_are_left_out_are_counted() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // Both hubs have an edge to themselves, and one in each direction to the node after them.
    let export = ["partition", "export", "--in", &input, "--format", "metis", "--out", &path("g.graph")];
    let text = String::from_utf8(graphpack(&export).stdout).unwrap();
    assert!(fs::read_to_string(path("g.graph")).unwrap().starts_with("12 20\n"));
    assert!(text.contains("self-loops: 2 left out"), "{text}");
    assert!(text.contains("another edge joins, in either direction: 2 left out"), "{text}");
}
