//! The runs of the bundle, which need no Rust where they are made: `worth.txt` for its `worth.sh`, and what that prints.

use super::task::{Cell, SEEDS, TASKS, sittings};
use super::{Row, Task};
use crate::files::text;
use crate::run::Outcome;
use serde_json::{Value, json};
use std::path::Path;

/// Files and folders below the data folder that the runs read.
pub(crate) fn data() -> impl Iterator<Item = &'static str> {
    TASKS.iter().flat_map(Task::files)
}

/// A line for each run, sitting by sitting: what its rows begin with, a tab, and the options of the example `train`.
pub(crate) fn runs(data: &Path) -> String {
    let line = |(task, cell): (&Task, Cell)| {
        let run = json!([task.name, cell.way, cell.rates]);
        let options = task.arguments(data, cell, task.epochs(cell.way)).join(" ");
        format!("\"run\":{run},\"seed\":{},\t{options}\n", cell.seed)
    };
    sittings(SEEDS).into_iter().map(line).collect()
}

/// Reads the rows that `worth.sh` has printed.
pub(super) fn read(path: &Path) -> Outcome<Vec<Row>> {
    let text = text(path)?.ok_or_else(|| format!("{}: there is no such file", path.display()))?;
    of_text(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn of_text(text: &str) -> Outcome<Vec<Row>> {
    let line = |line| -> Outcome<(Value, &str)> {
        let row: Value =
            serde_json::from_str(line).map_err(|error| format!("expected a line of JSON, found {error}"))?;
        Ok((json!([row["run"], row["seed"]]), line))
    };
    let lines = text.lines().map(line).collect::<Outcome<Vec<_>>>()?;
    let mut rows = Vec::new();
    for lines in lines.chunk_by(|one, other| one.0 == other.0) {
        let run = &lines[0].0;
        let task = TASKS.iter().find(|task| run[0][0] == task.name);
        let (Some(task), Some(way), Some(rates), Some(seed)) =
            (task, run[0][1].as_str(), run[0][2].as_str(), run[1].as_u64())
        else {
            return Err(format!("expected the run and the seed of a row, found {run}"));
        };
        let lines: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
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
        // A run that was cut off.
        assert!(of_text(text.trim_end().rsplit_once('\n').unwrap().0).is_err());
    }
}
