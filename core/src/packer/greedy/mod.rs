//! Greedy packers: sizes in descending order of a heuristic, each graph into an open pack that has room for it.
//!
//! `best_fit` and `first_fit` keep their open packs in `open_packs`, which finds the fullest or the emptiest with room
//! through `fit_index`. `published` follows the paper's listing instead. `contents` holds what is in the open packs of
//! all three.

pub(crate) mod best_fit;
mod contents;
pub(crate) mod first_fit;
mod fit_index;
mod open_packs;
pub(crate) mod published;
