//! [`Plan`]: distinct packs with repeat counts, and how good they are.

use super::packs::Packs;
use crate::{Efficiency, Histogram, Limits, Pack, Packer, Size, bound, size};
use alloc::vec::Vec;

/// What a packer returns: distinct packs (the paper calls them strategies), each with the number of times it is used.
///
/// A pack is stored as sizes with the number of graphs of that size, so that the memory of a plan follows the number of
/// distinct sizes and not of graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan<const K: usize> {
    limits: Limits<K>,
    packer: Option<Packer<K>>,
    /// A lower bound on the number of packs that the packer has proven; 0 if it has proven none.
    bound: u64,
    /// Sizes with the number of graphs of that size, pack after pack.
    contents: Vec<(Size<K>, u32)>,
    /// Per pack: the end of its range in `contents`, and how often the plan uses it.
    packs: Vec<(usize, u64)>,
}

impl<const K: usize> Plan<K> {
    /// A plan without packs.
    pub(crate) fn empty(limits: Limits<K>) -> Self {
        Self { limits, packer: None, bound: 0, contents: Vec::new(), packs: Vec::new() }
    }

    /// Adds a pack that is used `repeat` times.
    pub(crate) fn push(&mut self, contents: impl IntoIterator<Item = (Size<K>, u32)>, repeat: u64) {
        self.contents.extend(contents);
        self.packs.push((self.contents.len(), repeat));
    }

    /// Adds all packs of another plan.
    pub(crate) fn append(&mut self, other: &Self) {
        for pack in other.iter() {
            self.push(pack.contents.iter().copied(), pack.repeat);
        }
    }

    /// Adds packs for some of the graphs, and returns those that are left.
    pub(crate) fn use_up(&mut self, packs: &Self, graphs: &Histogram<K>) -> Histogram<K> {
        self.append(packs);
        graphs.without(&packs.histogram())
    }

    /// Remembers a proven bound if it is better than the one so far.
    pub(crate) fn with_bound(mut self, bound: u64) -> Self {
        self.bound = self.bound.max(bound);
        self
    }

    /// The same packs, with only one component of each size.
    pub(crate) fn project(&self, component: usize) -> Plan<1> {
        let limits = Limits { size: Size([self.limits.size.0[component]]), graphs: self.limits.graphs };
        let mut projection = Plan::empty(limits);
        for pack in self.iter() {
            projection.push(pack.contents.iter().map(|(size, times)| (Size([size.0[component]]), *times)), pack.repeat);
        }
        projection
    }

    /// Remembers the packer that made the plan, unless one is remembered: of `Auto`, that is the packer whose plan was
    /// best.
    pub(crate) fn made_by(mut self, packer: Packer<K>) -> Self {
        self.packer.get_or_insert(packer);
        self
    }

    /// The same packs under other limits, for baselines that ignore one of them.
    pub(crate) fn with_limits(mut self, limits: Limits<K>) -> Self {
        self.limits = limits;
        self
    }

    /// The limits that every pack keeps.
    pub fn limits(&self) -> &Limits<K> {
        &self.limits
    }

    /// Number of packs, repeats counted.
    pub fn packs(&self) -> u64 {
        self.view().packs()
    }

    /// Number of distinct packs.
    pub fn distinct_packs(&self) -> usize {
        self.packs.len()
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

    /// Sum of each component over all packs.
    pub fn totals(&self) -> [u128; K] {
        size::totals(self.counts())
    }

    /// Sizes with the number of their graphs in all packs; a size may occur more than once.
    fn counts(&self) -> impl Iterator<Item = (Size<K>, u64)> {
        self.iter()
            .flat_map(|pack| pack.contents.iter().map(move |&(size, times)| (size, u64::from(times) * pack.repeat)))
    }

    /// Filled slots / all slots against the declared limits; 1 for a plan without packs.
    pub fn efficiency(&self) -> Efficiency<K> {
        Efficiency::of(self.totals(), self.graphs(), self.packs(), &self.limits)
    }

    /// The packer that made the plan; of [`Packer::Auto`], the one whose plan was the best.
    pub fn packer(&self) -> Option<Packer<K>> {
        self.packer
    }

    /// A proven lower bound on the number of packs that these graphs need under these limits: the better of the
    /// [simple bound](bound::simple) and what the packer has proven.
    pub fn bound(&self) -> u64 {
        bound::simple(self.totals(), self.graphs(), &self.limits).max(self.bound)
    }

    /// How far the plan may be from the fewest packs, as a fraction: (packs - bound) / bound; 0 for a plan without
    /// packs.
    pub fn gap(&self) -> f64 {
        let bound = self.bound();
        if bound == 0 { 0.0 } else { (self.packs() - bound) as f64 / bound as f64 }
    }

    /// How many graphs of each size the packs hold; equals the histogram that was packed.
    pub fn histogram(&self) -> Histogram<K> {
        // Cannot fail: the graphs of a plan were counted in 64 bits when it was made.
        Histogram::from_counts(self.counts()).unwrap_or_default()
    }
}

#[cfg(feature = "serde")]
mod serialized {
    //! Plans that are read are checked: a damaged one must not make a loader read out of bounds.
    use super::{Limits, Packer, Plan, Size, Vec};
    use serde::Serialize;
    use serde::de::{Deserialize, Deserializer, Error};

    impl<const K: usize> Plan<K> {
        /// What a [`FixedPlan`](crate::FixedPlan) of the same packs serialises, whatever its capacity: for files that
        /// firmware reads.
        pub fn as_fixed(&self) -> impl Serialize + use<'_, K> {
            (&self.limits, &self.contents, &self.packs)
        }
    }

    #[derive(serde::Deserialize)]
    struct Raw<const K: usize> {
        limits: Limits<K>,
        packer: Option<Packer<K>>,
        bound: u64,
        contents: Vec<(Size<K>, u32)>,
        packs: Vec<(usize, u64)>,
    }

    impl<'de, const K: usize> Deserialize<'de> for Plan<K> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Raw { limits, packer, bound, contents, packs } = Raw::deserialize(deserializer)?;
            let plan = Self { limits, packer, bound, contents, packs };
            plan.view().check(&limits).map_err(Error::custom)?;
            if bound > plan.packs() {
                let packs = plan.packs();
                return Err(Error::custom(format_args!("the plan has {packs} packs, fewer than its bound of {bound}")));
            }
            Ok(plan)
        }
    }
}
