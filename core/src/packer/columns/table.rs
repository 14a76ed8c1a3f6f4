//! [`Table`]: the most that graphs can be worth in the room that is left in one set.

use crate::packer::Effort;
use alloc::vec::Vec;

/// Most cells that a pack's room in one component is divided into.
pub(super) const MOST_CELLS: u32 = 4096;

/// Up to this many graphs are told apart; beyond, any number counts the same.
const LEVELS: u32 = 4;

/// For every room in one component and every number of graphs, the worth of the dearest graphs that have room there.
pub(super) struct Table {
    cells: usize,
    /// The last level; up to it a level is a number of graphs.
    last: u32,
    /// Level after level.
    worth: Vec<f64>,
}

impl Table {
    /// `items` are cells and prices; `room` is that of a pack, which holds `graphs` at most. None if the effort is too
    /// small.
    pub(super) fn new(
        items: impl Iterator<Item = (u32, f64)>,
        room: u32,
        graphs: u32,
        effort: &mut Effort,
    ) -> Option<Self> {
        let mut items: Vec<(usize, f64)> = items.map(|(takes, price)| (takes as usize, price)).collect();
        items.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        // Only what is dearer than all that takes less.
        let mut dearest = 0.0;
        items.retain(|&(_, price)| {
            let dearer = price > dearest;
            dearest = if dearer { price } else { dearest };
            dearer
        });
        let cells = room as usize + 1;
        let last = if graphs > LEVELS { LEVELS + 1 } else { graphs };
        if !effort.spend(cells as u64 * items.len() as u64 * u64::from(last)) {
            return None;
        }
        let mut worth = alloc::vec![0.0; cells * (last as usize + 1)];
        for level in 1..=last as usize {
            let (before, this) = worth.split_at_mut(level * cells);
            let (before, this) = (&before[(level - 1) * cells..], &mut this[..cells]);
            this.copy_from_slice(before);
            if level as u32 <= LEVELS {
                for &(takes, price) in items.iter().filter(|(takes, _)| *takes < cells) {
                    for (this, before) in this[takes..].iter_mut().zip(before) {
                        let with = before + price;
                        *this = if with > *this { with } else { *this };
                    }
                }
            } else {
                for &(takes, price) in items.iter().filter(|(takes, _)| *takes < cells) {
                    if takes == 0 {
                        this.iter_mut().for_each(|worth| *worth += price * f64::from(graphs));
                        continue;
                    }
                    for cell in takes..cells {
                        let with = this[cell - takes] + price;
                        this[cell] = if with > this[cell] { with } else { this[cell] };
                    }
                }
            }
        }
        Some(Self { cells, last, worth })
    }

    /// The most that `graphs` can be worth in a room.
    #[inline]
    pub(super) fn most(&self, room: u32, graphs: u32) -> f64 {
        self.worth[graphs.min(self.last) as usize * self.cells + room as usize]
    }
}
