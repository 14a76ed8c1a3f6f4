//! Results as tables, sentences and JSON: values [`by_set`], [`LimitsTable`], how good a [`sample`] batches are,
//! [`EdgeCut`] of parts.

use super::{PrintError, print};
use graphpack_core::search::Candidate;
use graphpack_core::{Histogram, Size};
use graphpack_loader::Error;
use graphpack_loader::quality::{ColumnQuality, Compared, SampleQuality};
use graphpack_partition::assign::{Balance, Quality};
use graphpack_partition::{Assignment, LargeGraph};
use serde_json::{Map, Value, json};
use std::fmt;

/// An object with a key for each set.
pub(crate) fn by_set(sets: &[String], values: impl IntoIterator<Item = impl Into<Value>>) -> Map<String, Value> {
    sets.iter().cloned().zip(values.into_iter().map(Into::into)).collect()
}

/// `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => items.concat(),
    }
}

/// The rows of each set as `222 x 502`.
pub(crate) fn by_x(size: &Size) -> String {
    size.as_slice().iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
}

/// Returns all figures, each as `{"found": ..., "random": ...}`.
pub(crate) fn sample(quality: &SampleQuality, sets: &[String]) -> Value {
    let compared = |Compared { found, random }: &Compared| json!({ "found": found, "random": random });
    let column = |column: &ColumnQuality| {
        let (variance, worst) = (compared(&column.variance), compared(&column.worst));
        json!({ "variance": variance, "worst": worst, "missing": column.missing })
    };
    json!({
        "epochs": quality.epochs,
        "batches": quality.batches,
        "columns": quality.columns.iter().map(column).collect::<Vec<_>>(),
        "deviation": by_set(sets, quality.deviation.iter().map(compared)),
        "pairs": compared(&quality.pairs),
    })
}

/// How many edges an assignment cuts, beside what chance would cut, and how equal its parts are.
pub(crate) struct EdgeCut {
    quality: Quality,
    /// The share of edges that are cut where parts are assigned by chance.
    by_chance: f64,
}

impl EdgeCut {
    /// Measures an assignment; with more types of nodes than can be balanced, only how many edges it cuts.
    pub(crate) fn measure(balance: &Balance, graph: &LargeGraph, assignment: &Assignment) -> Result<Self, Error> {
        let quality = match balance.quality(graph, assignment) {
            Err(_) if graph.node_types.len() > Balance::MOST => {
                Quality { edge_cut: assignment.edge_cut(graph)?, edges: graph.edges(), imbalance: Vec::new() }
            }
            quality => quality?,
        };
        Ok(Self::of(quality, assignment.parts()))
    }

    /// What was measured of an assignment to a number of parts.
    pub(crate) fn of(quality: Quality, parts: usize) -> Self {
        Self { quality, by_chance: 1.0 - 1.0 / parts as f64 }
    }

    fn share(&self) -> f64 {
        self.quality.edge_cut as f64 / self.quality.edges.max(1) as f64
    }

    /// Adds it to an object for scripts.
    pub(crate) fn extend(&self, object: &mut Value) {
        let ratios = self.quality.imbalance.iter();
        let imbalance: Map<_, _> = ratios.map(|(name, ratio)| (name.clone(), json!(ratio))).collect();
        object["edge_cut"] = json!(self.quality.edge_cut);
        object["edge_cut_share"] = json!(self.share());
        object["edge_cut_share_by_chance"] = json!(self.by_chance);
        object["imbalance"] = Value::Object(imbalance);
    }
}

/// Writes it for people.
impl fmt::Display for EdgeCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quality { edge_cut, edges, imbalance, .. } = &self.quality;
        let [share, by_chance] = [self.share(), self.by_chance].map(|share| 100.0 * share);
        write!(f, "edges cut: {edge_cut} of {edges}, {share:.1} %; by chance {by_chance:.1} %")?;
        imbalance.iter().try_for_each(|(name, ratio)| write!(f, "\n{name}: most of a part / mean = {ratio:.3}"))
    }
}

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
            "efficiency": by_set(self.sets, found.efficiency.sets.iter().copied()),
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
        let full = self.titles().zip(&found.efficiency.sets);
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
