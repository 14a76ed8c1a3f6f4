//! The promises of graphpack, a file each; docs/guarantees.md has them in words. A new option or packer goes into the
//! tests here that it could break: each has a list, or a strategy of proptest, of what it is tried with.

mod auto_traits;
mod bad_input;
mod equal_shards;
mod every_graph_once;
mod exact_resume;
mod failures;
mod fixed_shapes;
mod same_seed;
mod unchanged;
