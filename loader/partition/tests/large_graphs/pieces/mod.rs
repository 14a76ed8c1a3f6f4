//! Pieces of a large graph as graphs of a loader. `seen` reads batches back.

mod clusters;
mod drawn;
mod neighbours;
mod seen;
