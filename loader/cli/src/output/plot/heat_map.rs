//! [`heat_map`]: how full packs are under many limits, as in figure 5 of the paper.

use super::cells::{Cell, Cells};
use super::scale::Scale;
use crate::output::Outcome;
use graphpack_core::search::Candidate;
use std::path::Path;

/// Values below this are drawn like it.
const LEAST: f64 = 50.0;

/// Draws the harmonic mean of the efficiencies of nodes and edges, over limits of nodes and edges.
pub(crate) fn heat_map(path: &Path, grid: &[Candidate<2>]) -> Outcome {
    let axis = |k: usize| {
        let mut values: Vec<u32> = grid.iter().map(|candidate| candidate.limits.size.0[k]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let (nodes, edges) = (axis(0), axis(1));
    let percent = |candidate: &Candidate<2>| 100.0 * candidate.score();
    let cell = |candidate: &Candidate<2>| {
        let [n, e] = candidate.limits.size.0;
        Cell { from: [f64::from(e), f64::from(n)], to: [end(&edges, e), end(&nodes, n)], value: percent(candidate) }
    };
    let framed = (0..grid.len()).max_by(|&a, &b| grid[a].score().total_cmp(&grid[b].score()));
    let lowest = grid.iter().map(percent).fold(100.0, f64::min);
    let Some(best) = framed.map(|best| &grid[best]) else { return Ok(()) };
    let [best_nodes, best_edges] = best.limits.size.0;
    let below = if lowest < LEAST { format!("; less than {LEAST} % drawn as {LEAST} %") } else { String::new() };
    let least = ((lowest / 5.0).floor() * 5.0).max(LEAST);
    let scale = |name: &str, values: &[u32]| {
        let (first, last) = (values[0], values[values.len() - 1]);
        Scale::linear(format!("limit of {name}"), f64::from(first), end(values, last))
    };
    let picture = Cells {
        title: format!(
            "How full packs are: best {:.1} % at {best_nodes} nodes, {best_edges} edges (framed){below}",
            percent(best)
        ),
        axes: [scale("edges", &edges), scale("nodes", &nodes)],
        colors: Scale::linear("filled", least, 100.0).unit(" %"),
        cells: grid.iter().map(cell).collect(),
        framed,
    };
    picture.save(path)
}

/// Where the cell of a limit ends: at the next limit; the last one is as wide as the one before.
fn end(limits: &[u32], limit: u32) -> f64 {
    let next = limits.partition_point(|&other| other <= limit);
    let width = |next: usize| f64::from(limits[next] - limits[next - 1]);
    match (limits.get(next), limits.len()) {
        (Some(&next), _) => f64::from(next),
        (None, 0 | 1) => f64::from(limit) + 1.0,
        (None, count) => f64::from(limit) + width(count - 1),
    }
}
