//! Plans of many small graphs: `plan`, `shapes`, and mistakes that all commands of plans name.

use super::graphpack;
use graphpack_core::{FixedPlan, Heuristic, Histogram, Limits, Packer, Size};
use graphpack_loader::SavedPlan;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

pub(crate) fn histogram(folder: &TempDir, text: &str) -> String {
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
    let fixed = folder.path().join("plan.postcard");
    let written = plan(&["--limits", "40,80", "--out", fixed.to_str().unwrap()]);
    assert!(written["read_by"].as_str().unwrap().starts_with("FixedPlan<2, "), "{written}");
    let text = |more: &[&str]| {
        let output = graphpack(&[&["plan", "--histogram", &path], more].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(text(&["--published"]).contains("published best-fit by product: "), "{}", text(&["--published"]));
    let roomy = text(&["--limits", "1000,1000"]);
    assert!(roomy.contains("all graphs fit into one pack: with smaller limits it would be fuller"), "{roomy}");
}

/// Runs `graphpack plan` and returns what it prints for scripts.
fn planned(arguments: &[&str]) -> Value {
    let output = graphpack(&[&["plan", "--format", "json"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn baselines_and_weighted_heuristics_are_those_of_the_library() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3\n10,50,3\n");
    let plan = |arguments: &[&str]| {
        let plan = planned(&[&["--histogram", &path, "--limits", "30,64"], arguments].concat());
        let limits = ["nodes", "edges", "graphs"].map(|key| plan["limits"][key].as_u64().unwrap());
        (plan["packs"].as_u64().unwrap(), limits, plan["heuristic"].as_str().map(str::to_owned))
    };
    assert_eq!(plan(&["--packer", "none"]), (6, [30, 64, 1], None));
    // Three pairs, whose edges are not limited; and no pairs.
    assert_eq!(plan(&["--packer", "node-base"]), (3, [30, 90, 256], None));
    assert_eq!(plan(&["--packer", "edge-base"]), (6, [20, 64, 256], None));
    // As many as the limit of nodes holds; that of edges would hold one.
    assert_eq!(plan(&["--packer", "node-base", "--max-graphs", "max"]), (3, [30, 90, 3], None));
    let output = graphpack(&["plan", "--histogram", &path, "--limits", "30,64", "--packer", "node-base"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\nnode-base ignores the limits of edges: those above are what its fullest pack has\n"),
        "{text}"
    );
    let counts = [([20, 40], 3), ([10, 50], 3)];
    let counts = Histogram::from_counts(counts).unwrap();
    let weights = Size::new([2, 1]);
    for (name, heuristic) in [
        ("product", Heuristic::WeightedProduct(weights)),
        ("sum", Heuristic::WeightedSum(weights)),
        ("maximum", Heuristic::WeightedMaximum(weights)),
        ("minimum", Heuristic::WeightedMinimum(weights)),
    ] {
        let expected = Packer::BestFit(heuristic).pack(&counts, &Limits::new([30, 64])).unwrap().packs();
        let given = ["--heuristic", name, "--weights", "2,1"];
        assert_eq!(plan(&given), (expected, [30, 64, 256], Some(format!("{name} with weights 2,1"))));
    }
}

#[test]
fn a_plan_is_written_for_loaders_and_for_firmware() {
    let folder = TempDir::new().unwrap();
    let sizes = folder.path().join("sizes.csv").display().to_string();
    fs::write(&sizes, "num_nodes,num_edges\n20,40\n10,22\n10,22\n20,40\n5,1\n").unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, fixed) = (path("plan.json"), path("plan.postcard"));
    let limits = ["--histogram", &sizes, "--limits", "30,64", "--max-graphs", "max"];
    let plan = planned(&[&limits[..], &["--out", &json]].concat());
    // Of graphs with 5 nodes and 1 edge, the smallest in each set, six fit.
    assert_eq!((plan["graphs"].as_u64(), plan["limits"]["graphs"].as_u64()), (Some(5), Some(6)));
    let saved = SavedPlan::open(&json).unwrap();
    assert_eq!(saved.sets().unwrap(), ["nodes", "edges"]);
    let saved = &**saved.plan();
    assert_eq!(saved.packs(), plan["packs"].as_u64().unwrap());

    let text = graphpack(&[&["plan"], &limits[..], &["--out", &fixed]].concat()).stdout;
    let (entries, packs) = (saved.entries(), saved.distinct_packs());
    let expected = format!("{fixed}: for a FixedPlan<2, {entries}, {packs}> or one with more room\n");
    assert!(String::from_utf8(text).unwrap().ends_with(&expected), "{expected}");
    let read: FixedPlan<2, 16, 8> = postcard::from_bytes(&fs::read(&fixed).unwrap()).unwrap();
    assert_eq!(read, FixedPlan::try_from(saved).unwrap());
}

/// Three sets, of which the third is not in proportion to the others.
pub(crate) fn triplets(folder: &TempDir) -> String {
    let path = folder.path().join("triplets.csv");
    fs::write(&path, "num_nodes,num_edges,num_triplets,count\n20,40,30,30\n10,22,60,30\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn sets_of_any_number_and_name_are_planned_by_their_names() {
    let folder = TempDir::new().unwrap();
    let path = triplets(&folder);
    let svg = folder.path().join("fill.svg");
    let arguments = ["plan", "--histogram", &path, "--limits", "30,64,90", "--heuristic", "set:triplets"];
    let arguments = [&arguments[..], &["--format", "json", "--plot", svg.to_str().unwrap()]].concat();
    let plan: Value = serde_json::from_slice(&graphpack(&arguments).stdout).unwrap();
    assert_eq!((plan["packs"].as_u64(), plan["bound"].as_u64()), (Some(30), Some(30)), "{plan}");
    assert_eq!(plan["limits"].to_string(), r#"{"edges":64,"graphs":256,"nodes":30,"triplets":90}"#);
    assert_eq!(plan["efficiency"]["triplets"].as_f64(), Some(1.0));
    assert_eq!(plan["heuristic"].as_str(), Some("set:triplets"));
    let svg = fs::read_to_string(svg).unwrap();
    assert!(["nodes", "edges", "triplets"].iter().all(|set| svg.contains(set)), "{svg}");

    let text = String::from_utf8(graphpack(&["plan", "--histogram", &path, "--limits", "30,64,90"]).stdout).unwrap();
    let filled = "filled: 100.00 % of the nodes, 96.88 % of the edges, 100.00 % of the triplets, 0.78 % of the graphs";
    assert!(text.contains(filled), "{text}");
    let tokens = folder.path().join("tokens.csv");
    fs::write(&tokens, "num_tokens,count\n20,3\n10,3\n").unwrap();
    let output = graphpack(&["plan", "--histogram", tokens.to_str().unwrap(), "--limits", "30"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 packs (1 distinct)\nfilled: 100.00 % of the tokens, 0.78 % of the graphs"), "{text}");
}

#[test]
fn what_a_few_shapes_save_is_printed() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,300\n200,400,30\n");
    let shapes = |more: &[&str]| {
        graphpack(&[&["shapes", "--histogram", &path, "--max-graphs", "1", "--shapes", "3"], more].concat()).stdout
    };
    let found: Value = serde_json::from_slice(&shapes(&["--format", "json"])).unwrap();
    let costs: Vec<u64> = found.as_array().unwrap().iter().map(|found| found["cost"].as_u64().unwrap()).collect();
    assert_eq!(costs, [330 * 600, 300 * 64 + 30 * 600], "a third shape is of no use");
    assert_eq!(
        found[1]["shapes"][0].to_string(),
        r#"{"graphs":300,"limits":{"edges":40,"nodes":24},"packs":300,"sizes":1}"#
    );
    assert!(found[1]["bound"].as_u64().unwrap() == costs[1]);
    let text = String::from_utf8(shapes(&[])).unwrap();
    assert!(text.contains("2 shapes: cost 37200, 81.2 % less than 1; no 2 shapes cost less than 37200"), "{text}");
    assert!(text.contains("24 x 40: 300 graphs in 300 packs"), "{text}");
    assert!(text.ends_with("no more shapes, up to 3, were found that cost less than 2\n"), "{text}");
    let one: Value = serde_json::from_slice(&shapes(&["--format", "json", "--per-shape", "1000000"])).unwrap();
    assert!(one.as_array().unwrap().iter().all(|found| found["shapes"].as_array().unwrap().len() == 1), "{one}");
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
            "3 graphs exceed the limits (15, 64) with at most 256 graphs; limits of (20, 40) hold every graph",
        ),
        (vec!["plan", "--histogram", &path, "--limits", "30"], "expected a number for each of nodes,edges, found 30"),
        (vec!["plan", "--histogram", &path, "--limits", "30,x"], "as in 222,502, found \"30,x\""),
        (vec!["plan", "--histogram", &path, "--heuristic", "set:rings"], "has no set \"rings\"; it has nodes, edges"),
        (
            vec!["plan", "--histogram", &path, "--heuristic", "prod"],
            "sum, maximum, minimum, node, edge or set:NAME, found \"prod\"",
        ),
        (vec!["limits", "--histogram", &path, "--max", "rings=9"], "has no set \"rings\"; it has nodes, edges"),
        (vec!["limits", "--histogram", &path, "--max", "nodes"], "as in nodes=222, found \"nodes\""),
        (vec!["plan", "--histogram", &path, "--max-graphs", "0"], "limits must be at least 1"),
        (
            vec!["plan", "--histogram", &path, "--budget", "nan"],
            "expected a number that is not negative, found \"nan\"",
        ),
        (
            vec!["plan", "--histogram", &path, "--packer", "demand", "--published"],
            "--published has no effect with --packer demand: it is for --packer best-fit",
        ),
        (
            vec!["plan", ".", "--sample", "y", "--batching", "dynamic", "--open", "4"],
            "--open has no effect without --batching window",
        ),
        (
            vec!["limits", "--histogram", &path, "--graphs-per-batch", "128", "--max-graphs", "64"],
            "--graphs-per-batch 128: expected at most --max-graphs 64",
        ),
        (vec!["limits", "--histogram", &path, "--graphs-per-batch", "100000000"], "100000000 is not in 1..=10000000"),
        (vec!["limits", "--histogram", &path, "--max", "nodes=90", "--max-nodes", "90"], "expected nodes once"),
        (
            vec!["shapes", "--histogram", &path, "--cost", "nodes=1,nodes=2"],
            "--cost: expected nodes once, found it twice",
        ),
        (
            vec!["shapes", "--histogram", &path, "--cost", "nodes=0"],
            "--cost: expected a cost above 0, found 0 for all that is named",
        ),
        (vec!["plan", ".", "--sample", "target", "--packs-per-batch", "0"], "'--packs-per-batch <P>'"),
        (vec!["plan", &path], "expected graphs, found a histogram of their sizes; graphpack plan, limits and shapes"),
        (vec!["inspect", &path], "take it as --histogram"),
        (vec!["plan", "--histogram", &path, "--force"], "--force has no effect without --out or --plot"),
        (vec!["limits", "--histogram", &path, "--min-efficiency", "98"], "expected a share from 0 to 1"),
        (vec!["limits", "--histogram", &path, "--max-nodes", "9"], "below the largest graph, which has 20 nodes"),
        (vec!["histogram", "nowhere", "--out", &path, "--force"], "nowhere: No such file"),
        (vec!["plan", "--histogram", &path, "--plot", "nowhere/fill.svg"], "nowhere/fill.svg: No such file"),
        (vec!["plan", "--histogram", &path, "--out", "nowhere/p.json"], "nowhere/p.json: No such file"),
        (vec!["plan", "--histogram", &path, "--out", "nowhere/p.postcard"], "nowhere/p.postcard: No such file"),
        (vec!["plan", "--histogram", &path, "--out", "plan"], "ends in .json or .postcard, found \"plan\""),
        (vec!["plan", "--histogram", &path, "--weights", "1"], "a number for each of nodes,edges, not all 0, found 1"),
        (vec!["plan", "--histogram", &path, "--weights", "0,0"], "not all 0, found 0,0"),
        (
            vec!["plan", "--histogram", &path, "--weights", "1,2", "--heuristic", "node"],
            "expected --heuristic product, sum, maximum or minimum, found \"node\"",
        ),
        (vec!["plan", "--histogram", &path, "--max-graphs", "all"], "a number of graphs or max, found \"all\""),
        (
            vec!["plan", "--histogram", &path, "--packer", "auto", "--weights", "2,1"],
            "--weights has no effect with --packer auto: it is for --packer best-fit or first-fit",
        ),
        (
            vec!["convert", "x", "--rename", "a=b,a=c", "--out", "nowhere/m"],
            "--rename: expected a once, found it twice",
        ),
        (
            vec!["convert", "Cargo.toml", "Cargo.toml", "--out", "nowhere/m"],
            "Cargo.toml: expected each file once, found this one twice",
        ),
    ];
    for (arguments, expected) in cases {
        let output = graphpack(&arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty() && !message.contains("panicked"));
    }
}

#[test]
fn batches_are_measured_as_a_sample_of_a_data_set() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("store").display().to_string();
    assert!(graphpack(&["convert", "--molecules", "300", "--out", &store]).status.success());
    let sampled = |arguments: &[&str]| {
        let limits = ["--limits", "400,900", "--sample", "y", "--epochs", "3"];
        graphpack(&[&["plan", &store], &limits[..], arguments].concat())
    };
    let out = folder.path().join("plan.json");
    let failed =
        graphpack(&["plan", &store, "--limits", "400,900", "--sample", "nope", "--out", out.to_str().unwrap()]);
    assert!(!failed.status.success() && !out.exists(), "what fails writes nothing");
    for way in [&["--packer", "demand"][..], &["--batching", "window"], &["--batching", "dynamic"]] {
        let output = sampled(&[way, &["--packs-per-batch", "2", "--format", "json"]].concat());
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        let sample = &plan["sample"];
        assert_eq!((plan["graphs"].as_u64(), sample["epochs"].as_u64()), (Some(300), Some(3)), "{way:?}");
        let figures = [
            &sample["columns"][0]["variance"],
            &sample["columns"][0]["worst"],
            &sample["deviation"]["nodes"],
            &sample["pairs"],
        ];
        for figure in figures {
            assert!(figure["found"].as_f64() > Some(0.0) && figure["random"].as_f64() > Some(0.0), "{sample}");
        }
    }
    let text = String::from_utf8(sampled(&["--packer", "demand"]).stdout).unwrap();
    assert!(text.contains("\ny: variance ") && text.contains("\npairs of graphs that met: "), "{text}");
}

pub(crate) fn error(arguments: &[&str]) -> String {
    let output = graphpack(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_option_without_the_one_that_it_needs_is_an_error_beside_any_other() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3\n");
    let out = folder.path().join("a.safetensors");
    let out = out.to_str().unwrap();
    for (arguments, expected) in [
        (&["plan", "--histogram", &path, "--target", "nonsense"][..], "--target has no effect without --targets"),
        (&["convert", "--molecules", "3", "--target", "y", "--out", out], "--target has no effect without --targets"),
        (&["convert", "--parts", "p.json", "--target", "y", "--out", out], "--target has no effect without --targets"),
        (&["plan", &path, "--targets", "f", "--target", "y"], "--targets has no effect without --sample"),
        (&["plan", &path, "--targets", "f", "--sample", "y"], "--targets has no effect without --target"),
        (&["plan", &path, "--epochs", "3"], "--epochs has no effect without --sample"),
        (&["limits", "--histogram", &path, "--step-cost", "3"], "--step-cost has no effect without --budget"),
        (&["limits", "--histogram", &path, "--budget", "3"], "--budget has no effect without --memory"),
        (&["limits", "--histogram", &path, "--force"], "--force has no effect without --plot"),
        (&["convert", "x", "--out", out, "--halo"], "--halo"),
        (&["plan", &path, "--sample", "y", "--epochs", "0"], "invalid value '0' for '--epochs <E>'"),
    ] {
        let message = error(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert!(!fs::exists(out).unwrap());
}

#[test]
fn shapes_have_no_more_graphs_than_there_are() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "5,6,3\n");
    let shapes = |more: &[&str]| graphpack(&[&["shapes", "--histogram", &path][..], more].concat()).stdout;
    let text = String::from_utf8(shapes(&[])).unwrap();
    assert!(text.contains("cost 40") && text.contains("16 x 24"), "{text}");
    assert_eq!(text.into_bytes(), shapes(&["--max-graphs", "3"]));
}

#[test]
fn pipes_are_refused_where_a_file_is_read_again() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let pipe = pipe.to_str().unwrap();
    assert!(error(&["verify", pipe]).contains("expected a file, found something else, such as a folder or a pipe"));
}

#[test]
fn outputs_that_cannot_be_written_are_found_before_anything_is() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a.xyz"), "1\n\nH 0 0 0\n").unwrap();
    let (out, csv) = (path("a.safetensors"), path("h.csv"));
    let message = error(&["convert", &path("a.xyz"), "--out", &out, "--skipped", &path("none/notes")]);
    assert!(message.contains("--skipped ") && message.contains("none/notes"), "{message}");
    let message = error(&["histogram", &path("a.xyz"), "--out", &csv, "--plot", &path("none/h.svg")]);
    assert!(message.contains("--plot "), "{message}");
    fs::create_dir(path("folder.svg")).unwrap();
    assert!(error(&["histogram", &path("a.xyz"), "--out", &csv, "--plot", &path("folder.svg")]).contains("a folder"));
    assert!(error(&["convert", &path("a.xyz"), "--select", "z,z", "--out", &out]).contains("expected z once"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn labels_that_graphs_lack_are_no_zeros_of_a_sample() {
    let folder = TempDir::new().unwrap();
    let frame = |energy: usize| format!("1\nProperties=species:S:1:pos:R:3 energy={energy}\nH 0 0 0\n");
    let bare = "1\nProperties=species:S:1:pos:R:3\nH 0 0 0\n".repeat(10);
    let path = folder.path().join("a.xyz");
    fs::write(&path, (100..110).map(frame).collect::<String>() + &bare).unwrap();
    let output = graphpack(&["plan", path.to_str().unwrap(), "--sample", "energy", "--format", "json"]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["sample"]["columns"][0]["missing"], 10, "{plan}");
}

#[test]
fn device_needs_are_those_of_the_layout_and_of_the_types() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("store.safetensors").display().to_string();
    assert!(graphpack(&["convert", "--molecules", "60", "--seed", "5", "--out", &store]).status.success());
    let given = ["device-needs", &store, "--limits", "127,279", "--max-graphs", "8", "--neighbours", "6"];
    let output = graphpack(&[&given[..], &["--format", "json"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let bytes = |of: &Value| of["bytes"].as_u64().unwrap();
    let array = |name: &str| found["arrays"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap();
    // int64 x, two columns of int32, and bools; 128 nodes and 280 edges with padding.
    assert_eq!(["x", "edge_index", "neighbour_mask"].map(|name| bytes(array(name))), [128 * 72, 280 * 8, 128 * 6]);
    let all: u64 = found["arrays"].as_array().unwrap().iter().map(bytes).sum();
    assert_eq!(found["bytes"]["batch"], all);

    let sizes = histogram(&folder, "20,40,3\n10,22,3\n");
    assert!(error(&["device-needs", "--histogram", &sizes]).contains("expected a data set"));
}
