//! [`ShapeRule`]: gives each batch the shape that it is padded to; [`ShapeLimits`]: which graphs are packed under which
//! limits.

use super::{Sizes, Spread};
use crate::error::{BuildError, Error};
use crate::layout::{Shape, Size};
use crate::options::Limits;
use graphpack_core::{LeastPadding, Rounding};
use std::collections::HashMap;

/// Gives each batch the shape that it is padded to.
#[derive(Clone, Debug)]
pub(crate) enum ShapeRule {
    /// All batches have one shape, except a graph that exceeds it.
    Fixed {
        /// The shape of all other batches.
        shape: Shape,
        /// The shape of a batch with a single graph that exceeds `shape` with the least padding.
        alone: Option<Shape>,
    },
    /// Each batch has the first of these shapes that it fits. The last has room for every other.
    Several(Vec<Shape>),
    /// Each batch has the shape that its own rows are rounded up to.
    Rounded {
        /// How the rows of each set are rounded.
        rounding: Rounding,
        /// Number of real graphs that every batch has room for; `None` for those that it has, rounded like rows.
        graphs: Option<usize>,
    },
}

impl ShapeRule {
    /// Returns the shape of a batch with these real rows, where `base` is the only shape with the least padding; `None`
    /// if its numbers overflow.
    pub(crate) fn shape(&self, real: &Shape, base: Option<Shape>, spread: &Spread) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            Self::Several(ref shapes) => {
                shapes.iter().find(|shape| spread.fits(real, shape)).or(shapes.last()).copied()
            }
            Self::Fixed { shape, alone: Some(alone) } => {
                let base = base.unwrap_or(shape);
                let exceeds = real.graphs() == 1 && !real.fits_padded(spread.least(), &base);
                Some(if exceeds { alone } else { shape })
            }
            Self::Rounded { rounding, graphs } => {
                let all = Shape::of(real.sets().len(), graphs.unwrap_or(real.graphs()), |set| real.sets()[set]);
                let padded = all.padded(spread.least())?;
                let padded = if graphs.is_some() { padded } else { with_rounded_graphs(rounding, padded)? };
                spread.grow(padded, |rows| rounded(rounding, rows), &spread.taken(&[*real]))
            }
        }
    }

    /// Gives shapes the padding rows that batches need which take `taken` of each pair of `spread`: one list for each
    /// shape. Returns the shape of each shape; `None` if numbers overflow.
    pub(super) fn grow(&mut self, spread: &Spread, taken: &[Vec<i128>]) -> Option<Vec<Shape>> {
        let shapes = match self {
            Self::Fixed { shape, .. } => std::slice::from_mut(shape),
            Self::Several(shapes) => &mut shapes[..],
            Self::Rounded { .. } => &mut [],
        };
        let mut own = shapes.to_vec();
        let mut order: Vec<usize> = (0..own.len()).collect();
        order.sort_by_key(|&class| all_rows(&own[class]));
        // A larger shape must do for all batches of smaller ones, since all ranks have one shape in a step.
        let mut most = vec![0; taken[0].len()];
        let raise = |most: &mut [i128], by: &[i128]| most.iter_mut().zip(by).for_each(|(m, &by)| *m = by.max(*m));
        for (place, class) in order.into_iter().enumerate() {
            raise(&mut most, &taken[class]);
            let shape = spread.grow(own[class], |shape| Some(*shape), &most)?;
            raise(&mut most, &spread.room(&shape));
            (own[class], shapes[place]) = (shape, shape);
        }
        Some(own)
    }

    /// Returns a shape for all ranks in a step, whose batches have these shapes and real rows: the largest rows and
    /// graphs, with the padding rows that these need, or the first of several shapes that holds all.
    pub(super) fn common(&self, step: &[Shape], real: &[Shape], spread: &Spread) -> Shape {
        let largest = step.iter().fold(Shape::default(), |largest, shape| largest.max_each(shape));
        if let Self::Several(shapes) = self {
            return shapes.iter().find(|several| largest.fits(several)).copied().unwrap_or(largest);
        }
        let rounding = match self {
            Self::Rounded { rounding, .. } => *rounding,
            _ => Rounding::Multiple(1),
        };
        spread.grow(largest, |rows| rounded(rounding, rows), &spread.taken(real)).unwrap_or(largest)
    }

    /// The shape of all batches; `None` if there are several.
    pub(crate) fn only(&self) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            _ => None,
        }
    }

    /// The shape of all batches except those of a graph that exceeds it, or the largest of several; `None` if batches
    /// are rounded up one by one.
    pub(crate) fn largest(&self) -> Option<Shape> {
        match self {
            Self::Fixed { shape, .. } => Some(*shape),
            Self::Several(shapes) => shapes.iter().max_by_key(|shape| all_rows(shape)).copied(),
            Self::Rounded { .. } => None,
        }
    }
}

