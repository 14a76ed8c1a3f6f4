//! The tables: what training took, and whether the ways differ in what was learned.

use super::task::{TASKS, WAYS};
use super::{Row, Task};
use laboratory::statistics::{mean_and_interval, shown};
use std::collections::BTreeMap;

/// The way that others are compared with.
const RANDOM: &str = "dynamic";

/// Prints the tables of all tasks of which there are rows. What an epoch takes is in `times`: `learned` may come from
/// runs beside others.
pub(super) fn print(learned: &[Row], times: &[Row]) {
    for task in &TASKS {
        let has = |rows: &[Row]| rows.iter().any(|row| row.run[0] == task.name);
        if has(times) {
            println!("\n{}\n\n{}", task.name, epochs(task, times));
        }
        if has(learned) {
            println!("\n{}\n\n{}", task.name, scores(task, learned));
        }
    }
}

/// The epochs of one run, in their order.
type Run<'a> = Vec<&'a Row>;

fn runs<'a>(rows: &'a [Row], run: [&str; 2]) -> Vec<Run<'a>> {
    let mut by_seed: BTreeMap<u64, Run<'a>> = BTreeMap::new();
    rows.iter().filter(|row| row.run == run).for_each(|row| by_seed.entry(row.seed).or_default().push(row));
    by_seed.into_values().collect()
}

/// Seconds of an epoch, by sitting.
fn sittings(task: &Task, way: &str, times: &[Row]) -> BTreeMap<u64, f64> {
    let mean = |run: &Run<'_>| run.iter().map(|row| row.seconds).sum::<f64>() / run.len() as f64;
    runs(times, [task.name, way]).iter().map(|run| (run[0].seed, mean(run))).collect()
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

/// What an epoch takes: steps and rows of the first, shapes of the one that has most.
fn epochs(task: &Task, times: &[Row]) -> String {
    let mut lines = vec![
        format!(
            "| way | steps | node rows | edge rows | shapes of an epoch | rows by {RANDOM}'s | sittings | seconds | \
             by {RANDOM}'s | wait | MB |"
        ),
        format!("|{}", "---|".repeat(11)),
    ];
    let slots = |run: &Run<'_>| (run[0].counts[1] + run[0].counts[2]) as f64;
    let random = runs(times, [task.name, RANDOM]).first().map(slots);
    for way in WAYS {
        let runs = runs(times, [task.name, way]);
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

/// The best score of the validation graphs, that of the test graphs after the last epoch, and the variance between
/// batches: means over the runs.
fn scores(task: &Task, learned: &[Row]) -> String {
    let mut lines = vec![
        format!("| way | runs | best of validation, {0} | test, {0} | variance between batches |", task.metric),
        format!("|{}", "---|".repeat(5)),
    ];
    for way in WAYS {
        let runs = runs(learned, [task.name, way]);
        if runs.is_empty() {
            continue;
        }
        let best = |run: &Run<'_>| {
            let scores = run.iter().map(|row| row.scores[0]);
            if task.rising { scores.fold(f64::NAN, f64::max) } else { scores.fold(f64::NAN, f64::min) }
        };
        let last = |run: &Run<'_>| Some(run.get(task.epochs as usize - 1)?.scores[1]);
        let mean = |values: Vec<f64>| {
            if values.is_empty() { String::new() } else { shown(mean_and_interval(&values), 3) }
        };
        let between = runs.iter().map(|run| run[0].between_batches).filter(|found| !found.is_nan());
        lines.push(format!(
            "| {way} | {} | {} | {} | {} |",
            runs.len(),
            mean(runs.iter().map(best).collect()),
            mean(runs.iter().filter_map(last).collect()),
            mean(between.collect()),
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::{Row, task::TASKS};
    use super::{epochs, scores};

    /// Rows as the file has them: of the first task, the rest of each line given.
    fn rows(lines: &[&str]) -> Vec<Row> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let lines = lines.iter().map(|line| format!("{},{line}\n", TASKS[0].name.replace(',', ";")));
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
    fn scores_are_the_best_of_validation_and_the_last_of_test() {
        let run = |way: &str, seed: usize, epochs: usize, between: &str| {
            let line = |epoch| {
                let valid = if epoch == 1 { 0.75 + 0.01 * seed as f64 } else { 0.70 };
                format!("{way},{seed},{epoch},1,1,1,1,9,0,{valid},0.{seed}{epoch},0,1,{between}")
            };
            (0..epochs).map(line).collect::<Vec<_>>()
        };
        let lines = [run("auto", 0, 6, "0.5"), run("auto", 1, 6, "NaN"), run("none", 0, 2, "1")].concat();
        let learned = rows(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let table = scores(&TASKS[0], &learned);
        assert_eq!(table.lines().count(), 4, "{table}");
        let row = cells(&table, "auto");
        assert!(row[1] == "2" && row[2].starts_with("0.755 ± ") && row[3].starts_with("0.100 ± "), "{table}");
        assert_eq!(row[4], "0.500", "{table}");
        // Of two epochs, there is no score after the sixth.
        assert_eq!(cells(&table, "none")[1..], ["1", "0.750", "", "1.000"], "{table}");
    }
}
