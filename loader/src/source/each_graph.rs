//! [`each_graph`]: writes every graph of a source once, on all cores.

use super::{Source, SourceError};
use crate::error::panic_message;
use crate::layout::{Carried, Dtype, GraphDraw, GraphSpan, Heap, Layout, Memory, Shape, Size, Slot};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many graphs a thread takes in one go.
const CHUNK: usize = 256;

/// Calls `each` with every graph of `source`, of which only what is `carried` is kept, and with what `begin` returned for
/// its chunk of neighbouring graphs. Maps change graphs unless they are to be `unmapped`, with the random numbers of seed 0
/// and epoch 0. Returns what `each` made of every chunk, in order. Errors at the first graph that
/// cannot be written.
pub(super) fn each_graph<S: Source + ?Sized, T: Send>(
    source: &S,
    (carried, unmapped): (&Carried, bool),
    begin: impl Fn() -> T + Sync,
    each: impl Fn(&mut T, &Slot<'_>) -> Result<(), SourceError> + Sync,
) -> Result<Vec<T>, GraphError> {
    let sets = source.schema().sets().len();
    let before = Shape::of(sets, 0, |_| 0);
    let mut most = Size::of(sets, |_| 0);
    (0..source.len()).for_each(|graph| most = most.max_each(&source.size(graph)));
    let shape = Shape::of(sets, 1, |set| most[set] as usize);
    let no_memory = || {
        let rows = |graph: &usize| source.size(*graph).as_slice().iter().map(|&rows| u64::from(rows)).sum::<u64>();
        let graph = (0..source.len()).max_by_key(rows).unwrap_or(0);
        let error = format!("it is the largest, and there is no memory for graphs of up to {most}");
        GraphError { graph: source.number(graph), source: error.into() }
    };
    let layout = Layout::new(Arc::new(source.schema().clone()), carried, shape, Dtype::I64).ok_or_else(no_memory)?;
    let mut made: Vec<Option<T>> = (0..source.len().div_ceil(CHUNK)).map(|_| None).collect();
    let chunks = Mutex::new(made.iter_mut().enumerate());
    let chunks = || chunks.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let mut arena = Heap.allocate(layout.bytes()).map_err(|_| (0, no_memory()))?;
        loop {
            let Some((chunk, place)) = chunks().next() else { return Ok(()) };
            let mut made = begin();
            let graphs = chunk * CHUNK..source.len().min((chunk + 1) * CHUNK);
            source.will_write_all(&|each| graphs.clone().for_each(each));
            for graph in graphs.clone() {
                let write = || {
                    let span = GraphSpan::new(&before, source.size(graph));
                    let draw = GraphDraw { number: source.number(graph), unmapped, ..GraphDraw::default() };
                    let mut slot = Slot::new(arena.bytes_mut(), &layout, span, draw);
                    source.write(graph, &mut slot)?;
                    source.write_derived(graph, &mut slot)?;
                    each(&mut made, &slot)
                };
                let written = catch_unwind(AssertUnwindSafe(write));
                let written = written.unwrap_or_else(|panic| Err(SourceError::from(panic_message(&*panic))));
                written.map_err(|error| {
                    // Chunks are given out in order and the others end theirs, so that the first error is found.
                    chunks().by_ref().for_each(drop);
                    (graph, GraphError { graph: source.number(graph), source: error })
                })?;
            }
            *place = Some(made);
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
        None => Ok(made.into_iter().flatten().collect()),
    }
}

/// A graph of a source cannot be written.
#[derive(thiserror::Error)]
#[error("graph {graph}: {source}")]
pub struct GraphError {
    /// Number of the graph in the data set.
    pub graph: u64,
    /// The error of the source, or what is wrong with the graph.
    pub source: SourceError,
}

graphpack_core::debug_is_display!(GraphError);
