//! The example `train`: generated molecules or a file, packed, prefetched, trained on; it learns and reports what
//! scripts read.

use super::{command, example, lines, number};
use std::fs;
use std::io::pipe;

#[test]
fn training_learns_and_reports() {
    let lines = lines(example("train", &["--graphs", "4000", "--epochs", "2"]));
    assert_eq!(lines.len(), 3, "{lines:?}");
    let number = |key: &str| number(&lines[2], key);
    // Guessing gives 0.5.
    assert!(number("valid_roc_auc") > 0.8 && number("test_roc_auc") > 0.8, "{lines:?}");
    assert!(number("seconds_per_epoch") > 0.0 && number("graphs_per_second") > 0.0);
    assert!((0.0..1.0).contains(&number("wait_share")));
    // Eight packs a batch fill less.
    assert!((0.97..1.0).contains(&number("nodes_filled")), "{lines:?}");
}

#[test]
fn every_way_of_batching_trains() {
    let epoch = |way: &str| {
        let given = ["--graphs", "300", "--epochs", "1", "--way", way, "--packs", "4", "--rate-per", "20"];
        let lines = lines(example("train", &given));
        assert_eq!(lines.len(), 2, "{way}: {lines:?}");
        assert!(number(&lines[0], "loss").is_finite() && number(&lines[1], "peak_megabytes") > 0.0, "{lines:?}");
        ["steps", "node_slots", "edge_slots", "shapes"].map(|key| number(&lines[0], key))
    };
    let auto = epoch("auto");
    for way in ["none", "node-base", "edge-base", "published", "published-graphs", "window", "dynamic"] {
        let found = epoch(way);
        assert_eq!(found[3], 1.0, "{way}: {found:?}");
        assert!(found[1] + found[2] >= auto[1] + auto[2], "{way}: {found:?}, auto {auto:?}");
    }
    let [of_64, of_2, unpadded] = ["static-64", "static-2n", "unpadded"].map(epoch);
    assert!(of_2[1] >= of_64[1] && of_64[1] > unpadded[1] && unpadded[1] < auto[1], "{of_2:?} {of_64:?} {unpadded:?}");
    assert!(unpadded[3] > 1.0, "{unpadded:?}");
    // The first epoch has one shape, a later one two.
    let epochs = lines(example("train", &["--graphs", "250", "--epochs", "8", "--way", "static-2n", "--packs", "3"]));
    let shapes: Vec<f64> = epochs[..8].iter().map(|line| number(line, "shapes")).collect();
    assert!(shapes[0] == 1.0 && shapes.contains(&2.0), "{shapes:?}");
    for way in ["auto-graphs", "window-graphs"] {
        let found = epoch(way);
        assert!(found[3] == 1.0 && found[1] < of_2[1] && found[2] < of_2[2], "{way}: {found:?}, {of_2:?}");
    }
}

/// Atoms without edges, whose target is a number that some of them lack.
#[test]
fn training_takes_files_with_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chains.xyz");
    let chain = |number: usize| {
        let atoms = 2 + number * 7 % 11;
        let label = if number.is_multiple_of(9) { String::new() } else { format!(" energy={}.5", 3 * atoms) };
        let places: String = (0..atoms).map(|atom| format!("C {atom} 0 0\n")).collect();
        format!("{atoms}\nProperties=species:S:1:pos:R:3 charge=0{label}\n{places}")
    };
    fs::write(&file, (0..400).map(chain).collect::<String>()).unwrap();
    let data = ["--data", file.to_str().unwrap(), "--cutoff", "1.5", "--epochs", "4", "--batch-graphs", "32"];
    let lines = lines(example("train", &[&data[..], &["--target", "energy"]].concat()));
    assert!(number(&lines[3], "loss") < 0.5 * number(&lines[0], "loss"), "{lines:?}");
    assert!(number(&lines[4], "valid_mean_absolute_error") > 0.0, "{lines:?}");
    let refused = String::from_utf8(example("train", &data).stderr).unwrap();
    assert!(refused.contains("with a number per graph, found charge, energy"), "{refused}");
}

#[test]
fn targets_of_ogb_are_checked_as_those_of_other_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("raw/num-node-list", "0\n".repeat(12)),
        ("raw/num-edge-list", "0\n".repeat(12)),
        ("raw/edge", String::new()),
        ("raw/graph-label", "0\n1\n".repeat(6)),
        ("split/random/train", (0..8).map(|graph| format!("{graph}\n")).collect()),
        ("split/random/valid", "8\n9\n".into()),
        ("split/random/test", "10\n11\n".into()),
    ] {
        let path = folder.path().join(name).with_extension("csv");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let data = folder.path().to_str().unwrap();
    let refused = |more: &[&str]| {
        let output = example("train", &[&["--data", data, "--epochs", "1"], more].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    let message = refused(&["--target", "energy"]);
    assert!(message.contains("--target energy: expected a field with a number per graph, found y"), "{message}");
    let message = refused(&["--targets", data, "--target", "energy"]);
    assert!(message.contains("--targets: OGB's data sets have targets of their own"), "{message}");
    // Graphs without nodes, of which none is the largest.
    let message = refused(&["--target", "y"]);
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn examples_end_quietly_where_nobody_reads() {
    let train = command("train", &["--graphs", "100", "--epochs", "1"]);
    let forces = command("forces", &["--graphs", "20", "--epochs", "1"]);
    let typed = command("typed", &["--graphs", "100", "--epochs", "1"]);
    let directional = command("directional", &["--graphs", "50", "--epochs", "1"]);
    let large_graph = command("large_graph", &["--nodes", "2000", "--epochs", "1"]);
    for mut example in [train, forces, typed, directional, large_graph] {
        let (_, closed) = pipe().unwrap();
        let output = example.stdout(closed).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && message.is_empty(), "{example:?}: {message}");
    }
}
