//! [`Planned`]: tells the packs of a plan of the host, each as soon as its last graph has come.

use crate::frame::message;
use crate::{Message, Unreadable};
use core::fmt::{self, Write};
use graphpack_core::FixedPlan;
use graphpack_core::stream::Follow;
use heapless::Vec;

/// Most distinct packs of a plan, and sizes in all of them together.
const PACKS: usize = 64;
const ENTRIES: usize = 208;
/// Most graphs that wait for others of their pack.
const WAITING: usize = 128;

/// A plan that there is room for.
pub type Plan = FixedPlan<2, ENTRIES, PACKS>;

/// Reads the plan of a session's first frame. Errors if it is none, or larger than [`Plan`].
pub fn read_plan(frame: Result<&mut [u8], Unreadable>, plan: &mut Plan) -> Result<(), Unreadable> {
    let Message::Plan(bytes) = message(frame?)? else { return Err(Unreadable::NoPlan) };
    plan.read(&mut postcard::Deserializer::from_bytes(bytes)).map_err(|_| Unreadable::NoPlan)
}

/// Graphs are numbered in the order in which they come.
pub(crate) struct Planned<'p> {
    follow: Follow<'p, 2, ENTRIES, PACKS>,
    /// Graphs that are in no pack yet.
    waiting: Vec<([u32; 2], u32), WAITING>,
    graphs: u32,
}

impl<'p> Planned<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self { follow: Follow::new(plan), waiting: Vec::new(), graphs: 0 }
    }

    /// Takes the size of the next graph. Writes the graphs of the pack that it completes, or why it is in none.
    pub(crate) fn push(&mut self, size: [u32; 2], out: &mut impl Write) -> fmt::Result {
        let graph = self.graphs;
        self.graphs = self.graphs.wrapping_add(1);
        if self.waiting.is_full() {
            return writeln!(out, "graph {graph}: expected fewer than {WAITING} graphs that wait, found one more");
        }
        let complete = match self.follow.push(size) {
            Ok(complete) => complete,
            Err(error) => return writeln!(out, "graph {graph}: {error}"),
        };
        // There is room.
        let _ = self.waiting.push((size, graph));
        let Some(number) = complete else { return Ok(()) };
        write!(out, "pack {number}:")?;
        for &(size, mut times) in self.follow.plan().iter().nth(number).map_or(&[][..], |pack| pack.contents) {
            self.waiting.retain(|&(of, graph)| {
                let take = of == size && times > 0;
                if take {
                    times -= 1;
                    // What cannot be written here cannot at the end of the line either.
                    let _ = write!(out, " {graph}");
                }
                !take
            });
        }
        writeln!(out)
    }
}
