//! Pieces of a large graph as graphs of a loader. `seen` and `typed` read batches back.

mod clusters;
mod drawn;
mod lazy;
mod neighbours;
mod seen;
mod typed;
