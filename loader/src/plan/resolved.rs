//! [`Resolved`]: resolves `Batching` and `Capacity` into limits and shapes.

use super::limits::{limits, usable};
use super::{Buckets, ShapeRule, Sizes};
use crate::error::BuildError;
use crate::layout::{Schema, Shape, Size};
use crate::options::{Batching, Capacity, Limits, Options, Oversize};
use graphpack_core::{LeastPadding, Rounding};

/// The limits and shapes that `Batching` and `Capacity` give for a data set.
pub(super) struct Resolved {
    /// The limits of a pack that graphs are divided by, the largest if there are several.
    pub(super) limits: Limits,
    /// Which graphs are packed under which limits.
    pub(super) buckets: Buckets,
    /// The configured limits, before `any` lifts them.
    pub(super) declared: Limits,
    /// Shapes with the least padding, one for each bucket.
    pub(super) shapes: ShapeRule,
    /// Whether graphs of any size are accepted.
    pub(super) any: bool,
}

impl Resolved {
    /// Resolves `options` for graphs of these `sizes`; `reserved` is kept free of a given shape or budget.
    pub(super) fn new(
        options: &Options,
        schema: &Schema,
        sizes: &Sizes,
        reserved: &LeastPadding,
    ) -> Result<Self, BuildError> {
        let unlimited = Limits::new(Size::of(schema.sets().len(), |_| u32::MAX)).graphs(u32::MAX);
        let limits_of = |capacity: &Capacity| limits(options, schema, sizes, capacity, reserved);
        let graphs = || graphs(options, schema);
        let least = options.padding.least(schema);
        let fixed = |limits: &Limits| {
            // Limits that keep more than the least free of a given shape do not change it.
            let whole = match options.capacity {
                Capacity::Shape(shape) => usable(&shape, &least),
                _ => None,
            };
            let shape = shape(options, schema, &whole.unwrap_or(*limits))?;
            Ok::<_, BuildError>(ShapeRule::Fixed { shape, alone: None })
        };
        if let Capacity::Buckets { shapes, graphs } = options.capacity {
            let draws = u32::try_from(options.draws(sizes.graphs())).unwrap_or(u32::MAX);
            return Self::several(options, schema, sizes, shapes, graphs.min(draws));
        }
        let resolved = match options.batching {
            Batching::Window { open } if !(1..=Batching::MOST_OPEN).contains(&open) => {
                return Err(BuildError::Window { open });
            }
            Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic => {
                let limits = limits_of(&options.capacity)?;
                let buckets = Buckets::one(limits);
                return Ok(Self { limits, buckets, declared: limits, shapes: fixed(&limits)?, any: false });
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
                Self { limits, buckets: Buckets::one(limits), declared, shapes: fixed(&declared)?, any: true }
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
        let (buckets, shapes) = (Buckets::one(limits), ShapeRule::Rounded { rounding, graphs });
        Self { limits, buckets, declared: limits, shapes, any: true }
    }

    /// Resolves [`Capacity::Buckets`].
    fn several(options: &Options, schema: &Schema, sizes: &Sizes, shapes: u8, graphs: u32) -> Result<Self, BuildError> {
        if !matches!(options.batching, Batching::Packed(_)) {
            return Err(meaningless(options, "Capacity::Buckets"));
        }
        if shapes == 0 || graphs == 0 {
            return Err(BuildError::Zero { option: if shapes == 0 { "shapes" } else { "graphs per batch" } });
        }
        let buckets = Buckets::search(sizes, shapes, graphs)?;
        let shape = |limits| shape(options, schema, limits);
        let shapes = buckets.limits().iter().map(shape).collect::<Result<Vec<_>, _>>()?;
        let limits = buckets.largest();
        Ok(Self { limits, buckets, declared: limits, shapes: ShapeRule::Several(shapes), any: false })
    }
}

/// Returns the shape of batches under `limits`, with the least padding.
fn shape(options: &Options, schema: &Schema, limits: &Limits) -> Result<Shape, BuildError> {
    let shape = options.padding.shape(schema, limits, options.packs);
    shape.ok_or(BuildError::TooLarge { limits: *limits, packs: options.packs })
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
