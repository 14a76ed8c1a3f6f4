//! `cargo xtask lab worth`: trains with every way of batching, adds a row per epoch to a csv file, and prints tables of
//! it.

use super::report;
use super::task::{Cell, cells, sittings};
use super::{Row, Task};
use crate::compare::files;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use xtask::run::{Outcome, cargo, root, target};

/// Runs what the files do not have yet, and prints the tables.
pub(crate) fn run(options: &[String]) -> Outcome {
    let options = Options::of(options)?;
    let folder = root().join("docs/measurements/data");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let [learned, times] = ["worth.csv", "worth_times.csv"].map(|name| folder.join(name));
    let [mut learned_rows, mut time_rows] = [Row::read(&learned)?, Row::read(&times)?];
    match options.times {
        _ if options.minutes.is_zero() => (),
        0 => add(&options, cells(options.seeds), &learned, &mut learned_rows)?,
        count => add(&options, sittings(count), &times, &mut time_rows)?,
    }
    report::print(&learned_rows, &time_rows);
    Ok(())
}

/// Runs the cells that `rows` lack; the file gets the rows of each run at its end.
fn add(
    options: &Options,
    cells: impl Iterator<Item = (&'static Task, Cell)>,
    path: &Path,
    rows: &mut Vec<Row>,
) -> Outcome {
    xtask::run::run(&mut cargo([
        "build",
        "--quiet",
        "--release",
        "--features",
        "tch,all-formats",
        "--example",
        "train",
    ]))?;
    let train = || Command::new(target().join("release/examples/train"));
    let data = files::data();
    let begun = Instant::now();
    let missing = |(task, cell): &(&Task, Cell)| {
        !rows.iter().any(|row| row.run == [task.name, cell.way] && row.seed == cell.seed)
    };
    let left = cells.filter(missing).collect::<Vec<_>>();
    let (count, queue, found) = (left.len(), Mutex::new(left.into_iter().enumerate()), Mutex::new(rows));
    let next = || queue.lock().ok()?.next().filter(|_| begun.elapsed() < options.minutes);
    let work = || -> Outcome {
        while let Some((number, (task, cell))) = next() {
            let mut train = train();
            if options.jobs > 1 {
                train.env("OMP_NUM_THREADS", "1");
            }
            let epochs = if options.times > 0 { task.timed_epochs(cell.way) } else { task.epochs(cell.way) };
            let new = train_once(train.args(task.arguments(&data, cell, epochs)), task, cell)?;
            {
                // A run is kept also where another job has panicked.
                let mut rows = found.lock().unwrap_or_else(PoisonError::into_inner);
                Row::append(path, &new)?;
                rows.extend(new);
            }
            let Cell { way, seed } = cell;
            let (name, number, seconds) = (task.name, number + 1, begun.elapsed().as_secs());
            // Runs go on where nobody reads.
            let _ = writeln!(stdout(), "{number} of {count}, {seconds} s: {name}, {way}, seed {seed}");
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })
}

fn train_once(train: &mut Command, task: &Task, cell: Cell) -> Outcome<Vec<Row>> {
    let output = train.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run {train:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{train:?}: {}", output.status));
    }
    Row::of_run([task.name, cell.way], cell.seed, task.metric, &String::from_utf8_lossy(&output.stdout))
}

/// What is run: what is learned with so many seeds, or the times of so many sittings.
struct Options {
    seeds: u64,
    times: u64,
    /// Runs at a time; with more than one, each has one thread.
    jobs: u64,
    /// No run begins later than this.
    minutes: Duration,
}

impl Options {
    fn of(options: &[String]) -> Outcome<Self> {
        let mut this = Self { seeds: 5, times: 0, jobs: 1, minutes: Duration::from_secs(480 * 60) };
        let wrong = || {
            format!(
                "expected --seeds N, --times N, --jobs N or --minutes N (0 prints the tables alone), found {options:?}"
            )
        };
        for pair in options.chunks(2) {
            let [name, value] = pair else { return Err(wrong()) };
            let value: u64 = value.parse().map_err(|_| wrong())?;
            match &**name {
                "--seeds" => this.seeds = value,
                "--times" => this.times = value,
                "--jobs" => this.jobs = value.clamp(1, 64),
                "--minutes" => this.minutes = Duration::from_secs(value.saturating_mul(60)),
                _ => return Err(wrong()),
            }
        }
        if this.times > 0 && this.jobs > 1 {
            return Err(format!("--times: expected one run at a time, found --jobs {}", this.jobs));
        }
        Ok(this)
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn times_are_of_runs_that_have_the_machine_alone() {
        let options = |text: &str| Options::of(&text.split(' ').map(String::from).collect::<Vec<_>>());
        assert!(options("--seeds 3 --jobs 2").is_ok() && options("--times 3 --jobs 1").is_ok());
        assert!(options("--times 3 --jobs 2").is_err());
    }
}
