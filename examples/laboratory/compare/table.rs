//! [`Table`]: measurements as Markdown.

use serde_json::Value;
use std::fs;
use std::thread::available_parallelism;

/// The names that scripts give to the peers with which the others are compared.
const GATHER: &str = "C gather, padded, i64, shuffled";
const PYG: &str = "pyg DataLoader";
/// The rows of the table of wall-clock times.
const NO_WORKER: &str = "graphpack, memory, int64";
const WORKERS: [&str; 2] = ["graphpack, memory, int64, 1 worker", "graphpack, memory, int64, 2 workers"];

/// The measurement of one way of making batches, for one workload and one batch size.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) what: String,
    pub(crate) batch_size: u64,
    pub(crate) measured: Measured,
}

/// Medians over epochs.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    /// Graphs per second of CPU time, of all threads of the process.
    pub(crate) per_cpu_second: f64,
    /// Graphs per second of wall-clock time.
    pub(crate) per_second: f64,
    /// Milliseconds of wall-clock time.
    pub(crate) ms_per_batch: f64,
}

/// Rows in the order of measuring.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    versions: Vec<String>,
    failed: Vec<String>,
}

impl Table {
    /// Notes that something could not be measured.
    pub(crate) fn failed(&mut self, message: String) {
        eprintln!("{message}");
        self.failed.push(message);
    }

    /// Notes the versions that a script prints.
    pub(crate) fn versions(&mut self, found: &Value) {
        let versions =
            found.as_object().into_iter().flatten().filter_map(|(name, version)| Some((name, version.as_str()?)));
        for (name, version) in versions.filter(|(name, _)| *name != "what") {
            let version = format!("{name} {version}");
            if !self.versions.contains(&version) {
                self.versions.push(version);
            }
        }
    }

    /// Prints two tables per workload: CPU time of all, and wall-clock time with workers.
    pub(crate) fn print(&self) {
        println!("{}", [&[machine()], &self.versions[..]].concat().join(", "));
        for workload in distinct(self.rows.iter().map(|row| row.workload.as_str())) {
            let at = |what: &str, size| {
                let row =
                    self.rows.iter().find(|row| row.workload == workload && row.what == what && row.batch_size == size);
                row.map(|row| row.measured)
            };
            let cpu = |what: &str, size| at(what, size).map(|measured| measured.per_cpu_second);
            let ratio = |what: &str, peer: &str| Some(cpu(what, 128)? / cpu(peer, 128)?);
            println!(
                "\n| {workload} | graphs per CPU-second, batch size 128 | 32 | ms per batch, 128 | of C gather | of PyG |"
            );
            println!("|---|---|---|---|---|---|");
            let names = self.rows.iter().filter(|row| row.workload == workload);
            for what in distinct(names.map(|row| row.what.as_str())) {
                let ms = at(what, 128).map(|measured| measured.ms_per_batch);
                let (rates, ratios) =
                    ([128, 32].map(|size| cpu(what, size)), [GATHER, PYG].map(|peer| ratio(what, peer)));
                println!(
                    "| {what} | {} | {} | {} | {} | {} |",
                    thousands(rates[0]),
                    thousands(rates[1]),
                    cell(ms, 3),
                    cell(ratios[0], 2),
                    cell(ratios[1], 1)
                );
            }
            self.failed.iter().for_each(|message| println!("| {message} | | | | | |"));
            println!("\n| {workload} | graphs per second, batch size 128 | 32 | of 1 worker, 128 | 32 |");
            println!("|---|---|---|---|---|");
            for what in [NO_WORKER, WORKERS[0], WORKERS[1]] {
                let rates = [128, 32].map(|size| Some(at(what, size)?.per_second));
                let speedups =
                    [128, 32].map(|size| Some(at(what, size)?.per_second / at(WORKERS[0], size)?.per_second));
                let [large, small] = rates.map(thousands);
                println!("| {what} | {large} | {small} | {} | {} |", cell(speedups[0], 2), cell(speedups[1], 2));
            }
        }
    }
}

/// The names without repeats, in their order.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Formats thousands of graphs per second; empty if there is no number.
fn thousands(rate: Option<f64>) -> String {
    rate.map_or_else(String::new, |rate| format!("{:.0} k", rate / 1e3))
}

/// Formats a number; empty if there is none.
fn cell(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(String::new, |number| format!("{number:.digits$}"))
}

/// The machine, as far as the system describes it.
fn machine() -> String {
    let cores = available_parallelism().map_or_else(|_| "?".to_owned(), |cores| cores.to_string());
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!("{cores} cores, {}, load at the end {load}", cpu.unwrap_or("unknown CPU"))
}
