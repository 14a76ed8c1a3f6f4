//! ASE's LMDB databases (`.aselmdb`), as fairchem's data sets OMat24 and OMol25 have them.
//!
//! Rows are JSON, compressed with zlib, under the keys `1`, `2` and so on; [`records`] reads those up to `nextid`
//! that are not in `deleted_ids`, in their order.
//!
//! | of a row | becomes |
//! |---|---|
//! | `numbers`, `positions` | `z`, `pos` |
//! | `cell`, `pbc` | fields of graphs, zeros and false where a row has none |
//! | `energy`, `free_energy`, `magmom`, `dipole` | fields of graphs |
//! | `stress`, six numbers in Voigt's order or nine | `stress`, 3 x 3 |
//! | `forces`, `momenta`, `magmoms`, `charges`, `tags`, `masses`, `initial_...` | fields of nodes |
//! | `FixAtoms` among the constraints | `fixed`, bool, a field of nodes: true for atoms that are held |
//! | numbers among the key-value pairs and in `data` | fields with their names: one number, or an array |
//!
//! Key-value pairs and `data` keep their own names. Of entries of one name the calculator's is read, then the one among
//! the key-value pairs, then the one in `data`; the others are listed.
//!
//! An array of `data` whose first dimension is the number of atoms in all of 100 rows all over the (first) file is one
//! of nodes, any other is one of graphs. Where that cannot be told, since all structures have the same few atoms and
//! the array is not a row of three numbers for each, the array is passed over unless it is renamed to a known name,
//! `node_NAME` or `graph_NAME`, as are text and nested objects, and arrays whose width differs from the first row's:
//! [`Records::skipped`] says so. A label that a row lacks, or whose numbers are all NaN, is not among its record's
//! fields. Of constraints, `FixAtoms` becomes `fixed`; others are passed over.
//!
//! Positions, cells and the calculator's results are in ASE's units: angstrom, eV, eV/angstrom, eV/angstrom^3. Where
//! the metadata of a file state others, as SchNetPack's `_distance_unit` (of positions and cells) and
//! `_property_unit_dict`, or ASE's `key_descriptions` (of key-value pairs and `data`), lengths, energies, forces and
//! stresses are converted to these, and other units are those of the fields. What else metadata say is listed.
//!
//! A file is read by position and never mapped, nor is a lock file written beside it: a file that ends too early, was
//! damaged or is truncated while it is read ends in an error that names the file and the page or the row. A file
//! must not be written to while it is read: rows may then be missing, or pages no longer what they should be.

mod lmdb;

use crate::FormatError;
use crate::atoms::row::{Database, Numbered, Rows};
use crate::atoms::{Place, SeenFields, Survey, Value, json};
use crate::common::{Records, Values};
use crate::gather::Fields;
use flate2::{Decompress, FlushDecompress, Status};
use graphpack_loader::Error;
use lmdb::Lmdb;
use std::collections::HashSet;
use std::path::Path;

/// The most bytes of a row.
const ROW: usize = 1 << 28;
/// How many rows are looked at before the first is read.
const SURVEY: u64 = 100;

/// The structures of a database, or of all `.aselmdb` files of a folder, in the order of their names.
pub fn records(path: impl AsRef<Path>) -> Result<Box<dyn Records>, Error> {
    open(path.as_ref(), &Fields::default())
}

/// Opens what [`records`] opens, for a choice of fields: one that is selected and cannot be read is an error.
pub(crate) fn open(path: &Path, fields: &Fields) -> Result<Box<dyn Records>, Error> {
    Ok(Box::new(Rows::<Shard>::open(path, ".aselmdb", fields)?))
}

/// One file.
struct Shard {
    lmdb: Lmdb,
    bytes: u64,
    /// The row read last; rows are from 1 up to `end`, without those that were deleted.
    id: u64,
    end: u64,
    deleted: HashSet<u64>,
    inflate: Decompress,
    value: Vec<u8>,
    text: Vec<u8>,
}

