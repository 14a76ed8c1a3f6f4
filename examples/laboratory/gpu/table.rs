//! The results of all stages of `run.sh` as one table in Markdown.

use super::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prints what was measured on a device, in Markdown. Of what was done twice, the later result counts. The exit status
/// is 1 if a stage failed; the table is printed all the same.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files with one result in JSON per line
    results: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let (mut stages, mut measured) = (BTreeMap::new(), BTreeMap::new());
    let mut peers = None;
    for path in &args.results {
        for row in rows(path)? {
            if row.get("stage").is_some() {
                stages.insert(text(&row, "stage"), row);
            } else if row.get("task").is_some() {
                measured.insert((text(&row, "task"), row["batch_graphs"].as_u64(), text(&row, "loader")), row);
            } else if row.get("torch_geometric").is_some() {
                peers = Some(row);
            }
        }
    }
    if stages.is_empty() && measured.is_empty() {
        return Err("there are no results".into());
    }
    let failed = about_stages(&stages);
    if let Some(row) = peers {
        println!("- PyTorch Geometric {} with torch {}", text(&row, "torch_geometric"), text(&row, "torch"));
    }
    if !measured.is_empty() {
        about_times(&measured.into_values().collect::<Vec<_>>());
    }
    if failed == 0 { Ok(()) } else { Err(format!("stages that failed: {failed}").into()) }
}

/// The rows of a file. A row that was cut off, for example by a time limit, is left out.
fn rows(path: &Path) -> Outcome<Vec<Value>> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let row = |(number, line): (usize, &str)| match serde_json::from_str(line) {
        Ok(row) => Some(row),
        Err(error) => {
            eprintln!("gpu_bench table: {}, line {} left out: {error}", path.display(), number + 1);
            None
        }
    };
    Ok(text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).filter_map(row).collect())
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or("-").to_owned()
}

fn number(row: &Value, key: &str) -> Option<f64> {
    row[key].as_f64()
}

/// Prints the stages that did not end well; returns how many of them failed.
fn about_stages(stages: &BTreeMap<String, Value>) -> usize {
    let mut failed = 0;
    for (stage, row) in stages {
        let how = match (row["note"].as_str(), row["status"].as_i64()) {
            (Some(note), _) => {
                println!("- stage {stage}: {note}");
                continue;
            }
            (None, Some(0)) => continue,
            (None, Some(124 | 137)) => "out of time".into(),
            (None, Some(status)) => format!("failed, exit status {status}"),
            (None, None) => "its end is unknown".into(),
        };
        println!("- **stage {stage}: {how}**");
        failed += 1;
    }
    failed
}

/// Text in one line, short enough for a table.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    line.chars().take(300).collect()
}

fn about_times(rows: &[Value]) {
    println!(
        "\n| network and data | graphs per batch | loader | s per epoch | step, ms | waiting | loading hidden | graphs/s \
         | of the fastest peer |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let known = format!("| {} | {} | {} |", text(row, "task"), row["batch_graphs"], text(row, "loader"));
        if let Some(error) = row["error"].as_str() {
            println!("{known} error: {} | | | | | |", cell(error));
            continue;
        }
        let same = |other: &&Value| other["task"] == row["task"] && other["batch_graphs"] == row["batch_graphs"];
        let peers = rows.iter().filter(same).filter(|other| !text(other, "loader").starts_with("graphpack"));
        let peer = peers.filter_map(|other| number(other, "graphs_per_second")).fold(0.0, f64::max);
        let show = |key: &str, digits: usize| number(row, key).map_or("-".into(), |value| format!("{value:.digits$}"));
        let share = |key: &str, digits: usize| {
            number(row, key).map_or("-".into(), |value| format!("{:.digits$} %", 100.0 * value))
        };
        let ratio = number(row, "graphs_per_second").filter(|_| peer > 0.0);
        println!(
            "{known} {} | {} | {} | {} | {} | {} |",
            show("seconds_per_epoch", 3),
            show("step_ms", 3),
            share("wait_share", 1),
            share("loading_hidden", 0),
            show("graphs_per_second", 0),
            ratio.map_or("-".into(), |speed| format!("{:.1} x", speed / peer)),
        );
    }
}
