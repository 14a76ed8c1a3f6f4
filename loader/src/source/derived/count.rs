//! [`count`]: the number of rows that each graph has in a derived set.

use super::DerivedError;
use super::adjacency::Adjacency;
use super::rule::Rule;
use crate::error::panic_message;
use crate::layout::{Carried, Dtype, GraphSpan, Heap, Index, Layout, Memory, Schema, Shape, Slot};
use crate::source::{Source, SourceError};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many graphs a thread counts in one go.
const CHUNK: usize = 256;

/// Counts the rows that each graph of `source` has by `rule`, on all cores. `edge_index` belongs to the set at position
/// `edges` and points into that at position `nodes`. Errors at the first graph that cannot be counted.
pub(super) fn count<S: Source>(
    source: &S,
    rule: Rule,
    (nodes, edges): (usize, usize),
) -> Result<Vec<u32>, DerivedError> {
    let most = (0..source.len()).map(|graph| source.size(graph)[edges]).max().unwrap_or(0);
    let layout = layout_of_edges(source.schema(), edges, most).ok_or(DerivedError::Memory { edges: most })?;
    let mut counts = vec![0; source.len()];
    let chunks = Mutex::new(counts.chunks_mut(CHUNK).enumerate());
    let chunks = || chunks.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let arena = Heap.allocate(layout.bytes());
        let mut arena = arena.map_err(|_| (0, DerivedError::Memory { edges: most }))?;
        let (mut adjacency, before) = (Adjacency::new(), Shape::of(source.schema().sets().len(), 0, |_| 0));
        let mut count = |graph| {
            let mut slot = Slot::new(arena.bytes_mut(), &layout, GraphSpan::new(&before, source.size(graph)));
            source.write(graph, &mut slot)?;
            adjacency.read(&slot, nodes)?;
            let rows = adjacency.count(rule);
            u32::try_from(rows).map_err(|_| format!("it has {rows}, at most {} are supported", u32::MAX).into())
        };
        loop {
            let Some((chunk, counts)) = chunks().next() else { return Ok(()) };
            for (graph, rows) in (chunk * CHUNK..).zip(counts) {
                let counted = catch_unwind(AssertUnwindSafe(|| count(graph)));
                let counted = counted.unwrap_or_else(|panic| Err(SourceError::from(panic_message(&*panic))));
                *rows = counted.map_err(|source_error| {
                    // Chunks are given out in order and the others end theirs, so that the first error is found.
                    chunks().by_ref().for_each(drop);
                    let number = source.number(graph);
                    (graph, DerivedError::Graph { graph: number, set: rule.set(), source: source_error })
                })?;
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(source.len().div_ceil(CHUNK));
    let ended = thread::scope(|scope| {
        // Where no thread can be started, this one does all.
        let others = (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = others.collect();
        let own = work();
        let ended = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        [own].into_iter().chain(ended).collect::<Vec<_>>()
    });
    match ended.into_iter().filter_map(Result::err).min_by_key(|(graph, _)| *graph) {
        Some((_, error)) => Err(error),
        None => Ok(counts),
    }
}

/// Returns the layout of one graph of `rows` edges, of which only `edge_index` is kept.
fn layout_of_edges(schema: &Schema, edges: usize, rows: u32) -> Option<Layout> {
    let carried = Carried::new(schema, Some(&[Index::EDGE_INDEX.to_owned()]), &[]).ok()?;
    let shape = Shape::of(schema.sets().len(), 0, |set| if set == edges { rows as usize } else { 0 });
    Layout::new(Arc::new(schema.clone()), &carried, shape, Dtype::I64)
}
