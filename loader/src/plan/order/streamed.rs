//! Divides graphs into packs in the order in which they come, without a plan.

use super::EpochOrder;
use crate::options::{Batching, Limits};
use crate::plan::sizes::Sizes;
use graphpack_core::components;
use graphpack_core::stream::{NextFit, Pushed, TooLarge, Window};

/// Fills one pack until the next graph does not fit, then begins the next pack. A graph that exceeds the limits gets a
/// pack of its own.
pub(super) fn in_turn(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    components!(limits.size.sets(), K => in_turn_of::<K>(graphs, sizes, limits)).unwrap_or_default()
}

fn in_turn_of<const K: usize>(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut stream = NextFit::<K>::new(limits.exact(), TooLarge::Alone);
    for &graph in graphs {
        if let Ok(Pushed::FlushFirst) = stream.push(sizes.of(graph).exact()) {
            packs.close();
        }
        packs.extend(&[graph]);
    }
    match stream.finish() {
        Some((_, held)) if held < limits.graphs => packs.close_incomplete(),
        Some(_) => packs.close(),
        None => {}
    }
    packs
}

/// Puts each graph into the pack that it fits best, out of `open` packs.
pub(super) fn by_window(graphs: &[u32], sizes: &Sizes, limits: &Limits, open: u8) -> EpochOrder {
    components!(limits.size.sets(), K => by_window_of::<K>(graphs, sizes, limits, open)).unwrap_or_default()
}

fn by_window_of<const K: usize>(graphs: &[u32], sizes: &Sizes, limits: &Limits, open: u8) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut window = Window::<K, { Batching::MOST_OPEN as usize }>::new(limits.exact()).keep_open(usize::from(open));
    let mut slots = vec![Vec::new(); usize::from(Batching::MOST_OPEN)];
    let mut close = |slot: &mut Vec<u32>| {
        packs.extend(slot);
        packs.close();
        slot.clear();
    };
    for &graph in graphs {
        // Cannot happen: graphs that exceed the limits were left out when the loader was built.
        let Ok(placed) = window.push(sizes.of(graph).exact()) else { continue };
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
