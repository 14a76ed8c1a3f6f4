//! Comparisons with other libraries, which are installed below `target/peers`.
//!
//! - [`bench`](mod@bench): speed, as tables of [`table`];
//! - [`devices`]: what fixed shapes are worth to burn on a device;
//! - [`neighbours`]: edges between near atoms, beside vesin and matscipy;
//! - [`dgl`]: parts of large graphs, opened by DGL;
//! - [`peers`]: batches, array by array, against jraph, PyTorch Geometric and DGL;
//! - [`worth`]: what each way of batching saves in training;
//! - [`shown`]: a mean with its interval; [`environments`]: what is installed.

pub(crate) mod bench;
pub(crate) mod devices;
pub(crate) mod dgl;
mod environments;
pub(crate) mod neighbours;
pub(crate) mod peers;
mod shown;
mod table;
pub(crate) mod worth;
