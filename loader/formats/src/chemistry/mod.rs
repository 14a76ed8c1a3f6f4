//! Molecules as RDKit 2022.09 reads them, which OGB's features are made from.
//!
//! - [`atom`]: atoms and bonds; [`molecule`]: which of them are neighbours, its rings, and why a text is no molecule;
//!   [`element`]: the periodic table and valences;
//! - [`perception`]: what files leave out, step by step: valences, rings ([`ring_search`], [`ring_paths`]), [`kekule`],
//!   [`aromaticity`], conjugation and hybridization; hydrogen atoms that become numbers;
//! - [`stereo`]: turns and sides that are stereochemistry; [`features`]: OGB's numbers.

mod aromaticity;
mod atom;
pub(crate) mod element;
pub(crate) mod features;
mod kekule;
mod molecule;
pub(crate) mod perception;
mod ring_paths;
mod ring_search;
pub(crate) mod stereo;

pub(crate) use atom::{Atom, Bond, Chirality, Direction, Handedness, Hybridization, Order, Stereo};
pub(crate) use element::common_isotope;
pub use molecule::Refusal;
pub(crate) use molecule::{BondEnd, MOST_ATOMS, MOST_RINGS, Molecule};
pub(crate) use perception::perceive;
