//! [`Task`]: a network, its data, and the levels that are to be reached; [`Cell`]: a run of it.

use std::path::Path;

/// A network, its data, and the levels that are to be reached, fixed after one run each of `auto` and `window` and
/// before all others.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// Options of the example `train`; what begins with `@` is below the data folder.
    options: &'static [&'static str],
    /// What the example calls the score.
    pub(super) metric: &'static str,
    /// Whether more is better.
    pub(super) rising: bool,
    pub(super) levels: [f64; 2],
    /// Room per step, in graphs of the largest size.
    packs: u32,
    /// Graphs that fit into that room, about: the learning rate is for these.
    rate_per: u32,
    /// The ways whose steps have another number of graphs, within 3 %: a rate by graphs is another rate for these
    /// alone.
    rated: &'static [&'static str],
    /// The ways of which is asked what is learned: the first, and the paper's, all with as many graphs per step.
    pub(super) compared: [&'static str; 5],
    pub(super) epochs: u64,
    /// Epochs of one graph per pack, which take many times as long.
    alone: u64,
}

pub(super) const TASKS: [Task; 2] = [
    Task {
        name: "molhiv, GINE",
        options: &["--data", "@ogb_raw/ogbg_molhiv"],
        metric: "roc_auc",
        rising: true,
        levels: [0.74, 0.77],
        packs: 14,
        rate_per: 123,
        rated: &["none"],
        // Its packs of the largest graph's room hold as many graphs per step as all others.
        compared: ["auto-graphs", "window-graphs", "dynamic", "static-64", "published"],
        epochs: 6,
        alone: 2,
    },
    Task {
        name: "QM9, SchNet",
        options: &[
            "--model",
            "schnet",
            "--data",
            "@qm9/qm9_10k.xyz.gz",
            "--targets",
            "@qm9/qm9_10k_targets.csv.gz",
            "--target",
            "binding_energy",
            "--cutoff",
            "100",
        ],
        metric: "mean_absolute_error",
        rising: false,
        levels: [0.08, 0.04],
        packs: 20,
        rate_per: 32,
        rated: &["auto", "window", "published", "node-base", "edge-base", "none"],
        compared: ["auto-graphs", "window-graphs", "dynamic", "static-64", "published-graphs"],
        epochs: 6,
        alone: 6,
    },
];

/// The ways of batching, as the example `train` names them.
pub(super) const WAYS: [&str; 13] = [
    "auto-graphs",
    "window-graphs",
    "dynamic",
    "static-64",
    "auto",
    "window",
    "published",
    "published-graphs",
    "static-2n",
    "unpadded",
    "node-base",
    "edge-base",
    "none",
];

/// The learning rate: the same for all, or in proportion to the graphs of a step.
pub(super) const RATES: [&str; 2] = ["same", "by graphs"];

/// Seeds of all ways at both rates; more seeds are for [`Task::compared`] at the first.
pub(super) const SEEDS: u64 = 5;

/// A run of a task.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) way: &'static str,
    pub(super) rates: &'static str,
    pub(super) seed: u64,
}

impl Task {
    fn compares(&self, cell: &Cell) -> bool {
        cell.rates == RATES[0] && self.compared.contains(&cell.way)
    }

    fn wants(&self, cell: &Cell) -> bool {
        // Where packs of the largest graph's room hold as many graphs as all others, this way is `published` again.
        let other = cell.way != "published-graphs" && (cell.rates == RATES[0] || self.rated.contains(&cell.way));
        self.compares(cell) || (cell.seed < SEEDS && other)
    }
}

