//! `cargo xtask lab devices`: what fixed shapes are worth to burn on a device, as a row per epoch in a csv file and a
//! table.

use crate::compare::files::{append, text};
use laboratory::statistics::{mean_and_interval, shown};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::run::{Outcome, cargo, root, step, target};

/// Devices that the program is built for, the slowest last.
const DEVICES: [&str; 2] = ["flex", "wgpu"];
/// Ways of batching; others are compared with the first.
const WAYS: [&str; 5] = ["packed", "dynamic", "static-64", "unpadded", "dataloader"];
/// Runs of each device and way.
const SITTINGS: [&str; 3] = ["1", "2", "3"];
/// What is trained, and on how much; a processor plays the device.
const SIZES: [&str; 10] =
    ["--graphs", "1000", "--batch-graphs", "32", "--layers", "3", "--hidden", "32", "--epochs", "5"];

/// Runs what the file does not have yet, and prints the table. Each run is a process: kernels that one has compiled,
/// the next has not.
pub(crate) fn run(options: &[String]) -> Outcome {
    let minutes: u64 = match options {
        [] => 60,
        [name, minutes] if name == "--minutes" => minutes.parse().map_err(|_| format!("--minutes: found {minutes}"))?,
        _ => return Err(format!("expected --minutes N (0 prints the table alone), found {options:?}")),
    };
    if minutes > 0 {
        let mut build = cargo(["build", "--quiet", "--release", "-p", "graphpack-devices"]);
        build.current_dir(root().join("loader/adapters")).env("CARGO_TARGET_DIR", target().join("adapters"));
        step("devices build", &mut build)?;
    }
    let path = root().join("docs/measurements/data/devices.csv");
    let mut rows = read(&path)?;
    let begun = Instant::now();
    let runs = SITTINGS.into_iter().flat_map(|sitting| DEVICES.map(|device| (sitting, device)));
    for run in runs.flat_map(|(sitting, device)| WAYS.map(|way| [device, way, sitting])) {
        if !rows.iter().any(|row| row[..3] == run) && begun.elapsed() < Duration::from_secs(minutes.saturating_mul(60))
        {
            let new = train(run)?;
            append(&path, &HEADER.join(","), new.iter().map(|row| row.join(",") + "\n"))?;
            rows.extend(new);
        }
    }
    print!("{}", table(&rows));
    Ok(())
}

/// Cells of a line of the file: device, way, sitting, and what the program prints.
type Row = Vec<String>;

const HEADER: [&str; 13] = [
    "device",
    "batches",
    "sitting",
    "epoch",
    "steps",
    "shapes",
    "node_slots",
    "edge_slots",
    "kernels",
    "tuned",
    "seconds",
    "wait_share",
    "loss",
];

fn read(path: &Path) -> Outcome<Vec<Row>> {
    let text = text(path)?.unwrap_or_default();
    let row = |(number, line): (usize, &str)| match line.split(',').map(String::from).collect::<Row>() {
        row if row.len() == HEADER.len() => Ok(row),
        _ => Err(format!("{}, line {}: expected {}", path.display(), number + 1, HEADER.join(","))),
    };
    text.lines().enumerate().skip(1).map(row).collect()
}

