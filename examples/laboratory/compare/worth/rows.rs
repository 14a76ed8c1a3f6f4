//! [`Row`]: an epoch of a run, as it stands in the csv file.

use crate::compare::files::{self, text};
use serde_json::Value;
use std::path::Path;
use xtask::run::Outcome;

const HEADER: &str = "task,way,seed,epoch,steps,node_slots,edge_slots,shapes,seconds,loss,valid,test,wait_share,\
                      peak_megabytes,between_batches";

/// An epoch of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Task and way.
    pub(super) run: [String; 2],
    pub(super) seed: u64,
    pub(super) epoch: u64,
    /// Steps, rows of nodes, rows of edges and shapes of the epoch.
    pub(super) counts: [u64; 4],
    /// Of the training alone.
    pub(super) seconds: f64,
    pub(super) loss: f64,
    /// The score of the validation graphs, and that of the test graphs.
    pub(super) scores: [f64; 2],
    pub(super) wait_share: f64,
    /// Of the whole process.
    pub(super) megabytes: u64,
    /// The variance of the target's means between the batches of the whole run, where 1 is that of random batches.
    pub(super) between_batches: f64,
}

impl Row {
    /// The rows of a run, of the lines of JSON that the example prints.
    pub(super) fn of_run(run: [&str; 2], seed: u64, metric: &str, text: &str) -> Outcome<Vec<Self>> {
        let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
        let lines = lines.map_err(|error| format!("expected lines of JSON, found {error}"))?;
        let (summary, epochs) = lines.split_last().ok_or("expected a line for each epoch, found none")?;
        let missing = |line: &Value, key: &str| format!("expected {key}, found {line}");
        let number = |line: &Value, key: &str| match line.get(key) {
            // JSON has no NaN.
            Some(Value::Null) => Ok(f64::NAN),
            found => found.and_then(Value::as_f64).ok_or_else(|| missing(line, key)),
        };
        let whole = |line: &Value, key: &str| line[key].as_u64().ok_or_else(|| missing(line, key));
        let row = |line: &Value| {
            let count = |key| whole(line, key);
            Ok(Self {
                run: run.map(String::from),
                seed,
                epoch: count("epoch")?,
                counts: [count("steps")?, count("node_slots")?, count("edge_slots")?, count("shapes")?],
                seconds: number(line, "seconds")?,
                loss: number(line, "loss")?,
                scores: [number(line, &format!("valid_{metric}"))?, number(line, &format!("test_{metric}"))?],
                wait_share: number(line, "wait_share")?,
                megabytes: whole(summary, "peak_megabytes")?,
                between_batches: number(summary, "between_batches")?,
            })
        };
        epochs.iter().map(row).collect()
    }

    /// Reads a file; no rows if there is none.
    pub(super) fn read(path: &Path) -> Outcome<Vec<Self>> {
        let text = text(path)?.unwrap_or_default();
        let rows = text.lines().enumerate().skip(1).map(|(number, line)| {
            Self::of_line(line).ok_or_else(|| format!("{}, line {}: expected {HEADER}", path.display(), number + 1))
        });
        rows.collect()
    }

    /// Reads a line. Names have `;` where they are written with a comma.
    fn of_line(line: &str) -> Option<Self> {
        let cells: [&str; 15] = line.split(',').collect::<Vec<_>>().try_into().ok()?;
        let [task, way, seed, epoch, steps, nodes, edges, shapes, seconds, loss, valid, test, wait, most, between] =
            cells;
        Some(Self {
            run: [task.replace(';', ","), way.into()],
            seed: seed.parse().ok()?,
            epoch: epoch.parse().ok()?,
            counts: [steps.parse().ok()?, nodes.parse().ok()?, edges.parse().ok()?, shapes.parse().ok()?],
            seconds: seconds.parse().ok()?,
            loss: loss.parse().ok()?,
            scores: [valid.parse().ok()?, test.parse().ok()?],
            wait_share: wait.parse().ok()?,
            megabytes: most.parse().ok()?,
            between_batches: between.parse().ok()?,
        })
    }

    fn line(&self) -> String {
        let Self { run: [task, way], seed, epoch, counts, seconds, loss, scores: [valid, test], .. } = self;
        let [steps, nodes, edges, shapes] = counts;
        format!(
            "{},{way},{seed},{epoch},{steps},{nodes},{edges},{shapes},{seconds:.3},{loss:.6},{valid:.6},{test:.6},\
             {:.5},{},{:.4}\n",
            task.replace(',', ";"),
            self.wait_share,
            self.megabytes,
            self.between_batches
        )
    }

    /// Adds the rows of a run to a file, with a header if it is new.
    pub(super) fn append(path: &Path, rows: &[Self]) -> Outcome {
        files::append(path, HEADER, rows.iter().map(Self::line))
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let epoch = r#"{"epoch": 0, "loss": 0.5, "valid_auc": 0.7, "test_auc": 0.6, "seconds": 2.5, "steps": 3,
            "wait_share": 0.25, "node_slots": 100, "edge_slots": 200, "shapes": 1}"#;
        let text = format!("{}\n{{\"peak_megabytes\": 77, \"between_batches\": 0.5}}", epoch.replace('\n', " "));
        let rows = Row::of_run(["a, b", "auto"], 4, "auc", &text).unwrap();
        assert_eq!((rows[0].counts, rows[0].scores, rows[0].megabytes), ([3, 100, 200, 1], [0.7, 0.6], 77));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        Row::append(&path, &rows).unwrap();
        Row::append(&path, &rows).unwrap();
        let read = Row::read(&path).unwrap();
        assert_eq!(read, [&rows[..], &rows[..]].concat());
        assert!(Row::of_run(["a", "b"], 0, "auc", &text.replace("steps", "stops")).is_err());
        assert!(Row::of_run(["a", "b"], 0, "auc", &text.replace("\"loss\"", "\"lost\"")).is_err());
        // A training that came to nothing.
        let rows = Row::of_run(["a", "b"], 0, "auc", &text.replace("0.7", "null")).unwrap();
        Row::append(&path, &rows).unwrap();
        assert!(Row::read(&path).unwrap().last().unwrap().scores[0].is_nan());
        // What cannot be read is not taken to be missing, and then written.
        assert!(Row::read(folder.path()).is_err());
    }
}
