//! [`records`]: recognises the layout of a file.

use super::conformers::{Conformers, is_molecule};
use super::mace::{BATCH, Mace};
use super::member::Hdf5File;
use crate::atoms::unit_of;
use crate::{FormatError, Record, Records};
use hdf5_pure::{File, Group};
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
            Layout::Mace(_) => unit_of(field),
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
