//! Checks, each of which fails with what it found.
//!
//! - [`test`]: all that CI runs;
//! - [`adapters`], [`firmware`]: packages that are workspaces of their own; [`footprint`]: flash and RAM of the firmware;
//! - [`bundle`]: the GPU benchmark as one folder;
//! - [`fuzz`], [`model`], [`sanitize`]: readers and threads under tools that look for what tests miss;
//! - [`mpi`]: several ranks, with [`dispatch`] for large graphs.

pub(crate) mod adapters;
pub(crate) mod bundle;
mod dispatch;
pub(crate) mod firmware;
mod footprint;
pub(crate) mod fuzz;
pub(crate) mod model;
pub(crate) mod mpi;
pub(crate) mod sanitize;
pub(crate) mod test;
