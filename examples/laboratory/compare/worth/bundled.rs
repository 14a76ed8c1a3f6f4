//! The runs of the bundle, which need no Rust where they are made: `worth.txt` for its `worth.sh`, and what that
//! prints.

use super::task::{Cell, SEEDS, TASKS, cells};
use super::{Row, Task};
use crate::compare::files::text;
use serde_json::{Value, json};
use std::path::Path;
use xtask::run::Outcome;

/// Files and folders below the data folder that the runs read.
pub(crate) fn data() -> impl Iterator<Item = &'static str> {
    TASKS.iter().flat_map(Task::files)
}

/// A line for each run, seed by seed: what its rows begin with, a tab, and the options of the example `train`.
pub(crate) fn runs(data: &Path) -> String {
    let line = |(task, cell): (&Task, Cell)| {
        let run = json!([task.name, cell.way, cell.rates]);
        let options = task.arguments(data, cell, task.epochs(cell.way)).join(" ");
        format!("\"run\":{run},\"seed\":{},\t{options}\n", cell.seed)
    };
    let mut runs: Vec<_> = cells(SEEDS).collect();
    runs.sort_by_key(|(_, cell)| cell.seed);
    runs.into_iter().map(line).collect()
}

/// Reads the rows that `worth.sh` has printed.
pub(super) fn read(path: &Path) -> Outcome<Vec<Row>> {
    let text = text(path)?.ok_or_else(|| format!("{}: there is no such file", path.display()))?;
    of_text(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn of_text(text: &str) -> Outcome<Vec<Row>> {
    let line = |(number, line)| -> Outcome<(Value, Value, &str)> {
        let row: Value = serde_json::from_str(line)
            .map_err(|error| format!("expected JSON in line {}, found {error}", number + 1))?;
        Ok((json!([row["run"], row["seed"]]), row, line))
    };
    let lines = text.lines().enumerate().map(line).collect::<Outcome<Vec<_>>>()?;
    let mut rows = Vec::new();
    for lines in lines.chunk_by(|one, other| one.0 == other.0) {
        let run = &lines[0].0;
        if !lines.iter().any(|(_, row, _)| row["peak_megabytes"].is_number()) {
            eprintln!("left out, as it was cut off: {run}");
            continue;
        }
        // A run that was cut off stands before its repetition.
        let begins = lines.iter().rposition(|(_, row, _)| row["epoch"] == 0).unwrap_or(0);
        let task = TASKS.iter().find(|task| run[0][0] == task.name);
        let (Some(task), Some(way), Some(rates), Some(seed)) =
            (task, run[0][1].as_str(), run[0][2].as_str(), run[1].as_u64())
        else {
            return Err(format!("expected the run and the seed of a row, found {run}"));
        };
        let lines: Vec<&str> = lines[begins..].iter().map(|(.., line)| *line).collect();
        rows.extend(Row::of_run([task.name, way, rates], seed, task.metric, &lines.join("\n"))?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::{TASKS, data, of_text, runs};
    use std::path::Path;

    /// Rows as `worth.sh` makes them: the first part of a line before what the example prints.
    #[test]
    fn rows_of_the_bundle_are_those_of_its_runs() {
        let runs = runs(Path::new("data"));
        assert!(data().all(|name| runs.contains(&format!(" data/{name} "))), "{runs}");
        let printed = |line: &str, task: &super::Task| {
            let (run, _) = line.split_once('\t').unwrap();
            let epoch = format!(
                r#""loss": 0.5, "valid_{0}": 0.7, "test_{0}": 0.6, "seconds": 2.5, "steps": 3, "wait_share": 0.25,
                "node_slots": 100, "edge_slots": 200, "shapes": 1"#,
                task.metric
            )
            .replace('\n', " ");
            let end = r#""peak_megabytes": 77, "between_batches": 0.5"#;
            format!("{{{run}\"epoch\": 0, {epoch}}}\n{{{run}\"epoch\": 1, {epoch}}}\n{{{run}{end}}}\n")
        };
        let text: String = runs.lines().zip(&TASKS).map(|(line, task)| printed(line, task)).collect();
        let rows = of_text(&text).unwrap();
        let found: Vec<_> = rows.iter().map(|row| (&*row.run[0], row.seed, row.epoch)).collect();
        let [one, two] = TASKS.each_ref().map(|task| task.name);
        assert_eq!(found, [(one, 0, 0), (one, 0, 1), (two, 0, 0), (two, 0, 1)]);
        assert!(of_text(&text.replace("QM9", "QM8")).unwrap_err().contains("QM8"));
        // A run that was cut off is left out until it was made again; half a line is an error that says which.
        let cut = text.trim_end().rsplit_once('\n').unwrap().0;
        assert_eq!(of_text(cut).unwrap().len(), 2);
        let second = &text[text.find(TASKS[1].name).unwrap() - r#"{"run":[""#.len()..];
        assert_eq!(of_text(&format!("{cut}\n{second}")).unwrap().len(), 4);
        assert!(of_text(&text[..text.len() - 2]).unwrap_err().contains("line 6"));
    }
}
