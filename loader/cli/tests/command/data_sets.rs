//! Data sets of many small graphs: `convert`, `inspect`, `verify`, `histogram`.

use super::graphpack;
use graphpack_loader::{Column, Dtype, Level, Schema, Store};
use serde_json::Value;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn convert_writes_what_verify_and_histogram_read() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, shards, again) = (path("a.safetensors"), path("shards"), path("b.safetensors"));
    for arguments in [
        &["convert", "--molecules", "300", "--seed", "5", "--out", &file][..],
        &["convert", &file, "--graphs-per-file", "120", "--out", &shards],
        &["convert", &shards, "--out", &again],
        &["verify", &shards],
        &["histogram", &shards, "--out", &path("h.csv"), "--plot", &path("h.svg")],
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
    let copy = path("copy.safetensors");
    for arguments in [&["verify", &file][..], &["inspect", &file], &["convert", &file, "--out", &copy]] {
        let output = graphpack(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains("is damaged: its checksum is"), "{message}");
    }
    assert!(!Path::new(&copy).exists(), "damage is not copied");
    let output = graphpack(&["convert", "--out", &path("c.safetensors")]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "graphpack: expected files to convert\n");
}

#[test]
fn a_histogram_has_a_column_for_each_set_of_a_store() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, csv) = (path("pairs.safetensors"), path("h.csv"));
    let schema = Schema::of(&["protein", "ligand", "contacts"]).index("at", "contacts", &["protein", "ligand"]);
    let ptr = vec![vec![0, 3, 5], vec![0, 2, 4], vec![0, 2, 3]];
    let contacts = vec![vec![2, 0, 1], vec![0, 1, 1]];
    Store::of_sets(schema, ptr, vec![contacts], vec![]).unwrap().save(&file).unwrap();
    let output = graphpack(&["histogram", &file, "--out", &csv]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("2 graphs, 2 sizes, at most 3 protein, 2 ligand and 2 contacts\n"), "{text}");
    let written = "num_protein,num_ligand,num_contacts,count\n2,2,1,1\n3,2,2,1\n";
    assert_eq!(fs::read_to_string(&csv).unwrap(), written);
    let output = graphpack(&["histogram", &file, "--force", "--out", &csv, "--plot", &path("h.svg")]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("an axis for each of two sets, found protein, ligand, contacts"), "{message}");
    let output = graphpack(&["plan", "--histogram", &csv, "--limits", "5,4,3", "--heuristic", "set:ligand"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("best-fit by set:ligand: 1 packs (1 distinct)"), "{text}");

    let file = path("path.safetensors");
    Store::of_columns(vec![0, 3], vec![0, 4], [vec![0, 1, 1, 2], vec![1, 0, 2, 1]], vec![])
        .unwrap()
        .save(&file)
        .unwrap();
    let output = graphpack(&["histogram", &file, "--triplets", "--line-graphs", "--force", "--out", &csv]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = "num_nodes,num_edges,num_line_edges,num_triplets,count\n3,4,6,2,1\n";
    assert_eq!(fs::read_to_string(&csv).unwrap(), written);
}

#[test]
fn stores_of_any_sets_are_kept_and_described() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, shards, again) = (path("a.safetensors"), path("shards"), path("b.safetensors"));
    let schema = Schema::of(&["protein", "ligand", "contacts"])
        .field("protein.x", "protein", Dtype::F32, &[2])
        .field("y", "graph", Dtype::I64, &[])
        .index("contact_index", "contacts", &["protein", "ligand"]);
    let x = Column::of(&schema, "protein.x", vec![0.5_f32; 10]).unwrap();
    let y = Column::of(&schema, "y", vec![1_i64, 0]).unwrap();
    let ptr = vec![vec![0, 3, 5], vec![0, 2, 4], vec![0, 2, 3]];
    let contacts = vec![vec![2, 0, 1], vec![0, 1, 1]];
    Store::of_sets(schema, ptr, vec![contacts], vec![x, y]).unwrap().save(&file).unwrap();
    assert!(graphpack(&["convert", &file, "--graphs-per-file", "1", "--out", &shards]).status.success());
    assert!(graphpack(&["convert", &shards, "--out", &again]).status.success());
    assert_eq!(fs::read(&again).unwrap(), fs::read(&file).unwrap());
    let described = "  protein: 5; protein.x float32 [5, 2]\n  ligand: 4\n  contacts: 3; contact_index [2, 3] into \
                     protein, ligand\n  graphs: 2; y int64 [2]\n";
    for (path, tensors) in [(&file, 6), (&shards, 12)] {
        let output = String::from_utf8(graphpack(&["verify", path]).stdout).unwrap();
        assert_eq!(output, format!("{path}: 2 graphs, {tensors} tensors as they were written\n{described}"));
    }
}

