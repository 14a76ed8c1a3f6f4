//! Molecules as RDKit 2022.09 reads them, which OGB's features are made from.
//!
//! - [`molecule`]: [`atom`]s and [`bond`]s; [`incidence`]: which bonds an atom has; [`element`]: the periodic table;
//! - [`perception`]: what files leave out, step by step: [`cleanup`], [`valence`], [`rings`] ([`ring_search`],
//!   [`ring_paths`], [`ring_choice`], [`ring_walk`]), [`kekule`], [`aromaticity`], [`conjugation`], [`hybridization`];
//! - [`hydrogens`]: hydrogen atoms that become numbers;
//! - [`stereo`]: turns and sides that are stereochemistry, by [`ranks`]; [`ring_stereo`]: those of rings;
//! - [`features`]: OGB's numbers; [`refusal`]: why a text is no molecule.

mod aromaticity;
mod atom;
mod bond;
mod cleanup;
mod conjugation;
mod element;
pub(crate) mod features;
mod hybridization;
pub(crate) mod hydrogens;
mod incidence;
mod kekule;
mod molecule;
mod perception;
mod ranks;
mod refusal;
mod ring_choice;
mod ring_paths;
mod ring_search;
mod ring_stereo;
mod ring_walk;
mod rings;
pub(crate) mod stereo;
pub(crate) mod valence;

pub(crate) use atom::{Atom, Chirality, Handedness, Hybridization};
pub(crate) use bond::{Bond, Direction, Order, Stereo};
pub(crate) use element::common_isotope;
pub(crate) use incidence::BondEnd;
pub(crate) use molecule::{MOST_ATOMS, MOST_RINGS, Molecule};
pub(crate) use perception::perceive;
pub use refusal::Refusal;
