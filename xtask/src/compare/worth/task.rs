//! [`Task`]: a network, its data, and the levels that are to be reached.

use std::path::Path;

/// A network, its data, and the levels that are to be reached, fixed before any run.
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
    /// Graphs that `auto` has in that room, about: the learning rate is for these.
    rate_per: u32,
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
        levels: [0.70, 0.74],
        packs: 14,
        rate_per: 123,
        epochs: 10,
        alone: 1,
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
        levels: [2.0, 1.0],
        packs: 20,
        rate_per: 32,
        epochs: 10,
        alone: 4,
    },
];

/// The ways of batching, as the example `train` names them.
pub(super) const WAYS: [&str; 10] =
    ["auto", "window", "dynamic", "published", "static-64", "static-2n", "unpadded", "node-base", "edge-base", "none"];

/// The learning rate: the same for all, or in proportion to the graphs of a step.
pub(super) const RATES: [&str; 2] = ["same", "by graphs"];

impl Task {
    /// Epochs of a run.
    pub(super) fn epochs(&self, way: &str) -> u64 {
        if way == "none" { self.alone } else { self.epochs }
    }

    /// The options of a run.
    pub(super) fn arguments(&self, data: &Path, [way, rates]: [&str; 2], seed: u64) -> Vec<String> {
        let named = |option: &&str| match option.strip_prefix('@') {
            Some(file) => data.join(file).display().to_string(),
            None => (*option).into(),
        };
        let mut arguments: Vec<String> = self.options.iter().map(named).collect();
        let [seed, packs, epochs] = [seed, self.packs.into(), self.epochs(way)].map(|number| number.to_string());
        let given = ["--way", way, "--packs", &packs, "--epochs", &epochs, "--seed", &seed, "--format", "json"];
        arguments.extend(given.map(String::from));
        if rates == RATES[1] {
            arguments.extend(["--rate-per".into(), self.rate_per.to_string()]);
        }
        arguments
    }
}
