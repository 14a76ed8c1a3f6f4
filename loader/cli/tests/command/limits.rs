//! `graphpack limits`: limits that are searched, printed and drawn.

use super::graphpack;
use super::plans::{error, histogram, triplets};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;
use test_common::test_data;

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
fn limits_that_are_wrong_are_named_and_shares_have_all_their_digits() {
    let folder = TempDir::new().unwrap();
    let printed = |arguments: &[&str]| String::from_utf8(graphpack(arguments).stdout).unwrap();
    // As QM9's fully connected molecules: hardly two fit into the room of the largest.
    let path = histogram(&folder, "29,812,1\n18,306,90\n19,342,90\n");
    let limits = "no packer fills these limits, which";
    let text = printed(&["plan", "--histogram", &path]);
    assert!(text.contains("; 1.0 graphs per pack\n"), "{text}");
    assert!(text.contains(&format!("{limits} hold little more than the largest graph: graphpack limits")), "{text}");
    let text = printed(&["plan", "--histogram", &path, "--limits", "290,81200"]);
    assert!(text.contains(&format!("{limits} are out of proportion: graphpack limits")), "{text}");
    let text = printed(&["plan", "--histogram", &path, "--limits", "290,8120", "--max-graphs", "2"]);
    assert!(text.contains("packs have as many graphs as --max-graphs allows"), "{text}");
    let text = printed(&["plan", "--histogram", &path, "--limits", "1850,33000"]);
    assert!(!text.contains("no packer fills"), "{text}");

    let path = histogram(&folder, "20,40,31\n11,22,30\n");
    let search =
        |share: &str| printed(&["limits", "--histogram", &path, "--min-efficiency", share, "--multiple-of", "7"]);
    let none = "no limits that were tried reach 99.99 %; larger ones may (--max), and so may some in between, of which a \
                smaller range has more\n";
    assert!(search("0.9999").ends_with(none), "{}", search("0.9999"));
    assert!(search("0.57").contains("smallest with 57 %:"), "{}", search("0.57"));
}

/// As loaders and `plan` pack them: best-fit and demand alone need 185 packs under the first limits, which is too many.
#[test]
fn the_smallest_limits_are_the_smallest_that_auto_fills() {
    let printed = |arguments: &str| {
        let output = graphpack(&arguments.split(' ').collect::<Vec<_>>());
        String::from_utf8(output.stdout).unwrap()
    };
    let folder = test_data().join("histograms");
    let of = |name: &str| folder.join(name).display().to_string();
    let aim = format!("limits --histogram {} --multiple-of 4 --min-efficiency 0.97", of("molfreesolv_all.hist.csv"));
    for most in ["", " --max nodes=32 --max edges=60"] {
        let text = printed(&format!("{aim}{most}"));
        assert!(text.contains("smallest with 97 %:\n      32 x 60           3.6      180"), "{text}");
    }
    // Limits on graphs that bind nothing change nothing: at most 7 of the smallest fit.
    let text = printed(&format!("limits --histogram {}", of("tu_mutag.hist.csv")));
    let (_, smallest) = text.split_once("smallest").unwrap();
    for most in ["max", "7", "20", "188"] {
        let text = printed(&format!("limits --histogram {} --max-graphs {most}", of("tu_mutag.hist.csv")));
        assert!(text.ends_with(smallest), "{most}: {text}");
    }
    let shapes = |most| printed(&format!("shapes --histogram {} --max-graphs {most}", of("tu_mutag.hist.csv")));
    assert_eq!(shapes("max"), shapes("188"));
}

