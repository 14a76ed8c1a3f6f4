//! The tables: what training took, and whether the ways differ in what was learned.

use super::statistics::{holm, mean_and_interval, welch};
use super::task::{RATES, TASKS, WAYS};
use super::{Row, Task};
use std::collections::BTreeMap;

/// The way that others are compared with in time, and that in what was learned.
const FULL: &str = "auto";
const RANDOM: &str = "dynamic";

/// Prints the tables of all tasks and rates of which there are rows.
pub(super) fn print(rows: &[Row]) {
    for task in &TASKS {
        for rates in RATES {
            let runs: Vec<(&str, Vec<Run<'_>>)> =
                WAYS.iter().map(|&way| (way, runs(rows, [task.name, way, rates]))).collect();
            if runs.iter().any(|(_, runs)| !runs.is_empty()) {
                println!("\n{}, learning rate {rates}\n", task.name);
                times(task, &runs);
                println!();
                learned(task, &runs);
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

/// What an epoch and the levels took.
fn times(task: &Task, all: &[(&str, Vec<Run<'_>>)]) {
    let [one, two] = task.levels;
    println!(
        "| way | runs | steps | node slots | edge slots | shapes | slots by {FULL}'s | seconds per epoch | by {FULL}'s \
         | epochs, seconds to {one} | to {two} | wait | MB |\n|{}",
        "---|".repeat(13)
    );
    // The first epoch also warms up, but may be the only one.
    let per_epoch = |runs: &[Run<'_>]| -> Vec<f64> {
        let mean = |run: &Run<'_>| run.iter().map(|row| row.seconds).sum::<f64>() / run.len() as f64;
        runs.iter().map(mean).collect()
    };
    let slots = |run: &Run<'_>| (run[0].counts[1] + run[0].counts[2]) as f64;
    let full = all.iter().find(|(way, runs)| *way == FULL && !runs.is_empty());
    let full = full.map(|(_, runs)| (slots(&runs[0]), mean_and_interval(&per_epoch(runs)).0));
    for (way, runs) in all.iter().filter(|(_, runs)| !runs.is_empty()) {
        let [steps, nodes, edges, _] = runs[0][0].counts;
        let shapes = runs.iter().flatten().map(|row| row.counts[3]).max().unwrap_or(0);
        let seconds = mean_and_interval(&per_epoch(runs));
        let [slots, took] = [slots(&runs[0]), seconds.0];
        let beside = full.map_or([String::new(), String::new()], |(all, of_full)| {
            [slots / all, took / of_full].map(|ratio| format!("{ratio:.2}"))
        });
        let [first, second] = task.levels.map(|level| reached(task, runs, level));
        let wait = 100.0 * runs.iter().flatten().map(|row| row.wait_share).sum::<f64>();
        let wait = wait / runs.iter().flatten().count() as f64;
        let most = runs.iter().flatten().map(|row| row.megabytes).max().unwrap_or(0);
        println!(
            "| {way} | {} | {steps} | {nodes} | {edges} | {shapes} | {} | {} | {} | {first} | {second} | {wait:.1} % \
             | {most} |",
            runs.len(),
            beside[0],
            shown(seconds, 1),
            beside[1],
        );
    }
}

/// Epochs and seconds of training until the best score so far is at a level, over the runs that reach it.
fn reached(task: &Task, runs: &[Run<'_>], level: f64) -> String {
    let enough = |score: f64| if task.rising { score >= level } else { score <= level };
    let ends = runs.iter().filter_map(|run| {
        let end = run.iter().position(|row| enough(row.scores[0]))?;
        Some(((end + 1) as f64, run[..=end].iter().map(|row| row.seconds).sum::<f64>()))
    });
    let (epochs, seconds): (Vec<f64>, Vec<f64>) = ends.unzip();
    if epochs.is_empty() {
        return format!("none of {}", runs.len());
    }
    let missed =
        if epochs.len() < runs.len() { format!(" ({} of {})", epochs.len(), runs.len()) } else { String::new() };
    format!("{}; {} s{missed}", shown(mean_and_interval(&epochs), 1), shown(mean_and_interval(&seconds), 0))
}

/// The scores of the validation graphs at four points on the way and of the test graphs at the end, with p-values of
/// Welch's test against random batches, corrected for all ways and points (Holm).
fn learned(task: &Task, all: &[(&str, Vec<Run<'_>>)]) {
    let points = [1, 2, 3, 4].map(|quarter| (task.epochs as usize * quarter).div_ceil(4) - 1);
    let scores = |runs: &[Run<'_>]| -> Vec<Vec<f64>> {
        let at = |place: usize, of: usize| runs.iter().filter_map(|run| Some(run.get(place)?.scores[of])).collect();
        points.iter().map(|&point| at(point, 0)).chain([at(points[3], 1)]).collect()
    };
    let all: Vec<(&str, Vec<Vec<f64>>)> = all.iter().map(|(way, runs)| (*way, scores(runs))).collect();
    let random = all.iter().find(|(way, _)| *way == RANDOM).map_or(Vec::new(), |(_, scores)| scores.clone());
    let tests = all.iter().enumerate().filter(|(_, (way, _))| *way != RANDOM).flat_map(|(place, (_, scores))| {
        let tested = scores.iter().zip(&random).enumerate();
        tested.filter_map(move |(point, (one, other))| Some(((place, point), welch(one, other)?)))
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

/// A mean with half of its interval, if that is known.
fn shown((mean, half): (f64, Option<f64>), digits: usize) -> String {
    match half.filter(|half| half.is_finite()) {
        Some(half) => format!("{mean:.digits$} ± {half:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}
