//! The tables: what training took, and whether the ways differ in what was learned.

use super::task::{RATES, TASKS, WAYS};
use super::{Row, Task};
use crate::compare::shown::shown;
use example_statistics::{holm, mean_and_interval, welch};
use std::collections::BTreeMap;

/// The way that others are compared with.
const RANDOM: &str = "dynamic";

/// Prints the tables of all tasks and rates of which there are rows. What an epoch takes is in `times`: `learned` may
/// come from runs beside others.
pub(super) fn print(learned: &[Row], times: &[Row]) {
    for task in &TASKS {
        if times.iter().any(|row| row.run[0] == task.name) {
            println!("\n{}\n", task.name);
            epochs(task, times);
        }
        for rates in RATES {
            let runs: Vec<(&str, Vec<Run<'_>>)> =
                WAYS.iter().map(|&way| (way, runs(learned, [task.name, way, rates]))).collect();
            if runs.iter().any(|(_, runs)| !runs.is_empty()) {
                println!("\n{}, learning rate {rates}\n", task.name);
                levels(task, &runs, times);
                println!();
                scores(task, &runs);
            }
        }
    }
}

/// The epochs of one run, in their order.
type Run<'a> = Vec<&'a Row>;

fn runs<'a>(rows: &'a [Row], run: [&str; 3]) -> Vec<Run<'a>> {
    let mut by_seed: BTreeMap<u64, Run<'a>> = BTreeMap::new();
    rows.iter().filter(|row| row.run == run).for_each(|row| by_seed.entry(row.seed).or_default().push(row));
    by_seed.into_values().collect()
}

/// Seconds of an epoch, by sitting.
fn sittings(task: &Task, way: &str, times: &[Row]) -> BTreeMap<u64, f64> {
    let mean = |run: &Run<'_>| run.iter().map(|row| row.seconds).sum::<f64>() / run.len() as f64;
    runs(times, [task.name, way, RATES[0]]).iter().map(|run| (run[0].seed, mean(run))).collect()
}

fn seconds(task: &Task, way: &str, times: &[Row]) -> Vec<f64> {
    sittings(task, way, times).into_values().collect()
}

/// Seconds of an epoch by those of [`RANDOM`] in the same sitting: sittings may be on different machines.
fn ratios(task: &Task, way: &str, times: &[Row]) -> Vec<f64> {
    let random = sittings(task, RANDOM, times);
    let ratio = |(sitting, seconds): (u64, f64)| Some(seconds / random.get(&sitting)?);
    sittings(task, way, times).into_iter().filter_map(ratio).collect()
}

/// What an epoch takes.
fn epochs(task: &Task, times: &[Row]) {
    println!(
        "| way | steps | node slots | edge slots | shapes | slots by {RANDOM}'s | sittings | seconds | by {RANDOM}'s | wait | MB |\n|{}",
        "---|".repeat(11)
    );
    let slots = |run: &Run<'_>| (run[0].counts[1] + run[0].counts[2]) as f64;
    let random = runs(times, [task.name, RANDOM, RATES[0]]).first().map(slots);
    for way in WAYS {
        let runs = runs(times, [task.name, way, RATES[0]]);
        let Some(first) = runs.first() else { continue };
        let [steps, nodes, edges, _] = first[0].counts;
        let rows = || runs.iter().flatten();
        let shapes = rows().map(|row| row.counts[3]).max().unwrap_or(0);
        let took = mean_and_interval(&seconds(task, way, times));
        let by_slots = random.map_or(String::new(), |of_random| format!("{:.2}", slots(first) / of_random));
        let ratios = ratios(task, way, times);
        let by_seconds = if ratios.is_empty() { String::new() } else { shown(mean_and_interval(&ratios), 2) };
        let wait = 100.0 * rows().map(|row| row.wait_share).sum::<f64>() / rows().count() as f64;
        let most = rows().map(|row| row.megabytes).max().unwrap_or(0);
        println!(
            "| {way} | {steps} | {nodes} | {edges} | {shapes} | {} | {} | {} | {} | {wait:.1} % | {most} |",
            by_slots,
            runs.len(),
            shown(took, 1),
            by_seconds,
        );
    }
}

