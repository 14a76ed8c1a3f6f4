//! [`Resolved`]: the limits and shapes that capacity, grouping and shapes give for a data set.

use super::contradictions::refuse;
use super::limits::{draws, limits};
use super::{ShapeLimits, ShapeRule, Sizes};
use crate::error::{BuildError, Error};
use crate::layout::{Schema, Shape};
use crate::options::{Grouping, Holds, Limits, Options, Shapes};
use graphpack_core::stream::MOST_OPEN;
use graphpack_core::{LeastPadding, Rounding};

/// The limits and shapes that options give for a data set.
pub(super) struct Resolved {
    /// Which graphs are packed under which limits.
    pub(super) by_shape: ShapeLimits,
    /// Shapes with the least padding, one for each shape.
    pub(super) shapes: ShapeRule,
}

impl Resolved {
    /// Resolves `options` for graphs of these `sizes`; `reserved` is kept free of a given shape or budget.
    pub(super) fn new(
        options: &Options,
        schema: &Schema,
        sizes: &Sizes,
        reserved: &LeastPadding,
    ) -> Result<Self, Error> {
        if let Grouping::Window(open) = options.grouping
            && !(1..=MOST_OPEN).contains(&open)
        {
            return Err(BuildError::Window { open }.into());
        }
        if let Shapes::Few(shapes) = options.shapes {
            return Self::several(options, schema, sizes, shapes);
        }
        let limits = limits(options, schema, sizes, reserved)?;
        let rounded = |rounding, graphs| ShapeRule::Rounded { rounding, graphs };
        // Of a known number of graphs, every batch has room for it, the last one, too.
        let graphs = (limits.graphs < u32::MAX).then(|| (limits.graphs as usize).saturating_mul(options.packs));
        let shapes = match options.shapes {
            Shapes::Multiple(0) => return Err(BuildError::Zero { option: "the multiple of shapes" }.into()),
            Shapes::Multiple(rows) => rounded(Rounding::Multiple(rows), graphs),
            Shapes::PowerOfTwo => rounded(Rounding::PowerOfTwo, graphs),
            Shapes::Exact => rounded(Rounding::Multiple(1), None),
            Shapes::One | Shapes::Few(_) => ShapeRule::Fixed { shape: one(options, schema, &limits)?, alone: None },
        };
        Ok(Self { by_shape: ShapeLimits::one(within(options, sizes, limits)), shapes })
    }

    /// Resolves [`Shapes::Few`].
    fn several(options: &Options, schema: &Schema, sizes: &Sizes, shapes: u8) -> Result<Self, Error> {
        let graphs = match options.capacity.0 {
            Holds::Graphs(graphs) => graphs,
            _ => Holds::DEFAULT_GRAPHS,
        };
        if shapes == 0 || graphs == 0 {
            return Err(BuildError::Zero { option: if shapes == 0 { "shapes" } else { "graphs per batch" } }.into());
        }
        let draws = u32::try_from(draws(sizes, options)).unwrap_or(u32::MAX);
        let by_shape = ShapeLimits::search(sizes, shapes, graphs.min(draws))?;
        let shape = |limits| shape(options, schema, limits);
        let shapes = by_shape.limits().iter().map(shape).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { by_shape, shapes: ShapeRule::Several(shapes) })
    }
}

/// Returns the one shape of batches under `limits`, with the least padding.
fn one(options: &Options, schema: &Schema, limits: &Limits) -> Result<Shape, Error> {
    if let Holds::Shape(shape) = options.capacity.0 {
        return Ok(shape);
    }
    let sets = schema.sets();
    let unlimited = (0..sets.len()).filter(|&set| limits.size[set] == u32::MAX).map(|set| &*sets[set]);
    let unlimited: Vec<&str> = unlimited.chain((limits.graphs == u32::MAX).then_some("graphs")).collect();
    if !unlimited.is_empty() {
        let capacity = format!("capacity {}, which says nothing of {},", options.capacity, unlimited.join(" and "));
        let why = "one shape has a number of rows for each set, and of graphs: give these, too, or a number of graphs \
                   alone, or pad batches to shapes exact, multiple or power_of_two";
        return refuse("shapes one".into(), capacity, why);
    }
    shape(options, schema, limits)
}

/// Returns the shape of batches under `limits`, with the least padding.
fn shape(options: &Options, schema: &Schema, limits: &Limits) -> Result<Shape, Error> {
    let shape = schema.padded_shape(options.padding_of(schema), limits, options.packs);
    shape.ok_or_else(|| BuildError::TooLarge { limits: *limits, packs: options.packs }.into())
}

/// Returns limits with the rows that an epoch has, at most, in place of those of unlimited sets: packers compare what
/// is left of each set.
fn within(options: &Options, sizes: &Sizes, mut limits: Limits) -> Limits {
    if let Grouping::InOrder = options.grouping {
        return limits;
    }
    let (largest, graphs) = (sizes.largest(), draws(sizes, options) as u64);
    for set in 0..limits.size.sets() {
        if limits.size[set] == u32::MAX {
            let rows = u64::from(largest[set]).saturating_mul(graphs).clamp(1, u32::MAX.into());
            limits.size.set(set, rows as u32);
        }
    }
    if limits.graphs == u32::MAX {
        limits.graphs = u32::try_from(graphs).unwrap_or(u32::MAX).max(1);
    }
    limits
}