impl Database for Shard {
    fn open(path: &Path, _fields: &mut SeenFields) -> Result<Self, Error> {
        let lmdb = Lmdb::open(path)?;
        let mut shard = Self {
            bytes: lmdb.bytes(),
            lmdb,
            id: 0,
            end: 1,
            deleted: HashSet::new(),
            inflate: Decompress::new(true),
            value: vec![],
            text: vec![],
        };
        let wrong =
            |key: &str, expected: &str, found: &str| FormatError::wrong(path, format!("key {key}"), expected, found);
        shard.expect_no_pickles()?;
        match shard.get("nextid")? {
            Some(Value::Numbers(numbers)) => match numbers.values {
                Values::I64(id) if id.len() == 1 && id[0] > 0 => shard.end = id[0].unsigned_abs(),
                _ => return Err(wrong("nextid", "a positive integer", "other numbers")),
            },
            found => {
                let found = found.map_or("no such key", |value| value.kind());
                return Err(wrong("nextid", "the number of the next row, as ASE writes it", found));
            }
        }
        match shard.get("deleted_ids")? {
            None => {}
            Some(Value::Numbers(numbers)) => {
                let ids = match numbers.values {
                    Values::I64(ids) => ids.into_iter().map(|id| u64::try_from(id).ok()).collect(),
                    // An empty list has no type.
                    others => others.is_empty().then(HashSet::new),
                };
                shard.deleted =
                    ids.ok_or_else(|| wrong("deleted_ids", "a list of integers, none negative", "other numbers"))?;
            }
            Some(other) => return Err(wrong("deleted_ids", "a list of integers", other.kind())),
        }
        Ok(shard)
    }

    fn metadata(&mut self) -> Result<Option<Value>, Error> {
        self.get("metadata")
    }

    fn survey(&mut self, survey: &mut Survey) -> Result<(), Error> {
        let step = (self.end - 1).div_ceil(SURVEY).max(1);
        for id in (1..self.end).step_by(step as usize) {
            if !self.deleted.contains(&id) {
                // One that cannot be read is an error once it is reached.
                self.row(id).iter().for_each(|row| survey.see(row));
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Numbered>, Error> {
        while self.id + 1 < self.end {
            self.id += 1;
            if !self.deleted.contains(&self.id) {
                return Ok(Some((self.id, self.row(self.id))));
            }
        }
        Ok(None)
    }

    fn path(&self) -> &Path {
        self.lmdb.path()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn share(&self) -> f64 {
        self.id as f64 / self.end as f64
    }
}

impl Shard {
    /// Says what a file of pickled objects is, which has no `nextid`: OC20's and OC22's, in PyTorch Geometric's
    /// classes.
    fn expect_no_pickles(&mut self) -> Result<(), Error> {
        let mut is_pickle = |key: &[u8]| -> Result<bool, Error> {
            Ok(self.lmdb.get(key, &mut self.value)? && self.value.first() == Some(&0x80))
        };
        if is_pickle(b"0")? || is_pickle(b"length")? {
            let expected = "rows of JSON as ASE writes them (read these objects in Python, make each an ase.Atoms of \
                its atomic_numbers, pos, cell and labels, and write them with ase.db or as extended XYZ)";
            let found = "objects pickled by Python, as the LMDB files of OC20 and OC22 have them";
            return Err(FormatError::wrong(self.lmdb.path(), "", expected, found));
        }
        Ok(())
    }

    fn row(&mut self, id: u64) -> Result<Value, Error> {
        match self.get(&id.to_string())? {
            Some(row) => Ok(row),
            None => {
                let place = Place { path: self.lmdb.path(), unit: "row", number: Some(id) };
                Err(place.wrong("", "a row, or its number among deleted_ids", "neither"))
            }
        }
    }

    /// The value of a key, inflated and parsed; `None` if there is no such key.
    fn get(&mut self, key: &str) -> Result<Option<Value>, Error> {
        if !self.lmdb.get(key.as_bytes(), &mut self.value)? {
            return Ok(None);
        }
        let wrong = |lmdb: &Lmdb, expected: &str, found: String| {
            FormatError::wrong(lmdb.path(), format!("key {key}"), expected, found)
        };
        self.inflate.reset(true);
        self.text.clear();
        loop {
            let read = self.inflate.total_in() as usize;
            self.text.reserve(self.value.len().max(4096));
            let written = self.text.len();
            let status = self.inflate.decompress_vec(&self.value[read..], &mut self.text, FlushDecompress::None);
            match status {
                Ok(Status::StreamEnd) => break,
                Ok(_) if self.text.len() > ROW => return Err(wrong(&self.lmdb, "at most 256 MiB", "more".into())),
                Ok(_) if self.inflate.total_in() as usize > read || self.text.len() > written => {}
                Ok(_) => return Err(wrong(&self.lmdb, "JSON compressed with zlib", "its beginning".into())),
                Err(error) => return Err(wrong(&self.lmdb, "JSON compressed with zlib", error.to_string())),
            }
        }
        json::parse(&self.text, None)
            .map(Some)
            .map_err(|error| wrong(&self.lmdb, error.expected, format!("other JSON at byte {}", error.at)))
    }
}
