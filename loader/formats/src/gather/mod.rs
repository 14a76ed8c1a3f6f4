//! What is made of records: stores.
//!
//! [`Gather`] unites the fields of graphs that differ in them; each is a [`gathered`] column.

mod gather;
mod gathered;

pub use gather::Gather;
pub use gathered::Fields;
