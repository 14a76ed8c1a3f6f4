//! Comparisons with other libraries, which are installed below `target/peers`.
//!
//! - [`bench`](mod@bench): speed, as tables of [`table`];
//! - [`dgl`]: parts of large graphs, opened by DGL;
//! - [`peers`]: batches, array by array, against jraph, PyTorch Geometric and DGL;
//! - [`environments`]: what is installed.

pub(crate) mod bench;
pub(crate) mod dgl;
mod environments;
pub(crate) mod peers;
mod table;
