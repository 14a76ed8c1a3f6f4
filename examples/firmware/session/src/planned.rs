//! [`Planned`]: tells the packs of a plan of the host, each as soon as its last graph has come.

use crate::frame::message;
use crate::{Message, Unreadable};
use core::fmt::{self, Write};
use graphpack_core::FixedPlan;
use graphpack_core::stream::{Follow, Waiting};

/// Most distinct packs of a plan, and sizes in all of them together.
pub(crate) const PACKS: usize = 64;
pub(crate) const ENTRIES: usize = 208;
/// Most graphs that wait for others of their pack.
pub(crate) const WAITING: usize = 128;

/// A plan that there is room for.
pub type Plan = FixedPlan<2, ENTRIES, PACKS>;

/// Reads the plan of a session's first frame. Errors if it is none, larger than [`Plan`], or makes more
/// than `WAITING` graphs wait.
pub fn read_plan(frame: Result<&mut [u8], Unreadable>, plan: &mut Plan) -> Result<(), Unreadable> {
    let Message::Plan(bytes) = message(frame?)? else { return Err(Unreadable::NoPlan) };
    plan.read(&mut postcard::Deserializer::from_bytes(bytes)).map_err(|_| Unreadable::NoPlan)?;
    match plan.most_waiting() {
        waiting if waiting > WAITING as u64 => Err(Unreadable::Waiting { waiting }),
        _ => Ok(()),
    }
}

/// Graphs are numbered in the order in which they come.
pub(crate) struct Planned<'p> {
    follow: Follow<'p, 2, ENTRIES, PACKS, u32>,
    graphs: u32,
}

impl<'p> Planned<'p> {
    pub(crate) fn new(plan: &'p Plan, memory: &'p mut [Waiting<u32>]) -> Self {
        Self { follow: Follow::new(plan, memory), graphs: 0 }
    }

    /// Takes the size of the next graph. Writes the graphs of the pack that it completes, or why it is in none.
    pub(crate) fn push(&mut self, size: [u32; 2], out: &mut impl Write) -> fmt::Result {
        let graph = self.graphs;
        self.graphs = self.graphs.wrapping_add(1);
        match self.follow.push(size, graph) {
            Ok(None) => Ok(()),
            Ok(Some(mut graphs)) => {
                write!(out, "pack:")?;
                graphs.try_for_each(|graph| write!(out, " {graph}"))?;
                writeln!(out)
            }
            Err(error) => writeln!(out, "graph {graph}: {error}"),
        }
    }
}