/// Epochs until the best score so far is at a level, over the runs that reach it, and the seconds that these take.
fn levels(task: &Task, all: &[(&str, Vec<Run<'_>>)], times: &[Row]) {
    let [one, two] = task.levels;
    println!(
        "| way | runs | epochs to {one} | seconds | epochs to {two} | seconds | best of validation | variance between \
         batches |\n|{}",
        "---|".repeat(8)
    );
    for (way, runs) in all.iter().filter(|(_, runs)| !runs.is_empty()) {
        let seconds = mean_and_interval(&seconds(task, way, times)).0;
        let reached = task.levels.map(|level| {
            let enough = |row: &&Row| if task.rising { row.scores[0] >= level } else { row.scores[0] <= level };
            let epochs: Vec<f64> =
                runs.iter().filter_map(|run| Some((run.iter().position(enough)? + 1) as f64)).collect();
            let missed = match epochs.len() {
                0 => return format!("none of {} | ", runs.len()),
                all if all == runs.len() => String::new(),
                some => format!(" ({some} of {})", runs.len()),
            };
            let (mean, half) = mean_and_interval(&epochs);
            let took = if seconds.is_nan() {
                String::new()
            } else {
                shown((mean * seconds, half.map(|half| half * seconds)), 0)
            };
            format!("{}{missed} | {took}", shown((mean, half), 1))
        });
        let best = |run: &Run<'_>| {
            let scores = run.iter().map(|row| row.scores[0]);
            if task.rising { scores.fold(f64::NAN, f64::max) } else { scores.fold(f64::NAN, f64::min) }
        };
        let best = mean_and_interval(&runs.iter().map(best).collect::<Vec<_>>());
        let between: Vec<f64> = runs.iter().map(|run| run[0].between_batches).filter(|found| !found.is_nan()).collect();
        let between = if between.is_empty() { String::new() } else { shown(mean_and_interval(&between), 3) };
        println!("| {way} | {} | {} | {} | {} | {between} |", runs.len(), reached[0], reached[1], shown(best, 3));
    }
}

/// The scores of the validation graphs at four points on the way and of the test graphs at the end, with p-values of
/// Welch's test against random batches, corrected for all ways and points (Holm).
fn scores(task: &Task, all: &[(&str, Vec<Run<'_>>)]) {
    let points = [1, 2, 3, 4].map(|quarter| (task.epochs as usize * quarter).div_ceil(4) - 1);
    let at_points = |runs: &[Run<'_>]| -> Vec<Vec<f64>> {
        let at = |place: usize, of: usize| runs.iter().filter_map(|run| Some(run.get(place)?.scores[of])).collect();
        points.iter().map(|&point| at(point, 0)).chain([at(points[3], 1)]).collect()
    };
    let all: Vec<(&str, Vec<Vec<f64>>)> = all.iter().map(|(way, runs)| (*way, at_points(runs))).collect();
    let random = all.iter().find(|(way, _)| *way == RANDOM).map_or(Vec::new(), |(_, scores)| scores.clone());
    let tests = all.iter().enumerate().filter(|(_, (way, _))| *way != RANDOM).flat_map(|(place, (_, scores))| {
        let tested = scores.iter().zip(&random).enumerate();
        tested.filter_map(move |(point, (one, other))| Some(((place, point), welch(one, other)?.p)))
    });
    let (places, p): (Vec<_>, Vec<_>) = tests.unzip();
    let p: BTreeMap<_, _> = places.into_iter().zip(holm(&p)).collect();
    let names = points.map(|point| format!("valid, epoch {}", point + 1)).join(" | ");
    println!("| way, {} (p beside {RANDOM}) | {names} | test |\n|{}", task.metric, "---|".repeat(6));
    for (place, (way, scores)) in all.iter().enumerate().filter(|(_, (_, scores))| !scores[0].is_empty()) {
        let cells = scores.iter().enumerate().map(|(point, scores)| {
            let p = p.get(&(place, point)).map_or(String::new(), |p| format!(" (p {p:.3})"));
            if scores.is_empty() { String::new() } else { format!("{}{p}", shown(mean_and_interval(scores), 3)) }
        });
        println!("| {way} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}
