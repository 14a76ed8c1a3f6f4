//! Divides graphs into packs in the order in which they come, without a plan.

use super::EpochOrder;
use crate::layout::MAX_SETS;
use crate::options::{Grouping, Limits};
use crate::plan::sizes::Sizes;
use graphpack_core::stream::{NextFit, Pushed, TooLarge, pack_in_window};

/// Fills one pack until the next graph does not fit, then begins the next pack. A graph that exceeds the limits gets a
/// pack of its own.
pub(super) fn in_turn(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    // With eight lanes for two sets, which most data have, this was a twentieth of all instructions of small batches.
    match sizes.sets() {
        0..=2 => next_fit::<2>(graphs, sizes, limits),
        _ => next_fit::<MAX_SETS>(graphs, sizes, limits),
    }
}

fn next_fit<const K: usize>(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    // Sets that there are not have no rows and no room.
    let mut stream = NextFit::<K>::new(limits.into(), TooLarge::Alone);
    for &graph in graphs {
        let size = sizes.of(graph).all().first_chunk().copied().unwrap_or([0; K]);
        if let Ok(Pushed::FlushFirst) = stream.push(size) {
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
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut slots = vec![Vec::new(); usize::from(Grouping::MOST_OPEN)];
    let mut close = |slot: &mut Vec<u32>| {
        packs.extend(slot);
        packs.close();
        slot.clear();
    };
    let mut next = graphs.iter();
    let left = pack_in_window(&mut graphs.iter().map(|&graph| *sizes.of(graph)), limits, open.into(), &mut |placed| {
        let Some((&graph, placed)) = next.next().zip(placed) else {
            // Cannot happen: graphs that exceed the limits were left out when the loader was built.
            return;
        };
        if placed.closed {
            close(&mut slots[placed.slot]);
        }
        slots[placed.slot].push(graph);
    });
    slots.iter_mut().take(left).for_each(close);
    packs
}
