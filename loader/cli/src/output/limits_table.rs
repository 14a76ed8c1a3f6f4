//! [`LimitsTable`]: limits as lines of a table, or as objects.

use super::{PrintError, by_set, by_x, print};
use graphpack_core::Histogram;
use graphpack_core::search::Candidate;
use serde_json::{Value, json};

/// How limits are printed, and how full packs under them are.
pub(crate) struct LimitsTable<'a> {
    pub(crate) sets: &'a [String],
    pub(crate) histogram: &'a Histogram,
}

impl LimitsTable<'_> {
    /// For scripts.
    pub(crate) fn object(&self, found: &Candidate) -> Value {
        let mut limits = by_set(self.sets, found.limits.size.as_slice().iter().copied());
        limits.insert("graphs".to_owned(), found.limits.graphs.into());
        json!({
            "limits": limits,
            "packs": found.packs,
            "graphs_per_step": found.graphs_per_step(self.histogram),
            "efficiency": by_set(self.sets, found.efficiency.components.iter().copied()),
            "harmonic_mean": found.score(),
        })
    }

    /// The titles of the columns, which are as wide as their titles.
    pub(crate) fn header(&self) -> Result<(), PrintError> {
        let full = self.titles().map(|title| format!("{title:>10}   ")).collect::<String>();
        print(format_args!("{}   graphs/step    steps   {full}harmonic mean", self.sets.join(" x ")))
    }

    /// One line of the table.
    pub(crate) fn line(&self, found: &Candidate) -> Result<(), PrintError> {
        let width = self.sets.join(" x ").len();
        let shape = by_x(&found.limits.size);
        let full = self.titles().zip(&found.efficiency.components);
        let full = full.map(|(title, share)| format!("{:1$.2} %   ", 100.0 * share, title.len().max(10) - 2));
        print(format_args!(
            "{shape:>width$}   {:11.1} {:8}   {}{:11.2} %",
            found.graphs_per_step(self.histogram),
            found.packs,
            full.collect::<String>(),
            100.0 * found.score()
        ))
    }

    fn titles(&self) -> impl Iterator<Item = String> {
        self.sets.iter().map(|set| format!("{set} full"))
    }
}
