//! What readers of atoms share: how numbers of a file become fields of a record.
//!
//! - [`value`]: what stands beside a name: numbers of any shape, text, lists, objects; [`json`]: read from JSON;
//! - [`names`]: what programs call the same thing, and what is known of names; [`fields`]: the fields of a data set, and
//!   what was passed over;
//! - [`labels`]: texts that become codes;
//! - [`structure`]: elements, positions and cells; [`row`]: a row of ASE's databases; [`metadata`]: what these state of
//!   units.

mod fields;
pub(crate) mod json;
mod labels;
mod metadata;
mod names;
pub(crate) mod row;
mod structure;
mod value;

pub(crate) use crate::common::{Place, quoted};
pub(crate) use fields::SeenFields;
pub(crate) use json::float;
pub(crate) use metadata::Metadata;
pub(crate) use names::{Known, expect_one, known, level_of, meaning, says_what, synonyms, unit_of};
pub(crate) use row::Survey;
pub(crate) use structure::{expect_elements, files_in, push_atoms, push_cell, push_periodic};
pub(crate) use value::{Numbers, Value};
