#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! A file or folder of any format:
//!
//! | it is to become | by |
//! |---|---|
//! | a store in memory | [`read`] |
//! | data for a loader, with targets, a split or a choice of fields | `DataFile` |
//! | several stores, of some thousand graphs each, or the first graphs alone | [`Pieces`] |
//! | one store on disk, of any number of files | [`Convert`] |
//! | its graphs, one after the other, or the store that it is | [`open`] |
//!
//! Of atoms without edges, [`Data::connect`](graphpack_loader::Data::connect) makes graphs:
//!
//! ```no_run
//! use graphpack_formats::{Fields, Pieces};
//! use graphpack_loader::{Data, Edges, Loader, Options};
//!
//! let molecules = Pieces::open("qm9.xyz.gz", &Fields::default())?;
//! let molecules = molecules.with_targets("qm9.csv.gz", &["homo", "lumo"])?.read()?;
//! let loader = Loader::new(Data::from(molecules).connect(Edges::Radius(5.0))?, Options::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The readers, each with options of its own and records as they are in the file:
//!
//! | files | read by | feature |
//! |---|---|---|
//! | XYZ, plain and extended, and QM9's own | [`xyz::records`] | `readers` |
//! | ASE's LMDB databases, one or a folder | [`aselmdb::records`] | `readers` |
//! | ASE's SQLite databases | `ase_db::records` | `ase_db` |
//! | HDF5 in the layouts of MACE, SPICE and ANI | `hdf5::records` | `hdf5` |
//! | npz: structures in a few long arrays | [`npz::records`] | `readers` |
//! | SMILES in csv with a header | [`smiles::records`] | `readers` |
//! | SDF | [`sdf::records`] | `readers` |
//! | data sets of TU Dortmund, zip or folder | [`tu::records`] | `readers` |
//! | raw files of the Open Graph Benchmark | [`ogb::records`], [`OgbCsv`] with NaN for missing labels | `readers` |
//! | parquet with columns of lists, or of SMILES | `parquet::records` | `parquet` |
//! | csv with a row of targets per graph | [`targets::join`] with the records of another file | `readers` |
//! | csv with the number of graphs of each size | [`histogram_csv::read`] | `readers` |
//!
//! ## A reader of your own
//!
//! What the readers above are made of needs no feature and serves any other reader:
//!
//! | a reader needs | here |
//! |---|---|
//! | a file that may be compressed | [`compressed::open`] |
//! | numbers in csv, row by row | [`records::CsvRows`] with [`records::CellKind`] |
//! | arrays of NumPy, each in a file or in an archive | [`npy::Header`] |
//! | numbers of one type and any shape | [`Array`] |
//! | atomic numbers | [`elements::atomic_number`] |
//! | a graph as a file has it, and those of a file | [`records::Record`], [`records::Records`] |
//! | a store of such records | [`records::Gather`] |
//! | an error that names file and place | [`Error`](graphpack_loader::Error) |
//!
//! To add a format here, `CONTRIBUTING.md` says where. What is shared is in `src/common/`, `src/atoms/` and
//! `src/chemistry/`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// What formats share, each of them uses in part.
#![cfg_attr(not(all(feature = "ase_db", feature = "hdf5")), allow(dead_code, unused_imports))]

#[cfg(feature = "ase_db")]
pub mod ase_db;
#[cfg(feature = "readers")]
pub mod aselmdb;
#[cfg(feature = "readers")]
mod atoms;
#[cfg(feature = "readers")]
mod chemistry;
mod common;
mod gather;
#[cfg(feature = "hdf5")]
pub mod hdf5;
#[cfg(feature = "readers")]
pub mod histogram_csv;
#[cfg(feature = "readers")]
pub mod npz;
#[cfg(feature = "readers")]
pub mod ogb;
mod open;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "readers")]
pub mod sdf;
#[cfg(feature = "readers")]
pub mod smiles;
#[cfg(feature = "readers")]
pub mod targets;
#[cfg(feature = "readers")]
pub mod tu;
#[cfg(feature = "readers")]
pub mod xyz;

/// For a format of one's own: records, which [`Gather`](records::Gather) makes a store.
pub mod records {
    pub use crate::common::{CellKind, CsvRows, Record, RecordField, Records, Values};
    pub use crate::gather::Gather;
}

pub use common::{Array, ArrayType, compressed, elements, npy};
use common::{FormatError, ReadError};
pub use gather::Fields;
#[cfg(feature = "readers")]
pub use ogb::OgbCsv;
#[cfg(feature = "readers")]
pub use open::DataFile;
pub use open::{Change, Convert, Converted, FileFormat, Opened, Pieces, Progress, ReadOptions, open, read};
