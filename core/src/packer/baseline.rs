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
/// graph exceeds the limit of that set, or with [`PackError::Component`] if there is no such set.
pub fn one_component(histogram: &Histogram, limits: &Limits, component: usize) -> Result<Plan, PackError> {
    let sets = limits.size.sets();
    if component >= sets {
        return Err(PackError::Component { component, components: sets });
    }
    let only = Size::of(sets, |set| if set == component { limits.size[set] } else { u32::MAX });
    let plan = Packer::Published(Heuristic::Component(component))
        .pack(histogram, &Limits { size: only, graphs: limits.graphs })?;
    let fullest = plan.iter().fold(Size::of(sets, |_| 1), |most, pack| most.max_each(&pack.size()));
    let size = Size::of(sets, |set| if set == component { limits.size[set] } else { fullest[set] });
    Ok(plan.with_limits(Limits { size, graphs: limits.graphs }))
}
