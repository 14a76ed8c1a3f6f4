//! [`batchings`]: every way of batching, so that a new one is tried wherever this list is.

use graphpack_loader::{Batching, Capacity, Heuristic, Limits, Packer};

/// Returns every way of batching with a capacity of a few graphs of [`sizes`](crate::sizes).
pub fn batchings() -> [(Batching, Capacity); 10] {
    let (limits, graphs) = (Capacity::Limits(Limits::new([14, 23]).graphs(5)), Capacity::Graphs(4));
    [
        (Batching::Packed(Packer::Demand), limits),
        (Batching::Packed(Packer::BestFit(Heuristic::Product)), limits),
        (Batching::Window { open: 4 }, limits),
        (Batching::Dynamic, limits),
        (Batching::StaticConstant, graphs),
        (Batching::Static64, graphs),
        (Batching::StaticPow2, graphs),
        (Batching::NodeBudget { nodes: 15 }, graphs),
        (Batching::EdgeBudget { edges: 25 }, graphs),
        (Batching::GraphsOrNodes { nodes: 15 }, graphs),
    ]
}
