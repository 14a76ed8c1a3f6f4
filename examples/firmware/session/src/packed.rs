//! [`Windowed`], [`Dynamic`] and [`Planned`]: three packers, each with the numbers of the graphs in its open batches.

use crate::batch::{Batch, Tally};
use crate::{ENTRIES, OPEN, PACKS, Plan, SessionError, WAITING};
use core::fmt::Write;
use graphpack_core::FixedLimits;
use graphpack_core::stream::{Follow, NextFit, Pushed, TooLarge, Window};
use heapless::Vec;

type Outcome = Result<(), SessionError>;

/// Several open batches; each graph goes to the one that it fits best.
pub(crate) struct Windowed {
    packer: Window<2, OPEN>,
    open: [Batch; OPEN],
    tally: Tally,
}

impl Windowed {
    pub(crate) fn new(limits: FixedLimits<2>) -> Self {
        Self { packer: Window::new(limits), open: Default::default(), tally: Tally::new("window", limits) }
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        let placed = self.packer.push(size).map_err(|error| SessionError::Window { graph, error })?;
        let batch = &mut self.open[placed.pack];
        if placed.closed {
            self.tally.emit(batch, out)?;
        }
        batch.push(graph, size);
        Ok(())
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        for pack in self.packer.finish() {
            self.tally.emit(&mut self.open[pack], out)?;
        }
        self.tally.summary(out)
    }
}

/// One open batch, which ends when a graph does not fit.
pub(crate) struct Dynamic {
    packer: NextFit<2>,
    open: Batch,
    tally: Tally,
}

impl Dynamic {
    pub(crate) fn new(limits: FixedLimits<2>) -> Self {
        let packer = NextFit::new(limits, TooLarge::Error);
        Self { packer, open: Batch::default(), tally: Tally::new("dynamic", limits) }
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        match self.packer.push(size).map_err(|error| SessionError::Dynamic { graph, error })? {
            Pushed::Accepted => {}
            Pushed::FlushFirst => self.tally.emit(&mut self.open, out)?,
            Pushed::Skipped => return Ok(()),
        }
        self.open.push(graph, size);
        Ok(())
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        self.tally.emit(&mut self.open, out)?;
        self.tally.summary(out)
    }
}

/// The packs of a plan, each as soon as its last graph has come.
pub(crate) struct Planned<'p> {
    packer: Follow<'p, 2, ENTRIES, PACKS>,
    /// Graphs that are in no pack yet, in the order in which they came.
    waiting: Vec<([u32; 2], u16), WAITING>,
    tally: Tally,
}

impl<'p> Planned<'p> {
    pub(crate) fn new(name: &'static str, plan: &'p Plan) -> Self {
        let tally = Tally::new(name, *plan.limits());
        Self { packer: Follow::new(plan), waiting: Vec::new(), tally }
    }

    /// The limits of the plan.
    pub(crate) fn limits(&self) -> &'p FixedLimits<2> {
        self.packer.plan().limits()
    }

    /// Number of graphs of the plan; `receive` has checked that it has 16 bits.
    pub(crate) fn graphs(&self) -> u16 {
        u16::try_from(self.packer.plan().graphs()).unwrap_or(u16::MAX)
    }

    pub(crate) fn push(&mut self, graph: u16, size: [u32; 2], out: &mut impl Write) -> Outcome {
        let complete = self.packer.push(size).map_err(|error| SessionError::Planned { graph, error })?;
        self.waiting.push((size, graph)).map_err(|_| SessionError::Waiting { graph })?;
        let Some(number) = complete else { return Ok(()) };
        let mut batch = Batch::default();
        for &(size, mut times) in self.packer.plan().iter().nth(number).map_or(&[][..], |pack| pack.contents) {
            self.waiting.retain(|&(of, graph)| {
                let take = of == size && times > 0;
                if take {
                    times -= 1;
                    batch.push(graph, size);
                }
                !take
            });
        }
        self.tally.emit(&mut batch, out)
    }

    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Outcome {
        self.tally.summary(out)
    }
}
