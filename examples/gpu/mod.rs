//! What `gpu_bench` measures, and what it checks first.

pub(crate) mod checks;
pub(crate) mod measure;
mod outcome;
pub(crate) mod prepare;
pub(crate) mod table;
pub(crate) mod task;

pub(crate) use outcome::{Outcome, brief, caught};