#[test]
fn limits_of_three_sets_are_searched_in_their_proportion() {
    let folder = TempDir::new().unwrap();
    let path = triplets(&folder);
    let search = |more: &[&str]| {
        graphpack(&[&["limits", "--histogram", &path, "--multiple-of", "1", "--max", "triplets=200"], more].concat())
    };
    let found: Value =
        serde_json::from_slice(&search(&["--format", "json", "--graphs-per-batch", "4"]).stdout).unwrap();
    assert!((1..=1500).contains(&found["tried"].as_u64().unwrap()), "{found}");
    let smallest = ["nodes", "edges", "triplets"].map(|set| found["smallest"]["limits"][set].as_u64().unwrap());
    assert!(smallest[..2] == [30, 62] && (90..92).contains(&smallest[2]), "{found}");
    let pareto = found["pareto"].as_array().unwrap();
    assert!(pareto.iter().all(|found| found["limits"]["triplets"].as_u64().unwrap() <= 200), "{found}");
    let text = String::from_utf8(search(&[]).stdout).unwrap();
    assert!(
        text.contains("\nnodes x edges x triplets   graphs/step    steps   nodes full   edges full   triplets full")
    );
    assert!(text.contains("\n            30 x 62 x 91           2.0       30     100.00 %     100.00 %"), "{text}");
    let output = search(&["--plot", "heat.svg"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("an axis for each of two sets, found nodes, edges, triplets"), "{message}");
}

#[test]
fn the_cheapest_limits_of_a_budget_are_searched() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,300\n10,22,300\n");
    let memory = ["--memory", "nodes=10,edges=5", "--cost", "nodes=1,edges=3", "--step-cost", "500"];
    let search = |more: &[&str]| graphpack(&[&["limits", "--histogram", &path], &memory[..], more].concat());
    let found: Value = serde_json::from_slice(&search(&["--budget", "4000", "--format", "json"]).stdout).unwrap();
    let [nodes, edges] = ["nodes", "edges"].map(|set| found["cheapest"]["of"]["limits"][set].as_u64().unwrap());
    assert!((3000..=4000).contains(&(10 * nodes + 5 * edges)), "{found}");
    let few = search(&["--budget", "4000", "--max-graphs", "6", "--format", "json"]);
    let few: Value = serde_json::from_slice(&few.stdout).unwrap();
    assert_eq!(few["cheapest"]["of"]["limits"]["graphs"].as_u64(), Some(6), "{few}");
    assert!((5.0..=6.0).contains(&few["cheapest"]["of"]["graphs_per_step"].as_f64().unwrap()), "{few}");
    let packs = found["cheapest"]["of"]["packs"].as_u64().unwrap();
    assert_eq!(found["cheapest"]["epoch_cost"].as_f64().unwrap(), (packs * (nodes + 3 * edges + 500)) as f64);
    let error = |more: &[&str]| String::from_utf8(search(more).stderr).unwrap();
    assert!(error(&["--budget", "100"]).contains("no limits that hold the largest graph need 100 or less"));
    assert!(error(&["--budget", "100", "--cost", "faces=1"]).contains("the input has no set \"faces\"; it has "));
    assert!(error(&["--budget", "100", "--cost", "3"]).contains("expected a set and a whole number as in nodes=3"));
}

#[test]
fn one_large_graph_is_named_where_it_makes_more_graphs_than_were_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,500\n4000,9000,1\n");
    let said = |arguments: &[&str]| String::from_utf8(graphpack(arguments).stderr).unwrap();
    let limits = said(&["limits", "--histogram", &path, "--graphs-per-batch", "16"]);
    let expected = "leaves none; with room for the largest, 4000 nodes and 9000 edges, they hold 125.2: in a loader, \
                    oversize alone, skip or trim keeps 16";
    assert!(limits.contains(expected), "{limits}");
}

