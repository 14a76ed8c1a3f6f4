//! What is made of records: stores.
//!
//! [`Gather`] unites the [`fields`] of graphs that differ in them; each is a [`gathered`] column.

mod fields;
mod gather;
mod gathered;

pub use fields::Fields;
pub use gather::Gather;
