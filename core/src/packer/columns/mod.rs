//! The columns packer: the configuration program of Gilmore and Gomory, rounded.
//!
//! Nearly exact where few sizes have large counts: on the PCQM4Mv2 histogram greedy packers need 3 to 4 % more packs.
//! The program says how often to use each pack, in fractions. These are rounded down, and the few graphs left over are
//! packed by the demand packer or best-fit, whichever needs fewer packs.
//!
//! Where the grid of all limits is too large for the knapsack, the program is solved for the one component that gives
//! the best bound, and its packs are filled with sizes that have this component. Packs that exceed another limit are
//! dropped; their graphs are packed with those left over.
//!
//! `program` is the configuration program, of which a `column` is one pack; `master` is its linear program over the
//! columns found so far, `knapsack` finds the next column. `pack` solves and rounds it, `lift` fills packs of one
//! component.

mod column;
mod knapsack;
mod lift;
mod master;
mod pack;
mod program;

pub(crate) use pack::pack;
