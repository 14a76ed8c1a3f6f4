//! [`FixedLayout`]: where each array of a batch lies in its memory, as a constant; [`FixedMemory`] of that size.

use super::{CollateError, Dtype, FixedSchema, Level, Padding};
use crate::Shape;
use core::ops::Range;

/// Arrays start at multiples of this many bytes from the start of the memory, a cache line.
const ALIGN: usize = 64;

/// The most fields, indices and built-in arrays of a [`FixedSchema`] together.
pub const MAX_ARRAYS: usize = 32;

/// Returns where the next array of a batch starts, or the memory ends, after one of `rows` x `width` elements that
/// starts at byte `start`; `None` if a batch would have more bytes than memory can address.
pub const fn next_start(start: usize, rows: usize, width: usize, dtype: Dtype) -> Option<usize> {
    let bytes = dtype.bytes().saturating_mul(width).saturating_mul(rows);
    let end = bytes.saturating_add(start).saturating_add(ALIGN - 1);
    if end > isize::MAX as usize { None } else { Some(end - end % ALIGN) }
}

/// Says where each array lies in the memory of a batch of one shape: first the fields, then the indices, column after
/// column, then the built-in arrays.
///
/// A host chooses the shape, for example `graphpack limits`: padding included, with as many padding rows as padding
/// entries need so that none has more of them than rows of the data have. Checked here is that there is a padding
/// graph, and a group of padding rows where indices point to; how many entries padding rows get follows from the graphs
/// of a batch, and [`padding_degree`](Self::padding_degree) says it.
#[derive(Clone, Copy, Debug)]
pub struct FixedLayout {
    pub(super) schema: FixedSchema,
    pub(super) padding: Padding,
    pub(super) shape: Shape,
    pub(super) index: Dtype,
    /// Where each array starts, and at the end of the last the memory.
    starts: [usize; MAX_ARRAYS + 1],
}

/// An array of a batch: `rows` x `width` elements; for an index, a row is one column.
#[derive(Clone, Copy)]
pub(super) struct Array {
    pub(super) dtype: Dtype,
    pub(super) rows: usize,
    pub(super) width: usize,
    start: usize,
}

impl Array {
    /// The range of bytes of elements, counted from the first of the array.
    pub(super) fn bytes(&self, elements: Range<usize>) -> Range<usize> {
        let bytes = self.dtype.bytes();
        self.start + bytes * elements.start..self.start + bytes * elements.end
    }

    /// The range of bytes of these rows.
    pub(super) fn bytes_of(&self, rows: Range<usize>) -> Range<usize> {
        self.bytes(rows.start * self.width..rows.end * self.width)
    }

    /// The range of bytes of these entries of a column of an index.
    pub(super) fn column(&self, column: usize, entries: Range<usize>) -> Range<usize> {
        self.bytes(column * self.width + entries.start..column * self.width + entries.end)
    }
}

impl FixedLayout {
    /// Returns the layout of batches of `shape` with indices of type `index`, int32 or int64. For constants: a mistake
    /// in them does not compile. Panics with what is wrong elsewhere.
    ///
    /// ```compile_fail,E0080
    /// use graphpack_core::collate::{Dtype, FixedLayout, FixedSchema, Padding};
    /// use graphpack_core::{Shape, Size};
    ///
    /// const SCHEMA: FixedSchema = FixedSchema { sets: &["nodes"], fields: &[], indices: &[], builtins: &[] };
    /// const SHAPE: Shape = Shape { size: Size::new([8]), graphs: 1 }; // all of it would be padding
    /// const LAYOUT: FixedLayout = FixedLayout::new(SCHEMA, Padding::SelfLoops, SHAPE, Dtype::I32);
    /// ```
    pub const fn new(schema: FixedSchema, padding: Padding, shape: Shape, index: Dtype) -> Self {
        match Self::try_new(schema, padding, shape, index) {
            Ok(layout) => layout,
            Err(CollateError::Layout { problem }) => panic!("{}", problem),
            Err(_) => panic!("there is no such layout"),
        }
    }

    /// The same for what is known at run time alone. Errors with what is wrong.
    pub const fn try_new(
        schema: FixedSchema,
        padding: Padding,
        shape: Shape,
        index: Dtype,
    ) -> Result<Self, CollateError> {
        let mut layout = Self { schema, padding, shape, index, starts: [0; MAX_ARRAYS + 1] };
        match layout.place() {
            Ok(()) => Ok(layout),
            Err(problem) => Err(CollateError::Layout { problem }),
        }
    }

