//! Greedy packers: sizes in descending order of a heuristic, each graph into an open pack that has room for it.
//!
//! `best_fit` and `first_fit` keep groups of equal packs in `open_packs`. Its `fit_index` finds the fullest or the
//! emptiest that has room, in the order of the heuristic applied to their room. `published` follows the paper's listing
//! instead.

pub(crate) mod best_fit;
pub(crate) mod first_fit;
mod fit_index;
mod open_packs;
pub(crate) mod published;
