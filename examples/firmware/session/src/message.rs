//! [`Message`]: what comes over the line; [`Answer`]: what goes back, a line of text.

use crate::{LIMITS, Unreadable};
use core::fmt;
use graphpack_core::collate::CollateError;
use serde::{Deserialize, Serialize};

/// What a frame holds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Message<'a> {
    /// A plan in postcard, as `graphpack plan --out plan.postcard` writes it: the first frame.
    Plan(&'a [u8]),
    /// Nodes and edges of the next graph of the plan.
    Planned([u32; 2]),
    /// Which rows the network computes from now on; at first [`Rows::All`].
    Compute(Rows),
    /// The time on the sender's clock, in ticks of any length. Earlier times are ignored.
    Now(u64),
    /// A molecule to classify.
    #[serde(borrow)]
    Classify(Request<'a>),
    /// No frame comes after this one.
    End,
}

/// Which rows of a batch the network computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rows {
    /// All, as engines do that are compiled for one shape.
    All,
    /// Those of molecules alone.
    Real,
}

/// A molecule, with whom its answer is for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request<'a> {
    /// Names the request. Another one may have the same ticket after the answer.
    pub ticket: u32,
    /// The last tick in which the answer is of use.
    pub deadline: u64,
    /// OGB's nine features of each atom, row by row.
    pub x: &'a [u8],
    /// Sources and targets of edges, numbers of atoms of this molecule.
    #[serde(borrow)]
    pub edge_index: [&'a [u8]; 2],
    /// OGB's three features of each edge, row by row.
    pub edge_attr: &'a [u8],
}

/// What goes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// What the network says of a molecule.
    Logit {
        /// The request's ticket.
        ticket: u32,
        /// Above 0 for yes.
        logit: f32,
    },
    /// A request has no logit.
    Refused {
        /// Its ticket.
        ticket: u32,
        /// Why.
        why: Refusal,
    },
    /// A frame cannot be read.
    Unreadable {
        /// Its number, from 0.
        frame: u32,
        /// Why.
        why: Unreadable,
    },
}

/// Why a request has no logit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No batch holds the molecule.
    #[error("too large: expected at most {} nodes and {} edges, found {nodes} and {edges}", LIMITS[0], LIMITS[1])]
    TooLarge {
        /// Its nodes.
        nodes: usize,
        /// Its edges.
        edges: usize,
    },
    /// It is no molecule, or one that the network does not know.
    #[error("malformed: {0}")]
    Malformed(#[from] CollateError),
    /// A feature has a value that the network does not know.
    #[error("malformed: column {column} of {field} is {found}, expected less than {values}")]
    Feature {
        /// `x` or `edge_attr`.
        field: &'static str,
        /// The feature.
        column: usize,
        /// How many values it can take.
        values: u8,
        /// Its value.
        found: u8,
    },
    /// Its deadline is over.
    #[error("late: the deadline was {deadline}, now it is {now}")]
    Late {
        /// The request's deadline.
        deadline: u64,
        /// The time.
        now: u64,
    },
    /// Another request with this ticket has no answer yet, and keeps the ticket.
    #[error("the ticket is taken")]
    Taken,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The bits, which can be compared; decimal digits would take 8 KiB of flash.
            Self::Logit { ticket, logit } => write!(f, "ticket {ticket}: logit {:08x}", logit.to_bits()),
            Self::Refused { ticket, why } => write!(f, "ticket {ticket}: {why}"),
            Self::Unreadable { frame, why } => write!(f, "frame {frame}: {why}"),
        }
    }
}
