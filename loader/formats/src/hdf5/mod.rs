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
//! [`Records::skipped`]. A label whose numbers are all NaN is missing.
//!
//! Groups come in h5py's order: by name, or as they were created where a group keeps that order
//! (`track_order=True`). Links to other paths or files are left out.
//!
//! - `mace`: a group per graph; `conformers`: a group per molecule;
//! - `links`: the order in which groups were created; `member`: a data set, its shape and its numbers. Labels are named
//!   and checked as those of other atoms.
//!
//! Read by `hdf5-pure`, data sets by windows of rows, so that a file may be larger than memory. The names of one group
//! are in memory: about 250 bytes for each configuration of a batch, each molecule of a data set.

mod conformers;
mod links;
mod mace;
mod member;

use crate::{FormatError, Record, Records};
use conformers::{Conformers, is_molecule};
use hdf5_pure::{File, Group};
use mace::{BATCH, Mace};
use member::Hdf5File;
use std::path::Path;

/// The structures of an HDF5 file.
pub struct Hdf5Records(Layout);

enum Layout {
    Mace(Box<Mace>),
    Conformers(Box<Conformers>),
}

/// Opens a file in one of the layouts of [this module](crate::hdf5).
pub fn records(path: impl AsRef<Path>) -> Result<Hdf5Records, FormatError> {
    let file = Hdf5File::new(path.as_ref())?;
    let opened = File::open_streaming(path.as_ref()).map_err(|error| file.unreadable("", error))?;
    let (length, needed) = (file.length(), opened.superblock().eof_address);
    if length < needed {
        return Err(file.wrong("", format!("{needed} bytes"), format!("{length} bytes, of a file that was cut")));
    }
    let root = opened.root();
    let first = file.groups("", &root)?.into_iter().next();
    Ok(Hdf5Records(match first {
        Some((name, _)) if name.starts_with(BATCH) => Layout::Mace(Box::new(Mace::new(file, &root)?)),
        _ => {
            expect_molecule(&file, &root)?;
            Layout::Conformers(Box::new(Conformers::new(file, root, opened.superblock())))
        }
    }))
}

/// Checks that the first group without groups is a molecule.
fn expect_molecule(file: &Hdf5File, root: &Group) -> Result<(), FormatError> {
    let (mut path, mut group) = (String::new(), root.clone());
    for _ in 0..16 {
        let members = file.members(&path, &group)?;
        if is_molecule(&members) {
            return Ok(());
        }
        let inner = file.groups(&path, &group)?.into_iter().next();
        match inner {
            Some((name, inner)) => (path, group) = (format!("{path}/{name}"), inner),
            None => {
                let found: Vec<_> =
                    members.iter().map(|member| format!("{} {:?}", member.name, member.shape)).collect();
                let found = if found.is_empty() { "nothing".into() } else { found.join(", ") };
                let at = if path.is_empty() { "/" } else { &path };
                let expected = "config_batch_B/config_C (MACE), groups with atomic_numbers and conformations (SPICE), \
                    atomic_numbers and coordinates (ANI-1x), species and coordinates (ANI-1)";
                return Err(file.wrong(at, expected, found));
            }
        }
    }
    Err(file.wrong(path, "at most 16 groups in each other", "more"))
}

impl Records for Hdf5Records {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        match &mut self.0 {
            Layout::Mace(mace) => mace.next(record),
            Layout::Conformers(conformers) => conformers.next(record),
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        match &self.0 {
            Layout::Mace(mace) => mace.progress(),
            Layout::Conformers(conformers) => conformers.progress(),
        }
    }

    fn unit(&self, field: &str) -> Option<&str> {
        match &self.0 {
            Layout::Mace(mace) => mace.unit(field),
            Layout::Conformers(conformers) => conformers.unit(field),
        }
    }

    fn select(&mut self, names: &[String]) {
        match &mut self.0 {
            Layout::Mace(mace) => mace.select(names),
            Layout::Conformers(conformers) => conformers.select(names),
        }
    }

    fn skipped(&self) -> &[String] {
        match &self.0 {
            Layout::Mace(mace) => mace.notes(),
            Layout::Conformers(conformers) => conformers.notes(),
        }
    }

    fn goes_on(&self) -> bool {
        match &self.0 {
            Layout::Mace(mace) => mace.goes_on(),
            Layout::Conformers(conformers) => conformers.goes_on(),
        }
    }
}
