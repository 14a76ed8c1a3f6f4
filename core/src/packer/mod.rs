//! The algorithms that turn (histogram, limits) into a plan: [`Packer`] names them, [`Packer::pack`] runs one.
//!
//! | packer | for | from |
//! |---|---|---|
//! | [`Auto`](Packer::Auto) | when in doubt: the best of best-fit, demand and columns, improved | |
//! | [`BestFit`](Packer::BestFit) | any data set; mostly better than `FirstFit` | paper, section 2.4, with a true best fit |
//! | [`FirstFit`](Packer::FirstFit) | packs that are filled more evenly | paper, section 2.4, last paragraph but one |
//! | [`Demand`](Packer::Demand) | limits that bind in several components; close to the bound nearly everywhere | ours |
//! | [`Columns`](Packer::Columns) | few sizes with large counts, small limits | Gilmore and Gomory 1961 |
//! | [`Window`](Packer::Window) | how full a stream of graphs is packed | ours, [`stream::Window`](crate::stream::Window) |
//! | [`Published`](Packer::Published) | comparing with the paper's figures | paper, listing 2, to the letter |
//!
//! [`best_fit_by`] ranks sizes by a function of yours; [`baseline`] has what the paper compares packing with. The work
//! of all packers but `Window` depends on the number of distinct sizes and hardly on the number of graphs: they place
//! many graphs of a size at once, or repeat whole packs.
//!
//! Each packer is a file or folder here, with one function `pack`. A new one also becomes a variant of [`Packer`]
//! (`packer.rs`), an arm of [`Packer::pack`] (`pack.rs`), and an entry of the list in `tests/laws.rs`, which checks the
//! laws that every packer keeps.

mod auto;
pub mod baseline;
mod classes;
mod columns;
mod demand;
mod greedy;
mod pack;
mod packer;
mod parts;
mod problem;
mod size_tree;
mod window;

pub(crate) use pack::fitted_or_demanded;
pub use pack::{PackError, best_fit_by};
pub use packer::{Budget, Packer};
pub(crate) use problem::{Counts, Packs};
