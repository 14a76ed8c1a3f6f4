//! npz files: structures in a few arrays, as NumPy writes them.
//!
//! | array, by any of these names | shape | becomes |
//! |---|---|---|
//! | `z`, `numbers`, `atomic_numbers`, `nuclear_charges`, `species` | see below | `z` |
//! | `pos`, `positions`, `coordinates`, `coords`, `R`, or `pos_milliangstrom` | see below | `pos` |
//! | `num_atoms`, `n_atoms`, `natoms`, or `ptr` | `[S]`, or `[S + 1]` | atoms of each structure |
//! | `energy`, `energies`, `E` | `[S]` or `[S, 1]` | `energy` |
//! | `forces`, `force`, `F` | as positions | `forces` |
//! | `cell`, `cells`, `lattice`; `pbc` | `[S, 3, 3]` or `[S, 9]`; `[S, 3]` | `cell`, `pbc`; without one, all directions repeat where there is a cell |
//! | `mol_id` | `[S]` | what messages call a structure |
//! | any other of numbers | a row per structure or atom | a field of its name; `stress` of 6 becomes 9 |
//!
//! Positions are `[S, N, 3]` with elements `[N]`, or `[S, N]` where 0 fills the rest of a row (MD17, rMD17), or
//! `[A, 3]` with elements `[A]` and the atoms of each structure, one after the other. `r_unit` and `e_unit`, where they
//! are there, are converted to angstrom and eV; without them numbers stay as they are. An array of a name above and
//! another shape is an error. Arrays of other names and shapes, texts, objects of Python and complex numbers are left
//! out and [listed](crate::Records::skipped). A label whose numbers are all NaN is missing. Numbers may be big-endian,
//! and in Fortran's order: such an array is in memory as a whole.
//!
//! - `arrays`: the arrays of a file, row by row; `layout`: which array is what; `records`: the structures.

mod arrays;
mod layout;
mod records;

pub use records::{NpzRecords, records};
