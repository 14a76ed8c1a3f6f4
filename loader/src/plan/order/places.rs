//! Divides the graphs of an epoch into packs: [`PlanPlaces`] fills the places of a plan; without one, graphs are taken
//! as they come.

use super::EpochOrder;
use super::epoch_order::InStep;
use crate::error::BoxError;
use crate::layout::{MAX_SETS, Size};
use crate::options::Limits;
use crate::plan::spread::FitsPack;
use crate::plan::{Balance, PlanFingerprint, ShapeLimits, Sizes};
use graphpack_core::stream::{NextFit, Pushed, TooLarge, Waiting, pack_in_window};
use graphpack_core::{Histogram, Packer, Plan, Recomposer};
use std::collections::HashMap;
use std::sync::Arc;

/// The packs of a plan, as places for graphs of given sizes. Each epoch composes the packs again and fills every place
/// with the next graph of its size.
pub(crate) struct PlanPlaces {
    /// Where the graphs of each distinct size start in a list of graphs by size.
    size_ptr: Vec<usize>,
    /// The number of each size among the distinct ones, as compositions number sizes.
    size_numbers: Vec<u32>,
    /// Composes the packs of an epoch.
    pub(crate) recomposer: Recomposer,
    /// Which packs have room for their padding; `None` if all within the limits have. Those of every epoch fit if all
    /// packs of the recomposer do.
    pub(crate) fits: Option<FitsPack>,
    /// Of each distinct size, how many graphs at the beginning belong to slower ranks; empty if no speeds are given.
    skips: Vec<u64>,
    /// Number of packs of an epoch, with those that stay empty so that ranks of all speeds have as many steps.
    packs: usize,
    fingerprint: PlanFingerprint,
}

/// The first size of which a plan and the data have different numbers of graphs.
pub(crate) struct Difference {
    pub(crate) size: Size,
    pub(crate) planned: u64,
    pub(crate) found: u64,
}

impl PlanPlaces {
    /// Plans the given `graphs`, some of which may occur more than once, and balances their cost if asked to. Returns
    /// the places of the plan of each shape, and the plan.
    pub(crate) fn plan(
        sizes: &Sizes,
        graphs: &[u32],
        packer: &Packer,
        by_shape: &ShapeLimits,
        balance: Option<&Balance>,
    ) -> Result<Vec<(Self, Arc<Plan>)>, BoxError> {
        let listed = balance.map_or_else(|| sizes.distinct().to_vec(), |balance| balance.sizes(sizes));
        let mut planned = Vec::new();
        for (limits, counts) in by_shape.counts(sizes, &sizes.counts(graphs)) {
            let Some(balance) = balance else {
                let plan = packer.pack(&sizes.histogram(&counts), limits)?;
                planned.push((Self::of(&listed, &counts, &plan, 1), plan));
                continue;
            };
            let shares = balance.pack(packer, &listed, &counts, limits)?;
            let mut before = vec![0; counts.len()];
            for share in shares {
                let mut places = Self::of(&listed, &share.counts, &share.plan, share.packs);
                if let Some(places) = places.as_mut().filter(|_| !balance.speeds.is_empty()) {
                    places.skips.clone_from(&before);
                    places.packs = share.packs as usize;
                }
                before.iter_mut().zip(&share.counts).for_each(|(before, count)| *before += count);
                planned.push((places, share.plan));
            }
        }
        // Cannot fail: an epoch has fewer than 2^32 graphs.
        let of = |(places, plan): (Option<Self>, Plan)| match places {
            Some(places) => Ok((places, Arc::new(plan))),
            None => Err(format!("a plan of {} graphs", plan.graphs()).into()),
        };
        planned.into_iter().map(of).collect()
    }

    /// Returns the places of a plan that was made before, which must have the sizes of the given `graphs`.
    pub(crate) fn saved(
        sizes: &Sizes,
        graphs: &[u32],
        plan: &Plan,
        balance: Option<&Balance>,
    ) -> Result<Self, Difference> {
        let listed = balance.map_or_else(|| sizes.distinct().to_vec(), |balance| balance.sizes(sizes));
        let counts = sizes.counts(graphs);
        // Cannot overflow: the data have fewer than 2^32 graphs.
        let found = Histogram::from_counts(listed.iter().copied().zip(counts.iter().copied())).unwrap_or_default();
        if let Some(difference) = difference(&plan.histogram(), &found) {
            return Err(difference);
        }
        let ranks = balance.map_or(1, |balance| balance.ranks.max(1));
        let places = Self::of(&listed, &counts, plan, plan.packs().next_multiple_of(ranks.into()));
        // Cannot be missing, for the same reason.
        places.ok_or(Difference { size: plan.limits().size, planned: plan.graphs(), found: 0 })
    }

    /// Returns the places of a plan for `counts` graphs of each of `sizes`, in this number of packs if the plan has
    /// fewer and there are as many graphs; `None` if these are 2^32 or more.
    fn of(sizes: &[Size], counts: &[u64], plan: &Plan, packs: u64) -> Option<Self> {
        let recomposer = Recomposer::in_packs(plan, packs)?;
        let mut size_ptr = vec![0];
        counts.iter().for_each(|&count| size_ptr.push(size_ptr[size_ptr.len() - 1] + count as usize));
        let numbers: HashMap<&Size, u32> = sizes.iter().zip(0..).collect();
        let size_numbers = recomposer.sizes().iter().map(|size| numbers[size]).collect();
        let (packs, fingerprint) = (recomposer.packs().len(), PlanFingerprint::new(plan));
        Some(Self { size_ptr, size_numbers, recomposer, fits: None, skips: Vec::new(), packs, fingerprint })
    }

