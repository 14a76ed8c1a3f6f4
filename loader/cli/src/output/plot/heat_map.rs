//! [`heat_map`]: how full packs are under many limits, as in figure 5 of the paper.

use super::cells::{Cell, Cells};
use super::scale::Scale;
use crate::output::Outcome;
use std::path::Path;

/// Values below this are drawn like it.
const LEAST: f64 = 50.0;

/// Draws how full packs are, a share from 0 to 1, over limits of two sets. The first set goes upwards, the second to the
/// right. Cells are pale where the share is only a bound: false at the end of an item.
pub(crate) fn heat_map(path: &Path, sets: [&str; 2], grid: &[([u32; 2], f64, bool)]) -> Outcome {
    let axis = |k: usize| {
        let mut values: Vec<u32> = grid.iter().map(|(limits, ..)| limits[k]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let ends = [axis(0), axis(1)];
    let cell = |&([up, across], share, found): &([u32; 2], f64, bool)| Cell {
        from: [f64::from(across), f64::from(up)],
        to: [end(&ends[1], across), end(&ends[0], up)],
        value: 100.0 * share,
        pale: !found,
    };
    let framed = (0..grid.len()).filter(|&cell| grid[cell].2).max_by(|&a, &b| grid[a].1.total_cmp(&grid[b].1));
    let lowest = grid.iter().map(|(_, share, _)| 100.0 * share).fold(100.0, f64::min);
    let Some(([up, across], best, _)) = framed.map(|best| grid[best]) else { return Ok(()) };
    let pale = if grid.iter().all(|cell| cell.2) { "" } else { "; pale: at most" };
    let below = if lowest < LEAST { format!("; less than {LEAST} % drawn as {LEAST} %") } else { String::new() };
    let least = ((lowest / 5.0).floor() * 5.0).max(LEAST);
    let scale = |k: usize| {
        let (first, last) = (ends[k][0], ends[k][ends[k].len() - 1]);
        Scale::linear(format!("limit of {}", sets[k]), f64::from(first), end(&ends[k], last))
    };
    let picture = Cells {
        title: format!(
            "How full packs are: best {:.1} % at {up} {}, {across} {} (framed){pale}{below}",
            100.0 * best,
            sets[0],
            sets[1]
        ),
        axes: [scale(1), scale(0)],
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
