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
//! | XYZ, plain and extended, and QM9's own | [`xyz::records`] | `xyz` |
//! | ASE's LMDB databases, one or a folder | [`aselmdb::records`] | `aselmdb` |
//! | ASE's SQLite databases | `ase_db::records` | `ase_db` |
//! | HDF5 in the layouts of MACE, SPICE and ANI | `hdf5::records` | `hdf5` |
//! | npz: structures in a few long arrays | [`npz::records`] | `npz` |
//! | SMILES in csv with a header | [`smiles::records`] | `smiles` |
//! | SDF | [`sdf::records`] | `sdf` |
//! | data sets of TU Dortmund, zip or folder | [`tu::records`] | `tu` |
//! | raw files of the Open Graph Benchmark | [`ogb::records`], [`OgbCsv`] with splits | `ogb` |
//! | parquet with columns of lists, or of SMILES | `parquet::records` | `parquet` |
//! | csv with a row of targets per graph | [`targets::join`] with the records of another file | `targets` |
//! | csv with the number of graphs of each size | [`histogram_csv::read`] | `histogram_csv` |
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
#![cfg_attr(
    not(all(
        feature = "ase_db",
        feature = "aselmdb",
        feature = "hdf5",
        feature = "histogram_csv",
        feature = "npz",
        feature = "ogb",
        feature = "sdf",
        feature = "smiles",
        feature = "targets",
        feature = "xyz"
    )),
    allow(dead_code, unused_imports)
)]

#[cfg(feature = "ase_db")]
pub mod ase_db;
#[cfg(feature = "aselmdb")]
pub mod aselmdb;
#[cfg(any(
    feature = "ase_db",
    feature = "aselmdb",
    feature = "hdf5",
    feature = "npz",
    feature = "parquet",
    feature = "xyz"
))]
mod atoms;
#[cfg(any(feature = "sdf", feature = "smiles"))]
mod chemistry;
mod common;
mod gather;
#[cfg(feature = "hdf5")]
pub mod hdf5;
#[cfg(feature = "histogram_csv")]
pub mod histogram_csv;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "ogb")]
pub mod ogb;
mod open;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "sdf")]
pub mod sdf;
#[cfg(feature = "smiles")]
pub mod smiles;
#[cfg(feature = "targets")]
pub mod targets;
#[cfg(feature = "tu")]
pub mod tu;
#[cfg(feature = "xyz")]
pub mod xyz;

/// For a format of one's own: records, which [`Gather`](records::Gather) makes a store.
pub mod records {
    pub use crate::common::{CellKind, CsvRows, Record, RecordField, Records, Values};
    pub use crate::gather::Gather;
}

pub use common::{Array, ArrayType, compressed, elements, npy};
use common::{FormatError, ReadError};
pub use gather::Fields;
#[cfg(feature = "ogb")]
pub use ogb::OgbCsv;
#[cfg(all(feature = "ogb", feature = "targets"))]
pub use open::DataFile;
pub use open::{Change, Convert, Converted, FileFormat, Opened, Pieces, Progress, ReadOptions, open, read};
