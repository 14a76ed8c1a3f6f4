//! Every option of every command: its default is accepted as help prints it, and where it is given it changes what the
//! command does, or an error names it.

use super::graphpack;
use super::parts::{files, ring};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const COMMANDS: [&[&str]; 15] = [
    &["assign"],
    &["chunk"],
    &["convert"],
    &["device-needs"],
    &["dispatch"],
    &["histogram"],
    &["inspect"],
    &["limits"],
    &["partition"],
    &["partition", "export"],
    &["partition", "inspect"],
    &["partition", "verify"],
    &["plan"],
    &["shapes"],
    &["verify"],
];

/// The options of a command, and what help says of each.
fn options(command: &[&str]) -> Vec<(String, String)> {
    let help = String::from_utf8(graphpack(&[command, &["--help"]].concat()).stdout).unwrap();
    let mut found: Vec<(String, String)> = Vec::new();
    for line in help.lines().map(str::trim) {
        let rest = line.strip_prefix("--").or_else(|| Some(line.strip_prefix('-')?.split_once("--")?.1));
        // Lines of prose may begin with an option and its value.
        let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        match rest.and_then(|rest| rest.split([' ', '[']).next()).filter(is_name) {
            Some(name) => found.push((format!("--{name}"), line.to_owned())),
            None => found.last_mut().into_iter().for_each(|(_, text)| *text += &format!(" {line}")),
        }
    }
    found.retain(|(name, _)| name != "--help");
    found
}

#[test]
fn defaults_are_accepted_as_help_prints_them() {
    let mut tried = 0;
    for command in COMMANDS {
        for (option, text) in options(command) {
            let Some((_, default)) = text.split_once("[default: ") else { continue };
            let default = default.split_once(']').unwrap().0;
            let output = graphpack(&[command, &[&option], &default.split(' ').collect::<Vec<_>>()].concat());
            let message = String::from_utf8(output.stderr).unwrap();
            let refused =
                ["invalid value", "unexpected argument", "unrecognized"].iter().any(|no| message.contains(no));
            assert!(!refused, "{command:?} {option} {default}: {message}");
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried} defaults");
}

/// What a command did: whether it succeeded, what it printed and the files that it wrote, without times and paths.
type Done = (bool, String, BTreeMap<String, Vec<u8>>);

/// Runs a command that writes into a folder of its own, `OUT`; returns what it did and its errors.
fn run(arguments: &[&str], prepare: impl Fn(&Path)) -> (Done, String) {
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    let out = folder.path().to_str().unwrap();
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("OUT", out)).collect();
    let output = graphpack(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let printed = String::from_utf8(output.stdout).unwrap().replace(out, "OUT");
    let printed = match serde_json::from_str::<Value>(&printed) {
        Ok(Value::Object(mut object)) => {
            object.remove("seconds");
            Value::Object(object).to_string()
        }
        _ => printed.lines().filter(|line| !line.starts_with("packed in")).collect(),
    };
    let message = String::from_utf8(output.stderr).unwrap().replace(out, "OUT");
    ((output.status.success(), printed + &message, files(out)), message)
}

/// Commands, each with options that are tried beside it.
struct Trial<'a> {
    command: &'a str,
    options: Vec<&'a str>,
}