#[test]
fn files_are_written_and_failures_reported_where_nobody_reads_what_is_printed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let unread = |arguments: &[&str]| {
        let (_, closed) = pipe().unwrap();
        Command::new(env!("CARGO_BIN_EXE_graphpack")).args(arguments).stdout(closed).output().unwrap().status
    };
    let (smiles, notes, svg) = (path("mols.csv"), path("notes"), path("sizes.svg"));
    fs::write(&smiles, "smiles,y\nCCO,1\nno molecule,2\n").unwrap();
    assert!(unread(&["convert", &smiles, "--on-error", "skip", "--out", &path("all"), "--skipped", &notes]).success());
    assert_eq!(fs::read_to_string(&notes).unwrap().lines().count(), 1);
    assert!(unread(&["inspect", &smiles, "--on-error", "skip", "--plot", &svg]).success());
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
}

/// A csv file of three molecules, of which the second cannot be read.
const MOLECULES: &str = ",name,Smiles,y\n0,a,CCO,1\n1,b,C1CC,2\n2,c,CC,<5\n";

#[test]
fn records_that_cannot_be_read_are_an_error_or_left_out_and_listed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, out) = (path("mols.csv"), path("mols"));
    fs::write(&csv, MOLECULES).unwrap();
    let run = |options: &[&str]| {
        let output = graphpack(&[&["convert", &csv, "--out", &out], options].concat());
        let [printed, complained] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.success(), printed, complained)
    };
    let (success, _, complained) = run(&[]);
    assert!(!success && complained.contains("mols.csv, line 3: expected rings that are closed"), "{complained}");
    let (success, printed, _) = run(&["--on-error", "skip"]);
    assert!(success && folder.path().join("mols.skipped").exists());
    for line in [
        "mols: 2 graphs\n",
        "mols.csv: column 1: left out, it has no name\n",
        "mols.csv: column y: left out, line 4: expected a number or nothing, found \"<5\"\n",
        "mols.csv: record 1: ",
    ] {
        assert!(printed.contains(line), "{line} in {printed}");
    }
    fs::remove_file(&out).unwrap();
    fs::remove_file(path("mols.skipped")).unwrap();
    let (success, _, complained) = run(&["--select", "y"]);
    assert!(!success && complained.contains("mols.csv, line 4, column y: expected a number or nothing, found \"<5\""));
    assert!(!folder.path().join("mols").exists());
    let (success, printed, complained) = run(&["--select", "y", "--on-error", "skip"]);
    assert!(success, "{complained}");
    let summary = format!("mols: 1 graphs\n  2 records that cannot be read are left out, see {out}.skipped\n");
    assert!(printed.contains(&summary), "{printed}");
    let listed = fs::read_to_string(path("mols.skipped")).unwrap();
    for line in ["mols.csv, line 3: expected rings that are closed", "mols.csv, line 4, column y: expected a number"] {
        assert!(listed.contains(line), "{line} in {listed}");
    }
    // The list of files that are replaced goes with them.
    fs::write(&csv, "Smiles,y\nCC,2\n").unwrap();
    assert!(run(&["--select", "y", "--on-error", "skip", "--force"]).0);
    assert!(!folder.path().join("mols.skipped").exists());
    // Beside a folder, not in it.
    fs::write(&csv, MOLECULES).unwrap();
    let out = path("many/");
    let skip = ["--select", "y", "--on-error", "skip", "--graphs-per-file", "1"];
    assert!(graphpack(&[&["convert", &csv, "--out", &out], &skip[..]].concat()).status.success());
    assert!(folder.path().join("many.skipped").exists() && !folder.path().join("many/.skipped").exists());
}

