//! HDF5 files of atoms, in the layouts of MACE, SPICE and ANI, recognised by what they contain.
//!
//! | layout | recognised by | a graph is |
//! |---|---|---|
//! | MACE | `config_batch_B/config_C` with `atomic_numbers`, `positions` | such a group, in numeric order |
//! | SPICE | a group per molecule with `atomic_numbers`, `conformations` | a conformation |
//! | ANI-1x | a group per formula with `atomic_numbers`, `coordinates` | a conformation |
//! | ANI-1 | a group per molecule, at any depth, with `species`, `coordinates` | a conformation |
//! | others like these | the same with other usual names of elements and positions, as `numbers` and `positions` | a conformation |
//!
//! | becomes | MACE | SPICE | ANI-1x | ANI-1 |
//! |---|---|---|---|---|
//! | `energy` | `energy` | `formation_energy` or `dft_total_energy` | `wb97x_dz.energy` | `energies` |
//! | `forces` | `forces` | -`dft_total_gradient` | `wb97x_dz.forces` | `forces`, `force` |
//! | `stress` | `stress`, of 9 numbers or of 6 in Voigt's order | | | |
//! | `cell`, `pbc` | of a structure | of each conformation | of each conformation | of each conformation |
//! | lengths in the file | angstrom | bohr | angstrom | angstrom |
//! | energies in the file | eV | hartree | hartree | hartree |
//!
//! Other usual names of energies and forces, `E` and `F` among them, are read as these, in the same units.
//!
//! `energy` is one of these in all of a file: the first that its first molecule has. A molecule that lacks it lacks the
//! label, and others keep their names, as everything else does that is numeric. An attribute `units` overrides the
//! units above, of which others than these programs' files have none; lengths, energies, forces and stresses become
//! angstrom, eV, eV/angstrom and eV/angstrom^3. Other units stay as they are. What was converted and what was left out
//! (texts, numbers per pair of atoms, ANI-1's high energies) is said by [`Records::skipped`]. A label whose numbers are
//! all NaN is missing.
//!
//! Groups come in h5py's order: by name, or as they were created where a group keeps that order
//! (`track_order=True`). Links to other paths or files and attributes of groups are left out and listed.
//!
//! - `mace`: a group per graph; `conformers`: a group per molecule;
//! - `member`: a group, and a data set with its shape and its numbers; `links`: the order in which groups were created.
//!   Labels are named and checked as those of other atoms.
//!
//! Read by `hdf5-pure`, data sets by windows of rows, so that a file may be larger than memory. The names of one group
//! are in memory: about 250 bytes for each configuration of a batch, each molecule of a data set.

mod conformers;
mod links;
mod mace;
mod member;

use crate::atoms::SeenFields;
use crate::common::Records;
use crate::gather::Fields;
use conformers::{Conformers, is_molecule};
use graphpack_loader::Error;
use mace::{BATCH, Mace};
use member::{Hdf5File, Node};
use std::path::Path;

/// The structures of a file in one of the layouts of [this module](crate::hdf5).
pub fn records(path: impl AsRef<Path>) -> Result<Box<dyn Records>, Error> {
    open(path.as_ref(), &Fields::default())
}

/// Opens what [`records`] opens, for a choice of fields: one that is selected and cannot be read is an error.
pub(crate) fn open(path: &Path, of: &Fields) -> Result<Box<dyn Records>, Error> {
    let (file, root) = Hdf5File::open(path)?;
    // What is left out is listed when it is reached.
    let mut fields = SeenFields::default();
    let is_mace = file.groups(&root, &mut fields)?.first().is_some_and(|first| first.name().starts_with(BATCH));
    if is_mace {
        return Ok(Box::new(Mace::new(file, &root, SeenFields::of(of))?));
    }
    expect_molecule(&file, &root, &mut fields)?;
    Ok(Box::new(Conformers::new(file, root, SeenFields::of(of))))
}

/// Checks that the first group without groups is a molecule.
fn expect_molecule(file: &Hdf5File, root: &Node, fields: &mut SeenFields) -> Result<(), Error> {
    let mut inner: Option<Node> = None;
    for _ in 0..16 {
        let group = inner.as_ref().unwrap_or(root);
        let members = file.members(group, fields)?;
        if is_molecule(&members) {
            return Ok(());
        }
        let Some(next) = file.groups(group, fields)?.into_iter().next() else {
            let found: Vec<_> = members.iter().map(|member| format!("{} {:?}", member.name, member.shape)).collect();
            let found = if found.is_empty() { "nothing".into() } else { found.join(", ") };
            let at = if group.path.is_empty() { "/" } else { &group.path };
            let expected = "config_batch_B/config_C (MACE), groups with atomic_numbers and conformations (SPICE), \
                atomic_numbers and coordinates (ANI-1x), species and coordinates (ANI-1)";
            return Err(file.wrong(at, expected, found));
        };
        inner = Some(next);
    }
    Err(file.wrong(inner.map_or_else(String::new, |group| group.path), "at most 16 groups in each other", "more"))
}
