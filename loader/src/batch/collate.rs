//! Collation: writes the graphs of a batch, again or not at all where [`OnError`] says so, the padding that [`Padding`]
//! defines, and the arrays that follow from sizes, into recycled memory; [`Trimming`]: writes graphs that exceed the
//! limits, trimmed to them.

use super::BatchMemory;
use super::info::Collated;
use crate::error::{BoxError, Error, ErrorKind, LoadError};
use crate::layout::{
    ArrayInfo, Builtin, Carried, Dtype, GraphDraw, GraphSpan, Heap, Layout, Level, Pool, Schema, SetNames, Shape, Size,
    Slot,
};
use crate::options::{OnError, Padding};
use crate::random::{Random, Use};
use crate::source::{Graphs, Worker};
use bytemuck::Pod;
use graphpack_core::LeastPadding;
use half::f16;
use std::cell::Cell;
use std::ops::Range;
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

/// What random numbers depend on, what trims graphs on their way into a batch, the value of what they lack, what
/// happens to those that cannot be written, and whether anybody still wants the batch.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    /// Trims graphs that exceed the limits, if that was asked for.
    pub(super) trim: Option<&'a Trimming>,
    pub(super) seed: u64,
    pub(super) epoch: u64,
    /// Number of the batch, for errors.
    pub(super) step: usize,
    pub(super) missing: f64,
    pub(super) on_error: OnError,
    pub(super) stopped: &'a AtomicBool,
}

/// Writes `graphs` into `bytes` one after the other and pads the rest. `copies` says how often each came earlier in the
/// epoch; it is empty if none did. The worker has prepared for them, unless it prepares for each `alone`. `writing` has
/// the number of the graph that is being written, for the error if a source panics.
pub(super) fn collate(
    (data, worker, mut alone): (&dyn Graphs, &mut Worker, bool),
    (graphs, copies): (&[u32], &[u32]),
    layout: &Layout,
    (padding, least): (Padding, &LeastPadding),
    change: Change<'_>,
    (bytes, sizes): (&mut [u8], &mut Vec<Size>),
    writing: &Cell<Option<u64>>,
) -> Result<Collated, Error> {
    let Change { trim, seed, epoch, step, missing, on_error, stopped } = change;
    let shape = layout.shape();
    let sets = shape.sets().len();
    // Empty only if the shape cannot hold its own padding, which plans rule out.
    let room = Shape::of(sets, least.real_graphs(u32::try_from(shape.graphs()).unwrap_or(u32::MAX)) as usize, |set| {
        shape.sets()[set].saturating_sub(least.size[set] as usize)
    });
    let (mut written, mut left_out, mut without) = (Shape::of(sets, 0, |_| 0), 0, Vec::new());
    sizes.clear();
    let ids = layout.builtin(Builtin::GraphIds);
    let mut soon = [Size::new([]); SIZES];
    for (place, &graph) in graphs.iter().enumerate() {
        writing.set(None);
        if place % SIZES == 0 {
            for (size, &graph) in soon.iter_mut().zip(&graphs[place..]) {
                *size = data.size(graph as usize);
            }
        }
        if let Some(&next) = graphs.get(place + AHEAD) {
            data.will_write(next as usize);
        }
        let number = data.number(graph as usize);
        writing.set(Some(number));
        let failed = |source: BoxError| Error::from(LoadError::Source { step, graph: number, source });
        if stopped.load(Ordering::Relaxed) {
            return Err(failed("the epoch was stopped".into()));
        }
        let size = &soon[place % SIZES];
        let excess = trim.and_then(|trim| Some((trim, trim.trimmed(size)?)));
        let span = GraphSpan::new(&written, excess.map_or(*size, |(_, trimmed)| trimmed));
        let copy = copies.get(place).copied().unwrap_or(0);
        let draw = GraphDraw { seed, epoch, number, copy, unmapped: false };
        let trim = excess.map(|(trim, _)| trim);
        // It borrows all: copies of sizes cost 5 % of the time that a small graph takes.
        let one = OneGraph { data, graph: graph as usize, size, trim, span: &span, draw: &draw, layout };
        let at = sizes.len();
        let outcome = match on_error {
            _ if !span.fits(&room) => Err(failed(Box::new(one.no_room(written)))),
            OnError::Stop => one.write(bytes, sizes, worker).map_err(failed),
            _ => one.write_again(bytes, sizes, (&mut *worker, &mut alone), &change, |work| {
                LoadError::guard(step, writing, || work().map_err(failed))
            }),
        };
        match outcome {
            Ok(left) => left_out += left,
            Err(error) if on_error.skips() && error.kind() != ErrorKind::Stopped => {
                #[cfg(feature = "tracing")]
                tracing::warn!("left out: {error}");
                without.push((place, error));
                continue;
            }
            Err(error) => return Err(error),
        }
        if let Some(ids) = ids {
            bytemuck::cast_slice_mut(&mut bytes[ids.bytes_of(at..at + 1)])[0] = number as i64;
        }
        written.push(&sizes[at]);
    }
    pad(written, layout, padding, bytes);
    write_builtins(sizes, &written, layout, bytes);
    if missing != 0.0 {
        write_missing(sizes, missing, layout, bytes);
    }
    // Memory of a batch of another shape has other bytes there.
    layout.gaps().for_each(|gap| bytes[gap].fill(0));
    Ok(Collated { real: written, left_out, failed: without })
}

