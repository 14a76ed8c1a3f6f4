//! [`Oversize`]: what happens to graphs that exceed the limits.

use serde::{Deserialize, Serialize};

/// Decides what happens to graphs that exceed the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Oversize {
    /// [`build`](crate::LoaderBuilder::build) fails and names the first such graph.
    #[default]
    Error,
    /// These graphs are left out; [`Loader::skipped`](crate::Loader::skipped) counts them.
    Skip,
    /// Each such graph is a batch of its own. These batches share a second shape, large enough for every such graph;
    /// [`Loader::alone`](crate::Loader::alone) counts them.
    Alone,
}
