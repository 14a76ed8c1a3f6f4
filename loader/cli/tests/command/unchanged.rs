//! The keys of what the commands print for scripts, as they are written down in `unchanged/keys.txt`.
//!
//! `GRAPHPACK_WRITE_UNCHANGED=1` writes them again.

use super::graphpack;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Paths of all keys, those in lists once for all of the list.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                keys(value, &format!("{path}.{key}"), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().for_each(|item| keys(item, &format!("{path}[]"), found));
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

#[test]
fn keys_of_json() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (histogram, edges, graph, parts) = (path("h.csv"), path("e.csv"), path("graph"), path("parts"));
    let (assigned, dispatched) = (path("assigned"), path("dispatched"));
    fs::write(&histogram, "num_nodes,num_edges,count\n20,40,30\n10,22,30\n").unwrap();
    let ring: Vec<_> = (0..40).map(|node| format!("{node},{}\n", (node + 1) % 40)).collect();
    fs::write(&edges, format!("src,dst\n{}", ring.concat())).unwrap();
    let (config, water) = (format!("{parts}/g.json"), path("water.xyz"));
    fs::write(&water, "3\nenergy=-14.2\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n").unwrap();
    let commands: [&[&str]; 12] = [
        &["plan", "--histogram", &histogram, "--format", "json"],
        &["plan", "--histogram", &histogram, "--heuristic", "node", "--format", "json"],
        &["limits", "--histogram", &histogram, "--graphs-per-batch", "16", "--probe", "exit", "--format", "json"],
        &["chunk", "--edges", &edges, "--chunks", "2", "--name", "g", "--out", &graph],
        &["partition", "--in", &graph, "--parts", "2", "--method", "metis", "--out", &parts, "--format", "json"],
        &["partition", "inspect", &config, "--format", "json"],
        &["partition", "inspect", &config, "0", "--format", "json"],
        &["assign", "--in", &graph, "--parts", "2", "--method", "metis", "--out", &assigned, "--format", "json"],
        &[
            "assign",
            "--in",
            &graph,
            "--parts",
            "2",
            "--method",
            "random",
            "--out",
            &path("by_chance"),
            "--format",
            "json",
        ],
        &["dispatch", "--in", &graph, "--assignments", &assigned, "--out", &dispatched, "--format", "json"],
        &["partition", "--in", &graph, "--assignments", &assigned, "--out", &path("again"), "--format", "json"],
        &["inspect", &water, "--format", "json"],
    ];
    let mut found = String::new();
    for command in commands {
        let output = graphpack(command);
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        let Ok(object) = serde_json::from_slice(&output.stdout) else { continue };
        let mut paths = BTreeSet::new();
        keys(&object, "", &mut paths);
        let is_name = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        let name: Vec<&str> = command.iter().take_while(is_name).copied().collect();
        found += &format!("{}\n", name.join(" "));
        paths.iter().for_each(|path| found += &format!("    {path}\n"));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/unchanged/keys.txt");
    if std::env::var_os("GRAPHPACK_WRITE_UNCHANGED").is_some() {
        fs::write(&file, &found).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), found);
}