/// A graph that is written into a batch.
struct OneGraph<'a> {
    data: &'a dyn Graphs,
    graph: usize,
    /// The size of the whole graph.
    size: &'a Size,
    /// What trims it, if it exceeds the limits.
    trim: Option<&'a Trimming>,
    span: &'a GraphSpan<'a>,
    draw: &'a GraphDraw,
    layout: &'a Layout,
}

impl OneGraph<'_> {
    /// Writes the graph and adds its size to `sizes`. Returns how many rows were left out.
    #[inline(always)]
    fn write(&self, bytes: &mut [u8], sizes: &mut Vec<Size>, worker: &mut Worker) -> Result<u64, BoxError> {
        let &Self { data, graph, size, span, draw, layout, .. } = self;
        let mut slot = Slot::new(bytes, layout, *span, *draw);
        if let Some(trim) = self.trim {
            trim.write((data, worker), (graph, *size), *draw, &mut slot)?;
        } else {
            data.write(graph, &mut slot, worker)?;
            data.write_derived(graph, &mut slot)?;
        }
        slot.check()?;
        sizes.push(slot.size());
        Ok(slot.left_out())
    }

    /// Writes the graph, again as often as [`OnError`] says. After each failure the worker is a new one, which prepares
    /// for each graph `alone`. `guard` turns panics of its function into errors.
    fn write_again(
        &self,
        bytes: &mut [u8],
        sizes: &mut Vec<Size>,
        (worker, alone): (&mut Worker, &mut bool),
        &Change { on_error, stopped, .. }: &Change<'_>,
        guard: impl Fn(&mut dyn FnMut() -> Result<u64, BoxError>) -> Result<u64, Error>,
    ) -> Result<u64, Error> {
        let (mut left, wait) = on_error.retries();
        loop {
            let written = guard(&mut || {
                if *alone {
                    self.data.prepare(&|each| each(self.graph), worker)?;
                }
                self.write(bytes, sizes, worker)
            });
            let Err(error) = written else { return written };
            // What it keeps may be half changed, or be what failed.
            (*worker, *alone) = (Worker::default(), true);
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

    /// The error that a batch with `written` has no room for the graph.
    #[cold]
    fn no_room(&self, written: Shape) -> NoRoom {
        let (size, sets) = (*self.span.size(), self.layout.schema().sets().clone());
        NoRoom { written, size, shape: self.layout.shape(), sets }
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
    pub(super) fn new(schema: &Schema, [most, largest]: [Size; 2], workers: usize) -> Option<Self> {
        let shape = Shape::of(largest.sets(), 1, |set| largest[set] as usize);
        let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64)?;
        Some(Self { most, layout, pool: Arc::new(Pool::new(Arc::new(Heap), workers.max(1))) })
    }

    /// Returns what a batch takes of a graph of this size; `None` if that is all of it.
    pub(super) fn trimmed(&self, size: &Size) -> Option<Size> {
        (!size.fits(&self.most)).then(|| size.min_each(&self.most))
    }

    /// Writes a graph of `size` into `slot`. It is written into memory of its own first: which rows stay is drawn
    /// there, derived sets are made of what is left, and it is copied.
    pub(super) fn write(
        &self,
        (data, worker): (&dyn Graphs, &mut Worker),
        (graph, size): (usize, Size),
        draw: GraphDraw,
        slot: &mut Slot<'_>,
    ) -> Result<(), BoxError> {
        let before = Shape::of(size.sets(), 0, |_| 0);
        let span = GraphSpan::new(&before, size);
        if !span.fits(&self.layout.shape()) {
            let sets = data.schema().sets();
            let (found, largest) = (sets.counts(size.as_slice()), sets.shape(&self.layout.shape()));
            return Err(format!("its {found} are more than the largest had, {largest}; did its size change?").into());
        }
        let mut memory = BatchMemory::take(&self.pool, self.layout.bytes(), 0)?;
        let mut whole = Slot::new(memory.bytes_mut(), &self.layout, span, draw);
        data.write(graph, &mut whole, worker)?;
        let mut random = Random::of(draw.seed, Use::Trim { epoch: draw.epoch, graph: draw.number, copy: draw.copy });
        whole.trim(&self.most, &mut random)?;
        data.write_derived(graph, &mut whole)?;
        whole.check()?;
        whole.trim(&self.most, &mut random)?;
        slot.leave_out(whole.left_out());
        Ok(slot.copy(&whole)?)
    }
}

/// Writes the padding rows of all fields and indices.
fn pad(real: Shape, layout: &Layout, padding: Padding, bytes: &mut [u8]) {
    let (shape, schema) = (layout.shape(), layout.schema());
    let surplus = |level: Level| real.rows(level)..shape.rows(level);
    for (position, field) in schema.fields().iter().enumerate() {
        let Some((level, Some(array))) = layout.field(position) else { continue };
        pad_with(&mut bytes[array.bytes_of(surplus(level))], field.dtype, padding.value(field));
        for row in 0..if padding.raises(field) { surplus(level).len() } else { 0 } {
            for &element in padding.raised(field, row) {
                let start = array.bytes_of(real.rows(level) + row..shape.rows(level)).start;
                let bytes = &mut bytes[start + element * field.dtype.bytes()..][..field.dtype.bytes()];
                pad_with(bytes, field.dtype, field.padding + 1.0);
            }
        }
    }
    for position in 0..schema.indices().len() {
        let Some((index, Some(array))) = layout.index(position) else { continue };
        let Range { start: from, end: to } = surplus(index.level);
        for (column, &target) in index.targets.iter().enumerate() {
            let (start, rows) = (column * shape.rows(index.level), surplus(Level::Set(target)));
            let (first, turn) = (rows.start, padding.in_turn(rows.len()));
            point(bytes, array, start + from..start + to, turn, |row| first + padding.entry(row, column));
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
                        pad_with(&mut bytes[start..start + part], field.dtype, value);
                    }
                }
            }
        }
    }
}

