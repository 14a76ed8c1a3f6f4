//! XYZ files: structures one after the other, each a number of atoms, a comment and a line per atom. Plain, extended
//! with `Properties` and a comment of keys and values, and the original files of QM9; plain text or compressed.
//!
//! | comment | atoms | becomes |
//! |---|---|---|
//! | `Properties=species:S:1:pos:R:3:forces:R:3 ...` | the columns that it names, in their order | a field per column |
//! | other `key=value` pairs, or any text | `symbol x y z`, further columns are passed over and listed | `z`, `pos` |
//! | `gdb 1`, then 15 numbers (QM9) | `symbol x y z charge` | `z`, `pos`, `charges` |
//!
//! # Columns
//!
//! Found by name, never by place: `species` (or `symbols`) or `Z` (or `numbers`) become `z`, `pos`
//! (or `positions`) becomes `pos`, `force` becomes `forces` and `charge` becomes `charges`, as in
//! ASE. Any other column of numbers (`R`, `I`) or of true and false (`L`) becomes a field of nodes
//! with its name, but `move_mask` becomes `fixed`, true for the atoms that ASE's `FixAtoms` holds.
//! Text (`S`) is passed over and [said so](Records::skipped). A line with more or fewer columns than
//! `Properties` says is an error. Numbers may be Fortran's, `-1.5D+02`, here and in comments.
//!
//! # Comments
//!
//! Keys and values are split as ASE splits them: quotes of both kinds, `{}` and `[]` hold values
//! together, `\` takes the next character as it is. In a comment with `Properties` or `Lattice` a
//! word alone is true. `Lattice` is the cell, its vectors one after the other, in angstrom; with it
//! a structure repeats in all directions unless `pbc` says in which. All else becomes fields of
//! graphs: numbers and lists of numbers (also `_JSON` lists), true and false. `stress` may have nine
//! numbers or six, in Voigt's order, and becomes 3 x 3. So do `virial` and `virials`, which keep
//! their names: files disagree on the sign of a virial, so no stress is computed from it. Text is
//! passed over; `name` is the record's name, as is the whole comment where `Properties` and
//! `Lattice` are missing: of such a comment only numbers after a name and `=` are read, and `pbc`;
//! other text in it is listed as passed over.
//! Units are those of the file: ASE's are eV and angstrom.
//!
//! A label that a structure lacks, or whose numbers are all NaN, is not among its record's fields.
//! The width of a field is the same in all structures of a file, or reading ends with an error.
//!
//! # QM9
//!
//! The files `dsgdb9nsd_000001.xyz` and so on (Ramakrishnan et al. 2014), one by one, concatenated or
//! in a folder, numbers such as `1.2*^-6` included: `charges` are Mulliken's, and the comment's
//! properties get their names and keep their units: `A`, `B`, `C` (GHz), `mu` (debye), `alpha`
//! (bohr^3), `homo`, `lumo`, `gap` (hartree), `r2` (bohr^2), `zpve`, `u0`, `u`, `h`, `g` (hartree),
//! `cv` (cal/(mol K)). The lines of frequencies, SMILES and InChI are passed over and listed.

mod columns;
mod comment;
mod records;

#[cfg(doc)]
use crate::Records;
pub use records::{XyzRecords, records};
