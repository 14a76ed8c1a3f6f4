//! Makes the batches of one epoch ahead of the consumer, and measures them.
//!
//! | file | what is in it |
//! |---|---|
//! | `epoch` | [`Epoch`]: the iterator |
//! | `prefetch` | the worker threads that make batches ahead, in order and in bounded memory; `prefetch/model` tries them in many orders |
//! | `ahead` | a thread that makes what the next epoch begins with |
//! | `report` | where the time went; how full the batches were |

mod ahead;
mod epoch;
mod prefetch;
mod report;

pub(crate) use ahead::Ahead;
pub use epoch::Epoch;
pub use graphpack_core::Efficiency;
pub(crate) use prefetch::Prefetch;
pub use report::{Report, Stats, Verdict};
