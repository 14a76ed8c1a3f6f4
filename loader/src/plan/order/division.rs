//! [`Division`]: how graphs are divided into packs.

use super::PlanPlaces;
use crate::options::Limits;
use crate::plan::{Buckets, PlanFingerprint};
use graphpack_core::Packer;
use std::sync::Arc;

/// How graphs are divided into packs.
pub(crate) enum Division {
    /// By one plan of each bucket for all epochs, because all epochs have the same graphs.
    Planned(Vec<PlanPlaces>),
    /// By plans for each epoch, because epochs have different graphs.
    Replanned {
        /// Makes the plans.
        packer: Packer,
        /// Which graphs are packed under which limits.
        buckets: Arc<Buckets>,
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

impl Division {
    /// The plans of all epochs; `None` if there are none.
    pub(crate) fn plan(&self) -> Option<PlanFingerprint> {
        match self {
            Self::Planned(plans) => plans.iter().map(PlanPlaces::fingerprint).reduce(PlanFingerprint::and),
            _ => None,
        }
    }
}
