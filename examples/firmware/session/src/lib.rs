//! Packs graphs whose sizes come in one by one, in fixed memory, in the same way on a microcontroller and on a host.
//!
//! The input is postcard: a [`Target`], a [`Plan`] for it, and the size of every graph of the plan, in any order,
//! twice: for two epochs. In the first, [`Session`] packs each graph three times: with a window, dynamically, and by
//! the plan; and it counts sizes. From the counts it makes a plan of its own, which packs the graphs of the second
//! epoch. It writes a line for every batch as soon as it is complete, with the numbers of its graphs, and at the end of
//! an epoch how full the batches were.
//!
//! ```text
//! plan 0: 5 graphs, 89 nodes, 180 edges: 0 1 2 3 5
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod batch;
mod error;
mod input;
mod packed;

use core::fmt::Write;
use graphpack_core::stream::Waiting;
use graphpack_core::{FixedHistogram, FixedLimits, FixedPlan};
use packed::{Dynamic, Graph, Planned, Windowed};

pub use error::SessionError;
pub use input::Input;

/// A shape that batches are padded to, padding included.
pub type Target = FixedLimits<2>;

/// What real graphs can fill of a target: all but a node and a graph, as in jraph.
const fn usable(target: &Target) -> FixedLimits<2> {
    let [nodes, edges] = target.size;
    FixedLimits::new([nodes.saturating_sub(1), edges]).graphs(target.graphs.saturating_sub(1))
}

/// Number of open packs of the window.
pub const OPEN: usize = 16;
/// Most graphs in a batch.
pub const GRAPHS: usize = 16;
/// Most distinct packs of a plan.
pub const PACKS: usize = 64;
/// Most sizes in all distinct packs of a plan together.
pub const ENTRIES: usize = 208;
/// Most distinct sizes of graphs.
pub const SIZES: usize = 128;
/// Most graphs that wait for others of their pack, and the one that comes.
pub const WAITING: usize = 129;

/// Memory for the graphs that wait in the packers of a session.
pub struct Memory {
    windowed: [Waiting<Graph>; OPEN * GRAPHS + 1],
    dynamic: [Waiting<Graph>; GRAPHS + 1],
    planned: [[Waiting<Graph>; WAITING]; 2],
}

impl Memory {
    /// Memory without graphs.
    pub const fn new() -> Self {
        let planned = [[Waiting::EMPTY; WAITING]; 2];
        Self { windowed: [Waiting::EMPTY; OPEN * GRAPHS + 1], dynamic: [Waiting::EMPTY; GRAPHS + 1], planned }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// A plan that a session has room for.
pub type Plan = FixedPlan<2, ENTRIES, PACKS>;

/// Receives a target, and into `plan` a plan for it.
pub fn receive(input: &mut Input<impl FnMut() -> Option<u8>>, plan: &mut Plan) -> Result<(), SessionError> {
    let target: Target = input.read("the target")?;
    input.read_plan(plan)?;
    let limits = usable(&target);
    if *plan.limits() != limits {
        return Err(SessionError::Limits { plan: *plan.limits(), target: limits });
    }
    if limits.graphs as usize > GRAPHS || plan.graphs() > u64::from(u16::MAX) {
        return Err(SessionError::Graphs { batch: limits.graphs, plan: plan.graphs() });
    }
    Ok(())
}

/// Three packers, and how many graphs have which size.
pub struct Session<'p> {
    windowed: Windowed<'p>,
    dynamic: Dynamic<'p>,
    planned: Planned<'p>,
    /// For the graphs of the second epoch.
    alone: &'p mut [Waiting<Graph>],
    sizes: FixedHistogram<2, SIZES>,
}

impl<'p> Session<'p> {
    /// A session for the plan that was [received](receive), whose limits all packers keep.
    pub fn new(plan: &'p Plan, memory: &'p mut Memory) -> Self {
        let limits = *plan.limits();
        let Memory { windowed, dynamic, planned: [planned, alone] } = memory;
        Self {
            windowed: Windowed::new(limits, windowed),
            dynamic: Dynamic::new(limits, dynamic),
            planned: Planned::new("plan", plan, planned),
            alone,
            sizes: FixedHistogram::new(),
        }
    }

    /// Receives the graphs of both epochs, and writes batches and summaries. Makes the plan of the second in `own`.
    pub fn run(
        &mut self,
        own: &'p mut Plan,
        input: &mut Input<impl FnMut() -> Option<u8>>,
        out: &mut impl Write,
    ) -> Result<(), SessionError> {
        let graphs = self.planned.graphs();
        for graph in 0..graphs {
            let size: [u32; 2] = input.read("the sizes of the graphs")?;
            self.windowed.push(graph, size, out)?;
            self.dynamic.push(graph, size, out)?;
            self.planned.push(graph, size, out)?;
            self.sizes.add(size, 1).map_err(|error| SessionError::Sizes { graph, error })?;
        }
        self.windowed.finish(out)?;
        self.dynamic.finish(out)?;
        self.planned.finish(out)?;
        let limits = self.planned.limits();
        // `Heuristic::Product` without the other heuristics, which would take flash.
        own.best_fit(&self.sizes, limits, |&[nodes, edges]| u64::from(nodes) * u64::from(edges))?;
        self.planned = Planned::new("alone", own, core::mem::take(&mut self.alone));
        for graph in 0..graphs {
            self.planned.push(graph, input.read("the sizes of the second epoch")?, out)?;
        }
        self.planned.finish(out)
    }
}
