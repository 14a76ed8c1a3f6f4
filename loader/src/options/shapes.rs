//! [`Shapes`]: which shapes batches have.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Decides which shapes batches have. Every batch has the [least padding](crate::Schema::least_padding) or more, unless it
/// says `Exact`.
///
/// ```
/// use graphpack_loader::{Loader, Options, Shapes, molecules};
///
/// let options = Options::graphs(8).shapes(Shapes::Few(2));
/// let loader = Loader::new(molecules::generate(7, 1000), options)?;
/// for (shape, batches) in loader.shapes(0)? {
///     println!("{batches} batches of {shape}");
/// }
/// # assert!(loader.shapes(0)?.len() <= 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shapes {
    /// All batches have one shape, with room for what the capacity allows.
    #[default]
    One,
    /// Divides graphs into classes by size, each with a shape of its own, so that few large graphs do not set the shape
    /// of all batches. There are at most this number of shapes, and each saves at least a hundredth of the rows
    /// ([`FewShapes`](graphpack_core::FewShapes)). All shapes are for about the graphs of
    /// [`Capacity::graphs`](crate::Capacity::graphs), at most an eighth more, or for the largest graph of the class;
    /// the largest shape has room for every graph. Only with [`Grouping::Packed`](crate::Grouping::Packed). Takes about
    /// a second for a thousand distinct sizes.
    ///
    /// [`Loader::shapes`](crate::Loader::shapes) says how many batches have which shape. An epoch mixes them; all ranks
    /// have the same shape in a step. Graphs of a batch are alike in size, so that a batch is a worse sample of the
    /// data than one of a single shape: take few shapes where batches have few graphs.
    Few(u8),
    /// Pads each batch by itself: each set to the next multiple of this number of rows (`Multiple(64)` is static-64 of
    /// Speckhard et al.). Batches have room for the most graphs of the capacity, if it says how many, so that their
    /// number does not make shapes differ.
    Multiple(u32),
    /// Pads each batch by itself: each set to the next power of two rows (static-2^N of Speckhard et al.). Numbers of
    /// graphs are as with [`Multiple`](Self::Multiple).
    PowerOfTwo,
    /// Batches have the rows of their graphs and no padding, as PyTorch Geometric has them, also where a map leaves out
    /// rows or a graph could not be loaded. Those with [neighbours](crate::Data::neighbours), whose entries point to
    /// padding, and with [`equal_shapes`](crate::Options::equal_shapes) have the padding that each batch needs.
    Exact,
}

impl Shapes {
    /// Whether rows are rounded up to other numbers.
    pub(crate) fn is_rounded(self) -> bool {
        matches!(self, Self::Multiple(_) | Self::PowerOfTwo)
    }
}

/// Writes the option as errors name it: `one`, `multiple(64)`.
impl fmt::Display for Shapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => f.write_str("one"),
            Self::Few(shapes) => write!(f, "few({shapes})"),
            Self::Multiple(rows) => write!(f, "multiple({rows})"),
            Self::PowerOfTwo => f.write_str("power_of_two"),
            Self::Exact => f.write_str("exact"),
        }
    }
}
