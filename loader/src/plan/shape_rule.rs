//! [`ShapeRule`]: the shape that each batch is padded to.

use crate::layout::Shape;
use crate::options::Padding;
use graphpack_core::Rounding;

/// The shape that each batch is padded to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapeRule {
    /// One for all batches, except those of a graph that exceeds it, which get the other.
    Fixed {
        /// That of all batches.
        shape: Shape,
        /// That of graphs that exceed it.
        alone: Option<Shape>,
    },
    /// The next one up from the batch's own rows.
    Rounded {
        /// How nodes and edges are rounded.
        rounding: Rounding,
        /// Rows for real graphs; none for as many as the batch has.
        graphs: Option<usize>,
    },
}

impl ShapeRule {
    /// The shape of a batch with these real rows. None if it cannot be addressed.
    pub(crate) fn shape(&self, real: &Shape, padding: Padding) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            Self::Fixed { shape, alone: Some(alone) } => {
                Some(if real.graphs() == 1 && !padding.fits(real, &shape) { alone } else { shape })
            }
            Self::Rounded { rounding, graphs } => padding.rounded(real, rounding, graphs),
        }
    }

    /// The shape of all batches; none if there are several.
    pub(crate) fn only(&self) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            _ => None,
        }
    }

    /// The shape of all batches, but for graphs that exceed it.
    pub(crate) fn fixed(&self) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, .. } => Some(shape),
            Self::Rounded { .. } => None,
        }
    }
}
