//! [`Resolved`]: resolves `Batching` and `Capacity` into limits and shapes.

use super::limits::limits;
use super::{ShapeRule, Sizes};
use crate::error::BuildError;
use crate::layout::{Schema, Size};
use crate::options::{Batching, Capacity, Limits, Options, Oversize};
use graphpack_core::Rounding;

/// The limits and shapes that `Batching` and `Capacity` give for a data set.
pub(super) struct Resolved {
    /// The limits of a pack that graphs are divided by.
    pub(super) limits: Limits,
    /// The configured limits, before `any` lifts them.
    pub(super) declared: Limits,
    pub(super) shapes: ShapeRule,
    /// Whether graphs of any size are accepted.
    pub(super) any: bool,
}

impl Resolved {
    /// Resolves `options` for graphs of these `sizes`.
    pub(super) fn new(options: &Options, schema: &Schema, sizes: &Sizes) -> Result<Self, BuildError> {
        let unlimited = Limits::new(Size::of(schema.sets().len(), |_| u32::MAX)).graphs(u32::MAX);
        let draws = options.weights.as_ref().map_or(sizes.graphs(), |weights| weights.draws());
        let limits_of = |capacity: &Capacity| limits(capacity, schema, sizes, draws, options.padding);
        let fixed = |limits: &Limits| fixed(options, schema, limits);
        let graphs = || graphs(options, schema);
        let least = options.padding.least(schema);
        let resolved = match options.batching {
            Batching::Window { open } if !(1..=Batching::MOST_OPEN).contains(&open) => {
                return Err(BuildError::Window { open });
            }
            Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic => {
                let limits = limits_of(&options.capacity)?;
                return Ok(Self { limits, declared: limits, shapes: fixed(&limits)?, any: false });
            }
            Batching::StaticConstant => {
                let capacity = match options.capacity {
                    Capacity::Graphs(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
                    // A `batch_size` includes the padding graph.
                    Capacity::Graphs(graphs) => Capacity::Constant { batch_size: least.batch_size(graphs) },
                    other => other,
                };
                let declared = limits_of(&capacity)?;
                let limits = unlimited.graphs(declared.graphs);
                Self { limits, declared, shapes: fixed(&declared)?, any: true }
            }
            Batching::Static64 => Self::rounded(unlimited.graphs(graphs()?), Rounding::Multiple(64)),
            Batching::StaticPow2 => Self::rounded(unlimited.graphs(graphs()?), Rounding::PowerOfTwo),
            Batching::NodeBudget { .. }
            | Batching::EdgeBudget { .. }
            | Batching::RowBudget { .. }
            | Batching::GraphsOrNodes { .. }
            | Batching::GraphsOrRows { .. } => {
                let any = matches!(options.batching, Batching::GraphsOrNodes { .. } | Batching::GraphsOrRows { .. });
                let mut limits = if any { unlimited.graphs(graphs()?) } else { unlimited };
                if let Some(budget) = options.batching.budget(schema) {
                    let (set, most) = budget.map_err(|set| BuildError::NoSet { set, sets: schema.sets().clone() })?;
                    if most == 0 {
                        return Err(BuildError::Zero { option: "budget of rows" });
                    }
                    limits.size.set(set, most);
                }
                Self { any, ..Self::rounded(limits, Rounding::Multiple(1)) }
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
    fn rounded(limits: Limits, rounding: Rounding) -> Self {
        let unpadded = rounding == Rounding::Multiple(1);
        let graphs = if unpadded { None } else { Some(limits.graphs as usize) };
        Self { limits, declared: limits, shapes: ShapeRule::Rounded { rounding, graphs }, any: true }
    }
}

/// Returns the one shape that `limits` give all batches.
fn fixed(options: &Options, schema: &Schema, limits: &Limits) -> Result<ShapeRule, BuildError> {
    let shape = options.padding.shape(schema, limits, options.packs);
    let shape = shape.ok_or(BuildError::TooLarge { limits: *limits, packs: options.packs })?;
    Ok(ShapeRule::Fixed { shape, alone: None })
}

/// Returns the fixed number of graphs per batch.
fn graphs(options: &Options, schema: &Schema) -> Result<u32, BuildError> {
    match options.capacity.graphs(&options.padding.least(schema)) {
        Some(0) => Err(BuildError::Zero { option: "graphs per batch" }),
        Some(graphs) => Ok(graphs),
        None => Err(meaningless(options, "a capacity of limits")),
    }
}

pub(super) fn meaningless(options: &Options, option: &'static str) -> BuildError {
    BuildError::Meaningless { option, batching: options.batching }
}