/// Sets all elements to `value`, which the schema has checked.
fn pad_with(bytes: &mut [u8], dtype: Dtype, value: f64) {
    match dtype {
        _ if value == 0.0 => bytes.fill(0),
        Dtype::F16 => bytemuck::cast_slice_mut(bytes).fill(f16::from_f64(value)),
        Dtype::F32 => bytemuck::cast_slice_mut(bytes).fill(value as f32),
        Dtype::F64 => bytemuck::cast_slice_mut(bytes).fill(value),
        Dtype::I64 => bytemuck::cast_slice_mut(bytes).fill(value as i64),
        Dtype::I32 => bytemuck::cast_slice_mut(bytes).fill(value as i32),
        Dtype::U8 | Dtype::Bool => bytes.fill(value as u8),
    }
}

/// Sets the given elements of an array of indices to the first `turn` values of `entry`, again and again.
fn point(bytes: &mut [u8], array: &ArrayInfo, elements: Range<usize>, turn: usize, entry: impl Fn(usize) -> usize) {
    fn write<T: Copy>(elements: &mut [T], turn: usize, entry: impl Fn(usize) -> T) {
        let mut written = turn.min(elements.len());
        elements[..written].iter_mut().enumerate().for_each(|(row, element)| *element = entry(row));
        while written < elements.len() {
            let again = written.min(elements.len() - written);
            elements.copy_within(..again, written);
            written += again;
        }
    }
    let width = array.dtype.bytes();
    let bytes = &mut bytes[array.start + width * elements.start..array.start + width * elements.end];
    match array.dtype {
        Dtype::I32 => write(bytemuck::cast_slice_mut(bytes), turn, |row| entry(row) as i32),
        _ => write(bytemuck::cast_slice_mut(bytes), turn, |row| entry(row) as i64),
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

/// Writes `batch` and `ptr` of each set, and masks, padding included; `graph_ids` only in padding.
fn write_builtins(sizes: &[Size], real: &Shape, layout: &Layout, bytes: &mut [u8]) {
    for (builtin, array) in layout.builtins() {
        match (builtin, array.dtype) {
            (Builtin::Batch(set), Dtype::I32) => batch(sizes, set, cast::<i32>(bytes, array), |graph| graph as i32),
            (Builtin::Batch(set), _) => batch(sizes, set, cast::<i64>(bytes, array), |graph| graph as i64),
            (Builtin::Ptr(set), Dtype::I32) => ptr(sizes, set, cast::<i32>(bytes, array), layout, |row| row as i32),
            (Builtin::Ptr(set), _) => ptr(sizes, set, cast::<i64>(bytes, array), layout, |row| row as i64),
            (Builtin::GraphIds, _) => cast::<i64>(bytes, array)[sizes.len()..].fill(-1),
            (Builtin::Mask(level), _) => {
                let (mask, real) = (&mut bytes[array.range()], real.rows(level));
                mask[..real].fill(1);
                mask[real..].fill(0);
            }
        }
    }
}

/// The graph of each row of a set; all padding rows belong to the first padding graph.
fn batch<T: Copy>(sizes: &[Size], set: u8, mut rows: &mut [T], number: impl Fn(usize) -> T) {
    for (graph, size) in sizes.iter().enumerate() {
        let (of_graph, others) = rows.split_at_mut(size[usize::from(set)] as usize);
        of_graph.fill(number(graph));
        rows = others;
    }
    rows.fill(number(sizes.len()));
}

/// The first row of each graph in a set, and at the end the number of rows.
fn ptr<T: Copy>(sizes: &[Size], set: u8, entries: &mut [T], layout: &Layout, number: impl Fn(usize) -> T) {
    let mut row = 0;
    for (entry, size) in entries.iter_mut().zip(sizes) {
        *entry = number(row);
        row += size[usize::from(set)] as usize;
    }
    // The first padding graph has all padding rows.
    entries[sizes.len()] = number(row);
    entries[sizes.len() + 1..].fill(number(layout.shape().rows(Level::Set(set))));
}

fn cast<'a, T: Pod>(bytes: &'a mut [u8], array: &ArrayInfo) -> &'a mut [T] {
    bytemuck::cast_slice_mut(&mut bytes[array.range()])
}
