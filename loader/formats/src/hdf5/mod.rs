//! HDF5 files of atoms, in the layouts of MACE, SPICE and ANI, recognised by what they contain.
//!
//! | layout | recognised by | a graph is |
//! |---|---|---|
//! | MACE | `config_batch_B/config_C` with `atomic_numbers`, `positions` | such a group, in numeric order |
//! | SPICE | a group per molecule with `atomic_numbers`, `conformations` | a conformation |
//! | ANI-1x | a group per formula with `atomic_numbers`, `coordinates` | a conformation |
//! | ANI-1 | a group per molecule, at any depth, with `species`, `coordinates` | a conformation |
//!
//! | becomes | MACE | SPICE | ANI-1x | ANI-1 |
//! |---|---|---|---|---|
//! | `energy` | `energy` | `formation_energy` or `dft_total_energy` | `wb97x_dz.energy` | `energies` |
//! | `forces` | `forces` | -`dft_total_gradient` | `wb97x_dz.forces` | |
//! | `stress` | `stress`, of 9 numbers or of 6 in Voigt's order | | | |
//! | lengths in the file | angstrom | bohr | angstrom | angstrom |
//! | energies in the file | eV | hartree | hartree | hartree |
//!
//! `energy` is one of these in all of a file: the first that its first molecule has. A molecule that lacks it lacks the
//! label, and others keep their names, as everything else does that is numeric. An attribute `units` overrides the
//! units above; lengths, energies and forces become angstrom, eV and eV/angstrom. Other units stay as they are. What
//! was converted and what was left out (texts, numbers per pair of atoms, ANI-1's high energies) is said by
//! [`Records::skipped`](crate::Records::skipped). A label whose numbers are all NaN is missing.
//!
//! Groups come in h5py's order: by name, or as they were created where a group keeps that order
//! (`track_order=True`). Links to other paths or files are left out.
//!
//! - `records`: recognises a layout; `mace`: a group per graph; `conformers`: a group per molecule;
//! - `links`: the order in which groups were created; `member`: a data set, its shape and its numbers. Labels are named
//!   and checked as those of other atoms.
//!
//! Read by `hdf5-pure`, data sets by windows of rows, so that a file may be larger than memory. The names of one group
//! are in memory: about 250 bytes for each configuration of a batch, each molecule of a data set.

mod conformers;
mod links;
mod mace;
mod member;
mod records;

pub use records::{Hdf5Records, records};
