//! Files that people have, read into stores of `graphpack-loader`.
//!
//! | module or type | what it reads | feature |
//! |---|---|---|
//! | [`OgbCsv`] | the raw files of the Open Graph Benchmark | `ogb` |
//! | [`xyz`] | structures in concatenated XYZ | `xyz` |
//! | [`npz`] | structures in npz files | `npz` |
//! | [`targets`] | targets of structures from a csv file | `xyz` or `npz` |
//! | [`histogram_csv`] | histograms of graph sizes, which it also writes | `histogram` |
//!
//! What several formats are made of is there without any feature, for other readers: [`CsvRows`], a csv file of numbers row by row;
//! [`gzip`], files that may be compressed; [`npy`], arrays of NumPy; [`Array`], numbers of one type and any shape.
//!
//! # Features
//!
//! One per format, all on by default: `ogb`, `xyz`, `npz`, `histogram`.
#![forbid(unsafe_code)]

mod array;
mod csv_rows;
#[cfg(feature = "xyz")]
mod element;
pub mod gzip;
#[cfg(feature = "histogram")]
pub mod histogram_csv;
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
mod numbers;
#[cfg(feature = "ogb")]
mod ogb;
#[cfg(any(feature = "xyz", feature = "npz"))]
mod structure_error;
#[cfg(any(feature = "xyz", feature = "npz"))]
pub mod targets;
#[cfg(feature = "xyz")]
pub mod xyz;

pub use array::{Array, ArrayType, ShapeError};
pub use csv_rows::{CellKind, CsvRows};
pub use numbers::NumbersError;
#[cfg(feature = "ogb")]
pub use ogb::{OgbCsv, OgbError};
#[cfg(any(feature = "xyz", feature = "npz"))]
pub use structure_error::StructureError;
