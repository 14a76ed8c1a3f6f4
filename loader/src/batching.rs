//! [`Batching`] and its [`Oversize`] policy: how graphs come together in a batch.

use graphpack_core::Packer;

/// How graphs come together in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Batching {
    /// Packs of a plan, made by this packer from the histogram of sizes.
    Packed(Packer<2>),
    /// Graphs as they come, shuffled as a whole, each into that of `open` packs which it fits best ([`Window`](graphpack_core::stream::Window)).
    /// Nearly as full as a plan, and any graphs may come together.
    Window {
        /// Packs that are open at once, 1 to 128.
        open: u8,
    },
    /// Graphs as they come, shuffled as a whole, into one batch until the next does not fit
    /// ([`NextFit`](graphpack_core::stream::NextFit)): jraph's dynamic batching.
    Dynamic,
    /// A fixed number of graphs of any size, padded to the shape of the limits: for comparison.
    ///
    /// Without limits given, the shape holds that many of the largest graph. A batch that exceeds limits given ends its epoch with an error.
    Static {
        /// Graphs per batch.
        graphs: u32,
    },
}

/// What happens to graphs that exceed the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oversize {
    /// [`build`](crate::LoaderBuilder::build) fails and names the first.
    #[default]
    Error,
    /// They are left out, and [`Loader::skipped`](crate::Loader::skipped) counts them.
    Skip,
}
