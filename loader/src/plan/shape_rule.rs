//! [`ShapeRule`]: gives each batch the shape that it is padded to.

use crate::layout::{MAX_SETS, Shape};
use graphpack_core::{LeastPadding, Rounding};

/// Gives each batch the shape that it is padded to.
#[derive(Clone, Debug)]
pub(crate) enum ShapeRule {
    /// All batches have one shape, except a graph that exceeds it.
    Fixed {
        /// The shape of all other batches.
        shape: Shape,
        /// The shape of a batch with a single graph that exceeds `shape`.
        alone: Option<Shape>,
    },
    /// Each batch has the first of these shapes that it fits. The last has room for every other.
    Several(Vec<Shape>),
    /// Each batch has the shape that its own rows are rounded up to.
    Rounded {
        /// How the rows of each set are rounded.
        rounding: Rounding,
        /// Number of real graphs that every batch has room for; `None` for those that it has.
        graphs: Option<usize>,
    },
}

impl ShapeRule {
    /// Returns the shape of a batch with these real rows; `None` if its numbers overflow.
    pub(crate) fn shape(&self, real: &Shape, least: &LeastPadding<MAX_SETS>) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            Self::Several(ref shapes) => {
                shapes.iter().find(|shape| real.fits_padded(least, shape)).or(shapes.last()).copied()
            }
            Self::Fixed { shape, alone: Some(alone) } => {
                Some(if real.graphs() == 1 && !real.fits_padded(least, &shape) { alone } else { shape })
            }
            Self::Rounded { rounding, graphs } => {
                let graphs = u32::try_from(graphs.unwrap_or(real.graphs())).ok()?;
                let target = rounding.target(real.wide(), graphs, *least)?;
                Some(Shape::of(real.sets().len(), target.graphs as usize, |set| target.size.0[set] as usize))
            }
        }
    }

    /// The shape of all batches; `None` if there are several.
    pub(crate) fn only(&self) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            _ => None,
        }
    }

    /// The shape of all batches except those of a graph that exceeds it, or the largest of several; `None` if batches are
    /// rounded up one by one.
    pub(crate) fn fixed(&self) -> Option<Shape> {
        match self {
            Self::Fixed { shape, .. } => Some(*shape),
            Self::Several(shapes) => shapes.last().copied(),
            Self::Rounded { .. } => None,
        }
    }

    /// Returns the first of several shapes that holds `shape`; `shape` itself if there are not several.
    pub(super) fn common(&self, shape: Shape) -> Shape {
        let Self::Several(shapes) = self else { return shape };
        shapes.iter().find(|several| shape.fits(several)).copied().unwrap_or(shape)
    }
}
