//! [`Summary`]: the repeats of one cell of the grid.

use super::run::Run;
use laboratory::statistics::{deviation, mean, median};

/// The runs that differ in nothing but their repeat.
pub(crate) struct Summary<'a> {
    pub(crate) model: &'a str,
    pub(crate) algorithm: &'a str,
    pub(crate) batch_size: u32,
    pub(crate) runs: Vec<&'a Run>,
}

impl<'a> Summary<'a> {
    /// One for each model, algorithm and batch size, in the order of their first runs.
    pub(crate) fn all(runs: &'a [Run]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for run in runs {
            let key = (&*run.model, &*run.algorithm, run.batch_size);
            match all.iter_mut().find(|one| (one.model, one.algorithm, one.batch_size) == key) {
                Some(one) => one.runs.push(run),
                None => {
                    let (model, algorithm, batch_size) = key;
                    all.push(Self { model, algorithm, batch_size, runs: vec![run] });
                }
            }
        }
        all.sort_by_key(|one| one.batch_size);
        all
    }

    /// A number of each run.
    pub(crate) fn values(&self, number: impl Fn(&Run) -> f64) -> Vec<f64> {
        self.runs.iter().map(|run| number(run)).collect()
    }

    /// Mean over the runs, and standard deviation: 0 of a single run.
    pub(crate) fn spread(&self, number: impl Fn(&Run) -> f64) -> [f64; 2] {
        let values = self.values(number);
        spread(&values)
    }

    /// Time per graph by that of another cell.
    fn by(&self, other: &Self) -> [f64; 2] {
        let mean = |of: &Self| mean(&of.values(Run::ms_per_graph));
        let ratio = |run: &&Run| {
            let same = other.runs.iter().find(|other| other.repeat == run.repeat)?;
            Some(run.ms_per_graph() / same.ms_per_graph())
        };
        let ratios: Vec<f64> = self.runs.iter().filter_map(ratio).collect();
        [mean(self) / mean(other), spread(&ratios)[1]]
    }
}

fn spread(values: &[f64]) -> [f64; 2] {
    [mean(values), if values.len() < 2 { 0.0 } else { deviation(values) }]
}

/// The way that others are compared with.
const RANDOM: &str = "dynamic";

/// One line per cell, in Markdown: means of the runs' means with their standard deviations, medians of medians. The
/// ratio to [`RANDOM`] is of means; its deviation is that of the ratios within a repeat.
pub(crate) fn table(all: &[Summary<'_>]) -> String {
    let mut text = String::from(
        "| model | algorithm | batch size | runs | batching ms, mean | update ms, mean | median | combined ms per graph \
         | of dynamic's | shapes |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let shown = |[mean, deviation]: [f64; 2], digits: usize| format!("{mean:.digits$} ± {deviation:.digits$}");
    for one in all {
        let Summary { model, algorithm, batch_size, .. } = one;
        let random = all
            .iter()
            .find(|other| (other.model, other.batch_size) == (one.model, one.batch_size) && other.algorithm == RANDOM);
        text += &format!(
            "| {model} | {algorithm} | {batch_size} | {} | {} | {} | {:.1} | {} | {} | {:.0} |\n",
            one.runs.len(),
            shown(one.spread(|run| run.batching_ms_mean), 3),
            shown(one.spread(|run| run.update_ms_mean), 1),
            median(&one.values(|run| run.update_ms_median)),
            shown(one.spread(Run::ms_per_graph), 3),
            random.map_or(String::new(), |random| shown(one.by(random), 2)),
            mean(&one.values(|run| run.shapes as f64)),
        );
    }
    text
}
