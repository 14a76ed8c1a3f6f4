//! [`NextFit`]: one open batch, which ends before the first graph that does not fit.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::size::Tuple;

/// Batches graphs in the order in which they come. Static batching, dynamic batching and budgets of one set are
/// next-fit under different limits.
///
/// | batching | its limits |
/// |---|---|
/// | static, Speckhard et al., section 2 | a number of graphs |
/// | jraph's `dynamically_batch` | a shape without its [padding](crate::LeastPadding::usable) |
/// | PyTorch Geometric's `DynamicBatchSampler` | one set |
/// | ptgnn | a number of graphs, and one set beside [`TooLarge::Alone`] |
///
/// Each graph that is accepted is in exactly one batch, and no batch is empty.
///
/// ```
/// use graphpack_core::stream::{NextFit, Pushed, TooLarge};
/// use graphpack_core::FixedLimits;
///
/// // A shape of 11 nodes, 20 edges and 3 graphs holds 10 nodes, 20 edges and 2 graphs besides padding.
/// let mut batches = NextFit::new(FixedLimits::new([10, 20]).graphs(2), TooLarge::Error);
/// assert_eq!(batches.push([6, 12])?, Pushed::Accepted);
/// assert_eq!(batches.push([4, 8])?, Pushed::Accepted);
/// assert_eq!(batches.push([1, 0])?, Pushed::FlushFirst); // the batch of two is complete, this begins the next
/// assert_eq!(batches.finish(), Some(([1, 0], 1)));
/// # Ok::<(), graphpack_core::stream::NextFitError<2>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NextFit<const K: usize> {
    limits: FixedLimits<K>,
    too_large: TooLarge,
    held: [u32; K],
    graphs: u32,
}

/// What happens to a graph that exceeds the limits on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TooLarge {
    /// It is refused with an error.
    #[default]
    Error,
    /// It is left out, and [`NextFit::push`] returns [`Pushed::Skipped`].
    Skip,
    /// It gets a batch of its own, which exceeds the limits.
    Alone,
}

/// What [`NextFit::push`] did with a graph. These are all outcomes: a caller that handled only some would lose graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// It was added to the batch.
    Accepted,
    /// The batch is complete without it, and it is the first graph of the next batch.
    FlushFirst,
    /// It is too large and was left out.
    Skipped,
}

impl<const K: usize> NextFit<K> {
    /// Batches under these limits, padding not included.
    pub const fn new(limits: FixedLimits<K>, too_large: TooLarge) -> Self {
        Self { limits, too_large, held: [0; K], graphs: 0 }
    }

    /// Takes one graph. On an error the batch stays as it was, so that it can be finished (jraph yields it before it
    /// raises) or filled with other graphs.
    pub fn push(&mut self, size: [u32; K]) -> Result<Pushed, NextFitError<K>> {
        let fits = size.fits(&self.limits.size) && self.limits.graphs > 0;
        if !fits {
            match self.too_large {
                TooLarge::Error => return Err(NextFitError { size, limits: self.limits, pending: self.graphs }),
                TooLarge::Skip => return Ok(Pushed::Skipped),
                TooLarge::Alone => {}
            }
        }
        let sum = |k: usize| self.held[k].checked_add(size[k]).filter(|&sum| sum <= self.limits.size[k]);
        let room = (0..K).all(|k| sum(k).is_some()) && self.graphs < self.limits.graphs;
        if self.graphs == 0 || room {
            self.held = core::array::from_fn(|k| self.held[k].saturating_add(size[k]));
            self.graphs += 1;
            return Ok(Pushed::Accepted);
        }
        (self.held, self.graphs) = (size, 1);
        Ok(Pushed::FlushFirst)
    }

    /// Ends the open batch, and returns its size and number of graphs; None if there is no open batch.
    pub fn finish(&mut self) -> Option<([u32; K], u32)> {
        let last = (self.graphs > 0).then_some((self.held, self.graphs));
        (self.held, self.graphs) = ([0; K], 0);
        last
    }
}

/// A graph exceeds the limits on its own.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a graph of size {} exceeds the limits {limits}; {pending} graphs before it are still in the batch",
    Tuple(size)
)]
pub struct NextFitError<const K: usize> {
    /// Its size.
    pub size: [u32; K],
    /// The most that a batch may hold, padding not included.
    pub limits: FixedLimits<K>,
    /// Number of graphs in the open batch.
    pub pending: u32,
}

crate::debug_is_display::debug_is_display!(const K: NextFitError<K>);
