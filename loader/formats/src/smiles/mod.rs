//! Molecules as SMILES in csv files become graphs with OGB's features.
//!
//! - [`records`]: the molecules of a file; `options`: which columns are read; `table`: where the SMILES are;
//! - [`record`]: one molecule; `parser`: SMILES as atoms and bonds, by `tokens` and `ring_closures`.
//!
//! ```
//! use graphpack_formats::{Record, smiles};
//!
//! let mut ethanol = Record::default();
//! smiles::record("CCO", &mut ethanol)?;
//! assert_eq!((ethanol.nodes, ethanol.edges), (3, Some([vec![0, 1, 1, 2], vec![1, 0, 2, 1]])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod options;
mod parser;
mod record;
mod records;
mod ring_closures;
mod table;
mod tokens;
mod written_bond;

pub use crate::chemistry::Refusal;
pub use options::SmilesOptions;
pub use record::record;
pub(crate) use records::open;
pub use records::{SmilesRecords, records};
pub(crate) use table::begins;
