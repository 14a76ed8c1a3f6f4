//! Comparisons with other libraries, which are installed below `target/peers`.
//!
//! - [`bench`](mod@bench): speed, as tables of [`table`];
//! - [`devices`]: what fixed shapes are worth to burn on a device;
//! - [`neighbours`]: edges between near atoms, beside vesin and matscipy;
//! - [`peers`]: batches, array by array, against jraph, PyTorch Geometric and DGL;
//! - [`worth`]: what each way of batching saves in training; [`bundle`]: the same, with tests and times on a GPU,
//!   where there is no Rust;
//! - [`environments`]: what is installed; [`files`]: data sets and csv files.

pub(crate) mod bench;
pub(crate) mod bundle;
pub(crate) mod devices;
mod environments;
mod files;
pub(crate) mod neighbours;
pub(crate) mod peers;
mod table;
pub(crate) mod worth;
