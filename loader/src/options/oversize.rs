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
    /// [`Loader::alone`](crate::Loader::alone) counts them. With
    /// [`equal_shapes`](crate::LoaderBuilder::equal_shapes), a step in which some ranks have one has a third shape, of
    /// the more rows and graphs of both.
    Alone,
    /// Each such graph loses random rows, other rows in every epoch, until each set is within its limit: first of the
    /// first set, with all that refers to them, then of the next. poptorch_geometric's `OverSizeStrategy.TrimNodesAndEdges`.
    /// [`Loader::trimmed`](crate::Loader::trimmed) counts these graphs.
    Trim,
}