    /// Composes the packs with `shuffle`, and fills each place with the next of `graphs` that has its size. Returns the
    /// packs, which fit, if `near` in an order that keeps to that of `graphs`. Graphs that the plan has no places for
    /// are left out.
    pub(super) fn fill(
        &self,
        sizes: &Sizes,
        graphs: &[u32],
        near: bool,
        shuffle: &mut dyn FnMut(&mut [u32]),
    ) -> EpochOrder {
        let (mut filled, mut skips) = (self.size_ptr.clone(), self.skips.clone());
        // Graphs, or where they are in `graphs`.
        let mut by_size = vec![0; self.size_ptr[self.size_ptr.len() - 1]];
        for (&graph, place) in graphs.iter().zip(0..) {
            let number = sizes.size_number(graph);
            if let Some(skip) = skips.get_mut(number).filter(|skip| **skip > 0) {
                *skip -= 1;
            } else if filled[number] < self.size_ptr[number + 1] {
                by_size[filled[number]] = if near { place } else { graph };
                filled[number] += 1;
            }
        }
        let mut taken = self.size_ptr.clone();
        let mut order = EpochOrder::with_capacity(by_size.len());
        order.follow(self.fingerprint);
        let packs = self.recomposer.recompose(self.fits.as_ref().map(|fits| fits as _), shuffle);
        let size_number = |kind: u32| self.size_numbers[kind as usize] as usize;
        let mut in_step = near.then(|| InStep::new(&packs));
        for number in 0..packs.packs() {
            let pack = match &mut in_step {
                Some(in_step) => in_step.next(|kind| by_size[taken[size_number(kind)]]).unwrap_or_default(),
                None => packs.pack(number),
            };
            order.push(pack.iter().map(|&kind| {
                let place = &mut taken[size_number(kind)];
                let found = by_size[*place];
                *place += 1;
                if near { graphs[found as usize] } else { found }
            }));
        }
        (order.len()..self.packs).for_each(|_| order.push([]));
        order
    }

    /// The plan that has these places.
    pub(crate) fn fingerprint(&self) -> PlanFingerprint {
        self.fingerprint
    }

    /// Number of packs.
    pub(crate) fn packs(&self) -> usize {
        self.packs
    }

    /// Whether the batches are those of the ranks of one speed.
    pub(crate) fn are_of_one_speed(&self) -> bool {
        !self.skips.is_empty()
    }
}

/// Returns the first size of which two histograms have different numbers of graphs.
fn difference(planned: &Histogram, found: &Histogram) -> Option<Difference> {
    let (planned, found) = (planned.entries(), found.entries());
    let equal = planned.iter().zip(found).take_while(|(planned, found)| planned == found).count();
    let size = match (planned.get(equal), found.get(equal)) {
        (Some((planned, _)), Some((found, _))) => planned.min(found),
        (Some((size, _)), None) | (None, Some((size, _))) => size,
        (None, None) => return None,
    };
    let count = |entries: &[(_, u64)]| entries.get(equal).filter(|(of, _)| of == size).map_or(0, |&(_, count)| count);
    Some(Difference { size: *size, planned: count(planned), found: count(found) })
}

/// Fills one pack until the next graph does not fit, then begins the next pack. A graph that exceeds the limits gets a
/// pack of its own.
pub(super) fn in_turn(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    // With eight lanes for two sets, which most data have, this was a twentieth of all instructions of small batches.
    match sizes.sets() {
        0..=2 => next_fit::<2>(graphs, sizes, limits),
        _ => next_fit::<MAX_SETS>(graphs, sizes, limits),
    }
}

fn next_fit<const K: usize>(graphs: &[u32], sizes: &Sizes, limits: &Limits) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let mut memory = vec![Waiting::EMPTY; graphs.len().min(limits.graphs as usize) + 1];
    // Sets that there are not have no rows and no room.
    let mut stream = NextFit::<K, _>::new(limits.into(), TooLarge::Alone, &mut memory);
    for &graph in graphs {
        if let Ok(Pushed::Completed(pack)) = stream.push(sizes.of(graph).first(), graph) {
            packs.push(pack);
        }
    }
    // No graph joins one that exceeds the limits.
    let is_alone = graphs.last().is_some_and(|&graph| !sizes.of(graph).fits(&limits.size));
    let last = stream.finish();
    match last.len() {
        0 => {}
        held if held < limits.graphs as usize && !is_alone => packs.push_incomplete(last),
        _ => packs.push(last),
    }
    packs
}

/// Puts each graph into the pack that it fits best, out of `open` packs.
pub(super) fn by_window(graphs: &[u32], sizes: &Sizes, limits: &Limits, open: u8) -> EpochOrder {
    let mut packs = EpochOrder::with_capacity(graphs.len());
    let most = usize::from(open).saturating_mul(limits.graphs as usize);
    let mut memory = vec![Waiting::EMPTY; graphs.len().min(most) + 1];
    let mut graphs = graphs.iter().map(|&graph| (*sizes.of(graph), graph));
    // All have a place: those that exceed the limits were left out when the loader was built.
    pack_in_window(&mut graphs, limits, open.into(), &mut memory, &mut |pack| packs.push(pack));
    packs
}
