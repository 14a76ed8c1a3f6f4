//! Checks, each of which fails with what it found. [`test`](mod@crate::test) runs those that CI runs.
//!
//! - [`circles`]: files that import each other, found by [`imports`]; [`text`]: maps, prose and README;
//! - [`adapters`], [`python`], [`firmware`] with its [`footprint`]: packages that are workspaces of their own;
//! - [`i686`]: core's tests on 32 bits;
//! - [`dependencies`] of the loader; [`outside`]: a crate of a user's own, by the guide;
//! - [`fuzz`], [`model`], [`sanitize`]: readers and threads under tools that look for what tests miss;
//! - [`mpi`]: several ranks, with [`dispatch`] and [`parts`] for large graphs, which [`dgl`] opens.

pub(crate) mod adapters;
pub(crate) mod circles;
pub(crate) mod dependencies;
pub(crate) mod dgl;
mod dispatch;
pub(crate) mod firmware;
mod footprint;
pub(crate) mod fuzz;
pub(crate) mod i686;
mod imports;
pub(crate) mod model;
pub(crate) mod mpi;
pub(crate) mod outside;
mod parts;
pub(crate) mod python;
pub(crate) mod sanitize;
pub(crate) mod text;
