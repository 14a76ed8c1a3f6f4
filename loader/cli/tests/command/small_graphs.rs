//! Many small graphs: `plan`, `limits`, `histogram`, `convert`, `verify`.

use super::graphpack;
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

fn histogram(folder: &TempDir, text: &str) -> String {
    let path = folder.path().join("h.csv");
    fs::write(&path, format!("num_nodes,num_edges,count\n{text}")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn plan_prints_one_object_with_the_agreed_keys() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3\n10,22,3\n");
    let output =
        graphpack(&["plan", "--histogram", &path, "--limits", "30,64", "--packer", "best-fit", "--format", "json"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let numbers = ["graphs", "sizes", "packs", "distinct_packs", "bound"].map(|key| plan[key].as_u64().unwrap());
    assert_eq!(numbers, [6, 2, 3, 1, 3]);
    assert_eq!(["nodes", "edges", "graphs"].map(|key| plan["limits"][key].as_u64().unwrap()), [30, 64, 256]);
    assert_eq!(
        ["nodes", "edges", "graphs"].map(|key| plan["efficiency"][key].as_f64().unwrap()),
        [1.0, 62.0 / 64.0, 2.0 / 256.0]
    );
    assert_eq!((plan["packer"].as_str(), plan["heuristic"].as_str()), (Some("best-fit"), Some("product")));
    assert!(plan["seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn the_default_packer_is_auto_and_says_which_was_best() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3\n10,22,3\n");
    let plan = |arguments: &[&str]| -> Value {
        let output = graphpack(&[&["plan", "--histogram", &path, "--format", "json"], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let auto = plan(&[]);
    assert_eq!((auto["packer"].as_str(), auto["heuristic"].as_str()), (Some("auto"), None));
    assert!(auto["chosen"].is_string() && auto["gap"].as_f64().is_some());
    assert_eq!(plan(&["--heuristic", "node"])["packer"].as_str(), Some("best-fit"));
    assert_eq!(plan(&["--published"])["packer"].as_str(), Some("best-fit"));
}

#[test]
fn limits_are_searched_and_drawn() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,30\n10,22,30\n");
    let svg = folder.path().join("heat.svg");
    let output = graphpack(&[
        "limits",
        "--histogram",
        &path,
        "--multiple-of",
        "1",
        "--graphs-per-batch",
        "16",
        "--format",
        "json",
        "--plot",
        svg.to_str().unwrap(),
    ]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let share = |key: &str| found["smallest"]["efficiency"][key].as_f64().unwrap();
    assert!(share("nodes") >= 0.98 && share("edges") >= 0.98, "{found}");
    assert!((14.0..18.0).contains(&found["for_graphs_per_batch"]["graphs_per_step"].as_f64().unwrap()), "{found}");
    let svg = fs::read_to_string(svg).unwrap();
    for text in ["limit of nodes", "limit of edges", "filled", "100 %", "(framed)"] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3\n10,22,3\n");
    let broken = folder.path().join("broken.csv");
    fs::write(&broken, "nodes\n").unwrap();
    let cases = [
        (vec!["plan", "--histogram", "nowhere.csv"], "nowhere.csv: No such file"),
        (vec!["plan", "--histogram", broken.to_str().unwrap()], "expected the header"),
        (
            vec!["plan", "--histogram", &path, "--limits", "15,64"],
            "3 graphs of size (20, 40) exceed the limits (15, 64)",
        ),
        (vec!["plan", "--histogram", &path, "--limits", "30"], "expected two numbers as in 222,502"),
        (vec!["plan", "--histogram", &path, "--max-graphs", "0"], "limits must be at least 1"),
        (vec!["plan", "--histogram", &path, "--budget", "nan"], "expected a number of seconds, found \"nan\""),
        (vec!["plan", "--histogram", &path, "--packer", "demand", "--published"], "for --packer best-fit only"),
        (vec!["limits", "--histogram", &path, "--min-efficiency", "98"], "expected a share from 0 to 1"),
        (vec!["limits", "--histogram", &path, "--max-nodes", "9"], "below the largest graph, which has 20 nodes"),
        (vec!["histogram", "--ogb", "nowhere", "--out", &path], "nowhere has no folder raw/"),
        (vec!["plan", "--histogram", &path, "--plot", "nowhere/fill.svg"], "nowhere/fill.svg: No such file"),
    ];
    for (arguments, expected) in cases {
        let output = graphpack(&arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty() && !message.contains("panicked"));
    }
}

#[test]
fn convert_writes_what_verify_and_histogram_read() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, shards, again) = (path("a.safetensors"), path("shards"), path("b.safetensors"));
    for arguments in [
        &["convert", "--molecules", "300", "--seed", "5", "--out", &file][..],
        &["convert", "--store", &file, "--shard-graphs", "120", "--out", &shards],
        &["convert", "--store", &shards, "--out", &again],
        &["verify", &shards],
        &["histogram", "--store", &shards, "--out", &path("h.csv"), "--plot", &path("h.svg")],
    ] {
        let output = graphpack(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("300 graphs"), "{arguments:?}");
        assert!(output.stderr.is_empty(), "nothing odd where output is piped");
    }
    assert!(fs::read(&file).unwrap() == fs::read(&again).unwrap(), "there and back again");
    let mut damaged = fs::read(&file).unwrap();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&file, damaged).unwrap();
    let output = graphpack(&["verify", &file]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("is damaged: its checksum is"), "{message}");
    let output = graphpack(&["convert", "--out", &path("c.safetensors")]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "graphpack: expected a data set: --ogb, --store or --xyz\n");
}

/// A disk that is full is played by a limit on the size of files, which writing then exceeds.
#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_where_the_disk_is_full() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.safetensors");
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" convert --molecules 3000 --out \"$1\"";
    let output =
        Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_graphpack")]).arg(&path).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("store.safetensors: File too large"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