    /// Finds out where the arrays start.
    const fn place(&mut self) -> Result<(), &'static str> {
        if let Err(problem) = self.schema.check() {
            return Err(problem);
        }
        if self.shape.size.sets() != self.schema.sets.len() {
            return Err("the shape has another number of sets than the schema");
        }
        if self.shape.graphs < 2 {
            return Err("expected a shape of at least 2 graphs: one is padding");
        }
        if !matches!(self.index, Dtype::I32 | Dtype::I64) {
            return Err("expected indices of type int32 or int64");
        }
        if matches!(self.index, Dtype::I32) && self.shape.graphs > i32::MAX as u32 {
            return Err("int32 cannot number the graphs of the shape");
        }
        let mut set = 0;
        while set < self.schema.sets.len() {
            let rows = self.shape.size.all()[set];
            if self.schema.has_padding(set) && (rows as usize) < self.padding.group() {
                return Err("the shape has fewer rows of a set than its padding");
            }
            if matches!(self.index, Dtype::I32) && rows > i32::MAX as u32 {
                return Err("int32 cannot number the rows of the shape");
            }
            set += 1;
        }
        if self.arrays() > MAX_ARRAYS {
            return Err("expected at most 32 fields, indices and built-in arrays");
        }
        let mut at = 0;
        while at < self.arrays() {
            let Array { start, rows, width, dtype } = self.array(at);
            match next_start(start, rows, width, dtype) {
                Some(next) => self.starts[at + 1] = next,
                None => return Err("the batch has more bytes than memory can address"),
            }
            at += 1;
        }
        Ok(())
    }

    /// Number of arrays.
    const fn arrays(&self) -> usize {
        self.schema.fields.len() + self.schema.indices.len() + self.schema.builtins.len()
    }

    /// Returns an array, by its position: fields, then indices, then built-in arrays.
    pub(super) const fn array(&self, position: usize) -> Array {
        let FixedSchema { fields, indices, builtins, .. } = self.schema;
        let start = self.starts[position];
        if position < fields.len() {
            let of = &fields[position];
            return Array { dtype: of.dtype, rows: self.rows(of.level), width: of.width, start };
        }
        let position = position - fields.len();
        if position < indices.len() {
            let of = &indices[position];
            return Array { dtype: self.index, rows: of.targets.len(), width: self.rows(of.level), start };
        }
        let of = builtins[position - indices.len()];
        let (level, more) = of.length();
        let width = match of.width(self.rows(of.of())) {
            Some(width) => width,
            None => 1,
        };
        Array { dtype: of.dtype(self.index), rows: self.rows(level) + more, width, start }
    }

    /// Rows of a level, padding included.
    const fn rows(&self, level: Level) -> usize {
        rows(&self.shape, level)
    }

    /// Returns how many entries of a column of an index point to the same padding row, at most, in a batch of graphs
    /// with these `real` rows: the degree of padding nodes for `edge_index`. 0 if there is no index at this position.
    pub fn padding_degree(&self, index: usize, real: &Shape) -> usize {
        let Some(of) = self.schema.indices.get(index) else { return 0 };
        let surplus = |level| self.rows(level).saturating_sub(rows(real, level));
        let targets = of.targets.iter().map(|&set| self.padding.turn(surplus(Level::Set(set))));
        surplus(of.level).div_ceil(targets.min().unwrap_or(1))
    }

    /// Number of bytes of a batch.
    pub const fn bytes(&self) -> usize {
        self.starts[self.arrays()]
    }
}

/// Rows of a level in a shape.
pub(super) const fn rows(shape: &Shape, level: Level) -> usize {
    match level {
        Level::Set(set) => shape.size.all()[set as usize] as usize,
        Level::Graph => shape.graphs as usize,
    }
}

/// Memory for a batch of `N` bytes ([`FixedLayout::bytes`]) on the stack or in a static. It is aligned to 64 bytes, a
/// cache line, as engines and DMA expect it.
#[derive(Debug)]
#[repr(align(64))]
pub struct FixedMemory<const N: usize>(pub [u8; N]);

impl<const N: usize> FixedMemory<N> {
    /// Memory that is 0.
    pub const fn new() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Default for FixedMemory<N> {
    fn default() -> Self {
        Self::new()
    }
}