#[test]
fn what_is_read_of_molecules_is_chosen() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, sdf) = (path("two.csv"), path("water.sdf"));
    fs::write(&csv, "a,b\nC,CC\nCCC,CCCC\n").unwrap();
    let atoms = "    0.0       0.0       0.0    O   0  0\n    0.7       0.5       0.0    H   0  0\n";
    let head = "water\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n";
    fs::write(&sdf, format!("{head}{atoms}  1  2  1  0\nM  END\n$$$$\n")).unwrap();
    let largest = |arguments: &[&str]| {
        let output = graphpack(&[&["histogram", "--force", "--out", &path("h.csv")], arguments].concat());
        let [printed, complained] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        if output.status.success() { printed } else { complained }
    };
    assert!(largest(&[&csv]).contains("found several, a, b"), "{}", largest(&[&csv]));
    assert!(largest(&[&csv, "--smiles-column", "b"]).contains("2 graphs, 2 sizes, at most 4 nodes"));
    // Cells that are no molecules do not make it another format where the column is named.
    let bad = path("bad.csv");
    fs::write(&bad, "a,code\n1,C1CC\n2,CCO\n").unwrap();
    let skip = [&bad, "--smiles-column", "code", "--on-error", "skip"];
    assert!(largest(&skip).contains("1 graphs, 1 sizes, at most 3 nodes"));
    assert!(largest(&[&bad]).contains("found a file that begins with"));
    assert!(largest(&[&sdf]).contains("at most 1 nodes"));
    assert!(largest(&[&sdf, "--hydrogens"]).contains("at most 2 nodes"));
    let refused = largest(&[&csv, "--hydrogens"]);
    assert!(refused.contains("--hydrogens: ") && refused.contains("expected SDF, of which hydrogen atoms are kept"));
    let refused = largest(&[&sdf, "--smiles-column", "b"]);
    assert!(refused.contains("--smiles-column: ") && refused.ends_with("found sdf\n"), "{refused}");
}

/// A structure whose cell is too flat for its atoms to have neighbours in it, between two others.
const FLAT: &str = "2\n\nH 0 0 0\nH 0.7 0 0\n\
    1\nLattice=\"1e-9 0 0 0 1 0 0 0 1\" Properties=species:S:1:pos:R:3\nHe 0 0 0\n1\n\nQq 0 0 0\n2\n\nO 0 0 0\nO 0.8 0 0\n";

