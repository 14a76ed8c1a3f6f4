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
//! An array of `data` whose first dimension is the number of atoms in all of 100 rows all over the (first) file is one
//! of nodes, any other is one of graphs. Where that cannot be told, since all structures have the same few atoms, the
//! array is passed over, as are text and nested objects, and arrays whose width differs from the first row's:
//! [`Records::skipped`] says so. A label that a row lacks, or whose numbers are all NaN, is not among its record's
//! fields. Of constraints, `FixAtoms` becomes `fixed`; others are passed over. Units are ASE's: eV, angstrom,
//! eV/angstrom, eV/angstrom^3.
//!
//! A file is read by position and never mapped, nor is a lock file written beside it: a file that ends too early, was
//! damaged or is truncated while it is read ends in an error that names the file and the page or the row. A file
//! must not be written to while it is read: rows may then be missing, or pages no longer what they should be.

mod lmdb;

use crate::FormatError;
use crate::atoms::{Place, SeenFields, Survey, Value, files_in, json, row};
use crate::common::{Record, Records, Values};
use flate2::{Decompress, FlushDecompress, Status};
use graphpack_loader::Error;
use lmdb::Lmdb;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

/// The most bytes of a row.
const ROW: usize = 1 << 28;
/// How many rows are looked at before the first is read.
const SURVEY: u64 = 100;

/// The structures of a database, or of all `.aselmdb` files of a folder, in the order of their names.
pub fn records(path: impl AsRef<Path>) -> Result<AselmdbRecords, Error> {
    let (files, bytes) = files_in(path.as_ref(), &[".aselmdb"])?;
    let mut records = AselmdbRecords {
        files: files.into_iter(),
        shard: None,
        fields: SeenFields::default(),
        survey: Survey::default(),
        bytes: (0, bytes),
        is_at_row: false,
    };
    records.open_next()?;
    if let Some(shard) = &mut records.shard {
        let step = (shard.end - 1).div_ceil(SURVEY).max(1);
        for id in (1..shard.end).step_by(step as usize) {
            if !shard.deleted.contains(&id) {
                // One that cannot be read is an error once it is reached.
                shard.row(id).iter().for_each(|row| records.survey.see(row));
            }
        }
    }
    Ok(records)
}

/// The structures of ASE's LMDB databases, one after the other.
pub struct AselmdbRecords {
    files: IntoIter<PathBuf>,
    shard: Option<Shard>,
    fields: SeenFields,
    survey: Survey,
    /// Bytes of the files that were read to their ends, and of all.
    bytes: (u64, u64),
    /// Whether the row is known, so that another follows.
    is_at_row: bool,
}

impl Records for AselmdbRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        self.is_at_row = false;
        while let Some(shard) = &mut self.shard {
            while shard.id + 1 < shard.end {
                shard.id += 1;
                self.is_at_row = true;
                if !shard.deleted.contains(&shard.id) {
                    let row = shard.row(shard.id)?;
                    row::fill(row, shard.place(shard.id), &mut self.fields, &self.survey, record)?;
                    return Ok(true);
                }
            }
            self.bytes.0 += shard.bytes;
            self.is_at_row = false;
            self.open_next()?;
        }
        Ok(false)
    }

    /// Bytes, in proportion to the rows of a file.
    fn progress(&self) -> (u64, Option<u64>) {
        let share = |shard: &Shard| shard.bytes as f64 * (shard.id as f64 / shard.end as f64);
        (self.bytes.0 + self.shard.as_ref().map_or(0.0, share) as u64, Some(self.bytes.1))
    }

    fn unit(&self, field: &str) -> Option<&str> {
        row::unit(&self.fields, field)
    }

    fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }

    fn goes_on(&self) -> bool {
        self.is_at_row
    }
}

impl AselmdbRecords {
    fn open_next(&mut self) -> Result<(), Error> {
        self.shard = self.files.next().map(|path| Shard::open(&path)).transpose()?;
        Ok(())
    }
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

impl Shard {
    fn open(path: &Path) -> Result<Self, Error> {
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

    fn place(&self, id: u64) -> Place<'_> {
        Place { path: self.lmdb.path(), unit: "row", number: Some(id) }
    }

    fn row(&mut self, id: u64) -> Result<Value, Error> {
        match self.get(&id.to_string())? {
            Some(row) => Ok(row),
            None => Err(self.place(id).wrong("", "a row, or its number among deleted_ids", "neither")),
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
