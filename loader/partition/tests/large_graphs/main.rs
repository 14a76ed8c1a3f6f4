//! What holds of large graphs, from files to the batches of a loader. A file per subject; what they share is in
//! `generated`, `real` and `damaged`.

mod chunked;
mod cut;
mod damaged;
mod dgl;
mod dispatch;
mod generated;
mod metis;
mod pieces;
mod real;
mod resume;
mod streaming;
mod verify;
