//! [`each_graph`]: writes every graph of some data once, on all cores.

use super::Worker;
use super::graphs::{Graphs, repeats};
use crate::error::{BoxError, Cause, Error, ErrorKind, own, panic_message};
use crate::layout::{Carried, Dtype, GraphDraw, Heap, Layout, Memory, Progress, Shape, Size, Slot};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many graphs a thread takes in one go.
const CHUNK: usize = 256;

/// Calls `each` with every graph, of which only what is `carried` is kept, and with what `begin` returned for
/// its chunk of neighbouring graphs. Maps change graphs unless they are to be `unmapped`, with the random numbers of
/// seed 0 and epoch 0. Returns what `each` made of every chunk, in order. Errors at the first graph that cannot be
/// written.
pub(super) fn each_graph<T: Send>(
    all: &dyn Graphs,
    carried: &Carried,
    unmapped: bool,
    begin: impl Fn() -> T + Sync,
    each: impl Fn(&mut T, &Slot<'_>) -> Result<(), BoxError> + Sync,
) -> Result<Vec<T>, GraphError> {
    all.known().map_err(GraphError::first)?;
    let sets = all.schema().sets().len();
    let before = Shape::of(sets, 0, |_| 0);
    let mut most = Size::of(sets, |_| 0);
    (0..all.len()).for_each(|graph| most = most.max_each(&all.size(graph)));
    let shape = Shape::of(sets, 1, |set| most[set] as usize);
    let no_memory = || {
        let rows = |graph: &usize| all.size(*graph).as_slice().iter().map(|&rows| u64::from(rows)).sum::<u64>();
        let graph = (0..all.len()).max_by_key(rows).unwrap_or(0);
        let error = format!("it is the largest, and there is no memory for graphs of up to {most}");
        GraphError { graph: all.number(graph), source: error.into() }
    };
    let layout = Layout::new(Arc::new(all.schema().clone()), carried, shape, Dtype::I64).ok_or_else(no_memory)?;
    let copies = if repeats(all) { copies(all) } else { Vec::new() };
    let mut made: Vec<Option<T>> = (0..all.len().div_ceil(CHUNK)).map(|_| None).collect();
    let chunks = Mutex::new(made.iter_mut().enumerate());
    let chunks = || chunks.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let mut arena = Heap.allocate(layout.bytes()).map_err(|_| (0, no_memory()))?;
        let mut worker = Worker::default();
        loop {
            let Some((chunk, place)) = chunks().next() else { return Ok(()) };
            let mut made = begin();
            let graphs = chunk * CHUNK..all.len().min((chunk + 1) * CHUNK);
            let failed = |graph, error| {
                // Chunks are given out in order and the others end theirs, so that the first error is found.
                chunks().by_ref().for_each(drop);
                (graph, GraphError { graph: all.number(graph), source: error })
            };
            let prepare = || all.prepare(&|each| graphs.clone().for_each(each), &mut worker);
            guarded(prepare).map_err(|error| failed(graphs.start, error))?;
            for graph in graphs {
                let write = || {
                    let mut progress = Progress::new(&all.size(graph));
                    let (number, copy) = (all.number(graph), copies.get(graph).copied().unwrap_or(0));
                    let draw = GraphDraw { number, copy, unmapped, ..GraphDraw::default() };
                    let mut slot = Slot::new(arena.bytes_mut(), &layout, &before, &draw, &mut progress);
                    all.write(graph, &mut slot, &mut worker)?;
                    all.write_derived(graph, &mut slot)?;
                    each(&mut made, &slot)
                };
                guarded(write).map_err(|error| failed(graph, error))?;
            }
            *place = Some(made);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len().div_ceil(CHUNK));
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

/// How often each graph comes before.
fn copies(all: &dyn Graphs) -> Vec<u32> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let before = |graph| {
        let count = counts.entry(all.number(graph)).or_default();
        *count += 1;
        *count - 1
    };
    (0..all.len()).map(before).collect()
}

/// Turns a panic into an error.
fn guarded(work: impl FnOnce() -> Result<(), BoxError>) -> Result<(), BoxError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panic_message(&*panic).into()))
}

/// The size of a graph cannot be read, or the graph cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("graph {graph}: {source}")]
pub(crate) struct GraphError {
    pub(crate) graph: u64,
    pub(crate) source: BoxError,
}

impl Cause for GraphError {
    fn kind(&self) -> ErrorKind {
        own(&self.source).map_or(ErrorKind::Data, Error::kind)
    }

    fn graph(&self) -> Option<u64> {
        Some(self.graph)
    }

    fn path(&self) -> Option<&Path> {
        own(&self.source)?.path()
    }
}

impl GraphError {
    /// Returns the error itself if it is one of a graph, or else one of the first graph.
    pub(super) fn first(error: BoxError) -> Self {
        let of_graph = error.downcast().map(|error: Box<Error>| error.into_cause());
        match of_graph {
            Ok(Ok(error)) => error,
            Ok(Err(other)) => Self { graph: 0, source: other.into() },
            Err(source) => Self { graph: 0, source },
        }
    }
}
