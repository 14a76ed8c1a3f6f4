//! [`PlanFingerprint`]: tells plans apart that have the same packer and limits.

use crate::fingerprint::mix;
use graphpack_core::Plan;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Tells plans apart. A plan that was read from a file, or that another release of the packer made, may have other packs
/// than one with the same packer and limits; a saved state belongs to exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFingerprint {
    /// Number of packs.
    pub packs: u64,
    /// Hash of the packs in their order, each with its sizes in their order: the epoch order follows from both.
    pub hash: u64,
}

impl PlanFingerprint {
    /// Returns the fingerprint of `plan`.
    pub(crate) fn new(plan: &Plan) -> Self {
        let hash = plan.iter().fold(mix(0, plan.limits().size.sets() as u64), |hash, pack| {
            let contents = pack.contents();
            let hash = mix(mix(hash, pack.repeat), contents.len() as u64);
            contents.fold(hash, |hash, (size, times)| {
                size.as_slice().iter().fold(mix(hash, u64::from(times)), |hash, &rows| mix(hash, u64::from(rows)))
            })
        });
        Self { packs: plan.packs(), hash }
    }

    /// Returns the fingerprint of this plan and another.
    pub(super) fn and(self, other: Self) -> Self {
        Self { packs: self.packs + other.packs, hash: mix(self.hash, other.hash) }
    }
}

impl fmt::Display for PlanFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packs with the fingerprint {:016x}", self.packs, self.hash)
    }
}
