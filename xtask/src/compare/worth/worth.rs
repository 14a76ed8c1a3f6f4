//! `cargo xtask worth`: trains with every way of batching, adds a row per epoch to a csv file, and prints tables of it.

use super::report;
use super::task::{RATES, TASKS, WAYS};
use super::{Row, Task};
use crate::examples;
use crate::run::{Outcome, root};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs what the file does not have yet: all ways with one seed before the next seed.
pub(crate) fn run(options: &[String]) -> Outcome {
    let options = Options::of(options)?;
    let folder = root().join("docs/measurements/data");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join("worth.csv");
    let mut rows = Row::read(&path)?;
    if !options.minutes.is_zero() {
        let train = examples::build("train")?;
        let data = root().join(env::var_os("GRAPHPACK_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from));
        let begun = Instant::now();
        let cells = (0..options.seeds)
            .flat_map(|seed| {
                RATES.into_iter().flat_map(move |rates| WAYS.into_iter().map(move |way| (seed, rates, way)))
            })
            .flat_map(|cell| TASKS.iter().map(move |task| (task, cell)));
        for (task, (seed, rates, way)) in cells {
            let run = [task.name, way, rates];
            if rows.iter().any(|row| row.run == run && row.seed == seed) {
                continue;
            }
            if begun.elapsed() > options.minutes {
                println!("stopped after {} minutes; the same command goes on", options.minutes.as_secs() / 60);
                break;
            }
            let found = train_once(train(), task, (&task.arguments(&data, [way, rates], seed), run, seed))?;
            Row::append(&path, &found)?;
            println!("{}, {way}, rate {rates}, seed {seed}: {:.0} s", task.name, begun.elapsed().as_secs_f64());
            rows.extend(found);
        }
    }
    report::print(&rows);
    Ok(())
}

fn train_once(
    mut train: Command,
    task: &Task,
    (arguments, run, seed): (&[String], [&str; 3], u64),
) -> Outcome<Vec<Row>> {
    let output = train.args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run {train:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{train:?}: {}", output.status));
    }
    Row::of_run(run, seed, task.metric, &String::from_utf8_lossy(&output.stdout))
}

struct Options {
    seeds: u64,
    /// No run begins later than this.
    minutes: Duration,
}

impl Options {
    fn of(options: &[String]) -> Outcome<Self> {
        let mut this = Self { seeds: 5, minutes: Duration::from_secs(480 * 60) };
        let wrong = || format!("expected --seeds N, --minutes N (0 prints the tables alone), found {options:?}");
        for pair in options.chunks(2) {
            let [name, value] = pair else { return Err(wrong()) };
            let value: u64 = value.parse().map_err(|_| wrong())?;
            match &**name {
                "--seeds" => this.seeds = value,
                "--minutes" => this.minutes = Duration::from_secs(value.saturating_mul(60)),
                _ => return Err(wrong()),
            }
        }
        Ok(this)
    }
}
