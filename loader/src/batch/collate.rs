//! Collation: writes the graphs of a batch, again or not at all where [`OnError`] says so, the padding that [`Padding`]
//! defines, and the arrays that follow from sizes, into recycled memory; [`Trimming`]: writes graphs that exceed the
//! limits, trimmed to them.

use super::info::Collated;
use super::{BatchMemory, neighbours};
use crate::error::{BoxError, Error, ErrorKind, LoadError};
use crate::layout::{
    Builtin, Carried, Dtype, GraphDraw, GraphSpan, Heap, Layout, Level, Pool, Progress, Schema, SetNames, Shape, Size,
    Slot,
};
use crate::options::{OnError, Padding};
use crate::random::{Random, Use};
use crate::source::{Graphs, Worker};
use graphpack_core::LeastPadding;
use graphpack_core::collate::fill;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many graphs ahead `will_write` is called.
const AHEAD: usize = 1;
/// How many sizes are looked up in one go, so that the cache misses overlap: 100,000 graphs of QM9's sizes take 0.89 of
/// the time that single lookups take.
const SIZES: usize = 32;

/// How often a graph that waits to be tried again looks whether the batch is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// What a batch is made of, and how.
pub(super) struct Collation<'a> {
    pub(super) data: &'a dyn Graphs,
    pub(super) graphs: &'a [u32],
    /// How often each graph came earlier in the epoch; empty if none did.
    pub(super) copies: &'a [u32],
    pub(super) form: Form,
    /// Trims graphs that exceed the limits, if that was asked for.
    pub(super) trim: Option<&'a Trimming>,
    pub(super) seed: u64,
    pub(super) epoch: u64,
    /// Number of the batch, for errors.
    pub(super) step: usize,
    pub(super) on_error: OnError,
    /// Whether nobody wants the batch any more.
    pub(super) stopped: &'a AtomicBool,
    /// The number of the graph that is being written, for the error if a source panics.
    pub(super) writing: &'a Cell<Option<u64>>,
}

/// The arrays of a batch and what their padding has, whoever has its graphs.
pub(super) struct Form {
    pub(super) layout: Arc<Layout>,
    pub(super) padding: Padding,
    /// What the batch keeps free for padding.
    pub(super) least: LeastPadding,
    /// The value of floating point numbers that graphs lack.
    pub(super) missing: f64,
    /// Whether rows may have more neighbours than matrices have columns, of which the nearest are written.
    pub(super) keeps_nearest: bool,
}

impl Form {
    /// The rows that the batch has for graphs: none if the shape cannot hold its own padding, which plans rule out.
    pub(super) fn room(&self) -> Shape {
        let shape = self.layout.shape();
        let graphs = self.least.real_graphs(u32::try_from(shape.graphs()).unwrap_or(u32::MAX));
        let rows = |set: usize| shape.sets()[set].saturating_sub(self.least.size[set] as usize);
        Shape::of(shape.sets().len(), graphs as usize, rows)
    }

    /// Writes a graph of `size` after the graphs `before` it, for which there must be room: `write` its fields and
    /// indices, this what follows from them. Returns how many rows it has, and how many were left out.
    #[inline(always)]
    pub(super) fn write(
        &self,
        bytes: &mut [u8],
        size: &Size,
        before: &Shape,
        draw: &GraphDraw,
        write: impl FnOnce(&mut Slot<'_>) -> Result<(), BoxError>,
    ) -> Result<(Size, u64), BoxError> {
        let mut progress = Progress::new(size);
        let mut slot = Slot::new(bytes, &self.layout, before, draw, &mut progress);
        write(&mut slot)?;
        slot.check()?;
        slot.sort();
        neighbours::write(&self.layout, before, progress.size(), self.keeps_nearest, bytes)?;
        Ok((*progress.size(), progress.left_out()))
    }

    /// Pads the batch after graphs of these `sizes`, `real` rows in all, and writes the arrays that follow from sizes.
    pub(super) fn finish(&self, sizes: &[Size], real: &Shape, bytes: &mut [u8]) {
        let layout = &*self.layout;
        pad(*real, layout, self.padding, bytes);
        layout.finish_orders(real, bytes);
        write_builtins(sizes, real, layout, bytes);
        if self.missing != 0.0 {
            write_missing(sizes, self.missing, layout, bytes);
        }
        neighbours::pad(layout, real, bytes);
        // Memory of a batch of another shape has other bytes there.
        layout.gaps().for_each(|gap| bytes[gap].fill(0));
    }
}

/// What a thread writes graphs with.
pub(super) struct Writer<'a> {
    pub(super) worker: &'a mut Worker,
    /// Whether the worker prepares for each graph alone; otherwise it has prepared for all of the batch.
    pub(super) alone: bool,
    /// Where the arrays of the batch lie.
    pub(super) bytes: &'a mut [u8],
    /// The size of each graph that is written.
    pub(super) sizes: &'a mut Vec<Size>,
}

