//! Makes the batches of one epoch ahead of the consumer, and measures them.
//!
//! | file | what is in it |
//! |---|---|
//! | `epoch` | [`Epoch`]: the iterator |
//! | `prefetch`, `sync` | the worker threads that make batches ahead, in order and in bounded memory |
//! | `stats`, `report`, `efficiency` | where the time went; how full the batches were |

mod efficiency;
mod epoch;
mod prefetch;
mod report;
mod stats;
mod sync;

pub use efficiency::Efficiency;
pub use epoch::Epoch;
pub(crate) use prefetch::Prefetch;
pub use report::Report;
pub use stats::{Stats, Verdict};