/// The rows of a training, one for each epoch.
fn train([device, way, sitting]: [&str; 3]) -> Outcome<Vec<Row>> {
    println!("== {device}, {way}, sitting {sitting}");
    let mut program = Command::new(target().join("adapters/release/graphpack-devices"));
    program.args(["--device", device, "--batches", way]).args(SIZES).stderr(Stdio::inherit());
    let output = program.output().map_err(|error| format!("cannot run {program:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("failed ({}): {program:?}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let row = |line: &str| [device, way, sitting].into_iter().chain(line.split(',')).map(String::from).collect();
    Ok(text.lines().skip(1).map(row).collect())
}

/// A table in Markdown, of the first and the last epoch of each run: means over sittings.
fn table(rows: &[Row]) -> String {
    let mut table = format!(
        "\n| device | batches | steps | shapes by the end of epoch 1, 5 | kernels compiled | tuned \
         | seconds to the end of epoch 1, 5 | of {}, 5 | seconds of an epoch, 2 to 5 | waiting |\n|{}\n",
        WAYS[0],
        "---|".repeat(10)
    );
    for device in DEVICES {
        // A column of the sittings that have it, at the end of an epoch.
        let sittings = |way: &str, epoch: &str, column: usize| -> BTreeMap<&str, f64> {
            let at = |row: &&Row| row[0] == device && row[1] == way && row[3] == epoch;
            rows.iter().filter(at).filter_map(|row| Some((&*row[2], row[column].parse().ok()?))).collect()
        };
        let numbers = |way: &str, epoch: &str, column| sittings(way, epoch, column).into_values().collect::<Vec<_>>();
        let mean = |numbers: &[f64], digits| shown(mean_and_interval(numbers), digits);
        let [first, last] = ["1", "5"];
        let packed = sittings(WAYS[0], last, 10);
        for way in WAYS {
            let [begun, ended] = [first, last].map(|epoch| sittings(way, epoch, 10));
            if ended.is_empty() {
                continue;
            }
            let counts = |column| [first, last].map(|epoch| range(&numbers(way, epoch, column))).join(", ");
            // Sittings may be on different machines.
            let beside = |other: &BTreeMap<&str, f64>, of: fn(f64, f64) -> f64| -> Vec<f64> {
                ended.iter().filter_map(|(sitting, seconds)| Some(of(*seconds, *other.get(sitting)?))).collect()
            };
            let waits: Vec<f64> = numbers(way, last, 11).iter().map(|share| 100.0 * share).collect();
            // Rows may lack it.
            let wait = if waits.is_empty() { String::new() } else { format!("{} %", mean(&waits, 1)) };
            table += &format!(
                "| {device} | {way} | {} | {} | {} | {} | {} | {} | {} | {wait} |\n",
                range(&numbers(way, last, 4)),
                counts(5),
                counts(8),
                counts(9),
                [first, last].map(|epoch| mean(&numbers(way, epoch, 10), 1)).join(", "),
                mean(&beside(&packed, |seconds, packed| seconds / packed), 2),
                mean(&beside(&begun, |ended, begun| (ended - begun) / 4.0), 2),
            );
        }
    }
    table
}

/// The least and the largest of some counts, or the one that all are.
fn range(counts: &[f64]) -> String {
    let [least, most] =
        [counts.iter().copied().fold(f64::NAN, f64::min), counts.iter().copied().fold(f64::NAN, f64::max)];
    if least == most { format!("{least}") } else { format!("{least}–{most}") }
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn ways_are_compared_within_each_sitting() {
        let row = |line: &str| line.split(',').map(String::from).collect::<Row>();
        let rows = [
            "wgpu,packed,1,1,31,1,9,9,137,23,6,0.01,0.5",
            "wgpu,packed,1,5,31,1,9,9,137,23,10,0.02,0.4",
            "wgpu,packed,2,1,31,1,9,9,136,23,12,0.01,0.5",
            "wgpu,packed,2,5,31,1,9,9,138,23,20,0.04,0.4",
            "wgpu,dynamic,1,1,32,1,9,9,139,23,4,,0.5",
            "wgpu,dynamic,1,5,32,2,9,9,139,23,20,,0.4",
            "wgpu,dynamic,2,1,32,1,9,9,139,23,6,,0.5",
            "wgpu,dynamic,2,5,32,2,9,9,139,23,10,,0.4",
            // Not in a sitting with packed batches.
            "wgpu,dynamic,3,1,32,1,9,9,139,23,6,,0.5",
            "wgpu,dynamic,3,5,32,2,9,9,139,23,30,,0.4",
        ];
        let table = table(&rows.map(row));
        let lines: Vec<&str> = table.lines().skip(3).collect();
        // The interval of two values is 12.71 times their standard error.
        let packed = "| wgpu | packed | 31 | 1, 1 | 136–137, 137–138 | 23, 23 | 9.0 ± 38.1, 15.0 ± 63.5 | 1.00 ± 0.00 \
                      | 1.50 ± 6.35 | 3.0 ± 12.7 % |";
        let dynamic = "| wgpu | dynamic | 32 | 1, 2 | 139, 139 | 23, 23 | 5.3 ± 2.9, 20.0 ± 24.8 | 1.25 ± 9.53 \
                       | 3.67 ± 6.25 |  |";
        assert_eq!(lines, [packed, dynamic]);
    }
}