#[test]
fn limits_within_a_budget_are_no_dearer_than_those_of_the_table() {
    let folder = TempDir::new().unwrap();
    // Its largest graph has rows that are no multiple of 8.
    let path = histogram(&folder, "24,50,30\n10,20,500\n5,8,300\n");
    let limits = |budget: &str| -> Value {
        let cost = ["--memory", "nodes=10,edges=1", "--budget", budget, "--format", "json"];
        let output = graphpack(&[&["limits", "--histogram", &path][..], &cost].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    for (budget, most) in [("290", 290), ("299", 299)] {
        let limits = &limits(budget)["cheapest"]["of"]["limits"];
        assert_eq!([&limits["nodes"], &limits["edges"]].map(|rows| rows.as_u64().unwrap()), [24, 50], "{most}");
    }
    let found = limits("2000");
    let epoch = |found: &Value| {
        let rows = |set: &str| found["limits"][set].as_u64().unwrap();
        (found["packs"].as_u64().unwrap() * (rows("nodes") + rows("edges")), 10 * rows("nodes") + rows("edges"))
    };
    let cheapest = epoch(&found["cheapest"]["of"]).0;
    for row in found["pareto"].as_array().unwrap() {
        let (cost, memory) = epoch(row);
        assert!(memory > 2000 || cost >= cheapest, "{row}");
    }
    assert!(
        error(&["limits", "--histogram", &path, "--memory", "nodes=10,edges=1", "--budget", "289"])
            .contains("no limits that hold the largest graph need 289 or less")
    );
    let text = graphpack(&["limits", "--histogram", &path, "--graphs-per-batch", "20"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("best for 20 graphs per step, at most "), "{text}");
}

#[cfg(unix)]
#[test]
fn the_largest_shape_with_which_a_command_runs_is_searched() {
    let folder = TempDir::new().unwrap();
    let path = histogram(&folder, "20,40,3000\n10,22,3000\n");
    let edges = r#"edges=$(echo "$GRAPHPACK_SHAPE" | sed 's/.*"edges": \([0-9]*\),.*/\1/'); "#;
    let search = |device: &str, more: &[&str]| {
        let command = format!("{edges}{device}");
        graphpack(&[&["limits", "--histogram", &path, "--probe", &command], more].concat())
    };
    let full = "[ $edges -le 5000 ] || ";
    let devices = [
        "kill -9 $$",
        "{ sh -c 'kill -9 $$'; exit $?; }",
        "{ echo 'torch.OutOfMemoryError: CUDA out of memory.' >&2; exit 1; }",
    ];
    for device in devices.map(|fails| format!("{full}{fails}; echo step; echo $((edges * 1000))")) {
        let output = search(&device, &["--margin", "0", "--format", "json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let probe = &found["probe"];
        let [edges, graphs] = ["edges", "graphs"].map(|of| probe["shape"][of].as_u64().unwrap());
        assert!((4900..=5000).contains(&edges) && graphs > 150, "{found}");
        assert!((10..30).contains(&probe["steps"].as_u64().unwrap()), "{found}");
        let limits = probe["of"]["limits"]["edges"].as_u64().unwrap();
        assert!(limits.is_multiple_of(8) && limits <= edges && probe["out_of_memory"].as_u64().unwrap() > 1, "{found}");
        assert!(probe["of"]["efficiency"]["edges"].as_f64().unwrap() > 0.98, "{found}");
    }
    let text = String::from_utf8(search(&format!("{full}exit 137"), &[]).stdout).unwrap();
    let (_, found) = text.split_once("largest shape that runs, found in ").unwrap();
    let edges = found.split_once("\"edges\": ").unwrap().1.split_once(',').unwrap().0.parse::<u32>().unwrap();
    assert!((4600..=4750).contains(&edges) && found.contains("\nfullest within it, at most "), "{text}");
    let text = String::from_utf8(search("true", &[]).stdout).unwrap();
    assert!(
        text.contains("no step ran out of memory: the largest shape that was tried holds all 6000 graphs"),
        "{text}"
    );
    let traceback = |error: &str| {
        let lines =
            ["out of memory handler installed", "Traceback (most recent call last):", "  raise MemoryError", error];
        format!("printf '{}' >&2; exit 1", lines.join("\\n"))
    };
    for (device, expected) in [
        ("echo 'KeyError: weights' >&2; exit 3", "found exit status: 3\nKeyError: weights"),
        (&traceback("RuntimeError: shapes differ"), "found exit status: 1\nout of memory handler"),
        (
            &traceback("RuntimeError: CUDA error: out of memory\\nCompile with\\nTORCH_USE\\nCUDA_DSA"),
            "that holds every graph",
        ),
        ("printf 'out of memory handler installed\\n1\\n2\\nerror' >&2; exit 1", "found exit status: 1\nout of memory"),
        ("echo 'Killed by the driver' >&2; kill -9 $$", "that holds every graph\nKilled by the driver"),
    ] {
        let output = search(device, &[]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains(expected), "{message}");
    }
    for (options, expected) in [
        (&["--margin", "0.1"][..], "--margin has no effect without --probe"),
        (&["--probe", "true", "--margin", "1"], "expected a share from 0 to less than 1, found \"1\""),
        (&["--probe", "true", "--max-nodes", "200"], "'--probe <CMD>' cannot be used with '--max-nodes <N>'"),
    ] {
        let output = graphpack(&[&["limits", "--histogram", &path], options].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}
