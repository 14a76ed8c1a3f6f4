//! [`FixedPlan`]: the packs of a plan in fixed memory, for targets without an allocator.

use crate::packs::Packs;
use crate::{Limits, Pack, Size};
use heapless::Vec;

/// The packs of a [`Plan`](crate::Plan) in place: at most `PACKS` distinct ones, of `ENTRIES` sizes with multiplicities in all.
///
/// A host makes the plan, turns it into this and serialises it; a microcontroller reads it back and [follows](crate::stream::Follow) it. Who
/// made the plan and the bound stay behind, so that what was flashed long ago reads the plans of packers it has never heard of. Takes
/// `(4 K + 4) ENTRIES + 16 PACKS` bytes where a pointer has 32 bits. What is read is checked like a plan.
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use graphpack_core::{FixedPlan, Heuristic, Histogram, Limits, Packer, Size};
///
/// let histogram = Histogram::from_counts([(Size([20, 40]), 3), (Size([10, 22]), 3)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
/// let fixed = FixedPlan::<2, 8, 4>::try_from(&plan)?;
/// assert_eq!((fixed.packs(), fixed.graphs()), (3, 6));
/// assert!(FixedPlan::<2, 1, 4>::try_from(&plan).is_err()); // the pack has two sizes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FixedPlan<const K: usize, const ENTRIES: usize, const PACKS: usize> {
    limits: Limits<K>,
    contents: Vec<(Size<K>, u32), ENTRIES>,
    packs: Vec<(usize, u64), PACKS>,
}

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
    /// The limits that every pack keeps.
    pub fn limits(&self) -> &Limits<K> {
        &self.limits
    }

    /// Number of packs, repeats counted.
    pub fn packs(&self) -> u64 {
        self.view().packs()
    }

    /// Number of graphs in all packs.
    pub fn graphs(&self) -> u64 {
        self.view().graphs()
    }

    /// The distinct packs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Pack<'_, K>> {
        self.view().iter()
    }

    pub(crate) fn view(&self) -> Packs<'_, K> {
        Packs { contents: &self.contents, ends: &self.packs }
    }
}

#[cfg(feature = "alloc")]
impl<const K: usize, const ENTRIES: usize, const PACKS: usize> TryFrom<&crate::Plan<K>>
    for FixedPlan<K, ENTRIES, PACKS>
{
    type Error = FixedPlanError;

    fn try_from(plan: &crate::Plan<K>) -> Result<Self, FixedPlanError> {
        let Packs { contents, ends } = plan.view();
        let full =
            |_| FixedPlanError { entries: contents.len(), packs: ends.len(), most_entries: ENTRIES, most_packs: PACKS };
        let contents = Vec::from_slice(contents).map_err(full)?;
        Ok(Self { limits: *plan.limits(), contents, packs: Vec::from_slice(ends).map_err(full)? })
    }
}

/// A plan that is too large for the memory set aside for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the plan has {packs} distinct packs with {entries} sizes in all; there is room for {most_packs} with {most_entries}"
)]
pub struct FixedPlanError {
    /// Sizes with multiplicities in all packs of the plan.
    pub entries: usize,
    /// Distinct packs of the plan.
    pub packs: usize,
    /// Room for sizes.
    pub most_entries: usize,
    /// Room for distinct packs.
    pub most_packs: usize,
}

#[cfg(feature = "serde")]
mod serialized {
    //! Read back through the check that plans are read through.
    use super::{FixedPlan, Limits, Size, Vec};
    use serde::de::{Deserialize, Deserializer, Error};

    #[derive(serde::Deserialize)]
    struct Raw<const K: usize, const ENTRIES: usize, const PACKS: usize> {
        limits: Limits<K>,
        contents: Vec<(Size<K>, u32), ENTRIES>,
        packs: Vec<(usize, u64), PACKS>,
    }

    impl<'de, const K: usize, const ENTRIES: usize, const PACKS: usize> Deserialize<'de> for FixedPlan<K, ENTRIES, PACKS> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Raw { limits, contents, packs } = Raw::deserialize(deserializer)?;
            let plan = Self { limits, contents, packs };
            plan.view().check(&limits).map_err(Error::custom)?;
            Ok(plan)
        }
    }
}
