//! [`Slot`]: the rows of one graph in a batch, which a source writes.

use super::{
    ArrayInfo, Dtype, Element, FieldKey, GraphSpan, Layout, Level, MAX_SETS, Marks, Schema, Size, SlotError, Within,
};
use std::ops::Range;

/// The rows of one graph in a batch. A source writes every field and every index directly into them, so that no graph
/// object is built in between. What batches do not carry ([`fields`](crate::LoaderBuilder::fields)) may be written, too;
/// nothing happens then.
///
/// ```
/// use graphpack_loader::{Dtype, Field, Level, Loader, Schema, Size, Slot, Source, SourceError};
///
/// /// Rings of 3, 4, 5, ... nodes; the target of each is its number of nodes.
/// struct Rings(Schema);
///
/// impl Source for Rings {
///     fn schema(&self) -> &Schema {
///         &self.0
///     }
///     fn len(&self) -> usize {
///         100
///     }
///     fn size(&self, graph: usize) -> Size {
///         Size::new([graph as u32 + 3; 2])
///     }
///     fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
///         let nodes = graph as i64 + 3;
///         slot.write("y", &[nodes])?;
///         let sources: Vec<i64> = (0..nodes).collect();
///         let targets: Vec<i64> = (1..nodes).chain([0]).collect();
///         Ok(slot.write_edges(&sources, &targets)?)
///     }
/// }
///
/// let schema = Schema::new(vec![Field::new("y", Level::Graph, Dtype::I64, 1)])?;
/// let loader = Loader::new(Rings(schema)).batch_graphs(8).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let (ptr, y) = (batch.ptr::<i64>()?, batch.get::<i64>("y")?);
///     assert_eq!(ptr[1] - ptr[0], y[0]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Slot<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) layout: &'a Layout,
    pub(super) span: GraphSpan<'a>,
    /// One bit for each field that is written, then one for each index.
    pub(super) written: Marks,
    /// Bit n is set once `rows_mut` returned field n.
    in_place: Marks,
    /// Where the layout has the sets, fields and indices of the source, if the source's schema lacks some.
    pub(super) within: Option<&'a Within>,
    /// Number of derived rows, such as edges, that had no room.
    left_out: u64,
}

