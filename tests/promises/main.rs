//! The promises of graphpack, a file each; docs/guarantees.md has them in words. A new way of batching is tried here
//! when it is in `tests/common/src/batchings.rs`; a new option goes into the strategies of the promises that it could
//! break.

mod auto_traits;
mod bad_input;
mod equal_cost;
mod equal_shards;
mod every_graph_once;
mod exact_resume;
mod failures;
mod fixed_batches;
mod fixed_shapes;
mod good_sample;
mod same_seed;
mod unchanged;
