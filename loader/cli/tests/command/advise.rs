//! `graphpack advise`: the way of batching that trains fastest.

use super::graphpack;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// Graphs of 2 to 40 nodes, edges about twice as many.
fn sizes(folder: &TempDir) -> String {
    let path = folder.path().join("sizes.csv");
    let rows = (2..=40).map(|nodes| format!("{nodes},{},{}\n", 2 * nodes + nodes % 5, 41 - nodes));
    fs::write(&path, format!("num_nodes,num_edges,count\n{}", rows.collect::<String>())).unwrap();
    path.to_str().unwrap().to_owned()
}

fn advised(sizes: &str, arguments: &[&str]) -> Value {
    let output = graphpack(&[&["advise", "--histogram", sizes, "--format", "json"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_compilation_costs_decides_between_one_shape_and_several() {
    let folder = TempDir::new().unwrap();
    let sizes = sizes(&folder);
    let arguments = ["--model-cost", "nodes=0.01,edges=0.01", "--batching", "dynamic,static-64", "--batch-sizes", "16"];
    let named = |compile: &str| {
        let advice = advised(&sizes, &[&arguments[..], &["--compile-seconds", compile]].concat());
        let seconds = |way: usize| advice["ways"][way]["seconds"].as_f64().unwrap();
        assert!(seconds(0) <= seconds(1) && advice["cost"]["compile_ms"] == 1e3 * compile.parse::<f64>().unwrap());
        advice["ways"][0]["batching"].as_str().unwrap().to_owned()
    };
    assert_eq!([named("0"), named("100")], ["static-64", "dynamic"]);
}

#[test]
fn shapes_are_printed_timed_and_read_back() {
    let folder = TempDir::new().unwrap();
    let sizes = sizes(&folder);
    let output = graphpack(&["advise", "--histogram", &sizes, "--probe", "20"]);
    let probe = String::from_utf8(output.stdout).unwrap();
    let mut lines = probe.lines();
    assert_eq!((lines.next(), probe.lines().count()), (Some("nodes,edges,graphs,milliseconds"), 21));
    // Two steps of each shape, the first of which compiles.
    let mut timings = String::from("nodes,edges,graphs,milliseconds\n");
    for line in lines {
        let rows: Vec<f64> = line.split(',').take(2).map(|rows| rows.parse().unwrap()).collect();
        let step = 0.5 + 0.02 * rows[0] + 0.003 * rows[1];
        timings += &format!("{line}{}\n{line}{step}\n", step + 1500.0);
    }
    let path = folder.path().join("timings.csv");
    fs::write(&path, timings).unwrap();
    let path = path.to_str().unwrap();
    let said = graphpack(&["advise", "--histogram", &sizes, "--timings", path]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("times of 20 shapes are fitted to 0.0 % on average, 0.0 % at most"), "{said}");
    let advice = advised(&sizes, &["--timings", path]);
    let found = |key: &str| advice["cost"][key].as_f64().unwrap();
    let rows = ["nodes", "edges"].map(|set| advice["cost"]["rows_ms"][set].as_f64().unwrap());
    for (found, expected) in
        [found("step_ms"), found("compile_ms"), rows[0], rows[1]].iter().zip([0.5, 1500.0, 0.02, 0.003])
    {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
    assert_eq!(advice["ways"].as_array().unwrap().len(), 24);
    // A shape with one row: nobody knows what of it is compilation.
    fs::write(path, fs::read_to_string(path).unwrap() + "385,768,17,2003.5\n").unwrap();
    let said = String::from_utf8(graphpack(&["advise", "--histogram", &sizes, "--timings", path]).stderr).unwrap();
    assert!(said.contains("--timings: 1 shapes with one row are left out"), "{said}");
    assert_eq!(advised(&sizes, &["--timings", path])["ways"], advice["ways"]);
}

#[test]
fn ways_beyond_the_memory_are_set_apart_and_mistakes_are_named() {
    let folder = TempDir::new().unwrap();
    let sizes = sizes(&folder);
    let cost = ["--model-cost", "edges=1", "--compile-seconds", "0"];
    let memory = ["--memory", "nodes=100,edges=10", "--budget", "100000"];
    let advice = advised(&sizes, &[&cost[..], &memory].concat());
    let needed = |ways: &str| -> Vec<f64> {
        advice[ways].as_array().unwrap().iter().map(|way| way["memory"].as_f64().unwrap()).collect()
    };
    assert!(!needed("ways").is_empty() && needed("ways").iter().all(|memory| *memory <= 100_000.0));
    assert!(!needed("too_large").is_empty() && needed("too_large").iter().all(|memory| *memory > 100_000.0));

    let path = folder.path().join("timings.csv");
    let path = path.to_str().unwrap();
    for (text, message) in [
        ("nodes,graphs\n", "line 1: expected the header nodes,edges,graphs,milliseconds"),
        ("nodes,edges,graphs,milliseconds\n1,2,3\n", "line 2: expected 4 numbers, found 3"),
        ("nodes,edges,graphs,milliseconds\n1,2,3,-1\n", "line 2: expected milliseconds above 0"),
        ("nodes,edges,graphs,milliseconds\n1,-2,3,1\n", "line 2: expected whole numbers"),
        ("nodes,edges,graphs,milliseconds\n1,2,3,1\n", "expected times of at least 3 shapes, found 1"),
        (
            "nodes,edges,graphs,milliseconds\n100,200,3,5\n200,400,3,6\n400,800,3,8\n400,800,3,8\n",
            "expected shapes that tell what a row of edges costs apart from the others",
        ),
        (
            "nodes,edges,graphs,milliseconds\n1,2,3,1\n2,2,3,1\n4,6,3,1\n",
            "expected two rows of a shape, of which the first is the step that compiles, found one of each; --compile-seconds",
        ),
    ] {
        fs::write(path, text).unwrap();
        let output = graphpack(&["advise", "--histogram", &sizes, "--timings", path]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(message), "{error}");
    }
    // A step of a shape that is compiled anew may take minutes, so that nothing is assumed.
    let output = graphpack(&["advise", "--histogram", &sizes, "--model-cost", "edges=1"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("--model-cost has no effect without --compile-seconds"));
    let output = graphpack(&["advise", "--histogram", &sizes, "--model-cost", "triplets=1", "--compile-seconds", "0"]);
    assert!(!output.status.success() && String::from_utf8(output.stderr).unwrap().contains("triplets"));
}

#[test]
fn no_graphs_and_costs_of_nothing_or_too_much_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("h.csv");
    let advise = |rows: &str, cost: &str| {
        fs::write(&path, format!("num_nodes,num_edges,count\n{rows}")).unwrap();
        let cost = ["--model-cost", cost, "--compile-seconds", "0", "--batch-sizes", "2", "--batching", "dynamic"];
        let output = graphpack(&[&["advise", "--histogram", path.to_str().unwrap()][..], &cost].concat());
        assert!(!output.status.success() && output.stdout.is_empty(), "{rows:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(advise("", "nodes=1").contains("expected graphs to batch, found none"));
    assert!(advise("3,3,0\n", "nodes=1").contains("expected graphs to batch, found none"));
    let message = advise("3,3,9\n", "nodes=0,step=0");
    assert!(message.contains("--model-cost: expected milliseconds above 0, found 0"), "{message}");
    let message = advise("3,3,9\n", "nodes=1e308");
    assert!(message.contains("expected a training of finite length, found inf s"), "{message}");
}
