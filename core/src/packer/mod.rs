//! The algorithms that turn (histogram, limits) into a plan: [`Packer`] names them, [`Packer::pack`] runs one.
//!
//! Each packer is a file or folder here, with one function `pack`.

mod auto;
pub mod baseline;
mod classes;
mod columns;
mod demand;
mod division;
mod greedy;
mod pack;
mod packer;
mod problem;
mod size_tree;
mod slices;

pub(crate) use pack::fitted_or_demanded;
pub use pack::{PackError, best_fit_by};
pub use packer::{Budget, Packer};
pub(crate) use problem::{Counts, Packs};
