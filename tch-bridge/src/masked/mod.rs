//! Operations for models into which padding must not leak.
//!
//! | file | what it has |
//! |---|---|
//! | `losses` | [`mse`], [`l1`], [`bce_with_logits`] over the labelled targets of real rows; [`masked_mean`] |
//! | `segments` | [`Segments`]: sums, means, maxima and softmax over groups of rows; [`sum_pool`] and [`mean_pool`] over graphs; [`cumulative_lengths`] |
//! | `dense` | [`Dense`]: the rows of each graph side by side, and back |
//! | `rows` | what all of them ask of indices, masks and values |
//! | `batch_norm` | [`MaskedBatchNorm`]: statistics of real rows alone |

mod batch_norm;
mod dense;
mod losses;
mod rows;
mod segments;

pub use batch_norm::MaskedBatchNorm;
pub use dense::Dense;
pub use losses::{RowMask, bce_with_logits, l1, labelled, masked_mean, mse};
pub use segments::{Segments, cumulative_lengths, mean_pool, sum_pool};
