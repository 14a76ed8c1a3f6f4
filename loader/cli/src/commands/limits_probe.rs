//! `graphpack limits --probe`: the largest shape with which a command runs, and the fullest limits in it.

use crate::out_of_memory::says_out_of_memory;
use crate::output::{LimitsTable, PrintError, print, spinner};
use graphpack_core::search::{self, Candidate, Trials};
use graphpack_core::{Budget, Histogram, LeastPadding, Limits, PackError, Probe, Shape, Size};
use serde_json::{Value, json};
use std::error::Error;
use std::process::{Command, ExitStatus, Stdio};

/// Where the command finds the shape to try.
const VARIABLE: &str = "GRAPHPACK_SHAPE";
/// The most lines of the command's errors that are shown.
const LINES: usize = 30;
/// The last lines that may say why a command failed that is not Python: C++ and Rust may write one or two more.
const LAST: usize = 3;

#[derive(clap::Args)]
pub(crate) struct ProbeArgs {
    /// Also search the largest shape of a batch with which this command runs, and the fullest limits in it. A shell runs
    /// it for about 20 shapes, one after the other. It takes a step with a full batch of the shape that GRAPHPACK_SHAPE
    /// has, padding included: {"nodes": 2048, "edges": 4608, "graphs": 65}. It ran if its status is 0, and may print its
    /// peak of memory in bytes as the last line; one that is no whole number is ignored. It ran out of memory if it was
    /// killed by signal 9 or if its errors end by saying so: the error of Python's last traceback, without one the last
    /// three lines. Other errors end the search
    #[arg(long, value_name = "CMD", conflicts_with_all = ["max", "max_nodes", "max_edges", "max_graphs"])]
    probe: Option<String>,
    /// Share of the rows of the largest shape that is left free, less than 1; the search may leave 2 % more
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_margin)]
    margin: f64,
}

/// What a probe found.
pub(crate) struct Probed {
    shape: String,
    steps: usize,
    /// How many of the steps ran out of memory.
    failed: usize,
    fullest: Candidate,
}

impl ProbeArgs {
    /// Tries shapes, and searches limits that are multiples of a number or hold just the largest graph.
    pub(crate) fn run(
        &self,
        sets: &[String],
        histogram: &Histogram,
        multiple_of: u32,
    ) -> Result<Option<Probed>, Box<dyn Error>> {
        let Some(command) = &self.probe else { return Ok(None) };
        // Sizes do not say which sets need padding rows, nor of which padding: three rows of each are enough for all.
        let padding = LeastPadding { size: Size::of(sets.len(), |_| 3), graphs: 1 };
        let mut probe = Probe::new(histogram, &padding, self.margin);
        let spinner = spinner("trying shapes");
        let (mut errors, mut failed) = (String::new(), 0);
        while let Some(shape) = probe.next_shape() {
            let shape = named(sets, &shape);
            spinner.set_message(format!("{} shapes tried, trying {shape}", probe.steps()));
            match step(command, &shape)? {
                Step::Ran(peak) => probe.ran(peak),
                Step::OutOfMemory(said) => {
                    errors = said;
                    failed += 1;
                    probe.out_of_memory();
                }
            }
        }
        spinner.finish_and_clear();
        let shape = probe.largest().ok_or_else(|| {
            format!("--probe: the command runs out of memory with the smallest shape that holds every graph{errors}")
        })?;
        let usable = padding.usable(&shape);
        let multiples = Size::of(sets.len(), |set| usable.size[set] / multiple_of * multiple_of);
        let usable = Limits { size: multiples.max_each(&search::largest_graph(histogram).size), ..usable };
        let fullest = fullest_within(histogram, &usable, multiple_of)?;
        Ok(Some(Probed { shape: named(sets, &shape), steps: probe.steps(), failed, fullest }))
    }
}

impl Probed {
    /// For scripts.
    pub(crate) fn object(&self, table: &LimitsTable<'_>) -> Value {
        let shape: Value = serde_json::from_str(&self.shape).unwrap_or_default();
        json!({ "shape": shape, "steps": self.steps, "out_of_memory": self.failed, "of": table.object(&self.fullest) })
    }