impl Collation<'_> {
    /// Writes the graphs one after the other. [`Form::finish`] pads the rest.
    pub(super) fn collate(&self, mut writer: Writer<'_>) -> Result<Collated, Error> {
        let Self { data, graphs, ref form, seed, epoch, .. } = *self;
        let (layout, room) = (&*form.layout, form.room());
        let (mut written, mut left_out, mut without) = (Shape::of(room.sets().len(), 0, |_| 0), 0, Vec::new());
        writer.sizes.clear();
        let ids = layout.builtin(Builtin::GraphIds);
        let mut soon = [Size::new([]); SIZES];
        for (place, &graph) in graphs.iter().enumerate() {
            self.writing.set(None);
            if place % SIZES == 0 {
                for (size, &graph) in soon.iter_mut().zip(&graphs[place..]) {
                    *size = data.size(graph as usize);
                }
            }
            if let Some(&next) = graphs.get(place + AHEAD) {
                data.will_write(next as usize);
            }
            let number = data.number(graph as usize);
            self.writing.set(Some(number));
            if self.stopped.load(Ordering::Relaxed) {
                return Err(self.failed(number, "the epoch was stopped".into()));
            }
            let whole = &soon[place % SIZES];
            let trimmed = self.trim.and_then(|trim| trim.trimmed(whole));
            let copy = self.copies.get(place).copied().unwrap_or(0);
            let draw = GraphDraw { seed, epoch, number, copy, unmapped: false };
            // It borrows all: copies of sizes cost 5 % of the time that a small graph takes.
            let size = trimmed.as_ref().unwrap_or(whole);
            let one = OneGraph { batch: self, graph: graph as usize, whole, size, before: &written, draw: &draw };
            let at = writer.sizes.len();
            let outcome = match self.on_error {
                _ if !GraphSpan::new(&written, size).fits(&room) => Err(self.failed(number, one.no_room().into())),
                OnError::Stop => one.write(&mut writer).map_err(|source| self.failed(number, source)),
                _ => one.write_again(&mut writer),
            };
            match outcome {
                Ok(left) => left_out += left,
                Err(error) if self.on_error.skips() && error.kind() != ErrorKind::Stopped => {
                    #[cfg(feature = "tracing")]
                    tracing::warn!("left out: {error}");
                    without.push((place, error));
                    continue;
                }
                Err(error) => return Err(error),
            }
            if let Some(ids) = ids {
                bytemuck::cast_slice_mut(&mut writer.bytes[ids.bytes_of(at..at + 1)])[0] = number as i64;
            }
            written.push(&writer.sizes[at]);
        }
        Ok(Collated { real: written, left_out, failed: without })
    }

    /// The error that a graph of the batch cannot be loaded.
    #[cold]
    fn failed(&self, graph: u64, source: BoxError) -> Error {
        LoadError::Source { step: self.step, graph, source }.into()
    }
}

/// A graph that is written into a batch.
struct OneGraph<'a> {
    batch: &'a Collation<'a>,
    graph: usize,
    /// The size of the graph.
    whole: &'a Size,
    /// What the batch takes of it, less if it is trimmed.
    size: &'a Size,
    /// The rows of the graphs before it.
    before: &'a Shape,
    draw: &'a GraphDraw,
}

