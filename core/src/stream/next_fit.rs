//! [`NextFit`]: one open batch, which ends before the first graph that does not fit.

use super::waiting::{List, Lists, PackIds, StreamError, Waiting};
use crate::FixedLimits;
use crate::lanes::Lanes;

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
/// Each graph that is accepted is in exactly one batch, and no batch is empty. At most as many graphs wait as the
/// limits allow in a batch.
///
/// ```
/// use graphpack_core::FixedLimits;
/// use graphpack_core::stream::{NextFit, Pushed, TooLarge, Waiting};
///
/// // A shape of 11 nodes, 20 edges and 3 graphs holds 10 nodes, 20 edges and 2 graphs besides padding.
/// let limits = FixedLimits::new([10, 20]).graphs(2);
/// let mut memory = [Waiting::EMPTY; 2 + 1];
/// let mut batches = NextFit::new(limits, TooLarge::Error, &mut memory);
/// assert!(matches!(batches.push([6, 12], 'a')?, Pushed::Accepted));
/// assert!(matches!(batches.push([4, 8], 'b')?, Pushed::Accepted));
/// let Pushed::Completed(batch) = batches.push([1, 0], 'c')? else { panic!("a batch of two is full") };
/// assert!(batch.eq(['a', 'b']));
/// assert!(batches.finish().eq(['c']));
/// # Ok::<(), graphpack_core::stream::StreamError<2>>(())
/// ```
#[derive(Debug)]
pub struct NextFit<'m, const K: usize, T> {
    limits: FixedLimits<K>,
    too_large: TooLarge,
    held: [u32; K],
    lists: Lists<'m, T>,
    /// The graphs of the open batch.
    open: List,
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
#[derive(Clone, Debug)]
pub enum Pushed<'a, T> {
    /// It was added to the batch.
    Accepted,
    /// The batch of these graphs is complete without it, and it is the first graph of the next batch.
    Completed(PackIds<'a, T>),
    /// It is too large and was left out.
    Skipped,
}

impl<'m, const K: usize, T: Copy> NextFit<'m, K, T> {
    /// Batches under these limits, padding not included, in memory for one graph more than a batch may have.
    pub fn new(limits: FixedLimits<K>, too_large: TooLarge, memory: &'m mut [Waiting<T>]) -> Self {
        Self { limits, too_large, held: [0; K], lists: Lists::new(memory), open: List::default() }
    }

    /// Takes one graph, which the caller knows as `id`. On an error the batch stays as it was, so that it can be
    /// finished (jraph yields it before it raises) or filled with other graphs.
    pub fn push(&mut self, size: [u32; K], id: T) -> Result<Pushed<'_, T>, StreamError<K>> {
        let fits = size.fits(&self.limits.size) && self.limits.graphs > 0;
        if !fits {
            match self.too_large {
                TooLarge::Error => return Err(StreamError::TooLarge { size, limits: self.limits }),
                TooLarge::Skip => return Ok(Pushed::Skipped),
                TooLarge::Alone => {}
            }
        }
        let sum = |k: usize| self.held[k].checked_add(size[k]).filter(|&sum| sum <= self.limits.size[k]);
        let room = (0..K).all(|k| sum(k).is_some()) && self.open.graphs < self.limits.graphs;
        if self.open.graphs == 0 || room {
            self.lists.push(&mut self.open, id)?;
            self.held = core::array::from_fn(|k| self.held[k].saturating_add(size[k]));
            return Ok(Pushed::Accepted);
        }
        let mut next = List::default();
        self.lists.push(&mut next, id)?;
        let complete = core::mem::replace(&mut self.open, next);
        self.held = size;
        self.lists.release(complete);
        Ok(Pushed::Completed(self.lists.ids(complete)))
    }

    /// Ends the open batch, and returns its graphs; none if there is no open batch.
    pub fn finish(&mut self) -> PackIds<'_, T> {
        let last = core::mem::take(&mut self.open);
        self.held = [0; K];
        self.lists.release(last);
        self.lists.ids(last)
    }
}
