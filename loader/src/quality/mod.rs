//! How good a sample of the data set the batches of a loader are.

// | file | what is in it |
// |---|---|
// | `sample_quality` | `SampleQuality`: all figures, each beside that of random batches |
// | `targets` | the values of a field, in standard deviations |

mod sample_quality;
mod targets;

pub use sample_quality::{ColumnQuality, Compared, SampleQuality};
pub(crate) use targets::{SampleError, Targets};
