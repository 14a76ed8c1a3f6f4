//! [`Resolved`]: resolves `Batching` and `Capacity` into limits and shapes.

use super::ShapeRule;
use super::limits::limits;
use crate::error::BuildError;
use crate::options::{Batching, Capacity, Options, Oversize};
use graphpack_core::{Histogram, Limits, Rounding, Size};

/// The limits and shapes that `Batching` and `Capacity` give for a data set.
pub(super) struct Resolved {
    /// The limits of a pack that graphs are divided by.
    pub(super) limits: Limits<2>,
    /// The configured limits, before `any` lifts them.
    pub(super) declared: Limits<2>,
    pub(super) shapes: ShapeRule,
    /// Whether graphs of any size are accepted.
    pub(super) any: bool,
}

impl Resolved {
    /// Resolves `options` for graphs of these `sizes`, whose histogram is `all`.
    pub(super) fn new(options: &Options, sizes: &[Size<2>], all: &Histogram<2>) -> Result<Self, BuildError> {
        let unlimited = Limits::new([u32::MAX; 2]).graphs(u32::MAX);
        let limits_of = |capacity: &Capacity| limits(capacity, sizes, all, options.padding);
        let resolved = match options.batching {
            Batching::Window { open } if !(1..=Batching::MOST_OPEN).contains(&open) => {
                return Err(BuildError::Window { open });
            }
            Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic => {
                let limits = limits_of(&options.capacity)?;
                return Ok(Self { limits, declared: limits, shapes: fixed(options, &limits)?, any: false });
            }
            Batching::StaticConstant => {
                let capacity = match options.capacity {
                    Capacity::Graphs(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
                    // A `batch_size` includes the padding graph.
                    Capacity::Graphs(graphs) => {
                        Capacity::Constant { batch_size: options.padding.least().batch_size(graphs) }
                    }
                    other => other,
                };
                let declared = limits_of(&capacity)?;
                let limits = unlimited.graphs(declared.graphs);
                Self { limits, declared, shapes: fixed(options, &declared)?, any: true }
            }
            Batching::Static64 => Self::rounded(unlimited.graphs(graphs(options)?), Rounding::Multiple(64)),
            Batching::StaticPow2 => Self::rounded(unlimited.graphs(graphs(options)?), Rounding::PowerOfTwo),
            Batching::NodeBudget { nodes: most } | Batching::EdgeBudget { edges: most } => {
                let component = usize::from(matches!(options.batching, Batching::EdgeBudget { .. }));
                let mut limits = unlimited;
                limits.size.0[component] = most;
                limits.check()?;
                Self { any: false, ..Self::rounded(limits, Rounding::Multiple(1)) }
            }
            Batching::GraphsOrNodes { nodes } => {
                let limits = Limits::new([nodes, u32::MAX]).graphs(graphs(options)?);
                limits.check()?;
                Self::rounded(limits, Rounding::Multiple(1))
            }
        };
        if options.packs != 1 {
            return Err(meaningless(options, "packs_per_batch"));
        }
        if resolved.any && options.oversize != Oversize::Error || options.oversize == Oversize::Alone {
            return Err(meaningless(options, "oversize"));
        }
        Ok(resolved)
    }

    /// Returns limits whose batches have several shapes. With a fixed number of graphs per batch, the last batch, too,
    /// has rows for that number.
    fn rounded(limits: Limits<2>, rounding: Rounding) -> Self {
        let unpadded = rounding == Rounding::Multiple(1);
        let graphs = if unpadded { None } else { Some(limits.graphs as usize) };
        Self { limits, declared: limits, shapes: ShapeRule::Rounded { rounding, graphs }, any: true }
    }
}

/// Returns the one shape that `limits` give all batches.
fn fixed(options: &Options, limits: &Limits<2>) -> Result<ShapeRule, BuildError> {
    let shape = options.padding.shape(limits, options.packs);
    let shape = shape.ok_or(BuildError::TooLarge { limits: *limits, packs: options.packs })?;
    Ok(ShapeRule::Fixed { shape, alone: None })
}

/// Returns the fixed number of graphs per batch.
fn graphs(options: &Options) -> Result<u32, BuildError> {
    match options.capacity.graphs(options.padding) {
        Some(0) => Err(BuildError::Zero { option: "graphs per batch" }),
        Some(graphs) => Ok(graphs),
        None => Err(meaningless(options, "a capacity of limits")),
    }
}

pub(super) fn meaningless(options: &Options, option: &'static str) -> BuildError {
    BuildError::Meaningless { option, batching: options.batching }
}
