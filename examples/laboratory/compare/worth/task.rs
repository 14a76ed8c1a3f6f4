//! [`Task`]: a network and its data; [`Cell`]: a run of it.

use std::path::Path;

/// A network and its data.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// Options of the example `train`; what begins with `@` is below the data folder.
    options: &'static [&'static str],
    /// What the example calls the score.
    pub(super) metric: &'static str,
    /// Whether more is better.
    pub(super) rising: bool,
    /// Room per step, in graphs of the largest size.
    packs: u32,
    /// The ways of which is asked what is learned: the first, and the paper's, all with as many graphs per step.
    compared: [&'static str; 5],
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
        packs: 14,
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
        packs: 20,
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

/// Seeds of all ways; more seeds are for [`Task::compared`].
const SEEDS: u64 = 5;

/// A run of a task.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) way: &'static str,
    pub(super) seed: u64,
}

impl Task {
    fn compares(&self, cell: &Cell) -> bool {
        self.compared.contains(&cell.way)
    }

    fn wants(&self, cell: &Cell) -> bool {
        // Where packs of the largest graph's room hold as many graphs as all others, this way is `published` again.
        self.compares(cell) || (cell.seed < SEEDS && cell.way != "published-graphs")
    }
}

/// The runs of so many seeds, of both tasks: first what is compared, then all others, seed by seed.
pub(super) fn cells(seeds: u64) -> impl Iterator<Item = (&'static Task, Cell)> {
    let by_way = (0..seeds).flat_map(|seed| WAYS.map(|way| Cell { way, seed }));
    let of_both = by_way.flat_map(|cell| TASKS.each_ref().map(|task| (task, cell)));
    let wanted = of_both.filter(|(task, cell)| task.wants(cell));
    let (compared, others): (Vec<_>, Vec<_>) = wanted.partition(|(task, cell)| task.compares(cell));
    compared.into_iter().chain(others)
}

/// The runs of so many sittings, of both tasks: each sitting is done before the next begins.
pub(super) fn sittings(count: u64) -> impl Iterator<Item = (&'static Task, Cell)> {
    let one: Vec<_> = cells(1).collect();
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

    /// The options of a run.
    pub(super) fn arguments(&self, data: &Path, Cell { way, seed }: Cell, epochs: u64) -> Vec<String> {
        let named = |option: &&str| match option.strip_prefix('@') {
            Some(file) => data.join(file).display().to_string(),
            None => (*option).into(),
        };
        let mut arguments: Vec<String> = self.options.iter().map(named).collect();
        let [seed, packs, epochs] = [seed, self.packs.into(), epochs].map(|number| number.to_string());
        let given = ["--way", way, "--packs", &packs, "--epochs", &epochs, "--seed", &seed, "--format", "json"];
        arguments.extend(given.map(String::from));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::{TASKS, WAYS, cells, sittings};
    use std::collections::BTreeSet;

    #[test]
    fn ten_seeds_are_175_runs_first_what_is_compared() {
        let runs: Vec<_> = cells(10).collect();
        // Both tasks: ten seeds of five ways, five of seven and eight others.
        assert_eq!(runs.len(), 2 * 10 * 5 + 5 * (7 + 8));
        let named = runs.iter().map(|(task, cell)| (task.name, cell.way, cell.seed));
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
            assert_eq!(cell.seed, (place / a_sitting) as u64);
        }
    }

    #[test]
    fn only_what_takes_long_is_timed_for_one_epoch() {
        let epochs = TASKS.each_ref().map(|task| ["none", "auto"].map(|way| task.timed_epochs(way)));
        assert_eq!(epochs, [[1, 2], [2, 2]]);
    }
}
