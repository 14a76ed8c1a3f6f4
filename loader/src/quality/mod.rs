//! How good a sample of the data set the batches of a loader are.
//!
//! | file | what is in it |
//! |---|---|
//! | `sample_quality` | [`SampleQuality`]: all figures, each beside that of random batches |
//! | `targets` | the values of a field, in standard deviations; which graphs have shared a batch |

mod sample_quality;
mod targets;

pub use sample_quality::{ColumnQuality, SampleQuality};
pub use targets::Compared;
use targets::Meetings;
pub(crate) use targets::{SampleError, Targets};
