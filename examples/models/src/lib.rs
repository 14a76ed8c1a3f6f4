//! Networks that several examples and tests train; each takes a [`TensorBatch`](graphpack_tch::TensorBatch).
//!
//! [`Gine`] predicts a property of a molecule from its bonds. [`Schnet`], [`Mpeu`] and [`Painn`] predict an energy from
//! the positions of atoms; [`Model`] is one of these three, chosen by its [`ModelName`].

mod gine;
mod layers;
mod model;
mod mpeu;
mod painn;
mod schnet;

pub use gine::{ATOM, BOND, Gine};
pub use model::{Model, ModelName};
pub use mpeu::Mpeu;
pub use painn::Painn;
pub use schnet::Schnet;
