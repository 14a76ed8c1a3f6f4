//! [`Slot`]: the rows of one graph in a batch, which a source writes and maps change.

use super::{
    ArrayInfo, Dtype, Element, GraphSpan, Layout, Level, MAX_SETS, MapCall, Marks, Progress, Schema, Shape, Size,
    SlotError, Within,
};
use crate::error::Error;
use crate::random::{Random, Use};
use std::ops::Range;

/// The rows of one graph in a batch, by the names of its fields and indices.
///
/// A source writes every field and every index directly into them, so that no graph object is built in between. What
/// batches do not carry ([`fields`](field@crate::Options::fields)) may be written, too; nothing happens then.
/// A [map](crate::Data::map) changes them, or [`keep`](Self::keep)s fewer.
///
/// A graph that is left out of its batch, since writing it failed and [`OnError::Skip`](crate::OnError::Skip) was asked
/// for, leaves nothing behind: the next graph is written into the same rows, from the first on.
///
/// ```
/// use graphpack_loader::{Dtype, Loader, Options, Schema, Size, Slot, Source, BoxError, Worker};
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
///     fn size(&self, graph: usize) -> Result<Size, BoxError> {
///         Ok(Size::new([graph as u32 + 3; 2]))
///     }
///     fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
///         let nodes = graph as i64 + 3;
///         slot.set("y", &[nodes])?;
///         let sources: Vec<i64> = (0..nodes).collect();
///         let targets: Vec<i64> = (1..nodes).chain([0]).collect();
///         Ok(slot.set_index("edge_index", &[&sources, &targets])?)
///     }
/// }
///
/// let schema = Schema::of(&["nodes", "edges"])
///     .field("y", "graph", Dtype::I64, &[])
///     .index("edge_index", "edges", &["nodes", "nodes"]);
/// let loader = Loader::new(Rings(schema), Options::graphs(8))?;
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
    /// The rows of the graphs before it in the batch.
    pub(super) before: &'a Shape,
    pub(super) draw: &'a GraphDraw,
    pub(super) progress: &'a mut Progress,
    /// Where the layout has the sets, fields and indices of the source, if the source's schema lacks some.
    pub(super) within: Option<&'a Within>,
    /// The graph's number in the data of the source or the map that has the slot.
    pub(super) number: u64,
    /// The map that changes what is written.
    pub(super) map: Option<MapCall<'a>>,
    /// The field after the one that was named last: sources name fields in their order.
    pub(super) next: u8,
}

/// Determines the random numbers of a graph.
#[derive(Clone, Copy, Default)]
pub(crate) struct GraphDraw {
    pub(crate) seed: u64,
    pub(crate) epoch: u64,
    /// The graph's number in the data of the loader.
    pub(crate) number: u64,
    /// How often it occurs before in the epoch.
    pub(crate) copy: u32,
    /// Whether maps leave the graph as it is, to count rows that follow from it.
    pub(crate) unmapped: bool,
}

impl<'a> Slot<'a> {
    #[inline]
    pub(crate) fn new(
        bytes: &'a mut [u8],
        layout: &'a Layout,
        before: &'a Shape,
        draw: &'a GraphDraw,
        progress: &'a mut Progress,
    ) -> Self {
        Self { bytes, layout, before, draw, progress, within: None, number: draw.number, map: None, next: 0 }
    }

