//! [`batchings`] and [`PADDINGS`]: every way of batching and of padding, so that a new one is tried wherever this list is.

use graphpack_core::Cost;
use graphpack_loader::{Batching, Capacity, Heuristic, Limits, Loader, Packer, Padding, Size, Source, Store};

/// Every padding, so that a new one is tried wherever this list is.
pub const PADDINGS: [Padding; 4] = [Padding::SelfLoops, Padding::TwoNodes, Padding::Apart, Padding::Jraph];

/// Returns every way of batching with capacities of a few graphs of `store`, for any padding.
pub fn batchings(store: &Store) -> Vec<(Batching, Capacity)> {
    let sets = store.schema().sets();
    let sizes = (0..store.len()).map(|graph| store.size(graph));
    let largest = sizes.fold(Size::of(sets.len(), |_| 1), |largest, size| largest.max_each(&size));
    let limits = Limits::new(Size::of(sets.len(), |set| largest[set] + largest[set] / 4)).graphs(5);
    let padded = Loader::new(store.clone()).batching(Batching::Dynamic).limits(limits).padding(Padding::Apart).build();
    let shape = padded.expect("a few rows").shape().expect("dynamic batches have one");
    // Room for about four graphs, and their padding.
    let budget = largest.as_slice().iter().map(|rows| 4 * u64::from(rows + 8)).sum();
    let (limits, graphs) = (Capacity::Limits(limits), Capacity::Graphs(4));
    let (set, rows) = (sets.len() as u8 - 1, largest[sets.len() - 1]);
    let mut all = vec![
        (Batching::Packed(Packer::Demand), limits),
        (Batching::Packed(Packer::BestFit(Heuristic::Product)), limits),
        (Batching::Packed(Packer::Demand), Capacity::Search(4)),
        (Batching::Packed(Packer::Demand), Capacity::Buckets { shapes: 3, graphs: 3 }),
        (Batching::Packed(Packer::Demand), Capacity::Cheapest { cost: Cost::SLOTS, memory: Cost::SLOTS, budget }),
        (Batching::Window { open: 4 }, limits),
        (Batching::Window { open: 4 }, Capacity::Percentile { batch_size: 5, share: 0.9 }),
        (Batching::Dynamic, limits),
        (Batching::Dynamic, Capacity::Shape(shape)),
        (Batching::Dynamic, Capacity::Dynamic { batch_size: 5 }),
        (Batching::Dynamic, Capacity::Tight { batch_size: 5 }),
        (Batching::StaticConstant, graphs),
        (Batching::Static64, graphs),
        (Batching::StaticPow2, graphs),
        (Batching::RowBudget { set, rows }, graphs),
        (Batching::GraphsOrRows { set, rows }, graphs),
    ];
    if let Some(set) = store.schema().set("nodes") {
        all.push((Batching::NodeBudget { nodes: largest[set] }, graphs));
        all.push((Batching::GraphsOrNodes { nodes: largest[set] }, graphs));
    }
    if let Some(set) = store.schema().set("edges") {
        all.push((Batching::EdgeBudget { edges: largest[set] }, graphs));
    }
    all
}

/// Whether batches of this kind hold packs, so that one may hold several.
pub fn of_packs(batching: Batching) -> bool {
    matches!(batching, Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic)
}
