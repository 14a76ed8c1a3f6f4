//! Files that people have, read into stores of `graphpack-loader`.
//!
//! | files | read by | become | feature |
//! |---|---|---|---|
//! | raw files of the Open Graph Benchmark | [`OgbCsv::open`], [`ogb::records`] | a source and its splits, records | `ogb` |
//! | data sets of TU Dortmund, zip or folder | [`tu::records`] | records | `tu` |
//! | SDF | [`sdf::records`] | records with OGB's features and `pos` | `sdf` |
//! | SMILES in csv with a header | [`smiles::records`] | records with OGB's features | `smiles` |
//! | XYZ, plain and extended, and QM9's own: structures one after the other | [`xyz::records`] | records | `xyz` |
//! | ASE's LMDB databases, one or a folder | [`aselmdb::records`] | records | `aselmdb` |
//! | ASE's SQLite databases | `ase_db::records` | records | `ase_db` |
//! | HDF5 in the layouts of MACE, SPICE and ANI | `hdf5::records` | records | `hdf5` |
//! | npz: structures in a few long arrays | [`npz::records`], [`npz::read`] | records, `Structures` | `npz` |
//! | parquet with columns of lists | `parquet::records` | records | `parquet` |
//! | csv with a row of targets per structure | [`targets::join`], [`targets::add`] | fields of records, `y` of `Structures` | `targets` |
//! | csv with the number of graphs of each size | [`histogram_csv::read`] | [`SizeCounts`](histogram_csv::SizeCounts) | `histogram_csv` |
//!
//! Atoms become graphs once edges are chosen:
//!
//! ```no_run
//! use graphpack_formats::{targets, xyz};
//! use graphpack_loader::{Edges, Loader};
//!
//! let molecules = targets::add(xyz::read("qm9.xyz.gz")?, "qm9.csv.gz", &["homo", "lumo"])?;
//! let loader = Loader::new(molecules.connect(Edges::Radius(5.0))?).build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A reader of your own
//!
//! What the readers above are made of needs no feature and serves any other reader:
//!
//! | a reader needs | here |
//! |---|---|
//! | a file that may be compressed | [`gzip::open`] |
//! | numbers in csv, row by row, or all of them | [`CsvRows`] with [`CellKind`], [`CsvTable`] |
//! | csv with a header | [`CsvRecords`] |
//! | arrays of NumPy, each in a file or in an archive | [`npy::read`], [`npy::Header`] |
//! | numbers of one type and any shape | [`Array`] |
//! | atomic numbers | [`elements::atomic_number`] |
//! | a graph as a file has it, and those of a file | [`Record`], [`Records`] |
//! | an error that names file and place | [`ReadError`], [`CsvError`], [`FormatError`] |
//!
//! To add a format here: a file `src/NAME.rs` with its function `read` and its error, a feature `NAME`, a row in the
//! first table, and `tests/readers/NAME.rs`. Functions `read` return what the whole file has; a type with `open` is for
//! folders, of which parts are read later. What is shared is in `src/common/`.
//!
//! # Features
//!
//! One per format, named like its file, on by default unless they bring heavy libraries (`ase_db`, `hdf5`, `parquet`).
#![forbid(unsafe_code)]

#[cfg(feature = "ase_db")]
pub mod ase_db;
#[cfg(feature = "aselmdb")]
pub mod aselmdb;
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "xyz"))]
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

pub use common::{
    Array, ArrayType, CellKind, CsvCells, CsvError, CsvRecords, CsvRows, CsvTable, FormatError, ReadError, Record,
    RecordField, Records, ShapeError, Values,
};
pub use common::{elements, gzip, npy};
pub use gather::{Fields, Gather};
#[cfg(feature = "ogb")]
pub use ogb::OgbCsv;
pub use open::{Change, Convert, Converted, FileFormat, Opened, Pieces, Progress, open, read};
