//! Collation: writes the graphs of a batch, then the padding that [`Padding`] defines, into recycled memory.

use crate::layout::{ArrayInfo, Builtin, Dtype, GraphDraw, GraphRows, GraphSpan, Layout, Level, Shape, Slot};
use crate::options::{Padding, Transform};
use crate::source::{Source, SourceError};
use graphpack_core::Size;
use std::ops::Range;

/// How many graphs ahead `will_write` is called.
const AHEAD: usize = 1;
/// How many sizes are looked up in one go, so that the cache misses overlap: 100,000 graphs of QM9's sizes take 0.89 of
/// the time that single lookups take.
const SIZES: usize = 32;

/// A transform for each graph after it was written, and what its random numbers depend on.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) transform: &'a Transform,
    pub(super) seed: u64,
    pub(super) epoch: u64,
}

/// Writes `graphs` into `bytes` one after the other and pads the rest. Returns the numbers of real nodes, edges and
/// graphs.
pub(super) fn collate<S: Source + ?Sized>(
    source: &S,
    graphs: &[u32],
    layout: &Layout,
    padding: Padding,
    change: Option<Change<'_>>,
    bytes: &mut [u8],
) -> Result<Shape, CollateError> {
    let shape = layout.shape();
    let (batch, ptr) = (layout.builtin(Builtin::Batch), layout.builtin(Builtin::Ptr));
    let graph_ids = layout.builtin(Builtin::GraphIds);
    let mut written = Shape::default();
    let mut sizes = [Size([0; 2]); SIZES];
    for (place, &graph) in graphs.iter().enumerate() {
        if place % SIZES == 0 {
            for (size, &graph) in sizes.iter_mut().zip(&graphs[place..]) {
                *size = source.size(graph as usize);
            }
        }
        if let Some(&soon) = graphs.get(place + AHEAD) {
            source.will_write(soon as usize);
        }
        let number = source.number(graph as usize);
        let failed = |source: SourceError| CollateError { graph: number, source };
        let span = GraphSpan::new(written, sizes[place % SIZES]);
        if !padding.fits(&span.end(), &shape) {
            return Err(failed(Box::new(NoRoom { written, size: span.size().0, shape })));
        }
        let mut slot = Slot::new(bytes, layout, span);
        source.write(graph as usize, &mut slot).and_then(|()| Ok(slot.check()?)).map_err(failed)?;
        if let Some(Change { transform, seed, epoch }) = change {
            transform(&mut GraphRows::new(bytes, layout, span, GraphDraw { seed, epoch, number })).map_err(failed)?;
        }
        let nodes = span.rows(Level::Node);
        fill(bytes, ptr, place..place + 1, nodes.start);
        fill(bytes, batch, nodes, place);
        rows::<i64>(bytes, graph_ids, place..place + 1)[0] = number as i64;
        written = span.end();
    }
    pad(written, layout, padding, bytes);
    Ok(written)
}

/// Writes the padding rows of all arrays, the masks, and the end of `ptr`.
fn pad(real: Shape, layout: &Layout, padding: Padding, bytes: &mut [u8]) {
    let shape = layout.shape();
    let surplus = |level: Level| real.rows(level)..shape.rows(level);
    for (field, array) in layout.schema().fields().iter().zip(layout.arrays()) {
        bytes[array.bytes_of(surplus(field.level))].fill(0);
        if let Some((row, element)) = padding.apart(field, real.nodes()) {
            let start = array.bytes_of(row..row + 1).start;
            bytes[start..start + element.len()].copy_from_slice(element);
        }
    }
    for builtin in Builtin::ALL {
        let array = layout.builtin(builtin);
        match builtin {
            Builtin::EdgeIndex => {
                for (row, node) in padding.edge(real.nodes()).into_iter().enumerate() {
                    fill(bytes, array, row * shape.edges() + real.edges()..(row + 1) * shape.edges(), node);
                }
            }
            // All padding nodes belong to the first padding graph.
            Builtin::Batch => fill(bytes, array, surplus(Level::Node), real.graphs()),
            Builtin::Ptr => {
                fill(bytes, array, real.graphs()..real.graphs() + 1, real.nodes());
                fill(bytes, array, real.graphs() + 1..shape.graphs() + 1, shape.nodes());
            }
            Builtin::GraphIds => rows::<i64>(bytes, array, surplus(Level::Graph)).fill(-1),
            Builtin::Mask(level) => {
                let mask = &mut bytes[array.range()];
                mask[..real.rows(level)].fill(1);
                mask[real.rows(level)..].fill(0);
            }
        }
    }
}

/// Sets the given elements of an array of indices to `value`.
fn fill(bytes: &mut [u8], array: &ArrayInfo, elements: Range<usize>, value: usize) {
    let width = array.dtype.bytes();
    let bytes = &mut bytes[array.start + width * elements.start..array.start + width * elements.end];
    match array.dtype {
        Dtype::I32 => bytemuck::cast_slice_mut(bytes).fill(value as i32),
        _ => bytemuck::cast_slice_mut(bytes).fill(value as i64),
    }
}

fn rows<'a, T: bytemuck::Pod>(bytes: &'a mut [u8], array: &ArrayInfo, rows: Range<usize>) -> &'a mut [T] {
    bytemuck::cast_slice_mut(&mut bytes[array.bytes_of(rows)])
}

/// A graph that could not be written.
#[derive(Debug)]
pub(super) struct CollateError {
    /// Number of the graph in the data set.
    pub(super) graph: u64,
    pub(super) source: SourceError,
}

/// A graph is larger than it was when the plan was made.
#[derive(Debug, thiserror::Error)]
#[error(
    "its {} nodes and {} edges do not fit after {written} in a batch of {shape}; did the size of the graph change?",
    .size[0], .size[1]
)]
struct NoRoom {
    written: Shape,
    size: [u32; 2],
    shape: Shape,
}
