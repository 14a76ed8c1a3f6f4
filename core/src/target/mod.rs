//! The shapes that batches are padded to: [`Target`], where it comes from, and the [`LeastPadding`] in it.
//!
//! | from | gives | as in |
//! |---|---|---|
//! | the batch itself, by [`Rounding`] | a few shapes | Speckhard et al., static-64 and static-2^N |
//! | sums and maxima of a data set, by [`Sample`] | one shape | Speckhard et al., jraph, TF-GNN |
//! | many random batches, by [`Target::percentile`] | one shape that most batches fit into | TF-GNN |

mod padding;
mod percentile;
mod rounding;
mod sample;
#[expect(clippy::module_inception, reason = "the file has the name of the type in it")]
mod target;

pub use padding::LeastPadding;
pub use rounding::Rounding;
pub use sample::Sample;
pub use target::Target;
