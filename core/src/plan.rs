//! What packers return: [`Plan`], its packs, and how full they are.

use crate::packer::{Packer, Packs};
use crate::{Histogram, Limits, MAX_SETS, Size, bound};
use alloc::vec::Vec;

/// What a packer returns: distinct packs (the paper calls them strategies), each with the number of times it is used.
///
/// A pack is stored as positions of sizes with the number of graphs of that size, 8 bytes each, so that the memory of a
/// plan follows the number of distinct sizes and not of graphs.
///
/// ```
/// use graphpack_core::{Histogram, Limits, Packer, Size};
///
/// let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
/// let plan = Packer::Demand.pack(&histogram, &Limits::new([30, 64]))?;
/// // One distinct pack, used three times: a graph of each size.
/// let pack = plan.iter().next().expect("a pack");
/// assert_eq!(pack.repeat, 3);
/// assert_eq!(pack.contents().collect::<Vec<_>>(), [(Size::new([10, 22]), 1), (Size::new([20, 40]), 1)]);
/// assert!(pack.size() == [30, 62]);
/// assert_eq!((plan.packs(), plan.graphs()), (3, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    limits: Limits,
    packer: Option<Packer>,
    /// A proven lower bound on the number of packs.
    bound: u64,
    /// The rows of every size, ascending, one size after the other.
    sizes: Vec<u32>,
    packs: Packs,
}

/// One distinct pack of a [`Plan`]: graphs that share a container, known by their sizes.
#[derive(Clone, Copy, Debug)]
pub struct Pack<'a> {
    plan: &'a Plan,
    entries: &'a [(u32, u32)],
    /// How often the plan uses this pack.
    pub repeat: u64,
}

/// Packs are equal if they have the same graphs and repeats, whatever their plans.
impl PartialEq for Pack<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.repeat == other.repeat && self.contents().eq(other.contents())
    }
}

impl Eq for Pack<'_> {}

impl<'a> Pack<'a> {
    /// Returns sizes with the number of graphs of that size in the pack; a size may occur more than once.
    pub fn contents(&self) -> impl ExactSizeIterator<Item = (Size, u32)> + use<'a> {
        let plan = self.plan;
        self.entries.iter().map(move |&(position, times)| (plan.size(position), times))
    }

    /// Returns [positions of sizes](Plan::sizes) with the number of graphs of that size in the pack.
    pub fn entries(&self) -> &'a [(u32, u32)] {
        self.entries
    }

    /// Number of graphs in the pack.
    pub fn graphs(&self) -> u64 {
        graphs(self.entries)
    }

    /// Returns the rows of each set, summed over the graphs of the pack; never more than the limits of the plan.
    pub fn size(&self) -> Size {
        let mut sum = [0_u32; MAX_SETS];
        for (size, times) in self.contents() {
            for (sum, rows) in sum.iter_mut().zip(size.all()) {
                *sum = sum.saturating_add(rows.saturating_mul(times));
            }
        }
        Size::of(self.plan.limits.size.sets(), |set| sum[set])
    }
}

impl Plan {
    /// The packs of the graphs of a histogram, none of which exceeds the limits.
    pub(crate) fn new(histogram: &Histogram, limits: &Limits, packer: Option<Packer>, packs: Packs) -> Self {
        let sizes = histogram.entries().iter().flat_map(|(size, _)| size.as_slice()).copied().collect();
        let least = bound::simple(histogram, limits);
        Self { limits: *limits, packer, bound: packs.bound.max(least), sizes, packs: Packs { bound: 0, ..packs } }
    }

    /// Returns these packs with other limits, for baselines that ignore one of them.
    pub(crate) fn with_limits(self, limits: Limits) -> Self {
        let least = bound::simple(&self.histogram(), &limits);
        Self { limits, bound: least, ..self }
    }

    /// The limits that every pack keeps.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Number of packs, repeats counted.
    pub fn packs(&self) -> u64 {
        self.packs.packs()
    }

    /// Number of distinct packs.
    pub fn distinct_packs(&self) -> usize {
        self.packs.len()
    }

    /// Number of graphs in all packs.
    pub fn graphs(&self) -> u64 {
        self.packs.iter().map(|(entries, repeat)| graphs(entries) * repeat).sum()
    }

    /// Number of [entries](Pack::entries) of all distinct packs.
    pub fn entries(&self) -> usize {
        self.packs.contents.len()
    }

