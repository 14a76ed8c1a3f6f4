//! Molecules as SMILES in csv files become graphs with OGB's features.
//!
//! - [`records`]: the molecules of a file, in the column that has SMILES;
//! - [`record`]: one molecule; `parser`: SMILES as atoms and bonds, by `tokens`.
//!
//! ```
//! use graphpack_formats::{Record, smiles};
//!
//! let mut ethanol = Record::default();
//! smiles::record("CCO", &mut ethanol)?;
//! assert_eq!((ethanol.nodes, ethanol.edges), (3, Some([vec![0, 1, 1, 2], vec![1, 0, 2, 1]])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod parser;
mod records;
mod tokens;

pub use crate::chemistry::Refusal;
pub use parser::record;
pub use records::{SmilesOptions, SmilesRecords, records};
pub(crate) use records::{begins, open};
