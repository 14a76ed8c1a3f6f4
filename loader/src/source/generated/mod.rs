//! Generated data, for trying things out: `molecules` with bonds, and `clusters` of atoms without edges.

pub mod clusters;
pub mod molecules;
