//! [`Grouping`]: how graphs are divided into packs.

use super::PlanPlaces;
use graphpack_core::{Limits, Packer};

/// How graphs are divided into packs.
pub(crate) enum Grouping {
    /// By one plan for all epochs, because all epochs have the same graphs.
    Planned(PlanPlaces),
    /// By a plan for each epoch, because epochs have different graphs.
    Replanned {
        /// Makes the plan.
        packer: Packer<2>,
        /// Limits of a pack.
        limits: Limits<2>,
    },
    /// One graph after the other, without a plan.
    Streamed {
        /// Limits of a pack.
        limits: Limits<2>,
        /// Number of packs that are open at once; `None` for a single pack that ends before the first graph that does
        /// not fit.
        open: Option<u8>,
    },
}