    /// Where the rows of the graph are in the batch.
    #[inline]
    pub(super) fn span(&self) -> GraphSpan<'_> {
        GraphSpan::new(self.before, &self.progress.size)
    }

    /// Number of the graph in the data that the source has or the map was added to, whatever these are
    /// [mixed](crate::Data::mix) with; a [subset](crate::Data::subset) numbers graphs as the data do that it is of.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Number of the graph in the data of the loader, as [`graph_ids`](crate::Batch::graph_ids) and messages show it:
    /// other than [`number`](Self::number) only where these are mixed.
    pub fn graph_id(&self) -> u64 {
        self.draw.number
    }

    /// Number of the epoch.
    pub fn epoch(&self) -> u64 {
        self.draw.epoch
    }

    /// Returns random numbers that are a function of the loader's seed, the epoch, the [graph](Self::graph_id), its
    /// copy and the name of the [map](crate::Data::map) that asks, and do not depend on the workers. The copy says how
    /// often the graph comes before in the epoch: what weights draw several times, or a subset has several times, gets
    /// other numbers each time. Every call begins with the first again.
    pub fn random(&self) -> Random {
        let &GraphDraw { seed, epoch, number: graph, copy, .. } = self.draw;
        Random::of(seed, Use::Graph { epoch, graph, copy, map: self.map.map(|map| map.name) })
    }

    /// Returns the number of rows of the graph in each set of [`schema`](Self::schema). Of a set that is derived after
    /// this map it is the number that was counted when the data were made.
    #[inline]
    pub fn size(&self) -> Size {
        self.within.map_or(self.progress.size, |within| within.smaller(&self.progress.size))
    }

    /// The sets, fields and indices of the data set.
    pub fn schema(&self) -> &'a Schema {
        self.within.map_or_else(|| self.layout.schema(), Within::schema)
    }

    /// Whether batches carry the field or index of this name, so that writing it has an effect.
    pub fn carries(&self, name: &str) -> bool {
        let array = |of: Option<(_, Option<&ArrayInfo>)>| of.is_some_and(|(_, array)| array.is_some());
        match self.schema().position(name) {
            Some(field) => array(self.field_at(field).and_then(|at| self.layout.field(at))),
            None => self.carries_index(self.schema().find_index(name)),
        }
    }

    /// Copies `values` into a field, row by row: `nodes x width` elements for a field of nodes. A source writes each
    /// field once.
    pub fn set<T: Element>(&mut self, field: &str, values: &[T]) -> Result<(), Error> {
        let position = self.named(field)?;
        self.expect::<T>(position)?;
        self.expect_first(position, field)?;
        self.write_at(position, bytemuck::cast_slice(values))
    }

    /// Copies `rows`, all rows of this graph as bytes in native order, into a field.
    pub fn set_bytes(&mut self, field: &str, rows: &[u8]) -> Result<(), Error> {
        let position = self.named(field)?;
        self.expect_first(position, field)?;
        self.write_at(position, rows)
    }

    /// Returns the graph's rows of a field to read or to change, for example `nodes x width` elements of a field of
    /// nodes.
    ///
    /// In a source, a field that it has not written is zeros, to be written in place, and a field that batches do not
    /// carry has no elements. In a map, both are errors: fields of sets that are derived after it are not written yet.
    pub fn get<T: Element>(&mut self, field: &str) -> Result<&mut [T], Error> {
        let position = self.named(field)?;
        self.expect::<T>(position)?;
        let was_written = self.progress.written.has(position);
        let Some((array, range)) = self.change_at(position)? else { return Ok(&mut []) };
        let rows = &mut self.bytes[range];
        if !was_written {
            rows.fill(0);
        }
        // Arrays are aligned for their elements, so that only bools can be wrong.
        check_bools(array, rows)?;
        bytemuck::checked::try_cast_slice_mut(rows).map_err(|_| SlotError::bools(&array.name, &[]))
    }

    /// Returns all rows of a field as bytes in native order, to be changed or, by a source, written in place; otherwise
    /// as [`get`](Self::get). Until they are written they hold bytes of an earlier batch. A bool that is neither 0 nor
    /// 1 is an error once the graph is written.
    pub fn bytes(&mut self, field: &str) -> Result<&mut [u8], Error> {
        let position = self.named(field)?;
        self.progress.in_place.set(position);
        let place = self.change_at(position)?;
        Ok(place.map_or(&mut [], |(_, range)| &mut self.bytes[range]))
    }

    /// The place of a field whose rows are to be changed in place, which then counts as written.
    fn change_at(&mut self, position: usize) -> Result<Option<(&'a ArrayInfo, Range<usize>)>, Error> {
        let place = self.place_at(position)?;
        if let Some(map) = self.map {
            if place.is_none() {
                let field = self.layout.schema().fields()[position].name.clone();
                return Err(SlotError::MapField { map: map.name.to_owned(), field }.into());
            }
            if !self.progress.written.has(position) {
                return Err(self.unwritten(position));
            }
        }
        self.progress.written.set(position);
        Ok(place)
    }

    /// The position of a field in the layout, by its name.
    #[inline]
    fn named(&mut self, field: &str) -> Result<usize, Error> {
        let (schema, next) = (self.schema(), usize::from(self.next));
        let is_next = schema.fields().get(next).is_some_and(|of| of.name == field);
        let found = if is_next { Some(next) } else { schema.position(field) };
        let Some(position) = found else { return Err(self.no_field(field)) };
        self.next = position as u8 + 1;
        self.field_at(position).ok_or_else(|| self.no_field(field))
    }

    /// Errors if a source gave the rows of a field or an index before, which would be lost. A map may give others.
    pub(super) fn expect_first(&mut self, mark: usize, name: &str) -> Result<(), Error> {
        if self.map.is_some() {
            return Ok(());
        }
        if self.progress.given.has(mark) && self.progress.written.has(mark) {
            return Err(SlotError::Twice { field: name.to_owned() }.into());
        }
        self.progress.given.set(mark);
        Ok(())
    }

    /// Errors unless elements of the field at `position` in the layout are of type `T`.
    fn expect<T: Element>(&self, position: usize) -> Result<(), Error> {
        let field = &self.layout.schema().fields()[position];
        if field.dtype == T::DTYPE {
            return Ok(());
        }
        Err(SlotError::Dtype { field: field.name.clone(), expected: field.dtype, found: T::DTYPE }.into())
    }

    /// The position in the layout of a field of this schema.
    #[inline(always)]
    fn field_at(&self, field: usize) -> Option<usize> {
        self.within.map_or(Some(field), |within| within.field(field))
    }

    /// Copies `rows`, all rows of this graph as bytes in native order, into the field at `position` in this schema.
    #[inline(always)]
    pub(crate) fn set_at(&mut self, position: usize, rows: &[u8]) -> Result<(), Error> {
        match self.field_at(position) {
            Some(position) => self.write_at(position, rows),
            None => Err(self.no_field(&format!("number {position}"))),
        }
    }

    /// Copies `rows` into the field at `position` in the layout.
    #[inline(always)]
    fn write_at(&mut self, position: usize, rows: &[u8]) -> Result<(), Error> {
        let Some(place) = self.layout.fields.get(position) else {
            return Err(self.no_field(&format!("number {position}")));
        };
        let Some(mut range) = place.bytes_of(self.span().rows(place.level)) else {
            self.progress.written.set(position);
            return Ok(());
        };
        if rows.len() != range.len() && self.is_narrow(position) {
            range.end = range.start + 1;
        }
        if rows.len() != range.len() || place.is_bool && rows.iter().any(|&byte| byte > 1) {
            self.progress.refuse(position);
            return Err(self.wrong(position, rows));
        }
        self.progress.written.set(position);
        self.bytes[range].copy_from_slice(rows);
        Ok(())
    }

    /// Whether the source writes a mask of the graph where the layout has one of each column of a field.
    #[inline]
    fn is_narrow(&self, position: usize) -> bool {
        self.within.is_some_and(|within| within.is_narrow(position))
    }

    /// The error of rows that are too many or too few, or not bools.
    #[cold]
    fn wrong(&self, position: usize, rows: &[u8]) -> Error {
        match self.place_at(position) {
            Ok(Some((array, range))) if rows.len() != range.len() => length(array, range.len(), rows.len()),
            Ok(Some((array, _))) => SlotError::bools(&array.name, rows),
            _ => self.no_field(&format!("number {position}")),
        }
    }

    /// Returns the rows of a field that was written. Errors if batches do not carry the field, or if it was not
    /// written.
    pub(crate) fn read<T: Element>(&self, field: &str) -> Result<&[T], Error> {
        let named = self.schema().position(field).ok_or_else(|| self.no_field(field))?;
        let (position, place) = self.place(named)?;
        let Some((array, range)) = place.filter(|_| self.progress.written.has(position)) else {
            return Err(self.unwritten(position));
        };
        self.expect::<T>(position)?;
        // Arrays are aligned for their elements, so that only bools can be wrong.
        let rows = &self.bytes[range];
        bytemuck::checked::try_cast_slice(rows).map_err(|_| SlotError::bools(&array.name, rows))
    }

    /// Gives a set fewer rows than the [size](crate::Source::size) of the graph says. Errors if `rows` is larger, or if
    /// a field or index of the set, or an index into it, is written already: [`keep`](Self::keep) drops rows that are
    /// there.
    pub fn shrink(&mut self, set: &str, rows: usize) -> Result<(), Error> {
        let position = self.set_named(set)?;
        let concerned = |level: Level| level == Level::Set(position as u8);
        let schema = self.schema();
        let field =
            schema.fields().iter().enumerate().find(|(at, of)| {
                concerned(of.level) && self.field_at(*at).is_some_and(|at| self.progress.written.has(at))
            });
        let index = schema.indices().iter().enumerate().find(|(at, of)| {
            let into = of.targets.iter().any(|&set| usize::from(set) == position);
            (concerned(of.level) || into) && self.index_at(*at).is_some_and(|at| self.has_index(at))
        });
        if let Some(written) = field.map(|(_, of)| &of.name).or(index.map(|(_, of)| &of.name)) {
            return Err(SlotError::Written { set: set.to_owned(), written: written.clone() }.into());
        }
        self.shrink_at(position, rows)
    }

    /// The position of a set, by its name.
    pub(super) fn set_named(&self, set: &str) -> Result<usize, Error> {
        self.schema().set(set).ok_or_else(|| SlotError::no_set(set, self.schema()))
    }

    /// Sets the number of rows of the set at a position, as [`shrink`](Self::shrink) does.
    pub(crate) fn shrink_at(&mut self, set: usize, rows: usize) -> Result<(), Error> {
        let set = self.within.map_or(Some(set), |within| within.set(set)).unwrap_or(MAX_SETS);
        let planned = self.progress.size.as_slice().get(set).copied().unwrap_or(0);
        if rows > planned as usize {
            let set = self.layout.schema().level_name(Level::Set(set as u8)).to_owned();
            return Err(SlotError::Rows { set, planned, found: rows }.into());
        }
        self.progress.size.set(set, rows as u32);
        Ok(())
    }

    /// Counts rows that follow from the graph, but are left out, since it was planned with fewer.
    pub(crate) fn leave_out(&mut self, rows: u64) {
        self.progress.left_out += rows;
    }

    /// Errors if a field or an index was not written, which would leave rows of an earlier batch in place, or if a bool
    /// written in place is neither 0 nor 1.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Progress { written, in_place, .. } = *self.progress;
        let done = in_place == Marks::default() && written == self.layout.all_written();
        if done { Ok(()) } else { self.check_each() }
    }

    #[cold]
    fn check_each(&self) -> Result<(), Error> {
        let schema = self.layout.schema();
        let levels = schema.fields().iter().map(|field| field.level);
        let levels = levels.chain(schema.indices().iter().map(|index| index.level));
        for (position, level) in levels.enumerate() {
            let needed = self.span().count(level) > 0 || self.progress.refused.has(position);
            if needed && !self.progress.written.has(position) {
                return Err(self.unwritten(position));
            }
            if self.progress.in_place.has(position)
                && let Some((array, range)) = self.place_at(position)?
            {
                check_bools(array, &self.bytes[range])?;
            }
        }
        Ok(())
    }

    /// Returns the position of a field, and, if batches carry it, its array and the range of this graph's bytes.
    #[expect(clippy::type_complexity, reason = "a field, and where it is if it is anywhere")]
    pub(super) fn place(&self, field: usize) -> Result<(usize, Option<(&'a ArrayInfo, Range<usize>)>), Error> {
        let position = self.field_at(field).ok_or_else(|| self.no_field(&format!("number {field}")))?;
        Ok((position, self.place_at(position)?))
    }

    fn place_at(&self, position: usize) -> Result<Option<(&'a ArrayInfo, Range<usize>)>, Error> {
        let Some((level, array)) = self.layout.field(position) else {
            return Err(self.no_field(&format!("number {position}")));
        };
        Ok(array.map(|array| {
            let mut range = array.bytes_of(self.span().rows(level));
            if self.is_narrow(position) {
                range.end = range.start + 1;
            }
            (array, range)
        }))
    }

    /// The error that the field or index with this mark is not written.
    #[cold]
    pub(super) fn unwritten(&self, mark: usize) -> Error {
        let schema = self.layout.schema();
        let fields = schema.fields().iter().map(|field| &field.name);
        let mut names = fields.chain(schema.indices().iter().map(|index| &index.name));
        let field = names.nth(mark).cloned().unwrap_or_default();
        match self.progress.refused.has(mark) {
            true => SlotError::Refused { field }.into(),
            false => SlotError::Missing { field }.into(),
        }
    }

    #[cold]
    fn no_field(&self, field: &str) -> Error {
        let available = self.schema().fields().iter().map(|field| field.name.clone()).collect();
        SlotError::Field { field: format!("{field:?}"), available }.into()
    }
}

/// The error that a field got `found` bytes in place of `expected`.
#[cold]
fn length(array: &ArrayInfo, expected: usize, found: usize) -> Error {
    let (row, element) = (array.row_bytes().max(1), array.dtype.bytes());
    let (rows, width) = (expected / row, array.width.unwrap_or(1));
    SlotError::Length { field: array.name.clone(), rows, width, found: found / element }.into()
}

fn check_bools(array: &ArrayInfo, rows: &[u8]) -> Result<(), Error> {
    if array.dtype == Dtype::Bool && rows.iter().any(|&byte| byte > 1) {
        return Err(SlotError::bools(&array.name, rows));
    }
    Ok(())
}
