//! Where graphs come from: stores, generated molecules, and what all readers do with arbitrary bytes. A new reader is
//! tested in `loader/formats/tests/readers/`, and gets a target in `tests/fuzz/src/lib.rs` with a corpus beside it.

mod corpora;
mod damage;
mod files_of_sets;
mod mixtures;
mod molecules;
mod stores_on_disk;
mod tensors;
