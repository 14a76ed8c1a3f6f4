//! [`Oversize`]: what happens to graphs that exceed the limits.

use serde::{Deserialize, Serialize};

/// What happens to graphs that exceed the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Oversize {
    /// [`build`](crate::LoaderBuilder::build) fails and names the first.
    #[default]
    Error,
    /// They are left out, and [`Loader::skipped`](crate::Loader::skipped) counts them.
    Skip,
    /// Each is a batch of its own, of a second shape that all of them fit into; [`Loader::alone`](crate::Loader::alone) counts them.
    Alone,
}