    pub(crate) fn print(&self, table: &LimitsTable<'_>) -> Result<(), PrintError> {
        let Self { shape, steps, failed, fullest } = self;
        if *failed == 0 {
            let graphs = table.histogram.graphs();
            print(format_args!(
                "no step ran out of memory: the largest shape that was tried holds all {graphs} graphs"
            ))?;
        }
        print(format_args!("largest shape that runs, found in {steps} steps: {shape}"))?;
        print(format_args!("fullest within it, at most {} graphs per pack:", fullest.limits.graphs))?;
        table.line(fullest)
    }
}

/// A shape as `gp.Capacity.shape` takes it.
fn named(sets: &[String], shape: &Shape) -> String {
    let rows = sets.iter().map(|set| json!(set)).zip(shape.size.as_slice());
    let rows: String = rows.map(|(set, rows)| format!("{set}: {rows}, ")).collect();
    format!("{{{rows}\"graphs\": {}}}", shape.graphs)
}

enum Step {
    /// With the peak of memory, if it was printed.
    Ran(Option<u64>),
    /// With the errors.
    OutOfMemory(String),
}

/// Runs the command with a shape.
fn step(command: &str, shape: &str) -> Result<Step, String> {
    let [shell, flag] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let mut shell = Command::new(shell);
    shell.args([flag, command]).env(VARIABLE, shape).stdin(Stdio::null());
    let output = shell.output().map_err(|error| format!("--probe: no shell runs {command:?}: {error}"))?;
    if output.status.success() {
        let printed = String::from_utf8_lossy(&output.stdout);
        return Ok(Step::Ran(printed.lines().last().and_then(|line| line.trim().parse().ok())));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown: String = lines[lines.len().saturating_sub(LINES)..].iter().map(|line| format!("\n{line}")).collect();
    if is_killed(output.status) || says_out_of_memory(&last_error(&lines)) {
        return Ok(Step::OutOfMemory(shown));
    }
    Err(format!(
        "--probe: expected the command to run or to run out of memory with {shape}, found {}{shown}",
        output.status
    ))
}

/// The message of the last traceback of Python, or else the last lines; logs before may name memory for other reasons.
fn last_error(lines: &[&str]) -> String {
    let traceback = lines.iter().rposition(|line| line.contains("Traceback (most recent call last)"));
    let after = |first: usize| first + 1 + lines[first + 1..].iter().take_while(|line| line.starts_with(' ')).count();
    let message = traceback.map(after).filter(|&first| first < lines.len());
    lines[message.unwrap_or(lines.len().saturating_sub(LAST))..].join("\n")
}

/// Parses a share less than 1.
fn parse_margin(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to less than 1, found {text:?}"))
}

/// Whether signal 9 ended the command, or what a shell ran for it: what a system does that has no memory left.
fn is_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(9) {
        return true;
    }
    status.code() == Some(128 + 9)
}

/// Packs graphs by auto in the fullest of some limits within `usable`.
fn fullest_within(histogram: &Histogram, usable: &Limits, multiple_of: u32) -> Result<Candidate, PackError> {
    let graphs = Candidate::evaluate(histogram, *usable)?.graphs_per_step(histogram);
    let mut limits = vec![*usable];
    // Somewhat more than fit on average, where there are few packs.
    for percent in (94..=106).step_by(2) {
        limits.extend(search::around(histogram, f64::from(percent) / 100.0 * graphs, multiple_of));
    }
    limits.retain(|limits| limits.size.fits(&usable.size));
    limits.iter_mut().for_each(|limits| limits.graphs = limits.graphs.min(usable.graphs));
    let tried = Trials::for_fullest(histogram, &limits, graphs).run()?;
    let fullest = search::fullest(&tried, histogram, graphs).map_or(*usable, |found| found.limits);
    Candidate::optimise(histogram, fullest, Budget::default())
}
