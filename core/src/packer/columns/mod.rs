//! The columns packer: the configuration program of Gilmore and Gomory, rounded.
//!
//! The program says how often to use each pack, in fractions. `program` solves it; one pack of it is a `column`,
//! `master` is the linear program over the columns found so far, whose basis `factors` keeps as sparse triangular
//! matrices, and `pricing` finds the next ones: by a `grid` over the
//! limits where packs hold many graphs, by branch and bound (`search`, with bounds from a `table` per component) where
//! they hold few. `round` makes whole packs of the fractions.
//!
//! Where the program is too large, it is solved for the one component that gives the best bound, and `lift` fills its
//! packs with sizes that have this component. `pack` does all of that in turn.
//!
//! On the PCQM4Mv2 histogram, few sizes with large counts, greedy packers need 3 to 4 % more packs. Memory: at most 32
//! MB for the linear program and 24 MB for a grid.

mod column;
mod factors;
mod grid;
mod lift;
mod master;
mod pack;
mod pricing;
mod program;
mod round;
mod search;
mod table;

pub(crate) use pack::{Progress, pack};