impl<'a> Slot<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a mut [u8], layout: &'a Layout, span: GraphSpan<'a>) -> Self {
        Self { bytes, layout, span, written: Marks::default(), in_place: Marks::default(), within: None, left_out: 0 }
    }

    /// Returns the number of rows of the graph in each set of the source. Sources around it may have added sets, which
    /// are not counted.
    #[inline]
    pub fn size(&self) -> Size {
        self.within.map_or(*self.span.size(), |within| within.smaller(self.span.size()))
    }

    /// The sets, fields and indices of the data set.
    pub fn schema(&self) -> &'a Schema {
        self.within.map_or_else(|| self.layout.schema(), Within::schema)
    }

    /// Calls `write` with the same rows for a source that has a smaller schema.
    pub(crate) fn within<T>(&mut self, within: &Within, write: impl FnOnce(&mut Slot<'_>) -> T) -> T {
        let through = self.within.map(|outer| within.through(outer));
        let mut rows = Slot { within: Some(through.as_ref().unwrap_or(within)), ..self.reborrow() };
        let outcome = write(&mut rows);
        let (size, written, in_place, left_out) = (*rows.span.size(), rows.written, rows.in_place, rows.left_out);
        self.span.resize(size);
        (self.written, self.in_place, self.left_out) = (written, in_place, left_out);
        outcome
    }

    /// The position of a field in the layout.
    #[inline(always)]
    fn field_at(&self, field: impl FieldKey) -> Option<usize> {
        match self.within {
            None => field.field(self.layout.schema()),
            Some(within) => within.field(field.field(within.schema())?),
        }
    }

    /// Whether batches carry this field, so that writing it has an effect.
    #[inline]
    pub fn carries(&self, field: impl FieldKey) -> bool {
        self.field_at(field).and_then(|field| self.layout.field(field)).is_some_and(|(_, array)| array.is_some())
    }

    /// Copies `rows`, all rows of this graph as bytes in native order, into a field.
    #[inline(always)]
    pub fn write_bytes(&mut self, field: impl FieldKey, rows: &[u8]) -> Result<(), SlotError> {
        match self.field_at(field) {
            Some(position) => self.write_at(position, rows),
            None => Err(self.no_field(field)),
        }
    }

    /// Copies `rows` into the field at `position` in the layout.
    #[inline(always)]
    fn write_at(&mut self, position: usize, rows: &[u8]) -> Result<(), SlotError> {
        let Some(place) = self.layout.place(position) else { return Err(self.no_field(position)) };
        self.written.set(position);
        let Some(range) = place.bytes_of(self.span.rows(place.level)) else { return Ok(()) };
        if rows.len() != range.len() || place.is_bool && rows.iter().any(|&byte| byte > 1) {
            return Err(self.wrong(position, rows));
        }
        self.bytes[range].copy_from_slice(rows);
        Ok(())
    }

    /// Sets all rows of a field to 0.
    pub(crate) fn write_zeros(&mut self, field: usize) -> Result<(), SlotError> {
        let (position, place) = self.place(field)?;
        self.written.set(position);
        if let Some((_, range)) = place {
            self.bytes[range].fill(0);
        }
        Ok(())
    }

    /// The error of rows that are too many or too few, or not bools.
    #[cold]
    fn wrong(&self, position: usize, rows: &[u8]) -> SlotError {
        match self.place_at(position) {
            Ok((_, Some((array, range)))) if rows.len() != range.len() => length(array, range.len(), rows.len()),
            Ok((_, Some((array, _)))) => SlotError::bools(&array.name, rows),
            _ => self.no_field(position),
        }
    }

    /// Returns all rows of a field, to be written in place as bytes in native order; no bytes if batches do not carry
    /// it. Until then they hold bytes of an earlier batch. A bool that is neither 0 nor 1 is an error after the source's
    /// `write` returns.
    pub fn rows_mut(&mut self, field: impl FieldKey) -> Result<&mut [u8], SlotError> {
        let (position, place) = self.place(field)?;
        self.written.set(position);
        self.in_place.set(position);
        Ok(place.map_or(&mut [], |(_, range)| &mut self.bytes[range]))
    }

    /// Copies `rows` into a field, row by row: `nodes x width` elements for a field of nodes.
    pub fn write<T: Element>(&mut self, field: impl FieldKey, rows: &[T]) -> Result<(), SlotError> {
        let (position, place) = self.place(field)?;
        if let Some((array, _)) = place
            && array.dtype != T::DTYPE
        {
            return Err(SlotError::Dtype { field: array.name.clone(), expected: array.dtype, found: T::DTYPE });
        }
        self.write_at(position, bytemuck::cast_slice(rows))
    }

    /// Returns the rows of a field that was written. Errors if batches do not carry the field, or if it was not written.
    pub fn read<T: Element>(&self, field: impl FieldKey) -> Result<&[T], SlotError> {
        let (position, place) = self.place(field)?;
        let name = || self.layout.schema().fields()[position].name.clone();
        let Some((array, range)) = place.filter(|_| self.has_field(position)) else {
            return Err(SlotError::Missing { field: name() });
        };
        if array.dtype != T::DTYPE {
            return Err(SlotError::Dtype { field: name(), expected: array.dtype, found: T::DTYPE });
        }
        // Arrays are aligned for their elements, so that only bools can be wrong.
        let rows = &self.bytes[range];
        bytemuck::checked::try_cast_slice(rows).map_err(|_| SlotError::bools(&array.name, rows))
    }

    /// Sets the number of rows of a set that is yet to be written, at most the number that was planned.
    pub fn shrink(&mut self, set: usize, rows: usize) -> Result<(), SlotError> {
        let set = self.within.map_or(Some(set), |within| within.set(set)).unwrap_or(MAX_SETS);
        let planned = self.span.size().as_slice().get(set).copied().unwrap_or(0);
        if rows > planned as usize {
            let set = self.layout.schema().level_name(Level::Set(set as u8)).to_owned();
            return Err(SlotError::Rows { set, planned, found: rows });
        }
        self.span.shrink(set, rows as u32);
        Ok(())
    }

    /// Counts rows that follow from the graph, but are left out, since it was planned with fewer.
    pub(crate) fn leave_out(&mut self, rows: u64) {
        self.left_out += rows;
    }

    /// Number of rows that were left out.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether a field was written.
    pub(super) fn has_field(&self, position: usize) -> bool {
        self.written.has(position)
    }

    /// Errors if a field or an index was not written, which would leave rows of an earlier batch in place, or if a bool
    /// written in place is neither 0 nor 1.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), SlotError> {
        let done = self.in_place == Marks::default() && self.written == self.layout.all_written();
        if done { Ok(()) } else { self.check_each() }
    }

    #[cold]
    fn check_each(&self) -> Result<(), SlotError> {
        let schema = self.layout.schema();
        let levels = schema.fields().iter().map(|field| (&field.name, field.level));
        let levels = levels.chain(schema.indices().iter().map(|index| (&index.name, index.level)));
        for (position, (name, level)) in levels.enumerate() {
            if !self.written.has(position) && self.span.count(level) > 0 {
                return Err(SlotError::Missing { field: name.clone() });
            }
            if self.in_place.has(position)
                && let (_, Some((array, range))) = self.place_at(position)?
            {
                check_bools(array, &self.bytes[range])?;
            }
        }
        Ok(())
    }

    /// Returns the position of a field, and, if batches carry it, its array and the range of this graph's bytes.
    #[expect(clippy::type_complexity, reason = "a field, and where it is if it is anywhere")]
    pub(super) fn place(
        &self,
        field: impl FieldKey,
    ) -> Result<(usize, Option<(&'a ArrayInfo, Range<usize>)>), SlotError> {
        self.field_at(field).ok_or_else(|| self.no_field(field)).and_then(|position| self.place_at(position))
    }

    #[expect(clippy::type_complexity, reason = "a field, and where it is if it is anywhere")]
    fn place_at(&self, position: usize) -> Result<(usize, Option<(&'a ArrayInfo, Range<usize>)>), SlotError> {
        let Some((level, array)) = self.layout.field(position) else { return Err(self.no_field(position)) };
        Ok((position, array.map(|array| (array, array.bytes_of(self.span.rows(level))))))
    }

    #[cold]
    fn no_field(&self, field: impl FieldKey) -> SlotError {
        let available = self.schema().fields().iter().map(|field| field.name.clone()).collect();
        SlotError::Field { field: field.described(), available }
    }

    /// Borrows the same rows for `GraphRows`.
    pub(super) fn reborrow(&mut self) -> Slot<'_> {
        let Self { ref mut bytes, layout, span, written, in_place, within, left_out } = *self;
        Slot { bytes, layout, span, written, in_place, within, left_out }
    }
}

/// The error that a field got `found` bytes in place of `expected`.
#[cold]
fn length(array: &ArrayInfo, expected: usize, found: usize) -> SlotError {
    let (row, element) = (array.row_bytes().max(1), array.dtype.bytes());
    let (rows, width) = (expected / row, array.width.unwrap_or(1));
    SlotError::Length { field: array.name.clone(), rows, width, found: found / element }
}

fn check_bools(array: &ArrayInfo, rows: &[u8]) -> Result<(), SlotError> {
    if array.dtype == Dtype::Bool && rows.iter().any(|&byte| byte > 1) {
        return Err(SlotError::bools(&array.name, rows));
    }
    Ok(())
}
