//! Options of a loader: how graphs come together in batches, which ones and in what order. A new option gets a file
//! here, and is tried in the promises that it could break; a new packer is tested in `core/tests/`.

mod algorithms;
mod blocks;
mod collation;
mod combinations;
mod each_epoch;
mod few_shapes;
mod keeping;
mod maps;
mod neighbours;
mod oversize;
mod padding_counts;
mod saved_plans;
mod sorted;
mod stats;
mod weights;