impl OneGraph<'_> {
    /// Writes the graph and adds its size to those of the batch. Returns how many rows were left out.
    #[inline(always)]
    fn write(&self, writer: &mut Writer<'_>) -> Result<u64, BoxError> {
        let &Self { batch: Collation { data, form, trim, .. }, graph, whole, size, before, draw } = self;
        let worker = &mut *writer.worker;
        let (size, left_out) =
            form.write(writer.bytes, size, before, draw, |slot| match trim.filter(|_| whole != size) {
                Some(trim) => trim.write(self, worker, slot),
                None => {
                    data.write(graph, slot, worker)?;
                    data.write_derived(graph, slot)
                }
            })?;
        writer.sizes.push(size);
        Ok(left_out)
    }

    /// Writes the graph, again as often as [`OnError`] says. After each failure the worker is a new one, which prepares
    /// for each graph alone.
    fn write_again(&self, writer: &mut Writer<'_>) -> Result<u64, Error> {
        let &Collation { data, step, on_error, stopped, writing, .. } = self.batch;
        let (mut left, wait) = on_error.retries();
        loop {
            let written = LoadError::guard(step, writing, || {
                let prepared = match writer.alone {
                    true => data.prepare(&|each| each(self.graph), writer.worker),
                    false => Ok(()),
                };
                let written = prepared.and_then(|()| self.write(writer));
                written.map_err(|source| self.batch.failed(self.draw.number, source))
            });
            let Err(error) = written else { return written };
            // What it keeps may be half changed, or be what failed.
            (*writer.worker, writer.alone) = (Worker::default(), true);
            if left == 0 || error.kind() == ErrorKind::Stopped {
                return Err(error);
            }
            left -= 1;
            #[cfg(feature = "tracing")]
            tracing::debug!("tried again: {error}");
            let begun = Instant::now();
            while let Some(rest) = wait.checked_sub(begun.elapsed()).filter(|rest| !rest.is_zero()) {
                if stopped.load(Ordering::Relaxed) {
                    return Err(error);
                }
                thread::sleep(rest.min(LOOK));
            }
        }
    }

    /// The error that the batch has no room for the graph.
    #[cold]
    fn no_room(&self) -> Box<NoRoom> {
        let layout = &self.batch.form.layout;
        let sets = layout.schema().sets().clone();
        Box::new(NoRoom { written: *self.before, size: *self.size, shape: layout.shape(), sets })
    }
}

/// Writes graphs that exceed the limits, trimmed to them.
pub(super) struct Trimming {
    /// The most rows that a batch takes of a graph.
    most: Size,
    /// Of the largest graph, whole.
    layout: Layout,
    /// Memory for one whole graph per worker.
    pool: Arc<Pool>,
}

impl Trimming {
    /// Trims graphs of `schema` with at most `largest` rows to `most`. `None` if these have more bytes than memory can
    /// address.
    pub(super) fn new(schema: &Schema, most: Size, largest: Size, workers: usize) -> Option<Self> {
        let shape = Shape::of(largest.sets(), 1, |set| largest[set] as usize);
        let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64)?;
        Some(Self { most, layout, pool: Arc::new(Pool::new(Arc::new(Heap), workers.max(1))) })
    }

    /// Returns what a batch takes of a graph of this size; `None` if that is all of it.
    fn trimmed(&self, size: &Size) -> Option<Size> {
        (!size.fits(&self.most)).then(|| size.min_each(&self.most))
    }

    /// Writes a graph into `slot`. It is written into memory of its own first: which rows stay is drawn there, derived
    /// sets are made of what is left, and it is copied.
    fn write(&self, one: &OneGraph<'_>, worker: &mut Worker, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let &OneGraph { batch: &Collation { data, .. }, graph, whole: size, draw, .. } = one;
        let before = Shape::of(size.sets(), 0, |_| 0);
        if !GraphSpan::new(&before, size).fits(&self.layout.shape()) {
            let sets = data.schema().sets();
            let (found, largest) = (sets.counts(size.as_slice()), sets.shape(&self.layout.shape()));
            return Err(format!("its {found} are more than the largest had, {largest}; did its size change?").into());
        }
        let mut memory = BatchMemory::take(&self.pool, self.layout.bytes(), 0)?;
        let mut progress = Progress::new(size);
        let mut whole = Slot::new(memory.bytes_mut(), &self.layout, &before, draw, &mut progress);
        data.write(graph, &mut whole, worker)?;
        let mut random = Random::of(draw.seed, Use::Trim { epoch: draw.epoch, graph: draw.number, copy: draw.copy });
        whole.trim(&self.most, &mut random)?;
        data.write_derived(graph, &mut whole)?;
        whole.check()?;
        whole.trim(&self.most, &mut random)?;
        slot.copy(&whole)?;
        slot.leave_out(progress.left_out());
        Ok(())
    }
}

