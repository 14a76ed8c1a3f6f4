//! [`Statistics`]: shapes, fill and times of the batches that an algorithm makes, without any model.

use super::Outcome;
use super::algorithm::Algorithm;
use super::data::Graphs;
use super::training::milliseconds;
use graphpack_loader::{Loader, Options, Order};
use indicatif::ProgressBar;
use laboratory::statistics::{mean, median};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Batches of one algorithm at one batch size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Statistics {
    pub(crate) algorithm: String,
    pub(crate) batch_size: u32,
    pub(crate) batches: u64,
    pub(crate) graphs: u64,
    /// Share of the nodes of all batches that are real; likewise of the edges.
    pub(crate) node_fill: f64,
    pub(crate) edge_fill: f64,
    pub(crate) distinct_shapes: usize,
    /// Nodes and edges of the most common shape.
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
    /// Share of four batches in turn whose shapes are not all equal: the steps of four devices (appendix F).
    pub(crate) unequal_fours: f64,
    /// Time to draw the order of an epoch and to divide it into batches, per batch.
    pub(crate) planning_ms: f64,
    /// Time to collate a batch.
    pub(crate) batching_ms_mean: f64,
    pub(crate) batching_ms_median: f64,
}

/// Real nodes and graphs of all batches but the last of each epoch, which is not full.
pub(crate) type Full = Vec<[usize; 2]>;

/// Makes whole epochs until there are at least `wanted` batches.
pub(crate) fn measure(
    data: &Graphs,
    (algorithm, batch_size): (Algorithm, u32),
    wanted: u64,
    seed: u64,
    bar: &ProgressBar,
) -> Outcome<(Statistics, Full)> {
    let options = Options::default().order(Order::Shuffled).seed(seed).workers(0);
    let options = algorithm.apply(options, &data.sample, batch_size).ok_or("the shape exceeds 32 bits")?;
    let loader = Loader::new(data.store.clone(), options)
        .map_err(|error| format!("{algorithm}, batch size {batch_size}: {error}"))?;
    let mut full = Full::new();
    let mut times = Vec::new();
    let mut shapes = BTreeMap::new();
    let (mut batches, mut graphs, mut real, mut slots) = (0, 0, [0_u64; 2], [0_u64; 2]);
    let (mut four, mut fours, mut unequal) = (Vec::new(), 0_u64, 0_u64);
    let mut planning = Duration::ZERO;
    for epoch in 0.. {
        if batches >= wanted {
            break;
        }
        let begun = Instant::now();
        let planned = loader.epoch(epoch);
        planning += begun.elapsed();
        for batch in planned {
            let batch = batch?;
            let (found, shape) = (batch.real(), batch.shape());
            full.push([found.nodes(), found.graphs()]);
            *shapes.entry((shape.nodes(), shape.edges(), shape.graphs())).or_insert(0_u64) += 1;
            four.push(shape);
            if four.len() == 4 {
                fours += 1;
                unequal += u64::from(four.drain(..).any(|other| other != shape));
            }
            for (k, (found, shape)) in
                [(found.nodes(), shape.nodes()), (found.edges(), shape.edges())].into_iter().enumerate()
            {
                real[k] += found as u64;
                slots[k] += shape as u64;
            }
            times.push(milliseconds(batch.collating()));
            batches += 1;
            graphs += found.graphs() as u64;
            bar.inc(1);
        }
        full.pop();
    }
    let common = shapes.iter().max_by_key(|(_, batches)| **batches);
    let (&(nodes, edges, _), _) = common.ok_or("no batches")?;
    let statistics = Statistics {
        algorithm: algorithm.to_string(),
        batch_size,
        batches,
        graphs,
        node_fill: real[0] as f64 / slots[0].max(1) as f64,
        edge_fill: real[1] as f64 / slots[1].max(1) as f64,
        distinct_shapes: shapes.len(),
        nodes,
        edges,
        unequal_fours: unequal as f64 / fours.max(1) as f64,
        planning_ms: planning.as_secs_f64() * 1e3 / batches as f64,
        batching_ms_mean: mean(&times),
        batching_ms_median: median(&times),
    };
    Ok((statistics, full))
}

/// One line per algorithm and batch size, in Markdown.
pub(crate) fn table(all: &[(Statistics, Full)]) -> String {
    let mut text = String::from(
        "| algorithm | batch size | shapes | nodes x edges (most common) | nodes filled | edges filled \
         | graphs per batch | least to most | nodes, least to most | shapes of 4 devices differ \
         | steps per 1,000 graphs | order ms per batch | batching ms, mean | median |\n|",
    );
    text += &"---|".repeat(14);
    text.push('\n');
    let range = |full: &Full, of: usize| {
        let counts = || full.iter().map(|counts| counts[of]);
        counts().min().zip(counts().max()).map_or(String::new(), |(least, most)| format!("{least} to {most}"))
    };
    for (row, full) in all {
        text += &format!(
            "| {} | {} | {} | {} x {} | {:.1} % | {:.1} % | {:.1} | {} | {} | {:.1} % | {:.1} | {:.4} | {:.3} | {:.3} |\n",
            row.algorithm,
            row.batch_size,
            row.distinct_shapes,
            row.nodes,
            row.edges,
            100.0 * row.node_fill,
            100.0 * row.edge_fill,
            row.graphs as f64 / row.batches as f64,
            range(full, 1),
            range(full, 0),
            100.0 * row.unequal_fours,
            1000.0 * row.batches as f64 / row.graphs as f64,
            row.planning_ms,
            row.batching_ms_mean,
            row.batching_ms_median,
        );
    }
    text
}
