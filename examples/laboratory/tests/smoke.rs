//! Each tool runs for a moment. What it measures is not looked at.

use std::fs;
use std::process::Command;

/// Runs a program to its end; returns what it printed.
fn ran(command: &mut Command) -> String {
    let output = command.env("OMP_NUM_THREADS", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn lab(arguments: &[&str]) -> String {
    ran(Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments))
}

#[test]
fn tables_are_made_of_recorded_runs() {
    let text = lab(&["worth", "--minutes", "0"]);
    // As docs/measurements/training.md has them.
    assert!(text.contains("| auto-graphs | 10 | 0.778 ± 0.012 | 0.735 ± 0.024 | 0.974 ± 0.025 |"), "{text}");
    assert!(text.contains("| published | 8 | 0.035 ± 0.003 | 0.037 ± 0.004 | 1.208 ± 0.030 |"), "{text}");
    let text = lab(&["devices", "--minutes", "0"]);
    assert!(text.contains("| flex | packed | "), "{text}");
}

#[test]
fn training_on_a_device_is_timed() {
    let folder = tempfile::tempdir().unwrap();
    let gpu_bench = || Command::new(env!("CARGO_BIN_EXE_gpu_bench"));
    ran(gpu_bench().arg("prepare").arg(folder.path()).args(["--graphs", "100"]));
    let few = ["--device", "cpu", "--steps", "2", "--epochs", "1", "--batch-graphs", "16"];
    let rows = ran(gpu_bench().arg("measure").arg(folder.path()).args(few));
    let file = folder.path().join("graphpack.jsonl");
    fs::write(&file, &rows).unwrap();
    let table = ran(gpu_bench().arg("table").arg(&file));
    assert!(table.contains("| GINE, molecules | 16 |") && table.contains("| SchNet, structures | 16 |"), "{table}");
}

#[test]
fn batches_are_written_for_peers_and_timed() {
    let folder = tempfile::tempdir().unwrap();
    let clusters = "3\nProperties=species:S:1:pos:R:3\nC 0 0 0\nC 1 0 0\nC 0 1 0\n".repeat(50);
    let data = folder.path().join("clusters.xyz");
    fs::write(&data, clusters).unwrap();
    let mut peer = Command::new(env!("CARGO_BIN_EXE_peer_batches"));
    let rows = ran(peer.args(["--batch-size", "8", "--data"]).arg(&data).arg("--out").arg(folder.path()));
    assert!(rows.lines().count() > 1 && folder.path().join("graphs.safetensors").exists(), "{rows}");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_loader_bench"));
    bench.args(["--epochs", "1", "--batch-sizes", "8", "--store"]).arg(folder.path().join("graphs.safetensors"));
    let rows = ran(&mut bench);
    assert!(rows.contains("memory, int64"), "{rows}");
}

#[test]
fn scripts_of_python_can_be_parsed() {
    let script = "import ast, pathlib, sys\n\
                  files = list(pathlib.Path(sys.argv[1]).rglob('*.py'))\n\
                  [ast.parse(file.read_text(), str(file)) for file in files]\n\
                  print(len(files))";
    let count = ran(Command::new("python3").args(["-c", script, env!("CARGO_MANIFEST_DIR")]));
    assert!(count.trim().parse::<usize>().unwrap() > 10, "{count}");
}

#[test]
#[ignore = "builds a bundle, which takes minutes: cargo xtask lab test -- --ignored"]
fn the_bundle_runs_where_there_is_no_rust() {
    let text = lab(&["bundle", "--try"]);
    assert!(text.contains("test result: ok. ") && text.contains("| GINE, molecules | 64 |"), "{text}");
}
