//! Networks that several examples and tests train; each takes a [`TensorBatch`](graphpack_tch::TensorBatch).
//! [`DataArgs`] are the options by which examples read data sets.
//!
//! [`Gine`] predicts a property of a graph. [`Schnet`] and [`Painn`] predict an energy from the positions of atoms.
//! [`Potential`] predicts forces and stresses, too, of [`alloys`] for example. [`Directional`] sends messages
//! along triplets of atoms, [`Typed`] between the two molecules of generated [`complexes`]. [`Task`] trains [`Gine`] or
//! [`Schnet`] on any device.

mod alloys;
mod complexes;
mod data_args;
mod directional;
mod energies;
mod gine;
pub mod layers;
mod painn;
mod potential;
mod schnet;
mod task;
mod train_epoch;
mod typed;

pub use alloys::alloys;
pub use complexes::{FEATURES, complexes};
pub use data_args::{DataArgs, targets, with_target};
pub use directional::Directional;
pub use energies::{elements, with_energies};
pub use gine::{Features, Gine};
pub use painn::{Painn, vectors};
pub use potential::{Labels, Losses, Potential, Scale};
pub use schnet::Schnet;
pub use task::{Moved, Task, Training, narrow};
pub use train_epoch::train_epoch;
pub use typed::Typed;

/// The version of the networks: raised with every change to what they compute or to what a step of them takes.
pub const VERSION: u32 = 3;
