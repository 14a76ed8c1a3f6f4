//! The results of `gpu_bench measure` and of the peers as one table.

use super::Outcome;
use serde_json::Value;
use std::path::PathBuf;

/// One table of all measurements, in Markdown.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files with a result in JSON on each line
    results: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = Vec::new();
    for path in &args.results {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (number, line) in text.lines().enumerate() {
            let row: Value = serde_json::from_str(line)
                .map_err(|error| format!("{}, line {}: {error}", path.display(), number + 1))?;
            if row.get("seconds_per_epoch").is_some() {
                rows.push(row);
            }
        }
    }
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let number = |row: &Value, key: &str| row[key].as_f64();
    rows.sort_by_key(|row| (text(row, "task"), row["batch_graphs"].as_u64()));
    println!(
        "| network and data | graphs per batch | loader | s per epoch | step, ms | waiting | loading hidden | graphs/s | of the fastest peer |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in &rows {
        let same = |other: &&Value| other["task"] == row["task"] && other["batch_graphs"] == row["batch_graphs"];
        let peers = rows.iter().filter(same).filter(|other| !text(other, "loader").starts_with("graphpack"));
        let peer = peers.filter_map(|other| number(other, "graphs_per_second")).fold(0.0, f64::max);
        let show = |key: &str, digits: usize, factor: f64| {
            number(row, key).map_or("-".into(), |value| format!("{:.digits$}", value * factor))
        };
        let ratio = number(row, "graphs_per_second").filter(|_| peer > 0.0);
        println!(
            "| {} | {} | {} | {} | {} | {} % | {} % | {} | {} |",
            text(row, "task"),
            row["batch_graphs"],
            text(row, "loader"),
            show("seconds_per_epoch", 3, 1.0),
            show("step_ms", 3, 1.0),
            show("wait_share", 1, 100.0),
            show("loading_hidden", 0, 100.0),
            show("graphs_per_second", 0, 1.0),
            ratio.map_or("-".into(), |speed| format!("{:.1} x", speed / peer)),
        );
    }
    Ok(())
}
