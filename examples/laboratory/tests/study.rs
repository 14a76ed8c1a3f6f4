//! The batching study: its runs, rows and figures; a run that was broken off ends as the unbroken one does.

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
    let short =
        ["--steps", "3", "--evaluations", "2", "--width", "8", "--batches", "1", "--out", out.to_str().unwrap()];
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
    rows.iter_mut().for_each(|row| row.retain(|name, _| !name.contains("ms") && name != "running_average"));
    rows
}

#[test]
fn runs_become_rows_and_figures_and_go_on_where_they_were_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let timed = folder.path().join("timed.csv");
    let header = "network,batching,graphs,seconds per compilation,steps timed,ms per step\n";
    fs::write(&timed, format!("{header}schnet,dynamic,16,0.5,100,20\nschnet,static_64,16,0.7,3,99\n")).unwrap();
    let printed = study(&whole, &["--compilations", timed.to_str().unwrap()]);
    assert!(printed.contains("measured ") && !printed.contains("runs to do"), "{printed}");
    // The first step compiles, for the mean of both rows.
    let compiled = rows(&whole.join("compilation.csv"));
    assert_eq!((&*compiled[0]["seconds_per_compilation"], &*compiled[0]["shapes"]), ("0.6", "1"));
    let expected = rows(&whole.join("runs.csv"));
    let name = |row: &BTreeMap<String, String>| (row["algorithm"].clone(), row["repeat"].clone());
    let names = ["dynamic 0", "static-64 0", "dynamic 1", "static-64 1"].map(|name| name.split_once(' ').unwrap());
    assert_eq!(expected.iter().map(name).collect::<Vec<_>>(), names.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_ne!(expected[0]["last_loss"], expected[2]["last_loss"], "the repeats have one seed");
    let tests = rows(&whole.join("tests.csv"));
    assert_eq!((tests.len(), &*tests[0]["one"], &*tests[0]["other"]), (1, "dynamic", "static-64"));
    for figure in [1, 2, 3, 4, 5, 12, 13, 14, 15] {
        let text = fs::read_to_string(whole.join(format!("figure{figure}.svg"))).unwrap();
        assert!(text.contains("</svg>") && text.contains("<text"), "figure {figure}");
    }
    // Each call makes one step.
    let calls = (0..20).take_while(|_| study(&broken, &["--minutes", "0"]).contains("runs to do")).count();
    assert_eq!((calls, rows(&broken.join("runs.csv"))), (8, expected));
    assert_eq!(fs::read_dir(broken.join("unfinished")).unwrap().count(), 0);
    // Figures of a file's rows, without a run.
    let drawn = folder.path().join("drawn");
    let printed = study(&drawn, &["--rows", whole.join("runs.csv").to_str().unwrap()]);
    assert!(printed.contains("| SchNet | dynamic | 16 | 2 |") && !drawn.join("runs.csv").exists(), "{printed}");
    let [figure, of_runs] = [&drawn, &whole].map(|folder| fs::read_to_string(folder.join("figure4.svg")).unwrap());
    assert_eq!(figure, of_runs);
    let refused = |out: &Path, given: [&str; 2]| String::from_utf8(call(out, &given).stderr).unwrap();
    let message = refused(&whole, ["--rows", whole.join("runs.csv").to_str().unwrap()]);
    assert!(message.contains("whole has results of a study; give another --out"), "{message}");
    fs::write(&timed, format!("{header}schnet,dynamic,64,0.5,100,20\n")).unwrap();
    // A file without rows.
    let none = folder.path().join("none.csv");
    let text = fs::read_to_string(whole.join("runs.csv")).unwrap();
    fs::write(&none, text.split_inclusive('\n').next().unwrap()).unwrap();
    study(&drawn, &["--rows", none.to_str().unwrap()]);
    let message = refused(&whole, ["--compilations", timed.to_str().unwrap()]);
    assert!(message.contains("expected dynamic batches of a size among [16], found {64}"), "{message}");
    // Rows of another processor, of older networks or of unknown ones do not go on here.
    let settings = fs::read_to_string(broken.join("settings.json")).unwrap();
    for name in ["processor", "networks"] {
        let mut other: Value = serde_json::from_str(&settings).unwrap();
        assert!(!other[name].is_null(), "{settings}");
        other[name] = "another".into();
        fs::write(broken.join("settings.json"), serde_json::to_string_pretty(&other).unwrap()).unwrap();
        let output = call(&broken, &[]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains("has results for other settings"), "{message}");
    }
    fs::remove_file(broken.join("settings.json")).unwrap();
    let message = String::from_utf8(call(&broken, &[]).stderr).unwrap();
    assert!(message.contains("runs.csv: settings.json is missing"), "{message}");
}