    /// The distinct sizes of the graphs, ascending. A pack's entries give their positions, from 0.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = Size> {
        let count = self.sizes.len() / self.limits.size.sets().max(1);
        (0..count as u32).map(|position| self.size(position))
    }

    fn size(&self, position: u32) -> Size {
        let sets = self.limits.size.sets();
        let start = position as usize * sets;
        Size::of(sets, |set| self.sizes[start + set])
    }

    /// The distinct packs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Pack<'_>> {
        self.packs.iter().map(|(entries, repeat)| Pack { plan: self, entries, repeat })
    }

    pub(crate) fn view(&self) -> &Packs {
        &self.packs
    }

    /// Sum of each set's rows over all packs; one number per set, none for a plan without packs.
    pub fn totals(&self) -> Vec<u128> {
        self.histogram().totals()
    }

    /// Returns how full the packs are, as shares of the limits; 1 for a plan without packs.
    pub fn efficiency(&self) -> Efficiency {
        Efficiency::of(&self.totals(), self.graphs(), self.packs(), &self.limits)
    }

    /// The packer that made the plan. [`Packer::Auto`] names the packer whose plan was the best. None for
    /// [`best_fit_by`](crate::best_fit_by).
    pub fn packer(&self) -> Option<Packer> {
        self.packer
    }

    /// A proven lower bound on the number of packs that these graphs need under these limits: the better of the
    /// [simple bound](bound::simple) and what the packer has proven.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// How many packs the plan may have too many, as a fraction of the bound: (packs - bound) / bound; 0 for a plan
    /// without packs.
    pub fn gap(&self) -> f64 {
        if self.bound == 0 { 0.0 } else { (self.packs() - self.bound) as f64 / self.bound as f64 }
    }

    /// Returns how many graphs of each size the packs hold: the histogram that was packed.
    pub fn histogram(&self) -> Histogram {
        let counts = self.packs.counts(self.sizes().len());
        // Cannot fail: the graphs of a plan were counted in 64 bits when it was made.
        Histogram::from_counts(self.sizes().zip(counts)).unwrap_or_default()
    }

    /// Checks what was read from outside.
    #[cfg(feature = "serde")]
    fn check<const K: usize>(&self) -> Result<(), crate::damaged::Damaged<K>> {
        let rows = self.sizes.as_chunks::<K>().0;
        let entry = |entry: usize| {
            let (position, times) = self.packs.contents[entry];
            (rows[position as usize], times)
        };
        crate::damaged::check(&(&self.limits).into(), &self.packs.ends, self.packs.contents.len(), entry)
    }
}

fn graphs(entries: &[(u32, u32)]) -> u64 {
    entries.iter().map(|&(_, times)| u64::from(times)).sum()
}

/// How full packs are: filled rows of all rows, as fractions from 0 to 1 of the declared limits.
///
/// ```
/// use graphpack_core::{Budget, Histogram, Limits, Packer};
///
/// let histogram = Histogram::from_counts([([5, 8], 4)])?;
/// let plan = Packer::Auto(Budget::default()).pack(&histogram, &Limits::new([10, 32]))?; // two graphs a pack
/// assert_eq!(plan.efficiency().sets, [1.0, 0.5]); // all nodes filled, half of the edges
/// assert_eq!(plan.efficiency().harmonic_mean(), 2.0 / 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Efficiency {
    /// One fraction per set, in the order of the sets: nodes, edges.
    pub sets: Vec<f64>,
    /// Graphs of the most graphs that packs may hold.
    pub graphs: f64,
}

impl Efficiency {
    /// The efficiency of `packs` packs that hold graphs with these sums; 1 without packs.
    pub(crate) fn of(totals: &[u128], graphs: u64, packs: u64, limits: &Limits) -> Self {
        let packs = packs as f64;
        let share = |filled: f64, limit: u32| if packs == 0.0 { 1.0 } else { filled / (packs * f64::from(limit)) };
        // An empty histogram has no sums.
        let total = |set: usize| totals.get(set).map_or(0.0, |&total| total as f64);
        let limited = limits.size.as_slice().iter().enumerate();
        Self {
            sets: limited.map(|(set, &limit)| share(total(set), limit)).collect(),
            graphs: share(graphs as f64, limits.graphs),
        }
    }

    /// Returns the harmonic mean over the sets, the paper's measure for choosing limits (section 3.2). Sets of which no
    /// graph has rows do not count; 0 if there are no other sets.
    pub fn harmonic_mean(&self) -> f64 {
        let filled = || self.sets.iter().filter(|&&fraction| fraction > 0.0);
        let inverses = filled().map(|fraction| 1.0 / fraction).sum::<f64>();
        if inverses > 0.0 { filled().count() as f64 / inverses } else { 0.0 }
    }
}

