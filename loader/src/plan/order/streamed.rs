//! Divides graphs into packs in the order in which they come, without a plan.

use super::EpochOrder;
use crate::options::Batching;
use graphpack_core::stream::{NextFit, Pushed, TooLarge, Window};
use graphpack_core::{Limits, Size};

/// Fills one pack until the next graph does not fit, then begins the next pack. A graph that exceeds the limits gets a
/// pack of its own.
pub(super) fn in_turn(graphs: &[u32], sizes: &[Size<2>], limits: &Limits<2>) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut stream = NextFit::new(*limits, TooLarge::Alone);
    for &graph in graphs {
        if let Ok(Pushed::FlushFirst) = stream.push(sizes[graph as usize]) {
            packs.close();
        }
        packs.extend(&[graph]);
    }
    if !graphs.is_empty() {
        packs.close();
    }
    packs
}

/// Puts each graph into the pack that it fits best, out of `open` packs.
pub(super) fn by_window(graphs: &[u32], sizes: &[Size<2>], limits: &Limits<2>, open: u8) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut window = Window::<2, { Batching::MOST_OPEN as usize }>::new(*limits).keep_open(usize::from(open));
    let mut slots = vec![Vec::new(); usize::from(Batching::MOST_OPEN)];
    let mut close = |slot: &mut Vec<u32>| {
        packs.extend(slot);
        packs.close();
        slot.clear();
    };
    for &graph in graphs {
        // Cannot happen: graphs that exceed the limits were left out when the loader was built.
        let Ok(placed) = window.push(sizes[graph as usize]) else { continue };
        if placed.closed {
            close(&mut slots[placed.slot]);
        }
        slots[placed.slot].push(graph);
    }
    for slot in window.finish() {
        close(&mut slots[slot]);
    }
    packs
}
