//! [`Grouping`]: how graphs are divided into packs.

use super::PlanPlaces;
use graphpack_core::{Limits, Packer};

/// How graphs are divided into packs.
pub(crate) enum Grouping {
    /// Into the places of a plan that is the same in every epoch, as the graphs are.
    Planned(PlanPlaces),
    /// By a plan for the graphs of each epoch, which differ.
    Replanned {
        /// Makes the plan.
        packer: Packer<2>,
        /// Of a pack.
        limits: Limits<2>,
    },
    /// As they come.
    Streamed {
        /// Of a pack.
        limits: Limits<2>,
        /// Packs that are open at once; none for one pack that ends before the first graph that does not fit.
        open: Option<u8>,
    },
}

impl Grouping {
    /// Whether every batch keeps its limits because a plan does.
    pub(crate) fn is_planned(&self) -> bool {
        !matches!(self, Self::Streamed { .. })
    }
}