/// The runs of so many seeds, of both tasks: first what is compared, then all others, seed by seed.
pub(super) fn cells(seeds: u64) -> impl Iterator<Item = (&'static Task, Cell)> {
    let by_rate = (0..seeds).flat_map(|seed| RATES.map(|rates| (rates, seed)));
    let by_way = by_rate.flat_map(|(rates, seed)| WAYS.map(|way| Cell { way, rates, seed }));
    let of_both = by_way.flat_map(|cell| TASKS.each_ref().map(|task| (task, cell)));
    let wanted = of_both.filter(|(task, cell)| task.wants(cell));
    let (compared, others): (Vec<_>, Vec<_>) = wanted.partition(|(task, cell)| task.compares(cell));
    compared.into_iter().chain(others)
}

/// The runs of so many sittings, of both tasks: each sitting is done before the next begins. The learning rate changes
/// no time.
pub(super) fn sittings(count: u64) -> impl Iterator<Item = (&'static Task, Cell)> {
    let one: Vec<_> = cells(1).filter(|(_, cell)| cell.rates == RATES[0]).collect();
    (0..count).flat_map(move |seed| one.clone().into_iter().map(move |(task, cell)| (task, Cell { seed, ..cell })))
}

impl Task {
    /// Epochs of a run.
    pub(super) fn epochs(&self, way: &str) -> u64 {
        if way == "none" { self.alone } else { self.epochs }
    }

    /// Epochs of a run for its time: a first one, which may be slower, and another unless they take long.
    pub(super) fn timed_epochs(&self, way: &str) -> u64 {
        if self.epochs(way) < self.epochs { 1 } else { 2 }
    }

    /// Files and folders below the data folder.
    pub(super) fn files(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().filter_map(|option| option.strip_prefix('@'))
    }

    /// The options of a run.
    pub(super) fn arguments(&self, data: &Path, Cell { way, rates, seed }: Cell, epochs: u64) -> Vec<String> {
        let named = |option: &&str| match option.strip_prefix('@') {
            Some(file) => data.join(file).display().to_string(),
            None => (*option).into(),
        };
        let mut arguments: Vec<String> = self.options.iter().map(named).collect();
        let [seed, packs, epochs] = [seed, self.packs.into(), epochs].map(|number| number.to_string());
        let given = ["--way", way, "--packs", &packs, "--epochs", &epochs, "--seed", &seed, "--format", "json"];
        arguments.extend(given.map(String::from));
        if rates == RATES[1] {
            arguments.extend(["--rate-per".into(), self.rate_per.to_string()]);
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::{RATES, TASKS, WAYS, cells, sittings};
    use std::collections::BTreeSet;

    #[test]
    fn ten_seeds_are_210_runs_first_what_is_compared() {
        let runs: Vec<_> = cells(10).collect();
        // Both tasks: ten seeds of five ways, five of seven and eight others. Rates by graphs: of one way, and of six.
        assert_eq!(runs.len(), 2 * 10 * 5 + 5 * (7 + 8) + 5 * (1 + 6));
        let named = runs.iter().map(|(task, cell)| (task.name, cell.way, cell.rates, cell.seed));
        assert_eq!(named.collect::<BTreeSet<_>>().len(), runs.len());
        assert!(
            runs.iter().map(|(task, cell)| task.compares(cell)).eq((0..runs.len()).map(|place| place < 2 * 5 * 10))
        );
        assert!(runs[100..].is_sorted_by_key(|(_, cell)| cell.seed));
    }

    #[test]
    fn a_sitting_is_done_before_the_next_begins() {
        // All ways on QM9, and all but one on molhiv.
        let (runs, a_sitting) = (sittings(7).collect::<Vec<_>>(), TASKS.len() * WAYS.len() - 1);
        assert_eq!(runs.len(), 7 * a_sitting);
        for (place, (_, cell)) in runs.iter().enumerate() {
            assert_eq!((cell.seed, cell.rates), ((place / a_sitting) as u64, RATES[0]));
        }
    }

    #[test]
    fn only_what_takes_long_is_timed_for_one_epoch() {
        let epochs = TASKS.each_ref().map(|task| ["none", "auto"].map(|way| task.timed_epochs(way)));
        assert_eq!(epochs, [[1, 2], [2, 2]]);
    }
}
