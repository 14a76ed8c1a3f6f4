//! Comparing the parts of a partition with the graph that they were cut from, without having either in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `verify` | [`Verify`]: what is compared, and with which parts at a time |
//! | `columns` | features and original ids of parts, row by row; the error for what differs |
//! | `places` | where in the parts nodes and edges are |
//! | `loaded` | [`Loaded`](loaded::Loaded): nodes, HALO and edges of a part, compared edge by edge |
//!
//! Original ids say which row of a part a node or an edge is. Without them, both keep their original order within a
//! part and a type, as in parts of this package: then, and where ids say the same, all files are read from start to
//! end.

mod columns;
mod loaded;
mod places;
mod verify;

pub use verify::{Verified, Verify};
