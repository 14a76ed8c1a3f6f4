//! [`Windowed`], [`Dynamic`] and [`Planned`]: three packers, and how full their batches are.

use crate::batch::Tally;
use crate::{ENTRIES, OPEN, PACKS, Plan, SessionError};
use core::fmt::Write;
use graphpack_core::FixedLimits;
use graphpack_core::stream::{Follow, NextFit, Pushed, TooLarge, Waiting, Window};

type Outcome = Result<(), SessionError>;

/// What a packer knows a graph by: its number and its size.
pub(crate) type Graph = (u16, [u32; 2]);

/// Several open batches; each graph goes to the one that it fits best.
pub(crate) struct Windowed<'m> {
    packer: Window<'m, 2, OPEN, Graph>,
    tally: Tally,
}

impl<'m> Windowed<'m> {
    pub(crate) fn new(limits: FixedLimits<2>, memory: &'m mut [Waiting<Graph>]) -> Self {
        Self { packer: Window::new(limits, memory), tally: Tally::new("window", limits) }
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        let placed = self.packer.push(size, (graph, size)).map_err(|error| SessionError::Stream { graph, error })?;
        placed.closed.map_or(Ok(()), |graphs| self.tally.emit(graphs.collect(), out))
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        for graphs in self.packer.finish() {
            self.tally.emit(graphs.collect(), out)?;
        }
        self.tally.summary(out)
    }
}

/// One open batch, which ends when a graph does not fit.
pub(crate) struct Dynamic<'m> {
    packer: NextFit<'m, 2, Graph>,
    tally: Tally,
}

impl<'m> Dynamic<'m> {
    pub(crate) fn new(limits: FixedLimits<2>, memory: &'m mut [Waiting<Graph>]) -> Self {
        let packer = NextFit::new(limits, TooLarge::Error, memory);
        Self { packer, tally: Tally::new("dynamic", limits) }
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        match self.packer.push(size, (graph, size)).map_err(|error| SessionError::Stream { graph, error })? {
            Pushed::Completed(graphs) => self.tally.emit(graphs.collect(), out),
            Pushed::Accepted | Pushed::Skipped => Ok(()),
        }
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        self.tally.emit(self.packer.finish().collect(), out)?;
        self.tally.summary(out)
    }
}

/// The packs of a plan, each as soon as its last graph has come.
pub(crate) struct Planned<'m> {
    packer: Follow<'m, 2, ENTRIES, PACKS, Graph>,
    tally: Tally,
}

impl<'m> Planned<'m> {
    pub(crate) fn new(name: &'static str, plan: &'m Plan, memory: &'m mut [Waiting<Graph>]) -> Self {
        let tally = Tally::new(name, *plan.limits());
        Self { packer: Follow::new(plan, memory), tally }
    }

    /// The limits of the plan.
    pub(crate) fn limits(&self) -> &'m FixedLimits<2> {
        self.packer.plan().limits()
    }

    /// Number of graphs of the plan; `receive` has checked that it has 16 bits.
    pub(crate) fn graphs(&self) -> u16 {
        u16::try_from(self.packer.plan().graphs()).unwrap_or(u16::MAX)
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        let complete = self.packer.push(size, (graph, size)).map_err(|error| SessionError::Stream { graph, error })?;
        complete.map_or(Ok(()), |graphs| self.tally.emit(graphs.collect(), out))
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        self.tally.summary(out)
    }
}
