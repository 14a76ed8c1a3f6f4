//! Pieces of a large graph as graphs of a loader. `seen` and `typed` read batches back, `files` writes parts.

mod clusters;
mod drawn;
mod files;
mod lazy;
mod neighbours;
mod seen;
mod typed;
