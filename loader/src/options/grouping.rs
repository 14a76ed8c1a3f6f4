//! [`Grouping`]: which graphs share a batch.

use super::SavedPlan;
use graphpack_core::{Packer, Plan};
use std::fmt;

/// Decides which graphs share a batch. How much fits into it is [`Capacity`](crate::Capacity)'s.
///
/// | | order of the graphs | graphs per batch | also in |
/// |---|---|---|---|
/// | [`Packed`](Self::Packed), [`Plan`](Self::Plan) | any | as many as fit | |
/// | [`Window`](Self::Window) | nearly kept | as many as fit | grain's `PackIterDataset` for sequences |
/// | [`InOrder`](Self::InOrder) | kept | until one does not fit | jraph, TF-GNN, PyTorch Geometric, ptgnn |
///
/// ```
/// use graphpack_loader::{Grouping, Loader, Options, molecules};
///
/// let data = std::sync::Arc::new(molecules::generate(7, 1000));
/// let batches = |grouping| -> Result<usize, Box<dyn std::error::Error>> {
///     let options = Options::rows(&[("nodes", 512), ("edges", 1152)], 32).grouping(grouping);
///     Ok(Loader::new(data.clone(), options)?.batches(0)?)
/// };
/// assert!(batches(Grouping::Window(32))? < batches(Grouping::InOrder)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Grouping {
    /// Packs graphs by a plan, which this packer makes from the histogram of sizes. Its packs are made alike and
    /// composed again for each epoch ([`Recomposer`](graphpack_core::Recomposer)). Of a weighted heuristic, the first
    /// weights are those of the sets, in their order.
    Packed(Packer),
    /// Packs graphs by a plan that was made before, once for all ranks. The capacity is then that of the plan. Another
    /// capacity is an error, and so are graphs of other sizes than the plan has.
    Plan(SavedPlan),
    /// Puts each graph into the open pack that it fits best, out of this number of packs, 1 to
    /// [`MOST_OPEN`](graphpack_core::stream::MOST_OPEN) ([`stream::Window`](graphpack_core::stream::Window)). Batches
    /// are nearly as full as with a plan, and any graphs may meet in a batch.
    Window(u8),
    /// Fills one batch until the next graph does not fit ([`NextFit`](graphpack_core::stream::NextFit)): jraph's
    /// `dynamically_batch`, PyTorch Geometric's `DynamicBatchSampler` (except that every graph occurs once and no batch
    /// is empty), and static batches of [exactly](crate::Capacity::exactly) one number of graphs.
    InOrder,
}

impl Grouping {
    /// Packs that [`Window`](Self::Window) keeps open where nobody says how many.
    pub const DEFAULT_OPEN: u8 = 32;
}

impl From<Packer> for Grouping {
    fn from(packer: Packer) -> Self {
        Self::Packed(packer)
    }
}

impl From<SavedPlan> for Grouping {
    fn from(plan: SavedPlan) -> Self {
        Self::Plan(plan)
    }
}

impl From<Plan> for Grouping {
    fn from(plan: Plan) -> Self {
        Self::Plan(plan.into())
    }
}

/// Writes the option as errors name it: `packed`, `window(32)`.
impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(_) => f.write_str("packed"),
            Self::Plan(_) => f.write_str("plan"),
            Self::Window(open) => write!(f, "window({open})"),
            Self::InOrder => f.write_str("in_order"),
        }
    }
}