#[cfg(feature = "serde")]
mod serialized {
    //! What a plan is written as. Plans that are read are checked: a damaged one must not make a loader read out of
    //! bounds.
    use super::{Limits, Packer, Packs, Plan, Size, Vec, bound};
    use crate::lanes::by_sets;
    use crate::lanes::serialized::tuple;
    use alloc::format;
    use alloc::string::String;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    impl Plan {
        /// The version of what is written. Plans of another one are refused, because their members may have other
        /// meanings.
        pub const VERSION: u32 = 1;

        /// Returns what a [`FixedPlan`](crate::FixedPlan) of the same packs serialises, whatever its capacity: for
        /// files that firmware reads.
        pub fn as_fixed(&self) -> impl Serialize + use<'_> {
            let Limits { size, graphs } = self.limits;
            let contents = self.packs.contents.iter().map(|&(at, times)| (Tuple(self.size(at)), times));
            let contents: Vec<_> = contents.collect();
            (FixedLimits { size: Tuple(size), graphs }, contents, &self.packs.ends)
        }
    }

    #[derive(serde::Serialize)]
    #[serde(rename = "Limits")]
    struct FixedLimits {
        size: Tuple,
        graphs: u32,
    }

    struct Tuple(Size);

    impl Serialize for Tuple {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            tuple(self.0.as_slice(), serializer)
        }
    }

    /// The serialised form of a plan.
    #[derive(serde::Serialize)]
    struct Written<'a> {
        version: u32,
        limits: Limits,
        packer: Option<Packer>,
        bound: u64,
        /// Distinct sizes, ascending.
        sizes: Vec<&'a [u32]>,
        /// Positions in `sizes` with numbers of graphs, pack after pack.
        entries: &'a [(u32, u32)],
        /// Per pack: the end of its range in `entries`, and how often it is used.
        packs: &'a [(usize, u64)],
    }

    impl Serialize for Plan {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Self { limits, packer, bound, ref sizes, ref packs } = *self;
            let sizes = sizes.chunks(limits.size.sets().max(1)).collect();
            let (entries, packs) = (&packs.contents[..], &packs.ends[..]);
            Written { version: Self::VERSION, limits, packer, bound, sizes, entries, packs }.serialize(serializer)
        }
    }

    /// What a plan is read as: [`Written`], with its own memory.
    #[derive(serde::Deserialize)]
    struct Read {
        version: u32,
        limits: Limits,
        packer: Option<Packer>,
        bound: u64,
        sizes: Vec<Size>,
        entries: Vec<(u32, u32)>,
        packs: Vec<(usize, u64)>,
    }

    impl<'de> Deserialize<'de> for Plan {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Read { version, limits, packer, bound, sizes, entries: contents, packs } =
                Read::deserialize(deserializer)?;
            if version != Self::VERSION {
                let expected = Self::VERSION;
                return Err(Error::custom(format_args!("expected version {expected} of a plan, found {version}")));
            }
            check_sizes(&sizes, &contents, limits.size.sets()).map_err(Error::custom)?;
            let sizes = sizes.iter().flat_map(Size::as_slice).copied().collect();
            let mut plan = Self { limits, packer, bound, sizes, packs: Packs { contents, ends: packs, bound: 0 } };
            by_sets!(limits.size.sets(), K => plan.check::<K>().map_err(Error::custom))?;
            if bound > plan.packs() {
                let packs = plan.packs();
                return Err(Error::custom(format_args!("the plan has {packs} packs, fewer than its bound of {bound}")));
            }
            plan.bound = bound.max(bound::simple(&plan.histogram(), &limits));
            Ok(plan)
        }
    }

    /// Checks that sizes are distinct, ascending, of `sets` sets and all in use, and that entries number them.
    fn check_sizes(sizes: &[Size], entries: &[(u32, u32)], sets: usize) -> Result<(), String> {
        if let Some(size) = sizes.iter().find(|size| size.sets() != sets) {
            return Err(format!("expected sizes of {sets} sets as in the limits, found {size}"));
        }
        if !sizes.is_sorted_by(|a, b| a < b) {
            return Err("expected distinct sizes in ascending order".into());
        }
        let mut used = alloc::vec![false; sizes.len()];
        for &(position, _) in entries {
            match used.get_mut(position as usize) {
                Some(used) => *used = true,
                None => return Err(format!("expected positions of {} sizes, found {position}", sizes.len())),
            }
        }
        match used.iter().position(|used| !used) {
            Some(unused) => Err(format!("no pack has graphs of size {}", sizes[unused])),
            None => Ok(()),
        }
    }
}
