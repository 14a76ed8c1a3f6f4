//! The tables: what training took, and whether the ways differ in what was learned.

use super::task::{RATES, TASKS, WAYS};
use super::{Row, Task};
use laboratory::statistics::{holm, mean_and_interval, shown, welch};
use std::collections::BTreeMap;

/// The way that others are compared with.
const RANDOM: &str = "dynamic";

/// p-values before correction that are printed.
const SHOWN: usize = 3;

/// Prints the tables of all tasks and rates of which there are rows. What an epoch takes is in `times`: `learned` may
/// come from runs beside others.
pub(super) fn print(learned: &[Row], times: &[Row]) {
    for task in &TASKS {
        if times.iter().any(|row| row.run[0] == task.name) {
            println!("\n{}\n\n{}", task.name, epochs(task, times));
        }
        for rates in RATES {
            if learned.iter().any(|row| row.run[0] == task.name && row.run[2] == rates) {
                let runs: Vec<_> = WAYS.iter().map(|&way| (way, at_rates(learned, [task.name, way, rates]))).collect();
                let tables = [levels(task, &runs, times), scores(task, &runs)];
                println!("\n{}, learning rate {rates}\n\n{}", task.name, tables.join("\n\n"));
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

/// The runs of a way at a rate. [`RANDOM`] has one rate, and stands beside the ways at any.
fn at_rates<'a>(rows: &'a [Row], run: [&str; 3]) -> Vec<Run<'a>> {
    let found = runs(rows, run);
    if found.is_empty() && run[1] == RANDOM { runs(rows, [run[0], RANDOM, RATES[0]]) } else { found }
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

/// What an epoch takes: steps and slots of the first, shapes of the one that has most.
fn epochs(task: &Task, times: &[Row]) -> String {
    let mut lines = vec![
        format!(
            "| way | steps | node slots | edge slots | shapes of an epoch | slots by {RANDOM}'s | sittings | seconds | \
             by {RANDOM}'s | wait | MB |"
        ),
        format!("|{}", "---|".repeat(11)),
    ];
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
        lines.push(format!(
            "| {way} | {steps} | {nodes} | {edges} | {shapes} | {} | {} | {} | {} | {wait:.1} % | {most} |",
            by_slots,
            runs.len(),
            shown(took, 1),
            by_seconds,
        ));
    }
    lines.join("\n")
}

/// Epochs until the best score so far is at a level, over the runs that reach it, and the seconds that these take.
fn levels(task: &Task, all: &[(&str, Vec<Run<'_>>)], times: &[Row]) -> String {
    let [one, two] = task.levels;
    let mut lines = vec![
        format!(
            "| way | runs | epochs to {one} | seconds | epochs to {two} | seconds | best of validation | variance between \
             batches |"
        ),
        format!("|{}", "---|".repeat(8)),
    ];
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
        let [one, two] = reached;
        lines.push(format!("| {way} | {} | {one} | {two} | {} | {between} |", runs.len(), shown(best, 3)));
    }
    lines.join("\n")
}

/// The scores of the validation graphs at four points on the way and of the test graphs at the end, with p-values of
/// Welch's test against random batches, corrected for all ways and points (Holm).
fn scores(task: &Task, all: &[(&str, Vec<Run<'_>>)]) -> String {
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
    let mut least: Vec<(f64, (usize, usize))> = p.iter().copied().zip(places.iter().copied()).collect();
    least.sort_by(|one, other| one.0.total_cmp(&other.0));
    let p: BTreeMap<_, _> = places.into_iter().zip(holm(&p)).collect();
    let names = points.map(|point| format!("valid, epoch {}", point + 1));
    let names: Vec<_> = names.into_iter().chain(["test".into()]).collect();
    let mut lines = vec![
        format!("| way, {} (p beside {RANDOM}) | {} |", task.metric, names.join(" | ")),
        format!("|{}", "---|".repeat(6)),
    ];
    for (place, (way, scores)) in all.iter().enumerate().filter(|(_, (_, scores))| !scores[0].is_empty()) {
        let cells = scores.iter().enumerate().map(|(point, scores)| {
            let p = p.get(&(place, point)).map_or(String::new(), |p| format!(" (p {p:.3})"));
            if scores.is_empty() { String::new() } else { format!("{}{p}", shown(mean_and_interval(scores), 3)) }
        });
        lines.push(format!("| {way} | {} |", cells.collect::<Vec<_>>().join(" | ")));
    }
    let least = least.iter().take(SHOWN).map(|&(p, (way, point))| format!("{p:.3} ({}, {})", all[way].0, names[point]));
    let least = least.collect::<Vec<_>>().join("; ");
    if !least.is_empty() {
        lines.push(format!("\nThe least p before correction: {least}."));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::{Row, task::TASKS};
    use super::{at_rates, epochs, levels, runs, scores};

    /// Rows as the file has them: of the first task at the same rate, the rest of each line given.
    fn rows(lines: &[&str]) -> Vec<Row> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let lines = lines.iter().map(|line| line.replacen(',', ",same,", 1));
        let lines = lines.map(|line| format!("{},{line}\n", TASKS[0].name.replace(',', ";")));
        std::fs::write(&path, format!("header\n{}", lines.collect::<String>())).unwrap();
        Row::read(&path).unwrap()
    }

    fn cells(table: &str, way: &str) -> Vec<String> {
        let line = table.lines().find(|line| line.starts_with(&format!("| {way} |"))).unwrap();
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    }

    #[test]
    fn times_are_beside_those_of_the_same_sitting() {
        // The second sitting is on a slower machine.
        let times = rows(&[
            "dynamic,0,0,10,60,40,1,4,0,0,0,0.25,9,1",
            "dynamic,0,1,10,60,40,1,2,0,0,0,0.25,9,1",
            "dynamic,1,0,10,60,40,1,9,0,0,0,0.5,8,1",
            "static-64,0,0,8,30,20,5,1.5,0,0,0,0,7,1",
            "static-64,0,1,8,31,21,7,1.5,0,0,0,0,7,1",
            "static-64,1,0,8,30,20,4,4.5,0,0,0,0,7,1",
            "none,0,0,99,90,60,1,12,0,0,0,0,7,1",
        ]);
        let table = epochs(&TASKS[0], &times);
        assert_eq!(table.lines().count(), 5, "{table}");
        let row = cells(&table, "static-64");
        assert_eq!(row[1..7], ["8", "30", "20", "7", "0.50", "2"], "{table}");
        assert!(row[7].starts_with("3.0 ± ") && row[8] == "0.50 ± 0.00", "{table}");
        assert_eq!(cells(&table, "none")[5..], ["1.50", "1", "12.0", "4.00", "0.0 %", "7"]);
        assert_eq!(cells(&table, "dynamic")[9..], ["33.3 %", "9"]);
        // No way to compare with.
        assert_eq!(cells(&epochs(&TASKS[0], &times[6..]), "none")[5..9], ["", "1", "12.0", ""]);
    }

    #[test]
    fn levels_are_of_the_runs_that_reach_them() {
        // 0.74 and 0.77 are the levels.
        let learned = rows(&[
            "auto,0,0,1,1,1,1,99,0,0.73,0,0,1,0.5",
            "auto,0,1,1,1,1,1,99,0,0.75,0,0,1,0.5",
            "auto,0,2,1,1,1,1,99,0,0.78,0,0,1,0.5",
            "auto,1,0,1,1,1,1,99,0,0.74,0,0,1,NaN",
            "auto,1,1,1,1,1,1,99,0,0.60,0,0,1,NaN",
            "window,0,0,1,1,1,1,99,0,0.70,0,0,1,NaN",
        ]);
        let times = rows(&["auto,0,0,1,1,1,1,3,0,0,0,0,1,1", "auto,0,1,1,1,1,1,5,0,0,0,0,1,1"]);
        let all = ["auto", "window", "none"].map(|way| (way, runs(&learned, [TASKS[0].name, way, "same"])));
        let table = levels(&TASKS[0], &all, &times);
        assert_eq!(table.lines().count(), 4, "{table}");
        let row = cells(&table, "auto");
        assert!(row[2].starts_with("1.5 ± ") && row[3].starts_with("6 ± "), "{table}");
        assert_eq!(row[4..6], ["3.0 (1 of 2)", "12"], "{table}");
        assert!(row[6].starts_with("0.760 ± ") && row[7] == "0.500", "{table}");
        assert_eq!(cells(&table, "window")[2..], ["none of 1", "", "none of 1", "", "0.700", ""]);
    }

    #[test]
    fn scores_have_tests_beside_random_batches_corrected_for_all_points() {
        let run = |(way, seed, score): (&'static str, u64, f64)| {
            (0..6).map(move |epoch| format!("{way},{seed},{epoch},1,1,1,1,9,0,{score},0.5{seed},0,1,1"))
        };
        let runs_of = [("dynamic", 0.70), ("auto", 0.80), ("window", 0.70)];
        let lines: Vec<String> = runs_of
            .iter()
            .flat_map(|&(way, score)| (0..3).map(move |seed| (way, seed, score + 0.01 * seed as f64)))
            .flat_map(run)
            .collect();
        let learned = rows(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let all = ["dynamic", "auto", "window"].map(|way| (way, runs(&learned, [TASKS[0].name, way, "same"])));
        let table = scores(&TASKS[0], &all);
        let [dynamic, auto, window] = ["dynamic", "auto", "window"].map(|way| cells(&table, way));
        assert_eq!(
            dynamic[1..],
            ["0.710 ± 0.025"; 4].map(String::from).into_iter().chain(["0.510 ± 0.025".into()]).collect::<Vec<_>>()
        );
        // t is 0.1 / sqrt(2 / 3) / 0.01 with four degrees of freedom, p 0.00025: ten tests make it 0.0025.
        assert_eq!(
            auto[1..],
            ["0.810 ± 0.025 (p 0.003)"; 4]
                .map(String::from)
                .into_iter()
                .chain(["0.510 ± 0.025 (p 1.000)".into()])
                .collect::<Vec<_>>()
        );
        assert_eq!(window[1], "0.710 ± 0.025 (p 1.000)");
        let least = "The least p before correction: 0.000 (auto, valid, epoch 2); 0.000 (auto, valid, epoch 3); \
                     0.000 (auto, valid, epoch 5).";
        assert_eq!(table.lines().last(), Some(least));
        // Where it has no runs at a rate, its runs at the same rate stand beside.
        let beside = ["dynamic", "auto"].map(|way| at_rates(&learned, [TASKS[0].name, way, "by graphs"]).len());
        assert_eq!(beside, [3, 0]);
    }
}
