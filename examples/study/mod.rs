//! The parts of the batching study: data, algorithms, what batches look like, training, prediction, results, figures.

pub(crate) mod algorithm;
pub(crate) mod data;
pub(crate) mod figures;
pub(crate) mod prediction;
pub(crate) mod results;
pub(crate) mod statistics;
pub(crate) mod timing;
pub(crate) mod training;

pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
