//! Comparing the parts of a partition with the graph that they were cut from, without having either in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `verify` | [`Verify`]: what is compared, and with which parts at a time |
//! | `columns` | features and original ids of parts, row by row; the part of each node; the error for what differs |
//! | `loaded` | [`Loaded`](loaded::Loaded): nodes, HALO and edges of a part, compared edge by edge |
//!
//! Within a part and a type, nodes and edges keep their original order. So what the next row of each part must be
//! follows from the owner alone, and all files are read from start to end.

mod columns;
mod loaded;
mod verify;

pub use verify::{Verified, Verify};
