//! How good a sample of the data set the batches of a loader are.
//!
//! | file | what is in it |
//! |---|---|
//! | `sample_quality` | [`SampleQuality`]: all figures |
//! | `compared` | [`Compared`]: one figure, beside that of random batches |
//! | `sums` | [`Sums`]: how far batches are from the data set, in a target and in rows per graph |
//! | `targets` | [`Targets`]: the values of a field, in standard deviations |
//! | `meetings` | [`Meetings`]: which graphs have shared a batch |

mod compared;
mod meetings;
mod sample_quality;
mod sums;
mod targets;

pub use compared::Compared;
use meetings::Meetings;
pub use sample_quality::{ColumnQuality, SampleQuality};
use sums::Sums;
pub(crate) use targets::{SampleError, Targets};
