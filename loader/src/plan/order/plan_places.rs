//! [`PlanPlaces`]: fills the places of a plan with the graphs of an epoch.

use super::EpochOrder;
use crate::layout::{MAX_SETS, Size};
use crate::options::{Limits, SavedPlan};
use crate::plan::PlanFingerprint;
use crate::plan::sizes::Sizes;
use crate::source::SourceError;
use graphpack_core::{Histogram, Packer, Plan, components};
use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The packs of a plan, as places for graphs of given sizes. Each epoch shuffles the packs and fills every place with
/// the next graph of its size.
pub(crate) struct PlanPlaces {
    /// Where the graphs of each class (distinct size) start in a list of graphs by class.
    class_ptr: Vec<usize>,
    /// The places of each distinct pack, pack after pack: a class, and the number of places for it.
    places: Vec<(u32, u32)>,
    /// For each distinct pack, its range in `places` and its repeat count.
    packs: Vec<(Range<usize>, u64)>,
    fingerprint: PlanFingerprint,
}

/// A [`Plan<K>`](graphpack_core::Plan) of as many sets as the data have.
pub(crate) type AnyPlan = Arc<dyn Any + Send + Sync>;

/// The first size of which a plan and the data have different numbers of graphs.
pub(crate) struct Difference {
    pub(crate) size: Size,
    pub(crate) planned: u64,
    pub(crate) found: u64,
}

impl PlanPlaces {
    /// Plans the given `graphs`, some of which may occur more than once. Returns the places of the plan, and the plan.
    pub(crate) fn plan(
        sizes: &Sizes,
        graphs: &[u32],
        packer: &Packer<MAX_SETS>,
        limits: &Limits,
    ) -> Result<(Self, AnyPlan), SourceError> {
        let counts = sizes.counts(graphs);
        let planned = components!(limits.size.sets(), K => Self::pack::<K>(sizes, &counts, packer, limits));
        // Cannot happen: a schema has 1 to 8 sets, and limits are checked against it.
        planned.unwrap_or_else(|| Err(format!("limits of {} sets", limits.size.sets()).into()))
    }

    fn pack<const K: usize>(
        sizes: &Sizes,
        counts: &[u64],
        packer: &Packer<MAX_SETS>,
        limits: &Limits,
    ) -> Result<(Self, AnyPlan), SourceError> {
        let plan = packer.with_components().pack(&sizes.histogram::<K>(counts), &limits.exact())?;
        Ok((Self::of(sizes, counts, &plan), Arc::new(plan)))
    }

    /// Returns the places of a plan that was made before, which must have the sizes of the given `graphs`.
    pub(crate) fn saved(sizes: &Sizes, graphs: &[u32], saved: &SavedPlan) -> Result<Self, Difference> {
        let counts = sizes.counts(graphs);
        let places = components!(saved.limits().size.sets(), K => {
            saved.plan::<K>().map(|plan| match difference(&plan.histogram(), &sizes.histogram(&counts)) {
                Some(difference) => Err(difference),
                None => Ok(Self::of(sizes, &counts, plan)),
            })
        });
        // Cannot be missing: a saved plan has as many sets as its limits, a schema has 1 to 8.
        places.flatten().unwrap_or(Err(Difference { size: saved.limits().size, planned: 0, found: 0 }))
    }

    /// Returns the places of a plan for `counts` graphs of each class.
    fn of<const K: usize>(sizes: &Sizes, counts: &[u64], plan: &Plan<K>) -> Self {
        let mut class_ptr = vec![0];
        counts.iter().for_each(|&count| class_ptr.push(class_ptr[class_ptr.len() - 1] + count as usize));
        let classes = sizes.distinct().iter().map(Size::exact).zip(0..).collect();
        let (places, packs) = places::<K>(plan, &classes);
        Self { class_ptr, places, packs, fingerprint: PlanFingerprint::new(plan) }
    }

    /// Shuffles the packs with `shuffle`, fills each place with the next of `graphs` that has its size, and makes a
    /// batch of every `per_batch` packs.
    pub(super) fn fill(
        &self,
        sizes: &Sizes,
        graphs: &[u32],
        per_batch: usize,
        shuffle: &mut dyn FnMut(&mut [u32]),
    ) -> EpochOrder {
        let mut next = self.class_ptr.clone();
        let mut by_class = vec![0; graphs.len()];
        for &graph in graphs {
            let next = &mut next[sizes.class(graph)];
            by_class[*next] = graph;
            *next += 1;
        }
        let repeated = self.packs.iter().enumerate();
        let mut sequence: Vec<u32> =
            repeated.flat_map(|(pack, (_, repeat))| (0..*repeat).map(move |_| pack as u32)).collect();
        shuffle(&mut sequence);
        let mut next = self.class_ptr.clone();
        let mut order = EpochOrder::with_capacity(graphs.len());
        order.follow(self.fingerprint);
        for batch in sequence.chunks(per_batch) {
            for &pack in batch {
                for &(class, times) in &self.places[self.packs[pack as usize].0.clone()] {
                    let next = &mut next[class as usize];
                    order.extend(&by_class[*next..*next + times as usize]);
                    *next += times as usize;
                }
            }
            if batch.len() < per_batch {
                order.close_incomplete();
            } else {
                order.close();
            }
        }
        order
    }

    /// The plan that has these places.
    pub(crate) fn fingerprint(&self) -> PlanFingerprint {
        self.fingerprint
    }

    /// Number of packs, repeats included.
    pub(super) fn packs(&self) -> usize {
        self.packs.iter().map(|(_, repeat)| *repeat).sum::<u64>() as usize
    }
}

/// Returns the first size of which two histograms have different numbers of graphs.
fn difference<const K: usize>(planned: &Histogram<K>, found: &Histogram<K>) -> Option<Difference> {
    let (planned, found) = (planned.entries(), found.entries());
    let equal = planned.iter().zip(found).take_while(|(planned, found)| planned == found).count();
    let size = match (planned.get(equal), found.get(equal)) {
        (Some((planned, _)), Some((found, _))) => planned.min(found),
        (Some((size, _)), None) | (None, Some((size, _))) => size,
        (None, None) => return None,
    };
    let count = |entries: &[(_, u64)]| entries.get(equal).filter(|(of, _)| of == size).map_or(0, |&(_, count)| count);
    Some(Difference { size: (*size).into(), planned: count(planned), found: count(found) })
}

/// Returns the places of each distinct pack, and for each pack its range in them and its repeat count.
#[expect(clippy::type_complexity, reason = "two fields of `PlanPlaces`")]
fn places<const K: usize>(
    plan: &Plan<K>,
    classes: &HashMap<graphpack_core::Size<K>, u32>,
) -> (Vec<(u32, u32)>, Vec<(Range<usize>, u64)>) {
    let mut places = Vec::new();
    let packs = plan.iter().map(|pack| {
        let start = places.len();
        places.extend(pack.contents.iter().map(|(size, times)| (classes[size], *times)));
        (start..places.len(), pack.repeat)
    });
    let packs = packs.collect();
    (places, packs)
}
