//! [`open`]: a file or folder of any format; [`ReadOptions`]: how files are read, beyond which of their fields are
//! taken.

use super::FileFormat;
use crate::FormatError;
use crate::common::{Records, expect_file};
use crate::gather::{Called, Fields};
use graphpack_loader::{Error, StoreFiles};
use std::path::Path;

/// What a file or folder has.
pub enum Opened {
    /// A store on disk, which loaders read in place.
    Store(StoreFiles),
    /// Graphs, one after the other.
    Records(Box<dyn Records>),
}

/// Opens a file or folder, whose format is recognised from what is in it.
///
/// ```no_run
/// use graphpack_formats::Opened;
/// use graphpack_formats::records::Record;
///
/// match graphpack_formats::open("alloys.db")? {
///     Opened::Store(store) => println!("a store with {:?}", store.verify()),
///     Opened::Records(mut records) => {
///         let mut record = Record::default();
///         while records.next(&mut record)? {
///             println!("{} with {} nodes", record.name, record.nodes);
///         }
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Opened, Error> {
    let path = path.as_ref();
    FileFormat::of(path)?.open(path)
}

impl FileFormat {
    /// Opens a file or folder of this format.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Opened, Error> {
        Ok(self.open_with(path.as_ref(), &Fields::default(), &ReadOptions::default())?.0)
    }

    /// Opens a file or folder of this format with options, for a choice of fields: one that is named must be readable.
    /// Also returns what records call the fields that the file calls otherwise.
    #[allow(unreachable_patterns, unreachable_code, unused, reason = "formats whose feature is off, or all of them")]
    pub(super) fn open_with(
        self,
        path: &Path,
        fields: &Fields,
        options: &ReadOptions,
    ) -> Result<(Opened, Vec<Called>), Error> {
        expect_file(path)?;
        options.check(path, self)?;
        if !fields.labels.is_empty() && ![Self::Xyz, Self::AseDb, Self::Aselmdb].contains(&self) {
            let expected = "a file whose texts become labels, of xyz, ase_db or aselmdb";
            return Err(FormatError::wrong(path, "", expected, self.name()));
        }
        let mut called = Vec::new();
        let mut records: Box<dyn Records> = match self {
            Self::Store if fields.double.is_some() => {
                return Err(FormatError::wrong(
                    path,
                    "",
                    "a file whose numbers can be read in another precision",
                    "a store",
                ));
            }
            Self::Store => return Ok((Opened::Store(StoreFiles::open(path)?), called)),
            #[cfg(feature = "readers")]
            Self::Xyz => Box::new(crate::xyz::open(path, fields)?),
            #[cfg(feature = "ase_db")]
            Self::AseDb => crate::ase_db::open(path, fields)?,
            #[cfg(feature = "readers")]
            Self::Aselmdb => crate::aselmdb::open(path, fields)?,
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => crate::hdf5::open(path, fields)?,
            #[cfg(feature = "readers")]
            Self::Tu => Box::new(crate::tu::records(path)?),
            #[cfg(feature = "readers")]
            Self::Npz => {
                let (records, of_file) = crate::npz::open(path, fields)?;
                called = of_file;
                Box::new(records)
            }
            #[cfg(feature = "parquet")]
            Self::Parquet => {
                let (records, of_file) = crate::parquet::open(path, fields, options.smiles_column.as_deref())?;
                called = of_file;
                Box::new(records)
            }
            #[cfg(feature = "readers")]
            Self::Ogb => Box::new(crate::ogb::OgbRecords::open(path, options.directed, false)?),
            #[cfg(feature = "readers")]
            Self::Sdf => {
                let keeps_hydrogens = options.keeps_hydrogens;
                let of_sdf = crate::sdf::SdfOptions { keeps_hydrogens, ..Default::default() };
                Box::new(crate::sdf::open(path, &of_sdf, fields, options.skips_errors)?)
            }
            #[cfg(feature = "readers")]
            Self::Smiles => {
                let column = options.smiles_column.clone();
                let of_table = crate::smiles::SmilesOptions { column, ..Default::default() };
                Box::new(crate::smiles::open(path, &of_table, fields, options.skips_errors)?)
            }
            format => {
                let expected = format!("a format that this build reads ({format} needs its feature)");
                return Err(FormatError::wrong(path, "", expected, format.name()));
            }
        };
        records.select(&fields.named().cloned().collect::<Vec<_>>());
        Ok((Opened::Records(records), called))
    }
}

/// How files are read, beyond which of their fields are taken. One that a file's format does not know is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The column of SMILES in a table or in parquet; otherwise it is known by its name, in a table also by its cells.
    pub smiles_column: Option<String>,
    /// Whether hydrogen atoms of SDF stay atoms. By default they become numbers at their neighbours, as in OGB's
    /// graphs.
    pub keeps_hydrogens: bool,
    /// Whether a record that cannot be read is left out, and listed with the reason. By default it is an error. A file
    /// in which the record after it cannot be found is an error all the same.
    pub skips_errors: bool,
    /// The split to take of a data set of OGB, `train` or `scaffold/train`; `None` for all graphs. Targets have a row for
    /// each graph of the data set all the same. Pieces have the graphs of a split in the order of the data set.
    pub split: Option<String>,
    /// Whether edges of a data set of OGB are taken as they are, without adding the inverse of each.
    pub directed: bool,
}

impl ReadOptions {
    /// Returns the format that was `given`, otherwise that of the contents. A file with a column of SMILES that is
    /// named need not look like a table of SMILES.
    pub fn format(&self, path: &Path, given: Option<FileFormat>) -> Result<FileFormat, Error> {
        match given.map_or_else(|| FileFormat::of(path), Ok) {
            Err(_) if self.smiles_column.is_some() => Ok(FileFormat::Smiles),
            found => found,
        }
    }

    /// Errors if an option has no effect on files of this format.
    pub fn check(&self, path: &Path, format: FileFormat) -> Result<(), Error> {
        let wrong = |expected: &str| Err(FormatError::wrong(path, "", expected, format.name()));
        if self.smiles_column.is_some() && ![FileFormat::Smiles, FileFormat::Parquet].contains(&format) {
            return wrong("a table, of which a column has SMILES");
        }
        if self.keeps_hydrogens && format != FileFormat::Sdf {
            return wrong("SDF, of which hydrogen atoms are kept");
        }
        if self.skips_errors && format == FileFormat::Store {
            return wrong("a file of records, of which some are left out");
        }
        if (self.split.is_some() || self.directed) && format != FileFormat::Ogb {
            return wrong("a data set of OGB, which has splits and directions");
        }
        Ok(())
    }
}