/// Options that say how something is done and not what, the same for any value.
const OTHERS: [&str; 5] = ["--threads", "--memory", "--scratch", "--resume", "--format"];

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Tries every option beside every command, and returns the options that were tried.
fn try_all(trials: &[Trial<'_>]) -> BTreeSet<(String, String)> {
    let (mut tried, mut problems) = (BTreeSet::new(), Vec::new());
    for Trial { command, options } in trials {
        let base = words(command);
        let name: Vec<&str> =
            base.iter().take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).copied().collect();
        let (without, message) = run(&base, |_| ());
        assert!(without.0, "{command}: {message}");
        let flags = base.iter().copied().chain(options.iter().flat_map(|option| words(option)));
        tried.extend(flags.filter(|word| word.starts_with("--")).map(|flag| (name.join(" "), flag.to_owned())));
        for option in options {
            let (with, message) = run(&[&base[..], &words(option)].concat(), |_| ());
            let flag = words(option)[0];
            if with.0 && with == without {
                problems.push(format!("{command} {option}: expected an effect or an error, found neither"));
            } else if !with.0 && !message.contains(flag) {
                problems.push(format!("{command} {option}: expected {flag} to be named: {message}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    tried
}

/// Files that commands read.
fn data(folder: &TempDir) -> [String; 5] {
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let sizes = (2..=40).map(|nodes| format!("{nodes},{},{}\n", 2 * nodes + nodes * nodes % 7, 61 - nodes));
    fs::write(path("h.csv"), format!("num_nodes,num_edges,count\n{}", sizes.collect::<String>())).unwrap();
    let mut xyz = String::new();
    for atoms in 1..=8 {
        xyz += &format!("{atoms}\nenergy={}.5 charge={}\n", -atoms, atoms % 3);
        (0..atoms).for_each(|atom| xyz += &format!("C {}.1 {}.2 0\n", atom % 3, atom / 3));
    }
    fs::write(path("a.xyz"), xyz).unwrap();
    fs::write(path("m.csv"), "smiles,y\nCCO,1\nCC,2\nC1CC1,3\n").unwrap();
    let targets = (0..8).map(|graph| format!("{graph}.25\n")).collect::<String>();
    fs::write(path("t.csv"), format!("t\n{targets}")).unwrap();
    assert!(graphpack(&["convert", &path("a.xyz"), "--cutoff", "1.2", "--out", &path("s")]).status.success());
    ["h.csv", "a.xyz", "m.csv", "t.csv", "s"].map(path)
}

#[test]
fn every_option_of_small_graphs_has_an_effect_or_is_refused() {
    let folder = TempDir::new().unwrap();
    let [sizes, xyz, smiles, csv, store] = data(&folder);
    let targets = format!("--targets {csv} --target t");
    let of_data =
        ["--split train", "--directed", "--cutoff 1.5", "--edges nearest:2", "--hydrogens", "--smiles-column b"];
    // Of data that are sound, no record is left out.
    let skip = "--on-error skip";
    let packing = ["--heuristic node", "--weights 1,2", "--published", "--budget 0.00001", "--max-graphs 2"];
    let packers = ["best-fit", "first-fit", "demand", "columns", "auto", "none", "node-base", "edge-base"];
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    for packer in packers {
        commands.push((
            format!("plan --histogram {sizes} --limits 60,140 --out OUT/p.json --packer {packer}"),
            packing.to_vec(),
        ));
    }
    let outputs = ["--out OUT/p.json", "--plot OUT/p.svg", "--force", "--format json"];
    let of_plan = [
        "--packer demand",
        "--limits 50,99",
        "--sample y",
        "--batching window",
        "--packs-per-batch 2",
        "--epochs 3",
        "--open 1",
        "--seed 7",
        &targets,
    ];
    commands
        .push((format!("plan --histogram {sizes}"), [&of_plan[..], &packing, &of_data, &outputs, &[skip]].concat()));
    let sample = ["--batching window", "--packs-per-batch 2", "--epochs 3", "--open 1", "--seed 7"];
    commands.push((
        format!("plan {store} --sample energy --limits 20,60"),
        [&sample[..], &packing[..3], &of_data, &[&targets]].concat(),
    ));
    commands
        .push((format!("plan {store} --sample energy --limits 20,60 --batching window"), vec!["--open 1", "--seed 7"]));
    commands.push((format!("plan {xyz}"), [&of_data[..], &[&targets, "--histogram h.csv"]].concat()));

    let of_limits = [
        "--min-efficiency 0.5",
        "--max nodes=60",
        "--max-nodes 60",
        "--max-edges 200",
        "--multiple-of 3",
        "--max-graphs 2",
    ];
    let searched =
        ["--graphs-per-batch 8", "--step-cost 7", "--budget 9000", "--memory nodes=9", "--probe exit", "--margin 0.3"];
    let drawn = ["--plot OUT/p.svg", "--force", "--format json"];
    commands.push((
        format!("limits --histogram {sizes} --format json"),
        [&of_limits[..], &searched, &of_data, &drawn[..2], &["--budget 9000 --memory nodes=9", skip]].concat(),
    ));
    commands.push((format!("limits --histogram {sizes} --max-graphs 9 --format json"), vec!["--cost nodes=0,edges=9"]));
    let json = format!("limits --histogram {sizes} --format json");
    commands.push((
        format!("{json} --budget 9000 --memory nodes=9"),
        vec!["--max-graphs 2", "--cost edges=1", "--step-cost 99999", "--multiple-of 3", "--max-nodes 60"],
    ));
    commands.push((
        format!("{json} --graphs-per-batch 8"),
        vec!["--max-graphs 2", "--max-graphs 8", "--step-cost 7", "--multiple-of 3"],
    ));
    commands.push((
        format!("{json} --probe exit"),
        vec![
            "--margin 0.3",
            "--max-graphs 2",
            "--multiple-of 3",
            "--max nodes=60",
            "--max-nodes 60",
            "--max-edges 200",
        ],
    ));
    commands.push((format!("limits {xyz} --multiple-of 1"), of_data.to_vec()));
    let of_shapes = ["--shapes 1", "--multiple-of 3", "--cost nodes=3", "--step-cost 999", "--per-shape 99999999"];
    commands.push((
        format!("shapes --histogram {sizes} --max-graphs 1"),
        [&of_shapes[..], &of_data, &["--format json", skip]].concat(),
    ));

    let of_sizes = ["--triplets", "--line-graphs", "--plot OUT/p.svg"];
    commands.push((format!("histogram {xyz} --edges full --out OUT/h.csv"), [&of_sizes[..], &of_data[..3]].concat()));
    commands.push((format!("histogram {xyz} --out OUT/h.csv"), of_data.to_vec()));
    commands.push((format!("histogram {store} --out OUT/h.csv"), vec![skip]));
    commands.push((format!("inspect {xyz}"), [&drawn[..], &of_data[..2], &of_data[4..]].concat()));
    commands.push((format!("inspect {store}"), vec![skip, "--statistics", "--energy charge"]));
    commands.push((format!("inspect {store} --statistics"), vec!["--energy charge"]));
    let fields = ["--select energy", "--rename energy=y", "--double", "--skipped OUT/notes", "--graphs-per-file 3"];
    let instead = ["--molecules 3", "--seed 3", "--parts g.json", "--halo", "--original-ids"];
    let converted = [&fields[..], &instead, &of_data, &[&targets]].concat();
    commands.push((format!("convert {xyz} --out OUT/s.safetensors"), converted.clone()));
    commands.push((format!("convert {xyz} --out OUT/s"), converted.clone()));
    let texts = folder.path().join("texts.xyz");
    fs::write(&texts, "1\nProperties=species:S:1:pos:R:3 kind=bulk\nC 0 0 0\n").unwrap();
    commands.push((format!("convert {} --out OUT/s", texts.display()), vec!["--labels kind"]));
    commands.push((format!("convert {store} --out OUT/s"), [&converted[..], &[skip, "--labels kind"]].concat()));
    commands.push((format!("convert {smiles} --out OUT/s"), of_data[..5].to_vec()));
    let no_data = [&fields[..3], &of_data, &[&targets, "--threads 2", "--skipped OUT/notes"]].concat();
    commands
        .push(("convert --molecules 3 --out OUT/s".into(), [&no_data[..], &["--seed 1", "--parts g.json"]].concat()));

    let trials: Vec<_> =
        commands.iter().map(|(command, options)| Trial { command, options: options.clone() }).collect();
    let tried = try_all(&trials);
    for command in ["convert", "histogram", "inspect", "limits", "plan", "shapes"] {
        for (option, _) in options(&[command]) {
            let known = OTHERS.contains(&&*option)
                || option == "--force"
                || tried.contains(&(command.to_owned(), option.clone()));
            assert!(known, "{command} {option}: expected it to be tried here");
        }
    }
}

#[test]
fn every_option_of_large_graphs_has_an_effect_or_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (graph, edges, assigned) = (ring(&folder), path("ring.csv"), path("assigned"));
    assert!(
        graphpack(&["assign", "--in", &graph, "--parts", "2", "--method", "metis", "--out", &assigned])
            .status
            .success()
    );
    let mark = format!("--node-feature mark={}", path("mark.npy"));
    let (semicolons, numpy) = (path("semicolons.csv"), path("edges.npy"));
    fs::write(&semicolons, "0;1\n1;0\n").unwrap();
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }";
    let ends = [0_i64, 1, 1, 2, 2, 0].map(i64::to_le_bytes).concat();
    fs::write(&numpy, [b"\x93NUMPY\x01\x00\x3c\x00", header.as_bytes(), b"\n", &ends].concat()).unwrap();
    let chunk = format!("chunk --edges {edges} --chunks 2 --out OUT/g");
    let of_chunk = [
        "--both-directions",
        "--nodes 20",
        &mark,
        "--format parquet",
        "--name g",
        "--ogb ogb",
        "--dgl g.bin",
        "--feature-format parquet",
    ];
    let of_method = ["--balance-ntypes mark", "--balance-edges", "--objtype vol", "--seed 5"];
    let written = ["--save-orig-ids", "--name other"];
    let of_parts = ["--halo-hops 2", "--return-mapping", "--trainers-per-machine 2"];
    let by_files = format!("--assignments {assigned}");
    let commands = [
        (chunk.clone(), of_chunk.to_vec()),
        (format!("{chunk} {mark}"), vec!["--feature-format parquet", "--edge-feature weight=OUT/--edge-feature"]),
        (format!("chunk --edges {semicolons} --delimiter ; --chunks 2 --out OUT/g"), vec![]),
        (format!("chunk --edges {numpy} --chunks 2 --out OUT/g"), vec!["--delimiter ;"]),
        (
            format!("assign --in {graph} --parts 2 --method random --out OUT/a"),
            [&of_method[..], &["--from a.txt", "--threads 2", "--memory 9"]].concat(),
        ),
        (
            format!("partition --in {graph} --parts 2 --method random --out OUT/p"),
            [&of_method[..], &of_parts, &written, &[&by_files]].concat(),
        ),
        (
            format!("partition --in {graph} {by_files} --out OUT/p"),
            [&of_method[..], &of_parts, &written, &["--parts 3", "--method metis"]].concat(),
        ),
        (format!("dispatch --in {graph} {by_files} --out OUT/p"), [&written[..], &["--parts 3"]].concat()),
        (format!("partition export --in {graph} --format metis --out OUT/g"), vec![]),
    ];
    let trials: Vec<_> =
        commands.iter().map(|(command, options)| Trial { command, options: options.clone() }).collect();
    let tried = try_all(&trials);
    for command in ["assign", "chunk", "dispatch", "partition"] {
        for (option, _) in options(&[command]) {
            let known = OTHERS.contains(&&*option) || tried.contains(&(command.to_owned(), option.clone()));
            assert!(known, "{command} {option}: expected it to be tried here");
        }
    }
}

#[test]
fn files_are_replaced_by_force_alone() {
    let folder = TempDir::new().unwrap();
    let [sizes, xyz, _, _, store] = data(&folder);
    let graph = ring(&folder);
    for (command, output, found) in [
        (format!("plan --histogram {sizes} --out OUT/x.json"), "--out", "x.json"),
        (format!("plan --histogram {sizes} --out OUT/x.postcard"), "--out", "x.postcard"),
        (format!("plan --histogram {sizes} --plot OUT/x.svg"), "--plot", "x.svg"),
        (format!("limits --histogram {sizes} --multiple-of 40 --plot OUT/x.svg"), "--plot", "x.svg"),
        (format!("histogram {store} --out OUT/x.csv"), "--out", "x.csv"),
        (format!("histogram {store} --out OUT/y --plot OUT/x.svg"), "--plot", "x.svg"),
        (format!("inspect {xyz} --plot OUT/x.svg"), "--plot", "x.svg"),
        (format!("convert {xyz} --out OUT/x"), "--out", "x"),
        (format!("convert {xyz} --out OUT/y --skipped OUT/x"), "--skipped", "x"),
        (format!("partition export --in {graph} --format metis --out OUT/x"), "--out", "x"),
    ] {
        let prepare = |out: &Path| fs::write(out.join(found), "mine").unwrap();
        let ((done, _, kept), message) = run(&words(&command), prepare);
        let expected = format!("{output} OUT/{found}: expected a new file, found one; --force replaces it");
        assert!(!done && message.contains(&expected), "{command}: {message}");
        assert_eq!(kept, BTreeMap::from([(found.to_owned(), b"mine".to_vec())]), "{command}");
        let ((done, _, replaced), message) = run(&words(&format!("{command} --force")), prepare);
        assert!(done && replaced[found] != b"mine", "{command}: {message}");
    }
}

/// Neither into a file that is read nor into a folder: commands would replace it, or read what they wrote the next
/// time.
#[test]
#[cfg(unix)] // it makes a symbolic link
fn nothing_is_written_into_what_is_read() {
    let folder = TempDir::new().unwrap();
    let [sizes, xyz, _, _, store] = data(&folder);
    let (graph, path) = (ring(&folder), |name: &str| folder.path().join(name).to_str().unwrap().to_owned());
    let (many, assigned, parts, edges) = (path("many"), path("assigned"), path("parts"), path("ring.csv"));
    for made in [
        format!("convert {xyz} --cutoff 1.2 --graphs-per-file 3 --out {many}"),
        format!("convert {many}/index.json --out {}", path("copy.safetensors")),
        format!("assign --in {graph} --parts 2 --method random --out {assigned}"),
        format!("partition --in {graph} --assignments {assigned} --out {parts}"),
    ] {
        assert!(graphpack(&words(&made)).status.success(), "{made}");
    }
    // Without an ending, so that any file may be written there.
    let (atoms, same_atoms) = (path("atoms"), path("./atoms"));
    fs::copy(&xyz, &atoms).unwrap();
    // A graph whose metadata have a file of another folder.
    let (listed, outside) = (path("listed"), path("outside.csv"));
    assert!(graphpack(&words(&format!("chunk --edges {edges} --chunks 1 --out {listed}"))).status.success());
    let metadata = fs::read_to_string(format!("{listed}/metadata.json")).unwrap();
    let chunk = metadata.split('"').find(|word| word.ends_with(".csv")).unwrap();
    fs::rename(format!("{listed}/{chunk}"), &outside).unwrap();
    fs::write(format!("{listed}/metadata.json"), metadata.replace(chunk, &outside)).unwrap();
    std::os::unix::fs::symlink(&outside, path("link.csv")).unwrap();
    let before = files(folder.path().to_str().unwrap());
    let (in_many, in_graph) =
        (format!("outside of {many}, which is read"), format!("outside of {graph}, which is read"));
    let one_of = "found one of the inputs".to_owned();
    for (command, expected) in [
        (format!("convert {xyz} --out {xyz} --force"), "expected a name".into()),
        (format!("histogram {xyz} --out /dev/stdout"), "expected a file, found standard output".into()),
        (format!("convert {many} --out {many}/all.safetensors"), in_many.clone()),
        (format!("convert {many} --graphs-per-file 2 --out {many}/new/deep"), in_many.clone()),
        (format!("convert {many} --out {many}/../many/none/all.safetensors"), in_many.clone()),
        (
            format!("convert {many}/index.json --out {many}/more.safetensors"),
            format!("outside of {many}/index.json, which is read"),
        ),
        (format!("convert {store} --out {store} --force"), one_of.clone()),
        (format!("convert {atoms} --out {same_atoms} --force"), one_of.clone()),
        (format!("convert {atoms} --out {} --skipped {same_atoms} --force", path("all")), one_of.clone()),
        (format!("histogram {atoms} --cutoff 2 --out {same_atoms} --force"), one_of.clone()),
        (format!("histogram {atoms} --cutoff 2 --out {} --plot {same_atoms} --force", path("new.csv")), one_of.clone()),
        (format!("convert --parts {parts}/ring.json --out {parts}/x"), format!("outside of {parts}, which is read")),
        (format!("histogram {many} --out {many}/sizes.csv"), in_many.clone()),
        (format!("inspect {many} --plot {many}/sizes.svg"), in_many.clone()),
        (format!("plan {many} --out {many}/plan.json"), in_many.clone()),
        (format!("limits {many} --plot {many}/heat.svg"), in_many),
        (format!("histogram {store} --out {sizes}"), "expected a new file, found one".into()),
        (format!("partition export --in {graph} --format metis --out {graph}/metadata.json --force"), in_graph.clone()),
        (format!("partition export --in {graph}/metadata.json --format parhip --out {graph}/new"), in_graph.clone()),
        (format!("partition export --in {graph} --format parmetis --out {graph}/new"), in_graph.clone()),
        (format!("partition export --in {graph} --format parmetis --out {graph}/metadata.json"), in_graph),
        (format!("partition export --in {listed} --format metis --out {outside} --force"), one_of.clone()),
        (format!("partition export --in {listed} --format parhip --out {} --force", path("link.csv")), one_of.clone()),
        // Folders of parts and chunks are new, or empty: they replace nothing, and graphs list their files.
        (format!("partition --in {graph} --parts 2 --method random --out {graph}"), "is not empty".into()),
        (format!("assign --in {graph} --parts 2 --method random --out {graph}/metadata.json"), "is a file".into()),
        (format!("dispatch --in {graph} --assignments {assigned} --out {assigned}"), "is not empty".into()),
        // Around what is read: such a folder is not empty.
        (format!("chunk --edges {edges} --chunks 2 --out {}", folder.path().display()), "is not empty".into()),
        (format!("convert {xyz} --graphs-per-file 2 --out {}", folder.path().display()), "empty".into()),
    ] {
        let output = graphpack(&words(&command));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains(&expected), "{command}: {message}");
        assert!(files(folder.path().to_str().unwrap()) == before, "{command}");
    }
}

#[test]
fn names_say_what_is_written() {
    let folder = TempDir::new().unwrap();
    let [sizes, xyz, _, _, store] = data(&folder);
    for (command, right) in [
        (format!("convert {xyz} --out OUT/enz.h5"), ".safetensors"),
        (format!("convert {xyz} --graphs-per-file 3 --out OUT/enz.safetensors"), "a name without an ending"),
        (format!("histogram {store} --out OUT/h.csv.gz"), ".csv"),
        (format!("histogram {store} --out OUT/h.csv --plot OUT/h.png"), ".svg"),
        (format!("plan --histogram {sizes} --plot OUT/fill.pdf"), ".svg"),
        (format!("limits --histogram {sizes} --plot OUT/heat.PNG"), ".svg"),
        (format!("inspect {xyz} --plot OUT/foo.jpg"), ".svg"),
    ] {
        let ((done, _, written), message) = run(&words(&command), |_| ());
        assert!(!done && message.contains("expected") && message.contains(right), "{command}: {message}");
        assert!(written.is_empty(), "{command}");
    }
    for command in
        [format!("convert {xyz} --out OUT/spice-2.0.1"), format!("histogram {store} --out OUT/h --plot OUT/h.SVG")]
    {
        let ((done, _, _), message) = run(&words(&command), |_| ());
        assert!(done, "{command}: {message}");
    }
    let ((done, _, _), message) = run(&words(&format!("histogram {store} --out OUT/h --plot OUT/./h")), |_| ());
    assert!(!done && message.contains("--plot OUT/./h: expected another file than that of --out"), "{message}");
}
