//! [`Algorithm`]: the ways of batching that the study compares. Its batch sizes count the padding graph.

use clap::ValueEnum;
use graphpack_core::{Effort, Packer, Sample, Target};
use graphpack_loader::{Batching, Capacity, LoaderBuilder, Padding};
use std::fmt;

/// Packs that [`Algorithm::Window`] keeps open.
const OPEN: u8 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Algorithm {
    /// jraph: next-fit into one shape
    Dynamic,
    /// a fixed number of graphs, padded to multiples of 64
    #[value(name = "static-64")]
    Static64,
    /// a fixed number of graphs, padded to powers of two
    #[value(name = "static-2^N", alias = "static-2n")]
    StaticPow2,
    /// a fixed number of graphs, padded so that any fit
    StaticConstant,
    /// graphpack: tuple packing into the shape of dynamic
    Packed,
    /// graphpack: best of 32 open packs of the shape of dynamic
    Window,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 6] =
        [Self::Dynamic, Self::Static64, Self::StaticPow2, Self::StaticConstant, Self::Packed, Self::Window];

    /// Sets the batching and the capacity of a loader; `None` if the shape exceeds 32 bits.
    pub(crate) fn apply(self, options: LoaderBuilder, sample: &Sample, batch_size: u32) -> Option<LoaderBuilder> {
        let dynamic = sample.dynamic(batch_size)?;
        // The same nodes and edges; more rows for graphs, so that they do not decide.
        let roomy = Target { graphs: batch_size + batch_size.div_ceil(4) + 1, ..dynamic };
        let (batching, capacity) = match self {
            Self::Dynamic => (Batching::Dynamic, Capacity::Shape(dynamic.into())),
            Self::Static64 => (Batching::Static64, Capacity::Graphs(batch_size - 1)),
            Self::StaticPow2 => (Batching::StaticPow2, Capacity::Graphs(batch_size - 1)),
            Self::StaticConstant => (Batching::StaticConstant, Capacity::Graphs(batch_size - 1)),
            Self::Packed => (Batching::Packed(Packer::Auto(Effort::default())), Capacity::Shape(roomy.into())),
            Self::Window => (Batching::Window { open: OPEN }, Capacity::Shape(roomy.into())),
        };
        Some(options.batching(batching).capacity(capacity).padding(Padding::Jraph))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dynamic => "dynamic",
            Self::Static64 => "static-64",
            Self::StaticPow2 => "static-2^N",
            Self::StaticConstant => "static-constant",
            Self::Packed => "packed",
            Self::Window => "window",
        })
    }
}