#[test]
fn graphs_that_cannot_be_connected_are_left_out_by_every_command() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (xyz, out) = (path("flat.xyz"), path("out"));
    fs::write(&xyz, FLAT).unwrap();
    for command in [
        &["convert", &xyz, "--out", &out][..],
        &["histogram", &xyz, "--out", &path("h.csv")],
        &["plan", &xyz],
        &["limits", &xyz, "--multiple-of", "1"],
    ] {
        let output = graphpack(&[command, &["--cutoff", "1"]].concat());
        assert!(!output.status.success(), "{command:?}");
        let output = graphpack(&[command, &["--cutoff", "1", "--on-error", "skip"]].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{command:?}: {message}");
        let listed = fs::read_to_string(path("out.skipped")).unwrap();
        let are = "graphpack: 2 records that cannot be read are left out\n";
        let said = match command[0] {
            "convert" => {
                let printed = String::from_utf8(output.stdout).unwrap();
                assert!(printed.contains("\n  2 records that cannot be read are left out, see "), "{printed}");
                &listed
            }
            _ => message.strip_prefix(are).unwrap_or_else(|| panic!("{command:?}: {message}")),
        };
        for (line, start) in said.lines().zip(["flat.xyz: record 2: ", "flat.xyz: record 1: "]) {
            assert!(line.contains(start), "{start} in {said}");
        }
        assert_eq!(said.lines().count(), 2, "{command:?}: {said}");
    }
    assert_eq!(Store::open(&out).unwrap().len(), 2);
    let inspect = |format| graphpack(&["inspect", &xyz, "--on-error", "skip", "--format", format]).stdout;
    let text = String::from_utf8(inspect("text")).unwrap();
    assert!(text.contains("1 record that cannot be read is left out\n"), "{text}");
    let found: Value = serde_json::from_slice(&inspect("json")).unwrap();
    assert_eq!((&found["left_out"], &found["graphs"]), (&1.into(), &3.into()));
    // Notes that are too many are listed where the command finds them all.
    let many = path("many.xyz");
    fs::write(&many, [FLAT, &"1\n\nQq 0 0 0\n".repeat(12)].concat()).unwrap();
    let message = graphpack(&["plan", &many, "--on-error", "skip"]).stderr;
    let message = String::from_utf8(message).unwrap();
    assert!(message.ends_with("and 3 more notes, which convert --on-error skip lists\n"), "{message}");
}

#[test]
fn inspect_prints_what_networks_are_scaled_by() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("water.xyz").to_str().unwrap().to_owned();
    let of = |energy, atoms: &str| format!("{}\nenergy={energy}\n{atoms}", atoms.lines().count());
    let atoms = [of(-2, "H 0 0 0\n"), of(-2, "H 1 0 0\n"), of(-36, "O 0 0 0\nH 1 0 0\nH 0 1 0\n")];
    fs::write(&path, atoms.concat()).unwrap();
    let inspect = |more: &[&str]| graphpack(&[&["inspect", &path], more].concat()).stdout;
    let found: Value = serde_json::from_slice(&inspect(&["--statistics", "--format", "json"])).unwrap();
    let (statistics, close) = (&found["statistics"], |found: &Value, expected: f64| {
        assert!((found.as_f64().unwrap() - expected).abs() < 1e-12, "{found} is not {expected}");
    });
    close(&statistics["energies"]["1"], -2.0);
    close(&statistics["energies"]["8"], -32.0);
    close(&statistics["fields"]["energy"]["mean"][0], -40.0 / 3.0);
    close(&statistics["fields"]["energy"]["rms"], (1304.0_f64 / 3.0).sqrt());
    assert_eq!(statistics["undetermined"], Value::Array(Vec::new()));
    let text = String::from_utf8(inspect(&["--statistics"])).unwrap();
    assert!(text.contains("\n  energy of each element: H -2"), "{text}");
    assert!(text.contains("\n  energy: mean -13.3"), "{text}");
    let message = graphpack(&["inspect", &path, "--statistics", "--energy", "U0"]).stderr;
    let message = String::from_utf8(message).unwrap();
    assert!(message.contains("of at most 256 elements for each node, found U0"), "{message}");
    assert!(inspect(&["--format", "json"]).len() < inspect(&["--format", "json", "--statistics"]).len());
}

#[test]
fn a_list_does_not_outlive_its_store() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (bad, good, out) = (path("bad.xyz"), path("good.xyz"), path("out"));
    fs::write(&bad, FLAT).unwrap();
    fs::write(&good, "1\n\nHe 0 0 0\n").unwrap();
    let convert = |more: &[&str]| graphpack(&[&["convert", "--out", &out], more].concat()).status.success();
    let is_listed = || Path::new(&path("out.skipped")).exists();
    for more in [&[&good[..]][..], &[&bad, "--on-error", "skip", "--skipped", &path("other")]] {
        assert!(convert(&[&bad, "--on-error", "skip", "--force"]) && is_listed());
        assert!(convert(&[more, &["--force"]].concat()) && !is_listed(), "{more:?}");
    }
    // The same list by another name, and a file to read that is called like it.
    assert!(convert(&[&bad, "--on-error", "skip", "--force", "--skipped", &path("./out.skipped")]) && is_listed());
    fs::copy(&good, path("out.skipped")).unwrap();
    assert!(convert(&[&path("out.skipped"), "--force"]) && is_listed());
}

