//! The baselines of the paper's table 2: no packing, and packing by one set while the others are ignored.

use super::pack::PackError;
use crate::packer::Packer;
use crate::{Heuristic, Histogram, Limits, Plan, Size};

/// Every graph in a pack of its own (row "None").
pub fn no_packing(histogram: &Histogram, limits: &Limits) -> Result<Plan, PackError> {
    Packer::BestFit(Heuristic::Sum).pack(histogram, &limits.graphs(1))
}

/// Packs by one set, 0 = nodes, 1 = edges (rows "Node base", "Edge base").
///
/// The others may exceed `limits`; the limits of the returned plan are then what its fullest pack needs. Errors if a
/// graph exceeds the limit of that set, or with [`PackError::NoSet`] if there is no such set.
pub fn one_set(histogram: &Histogram, limits: &Limits, set: usize) -> Result<Plan, PackError> {
    let sets = limits.size.sets();
    if set >= sets {
        return Err(PackError::NoSet { set, sets });
    }
    let only = Size::of(sets, |k| if k == set { limits.size[k] } else { u32::MAX });
    let plan = Packer::Published(Heuristic::Set(set)).pack(histogram, &Limits { size: only, graphs: limits.graphs })?;
    let fullest = plan.iter().fold(Size::of(sets, |_| 1), |most, pack| most.max_each(&pack.size()));
    let size = Size::of(sets, |k| if k == set { limits.size[k] } else { fullest[k] });
    Ok(plan.with_limits(Limits { size, graphs: limits.graphs }))
}
