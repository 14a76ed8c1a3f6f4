//! Graphs divided into packs as they come.

use super::EpochOrder;
use graphpack_core::stream::{NextFit, Pushed, TooLarge, Window};
use graphpack_core::{Limits, Size};

/// Most packs that can be open.
const MOST: usize = 128;

/// Divides graphs into packs; `open` packs at once, or one where each pack ends before the first that does not fit and one that exceeds the
/// limits is alone.
pub(super) fn divide(
    graphs: &[u32],
    sizes: &[Size<2>],
    limits: &Limits<2>,
    open: Option<u8>,
    per_batch: usize,
) -> EpochOrder {
    let mut packs = Packs { graphs: Vec::with_capacity(graphs.len()), ends: Vec::new() };
    match open {
        None => {
            let mut stream = NextFit::new(*limits, TooLarge::Alone);
            for &graph in graphs {
                if let Ok(Pushed::FlushFirst) = stream.push(sizes[graph as usize]) {
                    packs.ends.push(packs.graphs.len());
                }
                packs.graphs.push(graph);
            }
            if !graphs.is_empty() {
                packs.ends.push(packs.graphs.len());
            }
        }
        Some(open) => {
            let mut window = Window::<2, MOST>::new(*limits).keep_open(usize::from(open));
            let mut slots = vec![Vec::new(); MOST];
            for &graph in graphs {
                // Graphs that do not fit were left out when the loader was built.
                let Ok(placed) = window.push(sizes[graph as usize]) else { continue };
                if placed.closed {
                    packs.close(&mut slots[placed.slot]);
                }
                slots[placed.slot].push(graph);
            }
            for slot in window.finish() {
                packs.close(&mut slots[slot]);
            }
        }
    }
    let ends = packs.ends.chunks(per_batch).filter_map(|batch| batch.last().copied()).collect();
    EpochOrder { graphs: packs.graphs, ends, sequence: None }
}

/// Packs, one after the other.
struct Packs {
    graphs: Vec<u32>,
    ends: Vec<usize>,
}

impl Packs {
    fn close(&mut self, slot: &mut Vec<u32>) {
        self.graphs.append(slot);
        self.ends.push(self.graphs.len());
    }
}
