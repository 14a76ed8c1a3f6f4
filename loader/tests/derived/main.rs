//! Triplets and line graphs are those of slow and obvious programs, whatever a map does, and errors say what is
//! wrong.

mod oracle;
mod refusals;
mod resumed;
mod rows;
