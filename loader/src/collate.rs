//! Collation: the graphs of a batch, then padding, written into recycled memory. The padding rule itself is [`Padding`]'s.

use crate::layout::{ArrayInfo, Layout};
use crate::source::{Source, SourceError};
use crate::transform::{GraphRows, Transform};
use crate::{Dtype, Level, Padding, Shape, Slot};
use graphpack_core::Size;
use std::ops::Range;

/// A source hears of a graph so many graphs before it is written.
const AHEAD: usize = 1;
/// Sizes are looked up so many at a time. Each lies anywhere in memory, but none waits for another then: 100,000 graphs of QM9's sizes take
/// 0.89 of the time.
const SIZES: usize = 32;

/// What is done to each graph after it was written.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    pub(crate) transform: &'a Transform,
    pub(crate) seed: u64,
    pub(crate) epoch: u64,
}

/// Writes the graphs with the given numbers one after the other and pads the rest; returns how much is real.
pub(crate) fn collate<S: Source + ?Sized>(
    source: &S,
    graphs: &[u32],
    layout: &Layout,
    padding: Padding,
    change: Option<Change<'_>>,
    bytes: &mut [u8],
) -> Result<Shape, CollateError> {
    let own = layout.own();
    let shape = layout.shape();
    let mut at = [0, 0, 0];
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
        let size = sizes[place % SIZES];
        let [nodes, edges] = size.0.map(|n| n as usize);
        let [node, edge, place] = at;
        if node + nodes + padding.nodes() > shape.nodes || edge + edges > shape.edges || place + 1 >= shape.graphs {
            return Err(CollateError {
                graph: source.number(graph as usize),
                source: Box::new(NoRoom { at, size: size.0, shape }),
            });
        }
        let mut slot = Slot::new(bytes, layout, size, at);
        source
            .write(graph as usize, &mut slot)
            .and_then(|()| Ok(slot.check()?))
            .map_err(|error| CollateError { graph: source.number(graph as usize), source: error })?;
        if let Some(Change { transform, seed, epoch }) = change {
            let number = source.number(graph as usize);
            let mut rows = GraphRows::new(bytes, layout, (size, at), (seed, epoch, number));
            transform(&mut rows).map_err(|source| CollateError { graph: number, source })?;
        }
        fill(bytes, own.batch, node..node + nodes, place);
        fill(bytes, own.ptr, place..place + 1, node);
        rows::<i64>(bytes, own.graph_ids, place..place + 1)[0] = source.number(graph as usize) as i64;
        at = [node + nodes, edge + edges, place + 1];
    }
    let real = Shape { nodes: at[0], edges: at[1], graphs: at[2] };
    pad(real, layout, padding, bytes);
    Ok(real)
}

/// Fills all slots after the real ones.
fn pad(real: Shape, layout: &Layout, padding: Padding, bytes: &mut [u8]) {
    let own = layout.own();
    let shape = layout.shape();
    for (field, array) in layout.schema().fields().iter().zip(layout.arrays()) {
        let surplus = field.level.of([real.nodes..shape.nodes, real.edges..shape.edges, real.graphs..shape.graphs]);
        bytes[array.rows(surplus)].fill(0);
        if let Some(node) = padding.apart(real.nodes).filter(|_| field.name == "pos" && field.level == Level::Node) {
            let row = &mut bytes[array.rows(node..node + 1)];
            match field.dtype {
                Dtype::F32 if field.width > 0 => row[..4].copy_from_slice(&1_f32.to_ne_bytes()),
                Dtype::F64 if field.width > 0 => row[..8].copy_from_slice(&1_f64.to_ne_bytes()),
                _ => {}
            }
        }
    }
    let (source, target) = padding.edge(real.nodes);
    for (row, node) in [source, target].into_iter().enumerate() {
        fill(bytes, own.edge_index, row * shape.edges + real.edges..(row + 1) * shape.edges, node);
    }
    fill(bytes, own.batch, real.nodes..shape.nodes, real.graphs);
    fill(bytes, own.ptr, real.graphs..real.graphs + 1, real.nodes);
    fill(bytes, own.ptr, real.graphs + 1..shape.graphs + 1, shape.nodes);
    rows::<i64>(bytes, own.graph_ids, real.graphs..shape.graphs).fill(-1);
    for (mask, real) in [(own.node_mask, real.nodes), (own.edge_mask, real.edges), (own.graph_mask, real.graphs)] {
        let mask = &mut bytes[mask.range()];
        mask[..real].fill(1);
        mask[real..].fill(0);
    }
}

/// Fills elements of an array of indices.
fn fill(bytes: &mut [u8], array: &ArrayInfo, elements: Range<usize>, value: usize) {
    let width = array.dtype.bytes();
    let bytes = &mut bytes[array.start + width * elements.start..array.start + width * elements.end];
    match array.dtype {
        Dtype::I32 => bytemuck::cast_slice_mut(bytes).fill(value as i32),
        _ => bytemuck::cast_slice_mut(bytes).fill(value as i64),
    }
}

fn rows<'a, T: bytemuck::Pod>(bytes: &'a mut [u8], array: &ArrayInfo, rows: Range<usize>) -> &'a mut [T] {
    bytemuck::cast_slice_mut(&mut bytes[array.rows(rows)])
}

/// A graph that could not be written.
#[derive(Debug)]
pub(crate) struct CollateError {
    pub(crate) graph: u64,
    pub(crate) source: SourceError,
}

/// The source says another size than when the plan was made.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} nodes and {} edges do not fit behind {} nodes, {} edges and {} graphs in a batch of {shape}; did its size change?",
    .size[0], .size[1], .at[0], .at[1], .at[2]
)]
struct NoRoom {
    at: [usize; 3],
    size: [u32; 2],
    shape: Shape,
}
