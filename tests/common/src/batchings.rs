//! [`batchings`] and [`PADDINGS`]: every way of batching and of padding, so that a new one is tried wherever this list
//! is; what the batches of an epoch hold.

use graphpack_core::Cost;
use graphpack_loader::{
    Batch, Capacity, Epoch, Estimate, Grouping, Heuristic, Limits, Loader, Options, Oversize, Packer, Padding, Shapes,
    Size, Store,
};

/// Every padding, so that a new one is tried wherever this list is.
pub const PADDINGS: [Padding; 4] = [Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond, Padding::Jraph];

/// Returns every way of batching with capacities of a few graphs of `store`, for any padding.
pub fn batchings(store: &Store) -> Vec<Options> {
    let sets = store.schema().sets();
    let sizes = store.sizes();
    let largest = sizes.fold(Size::of(sets.len(), |_| 1), |largest, size| largest.max_each(&size));
    let limits = Limits::new(Size::of(sets.len(), |set| largest[set] + largest[set] / 4)).graphs(5);
    let packed = Options::default().grouping(Packer::Demand);
    let window = Options::default().grouping(Grouping::Window(4));
    let in_order = Options::default().grouping(Grouping::InOrder);
    let dynamic = in_order.clone().capacity(limits);
    let padded = Loader::new(store.clone(), dynamic.clone().packs(2).padding(Padding::Beyond));
    let shape = padded.expect("a few rows").shape().expect("there is one");
    // Room for about four graphs, and their padding.
    let budget = largest.as_slice().iter().map(|rows| 4 * u64::from(rows + 8)).sum();
    let mut all = vec![
        packed.clone().capacity(limits),
        Options::default().capacity(limits).grouping(Packer::BestFit(Heuristic::Product)),
        packed.clone().capacity(Capacity::fullest(4)),
        packed.clone().capacity(Capacity::graphs(3)).shapes(Shapes::Few(3)),
        packed.clone().capacity(Capacity::cheapest(Cost::ROWS, Cost::ROWS, budget)),
        packed.capacity(limits).shapes(Shapes::Exact),
        window.clone().capacity(limits),
        window.clone().capacity(Capacity::estimate(Estimate::Percentile(0.9), 5)),
        window.capacity(limits).shapes(Shapes::PowerOfTwo),
        dynamic,
        in_order.clone().capacity(Capacity::shape(shape)),
        in_order.clone().capacity(Capacity::estimate(Estimate::Jraph, 5)),
        in_order.clone().capacity(Capacity::estimate(Estimate::Tight, 5)),
        Options::exactly(4),
        Options::exactly(4).shapes(Shapes::Multiple(64)),
        Options::exactly(4).shapes(Shapes::PowerOfTwo),
        Options::exactly(4).shapes(Shapes::Exact),
    ];
    for (set, name) in sets.iter().enumerate() {
        // As PyTorch Geometric and ptgnn do it, and in steps.
        let rows = |graphs| in_order.clone().capacity(Capacity::rows(&[(name, largest[set])], graphs));
        all.push(rows(u32::MAX).shapes(Shapes::Exact));
        all.push(rows(4).shapes(Shapes::Exact).oversize(Oversize::Alone));
        all.push(rows(u32::MAX).shapes(Shapes::Multiple(8)));
    }
    all
}

/// Whether batches may hold several packs: not of a fixed number of graphs.
pub fn of_packs(options: &Options) -> bool {
    !options.capacity.to_string().starts_with("exactly")
}

/// Returns all batches of an epoch; an error in it fails the test.
pub fn batches(epoch: Epoch) -> Vec<Batch> {
    epoch.collect::<Result<_, _>>().unwrap()
}

/// Returns the numbers of all graphs of an epoch, in its order.
pub fn graph_ids(epoch: Epoch) -> Vec<i64> {
    batches(epoch).iter().flat_map(|batch| batch.graph_ids().to_vec()).collect()
}

/// Goes on with a hash of FNV-1a; this crate is optimised, those of tests are not.
pub fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}
