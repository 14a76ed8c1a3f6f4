//! [`Algorithm`]: the ways of batching that the study compares. Its batch sizes count the padding graph.

use clap::ValueEnum;
use graphpack_core::{Budget, Packer, Sample, Shape};
use graphpack_loader::{Capacity, Estimate, Grouping, Options, Padding, Shapes};
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
    #[value(name = "static-2^N")]
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

    /// Sets grouping, capacity and shapes of a loader; `None` if the shape exceeds 32 bits.
    pub(crate) fn apply(self, options: Options, sample: &Sample, batch_size: u32) -> Option<Options> {
        let dynamic = sample.dynamic(batch_size)?;
        // The same nodes and edges; more rows for graphs, so that they do not decide.
        let roomy = Shape { graphs: batch_size + batch_size.div_ceil(4) + 1, ..dynamic };
        let options = options.padding(Padding::Jraph).grouping(Grouping::InOrder);
        let fixed = options.clone().capacity(Capacity::exactly(batch_size - 1));
        let roomy = options.clone().capacity(Capacity::shape(roomy.into()));
        Some(match self {
            Self::Dynamic => options.capacity(Capacity::shape(dynamic.into())),
            Self::Static64 => fixed.shapes(Shapes::Multiple(64)),
            Self::StaticPow2 => fixed.shapes(Shapes::PowerOfTwo),
            Self::StaticConstant => options.capacity(Capacity::estimate(Estimate::Constant, batch_size)),
            Self::Packed => roomy.grouping(Packer::Auto(Budget::default())),
            Self::Window => roomy.grouping(Grouping::Window(OPEN)),
        })
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