/// Writes the padding rows of all fields and indices.
fn pad(real: Shape, layout: &Layout, padding: Padding, bytes: &mut [u8]) {
    let (shape, schema) = (layout.shape(), layout.schema());
    let surplus = |level: Level| real.rows(level)..shape.rows(level);
    for (position, field) in schema.fields().iter().enumerate() {
        let Some((level, Some(array))) = layout.field(position) else { continue };
        padding.write_rows(&mut bytes[array.bytes_of(surplus(level))], field.dtype, field.width, field.padding);
    }
    for position in 0..schema.indices().len() {
        let Some((index, Some(array))) = layout.index(position) else { continue };
        for (column, &target) in index.targets.iter().enumerate() {
            let entries = &mut bytes[array.column_bytes(column, surplus(index.level))];
            padding.write_entries(entries, array.dtype, column, surplus(Level::Set(target)));
        }
    }
}

/// Gives floating point fields a value where their masks say that a graph lacks them, or which numbers of their rows,
/// and fields of graphs in padding.
fn write_missing(sizes: &[Size], value: f64, layout: &Layout, bytes: &mut [u8]) {
    let fields = layout.schema().fields();
    for (position, field) in fields.iter().enumerate().filter(|(_, field)| field.dtype.is_float()) {
        let mask = fields.iter().position(|mask| mask.masks(field)).and_then(|mask| layout.field(mask));
        let (Some((level, Some(array))), Some((of, Some(mask)))) = (layout.field(position), mask) else { continue };
        let part = array.row_bytes() / mask.row_bytes().max(1);
        let mut end = 0;
        for graph in 0..layout.shape().graphs() {
            let rows = match (level, sizes.get(graph)) {
                (Level::Graph, _) => graph..graph + 1,
                (Level::Set(set), Some(size)) => end..end + size[usize::from(set)] as usize,
                (Level::Set(_), None) => break,
            };
            end = rows.end;
            for row in rows {
                let says = if of == Level::Graph { graph } else { row };
                for (column, has) in mask.bytes_of(says..says + 1).enumerate() {
                    if bytes[has] == 0 {
                        let start = array.bytes_of(row..row + 1).start + column * part;
                        fill(&mut bytes[start..start + part], field.dtype, value);
                    }
                }
            }
        }
    }
}

/// A graph is larger than it was when the plan was made.
#[derive(Debug, thiserror::Error)]
#[error(
    "its {} do not fit after {} in a batch of {}; did the size of the graph change?",
    .sets.counts(.size.as_slice()), .sets.shape(.written), .sets.shape(.shape)
)]
struct NoRoom {
    written: Shape,
    size: Size,
    shape: Shape,
    sets: SetNames,
}

/// Writes `batch` and `ptr` of each set, pools and masks, padding included; `graph_ids` only in padding.
fn write_builtins(sizes: &[Size], real: &Shape, layout: &Layout, bytes: &mut [u8]) {
    for (builtin, array) in layout.builtins() {
        let of = builtin.of();
        let rows = |size: &Size| match of {
            Level::Set(set) => size[usize::from(set)] as usize,
            Level::Graph => 1,
        };
        let padding = layout.shape().rows(of) - real.rows(of);
        let rows = sizes.iter().map(rows).chain([padding]);
        builtin.write(&mut bytes[array.range()], array.dtype, real.rows(builtin.length().0), rows);
    }
}
