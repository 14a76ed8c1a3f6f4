//! What the tools of the laboratory share: [`Model`], the networks of the batching study, and the [`statistics`] of
//! repeated runs.

mod model;
mod mpeu;
pub mod statistics;

pub use model::{Model, ModelName};
pub use mpeu::Mpeu;
