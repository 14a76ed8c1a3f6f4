//! [`BatchGraph`]: one graph of a batch, taken apart again.

use super::{ArrayError, Element, GraphSpan, Layout, Level, Shape, Size, Slot};
use crate::error::Error;
use std::ops::Range;

/// One real graph of a batch: its rows of each set, and its indices counted within the graph. PyTorch Geometric's
/// `batch[i]`. [`Store::push_graph`](crate::Store::push_graph) keeps it.
///
/// ```
/// use graphpack_loader::{Loader, Options, Store, molecules};
///
/// let data = molecules::generate(1, 100);
/// let loader = Loader::new(data.clone(), Options::default())?;
/// let mut copy = Store::new(data.schema().clone());
/// for batch in loader.epoch(0) {
///     for graph in batch?.graphs() {
///         copy.push_graph(&graph)?;
///     }
/// }
/// assert_eq!(copy.len(), data.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchGraph<'a> {
    layout: &'a Layout,
    bytes: &'a [u8],
    before: Shape,
    size: Size,
    number: i64,
}

impl<'a> BatchGraph<'a> {
    /// Returns graph `number` of the data set, which has `size` rows after those `before` it in the `bytes` of a batch.
    pub(crate) fn new(layout: &'a Layout, bytes: &'a [u8], before: Shape, size: Size, number: i64) -> Self {
        Self { layout, bytes, before, size, number }
    }

    /// Number of the graph in the data set.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// How many rows of each set the graph has.
    pub fn size(&self) -> Size {
        self.size
    }

    fn span(&self) -> GraphSpan<'_> {
        GraphSpan::new(&self.before, &self.size)
    }

    /// Returns where the graph's rows lie in all arrays of a level, such as the results of a network for nodes.
    pub fn range(&self, level: Level) -> Range<usize> {
        self.span().rows(level)
    }

    /// Where the arrays of the batch lie.
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// Returns the graph's rows of a field, row by row.
    pub fn rows<T: Element>(&self, field: &str) -> Result<&'a [T], Error> {
        self.layout.typed::<T>(field)?;
        let rows = self.row_bytes(field)?;
        bytemuck::checked::try_cast_slice(rows).map_err(|_| ArrayError::invalid(field, rows))
    }

    /// Returns the graph's rows of a field as bytes.
    pub(crate) fn row_bytes(&self, field: &str) -> Result<&'a [u8], Error> {
        let found = self.layout.schema().position(field).and_then(|position| self.layout.field(position));
        let Some((level, Some(array))) = found else { return Err(self.layout.missing(field)) };
        Ok(&self.bytes[array.bytes_of(self.span().rows(level))])
    }

    /// Returns the columns of an index, as rows counted within the graph.
    pub fn index(&self, name: &str) -> Result<Vec<Vec<i64>>, Error> {
        let found = self.layout.schema().find_index(name).and_then(|position| self.layout.index(position));
        let Some((index, Some(array))) = found else { return Err(self.layout.missing(name)) };
        let column = |(column, &target): (usize, &u8)| {
            let first = self.span().rows(Level::Set(target)).start as i64;
            let mut numbers = Vec::new();
            array.read_column(self.bytes, column, self.span().rows(index.level), first, &mut numbers);
            numbers
        };
        Ok(index.targets.iter().enumerate().map(column).collect())
    }
}

impl Slot<'_> {
    /// The graph that is written, with no number of its own.
    pub(crate) fn graph(&self) -> BatchGraph<'_> {
        BatchGraph::new(self.layout, self.bytes, *self.before, self.progress.size, 0)
    }
}
