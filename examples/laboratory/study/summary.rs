//! [`Summary`]: the repeats of one cell of the grid, and t-tests between algorithms.

use super::run::Run;
use laboratory::statistics::{deviation, holm, mean, median, student, welch};
use serde::Serialize;

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
        [mean(&values), if values.len() < 2 { 0.0 } else { deviation(&values) }]
    }
}

/// One line per cell, in Markdown: means of the runs' means with their standard deviations, medians of medians.
pub(crate) fn table(all: &[Summary<'_>]) -> String {
    let mut text = String::from(
        "| model | algorithm | batch size | runs | batching ms, mean | update ms, mean | median | combined ms per graph \
         | shapes | last loss | test RMSE, mean | median |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let shown = |[mean, deviation]: [f64; 2], digits: usize| format!("{mean:.digits$} ± {deviation:.digits$}");
    for one in all {
        let Summary { model, algorithm, batch_size, .. } = one;
        text += &format!(
            "| {model} | {algorithm} | {batch_size} | {} | {} | {} | {:.1} | {} | {:.0} | {} | {} | {:.4} |\n",
            one.runs.len(),
            shown(one.spread(|run| run.batching_ms_mean), 3),
            shown(one.spread(|run| run.update_ms_mean), 1),
            median(&one.values(|run| run.update_ms_median)),
            shown(one.spread(Run::ms_per_graph), 3),
            mean(&one.values(|run| run.shapes as f64)),
            shown(one.spread(|run| run.last_loss), 3),
            shown(one.spread(|run| run.test_rmse), 4),
            median(&one.values(|run| run.test_rmse)),
        );
    }
    text
}

/// T-tests that two algorithms end with the same test error, a row of a table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Tests {
    pub(crate) model: String,
    pub(crate) batch_size: u32,
    pub(crate) one: String,
    pub(crate) other: String,
    runs: usize,
    pub(crate) student_t: f64,
    pub(crate) student_p: f64,
    welch_t: f64,
    pub(crate) welch_p: f64,
    /// Corrected for all rows of the table.
    pub(crate) welch_p_holm: f64,
}

/// Tests all pairs of algorithms that have at least two runs each.
pub(crate) fn tests(all: &[Summary<'_>]) -> Vec<Tests> {
    let pair = |a: &Summary<'_>, b: &Summary<'_>| {
        let [one, other] = [a, b].map(|of| of.values(|run| run.test_rmse));
        let [student, welch] = [student(&one, &other)?, welch(&one, &other)?];
        Some(Tests {
            model: a.model.into(),
            batch_size: a.batch_size,
            one: a.algorithm.into(),
            other: b.algorithm.into(),
            runs: one.len().min(other.len()),
            student_t: student.t,
            student_p: student.p,
            welch_t: welch.t,
            welch_p: welch.p,
            welch_p_holm: welch.p,
        })
    };
    let same = |a: &Summary<'_>, b: &Summary<'_>| (a.model, a.batch_size) == (b.model, b.batch_size);
    let mut tests = Vec::new();
    for (place, a) in all.iter().enumerate() {
        tests.extend(all[place + 1..].iter().filter(|b| same(a, b)).filter_map(|b| pair(a, b)));
    }
    let corrected = holm(&tests.iter().map(|test| test.welch_p).collect::<Vec<_>>());
    tests.iter_mut().zip(corrected).for_each(|(test, p)| test.welch_p_holm = p);
    tests
}
