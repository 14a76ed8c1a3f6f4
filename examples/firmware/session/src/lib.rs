//! Answers requests that come over a serial line: what a microcontroller and this machine do alike, in fixed memory.
//!
//! A [`Request`] is a molecule, a ticket and a deadline. Its answer is the logit of a GINE network, or why there is
//! none. Molecules are collated into one batch of [`graphpack_core::collate`], which leaves when it is full, when
//! the next molecule does not fit, or when its first deadline is due. Beside that, the device follows a plan of the
//! host: it tells the packs of a known set of graphs, whose sizes come in any order.
//!
//! | file | what is in it |
//! |---|---|
//! | `frame` | frames: COBS around postcard and its CRC-32 |
//! | `message` | what frames hold |
//! | `molecule` | the schema of molecules, the shape of batches, and how a request is collated |
//! | `gine` | the network |
//! | `server` | tickets and deadlines, and when a batch leaves |
//! | `planned` | the packs of a plan |
#![no_std]
#![forbid(unsafe_code)]

mod frame;
mod gine;
mod message;
mod molecule;
mod planned;
mod server;

pub use frame::{CRC, FRAME, Frames, Unreadable};
pub use message::{Answer, Message, Refusal, Request, Rows};
pub use molecule::{BYTES, LIMITS, MOST, SHAPE};
pub use planned::{Plan, read_plan};
pub use server::{Memory, Server};

use core::fmt::{self, Write};
use graphpack_core::collate::CollateError;
use planned::Planned;

/// All that a device does after it has read its plan.
pub struct Session<'a> {
    server: Server<'a>,
    planned: Planned<'a>,
    /// Frames that have come, that of the plan too.
    frames: u32,
}

impl<'a> Session<'a> {
    /// A session that follows this plan, and has batches in this memory.
    pub fn new(plan: &'a Plan, memory: &'a mut Memory) -> Result<Self, CollateError> {
        let (server, waiting) = Server::new(memory)?;
        Ok(Self { server, planned: Planned::new(plan, waiting), frames: 1 })
    }

    /// Takes a frame, and writes a line for each answer. Returns whether more may come: false after [`Message::End`].
    pub fn take(&mut self, frame: Result<&mut [u8], Unreadable>, out: &mut impl Write) -> Result<bool, fmt::Error> {
        let (number, mut written) = (self.frames, Ok(()));
        self.frames = self.frames.wrapping_add(1);
        let mut answer = |answer| written = written.and_then(|()| writeln!(out, "{answer}"));
        match frame.and_then(frame::message) {
            Ok(Message::Now(now)) => self.server.at(now, &mut answer),
            Ok(Message::Classify(request)) => self.server.take(&request, &mut answer),
            Ok(Message::Compute(rows)) => self.server.compute(rows),
            Ok(Message::Plan(_)) => answer(Answer::Unreadable { frame: number, why: Unreadable::SecondPlan }),
            Ok(Message::Planned(size)) => return self.planned.push(size, out).map(|()| true),
            Ok(Message::End) => {
                self.server.flush(&mut answer);
                written?;
                self.server.summary(out)?;
                return Ok(false);
            }
            Err(why) => answer(Answer::Unreadable { frame: number, why }),
        }
        written.map(|()| true)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/device.md")]
mod page {}
