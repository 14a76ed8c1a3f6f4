//! Which graphs a loader takes, and how they are divided into packs, by options and sizes.

use super::order::{Difference, Division, Draws, PlanPlaces};
use super::{Buckets, Sizes};
use crate::error::{BuildError, Error};
use crate::layout::SetNames;
use crate::options::{Grouping, Limits, Options, Oversize};
use crate::source::Graphs;
use graphpack_core::Plan;
use std::sync::Arc;

/// Returns what draws graphs by weight; `None` without weights.
pub(super) fn draws(options: &Options, kept: &[u32], skipped: usize) -> Result<Option<Draws>, Error> {
    match &options.weights {
        None => Ok(None),
        Some(weights) if weights.draws() == 0 => Err(BuildError::Zero { option: "draws" }.into()),
        Some(weights) if u32::try_from(weights.draws()).is_err() => {
            Err(BuildError::TooManyGraphs { graphs: weights.draws() }.into())
        }
        Some(weights) => Draws::among(weights, kept).ok_or_else(|| BuildError::NoWeight { skipped }.into()).map(Some),
    }
}

/// Refuses a plan of other sets than the data have.
pub(super) fn check_plan(options: &Options, sets: &SetNames) -> Result<(), Error> {
    let Grouping::Plan(plan) = &options.grouping else { return Ok(()) };
    let count = plan.limits().size.sets();
    let planned = match plan.sets() {
        Some(names) if *names != **sets => format!("{names:?}"),
        None if count != sets.len() => format!("{count} sets"),
        _ => return Ok(()),
    };
    Err(BuildError::PlanSets { planned, sets: sets.clone() }.into())
}

/// Returns how graphs are divided into packs, and the plan if there is one for all graphs of every epoch.
pub(super) fn division(
    options: &Options,
    sizes: &Sizes,
    kept: &[u32],
    buckets: &Arc<Buckets>,
    sets: &SetNames,
) -> Result<(Division, Option<Arc<Plan>>), Error> {
    let limits = buckets.largest();
    Ok(match &options.grouping {
        Grouping::Plan(saved) => {
            if saved.limits() != limits {
                return Err(BuildError::PlanLimits { planned: saved.limits(), limits }.into());
            }
            let places = PlanPlaces::saved(sizes, kept, saved.plan());
            let places = places.map_err(|Difference { size, planned, found }| BuildError::PlanSize {
                size,
                planned,
                found,
                sets: sets.clone(),
            })?;
            (Division::Planned(vec![places]), Some(saved.plan().clone()))
        }
        Grouping::Packed(packer) if options.weights.is_some() => {
            (Division::Replanned { packer: *packer, buckets: buckets.clone() }, None)
        }
        Grouping::Packed(packer) => {
            let plans = PlanPlaces::plan(sizes, kept, packer, buckets).map_err(BuildError::Pack)?;
            let (places, mut plans): (Vec<_>, Vec<_>) = plans.into_iter().unzip();
            (Division::Planned(places), plans.pop().filter(|_| plans.is_empty()))
        }
        Grouping::Window(open) => (Division::Streamed { limits, open: Some(*open) }, None),
        Grouping::InOrder => (Division::Streamed { limits, open: None }, None),
    })
}

/// Returns the graphs that fit the limits and those that exceed them. Errors if some exceed them and
/// [`Oversize::Error`] is set, or if none are left.
pub(super) fn fitting(
    options: &Options,
    data: &dyn Graphs,
    sizes: &Sizes,
    limits: &Limits,
) -> Result<(Vec<u32>, Vec<u32>), Error> {
    // The number of graphs fits into 32 bits.
    let all = 0..sizes.graphs() as u32;
    let (kept, over): (Vec<u32>, Vec<u32>) = all.partition(|&graph| sizes.of(graph).fits(&limits.size));
    if let (Some(&first), Oversize::Error) = (over.first(), options.oversize) {
        return Err(BuildError::Oversize {
            graph: data.number(first as usize),
            size: *sizes.of(first),
            sets: data.schema().sets().clone(),
            limits: *limits,
            others: over.len() - 1,
        }
        .into());
    }
    if kept.is_empty() && (over.is_empty() || !matches!(options.oversize, Oversize::Alone | Oversize::Trim)) {
        return Err(BuildError::NoneFits { skipped: over.len(), limits: *limits }.into());
    }
    Ok((kept, over))
}
