//! The baselines of the paper's table 2: no packing, and packing by one component while the others are ignored.

use super::PackError;
use crate::{Heuristic, Histogram, Limits, Packer, Plan, Size};

/// Every graph in a pack of its own (row "None").
pub fn no_packing<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>) -> Result<Plan<K>, PackError<K>> {
    Packer::BestFit(Heuristic::Sum).pack(histogram, &limits.graphs(1))
}

/// Packs by one component, 0 = nodes, 1 = edges (rows "Node base", "Edge base").
///
/// The other components may exceed `limits`; the limits of the returned plan are then what its fullest pack needs.
/// Errors if a graph exceeds the limit of that component, or with [`PackError::Component`] if there is no such
/// component.
pub fn one_component<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    component: usize,
) -> Result<Plan<K>, PackError<K>> {
    if component >= K {
        return Err(PackError::Component { component, components: K });
    }
    let only = Size(core::array::from_fn(|k| if k == component { limits.size.0[k] } else { u32::MAX }));
    let plan = Packer::Published(Heuristic::Component(component))
        .pack(histogram, &Limits { size: only, graphs: limits.graphs })?;
    let mut size = [1; K];
    for pack in plan.iter() {
        for (size, sum) in size.iter_mut().zip(pack.size()) {
            *size = (*size).max(u32::try_from(sum).unwrap_or(u32::MAX));
        }
    }
    if let Some(given) = limits.size.0.get(component) {
        size[component] = *given;
    }
    Ok(plan.with_limits(Limits { size: Size(size), graphs: limits.graphs }))
}
