//! [`FixedPlan`]: the packs of a plan in fixed memory, for targets without an allocator.

use super::packs::Packs;
use crate::{Limits, Pack, Size};
use heapless::Vec;

/// The packs of a [`Plan`](crate::Plan) without an allocator: at most `PACKS` distinct packs, with at most `ENTRIES`
/// sizes in all of them together.
///
/// A host makes the plan, turns it into a `FixedPlan` and serialises it, or writes it with `graphpack plan --out`; a
/// microcontroller reads it and [follows](crate::stream::Follow) it. Or the microcontroller makes the plan, by
/// [`best_fit`](Self::best_fit). The packer and the bound are left out, so that firmware also reads plans of
/// packers that are newer than itself. Takes `(4 K + 4) ENTRIES + 16 PACKS` bytes where a pointer has 32 bits. A plan
/// that is read is checked in place.
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
pub struct FixedPlan<const K: usize, const ENTRIES: usize, const PACKS: usize> {
    pub(super) limits: Limits<K>,
    pub(super) contents: Vec<(Size<K>, u32), ENTRIES>,
    pub(super) packs: Vec<(usize, u64), PACKS>,
}

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
    /// A plan without packs, to be read into (feature `serde`).
    pub const fn new() -> Self {
        Self { limits: Limits::new([0; K]).graphs(0), contents: Vec::new(), packs: Vec::new() }
    }

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
        Packs::new(&self.contents, &self.packs)
    }

    /// Removes all packs.
    pub(super) fn clear(&mut self) {
        self.contents.clear();
        self.packs.clear();
    }
}

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> Default for FixedPlan<K, ENTRIES, PACKS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
impl<const K: usize, const ENTRIES: usize, const PACKS: usize> TryFrom<&crate::Plan<K>>
    for FixedPlan<K, ENTRIES, PACKS>
{
    type Error = FixedPlanError;

    fn try_from(plan: &crate::Plan<K>) -> Result<Self, FixedPlanError> {
        let (contents, ends) = (plan.view().contents(), plan.view().ends());
        let full =
            |_| FixedPlanError { entries: contents.len(), packs: ends.len(), most_entries: ENTRIES, most_packs: PACKS };
        let contents = Vec::from_slice(contents).map_err(full)?;
        Ok(Self { limits: *plan.limits(), contents, packs: Vec::from_slice(ends).map_err(full)? })
    }
}

/// A plan is too large for a [`FixedPlan`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the plan has {packs} distinct packs with {entries} sizes in all; there is room for {most_packs} with {most_entries}"
)]
pub struct FixedPlanError {
    /// Number of sizes in all distinct packs of the plan together.
    pub entries: usize,
    /// Number of distinct packs of the plan.
    pub packs: usize,
    /// Most sizes that there is room for.
    pub most_entries: usize,
    /// Most distinct packs that there is room for.
    pub most_packs: usize,
}

crate::debug_is_display!(FixedPlanError);

#[cfg(feature = "serde")]
mod serialized {
    //! A plan is a tuple of limits, contents and packs. It is read into its place, since it may be larger than the
    //! stack has room for.
    use super::{FixedPlan, Vec};
    use core::fmt;
    use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    impl<const K: usize, const ENTRIES: usize, const PACKS: usize> Serialize for FixedPlan<K, ENTRIES, PACKS> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            (self.limits, &self.contents, &self.packs).serialize(serializer)
        }
    }

    impl<'de, const K: usize, const ENTRIES: usize, const PACKS: usize> Deserialize<'de> for FixedPlan<K, ENTRIES, PACKS> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let mut plan = Self::new();
            plan.read(deserializer)?;
            Ok(plan)
        }
    }

    impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
        /// Deserialises in place, without a copy on the stack. On an error the plan has no packs.
        pub fn read<'de, D: Deserializer<'de>>(&mut self, deserializer: D) -> Result<(), D::Error> {
            let outcome = deserializer.deserialize_tuple(3, Parts(self));
            if outcome.is_err() {
                self.clear();
            }
            outcome
        }
    }

    struct Parts<'a, const K: usize, const ENTRIES: usize, const PACKS: usize>(&'a mut FixedPlan<K, ENTRIES, PACKS>);

    impl<'de, const K: usize, const ENTRIES: usize, const PACKS: usize> Visitor<'de> for Parts<'_, K, ENTRIES, PACKS> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("limits, contents and packs of a plan")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            let plan = &mut *self.0;
            plan.limits = seq.next_element()?.ok_or_else(|| Error::invalid_length(0, &"three parts"))?;
            let contents = seq.next_element_seed(Items(&mut plan.contents))?;
            let packs = seq.next_element_seed(Items(&mut plan.packs))?;
            contents.and(packs).ok_or_else(|| Error::invalid_length(1, &"three parts"))?;
            plan.view().check(&plan.limits).map_err(Error::custom)
        }
    }

    struct Items<'a, T, const N: usize>(&'a mut Vec<T, N>);

    impl<'de, T: Deserialize<'de>, const N: usize> DeserializeSeed<'de> for Items<'_, T, N> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }

    impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Items<'_, T, N> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {N} items")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            self.0.clear();
            while let Some(item) = seq.next_element()? {
                self.0.push(item).map_err(|_| Error::custom(format_args!("more than {N} items")))?;
            }
            Ok(())
        }
    }
}
