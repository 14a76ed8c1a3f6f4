//! [`exchanges`]: which sizes may take the places of others.

use super::column::Column;
use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::Effort;
use alloc::vec::Vec;

/// Most smaller sizes for a place.
const MOST: usize = 3;

/// How many of the next smaller sizes are looked at.
const NEXT: usize = 256;

/// Columns that let each place stay empty, or be taken by the largest sizes that are smaller in no component larger.
///
/// They make the prices of the linear program rise with the sizes, nearly as they do in the end. Without them, prices of
/// a plan of whole packs are arbitrary, and most packs that are found at such prices improve nothing. They cost a little,
/// so that in the end few are used.
pub(super) fn exchanges<const K: usize>(
    sizes: &[([u32; K], u64)],
    limits: &FixedLimits<K>,
    cost: f64,
    effort: &mut Effort,
) -> Vec<Column> {
    let fill = |size: &[u32; K]| (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]));
    let mut ascending: Vec<(f64, usize)> = sizes.iter().enumerate().map(|(at, (size, _))| (fill(size), at)).collect();
    ascending.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    effort.use_up((sizes.len() * NEXT.min(sizes.len())) as u64);
    let size = |at: usize| sizes[at].0;
    let mut columns = Vec::new();
    for (rank, &(_, place)) in ascending.iter().enumerate() {
        columns.push(Column::exchange(place, None, cost));
        let mut taking: Vec<usize> = Vec::new();
        for &(_, at) in ascending[..rank].iter().rev().take(NEXT) {
            // What is smaller than one that was found follows from that one's own exchanges.
            let follows = taking.iter().any(|&larger| size(at).fits(&size(larger)));
            if size(at).fits(&size(place)) && !follows {
                taking.push(at);
                if taking.len() == MOST {
                    break;
                }
            }
        }
        columns.extend(taking.into_iter().map(|at| Column::exchange(place, Some(at), cost)));
    }
    columns
}
