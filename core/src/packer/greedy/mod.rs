//! Greedy packers: sizes in descending order of a heuristic, each graph into an open pack that has room for it.
//!
//! `best_fit` and `first_fit` keep groups of equal packs (`group`) in `open_packs`. Its `fit_index` finds the fullest
//! or the emptiest that has room; it holds groups in the order of the heuristic applied to their room, in a tree of
//! three levels (`run`) with bounds of that room (`maxima`), so that a search skips what has none. `published` follows
//! the paper's listing instead. `contents` is what the open packs of all three hold.

pub(crate) mod best_fit;
mod contents;
pub(crate) mod first_fit;
mod fit_index;
mod group;
mod maxima;
mod open_packs;
pub(crate) mod published;
mod run;
