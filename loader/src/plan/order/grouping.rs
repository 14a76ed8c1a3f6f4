//! [`Grouping`]: how graphs are divided into packs.

use super::PlanPlaces;
use crate::layout::MAX_SETS;
use crate::options::Limits;
use crate::plan::PlanFingerprint;
use graphpack_core::Packer;

/// How graphs are divided into packs.
pub(crate) enum Grouping {
    /// By one plan for all epochs, because all epochs have the same graphs.
    Planned(PlanPlaces),
    /// By a plan for each epoch, because epochs have different graphs.
    Replanned {
        /// Makes the plan.
        packer: Packer<MAX_SETS>,
        /// Limits of a pack.
        limits: Limits,
    },
    /// One graph after the other, without a plan.
    Streamed {
        /// Limits of a pack.
        limits: Limits,
        /// Number of packs that are open at once; `None` for a single pack that ends before the first graph that does
        /// not fit.
        open: Option<u8>,
    },
}

impl Grouping {
    /// The plan of all epochs; `None` if there is none.
    pub(crate) fn plan(&self) -> Option<PlanFingerprint> {
        match self {
            Self::Planned(places) => Some(places.fingerprint()),
            _ => None,
        }
    }
}
