//! [`Batch`] and [`Tally`]: the graphs of one batch, and how full the batches of one packer are.

use crate::packed::Graph;
use crate::{GRAPHS, SessionError};
use core::fmt::Write;
use graphpack_core::FixedLimits;
use heapless::Vec;

/// The numbers of its graphs, and their sizes summed up.
#[derive(Default)]
pub(crate) struct Batch {
    graphs: Vec<u16, GRAPHS>,
    nodes: u32,
    edges: u32,
}

impl FromIterator<Graph> for Batch {
    fn from_iter<I: IntoIterator<Item = Graph>>(graphs: I) -> Self {
        let mut batch = Self::default();
        for (graph, [nodes, edges]) in graphs {
            // Never full: `receive` refuses limits beyond the capacity.
            let _ = batch.graphs.push(graph);
            batch.nodes = batch.nodes.saturating_add(nodes);
            batch.edges = batch.edges.saturating_add(edges);
        }
        batch
    }
}

/// Counts the batches of one packer.
pub(crate) struct Tally {
    name: &'static str,
    limits: FixedLimits<2>,
    batches: u32,
    graphs: u32,
    nodes: u64,
    edges: u64,
}

impl Tally {
    pub(crate) fn new(name: &'static str, limits: FixedLimits<2>) -> Self {
        Self { name, limits, batches: 0, graphs: 0, nodes: 0, edges: 0 }
    }

    /// Writes the line of a batch. An empty batch gets no line.
    pub(crate) fn emit(&mut self, batch: Batch, out: &mut impl Write) -> Result<(), SessionError> {
        let Batch { graphs, nodes, edges } = batch;
        if graphs.is_empty() {
            return Ok(());
        }
        write!(out, "{} {}: {} graphs, {nodes} nodes, {edges} edges:", self.name, self.batches, graphs.len())?;
        for graph in &graphs {
            write!(out, " {graph}")?;
        }
        writeln!(out)?;
        self.batches += 1;
        self.graphs += graphs.len() as u32;
        self.nodes += u64::from(nodes);
        self.edges += u64::from(edges);
        Ok(())
    }

    /// Writes how full the batches were, in per mille, to do without floating point.
    pub(crate) fn summary(&self, out: &mut impl Write) -> Result<(), SessionError> {
        let Self { name, limits, batches, graphs, nodes, edges } = self;
        let share = |sum: u64, limit: u32| sum * 1000 / (u64::from(*batches) * u64::from(limit)).max(1);
        let (nodes, edges) = (share(*nodes, limits.size[0]), share(*edges, limits.size[1]));
        writeln!(out, "{name}: {batches} batches of {graphs} graphs, nodes {nodes}/1000, edges {edges}/1000")?;
        Ok(())
    }
}