#[test]
fn target_columns_are_fields_whatever_is_selected() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (xyz, csv, out) = (path("a.xyz"), path("t.csv"), path("out"));
    fs::write(&xyz, "1\nenergy=1 other=2\nHe 0 0 0\n").unwrap();
    fs::write(&csv, "gap\n0.5\n").unwrap();
    let targets = ["--targets", &csv, "--target", "gap", "--select", "energy"];
    assert!(graphpack(&[&["convert", &xyz, "--out", &out], &targets[..]].concat()).status.success());
    let store = Store::open(&out).unwrap();
    assert_eq!(store.values::<f32>("gap").unwrap(), [0.5]);
    assert!(store.schema().position("energy").is_some() && store.schema().position("other").is_none());
}

#[test]
fn units_are_those_of_the_file_after_it_was_converted() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let units = |path: &str| {
        let output = graphpack(&["inspect", path, "--format", "json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let fields = found["fields"].as_array().unwrap().iter();
        let unit =
            |field: &Value| (field["name"].as_str().unwrap().to_owned(), field["unit"].as_str().map(str::to_owned));
        fields.map(unit).collect::<Vec<_>>()
    };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/data/order.h5");
    let (hdf5, xyz) = (data.to_str().unwrap(), path("a.xyz"));
    let (store, again, both) = (path("store"), path("again"), path("both"));
    let converted = |arguments: &[&str]| {
        let output = graphpack(&[&["convert"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let pos = |unit: Option<&str>| [("z".to_owned(), None), ("pos".to_owned(), unit.map(str::to_owned))];
    assert_eq!(units(hdf5), pos(Some("angstrom")));
    converted(&[hdf5, "--out", &store]);
    assert_eq!(units(&store), pos(Some("angstrom")));
    converted(&[&store, "--graphs-per-file", "7", "--rename", "pos=x", "--out", &again]);
    assert_eq!(units(&again)[1], ("x".to_owned(), Some("angstrom".to_owned())));
    let text = String::from_utf8(graphpack(&["inspect", &again]).stdout).unwrap();
    assert!(text.contains("\n  x: float32 x 3 of nodes, angstrom, positions in padding\n"), "{text}");
    // XYZ has the units that its writer had.
    fs::write(&xyz, "1\n\nHe 0 0 0\n").unwrap();
    converted(&[hdf5, &xyz, "--out", &both]);
    assert_eq!(units(&both)[..2], pos(None));
}

#[test]
fn no_graphs_are_an_error() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let csv = path("none.csv");
    fs::write(&csv, "smiles,y\nC1CC,1\n").unwrap();
    let (out, histogram) = (path("out"), path("h.csv"));
    for arguments in [
        &["convert", &csv, "--on-error", "skip", "--out", &out][..],
        &["convert", "--molecules", "0", "--out", &out],
        &["histogram", &csv, "--on-error", "skip", "--out", &histogram],
        &["inspect", &csv, "--on-error", "skip"],
        &["plan", &csv, "--on-error", "skip", "--limits", "10,10"],
    ] {
        let output = graphpack(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains("expected graphs"), "{arguments:?}: {message}");
    }
    assert!(!folder.path().join("out").exists() && !folder.path().join("h.csv").exists());
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

#[test]
fn missing_labels_are_counted_one_by_one() {
    let folder = TempDir::new().unwrap();
    let store = |name: &str, graphs: usize, labels: Vec<Column>| {
        let path = folder.path().join(name);
        let ptr = || (0..=graphs as u64).collect::<Vec<_>>();
        let edges = vec![0; graphs];
        Store::of_columns(ptr(), ptr(), [edges.clone(), edges], labels).unwrap().save(&path).unwrap();
        let inspected = |format| {
            let output = graphpack(&["inspect", path.to_str().unwrap(), "--format", format]);
            String::from_utf8(output.stdout).unwrap()
        };
        (inspected("text"), serde_json::from_str::<Value>(&inspected("json")).unwrap())
    };
    let of_graph = |name: &str, width, has: Vec<bool>| Column::new(name, Level::Graph, width, has);
    let y = |width, graphs| Column::new("y", Level::Graph, width, vec![1.0_f32; width * graphs]);
    let one_by_one = vec![true, true, false, true, false, true, false, false];
    let (text, json) = store("tasks", 4, vec![y(2, 4), of_graph("has_y", 2, one_by_one)]);
    assert!(text.contains("\n  y: float32 x 2 of graph, in 75.0 % of the graphs"), "{text}");
    assert_eq!(
        (&json["fields"][0]["graphs"], &json["fields"][0]["share_of_values"]),
        (&Value::from(3), &Value::from(0.5))
    );
    let (text, _) = store("half", 2, vec![y(2, 2), of_graph("has_y", 2, vec![true, false, true, false])]);
    assert!(text.contains("\n  y: float32 x 2 of graph, 50.0 % of the values"), "{text}");
    let (text, _) = store("none", 2, vec![y(0, 2)]);
    assert!(text.contains("\n  y: float32 x 0 of graph\n"), "{text}");
    let mut rare = vec![true; 3000];
    rare[7] = false;
    let (text, _) = store("rare", 3000, vec![y(1, 3000), of_graph("has_y", 1, rare)]);
    assert!(text.contains("\n  y: float32 x 1 of graph, in 2999 of 3000 graphs"), "{text}");
}

/// As far as numbers go.
#[test]
fn the_largest_sizes_are_drawn() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for sets in [&["nodes"][..], &["nodes", "edges"]] {
        let ptr = vec![vec![0, u32::MAX.into(), u64::from(u32::MAX) + 5]; sets.len()];
        let (store, svg) = (path("huge"), path("sizes.svg"));
        Store::of_sets(Schema::of(sets), ptr, vec![], vec![]).unwrap().save(&store).unwrap();
        let drawn = |arguments: &[&str]| {
            let output = graphpack(&[arguments, &["--plot", &svg, "--force"]].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(fs::read_to_string(&svg).unwrap().contains("4,294,967,295"));
        };
        drawn(&["inspect", &store]);
        if sets.len() == 2 {
            drawn(&["histogram", &store, "--out", &path("sizes.csv")]);
        }
        fs::remove_file(&store).unwrap();
    }
}

#[test]
fn files_are_inspected_and_become_one_store() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (a, b, store, svg) = (path("a.xyz"), path("b.xyz"), path("all"), path("sizes.svg"));
    let water = "3\nProperties=species:S:1:pos:R:3 energy=-14.2\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";
    let copper = "1\nLattice=\"3 0 0 0 3 0 0 0 3\" Properties=species:S:1:pos:R:3 pbc=\"T T T\"\nCu 0 0 0\n";
    fs::write(&a, water).unwrap();
    fs::write(&b, format!("{copper}{water}")).unwrap();
    let printed = |arguments: &[&str]| {
        let output = graphpack(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = printed(&["inspect", &b, "--plot", &svg]);
    for line in [
        "b.xyz: 2 graphs (xyz)\n",
        "\n  nodes: 1 to 3, 2.0 on average\n",
        "\n  energy: float64 x 1 of graph, in 50.0 % of the graphs\n",
        "\n  periodic directions: none 1, all 1\n",
        "\n  elements: H 2, O 1, Cu 1\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(fs::read_to_string(&svg).unwrap().contains("nodes (largest: 3)"));
    let convert = ["convert", &a, &b, "--threads", "2", "--select", "energy", "--rename", "energy=y", "--out", &store];
    assert!(printed(&convert).contains("all: 3 graphs"));
    let found: Value = serde_json::from_str(&printed(&["inspect", &store, "--format", "json"])).unwrap();
    let fields = found["fields"].as_array().unwrap();
    let y = fields.iter().find(|field| field["name"] == "y").unwrap();
    assert_eq!(
        (y["graphs"].as_u64(), y["dtype"].as_str(), y["of"].as_str()),
        (Some(2), Some("float64"), Some("graph"))
    );
    assert_eq!((found["graphs"].as_u64(), found["format"].as_str()), (Some(3), Some("store")));
    let (waters, edges) = (path("waters.xyz"), path("edges"));
    fs::write(&waters, water.repeat(2)).unwrap();
    printed(&["convert", &waters, "--cutoff", "1.2", "--out", &edges]);
    // Each oxygen has two edges into it, each hydrogen one.
    let line =
        "\n  edge_index: edges into a node: 1 to 2, 1.3 on average; 50 % have at most 1, 90 % 2, 99 % 2, 99.9 % 2\n";
    let text = printed(&["inspect", &edges]);
    assert!(text.contains(line), "{line} in {text}");
    let found: Value = serde_json::from_str(&printed(&["inspect", &edges, "--format", "json"])).unwrap();
    let [index] = &found["indices"].as_array().unwrap()[..] else { panic!("expected one index, found {found}") };
    assert_eq!(index["into"], serde_json::json!(["nodes", "nodes"]));
    assert_eq!(index["entries_into_a_row"], serde_json::json!({ "1": 4, "2": 2 }));
    let text = printed(&["histogram", &store, "--cutoff", "1.2", "--out", &path("h.csv")]);
    assert!(text.contains("at most 3 nodes and 4 edges"), "{text}");
    let output = graphpack(&["convert", &a, "--select", "forces", "--out", &path("none")]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && message.contains("expected a field \"forces\", found the fields"), "{message}");
    assert!(!folder.path().join("none").exists());
    // Of graphs, `z` is a label as any other.
    fs::write(path("z.csv"), "smiles,z\nCC,2\nCCO,6\n").unwrap();
    let text = printed(&["inspect", &path("z.csv")]);
    assert!(text.contains("  z: int64 x 1 of graph") && !text.contains("elements"), "{text}");
}

#[test]
fn graphs_without_edges_are_counted_and_atoms_without_positions_are_named() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (atoms, smiles) = (path("atoms.xyz"), path("mols.csv"));
    fs::write(&atoms, "2\n\nH 0 0 0\nH 0.7 0 0\n2\n\nO 0 0 0\nO 1.2 0 0\n").unwrap();
    fs::write(&smiles, "smiles,y\nCCO,1\n").unwrap();
    for command in [&["convert", &atoms, "--out", &path("none")][..], &["histogram", &atoms, "--out", &path("none")]] {
        let output = graphpack(&[command, &["--cutoff", "0.1"]].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        let expected = "--cutoff 0.1: expected edges, found none in any of 2 graphs; lengths are in the unit of";
        assert!(!output.status.success() && message.contains(expected), "{message}");
        assert!(!Path::new(&path("none")).exists());
    }
    for command in [&["convert", &atoms, "--out", &path("some")][..], &["histogram", &atoms, "--out", &path("h.csv")]] {
        let output = graphpack(&[command, &["--edges", "radius:1"]].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && message == "graphpack: --edges: 1 of 2 graphs have no edges\n", "{message}");
    }
    for (file, expected) in [
        (&smiles, "--cutoff 2: edges between atoms follow from positions: a field \"pos\""),
        (&path("some"), "--cutoff 2: expected atoms without edges, found a data set that has edges already"),
    ] {
        for command in [&["convert", file, "--out", &path("x")][..], &["plan", file]] {
            let output = graphpack(&[command, &["--cutoff", "2"]].concat());
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(message.contains(file.as_str()) && message.contains(expected), "{command:?}: {message}");
        }
    }
}