/// Returns the rows of all sets together.
fn all_rows(shape: &Shape) -> usize {
    shape.sets().iter().fold(0, |sum: usize, &rows| sum.saturating_add(rows))
}

/// Returns the same shape with its number of graphs rounded up.
fn with_rounded_graphs(rounding: Rounding, shape: Shape) -> Option<Shape> {
    let graphs = rounding.shape(&[shape.graphs() as u64], 0, &LeastPadding::NONE)?.size[0];
    Some(Shape::of(shape.sets().len(), graphs as usize, |set| shape.sets()[set]))
}

/// Returns the shape that these rows, padding included, are rounded up to.
fn rounded(rounding: Rounding, rows: &Shape) -> Option<Shape> {
    let (wide, graphs) = (rows.wide(), u32::try_from(rows.graphs()).ok()?);
    let shape = rounding.shape(&wide[..rows.sets().len()], graphs, &LeastPadding::NONE)?;
    Some(shape.into())
}

/// Which graphs are packed under which limits: all under the same, or those of each of a few shapes under its own.
pub(crate) struct ShapeLimits {
    limits: Vec<Limits>,
    /// The position of the limits for each size that they were searched for; empty if there is one shape.
    of: HashMap<Size, u8>,
}

impl ShapeLimits {
    /// Returns the same limits for all graphs.
    pub(super) fn one(limits: Limits) -> Self {
        Self { limits: vec![limits], of: HashMap::new() }
    }

    /// Searches for the limits of at most `shapes` shapes, whose packs have at most an eighth more than `graphs`
    /// graphs.
    pub(super) fn search(sizes: &Sizes, shapes: u8, graphs: u32) -> Result<Self, Error> {
        let histogram = sizes.histogram_of_all();
        let rows = histogram.totals().into_iter().sum::<u128>();
        let mut options = graphpack_core::FewShapes::new(shapes.into(), graphs.saturating_add(graphs / 8));
        options.per_shape = u64::try_from(rows / 100).unwrap_or(u64::MAX);
        let found = options.search(&histogram).map_err(|error| BuildError::Pack(error.into()))?;
        let mut of = HashMap::new();
        for (number, found) in found.iter().enumerate() {
            of.extend(found.histogram.entries().iter().map(|(size, _)| (*size, number as u8)));
        }
        Ok(Self { limits: found.iter().map(|class| class.limits).collect(), of })
    }

    /// The limits of each shape, the largest last.
    pub(crate) fn limits(&self) -> &[Limits] {
        &self.limits
    }

    /// The limits that every graph keeps, whatever its shape.
    pub(super) fn largest(&self) -> Limits {
        self.limits[self.limits.len() - 1]
    }

    /// The position of the limits for a size: the first that has room for it if they were searched for other sizes, or
    /// the last.
    fn position(&self, size: &Size) -> usize {
        if let Some(&number) = self.of.get(size) {
            return number.into();
        }
        let last = self.limits.len() - 1;
        self.limits.iter().position(|limits| size.fits(&limits.size)).unwrap_or(last)
    }

    /// Returns the limits under which graphs of two sizes are packed together, if they are.
    pub(super) fn of_both(&self, one: &Size, other: &Size) -> Option<&Limits> {
        let [one, other] = [one, other].map(|size| self.position(size));
        (one == other).then(|| &self.limits[one])
    }

    /// Returns the limits of each shape, and how many graphs of each distinct size of `sizes` are packed under them, of
    /// `counts`.
    pub(crate) fn counts(&self, sizes: &Sizes, counts: &[u64]) -> impl Iterator<Item = (&Limits, Vec<u64>)> {
        let positions: Vec<usize> = sizes.distinct().iter().map(|size| self.position(size)).collect();
        let counts = counts.to_vec();
        self.limits.iter().enumerate().map(move |(number, limits)| {
            let here = positions.iter().zip(&counts).map(|(&of, &count)| if of == number { count } else { 0 });
            (limits, here.collect())
        })
    }
}
