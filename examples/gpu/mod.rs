//! What `gpu_bench` measures, and what it checks first.

pub(crate) mod checks;
pub(crate) mod measure;
pub(crate) mod prepare;
pub(crate) mod table;
pub(crate) mod task;

/// Of everything here.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
