//! [`Server`]: collates requests into one open batch, and answers each by its ticket.

use crate::gine::{NETWORK, Nodes};
use crate::molecule::{self, Inputs, LAYOUT};
use crate::planned::WAITING;
use crate::{Answer, BYTES, LIMITS, Refusal, Request, Rows, SHAPE};
use core::fmt::{self, Write};
use graphpack_core::collate::{CollateError, FixedBatch, FixedMemory};
use graphpack_core::stream::Waiting;
use heapless::Vec;

/// The most requests of a batch.
const MOST: usize = SHAPE.graphs as usize - 1;

/// What a batch, the network and the graphs of a plan need.
pub struct Memory {
    batch: FixedMemory<{ BYTES }>,
    /// The rows of nodes before and after a layer.
    nodes: [Nodes; 2],
    planned: [Waiting<u32>; WAITING + 1],
}

impl Memory {
    /// Memory that is 0.
    pub const fn new() -> Self {
        Self { batch: FixedMemory::new(), nodes: [[[0.0; _]; _]; 2], planned: [Waiting::EMPTY; _] }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// Answers requests. A batch leaves when it has the most graphs, when the next molecule does not fit, or when the first
/// of its deadlines is due.
pub struct Server<'a> {
    batch: FixedBatch<'a>,
    nodes: &'a mut [Nodes; 2],
    /// Ticket and deadline of each request that has no answer yet.
    waiting: Vec<(u32, u64), MOST>,
    now: u64,
    rows: Rows,
    /// Batches that left, their graphs and nodes.
    left: [u32; 3],
}

impl<'a> Server<'a> {
    /// Serves with this memory. Also returns the memory for the graphs of a plan.
    pub fn new(memory: &'a mut Memory) -> Result<(Self, &'a mut [Waiting<u32>]), CollateError> {
        let Memory { batch, nodes, planned } = memory;
        let batch = FixedBatch::new(&LAYOUT, &mut batch.0)?;
        let server = Self { batch, nodes, waiting: Vec::new(), now: 0, rows: Rows::All, left: [0; 3] };
        Ok((server, planned))
    }

    /// Computes these rows from now on.
    pub fn compute(&mut self, rows: Rows) {
        self.rows = rows;
    }

    /// Sets the time, and answers the batch if a deadline is due.
    pub fn at(&mut self, now: u64, answer: &mut impl FnMut(Answer)) {
        self.now = self.now.max(now);
        if self.waiting.iter().any(|&(_, deadline)| deadline <= self.now) {
            self.flush(answer);
        }
    }

    /// Takes a request, and answers the batch if it is full or due.
    pub fn take(&mut self, request: &Request<'_>, answer: &mut impl FnMut(Answer)) {
        let ticket = request.ticket;
        if let Err(why) = self.add(request, answer) {
            answer(Answer::Refused { ticket, why });
        }
        if self.waiting.is_full() {
            self.flush(answer);
        }
        self.at(self.now, answer);
    }

    fn add(&mut self, request: &Request<'_>, answer: &mut impl FnMut(Answer)) -> Result<(), Refusal> {
        let Request { ticket, deadline, .. } = *request;
        let now = self.now;
        if self.waiting.iter().any(|&(taken, _)| taken == ticket) {
            return Err(Refusal::Taken);
        }
        if deadline < now {
            return Err(Refusal::Late { deadline, now });
        }
        molecule::check(request)?;
        let mut added = molecule::add(&mut self.batch, request);
        if matches!(added, Err(CollateError::Full { .. })) {
            self.flush(answer);
            added = molecule::add(&mut self.batch, request);
        }
        added?;
        // There is room: a full batch has left.
        let _ = self.waiting.push((ticket, deadline));
        Ok(())
    }

    /// Answers all requests that wait.
    pub fn flush(&mut self, answer: &mut impl FnMut(Answer)) {
        let padded = self.batch.pad();
        let (real, now) = (padded.real(), self.now);
        if let (Some(inputs), Some(ids), 1..) = (Inputs::of(&padded), padded.ids(), real.graphs) {
            let inputs = match self.rows {
                Rows::All => inputs,
                Rows::Real => inputs.only(real.size[0] as usize, real.graphs as usize),
            };
            let mut ids = ids.iter();
            NETWORK.run(&inputs, self.nodes, |logit| {
                // Graphs of padding have no id.
                let of_id = |id: &i64| self.waiting.iter().find(|(ticket, _)| i64::from(*ticket) == *id);
                let Some(&(ticket, deadline)) = ids.next().and_then(of_id) else { return };
                answer(if deadline < now {
                    Answer::Refused { ticket, why: Refusal::Late { deadline, now } }
                } else {
                    Answer::Logit { ticket, logit }
                });
            });
            let left = [1, real.graphs, real.size[0]];
            self.left.iter_mut().zip(left).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        self.waiting.clear();
        self.batch.restart();
    }

    /// Writes how full the batches were.
    pub fn summary(&self, out: &mut impl Write) -> fmt::Result {
        let [batches, graphs, nodes] = self.left;
        let room = u64::from(batches) * u64::from(LIMITS[0]);
        writeln!(out, "answered {graphs} graphs in {batches} batches, {nodes} nodes of {room}")
    }
}
