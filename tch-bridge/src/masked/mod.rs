//! Operations for models into which padding must not leak.
//!
//! | file | what it has |
//! |---|---|
//! | `pooling` | [`sum_pool`], [`mean_pool`]: from rows of nodes to rows of graphs |
//! | `losses` | [`mse`], [`l1`], [`bce_with_logits`] over the labelled targets of real rows; [`masked_mean`] |
//! | `segments` | [`Segments`]: sums, means, maxima and softmax over groups of rows |
//! | `dense` | [`Dense`]: the rows of each graph side by side, and back |
//! | `lengths` | [`cumulative_lengths`] for attention over sequences of different lengths |
//! | `rows` | what all of them ask of indices, masks and values |
//! | `batch_norm` | [`MaskedBatchNorm`]: statistics of real rows alone |

mod batch_norm;
mod dense;
mod lengths;
mod losses;
mod pooling;
mod rows;
mod segments;

pub use batch_norm::MaskedBatchNorm;
pub use dense::Dense;
pub use lengths::cumulative_lengths;
pub use losses::{RowMask, bce_with_logits, l1, labelled, masked_mean, mse};
pub use pooling::{mean_pool, sum_pool};
pub use segments::Segments;
