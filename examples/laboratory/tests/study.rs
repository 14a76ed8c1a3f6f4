//! The batching study: its runs, rows and tables.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Output};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_study"));
    command.env("OMP_NUM_THREADS", "1");
    command
}

#[test]
fn it_ends_quietly_where_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let mut study = program();
    study.args(["--batching-only", "--batches", "10", "--batch-sizes", "16", "--out"]).arg(folder.path());
    let (_, closed) = pipe().unwrap();
    let output = study.stdout(closed).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && message.is_empty(), "{message}");
}

/// Two ways of batching, two repeats of three steps each, on the clusters that are generated.
fn call(out: &Path, given: &[&str]) -> Output {
    let grid = ["--models", "schnet", "--algorithms", "dynamic,static-64", "--batch-sizes", "16", "--repeats", "2"];
    let short = ["--steps", "3", "--width", "8", "--batches", "1", "--out", out.to_str().unwrap()];
    program().args(grid).args(short).args(given).output().unwrap()
}

fn study(out: &Path, given: &[&str]) -> String {
    let output = call(out, given);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of a csv file, without times.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let rows = csv::Reader::from_path(path).unwrap().into_deserialize::<BTreeMap<String, String>>();
    let mut rows: Vec<_> = rows.map(Result::unwrap).collect();
    rows.iter_mut().for_each(|row| row.retain(|name, _| !name.contains("ms")));
    rows
}

#[test]
fn runs_become_rows_and_go_on_where_they_were_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("study");
    let printed = study(&out, &["--shapes-met"]);
    assert!(
        printed.contains("| SchNet | static-64 | 16 | 2 |") && printed.contains("| dynamic | 16 | 1 |"),
        "{printed}"
    );
    let path = out.join("runs.csv");
    let expected = rows(&path);
    let name = |row: &BTreeMap<String, String>| (row["algorithm"].clone(), row["repeat"].clone());
    let names = ["dynamic 0", "static-64 0", "dynamic 1", "static-64 1"].map(|name| name.split_once(' ').unwrap());
    assert_eq!(expected.iter().map(name).collect::<Vec<_>>(), names.map(|(a, b)| (a.to_owned(), b.to_owned())));
    // Two runs are left: the others stay, byte for byte.
    let text = fs::read_to_string(&path).unwrap();
    let two: String = text.split_inclusive('\n').take(3).collect();
    fs::write(&path, &two).unwrap();
    study(&out, &[]);
    assert!(rows(&path) == expected && fs::read_to_string(&path).unwrap().starts_with(&two));
    // Tables of a file's rows, without a run; ratios are to dynamic batches.
    let printed = study(&folder.path().join("none"), &["--rows", path.to_str().unwrap()]);
    assert!(printed.contains("| SchNet | dynamic | 16 | 2 |") && printed.contains("| 1.00 ± 0.00 |"), "{printed}");
    assert!(!folder.path().join("none").exists());
    // Rows of another processor, of older networks or of unknown ones do not go on here.
    let settings = fs::read_to_string(out.join("settings.json")).unwrap();
    for name in ["processor", "networks"] {
        let mut other: Value = serde_json::from_str(&settings).unwrap();
        assert!(!other[name].is_null(), "{settings}");
        other[name] = "another".into();
        fs::write(out.join("settings.json"), serde_json::to_string_pretty(&other).unwrap()).unwrap();
        let output = call(&out, &[]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains("has results for other settings"), "{message}");
    }
    fs::remove_file(out.join("settings.json")).unwrap();
    let message = String::from_utf8(call(&out, &[]).stderr).unwrap();
    assert!(message.contains("runs.csv: settings.json is missing"), "{message}");
}
